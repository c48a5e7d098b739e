"use strict";
// Draws a map of each list of communities with d3-hierarchy: a cell for each, its area the number of
// entities, and lines for the communities inside. A cell leads to its community in the list.
(() => {
  const STRIP = 0.12, LINES = 12, SHADES = 4, MOST = { wide: 40, narrow: 16 }, NARROW = 600;
  const listed = (place) => [...place.querySelectorAll(":scope > details.community")];
  const size = (community) => Number(community.dataset.size);

  function made(kind, box, whole) {
    const element = document.createElement(kind === "line" ? "div" : "a");
    element.className = kind;
    const [left, top, right, bottom] = box;
    element.style.left = (100 * left) / whole[0] + "%";
    element.style.top = (100 * top) / whole[1] + "%";
    element.style.width = (100 * (right - left)) / whole[0] + "%";
    element.style.height = (100 * (bottom - top)) / whole[1] + "%";
    return element;
  }

  function told(kind, text) {
    const element = document.createElement(kind);
    element.textContent = text;
    return element;
  }

  function node(community) {
    const inside = listed(community.querySelector(":scope > .body")).slice(0, LINES).map((one) => ({ size: size(one) }));
    const left = size(community) - inside.reduce((sum, one) => sum + one.size, 0);
    return { community, children: left > 0 ? [...inside, { size: left, rest: true }] : inside };
  }

  function cell(drawn, whole) {
    const community = drawn.data.community;
    const rating = community.dataset.rating;
    const shade = rating === "" ? "" : " rated-" + Math.min(Math.floor((rating / 10) * SHADES), SHADES - 1);
    const link = made("cell" + shade, [drawn.x0, drawn.y0, drawn.x1, drawn.y1], whole);
    const title = community.querySelector("summary > .title").textContent;
    link.href = "#" + community.querySelector(":scope > .body").id;
    link.title = title + ": " + community.dataset.about;
    link.append(told("b", title), " ", told("span", community.dataset.about));
    return link;
  }

  function draw(map) {
    const parts = listed(map.id === "map" ? document.getElementById("communities") : map.parentElement);
    map.hidden = parts.length < 2;
    map.classList.toggle("few", parts.length <= 4);
    const whole = [map.clientWidth, map.clientHeight];
    if (map.hidden || !whole[0]) return;
    const most = map.id === "map" && whole[0] > NARROW ? MOST.wide : MOST.narrow;
    const left = parts.slice(most);
    const height = whole[1] * (left.length ? 1 - STRIP : 1);
    const root = d3.hierarchy({ children: parts.slice(0, most).map(node) }).sum((one) => one.size || 0);
    d3.treemap().tile(d3.treemapSquarify.ratio(1)).size([whole[0], height])(root);
    const lines = root.leaves().filter((leaf) => leaf.depth === 2 && !leaf.data.rest && leaf.parent.children.length > 1);
    map.replaceChildren(
      ...lines.map((line) => made("line", [line.x0, line.y0, line.x1, line.y1], whole)),
      ...root.children.map((one) => cell(one, whole)));
    if (left.length) {
      const strip = made("cell rest", [0, height, ...whole], whole);
      strip.href = "#" + left[0].querySelector(":scope > .body").id;
      strip.append(told("b", (left.length + Number(map.dataset.smaller)).toLocaleString("en") + " smaller"));
      map.append(strip);
    }
  }

  const maps = [...document.querySelectorAll(".map")];
  document.getElementById("picture").hidden = false;
  for (const map of maps) {
    draw(map);
    const community = map.closest("details");
    if (community) community.addEventListener("toggle", () => community.open && draw(map));
  }
  window.addEventListener("resize", () => maps.forEach(draw));
})();
