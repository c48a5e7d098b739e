// The picture of a question's steps: it grows while they run. Each opens to its prompts, outputs,
// passages and cost.
import { get, html, pathOf, useEffect, useRef, useState } from "/assets/common.js";
import { Drawing } from "/assets/draw.js";
import { costOf, flat, Inside, LOOKS, short, titleOf } from "/assets/step.js";

const PAUSE = 500;
const REST = 30;
const STRATEGY = "strategy";
/** The id of a step as a trace writes it. */
const idOf = (id) => (id ?? "").split(/\s+/).filter(Boolean).join("_");

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
 * @param running whether more steps will come
 * @param address gives the address of a trace that is of no thread, as json or html
 * @param saved the trace itself, in a file that has no server
 */
export function Steps({ thread, question, records, open, running, cite, address, saved }) {
  const [trace, setTrace] = useState(saved ? withRead(saved) : null);
  const timer = useRef(0);
  const at = (form) => address?.(form) ?? `${pathOf(thread)}/trace.${form}?question=${question}`;
  const load = () => get(at("json")).then((found) => setTrace(withRead(found))).catch(() => {});
  useEffect(() => {
    if (!question && thread && records.length) timer.current = setTimeout(load, PAUSE);
    return () => clearTimeout(timer.current);
  }, [records]);
  if (!records.length && !address && !saved) return null;
  const names = new Map(trace?.passages.map((passage) => [passage.id, passage]));
  const steps = nest(trace, records);
  const shared = { passages: names, cite, cited: trace?.citations ?? [] };
  return html`<details class="steps" open=${open} onToggle=${(event) => event.target.open && !trace && (thread || address) && load()}>
    <summary>Steps</summary>
    <${Drawing} steps=${steps} running=${running} changes=${[records, trace]} ...${shared} />
    <${List} steps=${steps} ...${shared} />
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

