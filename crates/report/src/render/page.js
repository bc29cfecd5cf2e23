// Sorting and enlarging, for who allows scripts; without them the page says the same.
(() => {
  const scale = { n: 1e-9, "µ": 1e-6, m: 1e-3, k: 1e3, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };
  const number = (text) => {
    const found = /^[^\d-]{0,3}(-?\d[\d.]*)\s*([^\s\d]*)/.exec(text.trim());
    if (!found) return null;
    const [, figure, unit] = found;
    if (unit === "min") return figure * 60;
    const prefixed = unit.length > 1 || "kMGT".includes(unit);
    return figure * ((prefixed && scale[unit[0]]) || 1);
  };
  const compare = (column) => (a, b) => {
    const [x, y] = [a, b].map((row) => row.cells[column]?.textContent ?? "");
    const [m, n] = [number(x), number(y)];
    if (m !== null && n !== null) return m - n;
    return m === n ? x.localeCompare(y) : m === null ? 1 : -1;
  };
  const sort = (table, column, down) => {
    const body = table.tBodies[0];
    let group = [];
    const put = (before) => {
      group.sort(compare(column));
      if (down) group.reverse();
      for (const row of group) body.insertBefore(row, before);
      group = [];
    };
    for (const row of [...body.rows]) {
      if (row.cells.length === 1 && row.cells[0].colSpan > 1) put(row);
      else group.push(row);
    }
    put(null);
  };
  const button = (element, words) => {
    const made = document.createElement("button");
    made.type = "button";
    made.append(...(words ? [words] : element.childNodes));
    element.append(made);
    return made;
  };
  for (const table of document.querySelectorAll("main table")) {
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
    heads.forEach((head, column) => {
      if (!head.textContent.trim()) return;
      button(head).onclick = () => {
        const down = head.ariaSort === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.ariaSort = down ? "descending" : "ascending";
        sort(table, column, down);
      };
    });
  }
  for (const figure of document.querySelectorAll(".charts figure")) {
    const caption = figure.querySelector("figcaption");
    if (!caption) continue;
    const large = button(caption, "enlarge");
    large.onclick = () => {
      large.textContent = figure.classList.toggle("large") ? "reduce" : "enlarge";
    };
  }
})();
