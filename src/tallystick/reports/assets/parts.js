// What the scripts of all sections draw with: elements, names, figures, colours of the classes.
// Law: texts reach the page by textContent only.
function tallyParts(palette) {
  const find = (id) => document.getElementById(id);
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
  const classed = (l) => (/^[-+]?[0-9][0-9.,eE+-]*$/.test(l) ? `class ${l}` : l); // a label that is a number is called a class
  function name(t) { // a long one breaks where its parts end, not in the middle of a word
    const parts = clean(t).replace(/([_/])(?=[\p{L}\p{N}])/gu, "$1\0").replace(/([a-z]\.)(?=[a-z])/g, "$1\0").split("\0");
    return make("bdi", {}, ...parts.flatMap((part, k) => (k ? [make("wbr"), part] : [part])));
  }
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
  const OTHERS = "#c3c9d0"; // the classes that have no part of their own
  function shareBar(shares, wide) { // [class, share] in the order of drawing; class -1: the others
    const out = draw("svg", { viewBox: `0 0 ${wide} 9`, preserveAspectRatio: "none", "aria-hidden": "true" });
    let at = 0;
    for (const [c, share] of shares) {
      out.append(draw("rect", { x: at * wide, y: 0, width: share * wide, height: 9, fill: c < 0 ? OTHERS : colour(c), opacity: c < 0 ? 1 : pale(c) }));
      at += share;
    }
    return out;
  }
  function give(blob, name) { // as a file to keep
    const link = make("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000); // a slow machine begins late
  }
  return { give, classed, find, clean, make, name, draw, colour, pale, whole, percent, shareBar, OTHERS, palette };
}
