// A target of numbers: the answer to the row of the form, and what leads to it.
// Law: texts reach the page by textContent only.
function tallyNumber(kit) {
  const { find, make, name, draw, ask } = kit, digits = (x) => String(Number(Number(x).toPrecision(5)));
  const signed = (x) => (x < 0 ? "−" : "+") + digits(Math.abs(x));
  function addends(found) { // what each column adds, from the average row where the model tells it so
    const lines = found.parts.map((p) => [`${p.column} = ${p.value === null || p.value === undefined || p.value === "" ? "(missing)" : p.value}`, p.parts[0]]);
    lines.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
    const most = Math.max(...lines.map(([, w]) => Math.abs(w)), 1e-12), begins = (ask.form.terms || []).some((t) => t.average) ? "the average row" : "before any column";
    const first = make("div", { class: "line" }, make("span", {}, begins), draw("svg", { viewBox: "0 0 110 12", "aria-hidden": "true" }), make("span", {}, digits(found.base[0])));
    const out = lines.slice(0, 10).map(([text, w]) => {
      const size = Math.min(Math.abs(w) / most, 1) * 53, bar = draw("svg", { viewBox: "0 0 110 12", preserveAspectRatio: "none", "aria-hidden": "true" },
        draw("line", { x1: 55, x2: 55, y1: 0, y2: 12, stroke: "currentColor", opacity: 0.5 }),
        draw("rect", { x: w < 0 ? 55 - size : 55, y: 1, width: size, height: 10, fill: "currentColor", opacity: 0.6 }));
      return make("div", { class: "line" }, make("span", {}, name(text)), bar, make("span", {}, signed(w)));
    });
    return [first, ...out, ...(lines.length > 10 ? [make("p", { class: "soft small" }, `and ${lines.length - 10} smaller parts`)] : [])];
  }
  function range(found) { // where the answer lies between the lowest and the highest of the rows
    const [low, high] = kit.given.range, share = Math.min(Math.max((found.value - low) / (high - low || 1), 0), 1);
    return [make("div", { class: "line" }, make("span", {}, `from ${digits(low)} to ${digits(high)} in the rows`), draw("svg", { viewBox: "0 0 110 12", preserveAspectRatio: "none", "aria-hidden": "true" },
      draw("rect", { width: 110, height: 12, fill: "currentColor", opacity: 0.1, rx: 2 }), draw("rect", { x: Math.max(110 * share - 2, 0), width: 4, height: 12, fill: "currentColor" })), make("span", {}, digits(found.value)))];
  }
  return { digits, show(found, way) {
    find("says").replaceChildren(name(kit.given.target), `: ${digits(found.value)}`);
    find("shares").replaceChildren(...range(found));
    find("why").replaceChildren(...(found.path ? way(found) : addends(found)));
  } };
}
