// Answers by what they cost, of more than two classes: a table of costs, the answers of least expected cost, and what they save.
// Law: a row is answered as models/decision.py answers it: the least sum of share times cost, of equals the first.
function tallyCosts(kit, part) {
  const { find, classed, clean, make, name, whole, percent, labels } = kit, size = labels.length, rows = part.truth.length;
  const costs = labels.map((_, i) => labels.map((_, j) => Number(i !== j))), plain = costs.map((line) => [...line]);
  const weight = (r) => (part.weights.length ? part.weights[r] : 1), digits = (x) => String(Number(x.toPrecision(6)));
  function answers(prices) { // of each row
    const out = new Array(rows);
    for (let r = 0; r < rows; r++) {
      let best = 0, least = Infinity;
      for (let a = 0; a < size; a++) {
        let sum = 0;
        for (let c = 0; c < size; c++) sum += part.shares[r * size + c] * prices[c][a];
        if (sum < least) { least = sum; best = a; }
      }
      out[r] = best;
    }
    return out;
  }
  const likely = answers(plain);
  const paid = (given) => given.reduce((sum, a, r) => sum + weight(r) * costs[part.truth[r]][a], 0);

  function table(given) {
    const counts = labels.map(() => labels.map(() => 0));
    given.forEach((a, r) => { counts[part.truth[r]][a] += weight(r); });
    const cells = (line, i) => { const all = line.reduce((a, b) => a + b, 0) || 1; return line.map((n, j) => make("td", { class: `${i === j ? "hit" : "miss"} s${Math.round((7 * n) / all)}` }, make("b", {}, whole(n)), make("br"), make("span", { class: "small" }, percent(n / all)))); };
    return framed("truth and answer by these costs", "confusion", counts.map((line, i) => cells(line, i)));
  }
  function framed(what, kind, lines) { // a table of classes against classes
    return make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": what }, make("table", { class: kind },
      make("thead", {}, make("tr", {}, make("td", { class: "soft small" }, "truth ↓ answer →"), ...labels.map((l) => make("th", { scope: "col" }, make("span", { class: "long" }, name(l)))))),
      make("tbody", {}, ...lines.map((cells, i) => make("tr", {}, make("th", { scope: "row" }, make("span", { class: "long" }, name(labels[i]))), ...cells)))));
  }
  const said = (i, j) => `cost of ${clean(labels[j])} where the truth is ${clean(labels[i])}`;
  const number = (more, value, then) => make("input", { type: "number", min: 0, step: "any", inputmode: "decimal", value, ...more, on: { input: (event) => { const n = Number(event.target.value); then(Number.isFinite(n) && n >= 0 && event.target.value !== "" ? n : 0); } } });
  const grid = () => framed("costs of answers", "confusion prices-table", labels.map((_, i) => labels.map((_, j) => make("td", {}, number({ "aria-label": said(i, j), "data-cost": `${i} ${j}` }, costs[i][j], (n) => { costs[i][j] = n; show(); })))));
  function listed() { // of many classes: one cost after the other
    const chosen = (id, words) => make("label", {}, words, " ", make("select", { id }, ...labels.map((l, k) => make("option", { value: k, selected: id === "cost-answer" && k === 1 ? "" : undefined }, clean(l)))));
    const set = labels.flatMap((_, i) => labels.flatMap((_, j) => (costs[i][j] === plain[i][j] ? [] : [[i, j]])));
    const lines = set.map(([i, j]) => make("li", {}, name(classed(labels[i])), " answered ", name(classed(labels[j])), ` costs ${digits(costs[i][j])} `, make("button", { type: "button", "aria-label": `as before: ${said(i, j)}`, on: { click: () => { costs[i][j] = plain[i][j]; typed(); } } }, "Remove")));
    const price = number({ id: "cost-of", "aria-label": "its cost" }, 5, () => {});
    const add = () => { const [i, j] = ["cost-truth", "cost-answer"].map((id) => Number(find(id).value)); if (i !== j) { costs[i][j] = Math.max(Number(price.value) || 0, 0); typed(); } };
    return make("div", {}, make("div", { class: "bar-of-controls" }, chosen("cost-truth", "A row of"), chosen("cost-answer", "answered"), make("label", { for: "cost-of" }, "costs"), price, make("button", { type: "button", id: "cost-add", on: { click: add } }, "Set")), make("ul", { id: "costs-set" }, ...lines));
  }
  function typed() {
    find("costs-typed").replaceChildren(part.table ? grid() : listed());
    show();
  }
  function show() {
    const given = answers(costs), cost = paid(given), own = paid(likely), saved = own - cost, changed = given.reduce((sum, a, r) => sum + weight(r) * Number(a !== likely[r]), 0);
    const right = given.reduce((sum, a, r) => sum + weight(r) * Number(a === part.truth[r]), 0), all = given.reduce((sum, _, r) => sum + weight(r), 0);
    const share = own > 0 ? ` (${Math.round((100 * Math.abs(saved)) / own)} %)` : "";
    find("costs-says").textContent = changed === 0 ? `These costs change no answer: a cost of ${whole(cost)}.`
      : `A cost of ${whole(cost)} against ${whole(own)} by the most likely class: ${whole(Math.abs(saved))}${share} ${saved >= 0 ? "saved" : "more, for the shares are not quite right"}; ${whole(changed)} of ${whole(all)} answers change.`;
    const facts = [["right", percent(right / all), "costs-right"], ["cost", whole(cost), "costs-cost"], ["saving against the most likely class", whole(saved), "costs-saving"]];
    find("costs-table").replaceChildren(...(part.table ? [table(given)] : []), make("dl", {}, ...facts.flatMap(([term, value, id]) => [make("dt", {}, term), make("dd", { id }, value)])));
    find("costs-kept").textContent = `model.set_decision(costs=${kept()})`;
  }
  function kept() { // {class: {answer: cost}} of what is not the rule
    const lines = labels.flatMap((l, i) => {
      const own = labels.flatMap((a, j) => (costs[i][j] === plain[i][j] ? [] : [`${JSON.stringify(clean(a))}: ${digits(costs[i][j])}`]));
      return own.length ? [`${JSON.stringify(clean(l))}: {${own.join(", ")}}`] : [];
    });
    return `{${lines.join(", ")}}`;
  }
  find("costs-plain").addEventListener("click", () => { plain.forEach((line, i) => line.forEach((n, j) => { costs[i][j] = n; })); typed(); });
  typed();
  return { now: () => ({ costs: costs.map((line) => [...line]) }) };
}
