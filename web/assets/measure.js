// Questions with their right answers, and what strategies answer to them.
import { counted, get, html, send, upload, useEffect, useRef, useState } from "/assets/common.js";
import { Steps } from "/assets/steps.js";

const PAUSE = 700;
const percent = (share) => `${(100 * share).toFixed(0)} %`;

export function Measure({ cite }) {
  const [found, setFound] = useState(null);
  const [run, setRun] = useState({});
  const [problem, setProblem] = useState("");
  const timer = useRef(0);
  const form = useRef(null);
  const tell = (error) => setProblem(error.message);

  /** Asks again while an evaluation is running. */
  const follow = (state) => {
    setRun(state);
    clearTimeout(timer.current);
    if (state.running)
      timer.current = setTimeout(() => get("/api/measure/state").then(follow).catch(tell), PAUSE);
  };
  const load = async () => {
    const all = await get("/api/measure");
    setFound(all);
    follow(all.run);
  };
  useEffect(() => { load().catch(tell); return () => clearTimeout(timer.current); }, []);

  const act = (work) => {
    setProblem("");
    return work().catch(tell);
  };
  const receive = (files) => act(async () => {
    for (const file of [...files]) await upload(file, "questions").catch(tell);
    await load();
  });
  const drop = (name, question = "") => act(async () => {
    await send(`/api/questions/${encodeURIComponent(name)}?${new URLSearchParams({ question })}`, undefined, "DELETE");
    await load();
  });
  const submit = (event) => {
    event.preventDefault();
    const { set, calls } = form.current.elements;
    const strategies = new FormData(form.current).getAll("strategy");
    act(async () => follow(await send("/api/measure", { set: set.value, strategies, calls: Number(calls.value) || 0 })));
  };
  const sets = Object.entries(found?.sets ?? {});
  return html`<div onDragOver=${(event) => event.preventDefault()}
      onDrop=${(event) => { event.preventDefault(); receive(event.dataTransfer.files); }}>
    <h1>Measure</h1>
    <p class="quiet">Your own questions with their right answers show what a strategy or a changed setting does.
      "Keep as a test" below an answer keeps its question.</p>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    <section aria-label="Add questions" class="add"><p><label>Add a file of questions (JSON lines with id, question, answers), or drop it here
      <input type="file" multiple accept=".jsonl" onChange=${(event) => { receive(event.target.files); event.target.value = ""; }} /></label></p></section>
    ${found && !sets.length && html`<p>No question is kept yet.</p>`}
    ${sets.map(([name, questions]) => html`<details key=${name}><summary>${name}: ${counted(questions.length, "question")}</summary>
      <ul>${questions.map((one) => html`<li key=${one.id}>${one.question} → ${one.answers.join(" or ") || "no answer"}
        ${name === "kept" && html` <button class="link" aria-label=${`Forget ${one.question}`} onClick=${() => drop(name, one.id)}>Forget</button>`}</li>`)}</ul>
      ${name !== "kept" && html`<p><button class="link" onClick=${() => drop(name)}>Remove this file</button></p>`}</details>`)}
    ${sets.length > 0 && html`<form ref=${form} onSubmit=${submit}>
      <fieldset><legend>Strategies</legend>${[...found.strategies, "auto"].map((name) => html`<label key=${name}>
        <input type="checkbox" name="strategy" value=${name} defaultChecked=${name === "single"} /> ${name}</label>`)}</fieldset>
      <fieldset><label>Questions <select name="set">${sets.map(([name]) => html`<option key=${name} value=${name}>${name}</option>`)}</select></label>
        <label>Model calls at most <input name="calls" type="number" min="1" /></label></fieldset>
      ${run.running
        ? html`<button type="button" onClick=${() => act(() => send("/api/measure/stop"))}>Stop</button>`
        : html`<button type="submit">Ask the questions</button>`}</form>`}
    <${Outcome} run=${run} cite=${cite} />
  </div>`;
}

function Outcome({ run: { running, set, progress, error, stopped, report, wrong, folder }, cite }) {
  if (!set) return null;
  const { done, total } = progress ?? {};
  return html`<section aria-label="Result">
    <div role="status">${running && html`<p><progress max=${total || 1} value=${total ? done : null} aria-label="Answers" /> ${done ?? 0} of ${total ?? "?"} answers</p>`}
      ${error && html`<p class="problem">${error}</p>`}
      ${stopped && html`<p class="doubt">Stopped at the limit of ${stopped}: ask again to continue.</p>`}</div>
    ${report && html`<h2>${set}</h2><div class="answer"><div class="table" role="group" aria-label="Measures by strategy" tabindex="0"><table>
      <thead><tr>${["Strategy", "Questions", "Contain the right answer", "Equal it", "F1", "Unknown", "Calls", "Tokens", "Seconds"].map((name) => html`<th key=${name} scope="col">${name}</th>`)}</tr></thead>
      <tbody>${report.map((row) => html`<tr key=${row.strategy}><th scope="row">${row.strategy}</th><td>${row.questions}</td><td>${percent(row.right)}</td>
        <td>${percent(row.exact)}</td><td>${percent(row.f1)}</td><td>${row.unanswered}</td><td>${row.calls.toFixed(1)}</td><td>${row.tokens.toFixed(0)}</td><td>${row.seconds.toFixed(1)}</td></tr>`)}</tbody></table></div></div>
      <p class="quiet">Calls, tokens and seconds are means of a question. The answers are kept in ${folder}.</p>
      <h2>${counted(wrong.length, "wrong answer")}</h2>
      <ul class="turns">${wrong.map((one) => html`<li key=${`${one.strategy} ${one.id}`}>
        <p>${one.question}</p>
        <p class="doubt">${one.strategy}: ${one.answer || "no answer"}</p>
        <p>The right answer is ${one.right.join(" or ") || "that there is none"}. <span class="quiet">${one.read ? "It was in a passage that was read." : "It was not in the passages that were read."}</span></p>
        ${one.failures.map((failure) => html`<p key=${failure} class="quiet">${failure}</p>`)}
        <${Steps} question=${1} records=${one.steps} cite=${cite}
          address=${(kind) => `/api/measure/trace.${kind}?${new URLSearchParams({ strategy: one.strategy, id: one.id })}`} /></li>`)}</ul>`}
  </section>`;
}
