// The smallest changes of a row that give another answer, of columns that are allowed: what explain/changes.py does, by
// the exported model. Laws: every change that is told was tried; fewer columns come before more, a smaller step before a larger.
function tallyAllowed(find) { // the columns that are ticked, and two buttons for all of them
  const boxes = () => [...find("may-change").querySelectorAll("input")];
  find("allow-all").addEventListener("click", () => boxes().forEach((b) => { b.checked = true; }));
  find("allow-none").addEventListener("click", () => boxes().forEach((b) => { b.checked = false; }));
  return () => boxes().filter((b) => b.checked).map((b) => decodeURIComponent(b.value));
}

function tallySearch(model, fields, row, allowed, wanted, most = 5) { // {answer, share, found: [{steps, answer, share, text}]}
  const GRID = 33, MOST_LEVELS = 200, HALVINGS = 40, PAIRED = 8, TRIED = 3, DEEPEST = 6;
  const figures = (v, n = 12) => Number(v.toPrecision(n)), range = (n) => Array.from({ length: n }, (_, k) => k);
  const moment = (days) => { const [date, time] = new Date(Math.round(days * 86400) * 1000).toISOString().slice(0, 19).split("T"); return time === "00:00:00" ? date : `${date} ${time}`; };
  const written = (field, v) => (field.kind === "date" ? moment(v) : String(figures(v)));
  const own = (field) => { const t = row[field.name]; return t === null || t === undefined || t === "" || field.kind === "date" ? NaN : Number(t); };
  const first = model.predict(row), now = String(first.label), target = wanted === "" ? null : wanted;

  function stepTo(field, v) { // of a number
    const far = field.high - field.low, x = own(field);
    return { field, text: written(field, v), number: v, size: x !== x || !far ? 1 : Math.min(Math.abs(v - x) / far, 1), way: "=" };
  }
  function values(field) {
    if (field.levels) {
      const at = field.kind === "ordered" ? field.levels.indexOf(row[field.name]) : -1, far = Math.max(field.levels.length - 1, 1);
      return field.levels.slice(0, MOST_LEVELS).map((text, k) => ({ field, text, size: at < 0 ? 1 : Math.abs(k - at) / far, way: "=" })).filter((s) => s.text !== row[field.name]);
    }
    if (!(field.low < field.high)) return [];
    const each = (field.high - field.low) / (GRID - 1);
    return range(GRID).map((k) => stepTo(field, k === GRID - 1 ? field.high : k * each + field.low)).filter((s) => s.text !== row[field.name]);
  }
  function asked(steps) {
    const changed = { ...row };
    for (const s of steps) changed[s.field.name] = s.text;
    const told = model.predict(changed), label = String(told.label), p = told.probabilities;
    return { good: target === null ? label !== now : label === target, label, share: p[label], moved: target === null ? -p[now] : p[target] };
  }

  function short(best, bad, far, enough) { // a number of few figures from `best` on towards `far`
    for (let n = 1; n < 12; n++) {
      const unit = 10 ** (Math.floor(Math.log10(Math.max(Math.abs(best), 1e-300))) + 1 - n);
      const found = figures((far > bad ? Math.ceil : Math.floor)(best / unit) * unit);
      if (Math.abs(found - best) <= 0.1 * Math.abs(far - bad) + Math.abs(best - bad) && enough(found)) return found;
    }
    return best;
  }
  function nearer(steps, k) { // the nearest short number that is enough, and whether all beyond are
    const { field, number } = steps[k], x = own(field), enough = (v) => asked(steps.map((s, i) => (i === k ? stepTo(field, v) : s))).good;
    let best = number;
    if (x === x) {
      let bad = x;
      for (let i = 0; i < HALVINGS; i++) {
        const middle = bad + (best - bad) / 2;
        if (middle === bad || middle === best) break;
        if (enough(middle)) best = middle; else bad = middle;
      }
      best = short(best, bad, number, enough);
    }
    const up = x !== x || best > x, beyond = tries.get(field.name).map((s) => s.number).filter((v) => (up ? v > best : v < best));
    return { ...stepTo(field, best), way: x === x && beyond.every(enough) ? (up ? "≥" : "≤") : "=" };
  }
  function told(each) {
    return each.flatMap((given) => {
      let steps = given;
      given.forEach((s, k) => { if (!s.field.levels) steps = steps.map((t, i) => (i === k ? nearer(steps, k) : t)); });
      const after = asked(steps);
      if (!after.good) return [];
      const listed = steps.map((s) => `${s.field.name} ${s.way} ${s.text}`).join(" and ");
      return [{ steps, answer: after.label, share: after.share, size: steps.reduce((sum, s) => sum + s.size, 0), text: `With ${listed} the answer would be ${after.label} (${(100 * after.share).toFixed(0)} %).` }];
    });
  }

  const place = new Map(model.columns.map((c, i) => [c.of || c.name, i])), may = fields.filter((f) => allowed.includes(f.name)).sort((a, b) => place.get(a.name) - place.get(b.name)); // in the order of the table
  const tries = new Map(now === target ? [] : may.map((f) => [f.name, values(f)]));
  const every = [...tries.values()].flat().map((step) => ({ step, ...asked([step]) }));
  const pull = [...every].sort((a, b) => b.moved - a.moved).map((e) => e.step);
  function alone() { // of a number the nearest below and above, of levels each
    const out = [], sides = new Map();
    for (const { step, good } of every) {
      if (!good) continue;
      if (step.field.levels) { out.push([step]); continue; }
      const side = `${step.number > own(step.field)} ${step.field.name}`;
      if (!sides.has(side) || step.size < sides.get(side).size) sides.set(side, step);
    }
    return told([...out, ...[...sides.values()].map((s) => [s])]);
  }
  function together() { // pairs of columns of which none is enough by itself
    const by = new Map(), enough = new Set(every.filter((e) => e.good).map((e) => e.step.field.name)), best = [];
    for (const s of pull) { if (!by.has(s.field.name)) by.set(s.field.name, []); if (by.get(s.field.name).length < TRIED) by.get(s.field.name).push(s); }
    const names = [...by.keys()].filter((n) => !enough.has(n)).slice(0, PAIRED);
    names.forEach((p, i) => names.slice(i + 1).forEach((q) => {
      const pair = by.get(p).flatMap((a) => by.get(q).map((b) => [a, b])).find((steps) => asked(steps).good);
      if (pair) best.push(pair);
    }));
    return told(best);
  }
  function deeper() { // one change of several columns, the most telling ones first
    let steps = [];
    for (const s of pull) {
      if (steps.some((t) => t.field === s.field)) continue;
      steps.push(s);
      if (asked(steps).good) {
        for (const one of [...steps]) { const fewer = steps.filter((t) => t !== one); if (fewer.length && asked(fewer).good) steps = fewer; }
        return told([steps]);
      }
      if (steps.length === DEEPEST) break;
    }
    return [];
  }
  let found = alone();
  if (found.length < most) found = [...found, ...together()];
  if (!found.length) found = deeper();
  found.sort((a, b) => a.steps.length - b.steps.length || a.size - b.size || b.share - a.share || (a.text < b.text ? -1 : 1));
  return { answer: now, share: first.probabilities[now], found: found.slice(0, most) };
}

function tallySmallest({ find, clean, make, name }, { model, data, take, row, listen }) { // the form of a page
  const allowed = tallyAllowed(find), place = find("changes");
  data.labels.forEach((l) => find("wanted").append(make("option", { value: l }, clean(l))));
  listen(() => place.replaceChildren());
  find("find-changes").addEventListener("click", () => {
    let told;
    try { told = tallySearch(model, data.ask.fields, row(), allowed(), find("wanted").value); }
    catch (error) { place.replaceChildren(make("p", { class: "note" }, name(error.message))); return; }
    const now = `The answer is ${told.answer} (${(100 * told.share).toFixed(0)} %)`;
    const lines = told.found.map((one) => make("li", {}, name(one.text), " ", make("button", { type: "button", class: "small", on: { click: () => take({ ...row(), ...Object.fromEntries(one.steps.map((s) => [s.field.name, s.text])) }) } }, "Put into the row")));
    place.replaceChildren(make("p", {}, name(told.found.length ? `${now}.` : `${now}, and no change that was tried gives another.`)), ...(lines.length ? [make("ol", {}, ...lines)] : []));
  });
}
