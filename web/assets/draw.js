// The drawing of a run: its steps from above to below, those that work at the same time in a row.
// CSS places the boxes, so they fit every width; then the edges are drawn between them.
import { html, useEffect, useRef, useState } from "/assets/common.js";
import { costOf, flat, Inside, LOOKS, short, titleOf } from "/assets/step.js";

const MOST = 200; // a drawing of more steps shows nothing at a glance
const BESIDE = 4;
const FAR = 120;
const BEFORE = new Set(["gate", "route", "strategy", "rewrite", "revise", "next"]);
const TOGETHER = new Set(["map", "read"]);

/** What follows each other: a step, or several of a kind that work at the same time. */
const stagesOf = (steps) => {
  const stages = [];
  for (const step of steps) {
    const last = stages.at(-1);
    if (last?.[0].kind === step.kind && TOGETHER.has(step.kind)) last.push(step);
    else stages.push([step]);
  }
  return stages;
};

/** Whether a step found no way on from its passage. */
const staysIn = ({ tail, head }) => Boolean(tail && !head);

/** How many boxes of a step and those below it stand beside each other. */
const widthOf = ({ steps, replaced }) => steps.reduce((sum, each) => sum + widthOf(each), replaced?.length ?? 0) || 1;

/** The path of all edges between the boxes. */
const edgesOf = (drawn) => {
  const zero = drawn.getBoundingClientRect();
  const box = (part) => {
    const { left, right, top, bottom } = part.getBoundingClientRect();
    return { left: left - zero.left, right: right - zero.left, x: (left + right) / 2 - zero.left, top: top - zero.top, y: (top + bottom) / 2 - zero.top, bottom: bottom - zero.top };
  };
  const down = (from, to) => {
    const [{ x, bottom }, end] = [box(from), box(to)];
    const turn = Math.max(bottom, end.top - 56);
    const bend = (end.top - turn) / 2;
    return `M${x} ${bottom}V${turn}C${x} ${turn + bend} ${end.x} ${end.top - bend} ${end.x} ${end.top - 1}m-4 -6l4 6l4 -6`;
  };
  const between = (from, to) => { // past the other rows of its frame
    const [start, end] = [box(from), box(to)];
    if (end.top - start.bottom < FAR) return down(from, to);
    const [x, y] = [start.left - 5, start.bottom + 5];
    return `M${start.left + 14} ${start.bottom}q0 5 -6 5H${x + 6}q-6 0 -6 6V${end.top - 26}C${x} ${end.top - 12} ${end.x} ${end.top - 22} ${end.x} ${end.top - 1}m-4 -6l4 6l4 -6`;
  };
  const along = (from, to) => { // to a box that stands below others, along their left
    const end = box(to);
    return `M${end.left - 12} ${box(from).bottom}V${end.y - 8}q0 8 8 8H${end.left - 1}m-6 -4l6 4l-6 4`;
  };
  const around = (from, kids, to) => { // past boxes that lead to nothing
    const [start, beside, end] = [box(from), box(kids), box(to)];
    if (isColumn(kids)) return `M${beside.left + 12} ${start.bottom}V${end.top - 1}m-4 -6l4 6l4 -6`;
    const right = Math.max(start.right, beside.right) + 12;
    return `M${start.right} ${start.y}H${right - 8}q8 0 8 8V${end.y - 8}q0 8 -8 8H${end.right + 1}m6 -4l-6 4l6 4`;
  };
  const isFrame = (part) => part.classList.contains("frame");
  const isColumn = (kids) => getComputedStyle(kids).flexDirection === "column";
  const topOf = (part) => (isFrame(part) ? part : part.firstElementChild);
  /** The edges from the ends of a part to what follows it. */
  const after = (part, to) => {
    const kids = part.querySelector(":scope > .kids");
    if (isFrame(part) || !kids) return [down(topOf(part), to)];
    if (isFrame(kids)) return [down(kids, to)];
    const kept = [...kids.children].filter((each) => !each.querySelector(":scope > .pruned"));
    if (!kept.length) return [around(topOf(part), kids, to)];
    return isColumn(kids) ? [down(kids, to)] : kept.flatMap((each) => after(each, to));
  };
  const found = [];
  for (const kids of drawn.querySelectorAll(".part:not(.frame) > .kids")) {
    const parent = kids.previousElementSibling;
    if (isFrame(kids)) found.push(down(parent, kids));
    else for (const each of kids.children) found.push((isColumn(kids) ? along : down)(parent, topOf(each)));
  }
  const at = new Map(); // the last box of each passage
  const reached = new Set();
  for (const round of drawn.querySelectorAll(".frame")) {
    const hops = [...round.querySelectorAll("[data-to]")];
    for (const hop of hops.filter(({ dataset }) => at.has(dataset.from))) {
      found.push(between(at.get(hop.dataset.from), hop));
      reached.add(round);
    }
    for (const hop of hops) at.set(hop.dataset.to, hop);
  }
  const stages = [...drawn.children].filter((each) => each.matches(".part"));
  for (const [place, stage] of stages.entries())
    if (place && !reached.has(stage)) found.push(...after(stages[place - 1], topOf(stage)));
  return found.join("");
};

