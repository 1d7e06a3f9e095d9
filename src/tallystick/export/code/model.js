// A row {column: value} to its answer, for the data of one model. No dependencies, no eval.
//
//   const model = tallystick(data);
//   model.predict(row)   {label, probabilities: {label: share}}; regression: {value}
//   model.explain(row)   the same, and why: {base, parts: [{column, value, parts: [one per label]}]}, {path: [...]}
//                        or {rule, conditions: [...]}
//
// null, undefined, NaN and the model's marks (such as "?") are missing. Levels that were never seen are known as such.
// A number may be given as text. What cannot be read is an Error that says which column.
function tallystick(data) {
  "use strict";
  const marks = new Set(data.marks), numberMarks = new Set(data.number_marks), NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
  const ABSENT = "(missing)"; // the level of a missing cell, in a column of one value or nothing
  const strip = (text) => text.replace(/^[ \t-\r]+|[ \t-\r]+$/g, "");
  const whole = (x) => Number.isInteger(x) && Math.abs(x) < 2 ** 64;
  const clock = (d) => d.toISOString().replace("T", " ").replace(/\.?0*Z$/, "").replace(/ 00:00:00$/, "");
  const written = (v) => v instanceof Date ? clock(v) : typeof v === "number" && whole(v) ? String(BigInt(v)) : String(v);
  const isGone = (v) => v === null || v === undefined || v !== v;
  const low = (v) => (v === null ? -Infinity : v);
  const each = (n, f) => Array.from({ length: n }, (_, i) => f(i));
  const columns = data.columns.map((c) => ({
    ...c,
    codes: new Map([...(c.levels || []).map((t, i) => [t, i]), ...Object.entries(c.merged || {})]),
    meant: new Map(Object.entries(c.meant || {})),
    byNumber: new Map(c.numbers || []),
    byWord: new Map((c.words || []).map((t, i) => [t, i])),
    marks: new Set(c.marks || []), // texts that mean missing in this column alone
    from: c.of || c.name, // the column of the row that has its cells
  }));
  const reject = (c, v) => {
    const form = c.kind === "date" ? "date such as 2020-12-31" : "number such as 1771.55"; // whatever way the file wrote them
    throw Object.assign(new Error(`column '${c.name}' needs a ${form}, but the row holds '${String(v)}'. Correct it, or give null.`), { column: c.name, form });
  };

  // ---- cells ----

  function days(text) { // since 1970-01-01, as double(microseconds) / 86,400,000,000; NaN when it is not a date
    const m = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:Z|([+-])(\d\d):?(\d\d)?)?)?$/.exec(text);
    if (!m || /[+-]\d\d:$/.test(text)) return NaN;
    const [year, month, day, hour, minute, second] = m.slice(1, 7).map((t) => Number(t || 0));
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    const real = year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
    if (!real || hour > 23 || minute > 59 || second > 59 || Number(m[9] || 0) > 23 || Number(m[10] || 0) > 59) return NaN;
    const zone = (m[8] === "-" ? 1 : -1) * (Number(m[9] || 0) * 60 + Number(m[10] || 0));
    const fraction = Number(((m[7] || "") + "000000").slice(0, 6));
    const minutes = BigInt(date.getTime() / 60000 + hour * 60 + minute + zone);
    return Number(minutes * 60000000n + BigInt(second * 1000000 + fraction)) / 86400e6;
  }

  function numberOf(c, v) { // NaN when it is missing
    if (isGone(v)) return NaN;
    let x = typeof v === "bigint" ? Number(v) : v;
    if (c.kind === "date" && v instanceof Date) x = (v.getTime() * 1000) / 86400e6;
    else if (typeof v === "string") {
      const text = strip(v);
      if (marks.has(text) || c.marks.has(text) || numberMarks.has(text.toLowerCase())) return NaN;
      x = c.kind === "date" ? days(text) : NUMBER.test(text) ? Number(text) : NaN;
      if (x !== x) reject(c, v);
    } else if (typeof x !== "number") reject(c, v);
    if (data.sentinels.includes(x)) return NaN;
    if (Math.abs(x) === Infinity) reject(c, v);
    return x + 0;
  }

  const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

  function datePart(c, v) { // the year, month or hour of a date, or the number of its weekday among the levels
    const x = numberOf({ ...c, name: c.from, kind: "date" }, v), floor = Math.floor;
    if (x !== x) return c.levels ? c.levels.length : NaN;
    const clock = floor(x * 86400e3 + 0.5), day = floor(clock / 86400e3);
    if (c.part === "hour") return floor((clock - day * 86400e3) / 3600e3);
    if (c.part === "weekday") return c.levels.indexOf(WEEKDAYS[day + 3 - 7 * floor((day + 3) / 7)]);
    const era = floor((day + 719468) / 146097), left = day + 719468 - era * 146097;
    const year = floor((left - floor(left / 1460) + floor(left / 36524) - floor(left / 146096)) / 365);
    const march = floor((5 * (left - (365 * year + floor(year / 4) - floor(year / 100))) + 2) / 153);
    return c.part === "year" ? year + era * 400 + floor(march / 10) : march + 3 - 12 * floor(march / 10);
  }

  function codeOf(c, v) { // the level's number; then missing, then unseen
    const unseen = c.levels.length + 1, missing = c.codes.has(ABSENT) ? c.codes.get(ABSENT) : c.levels.length;
    if (isGone(v)) return missing;
    let text = strip(written(v));
    if (marks.has(text) || c.marks.has(text)) return missing;
    if (c.codes.has(text)) return c.codes.get(text);
    const plain = NUMBER.test(text) && !/^[+-]?0\d+$/.test(text);
    const inexact = plain && /^[+-]?\d+$/.test(text) && BigInt(text.replace("+", "")) !== BigInt(Math.trunc(Number(text)));
    if (plain && !inexact) {
      const x = Number(text);
      if (c.byNumber.has(x)) return c.byNumber.get(x);
      text = x === 0 ? "0" : x === 1 ? "1" : "";
    } else if ((c.meant.size || /^(true|false)$/i.test(text)) && c.codes.has(text.toLowerCase())) {
      return c.codes.get(text.toLowerCase());
    }
    const lower = text.toLowerCase();
    return c.meant.has(lower) ? c.meant.get(lower) : unseen;
  }

  function wordsOf(c, v) { // [[word number, count], ...] by number, and whether there is any word
    if (isGone(v)) return [[], false];
    const text = written(v);
    if (marks.has(strip(text))) return [[], false];
    const found = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [], counts = new Map();
    for (const word of found) if (c.byWord.has(word)) counts.set(word, (counts.get(word) || 0) + 1);
    return [[...counts].map(([word, n]) => [c.byWord.get(word), n]).sort((a, b) => a[0] - b[0]), found.length > 0];
  }

  const cellOf = (row, i) => {
    const c = columns[i];
    if (!Object.hasOwn(row, c.from)) throw new Error(`the row lacks the column '${c.from}'. Add it, or give null.`);
    const v = row[c.from];
    if (c.part) return datePart(c, v);
    return c.kind === "text" ? wordsOf(c, v) : c.levels ? codeOf(c, v) : numberOf(c, v);
  };

  // ---- trees ----

  function branch(node, cell) { // where a cell goes: a node, or [[node, part], ...]
    const [, cut, to, missing] = data.nodes[node];
    if (cut === null) return cell < to.length ? to[cell] : missing;
    return cell < cut ? to[0] : cell === cell ? to[1] : missing;
  }

  function down(row) { // shares, or the mean as the only one
    const out = new Array(Math.max(data.labels.length, 1)).fill(0), waiting = [[0, 1]];
    while (waiting.length) {
      const [node, part] = waiting.pop(), test = data.nodes[node];
      const to = test.length === 1 ? node : branch(node, cellOf(row, test[0]));
      if (to === node) test[test.length - 1].forEach((share, k) => (out[k] += part * share));
      else if (typeof to === "number") waiting.push([to, part]);
      else for (const [below, share] of to) waiting.push([below, part * share]);
    }
    return out;
  }

  function path(row) {
    const out = [];
    for (let node = 0; ; ) {
      const test = data.nodes[node];
      if (test.length === 1) return out;
      const [i, cut, to, missing] = test, c = columns[i], cell = cellOf(row, i), next = branch(node, cell);
      const gone = cut === null ? cell >= to.length : cell !== cell;
      const levels = cut === null ? c.levels.filter((_, code) => to[code] === next) : undefined;
      const way = cut === null ? `${c.name} in {${levels.join(", ")}}` : `${c.name} ${next === to[0] ? "<" : "≥"} ${cut}`;
      const text = gone ? `${c.name} is ${cut === null && cell > to.length ? "unseen" : "missing"}` : way;
      out.push({ node, column: c.name, value: row[c.from], text, missing: gone, cut, levels, next });
      if (typeof next !== "number" || next === node) return out;
      node = next;
    }
  }

  // ---- rules ----

  function holds([i, between, codes, missing], cells) {
    const x = cells[i];
    if (codes !== null) return x < columns[i].levels.length ? codes.includes(x) : missing;
    if (x !== x) return missing;
    return between !== null && (between[0] === null || x >= between[0]) && (between[1] === null || x < between[1]);
  }

  function first(row) { // the place of the first rule that holds; the last has no conditions
    const cells = columns.map((_, i) => cellOf(row, i));
    return data.rules.findIndex(([conditions]) => conditions.every((c) => holds(c, cells)));
  }

  function ruled(row) { // the conditions of the rule that answers, and its number from 1 on
    const at = first(row), [conditions, shares] = data.rules[at];
    const said = conditions.map(([i, range, codes, missing]) => {
      const c = columns[i], levels = codes === null ? null : codes.map((k) => c.levels[k]);
      const [low, high] = range || [null, null];
      const ends = [low === null ? "" : `≥ ${low}`, high === null ? "" : `< ${high}`].filter((t) => t).join(" and ");
      const text = levels ? `${c.name} in {${levels.join(", ")}}` : range ? `${c.name} ${ends || "is known"}` : `${c.name} is missing`;
      return { column: c.name, value: row[c.from], text, range, levels, missing };
    });
    return { ...answer(shares), rule: at + 1 < data.rules.length ? at + 1 : null, conditions: said };
  }

  // ---- base and terms ----

  const view = new DataView(new ArrayBuffer(8)), ROUNDER = 6755399441055744;
  const power = (n) => (view.setFloat64(0, 0), view.setUint32(0, (n + 1023) << 20), view.getFloat64(0)); // 2 ** n
  const bits = (high, under) => (view.setUint32(0, high), view.setUint32(4, under), view.getFloat64(0));
  const LN2_HIGH = bits(0x3fe62e42, 0xfee00000), LN2_LOW = bits(0x3dea39ef, 0x35793c76);
  const SERIES = [6227020800, 479001600, 39916800, 3628800, 362880, 40320, 5040, 720, 120, 24, 6].map((f) => 1 / f);

  function exp(x) { // the same bits on every machine, which Math.exp does not promise
    const t = Math.max(Math.min(x, 710), -746), n = evenly(t * 1.4426950408889634);
    const high = t - n * LN2_HIGH, under = n * LN2_LOW, r = high - under, tail = high - r - under;
    const p = SERIES.reduce((sum, f) => sum * r + f) * r + 0.5, half = evenly(n * 0.5);
    return (1 + (r + (p * (r * r) + tail))) * power(half) * power(n - half);
  }

  function log(x) { // natural, of a whole number from 1 up: as the model counts, without Math.log
    let k = 0, m = x;
    while (m >= Math.SQRT2) (m /= 2), (k += 1);
    const f = m - 1, s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    const p = [23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3].map((d) => 2 / d).reduce((sum, d) => sum * z + d);
    return k * LN2_HIGH - (half - s * (half + z * p) - k * LN2_LOW - f);
  }

  const evenly = (x) => x + ROUNDER - ROUNDER; // the nearest whole number, ties to even
  const square = (x) => x * x;

  function wordValues(term, words) { // [[word, value], ...]
    if (term.value === "once") return words.map(([w]) => [w, 1]);
    if (term.value === "all") return words;
    const fixed = term.value === "tf-idf"; // naive Bayes: in whole multiples of 2 ** -20, idf of 2 ** -16
    const raw = words.map(([w, n]) => [w, fixed ? (n * term.idf[w]) / 65536 : (1 + log(Math.min(n, 4096))) * term.idf[w]]);
    const squares = raw.reduce((sum, [, v]) => sum + v * v, 0);
    if (fixed) return raw.map(([w, v]) => [w, evenly((v / Math.sqrt(squares || 1)) * 1048576)]);
    return raw.map(([w, v]) => [w, v * (squares > 0 ? 1 / Math.sqrt(squares) : 0)]);
  }

  function lineOf(side, cells) { // of a cell, on one side of a pair
    const x = cells[side.column];
    return side.lines ? side.lines[x] : x === x ? side.cuts.filter((cut) => cut <= x).length : side.cuts.length + 1;
  }

  function partOf(term, cells) { // one number per label
    const n = data.base.length;
    if (term.factors) {
      const values = term.factors.map(([i, code]) => (code === null ? cells[i] : Number(cells[i] === code)));
      const product = values.reduce((a, b) => a * b);
      return each(n, (k) => (product === product ? product : term.centre) * term.slope[k]);
    }
    if (term.pair) {
      const [first, second] = term.pair.map((side) => lineOf(side, cells));
      return term.table[first * term.pair[1].size + second];
    }
    const x = cells[term.column];
    if (term.cuts) return term.table[x === x ? term.cuts.filter((cut) => cut <= x).length : term.table.length - 1].map(low);
    if (term.table) return term.table[x].map(low);
    if (term.mean) return each(n, (k) => (x === x ? term.constant[k] - square(x - term.mean[k]) * term.half[k] : 0));
    if (term.slope) return each(n, (k) => (x === x ? x * term.slope[k] + term.at_zero[k] : term.missing[k]));
    const out = new Array(n).fill(0);
    for (const [, part] of byWord(term, x[0])) part.forEach((p, k) => (out[k] += p));
    if (term.present && x[1]) term.present.forEach((p, k) => (out[k] += low(p)));
    return out;
  }

  // [[word number, its part per label], ...]; a word of weight 0 says nothing
  const byWord = (term, words) =>
    wordValues(term, words).filter(([, v]) => v).map(([w, v]) => [w, term.words[w].map((p) => v * low(p))]);

  const base = (data.base || []).map(low);
  // reasons are measured from here: the average training row, where the terms know it
  const start = (data.terms || []).reduce((sum, t) => (t.average ? sum.map((s, k) => s + t.average[k]) : sum), base);
  const scaled = (scores) => (data.shift ? scores.map((s, k) => data.slope * s + data.shift[k]) : scores);

  function shares(parts) {
    let scores = base.slice();
    for (const part of parts) scores = scores.map((s, k) => s + part[k]);
    if (data.terms.some((t) => t.slope) && !scores.every(Number.isFinite)) {
      scores = base.slice(); // beyond all doubles: each part is at most 1e300
      for (const part of parts) scores = scores.map((s, k) => s + (part[k] === part[k] ? Math.max(-1e300, Math.min(1e300, part[k])) : 0));
    }
    if (!data.labels.length) return scores; // a number
    scores = scaled(scores);
    if (Math.max(...scores) === -Infinity) scores = scaled(base); // every class is impossible: the prior answers
    const top = Math.max(...scores), out = scores.map((s) => exp(s - top)), sum = out.reduce((a, b) => a + b, 0);
    return out.map((e) => e / sum);
  }

  // ---- answers ----

  function best(p) { // the most probable, or the cheapest; of equals the first
    const costs = data.costs && data.costs.length ? data.costs : null;
    const score = costs ? p.map((_, a) => -p.reduce((sum, share, c) => sum + share * costs[c][a], 0)) : p;
    return score.indexOf(Math.max(...score));
  }

  function answer(p) {
    if (!data.labels.length) return { value: p[0] };
    return { label: data.labels[best(p)], probabilities: Object.fromEntries(data.labels.map((l, k) => [String(l), p[k]])) };
  }

  function parts(row) {
    const cells = columns.map((_, i) => cellOf(row, i));
    return data.terms.map((term) => partOf(term, cells));
  }

  function told(term, row, own) {
    const parts = term.average ? own.map((p, k) => p - term.average[k]) : own;
    const out = { column: term.name, value: row["column" in term ? columns[term.column].from : term.name], parts };
    if (!term.words) return out;
    const words = byWord(term, cellOf(row, term.column)[0]);
    return { ...out, words: words.map(([w, part]) => ({ word: columns[term.column].words[w], parts: part })) };
  }

  // ---- reasons, of a scorecard ----

  const towards = (part, c) => (part.length === 2 ? part[c] - part[1 - c] : part[c]); // of two classes: for one, against the other
  const sides = (term) => term.pair || [term];

  function held(against, c) { // what each section is held against: its name, and its points; null: a text without its bad words
    if (against === "average") return data.terms.map((t) => ["the average row", t.usual[c]]);
    if (against !== "best" && (against === null || typeof against !== "object")) throw new Error("against must be 'best', 'average' or a row.");
    const best = data.terms.map((t) => (t.best ? ["the best", t.best[c]] : ["without", null]));
    if (against === "best") return best;
    const given = columns.map((k) => Object.hasOwn(against, k.name));
    const row = Object.fromEntries(columns.map((k, i) => [k.name, given[i] ? against[k.name] : null])), own = parts(row);
    return best.map((b, i) => (sides(data.terms[i]).every((side) => given[side.column]) ? ["the given row", towards(own[i], c)] : b));
  }

  function said(term, cells, c) { // what a row has in the columns of a section
    if (!term.words) return sides(term).map((side) => {
      const k = columns[side.column], x = cells[side.column];
      if (side.cuts) return `${k.name} ${side.said[x === x ? side.cuts.filter((cut) => cut <= x).length : side.said.length - 1]}`;
      return `${k.name} ${x < k.levels.length ? `= ${k.levels[x]}` : x === k.levels.length ? "is missing" : "is a new level"}`;
    }).join(", ");
    const points = (w) => towards(term.words[w], c), k = columns[term.column];
    const known = cells[term.column][0].map(([w]) => w).filter((w) => term.words[w].some((p) => p));
    known.sort((a, b) => points(a) - points(b) || a - b);
    const bad = known.filter((w) => points(w) < 0), told = bad.length ? bad : known;
    const more = told.length > 8 ? ` and ${(told.length - 8).toLocaleString("en-US")} more` : "";
    return `${k.name} contains ${told.length ? told.slice(0, 8).map((w) => k.words[w]).join(", ") + more : "no word of the card"}`;
  }

  function reasons(row, { most = 4, against = "best", label = null } = {}) { // what cost a row most points, in order and in words
    const cells = columns.map((_, i) => cellOf(row, i)), all = parts(row), out = [];
    const c = label !== null ? data.labels.indexOf(label) : data.labels.length === 2 ? 1 : best(shares(all));
    if (c < 0) throw new Error(`there is no class '${String(label)}'.`);
    held(against, c).forEach(([name, points], i) => {
      const term = data.terms[i];
      const lost = points === null
        ? cells[term.column][0].reduce((sum, [w]) => sum + Math.max(-towards(term.words[w], c), 0), 0)
        : points - towards(all[i], c);
      const shown = Math.floor(lost * 10 + 0.5) / 10;
      if (shown <= 0) return;
      const line = said(term, cells, c);
      out.push({ section: term.name, line, points: lost, text: `${line}: ${shown} ${shown === 1 ? "point" : "points"} less than ${name}` });
    });
    return out.sort((a, b) => b.points - a.points).slice(0, most);
  }

  return Object.freeze({
    ...((data.terms || []).some((t) => t.usual) ? { reasons } : {}),
    kind: data.kind,
    target: data.target,
    labels: data.labels,
    columns: data.columns,
    predict: (row) => answer(data.nodes ? down(row) : data.rules ? data.rules[first(row)][1] : shares(parts(row))),
    explain(row) {
      if (data.rules) return ruled(row);
      if (data.nodes) return { ...answer(down(row)), path: path(row) };
      const all = parts(row);
      return { ...answer(shares(all)), base: start, parts: data.terms.map((term, i) => told(term, row, all[i])) };
    },
  });
}
