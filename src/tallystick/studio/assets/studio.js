// The page: asks the server what is new, and shows the parts that changed. A session belongs to a tab and outlives a reload.
/* global tallyTheme */
import * as columns from "./columns.js";
import * as hand from "./hand.js";
import * as methods from "./methods.js";
import * as model from "./model.js";
import { begin, clean, find, get, hasSession, post, say, trying } from "./small.js";

const SHOW = { columns: columns.show, methods: methods.show, decide: methods.decide, model: model.show, hand: hand.show, save: model.showSave };
const seen = {};
let told = "";

function status(state) {
  const job = state.job;
  find("status").hidden = !job;
  if (job) {
    const bar = find("bar");
    find("doing").textContent = `${job.what[0].toUpperCase()}${job.what.slice(1)} …`;
    if (job.total > 1) { bar.max = job.total; bar.value = job.done; } else bar.removeAttribute("value");
  }
  methods.live(job);
  document.documentElement.toggleAttribute("data-busy", Boolean(job));
  if (state.problem !== told) { told = state.problem; say(told); }
  find("title").textContent = state.target ? `What tells ${clean(state.target)}?` : state.file ? "What do you want to predict?" : "Choose a table";
  find("about").textContent = state.file ? `${clean(state.file)}: ${state.rows.toLocaleString("en-US")} rows` : "Everything happens on this machine.";
  document.title = state.file ? `${clean(state.target || state.file)} · Tallystick studio` : "Tallystick studio";
  model.reportThere(state.report);
  const box = find("file");
  if (document.activeElement !== box) box.value = [...box.options].some((o) => o.value === state.file) ? state.file : "";
}

async function parts(state) { // all that is new at once: between two of them a click would be lost
  const fresh = Object.keys(SHOW).filter((part) => seen[part] !== state.parts[part]);
  const found = await Promise.all(fresh.map((part) => (state.parts[part] === undefined ? null : get("part", { name: part }))));
  fresh.forEach((part, k) => {
    seen[part] = found[k] ? found[k].version : undefined;
    SHOW[part](found[k]);
  });
}

async function follow() { // the server answers when something is new
  let version = "", failures = 0, first = true;
  for (;;) {
    try {
      const state = await get("state", { version });
      await parts(state);
      status(state);
      if (first) methods.choose(state.how);
      [version, failures, first] = [String(state.version), 0, false];
    } catch (error) {
      if (error.status === 410) { await begin(); version = ""; continue; }
      if (error.status === 422) { version = ""; continue; } // a part fell while it was asked for
      failures += 1;
      if (failures > 2) { say("The studio does not answer any more. Start it again: tally studio."); return; }
      await new Promise((wait) => setTimeout(wait, 500 * failures));
    }
  }
}

tallyTheme();
columns.wire();
methods.wire();
model.wire();
hand.wire();
find("cancel").addEventListener("click", trying(() => post("cancel")));
find("understood").addEventListener("click", () => say(""));
trying(async () => {
  const fresh = !hasSession();
  if (fresh) await begin();
  const opens = await columns.listFiles();
  if (fresh && opens) await post("file", { name: opens });
  await follow();
})();
