// Sorting, enlarging and zooming, for who allows scripts; without them the page says the same.
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
  // A part of the time of a picture over time, as shares of the whole.
  const zoomable = (figure, caption) => {
    const plots = [...figure.querySelectorAll(".plot")].map((plot) => {
      const [left, top, width, height] = plot.getAttribute("viewBox").split(" ").map(Number);
      const tick = plot.ownerSVGElement.querySelector(".xtick");
      return { plot, left, top, width, height, end: Number(plot.dataset.end), tick };
    });
    let [from, to] = [0, 1];
    const ticks = ({ plot, left, width, end, tick }) => {
      for (const old of plot.ownerSVGElement.querySelectorAll(".xtick")) old.remove();
      const least = ((to - from) * end) / 5;
      const power = 10 ** Math.floor(Math.log10(least));
      const step = power * [1, 2, 5, 10].find((n) => n * power >= least * 0.999);
      for (let n = Math.ceil((from * end) / step - 1e-9); n * step <= to * end * 1.000001; n++) {
        const made = tick.cloneNode();
        made.setAttribute("x", left + ((n * step) / end - from) / (to - from) * width);
        made.textContent = `${Number((n * step).toPrecision(6))} s`;
        plot.ownerSVGElement.append(made);
      }
    };
    const show = (start, end) => {
      const span = Math.min(Math.max(end - start, 0.005), 1);
      from = Math.min(Math.max(start, 0), 1 - span);
      to = from + span;
      for (const of of plots) {
        const { plot, left, top, width, height } = of;
        plot.setAttribute("viewBox", `${left + from * width} ${top} ${span * width} ${height}`);
        if (of.tick) ticks(of);
      }
    };
    for (const { plot, left, width } of plots) {
      let pressed = null;
      const svg = plot.ownerSVGElement;
      const whole = Number(svg.getAttribute("viewBox").split(" ")[2]);
      const share = (event) => {
        const box = svg.getBoundingClientRect();
        const x = ((event.clientX - box.left) / box.width) * whole;
        return from + ((x - left) / width) * (to - from);
      };
      svg.addEventListener("pointerdown", (event) => {
        svg.setPointerCapture(event.pointerId);
        pressed = share(event);
      });
      svg.addEventListener("pointerup", (event) => {
        if (pressed === null) return;
        const [low, high] = [pressed, share(event)].sort((a, b) => a - b);
        pressed = null;
        if (high - low > (to - from) * 0.02) show(low, high);
      });
    }
    const quarter = () => (to - from) / 4;
    const buttons = [
      ["zoom in", () => show(from + quarter(), to - quarter())],
      ["earlier", () => show(from - quarter() * 2, to - quarter() * 2)],
      ["later", () => show(from + quarter() * 2, to + quarter() * 2)],
      ["whole", () => show(0, 1)],
    ];
    for (const [words, act] of buttons) button(caption, words).onclick = act;
    return () => show(0, 1);
  };
  for (const figure of document.querySelectorAll("figure")) {
    const caption = figure.querySelector("figcaption");
    if (!caption) continue;
    const drawn = figure.querySelector(".plot");
    if (!figure.closest(".charts")) {
      if (drawn) zoomable(figure, caption);
      continue;
    }
    const large = button(caption, "enlarge");
    let whole = null;
    large.onclick = () => {
      const enlarged = figure.classList.toggle("large");
      large.textContent = enlarged ? "reduce" : "enlarge";
      if (enlarged && drawn) whole ??= zoomable(figure, caption);
      else whole?.();
    };
  }
})();
