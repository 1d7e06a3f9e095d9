// What moves in the sections of a model: the tree, the nomogram, and the what-if form. Answers come from the exported
// model. Law: nothing is fetched, stored or evaluated.
// given: the data of these sections. hear.node(k): a node of the tree was chosen; hear.row(row, found): the row changed.
function tallySections(given, hear = {}) {
  const kit = tallyRow(given, hear);
  if (given.range) kit.number = tallyNumber(kit);
  if (given.tree) tallyTree(kit);
  if (given.scales && given.scales.lines.length && kit.model) tallyNomogram(kit);
  tallyEffects(kit);
  if (given.curves) tallyCurves(kit, given.curves);
  if (given.threshold) tallyThreshold(kit, given.threshold);
  if (given.costs) tallyCosts(kit, given.costs);
  if (given.ask) tallyWhatIf(kit);
  return Object.freeze({ model: kit.model, data: given, take: kit.take, row: kit.row, listen: (f) => kit.listeners.push(f) });
}
