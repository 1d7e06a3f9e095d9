// The tree that folds, as a picture to zoom, move and search: its nodes, the counts and runners-up of one, the way of a row.
// On a narrow screen the same boxes stand as an indented outline. Law: a node is built once for a width.
function tallyTree(kit) {
  const { find, clean, make, name, draw, colour, whole, percent, labels, ask, hear, listeners, begin } = kit, { tree } = kit.given;
  const boxes = tallyTreeBox(kit), { WIDE, ROOM, GAP, PAD } = boxes, saved = tallySaved(kit);
  const NARROW = 560, INDENT = 16, HIGH = 640, LEAST = 0.1, MOST = 3, FIRST = 0.7, LEGIBLE = 0.3; // sizes, and the zoom
  const PILL = 26, APART = 8; // of a map
  const place = find("tree"), below = tree.parent.map(() => []), depth = [], open = new Set();
  const number = new Map(tree.origin.map((o, k) => [o, k])), scene = draw("g", {}), picture = draw("svg", { role: "tree", "aria-label": "decision tree", "font-family": "system-ui, sans-serif" }, scene);
  tree.parent.forEach((up, k) => {
    if (up >= 0) below[up].push(k);
    depth[k] = up < 0 ? 0 : depth[up] + 1;
  });
  const deepest = Math.max(...depth), asked = [...new Set(tree.asks.filter((a) => a))];
  let chosen = -1, active = 0, zoom = 1, fits = false, lit = new Set(), hits = [], hit = -1, rowTold = null, at = new Map(), shown = [], size = [0, 0], mapped = false;
  place.append(picture);
  const outlined = () => place.clientWidth < NARROW;
  const upTo = (levels) => { open.clear(); below.forEach((b, k) => { if (b.length && depth[k] < levels) open.add(k); }); };
  upTo(tree.open ? deepest : tree.first);

  // ---- where nodes stand: at.get(node) = [x, y, wide, tall] ----

  function beside(high, gap, step) { // all rows on the left; each subtree in a strip of its own, as draw/tree.py has it
    const tall = new Map(), inner = new Map(), strip = new Map(), out = new Map();
    for (let i = shown.length - 1; i >= 0; i--) {
      const k = shown[i], own = high(k), b = open.has(k) ? below[k] : [];
      tall.set(k, own);
      inner.set(k, b.reduce((s, c) => s + strip.get(c), 0) + gap * Math.max(b.length - 1, 0));
      strip.set(k, Math.max(own, inner.get(k)));
    }
    const top = new Map([[0, PAD]]), middle = new Map();
    for (const k of shown) {
      let y = top.get(k) + (strip.get(k) - inner.get(k)) / 2;
      for (const c of open.has(k) ? below[k] : []) { top.set(c, y); y += strip.get(c) + gap; }
    }
    for (let i = shown.length - 1; i >= 0; i--) {
      const k = shown[i], b = open.has(k) ? below[k] : [], half = tall.get(k) / 2;
      const wish = b.length ? (middle.get(b[0]) + middle.get(b[b.length - 1])) / 2 : top.get(k) + strip.get(k) / 2;
      middle.set(k, Math.min(Math.max(wish, top.get(k) + half), top.get(k) + strip.get(k) - half));
      out.set(k, [PAD + depth[k] * step, middle.get(k) - half, WIDE, tall.get(k)]);
    }
    size = [2 * PAD + levelsNow() * step + WIDE + 26, strip.get(0) + 2 * PAD];
    return out;
  }

  function map() { // a tree too large to read at once: a pill per node, over the whole width
    const ends = shown.filter((k) => !open.has(k)).length, zoomed = (HIGH - 2) / (ends * (PILL + APART) + 2 * PAD);
    return beside(() => PILL, APART, Math.max(WIDE + ROOM, (place.clientWidth / zoomed - WIDE - 60) / Math.max(levelsNow(), 1)));
  }

  function outline() { // one under the other, deeper ones further in
    const out = new Map(), wide = place.clientWidth - 2, step = Math.min(INDENT, Math.max(4, (wide - 220) / Math.max(deepest, 1)));
    let y = PAD;
    for (const k of shown) {
      const x = PAD + depth[k] * step, own = wide - x - PAD - 26, tall = boxes.tall(k, own);
      out.set(k, [x, y, own, tall]);
      y += tall + 8;
    }
    size = [wide, y + PAD];
    return out;
  }

  function linkOf(k) {
    const [x, y, , tall] = at.get(k), [ux, uy, uw, ut] = at.get(tree.parent[k]), y2 = y + tall / 2, thick = Math.max(1.5, (30 * tree.rows[k]) / (tree.rows[0] || 1));
    const look = { fill: "none", stroke: colour(tree.answer[k]), "stroke-width": outlined() ? 2 : thick, opacity: lit.size ? (lit.has(k) ? 0.8 : 0.2) : 0.5 };
    if (outlined()) return draw("path", { d: `M${ux + 6},${uy + ut} V${y2} H${x}`, ...look });
    const x1 = ux + uw, y1 = uy + ut / 2, half = (x1 + x) / 2;
    return draw("path", { d: `M${x1},${y1} C${half},${y1} ${half},${y2} ${x},${y2}`, ...look });
  }

  // ---- nodes ----

  const made = new Map();
  function nodeOf(k) {
    const [x, y, wide, tall] = at.get(k), leaf = !below[k].length && !tree.left[k], key = `${k} ${mapped ? "map" : wide}`;
    if (!made.has(key)) {
      const out = mapped ? boxes.pill(k, wide, tall) : boxes.build(k, wide, leaf);
      if (below[k].length && !mapped) out.append(draw("g", { class: "fold", "data-fold": k, transform: `translate(${wide + 13},${tall / 2})` }, draw("circle", { r: 11, fill: "#ffffff", stroke: "#999999" }), draw("path", { d: "M-5,0 H5 M0,-5 V5", stroke: "#222222", "stroke-width": 2 })));
      made.set(key, out);
    }
    const out = made.get(key);
    const look = { transform: `translate(${x.toFixed(1)},${y.toFixed(1)})`, role: "treeitem", tabindex: k === active ? 0 : -1, "aria-level": depth[k] + 1,
      "aria-label": [tree.branch[k], ...tree.lines[k]].map(clean).join(", "), "aria-selected": String(k === chosen) };
    for (const [what, value] of Object.entries(look)) out.setAttribute(what, value);
    out.classList.toggle("lit", lit.has(k));
    out.classList.toggle("hit", hits.includes(k));
    if (below[k].length) out.setAttribute("aria-expanded", String(open.has(k)));
    if (mapped) return out;
    const strong = lit.has(k) || hits.includes(k), box = out.querySelector(".box");
    box.setAttribute("stroke", strong || leaf ? "#333333" : "#999999");
    box.setAttribute("stroke-width", strong ? 3 : leaf ? 1.5 : 1);
    if (below[k].length) out.querySelector(".fold path").setAttribute("d", open.has(k) ? "M-5,0 H5" : "M-5,0 H5 M0,-5 V5");
    follows(out, k, wide, leaf);
    return out;
  }

  function follows(out, k, wide, leaf) { // the row's value on the small bars, and what it is answered
    const old = out.querySelector(".marker"), first = out.querySelector(".words.first"), own = lit.has(k) && rowTold;
    if (old) old.remove();
    const mark = own ? boxes.marker(k, kit.row()[tree.asks[k]], wide) : null;
    if (mark) out.append(mark);
    if (leaf && first) first.textContent = boxes.short(clean(own ? `this row: ${kit.number ? kit.number.digits(rowTold.value) : `${rowTold.label} ${percent(rowTold.probabilities[rowTold.label])}`}` : tree.lines[k][0]), wide);
  }

  function show() {
    const held = place.contains(document.activeElement);
    shown = [];
    const waiting = [0];
    while (waiting.length) {
      const k = waiting.pop();
      shown.push(k);
      if (open.has(k)) waiting.push(...[...below[k]].reverse());
    }
    at = outlined() ? outline() : beside((k) => boxes.tall(k, WIDE), GAP, WIDE + ROOM);
    mapped = fits && !outlined() && fitting() < LEGIBLE;
    if (mapped) at = map();
    picture.classList.toggle("map", mapped);
    if (!at.has(active)) active = 0;
    scene.replaceChildren(draw("g", { "aria-hidden": "true" }, ...shown.slice(1).map(linkOf)), ...shown.map(nodeOf));
    if (held) item(active).focus({ preventScroll: true });
    const levels = levelsNow();
    find("levels").textContent = `${levels} of ${deepest} level${deepest === 1 ? "" : "s"}`;
    find("fewer").disabled = levels === 0;
    find("deeper").disabled = levels === deepest && shown.length === tree.parent.length;
    scale(fits ? fitting() : zoom);
  }
  const levelsNow = () => shown.reduce((most, k) => Math.max(most, depth[k]), 0);
  const item = (k) => scene.querySelector(`[data-node="${k}"]`);

  // ---- what is seen of it ----

  const fitting = () => Math.min(1, (place.clientWidth - 2) / size[0], (HIGH - 2) / size[1]);
  function scale(to) {
    zoom = outlined() ? 1 : mapped ? to : Math.min(Math.max(to, LEAST), MOST);
    picture.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
    picture.setAttribute("width", Math.ceil(size[0] * zoom));
    picture.setAttribute("height", Math.ceil(size[1] * zoom));
    picture.classList.toggle("far", zoom < LEGIBLE);
  }
  function zoomTo(to, x = place.clientWidth / 2, y = place.clientHeight / 2) { // the point under x, y stays where it is
    if (mapped) { // into the map: the node there, to be read
      const far = (k) => Math.abs(at.get(k)[0] + WIDE / 2 - (x + place.scrollLeft) / zoom) + 4 * Math.abs(at.get(k)[1] - (y + place.scrollTop) / zoom);
      if (to > zoom) readable(shown.reduce((best, k) => (far(k) < far(best) ? k : best), 0));
      return;
    }
    const was = zoom, left = place.scrollLeft + x, top = place.scrollTop + y;
    fits = false;
    scale(to);
    place.scrollLeft = (left * zoom) / was - x;
    place.scrollTop = (top * zoom) / was - y;
  }
  function centre(k) { // bring a node to the middle; its branches stand right of it
    const [x, y, wide, tall] = at.get(k), ahead = open.has(k) && !outlined() ? (WIDE + ROOM) / 2 : 0;
    place.scrollLeft = (x + wide / 2 + ahead) * zoom - place.clientWidth / 2;
    place.scrollTop = (y + tall / 2) * zoom - place.clientHeight / 2;
  }
  function reveal(k) { for (let up = tree.parent[k]; up >= 0; up = tree.parent[up]) open.add(up); }
  function readable(k) { // a node that was looked for can be read
    fits = false;
    if (mapped) show();
    if (zoom < FIRST) scale(FIRST);
    centre(k);
  }
  function toggle(k) {
    if (!below[k].length) return;
    if (open.has(k)) open.delete(k); else open.add(k);
    active = k;
    show();
    if (!fits) centre(k);
  }
  function go(k) {
    active = k;
    shown.forEach((n) => item(n).setAttribute("tabindex", n === k ? 0 : -1));
    item(k).focus({ preventScroll: true });
    const [x, y, wide, tall] = at.get(k).map((v) => v * zoom), inside = x >= place.scrollLeft && y >= place.scrollTop && x + wide <= place.scrollLeft + place.clientWidth && y + tall <= place.scrollTop + place.clientHeight;
    if (!inside) centre(k);
  }
  function choose(k) {
    chosen = active = k;
    if (mapped) readable(k);
    shown.forEach((n) => item(n).setAttribute("aria-selected", String(n === k)));
    tell(k);
    if (hear.node) hear.node(k);
  }

  let dragged = null;
  place.addEventListener("pointerdown", (event) => { if (event.button === 0 && event.pointerType === "mouse") dragged = [event.clientX, event.clientY, place.scrollLeft, place.scrollTop, false]; });
  place.addEventListener("pointermove", (event) => {
    if (!dragged || !(event.buttons & 1)) return;
    const [x, y, left, top] = dragged;
    if (Math.abs(event.clientX - x) + Math.abs(event.clientY - y) > 5) dragged[4] = true;
    if (dragged[4]) { place.scrollLeft = left - (event.clientX - x); place.scrollTop = top - (event.clientY - y); }
  });
  picture.addEventListener("click", (event) => { // one listener for all nodes
    const moved = dragged && dragged[4], on = event.target.closest("[data-fold], [data-node]");
    dragged = null;
    if (moved || !on) return;
    if (on.dataset.fold !== undefined) toggle(Number(on.dataset.fold));
    else { go(Number(on.dataset.node)); choose(active); }
  });
  place.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = place.getBoundingClientRect();
    zoomTo(zoom * Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  picture.addEventListener("keydown", (event) => {
    const i = shown.indexOf(active), up = tree.parent[active], last = shown.length - 1;
    const moves = {
      ArrowRight: () => (below[active].length && !open.has(active) ? toggle(active) : below[active].length && go(below[active][0])),
      ArrowLeft: () => (open.has(active) ? toggle(active) : up >= 0 && go(up)),
      ArrowDown: () => i < last && go(shown[i + 1]), ArrowUp: () => i > 0 && go(shown[i - 1]), Home: () => go(0), End: () => go(shown[last]),
      Enter: () => choose(active), " ": () => choose(active), "+": () => zoomTo(zoom * 1.25), "-": () => zoomTo(zoom / 1.25), 0: () => find("fit").click(),
    };
    if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    moves[event.key]();
  });

  // ---- the controls ----

  const press = (id, f) => find(id).addEventListener("click", f);
  press("unfold", () => { upTo(deepest); fits = !outlined(); show(); });
  press("fold", () => { open.clear(); fits = false; active = 0; show(); scale(1); centre(0); });
  press("deeper", () => { const to = levelsNow() + 1; upTo(to); show(); if (!fits) centre(active); });
  press("fewer", () => { const to = levelsNow() - 1; upTo(to); active = 0; show(); if (!fits) centre(0); });
  press("fit", () => { fits = true; show(); });
  press("larger", () => zoomTo(zoom * 1.25));
  press("smaller", () => zoomTo(zoom / 1.25));
  asked.forEach((column) => find("asked").append(make("option", { value: clean(column) })));
  function seek(next) {
    const wanted = find("seek").value.trim().toLowerCase();
    if (!next) { hits = wanted ? tree.asks.flatMap((a, k) => (a && a.toLowerCase().includes(wanted) ? [k] : [])) : []; hit = -1; }
    if (hits.length) {
      hit = (hit + 1) % hits.length;
      active = hits[hit];
      reveal(active);
    }
    show();
    if (hits.length) readable(active);
    find("hits").textContent = !wanted ? "" : hits.length ? `${hit + 1} of ${hits.length}` : "not asked";
  }
  find("seek").addEventListener("input", () => seek(false));
  find("seek").addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); seek(hits.length > 0); } });

  function saving() { // all that is unfolded, with a legend, without the signs for folding
    const copy = scene.cloneNode(true), few = labels.length <= 8 ? labels : [], high = size[1] + (few.length ? 26 : 0);
    copy.querySelectorAll(".fold").forEach((sign) => sign.remove());
    for (const element of [copy, ...copy.querySelectorAll("*")]) for (const { name: what } of [...element.attributes]) if (/^(aria-|data-|role|class|tabindex)/.test(what)) element.removeAttribute(what);
    let x = PAD, wide = size[0];
    few.forEach((label, c) => {
      copy.append(draw("rect", { x, y: size[1] + 2, width: 12, height: 12, fill: colour(c) }), draw("text", { x: x + 17, y: size[1] + 12, "font-size": 12, fill: "#222222" }, clean(label)));
      x += 36 + 7 * [...label].length;
      wide = Math.max(wide, x);
    });
    return saved.whole(copy, Math.ceil(wide), Math.ceil(high), `Decision tree for ${clean(kit.given.target)}`);
  }
  press("save-svg", () => saved.svg(saving(), "tree"));
  press("save-png", () => saved.png(saving(), "tree"));

  // ---- one node in words ----

  function tell(k) { // counts, and the candidate splits with the runners-up
    const way = [];
    for (let up = k; tree.parent[up] >= 0; up = tree.parent[up]) way.unshift(tree.branch[up]);
    const rows = boxes.largest(k).slice(0, 12).map(([c, n]) => make("tr", {}, make("th", { scope: "row" }, name(labels[c])),
      make("td", { class: "right" }, whole(n)), make("td", { class: "right" }, percent(n / (tree.rows[k] || 1)))));
    const says = below[k].length || tree.left[k] ? [] : [make("p", {}, "The model answers ", make("b", {}, name(tree.lines[k][0])), ".")];
    const counts = tree.level ? make("p", {}, `${tree.lines[k].join(", on average; ")}.`) : make("table", { class: "narrow" }, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "class"), make("th", { scope: "col", class: "right" }, "rows"),
        make("th", { scope: "col", class: "right" }, "share"))), make("tbody", {}, ...rows));
    const out = [make("h3", {}, name(way.join(" and ") || "all rows")), ...says, counts];
    const table = tree.tables[k];
    if (table && table.length) {
      out.push(make("h3", {}, "Which question to ask here"), make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "questions" }, make("table", {},
        make("thead", {}, make("tr", {}, ...["column", "question", ...(tree.level ? ["variance less"] : ["gain, bits", "gain ratio"])].map((t, i) => make("th", { scope: "col", class: i > 1 ? "right" : "" }, t)))),
        make("tbody", {}, ...table.map(([column, tests, gain, ratio, is]) => make("tr", { class: is ? "chosen" : "" },
          make("th", { scope: "row" }, name(column), is ? make("span", { class: "tag" }, "asked") : ""), make("td", {}, name(tests)),
          make("td", { class: "right" }, tree.level ? String(Number(gain.toPrecision(5))) : gain.toFixed(4)), ...(tree.level ? [] : [make("td", { class: "right" }, ratio === null ? "" : ratio.toFixed(4))])))))),
        make("p", { class: "soft small" }, tree.level ? "By how much each question lowers the variance of the rows that come here." : "Gains of the questions as the tree would ask them here, of the rows that come here: levels in groups, rows without a value by their share. The gains in the table of columns are of all rows, one branch per level."));
    } else if (below[k].length) out.push(make("p", { class: "soft" }, "The other questions are shown for the largest groups only."));
    else if (!tree.left[k]) out.push(make("p", { class: "soft" }, "A final group: no further question is asked."));
    if (tree.left[k]) out.push(make("p", { class: "soft" }, `${whole(tree.left[k])} groups below this one are not on this page; the model file has them.`));
    find("node").replaceChildren(...out);
  }

  // ---- a row's way ----

  const follow = find("follow");
  let following = false;
  if (follow) {
    ask.starts.forEach((s, k) => follow.append(make("option", { value: k }, clean(s.label))));
    follow.addEventListener("change", () => {
      following = follow.value !== "";
      if (following) begin(Number(follow.value)); else { lit = new Set(); rowTold = null; show(); }
    });
  }
  listeners.push((found) => {
    if (!following || !found.path) return;
    const way = [0, ...found.path.map((s) => s.next)].filter((n) => typeof n === "number").map((n) => number.get(n)).filter((n) => n !== undefined);
    lit = new Set(way);
    rowTold = found;
    way.forEach(reveal);
    active = way[way.length - 1];
    show();
    readable(active);
  });

  show();
  scale(Math.max(FIRST, fitting()));
  centre(0);
  let wide = place.clientWidth;
  new ResizeObserver(() => { if (place.clientWidth !== wide && place.clientWidth) { wide = place.clientWidth; show(); } }).observe(place);
}
