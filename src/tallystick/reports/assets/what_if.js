// What if: a field per column, the answer beside it, and why.
function tallyWhatIf(kit) {
  const { find, classed, clean, make, name, draw, colour, whole, percent, labels, ask, card, unit, size, slope, shifted, signed, begins, lead, inputs, listeners, set, begin } = kit;
  const { tree } = kit.given;
  function inputOf(field, id) {
    const typed = (event) => set(field.name, event.target.value === "" ? null : event.target.value);
    if (field.levels) {
      return make("select", { id, on: { change: typed } }, make("option", { value: "" }, "(missing)"),
        ...field.levels.map((l) => make("option", { value: l }, clean(l))));
    }
    if (field.kind === "text") return make("textarea", { id, on: { input: typed } });
    const hint = field.hint || (field.low === undefined ? "" : `${field.low} to ${field.high}`);
    return make("input", { id, type: "text", inputmode: field.kind === "numeric" ? "decimal" : "text", placeholder: hint, "aria-describedby": `${id}-form ${id}-wrong`, on: { input: typed } });
  }

  const wrong = new Map(); // of each field that is typed in: says which form its column takes
  function form(field, input, id) {
    const told = make("span", { class: "bad small", id: `${id}-wrong`, role: "status" });
    wrong.set(field.name, (found) => {
      const own = found.column === field.name;
      if (own) input.setAttribute("aria-invalid", "true"); else input.removeAttribute("aria-invalid");
      told.textContent = own ? `Enter a ${found.form}, or nothing.` : "";
    });
    return [make("span", { class: "soft small", id: `${id}-form` }, field.form || ""), told];
  }

  const ranged = []; // of each number: moves its slider, and says where it lies outside the training rows
  function range(field, input, id) {
    const { low, high } = field, digits = (v) => String(Number(Number(v).toPrecision(6)));
    const step = Number.isInteger(low) && Number.isInteger(high) && high - low <= 1000 ? 1 : (high - low) / 200;
    const slide = make("input", { type: "range", id: `${id}-range`, min: low, max: high, step, "aria-label": `${clean(field.name)}, from ${digits(low)} to ${digits(high)}` });
    const told = make("span", { class: "bad small", id: `${id}-outside`, role: "status" });
    slide.addEventListener("input", () => { input.value = digits(slide.value); set(field.name, input.value); });
    ranged.push(() => {
      const x = Number(input.value), known = input.value.trim() !== "" && Number.isFinite(x);
      if (known) slide.value = x;
      told.textContent = known && (x < low || x > high) ? `outside the training rows, which go from ${digits(low)} to ${digits(high)}` : "";
    });
    return [slide, told];
  }

  function bars(found) { // of many classes the first five, and the others as one
    const every = labels.map((l, c) => [c, found.probabilities[l]]).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const shown = every.length > 8 ? every.slice(0, 5) : every, rest = every.slice(shown.length).reduce((sum, [, share]) => sum + share, 0);
    const line = (words, share, fill) => make("div", { class: "line" }, make("span", {}, name(words)),
      draw("svg", { viewBox: "0 0 110 12", preserveAspectRatio: "none", "aria-hidden": "true" },
        draw("rect", { width: 110, height: 12, fill: "currentColor", opacity: 0.1, rx: 2 }), draw("rect", { width: 110 * Math.min(share, 1), height: 12, fill, rx: 2 })),
      make("span", {}, percent(share)));
    const out = shown.map(([c, share]) => line(classed(labels[c]), share, colour(c)));
    return shown.length < every.length ? [...out, line(`${every.length - shown.length} other classes`, rest, "currentColor")] : out;
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
        draw("rect", { x: w < 0 ? 55 - size : 55, y: 1, width: size, height: 10, fill: "currentColor", opacity: 0.6 }));
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
      const rows = k === undefined ? "" : `: ${whole(tree.rows[k])} rows, ${kit.number ? `mean ${tree.lines[k][0]}` : `${clean(labels[tree.answer[k]])} ahead`}`;
      return make("li", {}, name(k === undefined ? s.text : tree.branch[k]), make("span", { class: "soft" }, name(rows)));
    });
    const hidden = found.path.filter((s) => typeof s.next === "number" && number.get(s.next) === undefined).length;
    const out = [make("ol", { class: "way" }, ...steps.slice(0, steps.length - hidden))];
    const last = found.path[found.path.length - hidden - 1], cut = tree && tree.left[number.get(last ? last.next : 0)]; // of a tree too large for the page
    if (hidden) out.push(make("p", { class: "soft small" }, `${hidden} further question${hidden > 1 ? "s" : ""} ${cut ? "that this page does not draw" : "of the grown tree move the share a little"}.`));
    return out;
  }

  function ruled(found) { // the rule that answers, with the values of the row
    const said = found.rule === null ? "No rule holds." : `Rule ${found.rule} answers:`;
    const value = (c) => (c.value === null || c.value === undefined || c.value === "" ? "missing" : c.value);
    const lines = found.conditions.map((c) => make("li", {}, name(c.text), make("span", { class: "soft" }, name(` (${value(c)})`))));
    return [make("p", {}, said), make("ul", { class: "way" }, ...lines)];
  }

  const fields = find("fields"), more = find("more");
  ask.fields.forEach((field, k) => {
    const id = `field-${k}`, input = inputOf(field, id);
    inputs.set(field.name, input);
    (k < ask.open ? fields : more).append(make("div", { class: "field" + (field.kind === "text" ? " text" : "") }, make("label", { for: id }, name(field.name)), input,
      ...(field.levels || field.kind === "text" ? [] : form(field, input, id)),
      ...(field.kind === "numeric" && field.low < field.high ? range(field, input, id) : [])));
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
    ranged.forEach((tell) => tell());
    wrong.forEach((tell) => tell(found));
    if (found.error) {
      find("says").textContent = "No answer";
      find("shares").replaceChildren(make("p", { class: "note" }, name(found.error)));
      find("why").replaceChildren();
      return;
    }
    if (kit.number) { kit.number.show(found, way); return; }
    find("says").replaceChildren(name(classed(found.label)));
    find("shares").replaceChildren(...bars(found));
    find("why").replaceChildren(...(found.path ? way(found) : found.conditions ? ruled(found) : reasons(found)));
  });
  begin(0);
}