/**
 * @param steps the steps of a run, nested
 * @param running whether more will come
 * @param changes what the drawing depends on
 */
export function Drawing({ steps, passages, cite, cited, running, changes }) {
  const [chosen, choose] = useState("");
  const [drawn, path] = [useRef(null), useRef(null)];
  const draw = () => drawn.current && path.current.setAttribute("d", edgesOf(drawn.current));
  useEffect(() => {
    const observer = new ResizeObserver(draw);
    if (drawn.current) observer.observe(drawn.current);
    return () => observer.disconnect();
  }, [!drawn.current]);
  useEffect(draw, changes);
  const all = flat(steps);
  if (all.length > MOST) return null;
  const under = steps.flatMap((step) => (BEFORE.has(step.kind) ? step.steps : [step])).filter((step) => step.kind !== "note");
  const last = running ? null : under.findLast((step) => step.answer && step.kind !== "check");
  const many = widthOf({ steps: under.length === 1 ? under : under.filter((step) => step.kind === "question") }) > BESIDE;
  const shared = { passages, chosen, choose, last, many, first: steps[0]?.id };
  const open = all.find(({ id }) => id === chosen);
  const keys = (event) => {
    const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!way || event.target.tagName !== "BUTTON") return;
    const boxes = [...drawn.current.querySelectorAll("button")];
    boxes[boxes.indexOf(event.target) + way]?.focus();
    event.preventDefault();
  };
  return html`<div class="drawing">
    <div class="drawn" ref=${drawn} role="toolbar" aria-label="Drawing of the steps" onKeyDown=${keys}>
      <svg aria-hidden="true"><path ref=${path} /></svg>
      <div class="part frame before">${steps.filter((step) => BEFORE.has(step.kind)).map((step) => html`<${Box} key=${step.id} step=${step} ...${shared} />`)}</div>
      ${stagesOf(under).map((stage) => stage.length > 1
        ? html`<div key=${stage[0].id} class="part frame"><${Kids} steps=${stage} framed ...${shared} /></div>`
        : html`<${Part} key=${stage[0].id} step=${stage[0]} ...${shared} />`)}
      ${running && !all.some((step) => step.verdict === "open" && step.kind !== "strategy") && html`<div class="part" key="working"><span class="box open">…</span></div>`}
    </div>
    ${open && html`<section class="opened" aria-label=${titleOf(open, passages)}><h3>${titleOf(open, passages)}</h3>
      <${Inside} step=${open} passages=${passages} cite=${cite} cited=${open.id === last?.id ? cited : []} /></section>`}
  </div>`;
}

/** A step with those below it. */
function Part({ step, ...shared }) {
  const kids = step.steps.length + (step.replaced?.length ?? 0) > 0 && html`<${Kids} framed=${step.kind === "round"} steps=${step.steps} thrown=${step.replaced} ...${shared} />`;
  return html`<div class=${step.kind === "round" ? "part frame" : "part"}><${Box} step=${step} ...${shared} />${kids}</div>`;
}

function Kids({ steps, thrown = [], framed, ...shared }) {
  const leaves = !steps.some((step) => step.steps.length);
  const way = framed ? "" : leaves && steps.length > BESIDE ? "frame" : leaves && shared.many ? "below" : "";
  return html`<div class=${`kids ${way}`}>${[...steps.filter((step) => !staysIn(step)), ...steps.filter(staysIn)].map((step) => html`<${Part} key=${step.id} step=${step} ...${shared} />`)}
    ${thrown.map((each, place) => html`<div class="part" key=${place}><span class="box pruned" title=${each.reason}><span class="name">${each.question}</span>
      <span class="says">${each.answer}</span><span class="foot">thrown away</span></span></div>`)}</div>`;
}

function Box({ step, passages, chosen, choose, last, first }) {
  const name = (id) => passages.get(id)?.name ?? id;
  const [hop, stays] = [step.head || step.tail, staysIn(step)];
  const title = hop ? name(hop) + (stays ? " stays" : "") : titleOf(step, passages);
  const says = hop ? step.question : step.kind !== "strategy" && !(step.steps.length && step.answer === last?.answer) && short(step.answer ?? "");
  const fell = LOOKS[step.verdict] === "pruned" && step.verdict !== "pruned";
  const look = step.id === last?.id ? "final" : stays ? "stays" : fell ? "short" : LOOKS[step.verdict] ?? "";
  const foot = [step.score?.toFixed(2), step.verdict, step.calls?.length && costOf(step.calls).split(", ").slice(0, 2).join(", ")];
  return html`<button type="button" class=${`box ${look} ${hop ? "hop" : ""}`} aria-expanded=${chosen === step.id} tabindex=${step.id === (chosen || first) ? 0 : -1}
    data-from=${step.tail || null} data-to=${step.head || null} onClick=${() => choose(chosen === step.id ? "" : step.id)}>
    <span class="name">${title}</span>${says && html`<span class="says">${says}</span>`}
    <span class="foot">${foot.filter(Boolean).map((each) => each.replaceAll(" ", "\u00a0")).join(" · ")}</span>
    ${step.score != null && html`<i class="bar"><i style=${{ width: `${100 * step.score}%` }} /></i>`}
  </button>`;
}
