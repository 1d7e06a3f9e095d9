// The address of the page: the part that is looked at, light or dark, and the row of the what-if form, so that a link shows
// what its sender saw: #model&theme=dark&row=2&x.age=40. Also the contents that stay in sight, and a link at every heading.
function tallyAddress(parts, sections) {
  const { find, make } = parts, root = document.documentElement, { ask } = sections.data;

  // ---- a link at every heading ----

  const used = new Set([...document.querySelectorAll("[id]")].map((e) => e.id));
  document.querySelectorAll("main h2, main h3, main figcaption").forEach((head) => {
    const own = head.closest("section"), words = head.textContent.trim();
    let id = head.tagName === "H2" ? own.id : head.id;
    if (!id) {
      const start = `${own.id}-${words.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 40)}`;
      id = start;
      for (let k = 2; used.has(id); k++) id = `${start}-${k}`;
      used.add(id);
      head.id = id;
    }
    if (head.closest("#told, #node")) return;
    head.append(make("a", { class: "anchor", href: `#${encodeURIComponent(id)}`, "aria-label": `link to ${words}` }, "#"));
  });

  // ---- the state ----

  const read = () => {
    const [first, ...rest] = location.hash.slice(1).split("&"), all = first.includes("=") ? [first, ...rest] : rest;
    const pairs = all.map((p) => p.split("=")).filter((p) => p.length === 2).map((p) => p.map(decodeURIComponent));
    return [first.includes("=") ? "" : decodeURIComponent(first), new Map(pairs)];
  };
  let place = "", state = new Map();
  function write() {
    const text = [encodeURIComponent(place), ...[...state].map((p) => p.map(encodeURIComponent).join("="))].filter(Boolean).join("&");
    try { history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search); } catch { /* a frame without an address */ }
  }
  function go(behavior) { // to the part that the address names, unfolded
    const at = place && find(place);
    for (let up = at; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
    if (at) at.scrollIntoView({ behavior });
  }
  function take(given) {
    if (given.has("theme")) { state.set("theme", given.get("theme")); root.dataset.theme = given.get("theme") === "dark" ? "dark" : "light"; root.dispatchEvent(new Event("theme")); }
    const start = ask && ask.starts[Number(given.get("row") ?? -1)];
    const changed = [...given].filter(([k]) => k.startsWith("x."));
    if (!start && !changed.length) return;
    const row = { ...(start || ask.starts[0]).row };
    for (const [k, v] of changed) row[k.slice(2)] = v === "" ? null : v;
    if (start && find("start")) find("start").value = given.get("row");
    sections.take(row);
  }

  if (ask) { // the row: which one it began as, and what was changed
    sections.listen(() => {
      const box = find("start"), k = box ? Number(box.value) : 0, began = ask.starts[k].row, now = sections.row();
      [...state.keys()].filter((key) => key === "row" || key.startsWith("x.")).forEach((key) => state.delete(key));
      if (k) state.set("row", String(k));
      for (const f of ask.fields) if (String(now[f.name] ?? "") !== String(began[f.name] ?? "")) state.set(`x.${f.name}`, now[f.name] ?? "");
      write();
    });
  }
  root.addEventListener("themed", () => { state.set("theme", root.dataset.theme); write(); });
  window.addEventListener("hashchange", () => {
    const [to, given] = read();
    place = to;
    take(given);
    write(); // a link within the page keeps theme and row
    go("auto");
  });

  const [first, given] = read();
  place = first;
  take(given);
  if (first) go("instant"); // a link opens where it points to

  // ---- the contents stay in sight, and say where one is ----

  const links = new Map([...document.querySelectorAll("nav a")].map((a) => [a.getAttribute("href").slice(1), a]));
  const seen = new Set();
  const watch = new IntersectionObserver((entries) => {
    for (const e of entries) if (e.isIntersecting) seen.add(e.target.id); else seen.delete(e.target.id);
    const now = [...links.keys()].find((id) => seen.has(id));
    for (const [id, a] of links) if (id === now) a.setAttribute("aria-current", "true"); else a.removeAttribute("aria-current");
  }, { rootMargin: "-90px 0px -60% 0px" });
  for (const id of links.keys()) watch.observe(find(id));
}
