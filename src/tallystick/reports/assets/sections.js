// What moves in the sections of a model: the tree, the nomogram, and the what-if form. Answers come from the exported
// model. Law: texts reach the page by textContent only; nothing is fetched, stored or evaluated.
// given: the data of these sections. hear.node(k): a node of the tree was chosen; hear.row(row, found): the row changed.
function tallySections(given, hear = {}) {
  const find = (id) => document.getElementById(id);
  const { labels, palette, ask, tree, scales } = given;
  const exported = ask ? tallystick(ask.form) : null, card = Boolean(ask) && ask.form.kind === "scorecard";
  const model = card ? { ...exported, explain: onCard } : exported;
  const unit = card ? "points" : "log-odds", size = card ? 1 / ask.form.slope : 1; // how many of them a unit of log-odds is
  const slope = !card && ask && ask.form.shift ? ask.form.slope : 1;
  const shifted = (c, d) => (!card && ask.form.shift ? ask.form.shift[c] - ask.form.shift[d] : 0);

  // ---- small things ----

  const SVG = "http://www.w3.org/2000/svg";
  const clean = (t) => String(t).replace(/[\p{C}\u2028\u2029]/gu, (c) => "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));
  function make(tag, more = {}, ...inside) {
    const out = document.createElement(tag);
    for (const [key, value] of Object.entries(more)) {
      if (key === "on") for (const [what, f] of Object.entries(value)) out.addEventListener(what, f);
      else if (key === "class") out.className = value;
      else if (value !== undefined && value !== null) out.setAttribute(key, value);
    }
    out.append(...inside.map((t) => (t instanceof Node ? t : document.createTextNode(String(t)))));
    return out;
  }
  const name = (t) => make("bdi", {}, clean(t));
  function draw(tag, more, ...inside) {
    const out = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(more)) out.setAttribute(key, value);
    out.append(...inside);
    return out;
  }
  const colour = (c) => palette[c % palette.length];
  const pale = (c) => (Math.floor(c / palette.length) % 2 ? 0.6 : 1);
  const figures = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 }), whole = (n) => figures.format(n);
  function percent(share) { // never 0 or 100 unless it is
    if (share === 0 || share === 1) return 100 * share + " %";
    const text = (100 * share).toFixed(1);
    if (share < 1 && text === "100.0") return "> 99.9 %";
    return share > 0 && text === "0.0" ? "< 0.1 %" : text + " %";
  }
  function onCard(row) { // the points as they stand on the card, not measured from the average row
    const found = exported.explain(row), terms = new Map(ask.form.terms.map((t) => [t.name, t]));
    const parts = found.parts.map((p) => {
      const own = terms.get(p.column), both = own.pair ? { value: own.pair.map((side) => row[ask.form.columns[side.column].name] ?? "(missing)").join(" and ") } : {};
      return { ...p, ...both, parts: p.parts.map((v, k) => Math.round(v + (own.average ? own.average[k] : 0))) };
    });
    return { ...found, base: ask.form.base, parts };
  }
  const signed = (x) => (card ? (x < 0 ? "−" : x > 0 ? "+" : "") + Math.abs(Math.round(x)) : x === Infinity ? "+∞" : x === -Infinity ? "−∞" : (x < 0 ? "−" : "+") + Math.abs(x).toFixed(2));
  function shareBar(shares, wide) {
    const out = draw("svg", { viewBox: `0 0 ${wide} 9`, preserveAspectRatio: "none", "aria-hidden": "true" });
    let at = 0;
    for (const [c, share] of shares) {
      out.append(draw("rect", { x: at * wide, y: 0, width: share * wide, height: 9, fill: colour(c), opacity: pale(c) }));
      at += share;
    }
    return out;
  }

  // ---- the row: one for the form, the tree and the nomogram ----

  let row = null;
  const listeners = hear.row ? [(found) => hear.row({ ...row }, found)] : [];
  function told() { // {label, probabilities, path | conditions | base, parts}, or {error}
    try { return model.explain(row); } catch (error) { return { error: error.message }; }
  }
  function changed() {
    const found = told();
    for (const f of listeners) f(found);
  }

  // What the model says of a column is measured from the average training row (logistic regression), or from nothing.
  const begins = card ? "the card's base" : model && (ask.form.terms || []).some((t) => t.average) ? "the average row" : "before any column";
  const lead = (p, c, d, slope) => (p.parts[c] === p.parts[d] ? 0 : slope * (p.parts[c] - p.parts[d])); // class c over d

  // ---- the tree ----

  if (tree) {
    const place = find("tree"), list = make("ul"), links = draw("svg", { class: "links", "aria-hidden": "true" });
    const below = tree.parent.map(() => []), open = new Set(), WIDE = 204, TALL = 86, STEP = 262, GAP = 12;
    const depth = [], number = new Map(tree.origin.map((o, k) => [o, k]));
    tree.parent.forEach((up, k) => {
      if (up >= 0) below[up].push(k);
      depth[k] = up < 0 ? 0 : depth[up] + 1;
    });
    below.forEach((b, k) => { if (b.length && (tree.open || depth[k] < tree.first)) open.add(k); });
    let chosen = -1, lit = new Set();
    place.append(list);
    list.before(links);

    const counts = (k) => (Array.isArray(tree.counts[k]) ? tree.counts[k].map((n, c) => [c, n])
      : Object.entries(tree.counts[k]).map(([c, n]) => [Number(c), n])).filter(([, n]) => n > 0);
    const largest = (k) => counts(k).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const words = (k) => largest(k).slice(0, 12).map(([c, n]) => `${clean(labels[c])} ${whole(n)}`).join(", ");
    const own = (k) => { const n = counts(k).find(([c]) => c === tree.answer[k]); return n && tree.rows[k] ? n[1] / tree.rows[k] : 0; };

    function visible() { // [node, y] in preorder; a node stands in the middle of its branches
      const out = [], at = new Map();
      let line = 0;
      (function walk(k) {
        out.push(k);
        if (open.has(k)) {
          below[k].forEach(walk);
          at.set(k, (at.get(below[k][0]) + at.get(below[k][below[k].length - 1])) / 2);
        } else at.set(k, line++ * (TALL + GAP));
      })(0);
      return [out, at, line * (TALL + GAP)];
    }

    const made = new Map(); // a node is built once; folding only takes it out of the list
    function nodeOf(k) {
      if (!made.has(k)) made.set(k, build(k));
      const out = made.get(k), fold = out.lastElementChild, isOpen = open.has(k);
      out.classList.toggle("lit", lit.has(k));
      out.firstElementChild.setAttribute("aria-pressed", String(k === chosen));
      if (fold.className === "fold" && fold.getAttribute("aria-expanded") !== String(isOpen)) {
        fold.setAttribute("aria-expanded", String(isOpen));
        fold.setAttribute("aria-label", `${isOpen ? "fold" : "unfold"} ${clean(tree.branch[k])}`);
        fold.textContent = isOpen ? "−" : "+";
      }
      return out;
    }

    function build(k) {
      const leaf = !below[k].length, total = counts(k).reduce((s, [, n]) => s + n, 0) || 1;
      const says = `${whole(tree.rows[k])} rows · ${clean(labels[tree.answer[k]])} ${percent(own(k))}`;
      const out = make("li", { class: leaf ? "leaf" : "" }, make("button", { type: "button", class: "pick", "data-node": k, title: words(k) },
        make("b", {}, name(tree.branch[k])), shareBar(counts(k).map(([c, n]) => [c, n / total]), 190), make("span", {}, name(says))));
      if (!leaf) out.append(make("button", { type: "button", class: "fold", "data-fold": k }));
      return out;
    }

    list.addEventListener("click", (event) => { // one listener for all nodes
      const at = event.target.closest("[data-fold], [data-node]");
      if (at && at.dataset.fold !== undefined) toggle(Number(at.dataset.fold));
      else if (at) { chosen = Number(at.dataset.node); show(); tell(chosen); if (hear.node) hear.node(chosen); }
    });

    function show() {
      const active = document.activeElement, held = active && active.dataset ? [active.dataset.node, active.dataset.fold] : [];
      const [nodes, at, tall] = visible(), most = Math.max(...nodes.map((k) => depth[k]));
      const wide = most * STEP + WIDE + 40, high = tall + 20;
      list.classList.toggle("many", nodes.length > 300); // then what is out of sight is not laid out
      list.style.width = wide + "px";
      list.style.height = high + "px";
      links.setAttribute("width", wide);
      links.setAttribute("height", high);
      links.replaceChildren(...nodes.filter((k) => k && at.has(k)).map((k) => {
        const up = tree.parent[k], x1 = 12 + depth[up] * STEP + WIDE, x2 = 12 + depth[k] * STEP, y1 = 10 + at.get(up) + TALL / 2, y2 = 10 + at.get(k) + TALL / 2;
        const thick = Math.max(1.5, (34 * tree.rows[k]) / (tree.rows[0] || 1)), half = (x1 + x2) / 2;
        return draw("path", { d: `M${x1},${y1} C${half},${y1} ${half},${y2} ${x2},${y2}`, fill: "none", stroke: colour(tree.answer[k]),
          "stroke-width": thick, opacity: lit.size && !lit.has(k) ? 0.2 : 0.5 });
      }));
      list.replaceChildren(...nodes.map((k) => {
        const out = nodeOf(k);
        out.style.left = 12 + depth[k] * STEP + "px";
        out.style.top = 10 + at.get(k) + "px";
        return out;
      }));
      const again = held[0] !== undefined ? list.querySelector(`[data-node="${held[0]}"]`) : held[1] !== undefined ? list.querySelector(`[data-fold="${held[1]}"]`) : null;
      if (again) again.focus({ preventScroll: true });
    }

    function toggle(k) {
      if (open.has(k)) open.delete(k); else open.add(k);
      show();
    }

    function tell(k) { // counts, and the candidate splits with the runners-up
      const way = [];
      for (let at = k; tree.parent[at] >= 0; at = tree.parent[at]) way.unshift(tree.branch[at]);
      const rows = largest(k).slice(0, 12).map(([c, n]) => make("tr", {}, make("th", { scope: "row" }, name(labels[c])),
        make("td", { class: "right" }, whole(n)), make("td", { class: "right" }, percent(n / (tree.rows[k] || 1)))));
      const out = [make("h3", {}, name(way.join(" and ") || "all rows")),
        make("table", { class: "narrow" }, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "class"), make("th", { scope: "col", class: "right" }, "rows"),
          make("th", { scope: "col", class: "right" }, "share"))), make("tbody", {}, ...rows))];
      const table = tree.tables[k];
      if (table && table.length) {
        out.push(make("h3", {}, "Which question to ask here"), make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "questions" }, make("table", {},
          make("thead", {}, make("tr", {}, ...["column", "question", "gain, bits", "gain ratio"].map((t, i) => make("th", { scope: "col", class: i > 1 ? "right" : "" }, t)))),
          make("tbody", {}, ...table.map(([column, tests, gain, ratio, is]) => make("tr", { class: is ? "chosen" : "" },
            make("th", { scope: "row" }, name(column), is ? make("span", { class: "tag" }, "asked") : ""), make("td", {}, name(tests)),
            make("td", { class: "right" }, gain.toFixed(4)), make("td", { class: "right" }, ratio === null ? "" : ratio.toFixed(4))))))),
          make("p", { class: "soft small" }, "Gains of the questions as the tree would ask them here, of the rows that come here: levels in groups, rows without a value by their share. The gains of section 2 are of all rows, one branch per level."));
      } else if (below[k].length) out.push(make("p", { class: "soft" }, "The other questions are shown for the largest groups only."));
      else out.push(make("p", { class: "soft" }, "A final group: no further question is asked."));
      find("node").replaceChildren(...out);
    }

    find("unfold").addEventListener("click", () => { below.forEach((b, k) => { if (b.length) open.add(k); }); show(); });
    find("fold").addEventListener("click", () => { open.clear(); show(); });
    let follows = false;
    const follow = find("follow");
    if (follow) {
      ask.starts.forEach((s, k) => follow.append(make("option", { value: k }, clean(s.label))));
      follow.addEventListener("change", () => {
        follows = follow.value !== "";
        if (follows) begin(Number(follow.value)); else { lit = new Set(); show(); }
      });
    }
    listeners.push((found) => {
      if (!follows || !found.path) return;
      const way = [0, ...found.path.map((s) => s.next)].filter((n) => typeof n === "number").map((n) => number.get(n)).filter((n) => n !== undefined);
      lit = new Set(way);
      way.forEach((k) => { if (below[k].length && way.some((w) => tree.parent[w] === k)) open.add(k); });
      show();
    });
    show();
    place.scrollTop = visible()[1].get(0) + TALL / 2 - place.clientHeight / 2;
  }

  // ---- the nomogram ----

  // Lines as draw/scales.py draws them: the page comes with one pair of classes, others are drawn here.
  const MIDDLE = 26, FAR = 12, SHARES = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999];
  const spot = (w, [low, high]) => 3 + (94 * (Math.min(Math.max(w, low), high) - low)) / (high - low || 1);
  const sign = (t) => (t > 0 ? "+" : "") + Number(t.toPrecision(6));
  function ticks(low, high) { // round numbers between low and high
    const rough = (high - low) / 8 || 1, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((m) => m >= rough), out = [];
    for (let i = Math.ceil(low / step); i <= Math.floor(high / step); i++) out.push(Number((i * step).toFixed(10)));
    return out;
  }
  function fitting(at) { // labels that touch none: the two ends first
    const taken = { true: [], false: [] }, out = [], last = at.length - 1;
    const order = at.length > 1 ? [0, last, ...at.keys()].filter((k, i) => i < 2 || (k > 0 && k < last)) : [...at.keys()];
    for (const k of order) {
      const [x, text] = at[k], letters = [...text], short = letters.length > 20 ? letters.slice(0, 19).join("") + "…" : text;
      const half = ([...short].length * 6.4) / 2 + 3, raw = x * 4, middle = x < 8 ? raw + half : x > 92 ? raw - half : raw;
      const above = [k % 2 === 0, k % 2 === 1].find((up) => taken[up].every(([a, b]) => middle + half < a || middle - half > b));
      if (above === undefined) continue;
      taken[above].push([middle - half, middle + half]);
      out.push([x, short, above]);
    }
    return out;
  }
  function scaleLine(title, marks, ends) {
    const at = marks.map(([text, w]) => [Number(spot(w, ends).toFixed(3)), text]).sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1));
    const out = draw("svg", { width: "100%", height: 52, role: "img", "font-family": "system-ui, sans-serif", "font-size": 11 });
    const text = (tag, more, words) => { const t = draw(tag, more); t.textContent = words; return t; };
    out.append(text("title", {}, title));
    const line = (x1, y1, x2, y2, opacity) => draw("line", { x1: x1 + "%", y1, x2: x2 + "%", y2, stroke: "currentColor", opacity });
    if (at.length) out.append(line(at[0][0], MIDDLE, at[at.length - 1][0], MIDDLE, 0.5));
    for (const [x] of at) out.append(line(x, MIDDLE - 4, x, MIDDLE + 4, 0.6));
    for (const [x, words, above] of fitting(at)) {
      out.append(text("text", { x: x + "%", y: above ? MIDDLE - 12 : MIDDLE + 20, "text-anchor": x < 8 ? "start" : x > 92 ? "end" : "middle", fill: "currentColor" }, words));
    }
    return out;
  }

  if (scales && scales.lines.length && model) {
    let [c, d] = scales.classes;
    const place = find("nomogram"), put = (track, svg) => track.querySelector("svg").replaceWith(svg);
    const finite = (w) => (Math.abs(w) === Infinity ? Math.sign(w) * FAR * slope : w === w ? w : 0);
    const tracks = scales.lines.map((_, k) => place.querySelector(`[data-line="${k}"] .track`));

    function compare(own, other) { // draw another pair of classes
      [c, d] = [own, other];
      const start = ask.starts[ask.starts.length - 1].row, shift = shifted(c, d);
      scales.lines.forEach((line) => {
        line.stops.forEach((stop) => {
          const part = model.explain({ ...start, [line.column]: stop[0] }).parts.find((p) => p.column === line.column);
          stop[2] = finite(lead(part, c, d, slope));
        });
        if (line.stops.some((s) => typeof s[0] !== "number")) line.stops.sort((a, b) => a[2] - b[2] || (a[1] < b[1] ? -1 : 1));
      });
      const weights = scales.lines.flatMap((line) => line.stops.map((s) => s[2])), ends = [Math.min(0, ...weights), Math.max(0, ...weights)];
      scales.ends = ends;
      scales.lines.forEach((line, k) => {
        line.stops.forEach((s) => { s[3] = spot(s[2], ends); });
        put(tracks[k], scaleLine(`${clean(line.column)}: what each value adds`, line.stops.filter((s) => s[1]).map((s) => [s[1], s[2]]), ends));
      });
      put(find("log-odds"), scaleLine(unit, ends[0] < ends[1] ? ticks(...ends).map((t) => [sign(t), t]) : [], ends));
      const bare = model.explain(start).base;
      const base = finite(slope * (bare[c] - bare[d]) + shift), sums = [base, base];
      for (const line of scales.lines) line.stops.reduce(([a, b], s) => [Math.min(a, s[2]), Math.max(b, s[2])], [Infinity, -Infinity]).forEach((w, i) => { sums[i] += w; });
      for (const t of ask.form.terms.filter((t) => t.pair)) [Math.min, Math.max].forEach((f, i) => { sums[i] += f(...t.table.map((p) => p[c] - p[d])); });
      const most = 12 * size;
      scales.sum_ends = Math.max(sums[0], -most) < Math.min(sums[1], most) ? [Math.max(sums[0], -most), Math.min(sums[1], most)] : [-size, size];
      put(find("sum"), scaleLine(`sum of ${unit}`, ticks(...scales.sum_ends).map((t) => [sign(t), t]), scales.sum_ends));
      const odds = SHARES.map((s) => [`${Number((100 * s).toPrecision(6))} %`, size * Math.log(s / (1 - s))]).filter(([, o]) => o >= scales.sum_ends[0] && o <= scales.sum_ends[1]);
      put(find("share"), scaleLine("share of the class", odds, scales.sum_ends));
      document.querySelectorAll("#model .own-class").forEach((e) => e.replaceChildren(name(labels[c])));
      document.querySelectorAll("#model .other-class").forEach((e) => e.replaceChildren(name(labels[d])));
      find("base").textContent = signed(base);
      changed();
    }

    const own = find("own"), other = find("other");
    if (own) { // more than two classes: which two to compare
      for (const [box, at] of [[own, c], [other, d]]) {
        labels.forEach((l, k) => box.append(make("option", { value: k }, clean(l))));
        box.value = String(at);
      }
      own.addEventListener("change", () => { if (own.value === other.value) other.value = String(c); compare(Number(own.value), Number(other.value)); });
      other.addEventListener("change", () => { if (own.value === other.value) own.value = String(d); compare(Number(own.value), Number(other.value)); });
    }

    const knobs = scales.lines.map((line, k) => {
      const track = tracks[k];
      const knob = make("span", { class: "knob", role: "slider", tabindex: 0, "aria-labelledby": `scale-${k}`, "aria-valuemin": 0, "aria-valuemax": line.stops.length - 1 });
      const move = (s) => { set(line.column, line.stops[s][0]); };
      const nearest = (event) => {
        const box = track.getBoundingClientRect(), x = (100 * (event.clientX - box.left)) / box.width;
        let best = 0;
        line.stops.forEach((s, i) => { if (Math.abs(s[3] - x) < Math.abs(line.stops[best][3] - x)) best = i; });
        return best;
      };
      const now = () => Number(knob.getAttribute("aria-valuenow") || 0);
      knob.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key], last = line.stops.length - 1;
        const to = step ? now() + step : event.key === "Home" ? 0 : event.key === "End" ? last : NaN;
        if (to !== to) return;
        event.preventDefault();
        move(Math.min(Math.max(to, 0), last));
      });
      track.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        knob.focus();
        track.setPointerCapture(event.pointerId);
        move(nearest(event));
      });
      track.addEventListener("pointermove", (event) => { if (track.hasPointerCapture(event.pointerId)) move(nearest(event)); });
      track.append(knob);
      return knob;
    });
    const needles = ["sum", "share"].map((id) => { const n = make("span", { class: "needle" }); find(id).append(n); return n; });
    listeners.push((found) => {
      if (found.error) return;
      const part = new Map(found.parts.map((p) => [p.column, lead(p, c, d, slope)]));
      scales.lines.forEach((line, k) => {
        const weight = part.get(line.column), value = row[line.column];
        let best = 0;
        line.stops.forEach((s, i) => {
          const same = typeof s[0] === "number" && value !== null ? -Math.abs(s[0] - Number(value)) : s[0] === value ? 1 : -1e300;
          const before = line.stops[best], other = typeof before[0] === "number" && value !== null ? -Math.abs(before[0] - Number(value)) : before[0] === value ? 1 : -1e300;
          if (same > other) best = i;
        });
        knobs[k].style.left = spot(weight === weight ? weight : 0, scales.ends) + "%";
        knobs[k].setAttribute("aria-valuenow", best);
        knobs[k].setAttribute("aria-valuetext", `${value === null || value === "" ? "missing" : clean(value)}: ${signed(weight)}`);
        knobs[k].title = `${clean(line.column)} = ${value === null || value === "" ? "missing" : clean(value)}: ${signed(weight)}`;
      });
      const p = labels.map((l) => found.probabilities[l]), odds = size * Math.log(p[c] / p[d]);
      for (const n of needles) n.style.left = spot(odds === odds ? odds : 0, scales.sum_ends) + "%";
    });
  }

  // ---- what if ----

  const inputs = new Map();
  function set(column, value) {
    row[column] = value;
    const input = inputs.get(column);
    if (input) input.value = value === null || value === undefined ? "" : value;
    changed();
  }

  function take(values) { // another row; columns that it lacks are missing
    row = Object.fromEntries(ask.fields.map((f) => [f.name, values[f.name] ?? null]));
    for (const [column, input] of inputs) input.value = row[column] === null ? "" : row[column];
    changed();
  }

  function begin(k) { // take one of the rows to start from
    for (const id of ["start", "follow"]) if (find(id) && find(id).value !== "") find(id).value = String(k);
    take(ask.starts[k].row);
  }

  function inputOf(field, id) {
    const typed = (event) => { row[field.name] = event.target.value === "" ? null : event.target.value; changed(); };
    if (field.levels) {
      return make("select", { id, on: { change: typed } }, make("option", { value: "" }, "(missing)"),
        ...field.levels.map((l) => make("option", { value: l }, clean(l))));
    }
    if (field.kind === "text") return make("textarea", { id, on: { input: typed } });
    const hint = field.hint || (field.low === undefined ? "" : `${field.low} to ${field.high}`);
    return make("input", { id, type: "text", inputmode: field.kind === "numeric" ? "decimal" : "text", placeholder: hint, on: { input: typed } });
  }

  function bars(found) {
    const shares = labels.map((l, c) => [c, found.probabilities[l]]).sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 8);
    return shares.map(([c, share]) => {
      const bar = draw("svg", { viewBox: "0 0 110 12", preserveAspectRatio: "none", "aria-hidden": "true" },
        draw("rect", { width: 110, height: 12, fill: "currentColor", opacity: 0.1, rx: 2 }), draw("rect", { width: 110 * share, height: 12, fill: colour(c), rx: 2 }));
      return make("div", { class: "line" }, make("span", {}, name(labels[c])), bar, make("span", {}, percent(share)));
    });
  }

  function reasons(found) { // parts of the log-odds of the answer against its best rival, the strongest first
    const order = labels.map((l, c) => [found.probabilities[l], c]).sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    const c = order[0][1], d = order[1] ? order[1][1] : c, shift = shifted(c, d);
    const besides = (p) => { // what a text's words do not say: the average text, taken off
      const left = lead(p, c, d, slope) - p.words.reduce((sum, w) => sum + lead(w, c, d, slope), 0);
      return Math.abs(left) > 1e-9 ? [[`${p.column}: apart from its words`, left]] : [];
    };
    const lines = found.parts.flatMap((p) => (p.words && p.words.length ? [...p.words.map((w) => [`${p.column}: ${w.word}`, lead(w, c, d, slope)]), ...besides(p)]
      : [[`${p.column} = ${p.value === null || p.value === undefined || p.value === "" ? "(missing)" : p.value}`, lead(p, c, d, slope)]]));
    lines.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
    const base = slope * (found.base[c] - found.base[d]) + shift, shown = [[begins, base], ...lines.slice(0, 10)];
    const most = Math.max(...shown.map(([, w]) => (Math.abs(w) === Infinity ? 0 : Math.abs(w))), 1e-9);
    const out = shown.map(([text, w]) => {
      const size = Math.min(Math.abs(w) / most, 1) * 53, bar = draw("svg", { viewBox: "0 0 110 12", preserveAspectRatio: "none", "aria-hidden": "true" },
        draw("line", { x1: 55, x2: 55, y1: 0, y2: 12, stroke: "currentColor", opacity: 0.5 }),
        draw("rect", { x: w < 0 ? 55 - size : 55, y: 1, width: size, height: 10, fill: w < 0 ? palette[5] : palette[0] }));
      return make("div", { class: "line" }, make("span", {}, name(text.length > 90 ? text.slice(0, 89) + "…" : text)), bar, make("span", {}, signed(w)));
    });
    const first = make("p", { class: "soft small" }, `${unit} of `, name(labels[c]), " against ", name(labels[d]));
    const rest = lines.length > 10 ? [make("p", { class: "soft small" }, `and ${lines.length - 10} weaker parts`)] : [];
    const sum = card ? [make("p", { class: "small", id: "sum-of-points" }, "Sum: ", make("b", {}, signed([base, ...lines.map(([, w]) => w)].reduce((a, b) => a + b))), ` points; ${Math.round(Math.LN2 * size)} points double the odds.`)] : [];
    return [first, ...out, ...rest, ...sum];
  }

  function way(found) {
    const number = tree ? new Map(tree.origin.map((o, k) => [o, k])) : new Map();
    const steps = found.path.map((s) => {
      const k = typeof s.next === "number" ? number.get(s.next) : undefined;
      const rows = k === undefined ? "" : `: ${whole(tree.rows[k])} rows, ${clean(labels[tree.answer[k]])} ahead`;
      return make("li", {}, name(k === undefined ? s.text : tree.branch[k]), make("span", { class: "soft" }, name(rows)));
    });
    const hidden = found.path.filter((s) => typeof s.next === "number" && number.get(s.next) === undefined).length;
    const out = [make("ol", { class: "way" }, ...steps.slice(0, steps.length - hidden))];
    if (hidden) out.push(make("p", { class: "soft small" }, `${hidden} further question${hidden > 1 ? "s" : ""} of the grown tree move the share a little.`));
    return out;
  }

  function ruled(found) { // the rule that answers, with the values of the row
    const said = found.rule === null ? "No rule holds." : `Rule ${found.rule} answers:`;
    const value = (c) => (c.value === null || c.value === undefined || c.value === "" ? "missing" : c.value);
    const lines = found.conditions.map((c) => make("li", {}, name(c.text), make("span", { class: "soft" }, name(` (${value(c)})`))));
    return [make("p", {}, said), make("ul", { class: "way" }, ...lines)];
  }

  if (ask) {
    const fields = find("fields"), more = find("more");
    ask.fields.forEach((field, k) => {
      const id = `field-${k}`, input = inputOf(field, id);
      inputs.set(field.name, input);
      (k < ask.open ? fields : more).append(make("div", { class: "field" + (field.kind === "text" ? " text" : "") }, make("label", { for: id }, name(field.name)), input));
    });
    if (ask.fields.length > ask.open) {
      find("rest").hidden = false;
      const left = ask.fields.length - ask.open;
      find("rest").firstElementChild.textContent = `${left} more column${left > 1 ? "s" : ""}`;
    }
    const start = find("start");
    ask.starts.forEach((s, k) => start.append(make("option", { value: k }, clean(s.label))));
    start.addEventListener("change", () => begin(Number(start.value)));
    find("form").addEventListener("submit", (event) => event.preventDefault());
    listeners.push((found) => {
      if (found.error) {
        find("says").textContent = "No answer";
        find("shares").replaceChildren(make("p", { class: "note" }, name(found.error)));
        find("why").replaceChildren();
        return;
      }
      find("says").replaceChildren(name(found.label));
      find("shares").replaceChildren(...bars(found));
      find("why").replaceChildren(...(found.path ? way(found) : found.conditions ? ruled(found) : reasons(found)));
    });
    begin(0);
  }
  return Object.freeze({ model, data: given, take, row: () => ({ ...row }) });
}

function tallyTheme() { // the button that changes between light and dark
  const root = document.documentElement, theme = document.getElementById("theme"), prefers = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefers.matches);
  const label = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; label(); });
  prefers.addEventListener("change", label);
  label();
}
