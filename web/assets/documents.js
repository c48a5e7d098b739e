// The documents of the index: listed with what was not read of them, added, removed.
import { counted, dropped, get, html, send, upload, useEffect, useRef, useState } from "/assets/common.js";

const PAUSE = 700;
const listed = (counts) => Object.entries(counts).map(([name, count]) => counted(count, name)).join(", ");

export function Documents({ cite, owner }) {
  const [found, setFound] = useState(null);
  const [change, setChange] = useState({});
  const [words, setWords] = useState("");
  const [problem, setProblem] = useState("");
  const timer = useRef(0);
  const wanted = useRef("");
  wanted.current = words;
  const tell = (error) => setProblem(error.message);

  const load = async () => {
    const asked = wanted.current;
    const all = await get(`/api/documents?${new URLSearchParams({ words: asked })}`);
    if (asked !== wanted.current) return; // the person wrote on: another answer is under way
    setFound(all);
    follow(all.change);
  };
  /** Asks again while the index is being changed. */
  const follow = (state) => {
    setChange(state);
    clearTimeout(timer.current);
    if (!state.running) return;
    timer.current = setTimeout(async () => {
      const next = await get("/api/change").catch(tell);
      if (next?.running) follow(next);
      else load().catch(tell);
    }, PAUSE);
  };
  useEffect(() => { load().catch(tell); }, [words]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const act = (work) => {
    setProblem("");
    return work().catch(tell);
  };
  const receive = (files) => act(async () => {
    const problems = [];
    for (const file of await files) await upload(file).catch((error) => problems.push(error.message));
    setProblem(problems.join(" "));
    follow(await get("/api/change"));
  });
  const asks = found?.index.asks_model ?? [];
  const add = () => {
    const warning = asks.length ? ` A model is asked for: ${asks.join(", ")}.` : " No model is asked.";
    if (confirm(`Add ${counted(change.waiting.length, "file")} to the index?${warning}`))
      act(async () => follow(await send("/api/change/add", {})));
  };
  const remove = (one) => {
    if (confirm(`Remove ${one.name} from the index? Its file stays, unless it was added on this page.`))
      act(async () => follow(await send("/api/change/remove", { id: one.id })));
  };
  const drop = (event) => {
    event.preventDefault();
    receive(dropped(event.dataTransfer));
  };
  return html`<div onDragOver=${(event) => event.preventDefault()} onDrop=${drop}>
    <h1>Documents</h1>
    ${found && html`<${About} index=${found.index} />`}
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    <section aria-label="Add documents" class="add" hidden=${!owner}>
      <p><label>Add files, or drop files or folders here <input type="file" multiple
        onChange=${(event) => { receive([...event.target.files]); event.target.value = ""; }} /></label></p>
      <p class="quiet">They are kept in ${change.folder}.</p>
      ${change.waiting?.length > 0 && !change.running && html`
        <ul>${change.waiting.map((name) => html`<li key=${name}>${name}</li>`)}</ul>
        <p class="tools"><button onClick=${add}>Add to the index</button>
          ${asks.length > 0 && html`<button onClick=${() => act(async () => follow(await send("/api/change/add", { estimate: true })))}>Estimate the cost (asks the model a few times)</button>`}
          <button class="link" onClick=${() => act(async () => { await send("/api/uploads", undefined, "DELETE"); follow(await get("/api/change")); })}>Discard</button></p>`}
      <${Change} change=${change} />
    </section>
    ${found && html`<label>Find a document <input type="search" value=${words} onInput=${(event) => setWords(event.target.value)} /></label>
      <p class="quiet" role="status">${found.found < found.all ? `${found.found} of ` : ""}${counted(found.all, "document")}${
        found.found > found.documents.length ? `; the first ${found.documents.length} are shown` : ""}</p>
      <ul class="documents">${found.documents.map((one) => html`
        <${Entry} key=${one.id} one=${one} cite=${cite} remove=${owner && (() => remove(one))} busy=${change.running} />`)}</ul>`}
  </div>`;
}

function About({ index }) {
  const { documents, passages } = index.counts;
  return html`<p class="quiet">${counted(documents, "document")}, ${counted(passages, "passage")} · ${index.kinds.join(", ")} · ${(index.bytes / 1e6).toFixed(1)} MB · updated ${index.updated.slice(0, 16).replace("T", " ")} UTC</p>
    ${[...index.unfinished, index.interrupted].filter(Boolean).map((left) => html`<p class="doubt">${left}</p>`)}`;
}

function Change({ change: { doing, running, progress, report, error } }) {
  if (!doing) return null;
  const { stage, done, total } = progress ?? {};
  const estimates = Object.entries(report?.estimate ?? {});
  return html`<div role="status">
    <p>${doing}${running ? "…" : error ? ": not done." : ": done."}</p>
    ${running && progress && html`<p><progress max=${total || 1} value=${total ? done : null} aria-label=${stage} /> ${stage} ${done}${total ? ` of ${total}` : ""}</p>`}
    ${error && html`<p class="problem">${error}</p>`}
    ${report?.added !== undefined && html`<p>${counted(report.added, "document")} added, ${report.updated} updated; ${counted(report.passages, "passage")} in the index.</p>`}
    ${report?.estimate && (estimates.length
      ? estimates.map(([kind, one]) => html`<p key=${kind}>${kind}: about ${counted(one.model_calls, "call")}, ${counted(one.input_tokens + one.output_tokens, "token")} (${one.basis})</p>`)
      : html`<p>No model is asked.</p>`)}
    ${[["Left out", report?.left_out], ["Not read whole", report?.incomplete], ["", report?.warnings]].map(([name, items]) =>
      items?.length > 0 && html`<ul class="doubt">${items.map((item) => html`<li key=${item}>${name ? `${name}: ` : ""}${item}</li>`)}</ul>`)}
  </div>`;
}

function Entry({ one, cite, remove, busy }) {
  const [inside, setInside] = useState(null);
  const load = (event) => event.target.open && !inside &&
    get(`/api/document?${new URLSearchParams({ id: one.id })}`).then(setInside);
  return html`<li>
    <details onToggle=${load}>
      <summary>${one.name} <span class="quiet">${counted(one.passages, "passage")}${one.date && `, ${one.date.slice(0, 10)}`}</span>
        ${one.incomplete && html` <span class="doubt">${one.incomplete}</span>`}</summary>
      ${one.title && one.title !== one.name && html`<p>${one.title}</p>`}
      ${Object.keys(one.left_out).length > 0 && html`<p class="quiet">Left out on purpose: ${listed(one.left_out)}</p>`}
      <ol>${inside?.passages.map((passage) => html`<li key=${passage.passage_id}>
        <button class="cite" onClick=${() => cite({ ...passage, quotes: [], supported: true })}>${passage.name}</button>
        <span class="excerpt">${passage.text.slice(0, 160)}</span></li>`)}</ol>
      ${remove && html`<p class="tools"><button class="link" disabled=${busy} onClick=${remove} aria-label=${`Remove ${one.name}`}>Remove</button></p>`}
    </details></li>`;
}
