// What a visitor would find in a page of `cupping plot --html`, as JSON in an element of its own.
(function () {
  "use strict";
  const found = {};
  const all = (selector, from) => Array.from((from || document).querySelectorAll(selector));
  const ids = all("[id]").map((element) => element.id);

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
  found.scripts = all("script").length;
  found.hostile_names = all("tbody th, tbody td").filter((cell) => cell.textContent.includes("<script>")).length;
  found.headings_without_scope = all("th:not([scope])").length;
  found.tables_without_caption = all("table").filter((table) => !table.caption).length;
  found.wider_than_the_window = document.documentElement.scrollWidth - innerWidth;
  found.cut_texts = all(".plot").flatMap((plot) => {
    const frame = plot.querySelector("svg").getBoundingClientRect();
    return all(".texts text", plot).filter((text) => {
      const box = text.getBoundingClientRect();
      return box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 ||
        box.bottom > frame.bottom + 1;
    });
  }).length;

  // A heading is pressed twice: the largest first, then the smallest.
  const heading = all("thead th.n").find((one) => one.closest("table").tBodies[0].rows.length > 5);
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

  // A key of a legend is switched off, and on again.
  const plot = document.getElementById("plot-worker-count");
  const key = plot.querySelector(".keys button");
  key.click();
  found.switched_off = all(".off", plot).length;
  found.pressed = key.getAttribute("aria-pressed");
  key.click();
  found.still_off = all(".off", plot).length;

  // The pointer comes to a place.
  const place = plot.querySelector(".tips rect"), tip = document.getElementById("tip");
  place.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: 40, clientY: 40 }));
  found.tip = tip.hidden ? "" : tip.textContent;

  found.hacked = window.hack === undefined ? 0 : 1;
  found.errors = window.errors;
  const result = document.createElement("pre");
  result.id = "probe";
  result.textContent = btoa(JSON.stringify(found));
  document.body.append(result);
})();
