// Draws stacks as boxes that can be searched and zoomed. Without this script, the pictures of the page show
// the stacks. page.js shows the description of a box at the pointer.
(function () {
  "use strict";

  const place = document.getElementById("flame"), text = document.getElementById("flame-data");
  if (!place || !text) return;
  const data = JSON.parse(text.textContent);
  const paints = ["red", "green", "blue", "sky", "grey", "yellow", "pink"];
  const ROW = 18, NARROWEST = 0.0008;
  const SHARED = 0.95; // nearly all stacks begin with such a box
  const FOLDED = 3; // so many callers of the widened box, or more, share one row
  const state = { weight: 0, choice: 0, zoom: 0, now: 0, search: "", unfolded: false };

  // ---- the tree -----------------------------------------------------------------------------------

  // All slices share one tree. A slice lists the boxes' own amounts, as pairs of a step to the next box and
  // its amount; this adds the amounts of callees to their callers. Callees come after their callers.
  const children = data.parents.map(() => []);
  data.parents.forEach((parent, node) => { if (node) children[parent].push(node); });
  function sums(steps, divisor) {
    const amount = new Float64Array(data.parents.length);
    for (let i = 0, node = 0; i < steps.length; i += 2) {
      node += steps[i];
      amount[node] = steps[i + 1];
    }
    for (let node = amount.length - 1; node; node--) amount[data.parents[node]] += amount[node];
    return amount.map((sum) => sum / divisor);
  }
  for (const slice of data.slices) {
    for (const { name } of data.weights) slice[name] = sums(slice[name], slice.per || 1);
    if (slice.samples) slice.samples = sums(slice.samples, 1);
  }

  // The entries of the list: a slice, or a run and the run that it is compared with.
  const compared = data.baseline !== undefined;
  const opacities = [30, 22, 45, 70]; // of no change, and of each shade; in percent
  const letterOf = (slice) => slice.title.split(":")[0];
  function pairs() {
    const baseline = data.slices[data.baseline];
    return data.slices.filter((slice) => slice !== baseline)
      .flatMap((slice) => [[slice, baseline], [baseline, slice]])
      .map(([slice, against]) => ({ slice, against, title: slice.title + ", against " + letterOf(against) }));
  }
  const choices = compared ? pairs()
    : data.slices.map((slice) => ({ slice, title: slice.title || "(no name)", group: slice.group }));

  const choice = () => choices[state.choice];
  const weight = () => data.weights[state.weight];
  const amounts = () => choice().slice[weight().name];
  const before = () => choice().against[weight().name];
  const unsampled = () => [choice().slice, choice().against].filter((slice) => slice && !slice.sampled);
  const isMeasured = (weight) => weight.name !== "cpu" || !unsampled().length;
  const parentOf = (node) => data.parents[node];
  const nameOf = (node) => node ? data.functions[data.frames[node]][0] : "all";
  const kindOf = (node) => data.functions[data.frames[node]][1];

  // Shortens "Processor.select (mine.py:30)" to "select", and the user's own functions to "select:30". Names
  // without a place are not Python functions: they stay as they are.
  function shortOf(node) {
    const name = nameOf(node), at = name.indexOf(" (");
    if (at <= 0) return name;
    const line = node && kindOf(node) === 0 ? name.replace(/^.*(:\d+)\)$/, "$1") : "";
    return name.slice(0, at).replace(/^.*\.(?=[^.])/, "") + (line === name ? "" : line);
  }

  function childrenOf(node) {
    const amount = amounts();
    return children[node].filter((child) => amount[child] > 0)
      .sort((a, b) => amount[b] - amount[a] || a - b);
  }

  function ancestorsOf(node) {
    const above = [];
    for (let at = node; at; at = parentOf(at)) above.unshift(parentOf(at));
    return above;
  }

  // ---- changes ------------------------------------------------------------------------------------

  // The variance of an amount that is estimated from samples; measured amounts have none.
  function variance(slice, node) {
    const amount = slice[weight().name][node];
    if (weight().name === "cpu" && slice.samples[node]) return amount * amount / slice.samples[node];
    return weight().name === "alloc" ? amount * data.alloc_step / slice.per : 0;
  }

  // True if samples may have made the change, which is less than twice their error.
  function isChance(node) {
    const error = Math.sqrt(variance(choice().slice, node) + variance(choice().against, node));
    return Math.abs(amounts()[node] - before()[node]) < 2 * error;
  }

  // From -3 (much less) to 3 (much more). Changes within the sampling error are 0.
  function shadeOf(node) {
    const change = amounts()[node] - before()[node], all = before()[0];
    if (isChance(node)) return 0;
    const share = all > 0 ? Math.abs(change) / all : 1;
    return Math.sign(change) * data.shades.filter((shade) => share >= shade).length;
  }

  // Functions of the other run that are in no box of this run, with their amounts there. A stack counts once
  // for each function. Functions that the samples may have caught by chance are left out.
  function goneFunctions() {
    const amount = amounts(), old = before(), there = new Set(), gone = new Map();
    data.parents.forEach((parent, node) => {
      const frame = data.frames[node];
      if (node && amount[node] > 0) there.add(frame);
      if (!node || !old[node] || ancestorsOf(node).some((above) => above && data.frames[above] === frame)) return;
      const [sum, error] = gone.get(frame) || [0, 0];
      gone.set(frame, [sum + old[node], error + variance(choice().against, node)]);
    });
    return new Map([...gone].filter(([frame, [sum, error]]) => !there.has(frame) && sum >= 2 * Math.sqrt(error))
      .map(([frame, [sum]]) => [frame, sum]).sort((a, b) => b[1] - a[1]));
  }

  function goneText() {
    const gone = goneFunctions(), old = before(), below = new Set();
    let sum = 0;
    data.parents.forEach((parent, node) => {
      if (!node || !(below.has(parent) || gone.has(data.frames[node]))) return;
      if (!below.has(parent)) sum += old[node];
      below.add(node);
    });
    const share = (part) => (100 * part / old[0]).toFixed(1) + " %";
    const most = [...gone].slice(0, 3).map(([frame, part]) => data.functions[frame][0] + " " + share(part));
    return gone.size ? share(sum) + " of " + letterOf(choice().against) + " was in functions that " +
      letterOf(choice().slice) + " does not have, or only in boxes below 0.1 %: " + most.join("; ") +
      (gone.size > 3 ? "; " + (gone.size - 3) + " more" : "") + "." : "";
  }

  // ---- words --------------------------------------------------------------------------------------

  // The limits and digits are those of the report.
  function three(number) {
    return number.toFixed(number >= 99.95 ? 0 : number >= 9.995 ? 1 : number >= 0.9995 ? 2 : 3);
  }

  function amountText(amount) {
    if (amount <= 0) return "0";
    if (weight().unit === "s") {
      const s = amount / 1e6, two = (number) => String(Math.floor(number)).padStart(2, "0");
      if (s >= 3600) return Math.floor(s / 3600) + " h " + two(s % 3600 / 60) + " min";
      if (s >= 99.95) return Math.floor(s / 60) + " min " + two(s % 60) + " s";
      return s >= 0.9995 ? three(s) + " s" : s >= 0.9995e-3 ? three(s * 1e3) + " ms"
        : s >= 0.9995e-6 || !compared ? three(s * 1e6) + " us" : three(s * 1e9) + " ns";
    }
    const units = ["B", "kB", "MB", "GB", "TB", "PB"];
    let unit = 0;
    for (; amount >= 999.5 && unit < 5; unit++) amount /= 1000;
    return (unit || amount % 1 ? three(amount) : String(amount)) + " " + units[unit];
  }

  const eachText = () => compared ? " per " + data.each : "";

  function changeText(node) {
    if (!compared) return "";
    const change = amounts()[node] - before()[node], against = letterOf(choice().against);
    if (!before()[node]) return "; nothing in " + against;
    return "; " + (change < 0 ? "-" : "+") + amountText(Math.abs(change)) + ", " +
      (change < 0 ? "" : "+") + (100 * change / before()[node]).toFixed(1) + " % against " + against +
      (isChance(node) ? ", within the sampling error" : "");
  }

  function describe(node) {
    const amount = amounts();
    let below = 0;
    for (const child of childrenOf(node)) below += amount[child];
    return nameOf(node) + "\n" + amountText(amount[node]) + eachText() + ", " + shareText(amount[node]) +
      " of all" + changeText(node) + "\nitself, or functions below 0.1 %: " + amountText(amount[node] - below);
  }

  function shareText(part) {
    const all = amounts()[0];
    return (all ? 100 * part / all : 0).toFixed(1) + " %";
  }

  function unsampledText() {
    const runs = compared ? unsampled().map(letterOf).join(" and ") + ": " : "";
    return unsampled().length ? " CPU time: n/a, " + runs + "no process was sampled (CUPPING_CPU_HZ=0)." : "";
  }

  // The amount of all boxes, of the widened one, and of those that match the search.
  function totalText() {
    const amount = amounts(), { title } = choice().slice;
    if (!amount[0] && weight().name === "cpu") return "No sample found these tasks on a core.";
    if (!amount[0]) return "These tasks have no " + weight().title + "." + unsampledText();
    return weight().title + " of " + (title || "(no name)") + ": " + amountText(amount[0]) + eachText() +
      changeText(0) + "." + unsampledText() + (state.zoom ? " Widened: " + shortOf(state.zoom) + ", " +
        amountText(amount[state.zoom]) + ", " + shareText(amount[state.zoom]) + "." : "") + foundText();
  }

  const matches = (node) => state.search !== "" && node !== 0 &&
    nameOf(node).toLowerCase().includes(state.search.toLowerCase());

  // A stack counts once, for the outermost function that matches.
  function foundText() {
    if (!state.search) return "";
    let sum = 0, count = 0;
    (function searchFrom(node) {
      if (matches(node)) {
        sum += amounts()[node];
        count++;
        return;
      }
      childrenOf(node).forEach(searchFrom);
    })(0);
    return " Found: " + count + (count === 1 ? " box, " : " boxes, ") + amountText(sum) + ", " +
      shareText(sum) + " of all.";
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
  const list = make("select", {});
  choices.forEach((one, i) => {
    const option = make("option", { value: i, textContent: one.title });
    let group = list.lastElementChild;
    if (one.group && !(group && group.label === one.group)) {
      group = make("optgroup", { label: one.group });
      list.append(group);
    }
    (one.group ? group : list).append(option);
  });
  list.setAttribute("aria-label", compared ? "Runs" : "Tasks");
  list.addEventListener("change", () => { state.choice = Number(list.value); reset(); });
  list.hidden = choices.length < 2;
  const search = make("input", { type: "search", placeholder: "search" });
  search.setAttribute("aria-label", "Search for functions and files");
  search.addEventListener("input", () => { state.search = search.value; draw(); });
  const back = make("button", { type: "button", textContent: "show all" });
  back.addEventListener("click", () => { zoomTo(0); });
  const stack = make("div", { className: "stack" });
  const boxes = make("div", { className: "boxes", tabIndex: 0 }, stack);
  boxes.setAttribute("role", "application");
  boxes.setAttribute("aria-label", "Functions as boxes; the functions that they call are below. Arrow keys " +
    "move from box to box, Enter widens a box, Escape shows all.");
  const total = make("p", { className: "total" });
  total.setAttribute("role", "status");
  const gone = make("p", { className: "gone", hidden: !compared });
  const shaded = (paint, kind) => data.shades.map((share, i) =>
    [paint, i ? "by " + 100 * share + " %" : kind, opacities[i + 1]]);
  const legend = compared
    ? [...shaded("blue", "less"), ["grey", "no visible change", opacities[0]],
      ...shaded("red", "more")]
    : data.kinds.map((kind, i) => [paints[i], kind, 45]);
  const kinds = make("ul", { className: "kinds" }, ...legend.map(([paint, kind, opacity]) => {
    const swatch = make("i");
    swatch.style.background = colour(paint, opacity);
    return make("li", {}, swatch, kind);
  }));
  place.append(make("div", { className: "controls" }, weights, list, search, back), total, boxes, gone, kinds);
  place.hidden = false;

  function colour(paint, percent) {
    return "color-mix(in srgb, var(--" + paint + ") " + percent + "%, var(--paper))";
  }

  function colourOf(node) {
    if (!compared) return node ? colour(paints[kindOf(node)], 45) : "var(--grid)";
    const shade = shadeOf(node);
    return colour(shade < 0 ? "blue" : shade > 0 ? "red" : "grey", opacities[Math.abs(shade)]);
  }

  // ---- drawing ------------------------------------------------------------------------------------

  let shown = new Map();

  function addBox(node, row, left, width, isAncestor) {
    const box = make("div", { className: "box", textContent: width > 0.012 ? shortOf(node) : "" });
    box.style.left = 100 * left + "%";
    box.style.width = 100 * width + "%";
    box.style.top = row * ROW + "px";
    box.style.background = colourOf(node);
    if (width <= 0.012) box.style.padding = "0";
    box.dataset.node = node;
    box.classList.toggle("other", isAncestor && node !== 0);
    box.classList.toggle("found", matches(node));
    stack.append(box);
    shown.set(node, box);
  }

  // One row in place of several callers, which begin the thread and the task.
  function addFold(count, row) {
    const box = make("div", { className: "box other fold", textContent: "\u2026 " + count + " callers: show" });
    box.style.top = row * ROW + "px";
    box.style.width = "100%";
    box.addEventListener("click", unfold);
    stack.append(box);
  }

  function unfold() {
    state.unfolded = true;
    draw();
  }

  // Returns how many rows the callers of the widened box take.
  function addCallers() {
    const above = ancestorsOf(state.zoom), middle = above.slice(1, -1);
    const folds = middle.length >= FOLDED && !state.unfolded;
    let rows = 0;
    for (const node of above) {
      if (!folds || !middle.includes(node)) addBox(node, rows++, 0, 1, true);
      else if (node === middle[0]) addFold(middle.length, rows++);
    }
    return rows;
  }

  function draw() {
    const amount = amounts(), whole = amount[state.zoom] || 1;
    stack.replaceChildren();
    shown = new Map();
    let rows = addCallers();
    for (let level = [[state.zoom, 0]]; level.length; rows++) {
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
    stack.style.height = rows * ROW + "px";
    boxes.classList.toggle("searched", state.search !== "");
    back.disabled = state.zoom === 0;
    total.textContent = totalText();
    [...weights.children].forEach((button, i) => {
      button.disabled = !isMeasured(data.weights[i]);
      button.setAttribute("aria-pressed", String(i === state.weight));
    });
    gone.textContent = compared ? goneText() : "";
    mark(state.now);
  }

  function mark(node) {
    if (shown.has(state.now)) shown.get(state.now).classList.remove("now");
    state.now = shown.has(node) ? node : state.zoom;
    if (state.now || document.activeElement === boxes) shown.get(state.now).classList.add("now");
  }

  // Describes a box at the pointer, or below it if a key chose it.
  function tell(node, event) {
    mark(node);
    const box = shown.get(state.now);
    if (!event) box.scrollIntoView({ block: "nearest" });
    if (amounts()[0]) window.cuppingTip.show(box, describe(state.now), event);
  }

  function zoomTo(node) {
    state.zoom = state.now = node;
    state.unfolded = false;
    draw();
  }

  // Zooms to where stacks begin to differ or the user's own code begins. A few stacks may begin otherwise.
  function reset() {
    if (!isMeasured(weight())) {
      const found = data.weights.findIndex((one) => isMeasured(one) && choice().slice[one.name][0]);
      state.weight = found < 0 ? data.weights.findIndex(isMeasured) : found;
    }
    state.zoom = state.now = 0;
    state.unfolded = false;
    for (;;) {
      const [widest] = childrenOf(state.zoom);
      if (!widest || amounts()[widest] < SHARED * amounts()[state.zoom] || kindOf(widest) === 0) break;
      state.zoom = state.now = widest;
    }
    draw();
  }

  // ---- pointer and keys ---------------------------------------------------------------------------

  const nodeAt = (event) => {
    const box = event.target.closest(".box:not(.fold)");
    return box ? Number(box.dataset.node) : -1;
  };
  const point = (event) => {
    if (nodeAt(event) >= 0) tell(nodeAt(event), event);
    else window.cuppingTip.hide();
  };
  boxes.addEventListener("pointermove", point);
  boxes.addEventListener("pointerdown", point);
  boxes.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") window.cuppingTip.hide(); });
  boxes.addEventListener("blur", window.cuppingTip.hide);
  boxes.addEventListener("click", (event) => {
    if (nodeAt(event) < 0) return;
    zoomTo(nodeAt(event));
    tell(state.zoom, event);
  });

  function goUp() {
    const above = parentOf(state.now);
    if (!shown.has(above)) unfold();
    tell(above);
  }

  function zoomByKey(node) {
    zoomTo(node);
    tell(node);
  }

  function beside(step) {
    if (!state.now) return 0;
    const siblings = childrenOf(parentOf(state.now)).filter((node) => shown.has(node));
    return siblings[siblings.indexOf(state.now) + step] ?? state.now;
  }

  const keys = {
    ArrowUp: goUp,
    ArrowDown: () => tell(childrenOf(state.now).find((node) => shown.has(node)) ?? state.now),
    ArrowLeft: () => tell(beside(-1)),
    ArrowRight: () => tell(beside(1)),
    Enter: () => zoomByKey(state.now),
    Escape: () => { zoomTo(0); window.cuppingTip.hide(); },
    Home: () => zoomByKey(0),
  };
  boxes.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });

  reset();
})();
