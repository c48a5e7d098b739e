// The picture of a question's steps: it grows while they run. Each opens to its prompts, outputs,
// passages and cost.
import { cost, get, html, pathOf, useEffect, useRef, useState } from "/assets/common.js";

const PAUSE = 500;
const REST = 30;
const STRATEGY = "strategy";
const LOOKS = { leaf: "kept", necessary: "kept", pruned: "pruned", failed: "pruned",
  fallback: "pruned", budget: "pruned", open: "open", cut: "open" };
/** The id of a step as a trace writes it. */
const idOf = (id) => (id ?? "").split(/\s+/).filter(Boolean).join("_");
const flat = (steps, parent = "") =>
  steps.flatMap((step) => [{ ...step, parent }, ...flat(step.steps, step.id)]);

/** A trace whose steps know which passages stand in their prompts. */
const withRead = (trace) => {
  const marked = (step) => {
    const said = step.passages?.length ? [] : step.calls.flatMap((call) => call.messages.map((message) => message.text));
    const read = trace.passages.filter(({ text }) => text && said.some((each) => each.includes(text)));
    return { ...step, read: read.map(({ id }) => id), steps: step.steps.map(marked) };
  };
  return { ...trace, steps: trace.steps.map(marked) };
};

/** The steps of a trace and those that have come since, each under its parent. */
const nest = (trace, records) => {
  const known = new Map(flat(trace?.steps ?? []).map((step) => [step.id, step]));
  for (const record of records) {
    const id = idOf(record.id);
    const traced = known.get(id);
    known.set(id, { ...traced, ...record, id, parent: traced?.parent ?? idOf(record.parent) });
  }
  const isTop = ({ id, parent }) => parent === STRATEGY || parent === id || !known.has(parent);
  const below = Map.groupBy([...known.values()], (step) => (isTop(step) ? "" : step.parent));
  const build = (step) => ({ ...step, steps: (below.get(step.id) ?? []).map(build) });
  return (below.get("") ?? []).map(build);
};

/**
 * @param question the number of the question in its thread; 0 while it runs
 * @param address gives the address of a trace that is of no thread, as json or html
 * @param saved the trace itself, in a file that has no server
 */
export function Steps({ thread, question, records, open, cite, address, saved }) {
  const [trace, setTrace] = useState(saved ? withRead(saved) : null);
  const timer = useRef(0);
  const at = (form) => address?.(form) ?? `${pathOf(thread)}/trace.${form}?question=${question}`;
  const load = () => get(at("json")).then((found) => setTrace(withRead(found))).catch(() => {});
  useEffect(() => {
    if (!question && thread) timer.current = setTimeout(load, PAUSE);
    return () => clearTimeout(timer.current);
  }, [records]);
  if (!records.length && !address && !saved) return null;
  const names = new Map(trace?.passages.map((passage) => [passage.id, passage]));
  return html`<details class="steps" open=${open} onToggle=${(event) => event.target.open && !trace && (thread || address) && load()}>
    <summary>Steps</summary>
    <${List} steps=${nest(trace, records)} passages=${names} cite=${cite} cited=${trace?.citations ?? []} />
    ${trace && (question || saved) && html`<${TimeLine} trace=${trace} passages=${names} />
      ${Object.keys(trace.legend).length > 0 && html`<details><summary>Meaning of the words</summary>
        <dl>${Object.entries(trace.legend).map(([word, meaning]) => html`<dt key=${word}>${word}</dt><dd>${meaning}</dd>`)}</dl></details>`}`}
    ${(thread || address) && html`<p><a href=${at("html")} download>Save
      as one page</a></p>`}
  </details>`;
}

/** The model calls over time. A long pause, as before a question is continued, is cut out. */
function TimeLine({ trace, passages }) {
  const calls = flat(trace.steps).flatMap((step) => step.calls.filter((call) => call.at && !call.cached).map((call) =>
    ({ call, title: titleOf(step, passages), begin: Date.parse(call.at) / 1000 - call.seconds })));
  calls.sort((one, other) => one.begin - other.begin);
  let [left, end] = [calls[0]?.begin, 0];
  for (const each of calls) {
    const rest = each.begin - left - end;
    if (rest > REST) left += rest;
    each.begin -= left;
    end = Math.max(end, each.begin + each.call.seconds);
  }
  return end > 0 && html`<details class="time"><summary>Model calls over ${end.toFixed(1)} s</summary>
    <ol>${calls.map(({ call, title, begin }, place) => html`<li key=${place}>${title} <span class="quiet">${call.prompt}, from ${begin.toFixed(1)} to ${(begin + call.seconds).toFixed(1)} s</span>
      <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect x=${(100 * begin) / end} width=${Math.max(0.4, (100 * call.seconds) / end)} height="1" /></svg></li>`)}</ol></details>`;
}

const titleOf = (step, passages) => {
  if (step.title) return step.title;
  const [tail, head] = [step.tail, step.head].map((id) => passages.get(id)?.name ?? id);
  const way = tail && head ? `${tail} → ${head}` : head || (tail && `${tail} stays`);
  const kind = step.kind.replaceAll("-", " ");
  return way ? [way, step.question].filter(Boolean).join(" · ")
    : [kind.charAt(0).toUpperCase() + kind.slice(1), step.question].filter(Boolean).join(": ");
};

/** The first paragraph of a step's answer: a table or a query may follow. */
const short = (answer) => answer.split("\n\n", 1)[0].replaceAll(/```\w*/g, "");

/** @param cited the citations of the answer, which the last step shows if it names no passages */
function List({ steps, passages, cite, cited }) {
  return html`<ol>${steps.map((step, place) => html`<li key=${step.id} class=${LOOKS[step.verdict] ?? ""}>
    <details>
      <summary>${titleOf(step, passages)}${step.answer && html` → ${short(step.answer)}`}
        ${step.score != null && html` <meter min="0" max="1" value=${step.score} aria-label="Score" /> <span class="quiet">${step.score.toFixed(2)}</span>`}
        <span class="quiet">${step.verdict && ` ${step.verdict}`}${step.calls?.length > 0 && ` · ${costOf(step.calls)}`}</span></summary>
      <${Inside} step=${step} passages=${passages} cite=${cite} cited=${place === steps.length - 1 ? cited : []} />
    </details>
    ${step.replaced?.length > 0 && html`<ul>${step.replaced.map((thrown, place) => html`<li key=${place} class="pruned">
      <s>${thrown.question}${thrown.answer && ` → ${thrown.answer}`}</s> <span class="quiet">thrown away: ${thrown.reason}</span></li>`)}</ul>`}
    ${step.steps.length > 0 && html`<${List} steps=${step.steps} passages=${passages} cite=${cite} cited=${[]} />`}
  </li>`)}</ol>`;
}

/** What the calls of a step cost; those that the ledger answered cost nothing. */
const costOf = (calls) => {
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

function Inside({ step, passages, cite, cited }) {
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
