"use strict";
// The list of steps is the page; this makes it a tree that the keyboard moves in, shows one
// step's details at a time.
(() => {
  const tree = document.getElementById("steps");
  const items = [...tree.querySelectorAll('[role="treeitem"]')];
  const detailOf = (item) => document.getElementById("detail-" + item.dataset.step);
  let boxes = new Map();

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
    boxes = drawBoxes(data, (item) => choose(item, { focus: false }));
    const first = items.find((item) => item.dataset.step === data.boxes[0].step);
    choose(first || items[0], { focus: false, remember: false });
    targeted();
  }
})();
