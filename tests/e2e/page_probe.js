// What a visitor would find in a page of `cupping plot --html`, as JSON in an element of its own.
(function () {
  "use strict";
  const found = {};
  const all = (selector, from) => Array.from((from || document).querySelectorAll(selector));
  const ids = all("[id]").map((element) => element.id);

  // All of it is laid out, not only what is in the window: places are those of the whole page.
  const laidOut = document.createElement("style");
  laidOut.textContent = ".plot, section > section { content-visibility: visible !important; }";
  document.head.append(laidOut);

  found.plots = all("figure.plot svg").length;
  found.advice = all(".advice li").length;
  found.tables = all("main table").length;
  found.same_ids = ids.length - new Set(ids).size;
  found.missing_ids = all("[aria-labelledby],[aria-describedby]").filter((element) =>
    ["aria-labelledby", "aria-describedby"].some((name) => element.hasAttribute(name) &&
      !document.getElementById(element.getAttribute(name)))).length;
  found.missing_references = all("svg *").filter((element) => {
    const target = element.getAttribute("xlink:href") || "";
    return target.startsWith("#") && !document.getElementById(target.slice(1));
  }).length;
  found.outside_references = all("[src],[href]").filter((element) =>
    !/^(#|data:)/.test(element.getAttribute("src") || element.getAttribute("href"))).length;
  found.dead_links = all("a[href^='#']").filter((link) => !document.getElementById(link.hash.slice(1))).length;
  found.links_to_evidence = all(".evidence a").length;
  found.links_to_plots = all("nav a[href^='#plot-']").length;
  found.links_to_tables = all("nav a[href^='#table-']").length;
  found.figures = all("figure.plot svg").map((svg) => {
    const box = svg.getBoundingClientRect();
    return [svg.closest("figure").id, box.left + scrollX, box.top + scrollY, box.width, box.height];
  });
  found.height = document.documentElement.scrollHeight;
  found.nameless_buttons = all("button").filter((button) =>
    !(button.textContent.trim() || button.getAttribute("aria-label"))).length;
  found.skipped_levels = all("h1,h2,h3,h4").map((heading) => Number(heading.tagName[1]))
    .filter((level, i, levels) => i > 0 && level > levels[i - 1] + 1).length;
  found.scripts = all("script").length;
  found.hostile_names = all("tbody th, tbody td").filter((cell) => cell.textContent.includes("<script>")).length;
  found.odd_names = all("tbody th, tbody td").filter((cell) => cell.textContent.includes("\ufffd\ufffd\"'</a>&<")).length;
  found.headings_without_scope = all("th:not([scope])").length;
  found.tables_without_caption = all("table").filter((table) => !table.caption).length;
  found.wider_than_the_window = document.documentElement.scrollWidth - innerWidth;
  found.cut_texts = all(".plot").flatMap((plot) => {
    const frame = plot.querySelector("svg").getBoundingClientRect();
    const end = plot.querySelector("svg").viewBox.baseVal.height; // below it stands the caption of a saved picture
    return all(".texts text", plot).filter((text) => {
      if (Number(text.getAttribute("y")) > end) return false;
      const box = text.getBoundingClientRect();
      return box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 ||
        box.bottom > frame.bottom + 1;
    });
  }).length;

  // Nothing is clipped: what is wider than its place can be scrolled there.
  const scrolls = (element) => element && (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  found.clipped = all("main *, nav *, header *").filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width > 1 && box.right > innerWidth + 1 && !element.closest(".unseen, svg, .stack") && !scrolls(element.parentElement);
  }).length;
  found.wide_plots = all("figure.plot svg").filter((svg) => svg.clientWidth > svg.parentElement.clientWidth + 1).length;
  found.small_letters = all("figure.plot svg").flatMap((svg) => {
    const { width, height } = svg.viewBox.baseVal, scale = svg.getBoundingClientRect().width / width;
    return all(".texts text", svg).filter((text) => Number(text.getAttribute("y")) < height &&
      Number(text.getAttribute("font-size")) * scale < 7.5).map((text) => svg.closest("figure").id + ": " + text.textContent + (Number(text.getAttribute("font-size")) * scale).toFixed(1));
  });

  // Contents: at the side or above all else.
  const nav = document.querySelector("nav").getBoundingClientRect(), main = document.querySelector("main").getBoundingClientRect();
  found.contents_open = document.querySelector(".contents").open;
  found.contents_beside = nav.right <= main.left + 1 && nav.top <= 1;
  found.contents_above = nav.bottom <= main.top + 1;
  found.first_parts = all("main h2, main h3").slice(0, 4).map((heading) => heading.textContent.replace(" #", "")).join("; ");
  found.verdict = all("header .bold").map((line) => line.textContent).join("; ");

  // Texts whose contrast to what is behind them is below 4.5, as WCAG counts it.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  function paint(colours) {
    for (const colour of colours) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    return Array.from(canvas.getImageData(0, 0, 1, 1).data.slice(0, 3));
  }
  function backgroundsOf(element) {
    return element ? [...backgroundsOf(element.parentElement), getComputedStyle(element).backgroundColor] : ["white"];
  }
  function brightness(colour) {
    const [red, green, blue] = colour.map((part) => part / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }
  function contrastOf(element) {
    const behind = backgroundsOf(element);
    const [low, high] = [paint(behind), paint([...behind, getComputedStyle(element).color])].map(brightness).sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }
  const seen = new Set(); // one of each kind is enough
  found.faint_texts = all("body *").filter((element) => {
    const kind = [element.tagName, element.className, element.parentElement.tagName, element.parentElement.className].join();
    const has_text = Array.from(element.childNodes).some((node) => node.nodeType === 3 && node.data.trim());
    if (!has_text || element.closest("svg, script, style, .unseen, button:disabled, .stack") || seen.has(kind)) return false;
    seen.add(kind);
    return contrastOf(element) < 4.5;
  }).map((element) => element.tagName + "." + element.className + " " + contrastOf(element).toFixed(2));

  function tell() {
    found.hacked = window.hack === undefined ? 0 : 1;
    found.errors = window.errors;
    const result = document.createElement("pre");
    result.id = "probe";
    result.textContent = btoa(unescape(encodeURIComponent(JSON.stringify(found))));
    document.body.append(result);
  }

  // How far the description is from the pointer, which is within the element.
  function pointAt(element, tip) {
    element.scrollIntoView({ block: "center" });
    const box = element.getBoundingClientRect(), clientX = box.left + box.width / 2, clientY = box.top + box.height / 2;
    element.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX, clientY }));
    if (tip.hidden) return 9999;
    const place = tip.getBoundingClientRect();
    return Math.round(Math.hypot(Math.max(place.left - clientX, 0, clientX - place.right),
      Math.max(place.top - clientY, 0, clientY - place.bottom)));
  }

  // Functions as boxes: one of them is widened by a key, and as wide as before after another; what is searched
  // for is framed; another weight has other boxes.
  function tryFlame(flame) {
    const boxes = flame.querySelector(".boxes"), total = flame.querySelector(".total");
    const tip = document.getElementById("tip"), back = flame.querySelector(".controls > button");
    const search = flame.querySelector("input"), weights = all(".weights button", flame);
    const press = (key) => boxes.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    const box = (name) => all(".box", boxes).find((one) => one.textContent === name);
    const width = (name) => Math.round(parseFloat(box(name).style.width));
    const seek = (what) => {
      search.value = what;
      search.dispatchEvent(new Event("input", { bubbles: true }));
    };
    found.flame_hidden = flame.hidden ? 1 : 0;
    found.flame_colourless = all(".box, .kinds i", flame) // with high contrast
      .filter((one) => getComputedStyle(one).forcedColorAdjust !== "none").length;
    press("Escape");
    found.flame_width = width("process:12");
    found.flame_tip_away = pointAt(box("process:12"), tip);
    found.flame_said = tip.textContent;
    press("Enter");
    found.flame_zoomed = width("process:12");
    found.flame_beside = box("process:11") ? 1 : 0;
    found.flame_widened = total.textContent;
    box("decompress").click(); // deeper: its callers share one row
    found.flame_rows = all(".box", boxes).length;
    const fold = boxes.querySelector(".fold");
    found.flame_folded = fold ? fold.textContent : "";
    if (fold) fold.click();
    found.flame_unfolded = all(".box", boxes).length;
    back.click();
    found.flame_back_left = back.disabled ? 0 : 1;
    found.flame_unzoomed = width("process:12");
    press("Escape");
    press("ArrowDown");
    found.flame_below = tip.textContent;
    found.flame_too_high = boxes.clientHeight > 0.7 * innerHeight ? 1 : 0;
    seek("COMPRESS");
    found.flame_framed = all(".found", boxes).map((one) => one.textContent).join();
    found.flame_bright = all(".box", boxes).filter((one) => getComputedStyle(one).opacity > 0.5).map((one) => one.textContent).join();
    found.flame_found = total.textContent;
    seek("");
    found.flame_frames_left = all(".found", boxes).length;
    found.flame_dim_left = all(".box", boxes).filter((one) => getComputedStyle(one).opacity < 0.5).length;
    weights.find((one) => one.textContent === "bytes read").click();
    found.flame_pressed = weights.filter((one) => one.getAttribute("aria-pressed") === "true")
      .map((one) => one.textContent).join();
    found.flame_other = box("process:11") || box("decompress") || !box("array") ? 1 : 0;
    found.flame_groups = all("optgroup", flame).map((group) => group.label).join("; ");
    found.flame_slices = all("optgroup", flame).map((group) => {
      choose(flame, group.firstElementChild.value);
      press("Escape");
      return total.textContent;
    });
  }

  function choose(flame, value) {
    const list = flame.querySelector("select");
    list.value = value;
    list.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // Two runs: boxes have the colours of their changes, what is gone is reported, and they can be exchanged.
  function tryFlameOfRuns(flame) {
    const boxes = flame.querySelector(".boxes"), said = document.getElementById("tip");
    const box = (name) => all(".box", boxes).find((one) => one.textContent === name);
    const colours = () => new Set(all(".box", boxes).map((one) => one.style.background)).size;
    const point = (name) => box(name).dispatchEvent(new PointerEvent("pointermove", { bubbles: true }));
    found.flame_choices = all("option", flame).length;
    point("decompact_");
    found.flame_new = said.textContent;
    found.flame_new_colour = box("decompact_").style.background;
    point("process");
    found.flame_same = said.textContent;
    found.flame_same_colour = box("process").style.background;
    found.flame_gone = flame.querySelector(".gone").textContent;
    found.flame_colours = colours();
    all(".weights button", flame).find((one) => one.textContent === "bytes read").click();
    found.flame_measured = flame.querySelector(".total").textContent;
    all(".weights button", flame)[0].click();
    choose(flame, 1);
    found.flame_exchanged = box("decompress") && !box("decompact_") ? 1 : 0;
  }
  // Weights that were not measured cannot be chosen.
  const flame = document.getElementById("flame");
  found.flame_disabled = flame ? all(".weights button:disabled", flame).map((one) => one.textContent).join() : "";
  found.flame_begins = flame ? flame.querySelector(".total").textContent : "";
  if (flame && !found.flame_disabled) (flame.querySelector("select").getAttribute("aria-label") === "Runs" ? tryFlameOfRuns : tryFlame)(flame);

  // A heading is pressed twice: the largest first, then the smallest.
  // A page of a run without tasks has no table to sort, or plot to point at: it has errors, or not.
  const heading = all("thead th.n").find((one) => one.closest("table").tBodies[0].rows.length > 5);
  const plot = document.getElementById("plot-worker-count") || document.getElementById("plot-compare-budget");
  if (!heading || !plot) return tell();
  const table = heading.closest("table");
  const numbers = () => Array.from(table.tBodies[0].rows, (row) => row.cells[heading.cellIndex].dataset.n)
    .filter((number) => number !== undefined).map(Number);
  const ordered = (sign) => numbers().every((value, i, values) => i === 0 || sign * (value - values[i - 1]) >= 0);
  const rows = table.tBodies[0].rows.length;
  heading.querySelector("button").click();
  found.sorted_down = ordered(-1) && heading.getAttribute("aria-sort") === "descending";
  heading.querySelector("button").click();
  found.sorted_up = ordered(1) && heading.getAttribute("aria-sort") === "ascending";
  found.rows_lost = rows - table.tBodies[0].rows.length;
  found.different_numbers = new Set(numbers()).size;

  // Each table by each of its columns: what is not known comes last in both directions.
  const unknown = /^(n\/a.*|\(not known\))?$/;
  found.unknown_first = 0;
  found.unknown_sorted = 0;
  found.names_sorted = found.names_unsorted = 0;
  for (const one of all("main table")) for (const button of all("thead button", one)) for (let i = 0; i < 2; i++) {
    button.click();
    const known = Array.from(one.tBodies[0].rows, (row) => !unknown.test(row.cells[button.parentElement.cellIndex].textContent.trim()));
    if (known.includes(true) && known.includes(false)) found.unknown_sorted++;
    if (i === 0 && !button.parentElement.classList.contains("n")) {
      const names = Array.from(one.tBodies[0].rows, (row) => row.cells[button.parentElement.cellIndex].textContent.trim()).filter((name) => !unknown.test(name));
      const inOrder = names.every((name, k) => k === 0 || name.localeCompare(names[k - 1], "en", { numeric: true }) >= 0);
      found[inOrder ? "names_sorted" : "names_unsorted"]++;
    }
    found.unknown_first += known.indexOf(false) >= 0 && known.indexOf(false) < known.lastIndexOf(true) ? 1 : 0;
  }

  found.nameless_rows = all("main tbody th").filter((one) => !one.textContent.trim()).length;

  // A key of a legend is switched off, and on again.
  const key = plot.querySelector(".keys button");
  key.click();
  found.switched_off = all(".off", plot).length;
  found.pressed = key.getAttribute("aria-pressed");
  key.click();
  found.still_off = all(".off", plot).length;

  // The pointer comes near a place; then arrow keys go from place to place, and Escape leaves.
  const svg = plot.querySelector("svg"), tip = document.getElementById("tip"), frame = svg.parentElement;
  const spoken = document.querySelector("[aria-live]");
  const press = (key) => frame.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  found.tip_away = pointAt(all(".tips rect", plot).pop(), tip);
  const box = plot.querySelector(".tips rect").getBoundingClientRect();
  svg.dispatchEvent(new PointerEvent("pointermove",
    { bubbles: true, clientX: box.right + 2, clientY: box.top + box.height / 2 }));
  found.tip = tip.hidden ? "" : tip.textContent;
  found.titles_left = all(".tips title", svg).length;
  press("ArrowRight");
  found.next_tip = tip.hidden ? "" : tip.textContent;
  found.spoken = spoken.textContent;
  press("Escape");
  found.tip_left = tip.hidden ? 0 : 1;

  // What is saved: caught before it becomes a file.
  const saved = [];
  const makeUrl = URL.createObjectURL;
  URL.createObjectURL = (blob) => { saved.push(blob); return makeUrl(blob); };
  HTMLAnchorElement.prototype.click = () => {};
  const savers = all(".saves button", plot);
  savers.forEach((button) => button.click());
  const section = table.closest("section");
  all(":scope > .save", section)[all("table", section).indexOf(table)].click();
  const rows_of_csv = table.rows.length, csvs = [];
  const prefixes = document.querySelector("#table-tasks-by-prefix .save");
  const [first] = prefixes.closest("section").querySelector("tbody").rows;
  first.cells[0].textContent = "+5+cmd|'/c calc'!A0";
  first.cells[1].textContent = "+12.5 MB/s";
  prefixes.click();

  async function finish() {
    for (let i = 0; i < 100 && saved.length < 4; i++) await new Promise((done) => setTimeout(done, 50));
    for (const blob of saved) {
      const text = blob.type === "image/png" ? "" : await blob.text();
      if (blob.type === "image/svg+xml") {
        const root = new DOMParser().parseFromString(text, blob.type).documentElement;
        found.saved_svg = root.tagName === "svg" && root.querySelectorAll("path").length > 3 &&
          root.querySelectorAll("text").length > 3 && !text.includes("var(") && !root.querySelector("rect title");
      } else if (blob.type === "image/png") {
        const head = new DataView(await blob.arrayBuffer()); // width and height stand in a PNG's head
        found.saved_png = blob.size > 5000 && head.getUint32(16) > 1000 && head.getUint32(20) > 300;
      } else {
        csvs.push(text.trim());
        found.saved_texts = csvs[csvs.length - 1];
        found.saved_heads = csvs.map((csv) => csv.split("\r\n")[0]).join("; ");
        found.saved_rows = csvs[0].split("\r\n").length - rows_of_csv;
      }
    }
    tell();
  }

  finish();
})();
