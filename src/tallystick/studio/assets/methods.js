// The second step: methods compared, scores as they arrive, the threshold and its confusion table.
import { clean, find, make, name, percent, post, replace, trying, whole } from "./small.js";

export function wire() {
  find("choose").addEventListener("submit", trying(async (event) => {
    event.preventDefault();
    const methods = [...document.querySelectorAll('input[name="method"]:checked')].map((box) => box.value);
    await post("compare", { methods, folds: Number(find("folds").value), tuned: find("tuned").checked });
  }));
  find("scores").addEventListener("change", trying(async (event) => {
    if (event.target.id === "look" && event.target.value && event.target.value !== shown) await post("show", { name: event.target.value });
  }));
}

export function choose(how) { // as it was compared last, after a reload
  for (const box of document.querySelectorAll('input[name="method"]')) box.checked = how.methods.includes(box.value);
  find("folds").value = how.folds;
  find("tuned").checked = how.tuned;
}

export function live(job) { // scores while folds are done
  const scores = job && job.live;
  if (!scores || !scores.length) { find("live").replaceChildren(); return; }
  const lines = scores.map(([method, , right, loss]) => make("tr", {}, make("th", { scope: "row" }, name(method)), make("td", {}, percent(right)), make("td", {}, loss.toFixed(3))));
  find("live").replaceChildren(make("h3", {}, `So far, on ${whole(scores[0][1])} rows`),
    make("table", { class: "narrow live" }, make("thead", {}, make("tr", {}, ...["method", "accuracy", "log-loss"].map((t) => make("th", { scope: "col" }, t)))), make("tbody", {}, ...lines)));
}

let shown = "";
export function show(part) {
  shown = part ? part.shown : "";
  replace(find("scores"), part ? part.html : "");
}

// ---- threshold and costs ----

function table(labels, counts) {
  const cells = (line, i) => line.map((n, j) => {
    const all = line.reduce((a, b) => a + b, 0) || 1, kind = i === j ? "hit" : "miss";
    return make("td", { class: `${kind} s${Math.round((9 * n) / all)}` }, make("b", {}, whole(n)), make("br"), make("span", { class: "small" }, `${Math.round((100 * n) / all)}\u00a0%`));
  });
  return make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "confusion table" }, make("table", { class: "confusion" },
    make("thead", {}, make("tr", {}, make("td", { class: "soft small" }, "truth ↓ answer →"), ...labels.map((l) => make("th", { scope: "col" }, make("span", { class: "long" }, name(l)))))),
    make("tbody", {}, ...counts.map((line, i) => make("tr", {}, make("th", { scope: "row" }, make("span", { class: "long" }, name(labels[i]))), ...cells(line, i))))));
}

const facts = (pairs) => make("dl", {}, ...pairs.flatMap(([term, value, id]) => [make("dt", {}, term), make("dd", { id }, value)]));

export function decide(part) {
  const place = find("decide");
  if (!part) { place.replaceChildren(); return; }
  if (part.classes === 2) place.replaceChildren(...two(part));
  else place.replaceChildren(...many(part));
}

function two(part) { // a slider: the page has the counts at each step, and moves by itself
  const { labels, positive, steps, found, alarms, of } = part, negative = 1 - positive;
  const slider = make("input", { type: "range", id: "threshold", min: 0, max: steps, step: 1, value: steps / 2, "aria-describedby": "answers-from" });
  const price = (id, text) => [make("label", { for: id }, ...text), make("input", { id, type: "number", min: 0, step: "any", value: 1, inputmode: "decimal" })];
  const told = make("p", { id: "answers-from" }), right = make("div", { id: "confusion-now" });
  const counts = (k) => {
    const out = [[0, 0], [0, 0]];
    out[positive][positive] = found[k]; out[positive][negative] = of[0] - found[k];
    out[negative][positive] = alarms[k]; out[negative][negative] = of[1] - alarms[k];
    return out;
  };
  const cost = (k) => (of[0] - found[k]) * Number(find("cost-missed").value) + alarms[k] * Number(find("cost-alarm").value);
  const show = () => {
    const k = Number(slider.value), all = of[0] + of[1], answered = found[k] + alarms[k];
    slider.setAttribute("aria-valuetext", `${k} %`);
    told.replaceChildren("Answer ", make("b", {}, name(labels[positive])), ` from a share of ${k}\u00a0% on.`);
    right.replaceChildren(table(labels, counts(k)), facts([["right", percent((found[k] + of[1] - alarms[k]) / all), "right-now"],
      ["found of all " + clean(labels[positive]), percent(found[k] / of[0])], ["right when answered so", percent(answered ? found[k] / answered : NaN)],
      ["cost", cost(k).toLocaleString("en-US", { maximumFractionDigits: 2 }), "cost-now"]]));
  };
  const cheapest = () => {
    let best = steps / 2;
    for (let k = 0; k <= steps; k += 1) if (cost(k) < cost(best)) best = k;
    slider.value = best;
    show();
  };
  const left = make("div", {}, make("label", { for: "threshold" }, "From which share on"), slider, told,
    make("div", { class: "bar-of-controls prices" }, ...price("cost-missed", ["A missed ", name(labels[positive]), " costs"])),
    make("div", { class: "bar-of-controls prices" }, ...price("cost-alarm", ["A false alarm costs"])),
    make("button", { type: "button", id: "cheapest", on: { click: cheapest } }, "Take the cheapest"),
    make("p", { class: "soft small" }, "Counted on rows that the model had not seen. In the middle stand the model's own answers."));
  slider.addEventListener("input", show);
  left.addEventListener("input", show);
  queueMicrotask(show);
  return [make("h3", {}, "Costs and threshold"), make("div", { class: "threshold" }, left, right)];
}

function many(part) { // more than two classes: costs in a table, the server answers
  const { labels } = part, out = [make("h3", {}, "Truth and answer")];
  const right = make("div", { id: "confusion-now" }, ...(part.classes <= 12 ? [table(labels, part.confusion)] : [make("p", { class: "soft" }, "There are too many classes for a table here; the report has the most frequent confusions.")]));
  if (!part.costs) return [...out, right];
  const boxes = labels.map((t, i) => labels.map((a, j) => make("input", { type: "number", min: 0, step: "any", value: i === j ? 0 : 1, "aria-label": `cost of ${clean(a)} where the truth is ${clean(t)}` })));
  const grid = make("table", { class: "confusion prices" }, make("thead", {}, make("tr", {}, make("td", { class: "soft small" }, "truth ↓ answer →"), ...labels.map((l) => make("th", { scope: "col" }, name(l))))),
    make("tbody", {}, ...labels.map((l, i) => make("tr", {}, make("th", { scope: "row" }, name(l)), ...boxes[i].map((b) => make("td", {}, b))))));
  const ask = trying(async () => {
    const told = await post("costs", { costs: boxes.map((line) => line.map((b) => Number(b.value))) });
    right.replaceChildren(table(labels, told.confusion), facts([["cost", told.cost.toLocaleString("en-US"), "cost-now"], ["cost of the model's own answers", told.own.toLocaleString("en-US")]]));
  });
  return [...out, right, make("details", {}, make("summary", {}, "Answers by their costs"), make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "costs" }, grid),
    make("button", { type: "button", id: "by-costs", on: { click: ask } }, "Answer by these costs"))];
}
