// The report as a page: theme, sections, print. Law: nothing is fetched, stored or evaluated.
function tallyTheme() { // the button that changes between light and dark
  const root = document.documentElement, theme = document.getElementById("theme"), prefers = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefers.matches);
  const label = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; label(); });
  prefers.addEventListener("change", label);
  label();
}
(() => {
  "use strict";
  const find = (id) => document.getElementById(id);
  document.documentElement.classList.add("js");
  tallyTheme();
  const { model, data } = tallySections(JSON.parse(find("given").textContent));
  window.addEventListener("beforeprint", () => { find("how").open = true; ["card-table", "card-beside"].forEach((id) => { if (find(id)) find(id).open = true; }); });
  window.report = Object.freeze({ model, data });
})();
