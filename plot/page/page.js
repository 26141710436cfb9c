// The page can be read without this script. It shows the values under the pointer or chosen with the arrow
// keys, hides shapes of one colour, sorts tables, folds the contents on a narrow window, and saves plots and
// tables as files.
(function () {
  "use strict";

  function make(name, properties, ...children) {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  }

  // ---- contents ----------------------------------------------------------------------------------

  const contents = document.querySelector(".contents"), narrow = matchMedia("(max-width: 64rem)");
  const fold = () => { contents.open = !narrow.matches; };
  narrow.addEventListener("change", fold);
  contents.addEventListener("click", (event) => { if (event.target.closest("a")) fold(); });
  fold();

  // ---- hover texts, shown without the browser's delay -------------------------------------------

  const tip = make("div", { id: "tip", hidden: true });
  const spoken = make("div", { className: "unseen" });
  const reach = 16; // the pointer may be this many points away from a place
  let marked = null, pointed = false;
  spoken.setAttribute("aria-live", "polite");
  document.body.append(tip, spoken);

  function hide() {
    tip.hidden = true;
    if (marked) marked.classList.remove("on");
    marked = null;
  }

  // Within the window: below and to the right of the point if there is room, and never below a finger.
  function putAt(x, y, gap) {
    const below = y + gap + tip.offsetHeight < innerHeight;
    tip.style.left = Math.max(4, Math.min(x + gap / 2, innerWidth - tip.offsetWidth - 4)) + "px";
    tip.style.top = (below ? y + gap : Math.max(4, y - tip.offsetHeight - gap / 2)) + "px";
  }

  function putBeside(element) {
    const box = element.getBoundingClientRect();
    putAt(Math.max(0, box.left), Math.min(box.bottom, innerHeight), 8);
  }

  // Shows a text for an element: at the pointer, or beside the element if a key chose it.
  function show(element, text, event) {
    if (marked !== element) {
      hide();
      marked = element;
      marked.classList.add("on");
    }
    tip.textContent = text;
    tip.hidden = false;
    pointed = event !== undefined;
    if (pointed) return putAt(event.clientX, event.clientY, 18);
    putBeside(element);
    spoken.textContent = text;
  }

  window.cuppingTip = { show, hide };

  // Removes the titles after reading them: browsers would show them as well.
  function placesOf(svg) {
    return Array.from(svg.querySelectorAll(".tips rect"), (rect) => {
      const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(rect.getAttribute(name)));
      const title = rect.querySelector("title");
      title.remove();
      return { rect, x, y, width, height, text: title.textContent };
    });
  }

  function distance(place, x, y) {
    const across = Math.max(place.x - x, 0, x - place.x - place.width);
    const down = Math.max(place.y - y, 0, y - place.y - place.height);
    return Math.hypot(across, down);
  }

  // Of places at the same distance, the last one wins: it is drawn above the others.
  function nearest(places, x, y) {
    let best = null, least = reach;
    for (const place of places) {
      if (place.rect.classList.contains("off")) continue;
      const away = distance(place, x, y);
      if (away <= least) [best, least] = [place, away];
    }
    return best;
  }

  function addHoverTexts(svg) {
    let places = null, at = -1;
    const known = () => (places = places || placesOf(svg));
    const point = (event) => {
      const here = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const place = nearest(known(), here.x, here.y);
      if (!place) return hide();
      at = places.indexOf(place);
      show(place.rect, place.text, event);
    };
    const step = (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape") hide();
      const shown = known().filter((place) => !place.rect.classList.contains("off"));
      if (!by || event.target !== event.currentTarget || shown.length === 0) return;
      const from = shown.indexOf(places[at]);
      const place = shown[from < 0 ? (by > 0 ? 0 : shown.length - 1) : (from + by + shown.length) % shown.length];
      at = places.indexOf(place);
      event.preventDefault();
      place.rect.scrollIntoView({ block: "nearest", inline: "nearest" });
      show(place.rect, place.text);
    };
    svg.addEventListener("pointermove", point);
    svg.addEventListener("pointerdown", point);
    svg.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hide(); });
    svg.parentElement.setAttribute("aria-description", "left and right arrow keys go from value to value");
    svg.parentElement.addEventListener("keydown", step);
    svg.parentElement.addEventListener("blur", () => { if (svg.contains(marked)) hide(); });
  }

  addEventListener("scroll", () => {
    if (marked && pointed) hide();
    else if (marked) putBeside(marked);
  }, { capture: true, passive: true });

  for (const svg of document.querySelectorAll(".plot svg")) {
    const title = svg.querySelector(":scope > title");
    svg.setAttribute("aria-label", title.textContent);
    svg.removeAttribute("aria-labelledby");
    title.remove(); // browsers would show it at every place of the plot
    addHoverTexts(svg);
  }

  // ---- files -------------------------------------------------------------------------------------

  const runName = document.querySelector("h1").textContent.replace(/[^\w.-]+/g, "-");

  function save(blob, name) {
    const link = make("a", { href: URL.createObjectURL(blob), download: runName + "-" + name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  function makeSaveButton(text, what, action) {
    const button = make("button", { type: "button", className: "save", title: "Save " + what }, text);
    button.setAttribute("aria-label", "Save " + what + " as " + text);
    button.addEventListener("click", action);
    return button;
  }

  // The saved picture has the current colours of the page, light or dark, and its caption.
  function pictureOf(svg) {
    const copy = svg.cloneNode(true), style = getComputedStyle(document.documentElement);
    const rules = document.getElementById("drawing").textContent
      .replace(/var\((--\w+)\)/g, (_, name) => style.getPropertyValue(name));
    copy.querySelector(".tips").remove();
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("class", "plot");
    copy.setAttribute("viewBox", "0 0 " + svg.viewBox.baseVal.width + " " + svg.dataset.height);
    copy.setAttribute("width", svg.viewBox.baseVal.width + "pt");
    copy.setAttribute("height", svg.dataset.height + "pt");
    const inside = document.createElementNS("http://www.w3.org/2000/svg", "style");
    inside.textContent = rules;
    copy.prepend(inside);
    return new XMLSerializer().serializeToString(copy);
  }

  function saveSvg(svg, name) {
    save(new Blob([pictureOf(svg)], { type: "image/svg+xml" }), name + ".svg");
  }

  function savePng(svg, name) {
    const image = new Image(), { width } = svg.viewBox.baseVal, height = Number(svg.dataset.height), scale = 4;
    image.addEventListener("load", () => {
      const canvas = make("canvas", { width: width * scale, height: height * scale });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(blob, name + ".png"), "image/png");
    });
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(pictureOf(svg));
  }

  // Writes exact numbers, not the rounded ones that the table shows. Their unit is in the heading, or, if a column
  // has several, in a last column.
  function csvOf(table) {
    const isFigure = (text) => /^[+-][\d.,]+[\w% ]*(\/s)?$/.test(text);
    const harmless = (text) => /^[=+\-@][^]/.test(text) && !isFigure(text) ? "'" + text : text; // no formula
    const quoted = (text) => /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
    const isHead = (row) => row.parentElement === table.tHead;
    const textOf = (row, cell) => cell.dataset.n || harmless(cell.textContent.trim() +
      (isHead(row) && cell.dataset.unit ? " [" + cell.dataset.unit + "]" : ""));
    const unitOf = (row) => isHead(row) ? "unit" : row.querySelector("[data-unit]")?.dataset.unit ?? "";
    const units = table.tBodies[0].querySelector("[data-unit]") !== null;
    return Array.from(table.rows, (row) => [...Array.from(row.cells, (cell) => textOf(row, cell)),
      ...(units ? [unitOf(row)] : [])].map(quoted).join(",") + "\r\n").join("");
  }

  // ---- legends -----------------------------------------------------------------------------------

  function toggle(button) {
    const shown = button.getAttribute("aria-pressed") !== "true";
    const svg = button.closest(".plot").querySelector("svg");
    button.setAttribute("aria-pressed", String(shown));
    for (const element of svg.querySelectorAll("." + button.dataset.paint)) element.classList.toggle("off", !shown);
    hide();
  }

  for (const keys of document.querySelectorAll(".keys")) {
    const svg = keys.closest(".plot").querySelector("svg"), name = keys.closest(".plot").id.slice(5);
    for (const button of keys.querySelectorAll("button")) button.addEventListener("click", () => toggle(button));
    keys.append(make("li", { className: "saves" },
      makeSaveButton("SVG", "this plot", () => saveSvg(svg, name)), makeSaveButton("PNG", "this plot", () => savePng(svg, name))));
    keys.hidden = false;
  }

  // ---- tables ------------------------------------------------------------------------------------

  const words = new Intl.Collator("en", { numeric: true });

  function valueOf(row, column) {
    const cell = row.cells[column];
    const number = cell.classList.contains("n") ? cell.dataset.n ?? cell.dataset.sort : undefined;
    return number !== undefined ? Number(number) : cell.textContent.trim();
  }

  // Unknown values come last in both directions, and texts after numbers.
  function compare(a, b, sign) {
    const rank = (value) => typeof value === "number" ? 0 : /^(n\/a.*|\(not known\))?$/.test(value) ? 2 : 1;
    if (rank(a) !== rank(b)) return rank(a) - rank(b);
    return sign * (rank(a) ? words.compare(a, b) : a - b);
  }

  function sort(table, heading) {
    const column = heading.cellIndex, body = table.tBodies[0];
    const before = heading.getAttribute("aria-sort");
    const first = heading.classList.contains("n") ? "descending" : "ascending";
    const now = before === null ? first : before === "ascending" ? "descending" : "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", now);
    const sign = now === "ascending" ? 1 : -1;
    const rows = Array.from(body.rows, (row) => ({ row, value: valueOf(row, column) }));
    rows.sort((a, b) => compare(a.value, b.value, sign));
    body.append(...rows.map(({ row }) => row));
  }

  for (const table of document.querySelectorAll("main table")) {
    const label = table.caption.textContent, section = table.closest("section");
    const first = section.querySelector("table") === table; // its button stands next to the heading of the section
    (first ? section.firstElementChild : table.parentElement).before(makeSaveButton("CSV", "the table " + label, () =>
      save(new Blob([csvOf(table)], { type: "text/csv" }), label.replace(/[^\w]+/g, "-").toLowerCase() + ".csv")));
    if (!table.tHead || table.tBodies[0].rows.length < 2) continue;
    for (const heading of table.tHead.querySelectorAll("th")) {
      const button = make("button", { type: "button" }, ...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sort(table, heading));
    }
  }
})();
