// The search box: what several search methods find, beside each other.
import { get, html, useState } from "/assets/common.js";

const FIRST = ["hybrid", "dense", "sparse"];

export function Search({ methods, cite }) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(null);
  const [found, setFound] = useState(null);
  const [problem, setProblem] = useState("");
  const names = methods.map((one) => one.name);
  const used = chosen ?? FIRST.filter((name) => names.includes(name));
  const choose = (name) =>
    setChosen(names.filter((one) => (one === name) !== used.includes(one)));
  const submit = async (event) => {
    event.preventDefault();
    setProblem("");
    const asked = new URLSearchParams({ text });
    for (const name of used) asked.append("method", name);
    await get(`/api/search?${asked}`).then((one) => setFound(one.found))
      .catch((error) => setProblem(error.message));
  };
  return html`<h1>Search</h1>
    <form class="search" onSubmit=${submit} role="search">
      <label for="words">Words or a question</label>
      <input id="words" type="search" value=${text} onInput=${(event) => setText(event.target.value)} />
      <button type="submit" disabled=${!text.trim() || !used.length}>Search</button>
      <fieldset><legend>Methods, at most four</legend>${methods.map((one) => html`<label key=${one.name} title=${one.about}>
        <input type="checkbox" checked=${used.includes(one.name)} onChange=${() => choose(one.name)} /> ${one.name}</label>`)}</fieldset>
    </form>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${found && html`<div class="columns" role="status">${found.map((one) => html`<section key=${one.method} aria-label=${one.method}>
      <h2>${one.method}</h2>
      ${one.problem && html`<p class="problem">${one.problem}</p>`}
      ${!one.results.length && !one.problem && html`<p class="quiet">Nothing was found.</p>`}
      <ol>${one.results.map((result, place) => html`<${Result} key=${place} result=${result} cite=${cite} />`)}</ol>
    </section>`)}</div>`}`;
}

function Result({ result: { cited, score, unit, why }, cite }) {
  const [quote] = cited.quotes;
  return html`<li>
    <button class="cite" onClick=${() => cite(cited)}>${cited.name}</button>
    <span class="quiet"> ${score.toFixed(3)} ${unit}</span>
    <p class="excerpt">${quote ? html`<mark>${quote}</mark>` : cited.text.slice(0, 240)}</p>
    ${why && html`<p class="quiet">${why}</p>`}</li>`;
}
