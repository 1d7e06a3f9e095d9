// The third and fourth step: the model as the report draws it, and what if. The fifth: saving.
/* global tallyAllowed, tallySections */
import { clean, download, find, get, make, name, post, replace, trying } from "./small.js";

import { chosen } from "./hand.js";

let sections = null, labels = [], allowed = () => [], coming = Promise.resolve(); // coming: the row that was asked for last

export function show(part) {
  for (const id of ["model", "what-if"]) find(id).hidden = !part;
  replace(find("model-view"), part ? part.html : "");
  replace(find("what-if-view"), part ? part.what_if : "");
  find("model-name").textContent = part ? `: ${clean(part.name)}` : "";
  sections = null;
  if (!part) return;
  labels = part.data.labels;
  sections = tallySections(part.data, { node: (k) => chosen(part.data.tree.origin[k]), row: () => { if (find("changes")) find("changes").replaceChildren(); } });
  labels.forEach((l) => find("wanted").append(make("option", { value: l }, clean(l))));
  const take = find("take-row");
  if (take) take.addEventListener("click", trying(() => (coming = taken(find("row-number").value))));
  allowed = tallyAllowed(find);
  find("find-changes").addEventListener("click", trying(changes));
}

async function taken(number) {
  sections.take((await get("row", { number })).row);
}

async function changes() {
  await coming.catch(() => {}); // what is asked about is the row that is taken
  const told = await post("changes", { row: sections.row(), columns: allowed(), answer: find("wanted").value || null });
  const lines = told.sentences.map((s) => make("li", {}, name(s)));
  find("changes").replaceChildren(make("p", {}, name(told.told)), ...(lines.length ? [make("ol", {}, ...lines)] : []));
}

export function showSave(part) {
  find("save").hidden = !part;
  replace(find("save-view"), part ? part.html : "");
}

export function reportThere(there) {
  if (find("save-report")) find("save-report").hidden = !there;
}

export function wire() {
  find("save-view").addEventListener("click", trying(async (event) => {
    const at = event.target.closest("button");
    if (!at) return;
    if (at.dataset.save) await download(at.dataset.save);
    else if (at.id === "make-report") await post("report");
    else if (at.dataset.copy) {
      await navigator.clipboard.writeText(find(at.dataset.copy).textContent);
      at.textContent = "Copied";
      setTimeout(() => { at.textContent = "Copy"; }, 1500);
    }
  }));
}
