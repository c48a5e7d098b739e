// An answer: its text with marks of its citations, its notes, its citations.
import { html } from "/assets/common.js";

export function Answer({ turn, cite }) {
  const show = (place) => cite({ ...turn.citations[place - 1] });
  const follow = (event) => {
    const mark = event.target.closest("a.mark");
    if (!mark) return;
    event.preventDefault();
    show(Number(mark.textContent.slice(1, -1)));
  };
  return html`<div class="answer" onClick=${follow} dangerouslySetInnerHTML=${{ __html: turn.html }} />
    ${turn.notes.map((note) => html`<p class="doubt">${note}</p>`)}
    <ul class="citations">${turn.citations.map((cited, place) => html`<li key=${place}>
      <button class=${cited.supported ? "cite" : "cite doubt"} onClick=${() => show(place + 1)}>
        [${place + 1}] ${cited.name}${cited.supported ? "" : " (not found in its passage)"}</button></li>`)}</ul>`;
}
