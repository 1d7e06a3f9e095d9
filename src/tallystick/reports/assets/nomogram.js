// The nomogram: a line per column with a point that moves. The page comes with one pair of classes, drawn by
// draw/scales.py; others are drawn here, in the same way.
function tallyNomogram(kit) {
  const { find, clean, make, name, draw, percent, labels, ask, model, unit, size, slope, shifted, signed, lead, listeners, changed, set } = kit, { scales } = kit.given;
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
      const half = ([...short].length * 6.4) / 2 + 3, raw = x * 3.4, middle = x < 8 ? raw + half : x > 92 ? raw - half : raw;
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
    const base = finite(slope * (bare[c] - bare[d]) + shift);
    scales.sum_ends = scales.sums[`${c} ${d}`] || [-FAR * size, FAR * size];
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
  function point(mark, weight, ends, words) { // where a weight lies; beyond the axis an arrow with the number
    const beyond = weight < ends[0] - 1e-9 ? "left" : weight > ends[1] + 1e-9 ? "right" : "";
    mark.style.left = spot(weight === weight ? weight : 0, ends) + "%";
    mark.dataset.beyond = beyond;
    mark.replaceChildren(...(beyond ? [make("span", { class: "past" }, beyond === "left" ? `◂ ${words}` : `${words} ▸`)] : []));
  }
  const needles = ["sum", "share"].map((id) => { const n = make("span", { class: "needle" }); find(id).append(n); return n; });
  listeners.push((found) => {
    if (found.error) return;
    const row = kit.row();
    const part = new Map(found.parts.map((p) => [p.column, lead(p, c, d, slope)]));
    scales.lines.forEach((line, k) => {
      const weight = part.get(line.column), value = row[line.column];
      let best = 0;
      line.stops.forEach((s, i) => {
        const same = typeof s[0] === "number" && value !== null ? -Math.abs(s[0] - Number(value)) : s[0] === value ? 1 : -1e300;
        const before = line.stops[best], other = typeof before[0] === "number" && value !== null ? -Math.abs(before[0] - Number(value)) : before[0] === value ? 1 : -1e300;
        if (same > other) best = i;
      });
      point(knobs[k], weight, scales.ends, `${clean(value ?? "missing")}: ${signed(weight)}`);
      knobs[k].setAttribute("aria-valuenow", best);
      knobs[k].setAttribute("aria-valuetext", `${value === null || value === "" ? "missing" : clean(value)}: ${signed(weight)}`);
      knobs[k].title = `${clean(line.column)} = ${value === null || value === "" ? "missing" : clean(value)}: ${signed(weight)}`;
    });
    const p = labels.map((l) => found.probabilities[l]), odds = size * Math.log(p[c] / p[d]);
    point(needles[0], odds, scales.sum_ends, signed(odds));
    point(needles[1], odds, scales.sum_ends, percent(p[c] / (p[c] + p[d])));
  });
}
