// Tables that can be sorted by a column, filtered, copied, and downloaded as CSV.
// Law: what is copied or downloaded are the rows that are seen, in the order in which they stand.
function tallyTables(parts) {
  const { make, clean, give } = parts, FEW = 3, MANY = 10;
  const SKIPPED = ".card-tables, #node, #told"; // small tables by the dozen, and those that come and go

  function textOf(cell) { // what is read in a cell: nothing of its pictures
    const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), out = [];
    for (let at = walk.nextNode(); at; at = walk.nextNode()) if (!at.parentElement.closest("svg, .sort-mark, .anchor")) out.push(at.data);
    return out.join(" ").replace(/\s+/g, " ").trim();
  }
  const amount = (text) => { // the first number of a text; "–" and nothing are less than all numbers
    const found = /[-+−]?[\d.,]*\d(?:e[-+]?\d+)?/i.exec(text.replace(/^[<>≥≤]\s*/, ""));
    return found ? Number(found[0].replace(/,/g, "").replace("−", "-")) : -Infinity;
  };
  const inNumbers = (texts) => texts.filter((t) => t && t !== "–").every((t) => /^[<>≥≤+−-]?\s*[\d.]/.test(t));

  function sort(table, column, button) {
    const body = table.tBodies[0], down = button.getAttribute("aria-pressed") !== "true" || button.dataset.way === "up";
    const rows = [...body.rows], texts = rows.map((r) => textOf(r.cells[column])), numbers = inNumbers(texts);
    const keys = new Map(rows.map((r, k) => [r, numbers ? amount(texts[k]) : texts[k]]));
    const order = (a, b) => (numbers ? keys.get(a) - keys.get(b) : keys.get(a).localeCompare(keys.get(b), "en", { numeric: true }));
    const way = numbers === down ? -1 : 1; // numbers begin with the largest, names with the first letter
    body.append(...rows.sort((a, b) => way * order(a, b)));
    table.querySelectorAll(".sort").forEach((b) => {
      b.setAttribute("aria-pressed", String(b === button));
      b.dataset.way = b === button ? (down ? "down" : "up") : "";
      b.closest("th").setAttribute("aria-sort", b !== button ? "none" : way > 0 ? "ascending" : "descending");
      b.lastElementChild.textContent = b !== button ? "" : way > 0 ? " ↑" : " ↓";
    });
  }

  const heads = (table) => [...table.tHead.rows[0].cells].map((c, k) => textOf(c) || (k ? "" : "row"));
  const lines = (table) => [heads(table), ...[...table.tBodies[0].rows].filter((r) => !r.hidden).map((r) => [...r.cells].map(textOf))];
  function cell(text) { // as a spreadsheet takes it: a text that would be a formula is kept a text
    const safe = /^[=@\t\r]|^[-+](?![\d.])/.test(text) ? "'" + text : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
  }
  const csv = (table) => lines(table).map((l) => l.map(cell).join(",")).join("\r\n") + "\r\n";

  function told(button, text) {
    const own = button.textContent;
    button.textContent = text;
    setTimeout(() => { button.textContent = own; }, 1500);
  }
  async function copy(table, button) {
    const text = lines(table).map((l) => l.join("\t")).join("\n");
    try { await navigator.clipboard.writeText(text); } catch { // an older way, where the newer is not allowed
      const box = make("textarea", { class: "away", "aria-hidden": "true" });
      box.value = text;
      document.body.append(box);
      box.select();
      document.execCommand("copy");
      box.remove();
    }
    told(button, "Copied");
  }

  function tools(table, called) {
    const out = [], seen = make("span", { class: "soft", "aria-live": "polite" });
    if (table.tBodies[0].rows.length >= MANY) {
      const box = make("input", { type: "search", placeholder: "Filter", "aria-label": `filter ${called}`, on: { input: () => {
        const rows = [...table.tBodies[0].rows], asked = box.value.toLowerCase().trim();
        rows.forEach((r) => { r.hidden = asked !== "" && !textOf(r).toLowerCase().includes(asked); });
        seen.textContent = asked ? `${rows.filter((r) => !r.hidden).length} of ${rows.length}` : "";
      } } });
      out.push(box, seen);
    }
    const file = `${called.replace(/[^\p{L}\p{N}]+/gu, "-")}.csv`;
    out.push(make("button", { type: "button", "aria-label": `copy ${called}`, on: { click: (event) => copy(table, event.currentTarget) } }, "Copy"),
      make("button", { type: "button", "aria-label": `download ${called} as CSV`, on: { click: () => give(new Blob(["\ufeff", csv(table)], { type: "text/csv" }), file) } }, "CSV"));
    return make("div", { class: "table-tools" }, ...out);
  }

  document.querySelectorAll("main table").forEach((table) => {
    if (!table.tHead || !table.tBodies.length || table.tBodies[0].rows.length < FEW || table.closest(SKIPPED)) return;
    const wide = table.closest(".wide"), called = clean((wide && wide.getAttribute("aria-label")) || (table.caption ? textOf(table.caption) : "table"));
    if (!table.classList.contains("confusion")) {
      [...table.tHead.rows[0].cells].forEach((head, column) => {
        const text = textOf(head);
        if (!text || head.querySelector("svg")) return;
        const button = make("button", { type: "button", class: "sort", "aria-pressed": "false" }, ...head.childNodes, make("span", { class: "sort-mark", "aria-hidden": "true" }));
        button.addEventListener("click", () => sort(table, column, button));
        head.replaceChildren(button);
        head.setAttribute("aria-sort", "none");
      });
    }
    (wide || table).before(tools(table, called));
  });
}
