// The page can be read without this: it shows values under the pointer, switches what is drawn in one
// colour off and on, and sorts tables.
(function () {
  "use strict";

  // ---- values under the pointer: the titles of places, without the browser's delay --------------

  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  document.body.append(tip);

  function textOf(place) {
    const title = place.querySelector("title");
    if (title) {
      place.dataset.tip = title.textContent;
      title.remove();
    }
    return place.dataset.tip;
  }

  function show(event) {
    const place = event.target.closest(".tips rect");
    tip.hidden = !place;
    if (!place) return;
    tip.textContent = textOf(place);
    const left = Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 4);
    const below = event.clientY + 16 + tip.offsetHeight < innerHeight;
    tip.style.left = Math.max(4, left) + "px";
    tip.style.top = (below ? event.clientY + 16 : event.clientY - tip.offsetHeight - 8) + "px";
  }

  for (const svg of document.querySelectorAll(".plot svg")) {
    const title = svg.querySelector(":scope > title");
    svg.setAttribute("aria-label", title.textContent);
    svg.removeAttribute("aria-labelledby");
    title.remove(); // browsers would show it wherever the pointer is
    svg.addEventListener("pointermove", show);
    svg.addEventListener("pointerleave", () => { tip.hidden = true; });
  }

  // ---- legends -----------------------------------------------------------------------------------

  function isPainted(element, paint) {
    return ["fill", "stroke", "style"].some(
      (name) => (element.getAttribute(name) || "").includes("var(--" + paint + ")"));
  }

  function toggle(button) {
    const shown = button.getAttribute("aria-pressed") !== "true";
    const svg = button.closest(".plot").querySelector("svg");
    button.setAttribute("aria-pressed", String(shown));
    for (const element of svg.querySelectorAll("*"))
      if (isPainted(element, button.dataset.paint)) element.classList.toggle("off", !shown);
  }

  for (const keys of document.querySelectorAll(".keys")) {
    keys.hidden = false;
    for (const button of keys.querySelectorAll("button"))
      button.addEventListener("click", () => toggle(button));
  }

  // ---- tables ------------------------------------------------------------------------------------

  const words = new Intl.Collator("en", { numeric: true });

  function valueOf(row, column) {
    const cell = row.cells[column];
    return cell.classList.contains("n") && cell.dataset.n !== undefined
      ? Number(cell.dataset.n) : cell.textContent;
  }

  // What is not known comes last, whichever the direction.
  function compare(a, b, sign) {
    const number = typeof a === "number", other = typeof b === "number";
    if (number !== other) return number ? -1 : 1;
    return sign * (number ? a - b : words.compare(a, b));
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
    if (!table.tHead || table.tBodies[0].rows.length < 2) continue;
    for (const heading of table.tHead.querySelectorAll("th")) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sort(table, heading));
    }
  }
})();
