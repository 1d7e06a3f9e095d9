// The effects on another class: its pictures instead of those that stand there.
function tallyEffects(kit) {
  const { find, name } = kit, box = find("effect-class");
  if (!box) return;
  box.addEventListener("change", () => {
    document.querySelectorAll("[data-effect]").forEach((e) => { e.hidden = e.dataset.effect !== box.value; });
    find("effect-of").replaceChildren(name(box.selectedOptions[0].textContent));
  });
}
