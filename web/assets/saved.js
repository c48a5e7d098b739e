// A trace that was saved as one file: there is no server behind it.
import { Answer } from "/assets/answer.js";
import { cost, counted, html, render, useState } from "/assets/common.js";
import { asCited } from "/assets/step.js";
import { Steps } from "/assets/steps.js";
import { Passage } from "/assets/view.js";

const NOWHERE = { marks: [], count: 0, why: "", original: "" };

function Saved({ trace }) {
  const [cited, setCited] = useState(null);
  const cite = (one) => setCited({ ...one, place: NOWHERE });
  const passages = new Map(trace.passages.map((one) => [one.id, one]));
  const citations = trace.citations.map(({ reference, quotes, claim, supported = true, passage_id }) =>
    ({ ...asCited(passages.get(passage_id)), name: reference, quotes, claim, supported }));
  const waits = `This question is not finished. ${trace.running ? `It is running ${trace.running}.` : ""} Next: ${trace.waits_for.join(", ")}.`;
  const notes = [trace.support, !trace.finished && waits, ...trace.notes].filter(Boolean);
  // A single model has the name that the person gave; the ledger's is longer.
  const models = trace.models.length > 1 || !trace.model ? trace.models : [trace.model];
  const { calls, cached, estimated, ...used } = trace.cost;
  const paid = cost([{ ...used, seconds: trace.seconds, model_calls: calls, estimated_calls: estimated, model: trace.model }]);
  return html`<main>
      <h1>Trace of ${trace.thread_id}</h1>
      <h2>${trace.asked}</h2>
      ${trace.question !== trace.asked && html`<p class="quiet">Understood as: ${trace.question}</p>`}
      <${Answer} turn=${{ html: trace.html, notes, citations }} cite=${cite} />
      <p class="quiet">${trace.strategy || "no strategy yet"} · ${models.join(", ") || "no model"} · ${paid}${cached > 0 && `, ${counted(cached, "answer")} from the ledger`}</p>
      ${trace.earlier.length > 0 && html`<details><summary>${counted(trace.earlier.length, "earlier question")} of this thread</summary>
        <ol>${trace.earlier.map((turn) => html`<li key=${turn.at}><b>${turn.question}</b><br />${turn.answer}
          <p class="quiet">${turn.strategy} · ${turn.model} · ${counted(turn.calls, "call")}, ${turn.seconds.toFixed(1)} s${turn.sources.length > 0 && ` · from ${turn.sources.join(", ")}`}</p></li>`)}</ol></details>`}
      <${Steps} saved=${trace} records=${[]} open cite=${cite} />
      <p class="quiet">A trace saved by Hopyard.</p>
    </main>
    ${cited && html`<${Passage} cited=${cited} close=${() => setCited(null)} />`}`;
}

render(html`<${Saved} trace=${JSON.parse(document.getElementById("trace").textContent)} />`, document.getElementById("app"));
