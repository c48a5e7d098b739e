// The page: threads at the left, a view in the middle, and a passage at the right.
import { get, html, pathOf, render, send, useEffect, useState } from "/assets/common.js";
import { Documents } from "/assets/documents.js";
import { Entities } from "/assets/entities.js";
import { Measure } from "/assets/measure.js";
import { Search } from "/assets/search.js";
import { Conversation } from "/assets/talk.js";
import { Passage } from "/assets/view.js";

const PAUSE = 3000;
/** What the address shows: a view, or a thread, whose name has no "/" there. */
const here = () => {
  const [, view, ...names] = location.hash.slice(1).startsWith("/") ? location.hash.slice(1).split("/") : ["", "talk"];
  const threads = view === "talk" ? [location.hash.slice(1)] : names;
  return { view, threads: threads.map(decodeURIComponent) };
};

function App() {
  const [place, setPlace] = useState(here());
  const [threads, setThreads] = useState([]);
  const [cited, setCited] = useState(null);
  const [problem, setProblem] = useState("");
  const [status, setStatus] = useState({});
  const tell = (error) => setProblem(error.message);
  const refresh = (failed = tell) => get("/api/threads").then((found) => setThreads(found.threads)).catch(failed);

  useEffect(() => {
    const move = () => {
      setPlace(here());
      setCited(null);
      setProblem("");
      refresh();
    };
    const keep = (event) => event.preventDefault(); // a dropped file would take the place of the page
    addEventListener("hashchange", move);
    addEventListener("dragover", keep);
    addEventListener("drop", keep);
    get("/api/status").then(setStatus).catch(tell);
    refresh();
    return () => removeEventListener("hashchange", move);
  }, []);

  useEffect(() => {
    const timer = threads.some((one) => one.running) && setTimeout(() => refresh(() => setThreads([...threads])), PAUSE);
    return () => clearTimeout(timer);
  }, [threads]);

  const started = (thread) => {
    if (thread === here().threads[0]) return;
    history.replaceState(null, "", `#${encodeURIComponent(thread)}`);
    setPlace(here());
  };
  const { view, threads: [thread = "", other = ""] } = place;
  const shared = { status, cite: setCited, refresh };
  return html`
    <${Threads} threads=${threads} place=${place} index=${status.index} entities=${status.entities} owner=${status.owner !== false} />
    <main class=${`view-${view}`}>
      ${problem && html`<p class="problem" role="alert">${problem}</p>`}
      ${view === "documents" && html`<${Documents} cite=${setCited} owner=${status.owner !== false} />`}
      ${view === "search" && html`<${Search} methods=${status.methods ?? []} cite=${setCited} />`}
      ${view === "entities" && html`<${Entities} name=${thread} cite=${setCited} />`}
      ${view === "measure" && html`<${Measure} cite=${setCited} />`}
      ${view === "compare" && [thread, other].map((name) => html`<section key=${name}>
        <h1>${threads.find((one) => one.thread_id === name)?.strategy}</h1>
        <p><a href=${`#${encodeURIComponent(name)}`}>Continue this thread</a></p>
        <${Conversation} thread=${name} only started=${() => {}} ...${shared} /></section>`)}
      ${view === "talk" && html`
        ${!thread && html`<p>Ask about the documents of <b>${status.index}</b>. A number such as [1] in an answer
          opens its passage, with the quoted words marked.${status.owner !== false && html` “Documents” shows and adds files.`}</p>`}
        <${Conversation} thread=${thread} started=${started} ...${shared} />
        ${thread && html`<${ThreadTools} thread=${thread} known=${threads} refresh=${refresh} tell=${tell} />`}
        <p class="quiet">Model ${status.model} · strategy ${status.strategy}</p>`}
    </main>
    ${cited && html`<${Passage} cited=${cited} close=${() => setCited(null)} />`}`;
}

function ThreadTools({ thread, known, refresh, tell }) {
  const title = known.find((one) => one.thread_id === thread)?.title ?? "";
  const rename = async () => {
    const given = prompt("Title of the thread:", title);
    if (given === null) return;
    await send(`${pathOf(thread)}/title`, { title: given }).catch(tell);
    refresh();
  };
  const remove = async () => {
    if (!confirm("Delete this thread and its history?")) return;
    await send(pathOf(thread), undefined, "DELETE").then(() => (location.hash = "")).catch(tell);
  };
  return html`<p class="tools">
    <a href=${`${pathOf(thread)}/export.md`} download>Save as Markdown</a>
    <a href=${`${pathOf(thread)}/export.json`} download>Save as JSON</a>
    <button class="link" onClick=${rename}>Rename</button>
    <button class="link" onClick=${remove}>Delete</button></p>`;
}

const SMALL = matchMedia("(max-width: 60rem)"); // as in style.css
function Threads({ threads, place, index, entities, owner }) {
  const [words, setWords] = useState("");
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = threads.filter((one) => {
    const text = `${one.title} ${one.first} ${one.question} ${one.answer} ${one.thread_id}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  const current = (yes) => (yes ? "page" : null);
  return html`<nav aria-label="Threads">
    <h1><a href="#">Hopyard</a></h1>
    <p class="quiet">${index}</p>
    <ul class="views">
      <li><a href="#" aria-current=${current(place.view === "talk" && !place.threads[0])}>New question</a></li>
      <li><a href="#/documents" aria-current=${current(place.view === "documents")}>Documents</a></li>
      <li><a href="#/search" aria-current=${current(place.view === "search")}>Search</a></li>
      ${entities && html`<li><a href="#/entities" aria-current=${current(place.view === "entities")}>Entities</a></li>`}
      ${owner && html`<li><a href="#/measure" aria-current=${current(place.view === "measure")}>Measure</a></li>`}
    </ul>
    ${threads.length > 0 && html`<details open=${!SMALL.matches}><summary>Threads</summary>
    ${threads.length > 5 && html`<input type="search" aria-label="Search threads" placeholder="Search threads"
      value=${words} onInput=${(event) => setWords(event.target.value)} />`}
    <ul>${shown.map((one) => html`<li key=${one.thread_id}>
      <a href=${`#${encodeURIComponent(one.thread_id)}`}
        aria-current=${current(place.threads.includes(one.thread_id))}>${one.title || one.first || one.question || one.thread_id}</a>
      ${!one.finished && html`<span class="quiet"> ${one.waiting ? "waits for you" : one.running ? "running" : "unfinished"}</span>`}
    </li>`)}</ul></details>`}
  </nav>`;
}

render(html`<${App} />`, document.getElementById("app"));
