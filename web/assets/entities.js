// The entities of the index: a list, and what is joined to one of them.
import { counted, get, html, useEffect, useState } from "/assets/common.js";

const placeOf = (name) => `#/entities/${encodeURIComponent(name)}`;

/** @param name the entity that is shown; "" for the list */
export function Entities({ name, cite }) {
  const [words, setWords] = useState("");
  const [choice, setChoice] = useState(0);
  const [found, setFound] = useState(null);
  const [problem, setProblem] = useState("");
  useEffect(() => setChoice(0), [name]);
  useEffect(() => {
    let current = true;
    setProblem("");
    get(`/api/entities?${new URLSearchParams({ words, name, choice })}`)
      .then((all) => current && setFound(all)).catch((error) => current && setProblem(error.message));
    return () => (current = false);
  }, [words, name, choice]);
  const hoods = (name && found?.found) || [];
  return html`<h1>Entities</h1>
    ${name && html`<p><a href="#/entities">All entities</a></p>`}
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${hoods.length > 1 && html`<p>${name} means several entities:</p>
      <ol>${hoods.map((hood, place) => html`<li key=${place}><button class="link" onClick=${() => setChoice(place + 1)}>${hood.entity}</button>
        <span class="quiet"> beside ${hood.neighbours.map((one) => one.entity).join(", ")}</span></li>`)}</ol>`}
    ${hoods.length === 1 && html`<${Hood} hood=${hoods[0]} cite=${cite} />`}
    ${!name && html`<label>Find an entity <input type="search" value=${words} onInput=${(event) => setWords(event.target.value)} /></label>
      ${found?.entities && html`<p class="quiet" role="status">${found.entities.length < found.all ? `The first ${found.entities.length} of ` : ""}${found.all === 1 ? "1 entity" : `${found.all.toLocaleString()} entities`}</p>
      <ul>${found.entities.map((one) => html`<li key=${one.entity}><a href=${placeOf(one.entity)}>${one.entity}</a>
        <span class="quiet"> ${counted(one.passages, "passage")}</span></li>`)}</ul>`}
      ${!words && found?.communities?.length > 0 && html`<h2>Communities</h2><p class="quiet">Entities that belong together, the largest first.</p>
      <ul class="communities">${found.communities.map((one) => html`<li key=${one.id}><${Community} one=${one} /></li>`)}</ul>`}`}`;
}

function Community({ one: { title, entities, passages, labels, report } }) {
  return html`<details><summary>${title} <span class="quiet">${entities === 1 ? "1 entity" : `${entities} entities`}, ${counted(passages, "passage")}</span></summary>
    ${report && html`<p>${report.summary}</p><ul>${report.findings.map((finding, place) => html`<li key=${place}>${finding.summary}: ${finding.explanation}</li>`)}</ul>`}
    <p>${labels.map((name) => html`<a key=${name} href=${placeOf(name)}>${name}</a> `)}${entities > labels.length && html`<span class="quiet">and ${entities - labels.length} more</span>`}</p></details>`;
}

function Hood({ hood, cite }) {
  const more = (name) => hood.totals[name] > hood[name].length &&
    html`<p class="quiet">and ${hood.totals[name] - hood[name].length} more</p>`;
  const passage = (id) => html`<button class="cite" onClick=${() => cite(hood.cited[id])}>${hood.cited[id].name}</button>`;
  const link = (entity) => html`<a href=${placeOf(entity)}>${entity}</a>`;
  return html`<section class="entity">
    <h2>${hood.entity} <span class="quiet">${hood.type}</span></h2>
    <p class="quiet">${hood.names.join(", ")}</p>
    ${hood.descriptions.map((one) => html`<p key=${one.passage}>${one.text}</p>`)}
    ${hood.facts.length > 0 && html`<h3>Facts</h3><ul>${hood.facts.map((one, place) => html`<li key=${place}>
      ${link(one.subject)} ${one.relation} ${link(one.object)} ${passage(one.passages[0])} ${one.description && html`<p class="quiet">${one.description}</p>`}</li>`)}</ul>${more("facts")}`}
    ${hood.neighbours.length > 0 && html`<h3>Named beside it</h3><ul>${hood.neighbours.map((one) => html`<li key=${one.entity}>
      ${link(one.entity)} <span class="quiet"> ${counted(one.sentences, "sentence")}, ${counted(one.passages, "passage")}</span></li>`)}</ul>${more("neighbours")}`}
    ${hood.synonyms.length > 0 && html`<h3>Similar names</h3><ul>${hood.synonyms.map((one) => html`<li key=${one.entity}>
      ${link(one.entity)} <span class="quiet"> ${one.cosine.toFixed(2)}</span></li>`)}</ul>${more("synonyms")}`}
    <h3>Passages</h3><ul>${hood.passages.map((one) => html`<li key=${one.id}>${passage(one.id)}
      <span class="excerpt">${one.sentences[0]}</span></li>`)}</ul>${more("passages")}
  </section>`;
}
