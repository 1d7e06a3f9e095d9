// Light and dark: the button in the heading.
function tallyTheme() { // the button that changes between light and dark
  const root = document.documentElement, theme = document.getElementById("theme"), prefers = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefers.matches);
  const label = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; label(); root.dispatchEvent(new Event("themed")); });
  root.addEventListener("theme", label); // set from the address
  prefers.addEventListener("change", label);
  label();
}
