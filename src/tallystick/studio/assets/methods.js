// The second step: methods compared, scores as they arrive, the threshold or the costs.
/* global tallyCosts, tallyParts, tallyThreshold */
import { find, make, name, percent, post, replace, trying, whole } from "./small.js";

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

// ---- threshold and costs: the report's own parts, and a button that keeps them with the model ----

export function decide(part) {
  replace(find("decide"), part ? part.html : "");
  if (!part) return;
  const kit = { ...tallyParts(part.palette), labels: part.labels }, { threshold, costs } = part.data;
  const chosen = threshold ? tallyThreshold(kit, threshold) : tallyCosts(kit, costs);
  find("keep-decision").addEventListener("click", trying(() => post("decide", chosen.now())));
  find("drop-decision").addEventListener("click", trying(() => post("decide", {})));
}
