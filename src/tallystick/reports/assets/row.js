// The exported model and the row that it answers: one row for the form, the tree and the nomogram.
// given: the data of the sections. hear.row(row, found): the row changed. Who wants to hear of it adds to `listeners`.
function tallyRow(given, hear) {
  const parts = tallyParts(given.palette), { find } = parts, { labels, ask } = given;
  const exported = ask ? tallystick(ask.form) : null, card = Boolean(ask) && ask.form.kind === "scorecard";
  const model = card ? { ...exported, explain: onCard } : exported;
  const unit = card ? "points" : "log-odds", size = card ? 1 / ask.form.slope : 1; // how many of them a unit of log-odds is
  const slope = !card && ask && ask.form.shift ? ask.form.slope : 1;
  const shifted = (c, d) => (!card && ask.form.shift ? ask.form.shift[c] - ask.form.shift[d] : 0);
  function onCard(row) { // the points as they stand on the card, not measured from the average row
    const found = exported.explain(row), terms = new Map(ask.form.terms.map((t) => [t.name, t]));
    const parts = found.parts.map((p) => {
      const own = terms.get(p.column), both = own.pair ? { value: own.pair.map((side) => row[ask.form.columns[side.column].name] ?? "(missing)").join(" and ") } : {};
      return { ...p, ...both, parts: p.parts.map((v, k) => Math.round(v + (own.average ? own.average[k] : 0))) };
    });
    return { ...found, base: ask.form.base, parts };
  }
  const signed = (x) => (card ? (x < 0 ? "−" : x > 0 ? "+" : "") + Math.abs(Math.round(x)) : x === Infinity ? "+∞" : x === -Infinity ? "−∞" : (x < 0 ? "−" : "+") + Math.abs(x).toFixed(2));

  // What the model says of a column is measured from the average training row (logistic regression), or from nothing.
  const begins = card ? "the card's base" : model && (ask.form.terms || []).some((t) => t.average) ? "the average row" : "before any column";
  const lead = (p, c, d, slope) => (p.parts[c] === p.parts[d] ? 0 : slope * (p.parts[c] - p.parts[d])); // class c over d

  let row = null;
  const inputs = new Map(), listeners = hear.row ? [(found) => hear.row({ ...row }, found)] : [];
  function changed() { // tell of {label, probabilities, path | conditions | base, parts}, or {error}
    let found;
    try { found = model.explain(row); } catch (error) { found = { error: error.message, column: error.column, form: error.form }; }
    for (const f of listeners) f(found);
  }

  const shown = (value) => (value === null || value === undefined ? "" : value);
  function set(column, value) {
    row[column] = value;
    if (inputs.has(column) && inputs.get(column).value !== shown(value)) inputs.get(column).value = shown(value);
    changed();
  }

  function take(values) { // another row; columns that it lacks are missing
    row = Object.fromEntries(ask.fields.map((f) => [f.name, values[f.name] ?? null]));
    for (const [column, input] of inputs) input.value = shown(row[column]);
    changed();
  }

  function begin(k) { // take one of the rows to start from
    for (const id of ["start", "follow"]) if (find(id) && find(id).value !== "") find(id).value = String(k);
    take(ask.starts[k].row);
  }

  return { ...parts, given, hear, labels, ask, model, card, unit, size, slope, shifted, signed, begins, lead, inputs, listeners, changed, set, take, begin,
    row: () => ({ ...row }) };
}
