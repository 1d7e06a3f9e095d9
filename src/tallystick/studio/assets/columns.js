// The first step: which file, which target, what the columns are.
import { find, get, make, clean, post, replace, send, trying } from "./small.js";

export async function listFiles() {
  const told = await get("files"), box = find("file");
  told.files.forEach((f) => box.append(make("option", { value: f }, clean(f))));
  return told.first;
}

export function wire() {
  find("file").addEventListener("change", trying(async (event) => { if (event.target.value) await post("file", { name: event.target.value }); }));
  find("upload").addEventListener("change", trying(async (event) => {
    if (event.target.files.length) await send(event.target.files[0]);
    event.target.value = "";
  }));
  const drop = find("drop"), over = (on) => drop.classList.toggle("over", on);
  document.addEventListener("dragover", (event) => { event.preventDefault(); over(true); });
  document.addEventListener("dragleave", () => over(false));
  document.addEventListener("drop", trying(async (event) => {
    event.preventDefault();
    over(false);
    if (event.dataTransfer.files.length) await send(event.dataTransfer.files[0]);
  }));
  const place = find("columns");
  place.addEventListener("change", trying(async (event) => {
    const at = event.target;
    if (at.id === "target") await post("change", { target: at.value });
    else if (at.id === "marks") await post("change", { missing: at.value });
    else if (at.dataset.column !== undefined) await post("change", { column: at.dataset.column, kind: at.value });
  }));
  place.addEventListener("click", trying(async (event) => {
    if (event.target.dataset.cure !== undefined) await post("change", { cure: Number(event.target.dataset.cure) });
  }));
}

export function show(part) {
  replace(find("columns"), part ? part.html : "");
  find("methods").hidden = !(part && part.target);
}
