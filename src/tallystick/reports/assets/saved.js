// Pictures of the page as files: the SVG itself, or painted on a canvas as PNG. Law: nothing is fetched; shapes are
// groups, rectangles, paths and texts, and their looks stand in attributes.
function tallySaved(kit) {
  const { make, draw, give } = kit, SIDE = 16000, AREA = 120e6; // what browsers can paint
  function whole(scene, wide, high, title) { // a picture of its own, on white
    return draw("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, "font-family": "system-ui, sans-serif" },
      draw("title", {}, title), draw("rect", { width: wide, height: high, fill: "#ffffff" }), scene);
  }
  function paint(pen, shape) {
    const get = (what) => shape.getAttribute(what), number = (what) => Number(get(what) || 0);
    pen.save();
    if (get("opacity")) pen.globalAlpha *= number("opacity");
    const moved = /translate\(([-\d.]+)[ ,]([-\d.]+)\)/.exec(get("transform") || "");
    if (moved) pen.translate(Number(moved[1]), Number(moved[2]));
    const outline = new Path2D(shape.tagName === "path" ? get("d") : "");
    if (shape.tagName === "rect") outline.roundRect(number("x"), number("y"), Math.max(0, number("width")), number("height"), number("rx"));
    if (shape.tagName === "circle") outline.arc(number("cx"), number("cy"), number("r"), 0, 2 * Math.PI);
    if (shape.tagName === "text") {
      pen.font = `${get("font-weight") || "normal"} ${number("font-size")}px system-ui, sans-serif`;
      pen.textAlign = { middle: "center", end: "right" }[get("text-anchor")] || "left";
      pen.fillStyle = get("fill");
      pen.fillText(shape.textContent, number("x"), number("y"));
    } else if (["rect", "path", "circle"].includes(shape.tagName)) {
      const fill = get("fill") || (shape.tagName === "path" ? "none" : "#000000"), dashes = get("stroke-dasharray");
      if (fill !== "none") { pen.fillStyle = fill; pen.fill(outline); }
      if (get("stroke")) {
        pen.strokeStyle = get("stroke");
        pen.lineWidth = number("stroke-width") || 1;
        pen.setLineDash(dashes ? dashes.split(" ").map(Number) : []);
        pen.stroke(outline);
      }
    } else for (const inner of shape.children) paint(pen, inner);
    pen.restore();
  }
  function svg(picture, name) { give(new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" }), `${name}.svg`); }
  function png(picture, name) {
    const wide = Number(picture.getAttribute("width")), high = Number(picture.getAttribute("height"));
    const scale = Math.min(2, SIDE / Math.max(wide, high), Math.sqrt(AREA / (wide * high)));
    const canvas = make("canvas", { width: Math.round(wide * scale), height: Math.round(high * scale) }), pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    paint(pen, picture);
    canvas.toBlob((blob) => give(blob, `${name}.png`), "image/png");
  }
  return { whole, svg, png };
}
