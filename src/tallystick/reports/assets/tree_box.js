// One node of the tree as a picture, by the measures of draw/tree.py: what leads to it, its classes, its words, and
// how its rows lie on the column it asks. Law: colours stand in attributes, so that a saved picture has them.
function tallyTreeBox(kit) {
  const { clean, draw, colour, pale, OTHERS, labels, whole } = kit, { tree } = kit.given;
  const WIDE = 212, ROOM = 60, GAP = 12, PAD = 9, HEAD = 15, LINE = 14, BAR = 9, TALL = 30, INK = "#222222";
  const counts = (k) => (Array.isArray(tree.counts[k]) ? tree.counts[k].map((n, c) => [c, n])
    : Object.entries(tree.counts[k]).map(([c, n]) => [Number(c), n])).filter(([, n]) => n > 0);
  const largest = (k) => counts(k).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  function barParts(k) { // every class; of many the largest here, and the others together; of numbers where the mean lies
    if (tree.level) return [[0, tree.level[k]], [-1, 1 - tree.level[k]]];
    const total = tree.rows[k] || 1, every = (labels.length > 8 ? largest(k).slice(0, 5) : counts(k)).map(([c, n]) => [c, n / total]);
    const rest = 1 - every.reduce((s, [, share]) => s + share, 0);
    return tree.rows[k] && rest > 1e-9 ? [...every, [-1, rest]] : every;
  }
  const fill = (c) => (c < 0 ? { fill: OTHERS } : pale(c) < 1 ? { fill: colour(c), opacity: pale(c) } : { fill: colour(c) });
  function short(text, cells) { const letters = [...text]; return letters.length > cells ? letters.slice(0, cells - 1).join("") + "…" : text; }
  function headed(text, cells) { // at most two lines
    const letters = [...text];
    if (letters.length <= cells) return [text];
    let at = cells;
    for (let i = cells; i > cells / 2; i--) if (letters[i] === " " || letters[i - 1] === "-" || letters[i - 1] === "_") { at = i; break; }
    return [letters.slice(0, at).join("").trim(), short(letters.slice(at).join("").trim(), cells)];
  }
  const cellsOf = (wide) => Math.floor((wide - 2 * PAD) / 7.1), smallCells = (wide) => Math.floor((wide - 2 * PAD) / 5.8);
  function tall(k, wide) {
    const spread = tree.spreads[k];
    return 2 * PAD + HEAD * headed(clean(tree.branch[k]), cellsOf(wide)).length + (tree.rows[k] ? BAR + 6 : 0) + LINE * tree.lines[k].length
      + (spread ? LINE + TALL + (spread.under.length ? LINE : 4) : 0);
  }
  const text = (x, y, words, size, more = {}) => draw("text", { x, y, "font-size": size, fill: INK, ...more }, words);
  const hint = (words) => draw("title", {}, words);

  function spreadOf(k, top, wide) { // small bars by class, and lines where the question divides them
    const spread = tree.spreads[k], inside = wide - 2 * PAD, each = inside / spread.bars.length, foot = top + LINE + TALL;
    const most = Math.max(...spread.bars.map((bar) => bar.reduce((a, b) => a + b, 0))) || 1;
    const out = draw("g", { class: "spread" }, text(PAD, top + 10, short(`asks ${clean(tree.asks[k])}`, smallCells(wide)), 11));
    spread.bars.forEach((bar, i) => {
      let up = foot;
      const one = draw("g", {}, hint(told(spread, i)));
      bar.forEach((n, j) => {
        const part = ((TALL - 2) * n) / most;
        up -= part;
        if (part > 0) one.append(draw("rect", { x: PAD + each * i + 0.5, y: up.toFixed(2), width: Math.max(each - 1, 0.5).toFixed(2), height: part.toFixed(2), ...fill(spread.classes[j]) }));
      });
      out.append(one);
    });
    out.append(draw("path", { d: `M${PAD},${foot} H${PAD + inside}`, stroke: INK, opacity: 0.5 }));
    for (const at of spread.cuts || []) out.append(draw("path", { d: `M${PAD + inside * at},${top + LINE + 1} V${foot + 3}`, stroke: INK, "stroke-width": 1.5 }));
    if (spread.ends && spread.under.length) out.append(text(PAD, foot + 11, spread.under[0], 10), text(PAD + inside, foot + 11, spread.under[1], 10, { "text-anchor": "end" }));
    else spread.under.forEach((word, i) => out.append(text(PAD + each * (i + 0.5), foot + 11, clean(word), 10, { "text-anchor": "middle" })));
    return out;
  }
  function told(spread, i) { // a bar in words
    const step = spread.ends ? (spread.ends[1] - spread.ends[0]) / spread.bars.length : 0;
    const where = spread.ends ? `from ${Number((spread.ends[0] + step * i).toPrecision(6))} to ${Number((spread.ends[0] + step * (i + 1)).toPrecision(6))}` : clean(spread.values[i] ?? "other levels");
    const parts = spread.bars[i].map((n, j) => [n, spread.classes[j]]).filter(([n]) => n > 0).map(([n, c]) => `${c < 0 ? "others" : clean(labels[c])} ${whole(n)}`);
    return `${where}: ${parts.join(", ") || "no row"}`;
  }
  function place(spread, value) { // where a row's value lies, as a share of the width; beyond an end: -1 or 2
    if (value === null || value === undefined || value === "") return null;
    if (!spread.ends) { const i = spread.values.indexOf(String(value)); return i < 0 ? null : (i + 0.5) / spread.bars.length; }
    const x = (Number(value) - spread.ends[0]) / (spread.ends[1] - spread.ends[0]);
    return x !== x ? null : x < 0 ? -1 : x > 1 ? 2 : x;
  }
  function marker(k, value, wide) { // the row's value on the small bars; an arrow with the number where it lies beyond them
    const spread = tree.spreads[k], at = spread ? place(spread, value) : null;
    if (at === null) return null;
    const inside = wide - 2 * PAD, foot = tall(k, wide) - PAD - (spread.under.length ? LINE : 4), top = foot - TALL;
    const out = draw("g", { class: "marker" }, hint(`this row: ${clean(value)}`)), x = PAD + inside * at;
    if (at < 0) out.append(draw("path", { d: `M${PAD},${top + 6} l7,-5 v10 z`, fill: INK }), text(PAD + 10, top + 10, clean(value), 10, { "font-weight": "bold" }));
    else if (at > 1) out.append(draw("path", { d: `M${PAD + inside},${top + 6} l-7,-5 v10 z`, fill: INK }), text(PAD + inside - 10, top + 10, clean(value), 10, { "font-weight": "bold", "text-anchor": "end" }));
    else out.append(draw("path", { d: `M${x},${top + 4} l-5,-8 h10 z`, fill: INK }), draw("path", { d: `M${x},${top} V${foot}`, stroke: INK, "stroke-dasharray": "2 2" }));
    return out;
  }

  function build(k, wide, leaf) { // the node's group; the viewer places it
    const words = tree.lines[k].map(clean), head = headed(clean(tree.branch[k]), cellsOf(wide)), high = tall(k, wide);
    const out = draw("g", { "data-node": k, class: leaf ? "node leaf" : "node" },
      draw("rect", { class: "box", width: wide, height: high, rx: 6, fill: "#ffffff", stroke: leaf ? "#333333" : "#999999", "stroke-width": leaf ? 1.5 : 1 },
        hint(largest(k).slice(0, 12).map(([c, n]) => `${clean(labels[c])} ${whole(n)}`).join(", "))));
    let at = PAD;
    for (const line of head) { out.append(text(PAD, at + 11, line, 12, { "font-weight": "bold" })); at += HEAD; }
    if (tree.rows[k]) {
      let x = PAD;
      for (const [c, share] of barParts(k)) {
        out.append(draw("rect", { x: x.toFixed(2), y: at + 1, width: (share * (wide - 2 * PAD)).toFixed(2), height: BAR, class: "part", "data-class": c, ...fill(c) }));
        x += share * (wide - 2 * PAD);
      }
      at += BAR + 6;
    }
    words.forEach((line, i) => { out.append(text(PAD, at + 10, short(line, smallCells(wide)), 11, { class: i ? "words" : "words first" })); at += LINE; });
    if (tree.spreads[k]) out.append(spreadOf(k, at, wide));
    return out;
  }
  function pill(k, wide, high) { // the node on a map: its classes alone
    const out = draw("g", { "data-node": k, class: "node pill" }, hint([tree.branch[k], ...tree.lines[k]].map(clean).join("\n")), draw("rect", { class: "box", width: wide, height: high, rx: 3, fill: OTHERS }));
    let x = 0;
    for (const [c, share] of barParts(k)) {
      out.append(draw("rect", { x: x.toFixed(1), width: (share * wide).toFixed(1), height: high, class: "part", "data-class": c, ...fill(c) }));
      x += share * wide;
    }
    return out;
  }
  return { build, pill, tall, marker, largest, short: (words, wide) => short(words, smallCells(wide)), WIDE, ROOM, GAP, PAD };
}
