// Stacks as boxes that can be searched and zoomed. Without this the pictures of the page show them.
(function () {
  "use strict";

  const place = document.getElementById("flame"), text = document.getElementById("flame-data");
  if (!place || !text) return;
  const data = JSON.parse(text.textContent);
  const paints = ["red", "green", "blue", "sky", "grey", "yellow", "pink"];
  const ROW = 18, NARROWEST = 0.0008;
  const state = { weight: 0, tree: 0, zoom: 0, now: 0, search: "" };

  // ---- the tree -----------------------------------------------------------------------------------

  for (const tree of data.trees) {
    tree.children = tree.parents.map(() => []);
    tree.parents.forEach((parent, node) => { if (node) tree.children[parent].push(node); });
  }

  const tree = () => data.trees[state.tree];
  const amounts = () => tree()[data.weights[state.weight].name];
  const nameOf = (node) => node ? data.functions[tree().functions[node]][0] : "all";
  const kindOf = (node) => data.functions[tree().functions[node]][1];

  // "select" of "Processor.select (mine.py:30)", of the user's own with the line; what has no place is no
  // function of Python's.
  function shortOf(node) {
    const name = nameOf(node), at = name.indexOf(" (");
    if (at <= 0) return name;
    const line = node && kindOf(node) === 0 ? name.replace(/^.*(:\d+)\)$/, "$1") : "";
    return name.slice(0, at).replace(/^.*\.(?=[^.])/, "") + (line === name ? "" : line);
  }

  function childrenOf(node) {
    const amount = amounts();
    return tree().children[node].filter((child) => amount[child] > 0)
      .sort((a, b) => amount[b] - amount[a] || a - b);
  }

  function ancestorsOf(node) {
    const above = [];
    for (let at = node; at; at = tree().parents[at]) above.unshift(tree().parents[at]);
    return above;
  }

  // ---- words --------------------------------------------------------------------------------------

  function three(number) {
    return number >= 100 ? number.toFixed(0) : number >= 10 ? number.toFixed(1) : number.toFixed(2);
  }

  function amountText(amount) {
    if (amount <= 0) return "0";
    if (data.weights[state.weight].unit === "s") {
      const s = amount / 1e6;
      return s >= 1 ? three(s) + " s" : s >= 1e-3 ? three(s * 1e3) + " ms" : three(s * 1e6) + " us";
    }
    const units = ["B", "kB", "MB", "GB", "TB", "PB"];
    let unit = 0;
    for (; amount >= 1000 && unit < 5; unit++) amount /= 1000;
    return (unit ? three(amount) : String(amount)) + " " + units[unit];
  }

  function describe(node) {
    const amount = amounts(), all = amount[0];
    let below = 0;
    for (const child of childrenOf(node)) below += amount[child];
    const share = (part) => (all ? 100 * part / all : 0).toFixed(1) + " %";
    return nameOf(node) + ": " + amountText(amount[node]) + ", " + share(amount[node]) +
      " of all; of its own, or in functions of less than 0.1 %: " + amountText(amount[node] - below);
  }

  // Each stack counts once, by the outermost function that is found.
  function foundText() {
    const wanted = state.search.toLowerCase();
    if (!wanted) return "";
    let sum = 0, count = 0;
    (function look(node) {
      if (node && nameOf(node).toLowerCase().includes(wanted)) {
        sum += amounts()[node];
        count++;
        return;
      }
      childrenOf(node).forEach(look);
    })(0);
    const all = amounts()[0];
    return " Found: " + count + (count === 1 ? " box, " : " boxes, ") + amountText(sum) +
      ", " + (all ? 100 * sum / all : 0).toFixed(1) + " %.";
  }

  // ---- controls -----------------------------------------------------------------------------------

  function make(kind, properties, ...children) {
    const element = Object.assign(document.createElement(kind), properties);
    element.append(...children);
    return element;
  }

  const weights = make("div", { className: "weights" });
  weights.setAttribute("role", "group");
  weights.setAttribute("aria-label", "Width of the boxes");
  data.weights.forEach((weight, i) => {
    const button = make("button", { type: "button", textContent: weight.title });
    button.addEventListener("click", () => { state.weight = i; reset(); });
    weights.append(button);
  });
  const trees = make("select", {},
    ...data.trees.map((one, i) => make("option", { value: i, textContent: one.title || "(no name)" })));
  trees.setAttribute("aria-label", "Tasks");
  trees.addEventListener("change", () => { state.tree = Number(trees.value); reset(); });
  trees.hidden = data.trees.length < 2;
  const search = make("input", { type: "search", placeholder: "search" });
  search.setAttribute("aria-label", "Search for functions and files");
  search.addEventListener("input", () => { state.search = search.value; draw(); });
  const back = make("button", { type: "button", textContent: "whole width" });
  back.addEventListener("click", () => { zoomTo(0); });
  const boxes = make("div", { className: "boxes", tabIndex: 0 });
  boxes.setAttribute("role", "application");
  boxes.setAttribute("aria-label", "Functions as boxes, those that they call below. Arrow keys go from box " +
    "to box, Enter widens one, Escape shows all.");
  const said = make("p", { className: "said" });
  said.setAttribute("role", "status");
  const kinds = make("ul", { className: "kinds" }, ...data.kinds.map((kind, i) => {
    const swatch = make("i");
    swatch.style.background = colourOf(i);
    return make("li", {}, swatch, kind);
  }));
  place.append(make("div", { className: "controls" }, weights, trees, search, back), boxes, said, kinds);
  place.hidden = false;

  function colourOf(kind) {
    return "color-mix(in srgb, var(--" + paints[kind] + ") 45%, var(--paper))";
  }

  // ---- drawing ------------------------------------------------------------------------------------

  let shown = new Map();

  function addBox(node, row, left, width, isAncestor) {
    const box = make("div", { className: "box", textContent: width > 0.012 ? shortOf(node) : "" });
    box.style.left = 100 * left + "%";
    box.style.width = 100 * width + "%";
    box.style.top = row * ROW + "px";
    box.style.background = node ? colourOf(kindOf(node)) : "var(--grid)";
    if (width <= 0.012) box.style.padding = "0";
    box.dataset.node = node;
    box.classList.toggle("other", isAncestor && node !== 0);
    box.classList.toggle("found", state.search !== "" && node !== 0 &&
      nameOf(node).toLowerCase().includes(state.search.toLowerCase()));
    boxes.append(box);
    shown.set(node, box);
  }

  function draw() {
    const amount = amounts(), whole = amount[state.zoom] || 1;
    let rows = 0;
    boxes.replaceChildren();
    shown = new Map();
    for (const node of ancestorsOf(state.zoom)) addBox(node, rows++, 0, 1, true);
    let level = [[state.zoom, 0]];
    for (; level.length; rows++) {
      const next = [];
      for (const [node, left] of level) {
        addBox(node, rows, left, amount[node] / whole, false);
        let at = left;
        for (const child of childrenOf(node)) {
          if (amount[child] / whole >= NARROWEST) next.push([child, at]);
          at += amount[child] / whole;
        }
      }
      level = next;
    }
    boxes.style.height = rows * ROW + "px";
    [...weights.children].forEach((button, i) =>
      button.setAttribute("aria-pressed", String(i === state.weight)));
    mark(state.now);
  }

  function mark(node) {
    if (shown.has(state.now)) shown.get(state.now).classList.remove("now");
    state.now = shown.has(node) ? node : state.zoom;
    if (state.now || document.activeElement === boxes) shown.get(state.now).classList.add("now");
    said.textContent = (amounts()[0] ? describe(state.now)
      : "Nothing of this was seen in these tasks.") + foundText();
  }

  function zoomTo(node) {
    state.zoom = state.now = node;
    draw();
  }

  // Down to where stacks begin to differ, or the user's own code begins.
  function reset() {
    state.zoom = state.now = 0;
    for (;;) {
      const below = childrenOf(state.zoom);
      if (below.length !== 1 || amounts()[below[0]] !== amounts()[state.zoom] || kindOf(below[0]) === 0) break;
      state.zoom = state.now = below[0];
    }
    draw();
  }

  // ---- pointer and keys ---------------------------------------------------------------------------

  const nodeAt = (event) => {
    const box = event.target.closest(".box");
    return box ? Number(box.dataset.node) : -1;
  };
  boxes.addEventListener("pointermove", (event) => { if (nodeAt(event) >= 0) mark(nodeAt(event)); });
  boxes.addEventListener("click", (event) => { if (nodeAt(event) >= 0) zoomTo(nodeAt(event)); });

  function beside(step) {
    if (!state.now) return 0;
    const siblings = childrenOf(tree().parents[state.now]).filter((node) => shown.has(node));
    return siblings[siblings.indexOf(state.now) + step] ?? state.now;
  }

  const keys = {
    ArrowUp: () => mark(tree().parents[state.now]),
    ArrowDown: () => mark(childrenOf(state.now).find((node) => shown.has(node)) ?? state.now),
    ArrowLeft: () => mark(beside(-1)),
    ArrowRight: () => mark(beside(1)),
    Enter: () => zoomTo(state.now),
    Escape: () => zoomTo(0),
    Home: () => zoomTo(0),
  };
  boxes.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });

  reset();
})();
