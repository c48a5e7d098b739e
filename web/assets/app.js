// The page: threads at the left, the conversation, and a citation's passage at the right.
// A run goes on at the server. The page listens to its numbered events, and after a reload or a
// lost connection the browser asks for those that it has not got.
import { html, render, useEffect, useRef, useState } from "/assets/htm-preact.js";

const send = async (path, body, method = "POST") => {
  const init = { method, headers: { "content-type": "application/json" } };
  if (body !== undefined) init.body = JSON.stringify(body);
  return read(await fetch(path, init));
};
const get = async (path) => read(await fetch(path));
const read = async (response) => {
  const found = response.status === 204 ? {} : await response.json();
  if (!response.ok) throw new Error(found.error?.message ?? response.statusText);
  return found;
};
const path = (thread) => `/api/threads/${encodeURIComponent(thread)}`;
const here = () => decodeURIComponent(location.hash.slice(1));

const EVENTS = ["begin", "token", "steps", "answer", "failed", "stopped"];
const NOTHING = { question: "", text: "", steps: [], problem: "", ended: false };

/** The state of a running question after one more event. */
const after = (live, kind, data) => {
  switch (kind) {
    case "begin": return { ...NOTHING, question: data.question };
    case "token": return { ...live, text: data.restart ? data.text : live.text + data.text };
    case "steps": {
      const steps = new Map(live.steps.map((step) => [step.id, step]));
      for (const step of data.steps) steps.set(step.id, step);
      return { ...live, steps: [...steps.values()] };
    }
    case "failed": return { ...live, problem: data.text, ended: true };
    case "stopped": return { ...live, problem: "Stopped.", ended: true };
    default: return live;
  }
};

function App() {
  const [threads, setThreads] = useState([]);
  const [thread, setThread] = useState(here());
  const [turns, setTurns] = useState([]);
  const [live, setLive] = useState(null);
  const [cited, setCited] = useState(null);
  const [problem, setProblem] = useState("");
  const [status, setStatus] = useState({});
  const source = useRef(null);

  const refresh = () => get("/api/threads").then((found) => setThreads(found.threads)).catch(tell);
  const tell = (error) => setProblem(error.message);

  const listen = (name) => {
    source.current?.close();
    const events = (source.current = new EventSource(`${path(name)}/events`));
    // The server knows no such run any more, as after a restart: what it has told is on the thread.
    events.onerror = () => events.readyState === EventSource.CLOSED && open(name).catch(tell);
    for (const kind of EVENTS) {
      events.addEventListener(kind, (event) => {
        const data = JSON.parse(event.data);
        if (kind === "answer") show(name).catch(tell);
        else setLive((before) => after(before ?? NOTHING, kind, data));
        if (["answer", "failed", "stopped"].includes(kind)) {
          events.close();
          refresh();
        }
      });
    }
  };

  /** Shows what the server has of a thread, so that no turn is missing and none is there twice. */
  const show = async (name) => {
    const found = await get(path(name));
    setTurns(found.turns);
    setLive(found.running ? { ...NOTHING, question: found.question } : null);
    return found.running;
  };

  const open = async (name) => {
    source.current?.close();
    setThread(name);
    setCited(null);
    setProblem("");
    setLive(null);
    setTurns([]);
    if (name && (await show(name))) listen(name);
  };

  useEffect(() => {
    const move = () => open(here()).catch(tell);
    addEventListener("hashchange", move);
    get("/api/status").then(setStatus).catch(tell);
    refresh();
    move();
    return () => removeEventListener("hashchange", move);
  }, []);

  const begin = async (name, work) => {
    setProblem("");
    try {
      const started = await work();
      if (started.thread !== here()) history.replaceState(null, "", `#${started.thread}`);
      setThread(started.thread);
      listen(started.thread);
      refresh();
    } catch (error) {
      setLive(null);
      tell(error);
    }
  };
  const ask = (question) => {
    setLive({ ...NOTHING, question });
    return begin(thread, () => send("/api/threads", { question, thread }));
  };
  const resume = (answer) => {
    const left = turns.at(-1);
    const open = left && !left.finished;
    if (open) setTurns(turns.slice(0, -1));
    setLive({ ...NOTHING, question: open ? left.asked : live?.question ?? "" });
    return begin(thread, () => send(`${path(thread)}/resume`, { answer }));
  };
  const remove = async () => {
    if (!confirm("Delete this thread and its history?")) return;
    await send(path(thread), undefined, "DELETE").catch(tell);
    location.hash = "";
    refresh();
  };

  const running = live && !live.ended;
  return html`
    <${Threads} threads=${threads} thread=${thread} index=${status.index} />
    <main aria-busy=${Boolean(running)}>
      <ol class="turns">
        ${turns.map((turn, place) => html`
          <${Turn} key=${place} turn=${turn} cite=${(number) => setCited(turn.citations[number - 1])}
            resume=${place === turns.length - 1 && !live ? resume : null} />`)}
        ${live && html`<${Live} live=${live} resume=${() => resume()} />`}
      </ol>
      ${problem && html`<p class="problem" role="alert">${problem}</p>`}
      <${Ask} ask=${ask} running=${running} stop=${() => send(`${path(thread)}/stop`).catch(tell)} />
      ${thread && html`<p class="tools">
        <a href=${`${path(thread)}/export.md`} download>Save as Markdown</a>
        <button class="link" onClick=${remove}>Delete</button></p>`}
      <p class="quiet">${status.model} · ${status.strategy}</p>
    </main>
    ${cited && html`<${Passage} cited=${cited} close=${() => setCited(null)} />`}`;
}

