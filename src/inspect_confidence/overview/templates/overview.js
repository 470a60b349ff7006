// Sorts the matrix and chooses its models and studies; the page is whole without it.
(() => {
  const tables = [...document.querySelectorAll(".matrix table")];
  if (!tables.length) return;
  tables.forEach((table) => {
    const body = table.tBodies[0];
    const lines = [...body.rows];
    const heads = [table.tHead.rows[0].cells[0], ...table.tHead.rows[1].cells];
    const value = (line, place) => parseFloat(line.cells[place].dataset.sort);
    const name = (line) => line.cells[0].querySelector("bdi").textContent.trim();
    heads.forEach((head, place) => {
      const label = head.querySelector("span") ?? head;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...label.childNodes);
      label.append(button);
      if (label.hasAttribute("aria-describedby")) {
        // The button takes the focus and the definition of the heading.
        button.setAttribute("aria-describedby", label.getAttribute("aria-describedby"));
        label.removeAttribute("aria-describedby");
        label.removeAttribute("tabindex");
      }
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((one) => one.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        lines.sort((a, b) => {
          if (place === 0) return name(a).localeCompare(name(b)) * (up ? 1 : -1);
          const [one, other] = [value(a, place), value(b, place)];
          if (isNaN(one) || isNaN(other)) return isNaN(one) - isNaN(other);
          return (one - other) * (up ? 1 : -1);
        });
        body.append(...lines);
      });
    });
    // One stop of the tab key in the matrix; the arrow keys go on from there.
    const cells = () => [...body.querySelectorAll("td[data-sort]")].filter((one) => one.offsetParent);
    cells().forEach((one, k) => { one.tabIndex = k ? -1 : 0; });
    body.addEventListener("keydown", (event) => {
      const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
      const from = event.target.closest("td");
      if (!step || !from) return;
      const rows = [...body.rows].filter((one) => !one.hidden);
      let [row, place] = [rows.indexOf(from.parentNode), from.cellIndex];
      let to;
      do {
        [row, place] = [row + step[0], place + step[1]];
        to = rows[row]?.cells[place];
      } while (to && (to.hidden || to.tabIndex < -1 || !to.dataset.sort) && to.tagName === "TD");
      if (to?.tagName !== "TD") return;
      from.tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
      event.preventDefault();
    });
  });
  const choose = document.getElementById("choose");
  const picked = (kind) => new Set([...choose.querySelectorAll(`[name=${kind}]:checked`)].map((one) => one.value));
  choose.hidden = false;
  choose.addEventListener("change", () => {
    const [studies, models] = [picked("study"), picked("model")];
    document.querySelectorAll("[data-study]").forEach((one) => { one.hidden = !studies.has(one.dataset.study); });
    document.querySelectorAll("[data-model]").forEach((one) => { one.hidden = !models.has(one.dataset.model); });
    // Models of which nothing is left to see.
    tables.flatMap((table) => [...table.tBodies[0].rows]).forEach((line) => { line.hidden ||= ![...line.cells].some((one) => one.dataset.sort && !one.hidden); });
  });
})();
