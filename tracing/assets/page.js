"use strict";
// The list of steps is the page; this makes it a tree that the keyboard moves in, shows one
// step's details at a time, and draws the boxes with d3-hierarchy.
(() => {
  const WIDTH = 208, HEIGHT = 78, GAP = 18, LEVEL = 266, EDGE = 8;
  const tree = document.getElementById("steps");
  const items = [...tree.querySelectorAll('[role="treeitem"]')];
  const detailOf = (item) => document.getElementById("detail-" + item.dataset.step);
  const boxes = new Map();

  function shown() {
    return items.filter((item) => {
      const above = item.parentElement.closest('[role="treeitem"]');
      return !above || (above.getAttribute("aria-expanded") !== "false" && !above.closest('[aria-expanded="false"]'));
    });
  }

  function choose(item, { focus = true, remember = true } = {}) {
    for (const other of items) {
      const chosen = other === item;
      other.setAttribute("aria-selected", String(chosen));
      other.tabIndex = chosen ? 0 : -1;
      detailOf(other).hidden = !chosen;
      (boxes.get(other.dataset.step) || []).forEach((box) => box.classList.toggle("chosen-box", chosen));
    }
    if (focus) item.focus({ preventScroll: false });
    if (remember) history.replaceState(null, "", "#" + encodeURIComponent(item.id));
  }

  function open(item, wanted) {
    if (item.hasAttribute("aria-expanded")) item.setAttribute("aria-expanded", String(wanted));
  }

  function keyed(event) {
    const item = event.target.closest('[role="treeitem"]');
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
    const list = shown(), place = list.indexOf(item);
    const isOpen = item.getAttribute("aria-expanded");
    const above = item.parentElement.closest('[role="treeitem"]');
    const moves = {
      ArrowDown: () => choose(list[Math.min(place + 1, list.length - 1)]),
      ArrowUp: () => choose(list[Math.max(place - 1, 0)]),
      Home: () => choose(list[0]),
      End: () => choose(list[list.length - 1]),
      ArrowRight: () => (isOpen === "false" ? open(item, true) : isOpen === "true" && choose(list[place + 1])),
      ArrowLeft: () => (isOpen === "true" ? open(item, false) : above && choose(above)),
      Enter: () => detailOf(item).querySelector("h3").focus(),
      " ": () => open(item, isOpen !== "true"),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
  }

  function clicked(event) {
    const row = event.target.closest(".row");
    if (!row) return;
    const item = row.parentElement;
    if (event.target.classList.contains("twist")) open(item, item.getAttribute("aria-expanded") !== "true");
    choose(item);
  }

  function targeted() {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const folded = target.closest("details.many");
    if (folded && !folded.open) {
      folded.open = true;
      target.scrollIntoView();
    }
    if (target.matches("details")) {
      target.open = true;
      target.querySelector("summary").focus();
    } else if (target.matches('[role="treeitem"]')) {
      choose(target, { remember: false });
    }
  }

  function part(name, kind, text) {
    const made = document.createElement(name);
    made.className = kind;
    made.textContent = text;
    return made;
  }

  function draw(data) {
    if (data.boxes.length < 2) return;
    const root = d3.stratify().id((box) => box.id).parentId((box) => box.parent)(data.boxes);
    d3.tree().nodeSize([HEIGHT + GAP, LEVEL])(root);
    const nodes = root.descendants();
    const top = Math.min(...nodes.map((node) => node.x));
    const height = Math.max(...nodes.map((node) => node.x)) - top + HEIGHT + 2 * EDGE;
    const width = root.height * LEVEL + WIDTH + 2 * EDGE;
    const sheet = part("div", "sheet", "");
    sheet.style.width = width + "px";
    sheet.style.height = height + "px";
    const lines = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    lines.setAttribute("width", width);
    lines.setAttribute("height", height);
    sheet.append(lines);
    const at = new Map(nodes.map((node) => [node.id, { x: node.y + EDGE, y: node.x - top + EDGE }]));

    function line(from, to, kind) {
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      const x1 = from.x + WIDTH, y1 = from.y + HEIGHT / 2, x2 = to.x, y2 = to.y + HEIGHT / 2;
      const bend = Math.max(30, Math.abs(x2 - x1) / 2);
      path.setAttribute("d", `M${x1},${y1}C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`);
      path.setAttribute("class", kind);
      lines.append(path);
    }

    for (const link of root.links()) line(at.get(link.source.id), at.get(link.target.id), link.target.data.state);
    for (const arrow of data.arrows) line(at.get(arrow.source), at.get(arrow.target), "more");
    for (const node of nodes) {
      const drawn = node.data, place = at.get(node.id);
      const box = part("div", "box " + drawn.state, "");
      const foot = part("span", "foot", "");
      foot.append(part("span", "result", drawn.result), part("span", "mark", drawn.note));
      box.append(part("span", "label", drawn.label), foot);
      box.title = drawn.result ? drawn.label + " → " + drawn.result : drawn.label;
      box.style.left = place.x + "px";
      box.style.top = place.y + "px";
      const item = drawn.step && document.getElementById("step-" + drawn.step);
      if (item) {
        boxes.set(drawn.step, [...(boxes.get(drawn.step) || []), box]);
        box.addEventListener("click", () => choose(item, { focus: false }));
      }
      sheet.append(box);
    }
    const canvas = document.getElementById("canvas");
    canvas.append(sheet);
    document.getElementById("picture").hidden = false;
    zoomable(canvas, sheet, width, height);
  }

  function zoomable(canvas, sheet, width, height) {
    let scale = 1;
    function zoom(wanted) {
      scale = Math.min(2, Math.max(0.2, wanted));
      sheet.style.transform = `scale(${scale})`;
      sheet.style.marginRight = width * (scale - 1) + "px";
      sheet.style.marginBottom = height * (scale - 1) + "px";
    }
    const fitting = () => Math.min(1, canvas.clientWidth / width);
    const ways = { in: () => zoom(scale * 1.25), out: () => zoom(scale / 1.25), fit: () => zoom(fitting()) };
    for (const button of document.querySelectorAll("[data-zoom]"))
      button.addEventListener("click", () => ways[button.dataset.zoom]());
    zoom(Math.max(0.6, fitting()));
    canvas.scrollTop = (height * scale - canvas.clientHeight) / 2;
  }

  function theme() {
    const select = document.getElementById("theme");
    const key = "hopyard-theme";
    const put = (name) => (document.documentElement.dataset.theme = name);
    try { select.value = localStorage.getItem(key) || ""; } catch { /* a page from a file may keep nothing */ }
    put(select.value);
    select.addEventListener("change", () => {
      put(select.value);
      try { localStorage.setItem(key, select.value); } catch { /* then only this page knows it */ }
    });
    select.parentElement.hidden = false;
  }

  function download() {
    const button = document.getElementById("download");
    button.addEventListener("click", () => {
      const text = JSON.stringify(JSON.parse(document.getElementById("trace").textContent), null, 2);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
      link.download = button.dataset.file;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
    button.hidden = false;
  }

  document.documentElement.classList.add("js");
  download();
  theme();
  tree.addEventListener("keydown", keyed);
  tree.addEventListener("click", clicked);
  window.addEventListener("hashchange", targeted);
  if (items.length) {
    const data = JSON.parse(document.getElementById("drawing").textContent);
    draw(data);
    const first = items.find((item) => item.dataset.step === data.boxes[0].step);
    choose(first || items[0], { focus: false, remember: false });
    targeted();
  }
})();
