// The tree that folds: its nodes, the counts and runners-up of one, and the way of a row.
// Law: a node is built once; folding only takes it out of the list.
function tallyTree(kit) {
  const { find, clean, make, name, draw, colour, whole, percent, shareBar, labels, ask, hear, listeners, begin } = kit, { tree } = kit.given;
  const place = find("tree"), list = make("ul"), links = draw("svg", { class: "links", "aria-hidden": "true" });
  const below = tree.parent.map(() => []), open = new Set(), WIDE = 204, TALL = 98, STEP = 262, GAP = 12;
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
  function barParts(k) { // every class; of many the largest here, and the others together, as draw/tree.py has it
    const total = tree.rows[k] || 1, every = (labels.length > 8 ? largest(k).slice(0, 5) : counts(k)).map(([c, n]) => [c, n / total]);
    const rest = 1 - every.reduce((s, [, share]) => s + share, 0);
    return tree.rows[k] && rest > 1e-9 ? [...every, [-1, rest]] : every;
  }

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
    const leaf = !below[k].length;
    const out = make("li", { class: leaf ? "leaf" : "" }, make("button", { type: "button", class: "pick", "data-node": k, title: words(k) },
      make("b", {}, name(tree.branch[k])), shareBar(barParts(k), 190), ...tree.lines[k].map((line) => make("span", {}, name(line)))));
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
        make("p", { class: "soft small" }, "Gains of the questions as the tree would ask them here, of the rows that come here: levels in groups, rows without a value by their share. The gains in the table of columns are of all rows, one branch per level."));
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
