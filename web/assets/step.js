// One step of a run: how it is named, what it costs, and what it opens to.
import { cost, html } from "/assets/common.js";

export const LOOKS = { leaf: "kept", necessary: "kept", pruned: "pruned", failed: "pruned",
  fallback: "pruned", budget: "pruned", open: "open", cut: "open" };
export const flat = (steps, parent = "") =>
  steps.flatMap((step) => [{ ...step, parent }, ...flat(step.steps, step.id)]);
export const titleOf = (step, passages) => {
  if (step.title) return step.title;
  const [tail, head] = [step.tail, step.head].map((id) => passages.get(id)?.name ?? id);
  const way = tail && head ? `${tail} → ${head}` : head || (tail && `${tail} stays`);
  const kind = step.kind.replaceAll("-", " ");
  return way ? [way, step.question].filter(Boolean).join(" · ")
    : [kind.charAt(0).toUpperCase() + kind.slice(1), step.question].filter(Boolean).join(": ");
};

/** The first paragraph of a step's answer: a table or a query may follow. */
export const short = (answer) => answer.split("\n\n", 1)[0].replaceAll(/```\w*/g, "");

/** What the calls of a step cost; those that the ledger answered cost nothing. */
export const costOf = (calls) => {
  const paid = calls.filter((call) => !call.cached);
  return paid.length
    ? cost(paid.map((call) => ({ ...call, model: call.setting, model_calls: 1, estimated_calls: call.estimated })))
    : "from the ledger";
};

/** The passages of a step: those that it names, those that stand in its prompts, or those cited. */
const unitsOf = (step, cited) => {
  if (step.passages?.length) return step.passages;
  const told = (ids, why) => ids.map((id) => ({ passages: [id], why }));
  const ends = [step.tail, step.head].filter(Boolean);
  const units = [...told(ends), ...told((step.read ?? []).filter((id) => !ends.includes(id)), "in its prompt")];
  return units.length ? units : told([...new Set(cited.map((each) => each.passage_id))], "cited");
};

/** Whether a unit of evidence is no passage, as a summary or a community. */
const isOther = (unit) => unit.kind && unit.kind !== "passage" && !unit.passages.includes(unit.id);

export function Inside({ step, passages, cite, cited }) {
  const units = unitsOf(step, cited);
  const facts = Object.entries(step.facts ?? {}).map(([name, value]) => `${name}: ${value}`).join(" · ");
  const lacks = [!units.length && !facts && "No passage.", !step.calls?.length && !facts && "No model call."].filter(Boolean).join(" ");
  return html`<div class="inside">
    ${step.question && step.title && step.question !== step.title && html`<p>${step.question}</p>`}
    ${step.reason && html`<p class="quiet">${step.reason}</p>`}
    ${step.judge && html`<p class="quiet">judged by ${step.judge}</p>`}
    ${facts && html`<p class="quiet">${facts}</p>`}
    ${units.length > 0 && html`<ul class="citations">${units.flatMap((unit) => unit.passages.map((id) => html`<li key=${id}>
      <button class="cite" disabled=${!passages.has(id)} onClick=${() => cite(asCited(passages.get(id)))}>${passages.get(id)?.name ?? id}</button>
      <span class="quiet"> ${unit.score?.toFixed(2)} ${[isOther(unit) && `through ${unit.kind} ${unit.id}`, ...(unit.texts ?? []), unit.why].filter(Boolean).join(" ")}</span></li>`))}</ul>`}
    ${step.calls?.map((call, number) => html`<details key=${number}>
      <summary>${costOf([{ ...call, cached: false }]).replace(/^1 call/, call.cached ? "Answer from the ledger" : "Model call")}</summary>
      <p class="quiet">${call.prompt}/${call.version} by ${call.model}: ${call.outcome}${call.attempt > 0 && `, try ${call.attempt + 1}`}</p>
      ${!call.messages.length && html`<p class="quiet">The prompt is not kept.</p>`}
      ${call.messages.map((message) => html`<h3>${message.role}</h3><pre>${message.text}</pre>`)}
      <h3>Output</h3><pre>${call.output}</pre></details>`)}
    ${!step.calls ? html`<p class="quiet">Loading…</p>` : lacks && html`<p class="quiet">${lacks}</p>`}
  </div>`;
}

export const asCited = (passage) => ({
  passage_id: passage.id, name: passage.name, title: passage.title, supported: true,
  quotes: passage.quotes, text: passage.text, marked: marked(passage.text ?? "", passage.quotes),
  source: passage.source.source, section: passage.source.section, pages: passage.source.pages,
  metadata: passage.source.metadata,
});
const escaped = (text) => {
  const element = document.createElement("p");
  element.textContent = text;
  return element.innerHTML;
};
/** A passage as HTML with its quotes marked; they are in order. */
const marked = (text, quotes) => {
  let [shown, place] = ["", 0];
  for (const quote of quotes) {
    const at = text.indexOf(quote, place);
    if (at < 0) continue;
    shown += `${escaped(text.slice(place, at))}<mark>${escaped(quote)}</mark>`;
    place = at + quote.length;
  }
  return shown + escaped(text.slice(place));
};
