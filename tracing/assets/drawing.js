"use strict";
// Draws boxes in a tree, and further arrows, with d3-hierarchy. `drawBoxes` returns the boxes of
// each step.
const drawBoxes = (() => {
  const WIDTH = 208, HEIGHT = 78, GAP = 18, LEVEL = 266, EDGE = 8;

  function part(name, kind, text) {
    const made = document.createElement(name);
    made.className = kind;
    made.textContent = text;
    return made;
  }

  function drawBoxes(data, choose) {
    const boxes = new Map();
    if (data.boxes.length < 2) return boxes;
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
        box.addEventListener("click", () => choose(item));
      }
      sheet.append(box);
    }
    const canvas = document.getElementById("canvas");
    canvas.append(sheet);
    document.getElementById("picture").hidden = false;
    zoomable(canvas, sheet, width, height);
    return boxes;
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

  return drawBoxes;
})();
