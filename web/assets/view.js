// A passage: in the picture of its page with its quotes marked, and as text.
import { get, html, useEffect, useRef, useState } from "/assets/common.js";

const WIDTHS = [1000, 2000];

export function Passage({ cited, close }) {
  const panel = useRef(null);
  const [place, setPlace] = useState(cited.place ?? null);
  const [page, setPage] = useState(0);
  const [zoom, setZoom] = useState(innerWidth < 700 ? 1 : 0); // a page is too small to read on a telephone

  useEffect(() => {
    const opener = document.activeElement;
    return () => opener?.isConnected && opener.focus();
  }, []);
  useEffect(() => {
    let current = true;
    panel.current.querySelector("button").focus();
    setPlace(cited.place ?? null);
    if (cited.place) return;
    const asked = new URLSearchParams({ passage: cited.passage_id });
    for (const quote of cited.quotes ?? []) asked.append("quote", quote);
    get(`/api/place?${asked}`)
      .catch((error) => ({ why: error.message, marks: [], count: 0, original: "" }))
      .then((found) => {
        if (!current) return;
        setPlace(found);
        setPage(found.marks[0]?.page ?? 1);
      });
    return () => (current = false);
  }, [cited]);

  const count = place?.count ?? 0;
  const turn = (to) => to >= 1 && to <= count && setPage(to);
  const keys = (event) => {
    if (event.key === "Escape") close();
    if (event.target.closest("a, input, textarea, .picture")) return;
    if (event.key === "ArrowLeft") turn(page - 1);
    if (event.key === "ArrowRight") turn(page + 1);
  };
  const facts = { Document: cited.title, Source: cited.source, Section: cited.section,
    Page: cited.pages, ...cited.metadata };
  const marked = place?.marks.map((mark) => mark.page) ?? [];
  const text = cited.marked || cited.text
    ? html`<blockquote dangerouslySetInnerHTML=${{ __html: withTables(cited.marked || "") }} />`
    : html`<p>The passage has left the index. It said:</p>
      ${cited.quotes.map((quote) => html`<blockquote><mark>${quote}</mark></blockquote>`)}`;
  return html`<aside ref=${panel} aria-label="Citation" class=${count ? "wide" : ""} onKeyDown=${keys}>
    <header><div class="tools">
      <button onClick=${close}>Close</button>
      ${count > 0 && html`<span class="tools" role="toolbar" aria-label="Pages">
        <button aria-label="Previous page" disabled=${page <= 1} onClick=${() => turn(page - 1)}>‹</button>
        <span role="status">Page ${page} of ${count}</span>
        <button aria-label="Next page" disabled=${page >= count} onClick=${() => turn(page + 1)}>›</button>
        <button aria-pressed=${zoom > 0} onClick=${() => setZoom(1 - zoom)}>Larger</button></span>`}
    </div></header>
    <h2>${cited.name}</h2>
    ${!cited.supported && html`<p class="doubt">The passage does not confirm: ${cited.claim}</p>`}
    ${place && count > 0 && html`
      ${(marked.length > 1 || !marked.includes(page)) && html`<p class="tools">Marked on ${marked.map((one) => html`
        <button class="link" key=${one} onClick=${() => setPage(one)}>page ${one}</button>`)}</p>`}
      <${Picture} place=${place} page=${page} zoom=${zoom} cited=${cited} />`}
    ${place?.why && html`<p class="quiet">${place.why}</p>`}
    ${!place && html`<p class="quiet" role="status">Looking for its page…</p>`}
    ${place?.original && html`<p><a href=${place.original + (count ? `#page=${page}` : "")}
      target="_blank" rel="noopener">Open the original</a></p>`}
    ${count ? html`<details><summary>Text of the passage</summary>${text}</details>` : text}
    <dl>${Object.entries(facts).filter(([, value]) => value).map(([name, value]) => html`
      <dt key=${name}>${name}</dt><dd>${String(value)}</dd>`)}</dl>
  </aside>`;
}

const isRow = (line) => line.replace(/<\/?mark>/g, "").startsWith("|");
/** A passage as HTML with its Markdown tables as tables; a mark may go over several cells. */
const withTables = (text) => {
  let open = false; // a mark that an earlier piece began
  const whole = (piece) => {
    const begun = open ? "<mark>" : "";
    open = piece.lastIndexOf("<mark>") > piece.lastIndexOf("</mark>") || (open && !piece.includes("</mark>"));
    return begun + piece + (open ? "</mark>" : "");
  };
  const row = (line, tag) => `<tr>${line.split(/ *(?<!\\)\| */).map(whole).slice(1, -1).map((cell) => `<${tag}>${cell.replaceAll("\\|", "|")}</${tag}>`).join("")}</tr>`;
  const blocks = text.split("\n").reduce((found, line) => {
    if (found.length && isRow(found.at(-1)[0]) === isRow(line)) found.at(-1).push(line);
    else found.push([line]);
    return found;
  }, []);
  return blocks.map((lines) => {
    if (!isRow(lines[0])) return whole(lines.join("\n").trim());
    const rule = lines.findIndex((line) => /^[|\s:-]+$/.test(line));
    return `<table>${lines.map((line, at) => at === rule ? "" : row(line, at < rule ? "th" : "td")).join("")}</table>`;
  }).join("");
};

function Picture({ place, page, zoom, cited }) {
  const frame = useRef(null);
  const [problem, setProblem] = useState("");
  const boxes = place.marks.find((mark) => mark.page === page)?.boxes ?? [];
  const words = cited.quotes?.join(" … ") || "the passage";
  const quotes = boxes.length ? `Marked: ${words}` : "Nothing is marked.";
  const showMark = () => {
    setProblem("");
    const found = [...(frame.current?.querySelectorAll("rect") ?? [])].map((one) => one.getBoundingClientRect());
    if (!found.length) return;
    // Only the panel moves: `scrollIntoView` would move the conversation beside it too.
    const panel = frame.current.closest("aside");
    panel.scrollTop += found[0].top - panel.clientHeight / 3;
    frame.current.scrollLeft += Math.min(...found.map((one) => one.left)) - frame.current.getBoundingClientRect().left - 40;
  };
  return html`<div class=${zoom ? "picture zoomed" : "picture"} tabindex="0" role="group"
      aria-label="Picture of the page" ref=${frame}>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    <figure class="page">
      <img key=${page} src=${`${place.address}${page}&width=${WIDTHS[zoom]}`} onLoad=${showMark}
        alt=${`Page ${page} of ${cited.title || cited.name}. ${quotes}`}
        onError=${() => setProblem("The page cannot be drawn: its text is below.")} />
      <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
        ${boxes.map(([left, top, right, bottom], number) => html`<rect key=${number} x=${left} y=${top}
          width=${right - left} height=${bottom - top} />`)}
      </svg>
    </figure></div>`;
}