function Threads({ threads, thread, index }) {
  return html`<nav aria-label="Threads">
    <h1><a href="#">Hopyard</a></h1>
    <p class="quiet">${index}</p>
    <a class="new" href="#">New question</a>
    <ul>${threads.map((one) => html`<li key=${one.thread_id}>
      <a href=${`#${encodeURIComponent(one.thread_id)}`}
        aria-current=${one.thread_id === thread ? "page" : null}>${one.question || one.thread_id}</a>
      ${!one.finished && html`<span class="quiet"> ${one.waiting ? "waits for you" : one.running ? "running" : "unfinished"}</span>`}
    </li>`)}</ul>
  </nav>`;
}

function Turn({ turn, cite, resume }) {
  const follow = (event) => {
    const mark = event.target.closest("a.mark");
    if (!mark) return;
    event.preventDefault();
    cite(Number(mark.textContent.slice(1, -1)));
  };
  return html`<li>
    <h2>${turn.asked}</h2>
    <div class="answer" onClick=${follow} dangerouslySetInnerHTML=${{ __html: turn.html }} />
    ${turn.unconfirmed && html`<p class="doubt">Not confirmed by the documents: ${turn.unconfirmed}</p>`}
    ${turn.truncated && html`<p class="doubt">Something is missing: a limit was reached.</p>`}
    <ul class="citations">${turn.citations.map((cited, place) => html`<li key=${place}>
      <button class=${cited.supported ? "cite" : "cite doubt"} onClick=${() => cite(place + 1)}>
        [${place + 1}] ${cited.name}${cited.supported ? "" : " (not supported)"}</button></li>`)}</ul>
    <${Steps} steps=${turn.steps} />
    ${turn.finished
      ? html`<p class="quiet">${turn.strategy} · ${cost(turn.usage)}</p>`
      : resume && html`<${Waiting} waiting=${turn.waiting} resume=${resume} />`}
  </li>`;
}

function Waiting({ waiting, resume }) {
  if (!waiting.length)
    return html`<p>This question is not finished. <button onClick=${() => resume()}>Continue</button></p>`;
  return waiting.map((asked) => html`<div class="waiting" key=${asked.id}>
    <p>${asked.description || asked.action}</p>
    <pre>${JSON.stringify(asked.args, null, 2)}</pre>
    ${asked.decisions.filter((one) => one !== "edit").map((one) => html`
      <button key=${one} onClick=${() => resume({ [asked.id]: one })}>${one}</button>`)}</div>`);
}

function Live({ live, resume }) {
  return html`<li>
    <h2>${live.question}</h2>
    <p class="answer writing">${live.text}</p>
    <${Steps} steps=${live.steps} open />
    ${live.problem
      ? html`<p class="problem" role="alert">${live.problem} <button onClick=${resume}>Continue</button></p>`
      : html`<p class="quiet" role="status">Working…</p>`}
  </li>`;
}

function Steps({ steps, open }) {
  if (!steps.length) return null;
  return html`<details class="steps" open=${open}>
    <summary>${counted(steps.length, "step")}</summary>
    <ol>${steps.map((step) => html`<li key=${step.id}>
      ${step.title || step.question || step.kind}
      ${step.answer && html` → ${step.answer}`}
      ${step.verdict && html` <span class="quiet">${step.verdict}</span>`}</li>`)}</ol>
  </details>`;
}

function Passage({ cited, close }) {
  const button = useRef(null);
  useEffect(() => button.current?.focus(), [cited]);
  const facts = { Document: cited.title, Section: cited.section, Page: cited.pages, ...cited.metadata };
  return html`<aside aria-label="Citation" onKeyDown=${(event) => event.key === "Escape" && close()}>
    <button ref=${button} class="link" onClick=${close}>Close</button>
    <h2>${cited.name}</h2>
    ${!cited.supported && html`<p class="doubt">The passage does not confirm: ${cited.claim}</p>`}
    <blockquote dangerouslySetInnerHTML=${{ __html: cited.marked || "" }} />
    <dl>${Object.entries(facts).filter(([, value]) => value).map(([name, value]) => html`
      <dt key=${name}>${name}</dt><dd>${value}</dd>`)}</dl>
  </aside>`;
}

function Ask({ ask, running, stop }) {
  const [text, setText] = useState("");
  const submit = (event) => {
    event.preventDefault();
    if (running || !text.trim()) return;
    ask(text);
    setText("");
  };
  const keys = (event) => event.key === "Enter" && !event.shiftKey && !event.isComposing && submit(event);
  return html`<form onSubmit=${submit}>
    <label for="question">Question</label>
    <textarea id="question" rows="2" value=${text} onInput=${(event) => setText(event.target.value)}
      onKeyDown=${keys} />
    ${running
      ? html`<button type="button" onClick=${stop}>Stop</button>`
      : html`<button type="submit" disabled=${!text.trim()}>Ask</button>`}
  </form>`;
}

const counted = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
const cost = (usage) =>
  `${counted(usage.model_calls, "call")}, ${counted(usage.input_tokens + usage.output_tokens, "token")}, ` +
  `${usage.seconds.toFixed(1)} s`;

render(html`<${App} />`, document.getElementById("app"));
