// The report as a page: theme, sections, print. Law: nothing is fetched, stored or evaluated.
(() => {
  "use strict";
  const find = (id) => document.getElementById(id);
  document.documentElement.classList.add("js");
  tallyTheme();
  const sections = tallySections(JSON.parse(find("given").textContent)), { model, data } = sections, parts = tallyParts(data.palette);
  if (data.ask && !data.range) tallySmallest(parts, sections);
  tallyTables(parts);
  tallyAddress(parts, sections);
  window.addEventListener("beforeprint", () => { find("how").open = true; ["card-table", "card-beside"].forEach((id) => { if (find(id)) find(id).open = true; }); });
  window.report = Object.freeze({ model, data });
})();
