// Curves of any class: other points in the frame that the page came with.
function tallyCurves(kit, curves) {
  const { find, clean, make, name, draw, colour, labels } = kit, box = find("of-class"), [left, right, top, bottom] = curves.frame;
  const at = ([x, y]) => [left + x * (right - left), bottom - y * (bottom - top)], spot = (p) => at(p).map((v) => v.toFixed(1)).join(",");
  function line(points, ink) {
    if (points.length > 1) return [draw("polyline", { points: points.map(spot).join(" "), fill: "none", stroke: ink, "stroke-width": 2 })];
    return points.map((p) => { const [cx, cy] = at(p); return draw("circle", { cx, cy, r: 4.5, fill: ink }); });
  }
  function bars(bins, ink) { // share given, share observed, and the ends of its interval
    return bins.flatMap(([x, y, low, high]) => {
      const [cx, cy] = at([x, y]), [, y1] = at([x, low]), [, y2] = at([x, high]);
      return [draw("line", { x1: cx, y1, x2: cx, y2, stroke: ink, "stroke-width": 1.5, opacity: 0.7 }), draw("circle", { cx, cy, r: 3, fill: ink })];
    });
  }
  function show(c) {
    const own = curves.classes[c], ink = colour(c), bins = own.calibration;
    const drawn = { roc: line(own.roc, ink), pr: line(own.pr, ink), calibration: [...line(bins.length > 1 ? bins.map((b) => b.slice(0, 2)) : [], ink), ...bars(bins, ink)] };
    for (const [kind, shapes] of Object.entries(drawn)) document.querySelector(`[data-curve="${kind}"] .curves`).replaceChildren(...shapes);
    document.querySelectorAll(".positive-class").forEach((e) => e.replaceChildren(name(labels[c])));
    find("lift-share").textContent = (100 * own.lift[0]).toFixed(0);
    find("lift").textContent = own.lift[1].toFixed(1);
  }
  for (const c of Object.keys(curves.classes)) box.append(make("option", { value: c }, clean(labels[c])));
  box.value = String(curves.first);
  box.addEventListener("change", () => show(Number(box.value)));
}
