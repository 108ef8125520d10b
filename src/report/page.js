// Sorting and searching of the sample table; everything else works without.
(() => {
  document.documentElement.classList.add("js");
  const table = document.getElementById("table");
  if (!table) return;
  const heads = [...table.tHead.rows[0].cells];
  const valueOf = (body, column) => {
    const cell = body.rows[0].cells[column];
    if (!cell) return "";
    const text = cell.textContent;
    const number = parseFloat(text);
    return column > 2 ? (Number.isNaN(number) ? -Infinity : number) : text;
  };
  const sort = (column) => {
    const head = heads[column];
    const first = column > 2 ? "descending" : "ascending";
    const second = column > 2 ? "ascending" : "descending";
    const order = head.getAttribute("aria-sort") === first ? second : first;
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const rows = [...table.tBodies].map((body) => [valueOf(body, column), body]);
    rows.sort(([a], [b]) => sign * (typeof a === "number" ? (a === b ? 0 : a < b ? -1 : 1) : a.localeCompare(b)));
    table.append(...rows.map(([, body]) => body));
  };
  heads.forEach((head, column) => {
    head.tabIndex = 0;
    head.addEventListener("click", () => sort(column));
    head.addEventListener("keydown", (event) => {
      if (event.key === "Enter") sort(column);
    });
  });
  const search = document.getElementById("search");
  const bodies = [...table.tBodies];
  const texts = bodies.map((body) => body.textContent.toLowerCase());
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    bodies.forEach((body, i) => {
      body.hidden = !words.every((word) => texts[i].includes(word));
    });
  });
})();
