// The steps of a question as a list that grows: each opens to its prompts, outputs, passages, cost.
import { counted, get, html, pathOf, useEffect, useState } from "/assets/common.js";

/** Steps under their parents, whose records name them. */
const nest = (records) => {
  const known = new Set(records.map((step) => step.id));
  const below = new Map();
  for (const step of records) {
    const parent = known.has(step.parent) && step.parent !== step.id ? step.parent : "";
    below.set(parent, [...(below.get(parent) ?? []), step]);
  }
  const build = (step) => ({ ...step, steps: (below.get(step.id) ?? []).map(build) });
  return (below.get("") ?? []).map(build);
};
const found = (steps, id) => {
  for (const step of steps) {
    const here = step.id === id ? step : found(step.steps, id);
    if (here) return here;
  }
  return null;
};

/** @param question the number of the question in its thread; 0 while it runs. */
export function Steps({ thread, question, records, open, cite }) {
  const [trace, setTrace] = useState(null);
  useEffect(() => setTrace(null), [records.length]);
  if (!records.length) return null;
  // A finished question has its whole trace, with the gate, the route and the calls of the strategy.
  const steps = question && trace ? trace.steps : nest(records);
  const load = () => !trace &&
    get(`${pathOf(thread)}/trace.json?question=${question}`).then(setTrace).catch(() => setTrace(null));
  return html`<details class="steps" open=${open} onToggle=${(event) => question && event.target.open && load()}>
    <summary>${counted(records.length, "step")}</summary>
    <${List} steps=${steps} trace=${trace} load=${load} cite=${cite} />
    ${thread && html`<p><a href=${`${pathOf(thread)}/trace.html?question=${question}`} download>Save
      as one page</a></p>`}
  </details>`;
}

function List({ steps, trace, load, cite }) {
  return html`<ol>${steps.map((step) => html`<li key=${step.id} class=${step.verdict === "pruned" ? "pruned" : ""}>
    <details onToggle=${(event) => event.target.open && load()}>
      <summary>${step.title || step.question || step.kind}
        ${step.answer && html` → ${step.answer}`}
        ${step.score != null && html` <span class="quiet">score ${step.score.toFixed(2)}</span>`}
        ${step.verdict && html` <span class="quiet">${step.verdict}</span>`}</summary>
      <${Inside} step=${step} trace=${trace} cite=${cite} />
    </details>
    ${step.steps.length > 0 && html`<${List} steps=${step.steps} trace=${trace} load=${load} cite=${cite} />`}
  </li>`)}</ol>`;
}

function Inside({ step, trace, cite }) {
  const whole = trace && found(trace.steps, step.id.split(/\s+/).filter(Boolean).join("_"));
  const names = [...new Set((step.passages ?? []).flatMap((unit) => unit.passages ?? []))];
  const passages = names.map((name) => trace?.passages.find((one) => one.id === name)).filter(Boolean);
  return html`<div class="inside">
    ${step.question && step.title && html`<p>${step.question}</p>`}
    ${step.reason && html`<p class="quiet">${step.reason}</p>`}
    ${Object.entries(step.facts ?? {}).map(([name, value]) => html`<p key=${name} class="quiet">${name}: ${value}</p>`)}
    ${passages.length > 0 && html`<ul class="citations">${passages.map((passage) => html`<li key=${passage.id}>
      <button class="cite" onClick=${() => cite(asCited(passage))}>${passage.name}</button></li>`)}</ul>`}
    ${!trace && html`<p class="quiet">Loading…</p>`}
    ${whole?.calls.map((call, number) => html`<details key=${number}>
      <summary>${call.cached ? "Answer from the ledger" : "Model call"}, ${counted(
        call.input_tokens + call.output_tokens, "token")}, ${call.seconds.toFixed(1)} s</summary>
      ${call.messages.map((message) => html`<h4>${message.role}</h4><pre>${message.text}</pre>`)}
      <h4>Output</h4><pre>${call.output}</pre></details>`)}
    ${trace && !whole?.calls.length && html`<p class="quiet">No model call.</p>`}
  </div>`;
}

const asCited = (passage) => ({
  passage_id: passage.id, name: passage.name, title: passage.title, supported: true,
  quotes: passage.quotes, text: passage.text, marked: escaped(passage.text ?? ""),
  source: passage.source.source, section: passage.source.section, pages: passage.source.pages,
  metadata: passage.source.metadata,
});
const escaped = (text) => {
  const element = document.createElement("p");
  element.textContent = text;
  return element.innerHTML;
};
