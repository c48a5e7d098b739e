// A conversation: its questions and answers, and the question that is being answered.
// A run continues at the server. The page listens to its numbered events, and after a reload or a
// lost connection the browser asks for those that it has not got.
import { Answer } from "/assets/answer.js";
import { cost, get, html, pathOf, pricesOf, send, setPrices, useEffect, useRef, useState } from "/assets/common.js";
import { Steps } from "/assets/steps.js";

const EVENTS = ["begin", "token", "steps", "answer", "failed", "stopped"];
const PAUSE = 2000;
const NEAR = 80;
const NOTHING = { question: "", text: "", steps: [], problem: "", ended: false };

/** The state of a running question after one more event. */
const after = (live, kind, data) => {
  switch (kind) {
    case "begin": return { ...NOTHING, question: data.question, since: live.since };
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

/** Pixels of the page below the window. */
const left = () => document.scrollingElement.scrollHeight - scrollY - innerHeight;
const paid = (turn) => ({ ...turn.usage, model: turn.model });

/**
 * @param started called with the name of a thread that a question has begun
 * @param only whether no further question can be asked here, as beside another thread
 */
export function Conversation({ thread, status, cite, started, refresh, only }) {
  const [turns, setTurns] = useState([]);
  const [live, draw] = useState(null);
  const [problem, setProblem] = useState("");
  const [, priced] = useState(null);
  const source = useRef(null);
  const shown = useRef(null);
  const sent = useRef(null);
  const follows = useRef(true);
  const list = useRef(null);
  const now = useRef(null);
  const frame = useRef(0);
  const tell = (error) => setProblem(error.message);

  /** Draws a state of the running question. Tokens may come far more often than a page is drawn. */
  const put = (state) => {
    cancelAnimationFrame(frame.current);
    frame.current = 0;
    now.current = state;
    draw(state);
  };
  const listen = (name) => {
    source.current?.close();
    const events = (source.current = new EventSource(`${pathOf(name)}/events`));
    events.onerror = () => events.readyState === EventSource.CLOSED && reach(name);
    for (const kind of EVENTS) {
      events.addEventListener(kind, (event) => {
        const data = JSON.parse(event.data);
        if (kind === "steps" && !now.current?.steps.length) refresh(); // the store has the thread now
        if (kind === "answer") show(name).catch(tell);
        else {
          now.current = after(now.current ?? NOTHING, kind, data);
          frame.current ||= requestAnimationFrame(() => put(now.current));
        }
        if (["answer", "failed", "stopped"].includes(kind)) {
          events.close();
          refresh();
        }
      });
    }
  };

  /** Shows what the server has of a thread, so that no turn is missing and none is there twice. */
  const show = async (name) => {
    const found = await get(pathOf(name));
    if (shown.current !== name) return false;
    setTurns(found.turns);
    put(found.running ? { ...NOTHING, question: found.question, since: Date.now() - 1000 * found.seconds } : null);
    return found.running;
  };
  /** Shows a thread and listens to its run. If the server is away, as while it restarts, tries again. */
  const reach = async (name) => {
    try {
      const running = await show(name);
      if (shown.current !== name) return;
      setProblem("");
      if (running) listen(name);
    } catch (error) {
      if (shown.current !== name) return;
      tell(error);
      if (!error.status || error.status >= 500) setTimeout(() => shown.current === name && reach(name), PAUSE);
    }
  };
  const open = async (name) => {
    source.current?.close();
    shown.current = name;
    setProblem("");
    put(null);
    setTurns([]);
    if (name) await reach(name);
    if (!only) list.current?.lastElementChild?.scrollIntoView();
  };
  useEffect(() => {
    if (thread !== shown.current) open(thread);
  }, [thread]);
  useEffect(() => {
    // The page's own scrolling moves down, and the answer may have grown before its event comes.
    let last = scrollY;
    const scrolled = () => {
      if (left() < NEAR) follows.current = true;
      else if (scrollY < last) follows.current = false;
      last = scrollY;
    };
    // Another page, or a program, may have asked on the thread meanwhile.
    const returned = () => !document.hidden && shown.current && !now.current && reach(shown.current);
    addEventListener("scroll", scrolled);
    document.addEventListener("visibilitychange", returned);
    return () => {
      removeEventListener("scroll", scrolled);
      document.removeEventListener("visibilitychange", returned);
      source.current?.close();
      shown.current = null;
    };
  }, []);
  const running = live && !live.ended;
  const stay = () => live && follows.current && !only && scrollBy(0, left());
  useEffect(stay, [live]);
  useEffect(() => {
    if (!running) return;
    const observer = new ResizeObserver(stay); // the drawing grows after the last token, too
    observer.observe(list.current);
    return () => observer.disconnect();
  }, [running]);

  /** Begins a run; returns whether the server has taken it. */
  const begin = async (work) => {
    setProblem("");
    follows.current = true;
    try {
      sent.current = work();
      const name = (await sent.current).thread;
      shown.current = name;
      started(name);
      listen(name);
      refresh();
      return true;
    } catch (error) {
      put(null);
      tell(error);
      return false;
    }
  };
  const stop = async () => {
    await sent.current?.catch(() => {}); // the server may not have the question yet
    await send(`${pathOf(shown.current)}/stop`).catch(tell);
  };
  const ask = async (question, { other, ...given }) => {
    if (other) {
      const both = [given.strategy || status.strategy, other].map((strategy) =>
        send("/api/threads", { question, ...given, strategy }));
      const names = (await Promise.all(both)).map((one) => encodeURIComponent(one.thread));
      location.hash = `/compare/${names.join("/")}`;
      return true;
    }
    put({ ...NOTHING, question, since: Date.now() });
    return begin(() => send("/api/threads", { question, thread, ...given }));
  };
  const edit = async (number, question) => {
    const limits = limitsOf(document.querySelector("form.ask"));
    const found = await send(`${pathOf(thread)}/edit/${number}`, { question, limits }).catch(tell);
    if (found) location.hash = encodeURIComponent(found.thread);
  };
  const resume = (answer) => {
    const left = turns.at(-1);
    const open = left && !left.finished;
    if (open) setTurns(turns.slice(0, -1));
    put({ ...NOTHING, question: open ? left.asked : live?.question ?? "", since: Date.now() });
    return begin(() => send(`${pathOf(thread)}/resume`, { answer }));
  };
  return html`<div class="conversation" aria-busy=${Boolean(running)}>
    <ol class="turns" ref=${list}>
      ${turns.map((turn, place) => html`
        <${Turn} key=${place} turn=${turn} owner=${status.owner !== false} number=${place + 1} cite=${cite} edit=${only ? null : edit}
          resume=${place === turns.length - 1 && !live ? resume : null} />`)}
      ${live && html`<${Live} live=${live} thread=${shown.current} cite=${cite} resume=${() => resume()} />`}
    </ol>
    ${turns.length > 1 && html`<p class="quiet">So far: ${cost(turns.map(paid))}</p>`}
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${only
      ? running && html`<p><button onClick=${stop}>Stop</button></p>`
      : html`<${Ask} ask=${(...given) => ask(...given).catch(tell)} running=${running} status=${status} priced=${priced}
          fresh=${!thread} stop=${stop} />`}
  </div>`;
}

function Turn({ turn, owner, number, cite, edit, resume }) {
  const [draft, setDraft] = useState(null);
  return html`<li>
    <h2>${turn.asked} ${edit && draft === null && html`
      <button class="link edit" aria-label=${`Edit question ${number}`} onClick=${() => setDraft(turn.asked)}>Edit</button>`}</h2>
    ${draft !== null && html`<div class="draft">
      <textarea rows="3" aria-label="Edited question" value=${draft} onInput=${(event) => setDraft(event.target.value)} />
      <p class="tools"><button disabled=${!draft.trim()} onClick=${() => { edit(number, draft); setDraft(null); }}>Ask in a copy of the thread</button>
      <button class="link" onClick=${() => setDraft(null)}>Cancel</button></p></div>`}
    <${Answer} turn=${turn} cite=${cite} />
    <${Steps} thread=${turn.thread} question=${number} records=${turn.steps} cite=${cite} />
    ${turn.finished
      ? html`<p class="quiet">${turn.strategy} · ${cost([paid(turn)])}</p>${owner && html`<${Keep} question=${turn.question || turn.asked} />`}`
      : resume && html`<${Waiting} waiting=${turn.waiting} resume=${resume} />`}
  </li>`;
}

/** Keeps a question with its right answer, to measure strategies and settings by it. */
function Keep({ question }) {
  const [answer, setAnswer] = useState(null);
  const [said, setSaid] = useState("");
  const keep = () => send("/api/questions", { question, answer }).then(() => {
    setAnswer(null);
    setSaid("Kept: see Measure.");
  }).catch((error) => setSaid(error.message));
  return html`<div class="tools keep">${answer === null
    ? html`<button class="link" onClick=${() => setAnswer("")}>Keep as a test</button>`
    : html`<label>The right answer is <input value=${answer} onInput=${(event) => setAnswer(event.target.value)} /></label>
        <button disabled=${!answer.trim()} onClick=${keep}>Keep</button>
        <button class="link" onClick=${() => setAnswer(null)}>Cancel</button>`}
    <span class="quiet" role="status">${said}</span></div>`;
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

function Live({ live, thread, cite, resume }) {
  return html`<li>
    <h2>${live.question}</h2>
    <div class="answer writing">${live.text.split(/\n{2,}/).map((part, place) => html`<p key=${place}>${part}</p>`)}</div>
    <${Steps} thread=${thread} question=${0} records=${live.steps} open running=${!live.problem} cite=${cite} />
    ${live.problem
      ? html`<p class="problem" role="alert">${live.problem} <button onClick=${resume}>Continue</button></p>`
      : html`<${Working} since=${live.since} />`}
  </li>`;
}

/** A screen reader says that it works, and not each second. */
function Working({ since }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return html`<p class="quiet"><span role="status">Working…</span> ${Math.round((Date.now() - since) / 1000) || 0} s</p>`;
}

/** The limits in a form; null for none. */
const limitsOf = (form) => {
  const number = (name) => Number(form?.elements[name]?.value) || null;
  return { calls: number("calls"), tokens: number("tokens") };
};

function Ask({ ask, running, stop, status, fresh, priced }) {
  const [text, setText] = useState("");
  const form = useRef(null);
  useEffect(() => { // on a telephone it would open the keyboard
    if (fresh && innerWidth >= 700) form.current.elements.question.focus();
  }, [fresh]);
  const submit = (event) => {
    event.preventDefault();
    if (running || !text.trim()) return;
    const { strategy, other } = form.current.elements;
    setText("");
    const given = { limits: limitsOf(form.current), strategy: strategy?.value ?? "", other: other?.value ?? "" };
    ask(text, given).then((taken) => taken || setText((since) => since || text));
  };
  // Safari ends a composition before the Enter that confirms it, and gives that the code 229.
  const keys = (event) => event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229 && submit(event);
  const choices = (first) => html`<option value="">${first}</option>
    ${(status.strategies ?? []).map((name) => html`<option key=${name} value=${name}>${name}</option>`)}`;
  return html`<form class="ask" ref=${form} onSubmit=${submit}>
    <label for="question">Question</label>
    <textarea id="question" rows="2" value=${text} onInput=${(event) => setText(event.target.value)}
      onKeyDown=${keys} />
    ${running
      ? html`<button type="button" onClick=${(event) => event.detail < 2 && stop()}>Stop</button>`
      : html`<button type="submit" disabled=${!text.trim()}>Ask</button>`}
    <details class="options"><summary>Limits, prices${fresh ? ", strategy" : ""}</summary>
      <div class="fields">
        <label>Model calls at most <input name="calls" type="number" min="1" defaultValue=${status.budget?.calls ?? ""} /></label>
        <label>Tokens at most <input name="tokens" type="number" min="1" defaultValue=${status.budget?.tokens ?? ""} /></label>
        ${["in", "out"].map((way, place) => html`<label key=${way}>Price of a million tokens ${way} <input name=${`price-${way}`} type="number" min="0" step="any"
          defaultValue=${pricesOf(status.model)[place] || ""} onChange=${(event) => {
            setPrices(status.model, pricesOf(status.model).with(place, Number(event.target.value)));
            priced({});
          }} /></label>`)}
        ${fresh && html`<label>Strategy <select name="strategy">${choices(`${status.strategy} (as set)`)}</select></label>
        <label>Compare with <select name="other">${choices("nothing")}</select></label>`}
      </div></details>
  </form>`;
}
