// Trees that a person shapes: the slider along the pruning path, and the tree by hand with the gains of its tests.
import { find, get, make, name, percent, post, trying, whole } from "./small.js";

let byHand = false;
const button = (text, more = {}) => make("button", { type: "button", ...more }, text);

export function show(part) {
  const place = find("by-hand");
  byHand = Boolean(part && part.hand);
  place.replaceChildren();
  if (!part) return;
  const bar = make("div", { class: "bar-of-controls" });
  if (part.prunable && !part.path) bar.append(button("Prune by a slider", { id: "prunings" }));
  bar.append(button(byHand ? "Discard this tree and begin anew" : "Build a tree by hand", { id: "begin-hand" }));
  if (byHand) bar.append(button("Undo the last step", { id: "undo", disabled: !part.hand.undo }));
  const box = make("div", { class: "card hand" });
  if (byHand) box.append(...told(part.hand));
  if (part.path) box.append(...slider(part));
  box.append(bar);
  place.append(box);
}

function told(hand) { // the honest score of the tree as it stands
  const share = (wrong, rows) => `${percent(wrong / rows)} (${whole(wrong)} of ${whole(rows)})`;
  return [make("h3", {}, "A tree by hand"),
    make("p", { id: "hand-score" }, `${whole(hand.leaves)} ${hand.leaves === 1 ? "leaf" : "leaves"}. Wrong on the rows held out: `,
      make("b", {}, share(hand.held_out_wrong, hand.held_out_rows)), `; on the rows it was grown on: ${share(hand.wrong, hand.rows)}.`),
    make("p", { class: "soft small" }, "Choose a group in the tree to see its tests with their gains, and ask one of them. No test is made on the rows held out.")];
}

function slider(part) {
  const { path } = part, last = path.leaves.length - 1;
  const says = make("p", { id: "pruned-to", "aria-live": "polite" });
  const bar = make("input", { type: "range", id: "prune", min: 0, max: last, step: 1, value: part.step });
  const tell = () => {
    const k = Number(bar.value), leaves = path.leaves[k];
    bar.setAttribute("aria-valuetext", `${leaves} leaves`);
    says.replaceChildren(make("b", {}, `${whole(leaves)} ${leaves === 1 ? "leaf" : "leaves"}`),
      `: ${percent(path.cv_error[k])} ± ${percent(path.cv_se[k])} wrong on rows not seen, ${percent(path.error[k])} on the training rows.`,
      k === path.minimum ? " The least error." : k === path.one_se ? " The smallest within one standard error of the least." : "");
  };
  bar.addEventListener("input", tell);
  bar.addEventListener("change", trying(() => post("prune", { step: Number(bar.value) })));
  tell();
  return [make("h3", {}, "Pruned along its path"), make("div", { class: "bar-of-controls" }, make("label", { for: "prune" }, "From one leaf to the grown tree"), bar), says];
}

export const chosen = trying(async (node) => { // a group of the tree by hand: its tests
  if (!byHand) return;
  const found = await get("tests", { node });
  const lines = found.tests.map(([column, tests, gain, ratio, asked]) => make("tr", { class: asked ? "chosen" : "" },
    make("th", { scope: "row" }, name(column), asked ? make("span", { class: "tag" }, "asked") : ""), make("td", {}, name(tests)), make("td", { class: "right" }, gain.toFixed(4)), make("td", { class: "right" }, ratio === null ? "" : ratio.toFixed(4)),
    make("td", {}, button("Ask this here", { "data-ask": column, "data-at": node, "aria-label": `Ask ${column} here` }))));
  const bar = make("div", { class: "bar-of-controls" }, button("Let the method go on from here", { "data-finish": node }));
  if (!found.leaf) bar.append(button("Cut back to here", { "data-back": node }));
  const head = ["column", "question", "gain, bits", "gain ratio", ""].map((t, i) => make("th", { scope: "col", class: i === 2 || i === 3 ? "right" : "" }, t || make("span", { class: "away" }, "choose")));
  find("node").replaceChildren(make("h3", {}, found.leaf ? "Which question to ask here" : "Another question here takes away what hangs below"),
    lines.length ? make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "tests" }, make("table", { id: "tests" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...lines)))
      : make("p", { class: "soft" }, "No test parts the rows of this group."), bar);
});

export function wire() {
  find("by-hand").addEventListener("click", trying(async (event) => {
    const { id } = event.target;
    if (id === "prunings") await post("prunings");
    else if (id === "begin-hand") await post("hand", { do: "begin" });
    else if (id === "undo") await post("hand", { do: "undo" });
  }));
  find("model-view").addEventListener("click", trying(async (event) => {
    const at = event.target.closest("button");
    if (!at) return;
    const { ask, finish, back } = at.dataset;
    if (ask !== undefined) await post("hand", { do: "ask", node: Number(at.dataset.at), column: ask });
    else if (finish !== undefined) await post("hand", { do: "finish", node: Number(finish) });
    else if (back !== undefined) await post("hand", { do: "back", node: Number(back) });
  }));
}
