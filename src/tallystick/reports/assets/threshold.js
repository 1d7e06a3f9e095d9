// Where to draw the line: a slider over thresholds, prices of both errors, and the table of truth and answer.
// Law: the counts are the page's; nothing is asked of anyone.
function tallyThreshold(kit, part) {
  const { find, clean, make, name, whole, percent, labels } = kit, { of, steps, found, alarms } = part, other = 1 - of, [ups, downs] = part.all;
  const slider = find("threshold"), half = steps.indexOf(0.5);
  const price = (id) => { const n = Number(find(id).value); return Number.isFinite(n) && n >= 0 ? n : 0; };
  const cost = (k) => (ups - found[k]) * price("price-missed") + alarms[k] * price("price-alarm");
  const digits = (t) => String(Number(t.toPrecision(6)));
  function cheapest() { // of equals the one nearest to 0.5
    let best = half;
    steps.forEach((t, k) => { if (cost(k) < cost(best) || (cost(k) === cost(best) && Math.abs(t - 0.5) < Math.abs(steps[best] - 0.5))) best = k; });
    return best;
  }
  function table(counts) {
    const cells = (line, i) => line.map((n, j) => {
      const all = line[0] + line[1] || 1;
      return make("td", { class: `${i === j ? "hit" : "miss"} s${Math.round((7 * n) / all)}` }, make("b", {}, whole(n)), make("br"), make("span", { class: "small" }, percent(n / all)));
    });
    return make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "truth and answer at this threshold" }, make("table", { class: "confusion" },
      make("thead", {}, make("tr", {}, make("td", { class: "soft small" }, "truth ↓ answer →"), ...labels.map((l) => make("th", { scope: "col" }, make("span", { class: "long" }, name(l)))))),
      make("tbody", {}, ...counts.map((line, i) => make("tr", {}, make("th", { scope: "row" }, make("span", { class: "long" }, name(labels[i]))), ...cells(line, i))))));
  }
  const facts = (pairs) => make("dl", {}, ...pairs.flatMap(([term, value, id]) => [make("dt", {}, ...term), make("dd", { id }, value)]));
  function show() {
    const k = Number(slider.value), best = cheapest(), answered = found[k] + alarms[k], all = ups + downs, counts = [[0, 0], [0, 0]];
    counts[of][of] = found[k]; counts[of][other] = ups - found[k]; counts[other][of] = alarms[k]; counts[other][other] = downs - alarms[k];
    slider.setAttribute("aria-valuetext", digits(steps[k]));
    find("threshold-says").replaceChildren(make("b", {}, digits(steps[k])), `: ${whole(answered)} of ${whole(all)} rows are answered `, name(labels[of]), ".");
    const lift = answered && ups ? found[k] / answered / (ups / all) : null;
    find("threshold-table").replaceChildren(table(counts), facts([[["right"], percent((found[k] + downs - alarms[k]) / all), "threshold-right"],
      [["found of all ", name(labels[of])], ups ? percent(found[k] / ups) : "–", "threshold-gain"], [["right when answered so"], answered ? percent(found[k] / answered) : "–"],
      [["lift"], lift === null ? "–" : lift.toFixed(2)], [["cost"], whole(cost(k)), "threshold-cost"], [["saving against 0.5"], whole(cost(half) - cost(k)), "threshold-saving"]]));
    const saved = cost(half) - cost(best), part = cost(half) > 0 ? ` (${percent(saved / cost(half)).replace(" ", "\u00a0")})` : "";
    find("threshold-cheapest").textContent = saved > 0 ? `Cheapest: ${digits(steps[best])}, a cost of ${whole(cost(best))} against ${whole(cost(half))} at 0.5: ${whole(saved)}${part} saved.` : "No threshold is cheaper than 0.5.";
    find("threshold-marks").replaceChildren(make("option", { value: best, label: "cheapest" }));
    find("threshold-kept").textContent = `model.set_decision(threshold=${digits(steps[k])}, of=${JSON.stringify(clean(labels[of]))})`;
  }
  slider.max = steps.length - 1;
  slider.value = half;
  const take = (k) => { slider.value = k; show(); };
  slider.addEventListener("input", show);
  ["price-missed", "price-alarm"].forEach((id) => find(id).addEventListener("input", show));
  find("take-cheapest").addEventListener("click", () => take(cheapest()));
  find("take-half").addEventListener("click", () => take(half));
  show();
  return { now: () => ({ threshold: steps[Number(slider.value)], of: labels[of] }) };
}
