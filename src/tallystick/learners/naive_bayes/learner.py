"""Learn naive Bayes: one pass of sums; where a choice depends on the rows (bins, auto, tf-idf), one pass
before it.

Knows totals and options. Knows nothing of rows or files.
Law: the same totals give the same model; and totals of parts of the rows add up to the totals of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tallystick import kernels
from tallystick.contracts import Statistic
from tallystick.data.schema import Column, Note, Schema
from tallystick.data.source.size import told
from tallystick.data.table.picked import SIZE
from tallystick.data.threads import each_in_order
from tallystick.errors import Argument, DataError, shown
from tallystick.learners.naive_bayes.bins import judge
from tallystick.models.naive_bayes import BayesOptions, Counted, NaiveBayesModel, Part, Summed, Worded, idf_of
from tallystick.models.naive_bayes.algebra import no_ranges
from tallystick.models.naive_bayes.distributions import DISTRIBUTIONS
from tallystick.stats.bayes import Ask, BayesSums, Counts, Total, key
from tallystick.stats.class_values import ALONE, COPIES, Floats, ValuesByClass
from tallystick.stats.cut_values import Binned, cells_of, cut_by_mdl, in_cells, join_cells
from tallystick.stats.value_samples import SampledValues, ValueSample, sample_of

SAMPLES = 64  # numeric columns of which samples are asked for at once
MANY_CELLS = 1 << 13  # counts from which it pays to join cells of columns over threads
MOST_COUNTS = 2 << 30  # bytes of all counts; a model file holds less
ROOM = 1 << 22  # counts of cells that are asked for at once: bounds the memory of a total

HUGE, TINY = 1e140, 1e-140  # beyond these squares are not reckoned with


@dataclass(frozen=True)
class Choice:
    """How one numeric column is read; bins when it is cut. ends: of the cells of which bins are made, as long
    as their rows are not counted.
    """

    distribution: str
    bins: Binned | None = None
    note: Note | None = None
    ends: Floats | None = None


@dataclass(frozen=True)
class BayesDraft:
    """What is known so far: choices made, document counts of words, and the sums."""

    schema: Schema
    wished: Mapping[str, str]
    choices: Mapping[str, Choice] = field(default_factory=dict)
    idf: Mapping[str, tuple[int, ...]] | None = None
    total: Total | None = None
    unjudged: tuple[str, ...] = ()  # columns of which a sample of values must be seen

    @property
    def uncut(self) -> list[str]:
        """The columns whose rows must be counted in cells before they are cut."""
        return [name for name, choice in self.choices.items() if choice.ends is not None]


@dataclass(frozen=True)
class NaiveBayesLearner:
    """The learner of the contracts; `unit` is the table's unit of weights, `row_unit` what one row weighs
    where rows are counted (None: the unit), `threads` how many columns are judged at once.
    """

    options: BayesOptions
    unit: int = 1
    room: int = ROOM
    row_unit: int | None = None
    threads: int | None = 1
    rows: int = 0  # of the table, where they are known; decides nothing but what is refused, as does
    budget: int = 0  # bytes of memory to work in, where rows lie on disk

    @property
    def row(self) -> int:
        """What one row weighs where rows are counted: in the rule for cuts, and in tf-idf."""
        return self.unit if self.row_unit is None else self.row_unit

    def start(self, schema: Schema) -> BayesDraft:
        """Give each column the distribution wished for, or the default of its kind."""
        self.options.check_columns([c.name for c in schema.used])
        wished = {c.name: self.options.distribution(c.name, c.kind) for c in schema.used}
        for column in schema.used:
            way = DISTRIBUTIONS.get(wished[column.name])
            if way is not None and way.counts and column.low is not None and column.low < 0:
                raise DataError(
                    f"column {shown(column.name)} holds {column.low:g}, but {way.words} counts are 0 or "
                    "more. Use distribution 'gaussian' or 'binned'."
                )
        unjudged = tuple(name for name, way in wished.items() if way in ("auto", "binned"))
        self._refuse_large(schema, unjudged)
        return BayesDraft(schema, wished, unjudged=unjudged)

    def _refuse_large(self, schema: Schema, unjudged: tuple[str, ...]) -> None:
        """Refuse counts that the budget, or a model file, has no room for, before any row is summed."""
        classes, limit = len(schema.predicted.labels), self.budget or MOST_COUNTS
        sizes = {c.name: len(c.words) or len(c.levels) + 1 for c in schema.used if c.kind != "numeric"}
        if (needed := 8 * classes * sum(sizes.values())) > limit:
            name = max(sizes, key=lambda name: sizes[name])
            raise DataError(
                f"the counts of columns by class take about {told(needed)}, more than {told(limit)}: column "
                f"{shown(name)} has {sizes[name]:,} for each of {classes:,} classes. "
                "Join rare levels or classes, or pass ",
                Argument("kinds", {name: "out"}),
                ".",
            )
        values = min(SIZE, self.rows)
        if self.budget and unjudged and (needed := COPIES * 8 * (values + 1) * classes) > self.budget:
            raise DataError(
                f"the {values:,} values of column {shown(unjudged[0])} by {classes:,} classes take about "
                f"{told(needed)}, more than {told(self.budget)}. Join rare classes, or use "
                "distribution 'gaussian'."
            )

    def ask(self, draft: BayesDraft) -> Statistic[Any] | None:
        """Ask for samples of values where the way must be chosen or cuts must be, for cells that no total has
        room for beside the others, for documents per word where tf-idf needs them, then for sums.
        """
        classes = len(draft.schema.predicted.labels)
        if draft.unjudged:
            return ValueSample(draft.unjudged[:SAMPLES], classes)
        if some := self._crowded(draft):
            return BayesSums(tuple(_cells(name, draft.choices[name]) for name in some), classes)
        if draft.idf is None and self._weighted(draft):
            return BayesSums(tuple(Ask(c.name, "once", len(c.words)) for c in self._weighted(draft)), classes)
        if draft.total is None:
            return BayesSums(self.asks(draft), classes)
        return None

    def update(self, draft: BayesDraft, total: Any) -> BayesDraft:
        """Work an answer in."""
        if draft.unjudged:
            return self._judged(draft, total)
        if some := self._crowded(draft):
            return self._cut(draft, {name: total[key(i, "counts")] for i, name in enumerate(some)})
        if draft.idf is None and self._weighted(draft):
            rows = int(total[""].sum()) // self.row
            idf = {
                c.name: idf_of(total[key(i, "counts")].sum(1) // self.row, rows)
                for i, c in enumerate(self._weighted(draft))
            }
            return replace(draft, idf=idf)
        asks = self.asks(draft) if draft.uncut else ()
        cells = {a.column: total.pop(key(i, "counts")) for i, a in enumerate(asks) if a.how == "bins"}
        return replace(self._cut(draft, cells), total=total)

    def finish(self, draft: BayesDraft) -> NaiveBayesModel:
        """Return the model: the sums, named."""
        assert draft.total is not None
        total, asked = draft.total, self.asks(draft)
        asks = {a.column: i for i, a in enumerate(asked)}
        moments = {name: i for i, name in enumerate(a.column for a in asked if a.how == "moments")}
        parts: list[Part] = []
        exact = exact_sums(total) if moments else {}
        for column in draft.schema.used:
            name = column.name
            choice = draft.choices.get(name)
            distribution = choice.distribution if choice is not None else draft.wished[name]
            if choice is not None and choice.bins is not None:
                parts.append(
                    Counted(name, "binned", choice.bins.counts, choice.bins.missing, (), choice.bins.cuts)
                )
            elif column.kind == "numeric":
                rule = self.options.variance or ("smoothed" if choice is not None else "ml")
                parts.append(summed(name, distribution, moments[name], total, exact, rule))
            else:
                idf = (draft.idf or {}).get(name, ())
                parts.append(counted(column, distribution, asks[name], total, idf))
        made = [draft.choices[c.name] for c in draft.schema.used if c.name in draft.choices]
        notes = tuple(choice.note for choice in made if choice.note is not None)
        schema = no_ranges(draft.schema, parts)
        return NaiveBayesModel(schema, self.options, self.unit, total[""], tuple(parts), notes=notes)

    # -- what to ask --

    def _crowded(self, draft: BayesDraft) -> list[str]:
        """Return columns whose cells fill a total of their own; none where there is room for all."""
        classes, size = len(draft.schema.predicted.labels), 0
        for i, name in enumerate(names := draft.uncut):
            ends = draft.choices[name].ends
            assert ends is not None
            size += (len(ends) + 2) * classes
            if size > self.room:
                return names[: max(i, 1)]
        return []

    def asks(self, draft: BayesDraft) -> tuple[Ask, ...]:
        """Return what to sum of each column that is not in bins yet; cells of those to be cut come last."""
        out = []
        for column in draft.schema.used:
            choice = draft.choices.get(column.name)
            if choice is None or (choice.bins is None and choice.ends is None):
                out.append(ask_for(column, draft.wished[column.name], (draft.idf or {}).get(column.name, ())))
        return (*out, *(_cells(name, draft.choices[name]) for name in draft.uncut))

    def _weighted(self, draft: BayesDraft) -> list[Column]:
        if self.options.words != "tf-idf":
            return []
        return [c for c in draft.schema.used if c.kind == "text" and draft.wished[c.name] != "bernoulli"]

    # -- choices --

    def _judged(self, draft: BayesDraft, total: list[SampledValues]) -> BayesDraft:
        """Choose how columns are read by samples of their values; where a sample is whole, cut too."""
        some = draft.unjudged[: len(total)]
        ends = {c.name: (c.low or 0.0, c.high or 0.0) for c in draft.schema.used}

        def one(given: tuple[str, SampledValues]) -> Choice:
            name, sample = given
            return self._by_sample(name, draft.wished[name], sample, ends[name])

        given = list(zip(some, total, strict=True))
        made = each_in_order(one, given, self._at_once([s.values for s in total]))
        choices = {**draft.choices, **dict(zip(some, made, strict=True))}
        return replace(draft, choices=choices, unjudged=draft.unjudged[len(some) :])

    def _at_once(self, total: list[ValuesByClass]) -> int | None:
        return 1 if sum(v.counts.size for v in total) < ALONE else self.threads

    def choose(self, name: str, wished: str, values: ValuesByClass) -> Choice:
        """Return how a column is read: as wished, or by the better cross-validated log-likelihood."""
        ends = (float(values.values[0]), float(values.values[-1])) if len(values.values) else (0.0, 0.0)
        made = self._by_sample(name, wished, sample_of(values), ends)
        return made if made.ends is None else self._of_cells(name, made, in_cells(values, made.ends))

    def _by_sample(self, name: str, wished: str, sample: SampledValues, ends: tuple[float, float]) -> Choice:
        """Return how a column with these ends is read, in bins where the sample is whole, else in cells."""
        values, note = sample.values, None
        if size := beyond(*ends) if wished == "auto" else "":
            text = f"column {shown(name)} is cut into bins: {size}, which is too extreme for a Gaussian."
            note = Note("distribution-chosen", text, name)
        elif wished == "auto":
            found = judge(values, self.row, sample.whole)
            reading = "is read as Gaussian" if found.prefers_gaussian else "is cut into bins"
            text = f"column {shown(name)} {reading}: cross-validated log-likelihood of the classes {found}."
            note = Note("distribution-chosen", text, name)
            if found.prefers_gaussian:
                return Choice("gaussian", note=note)
        if not sample.whole:
            return Choice("binned", note=note, ends=cells_of(values, self.row))
        return self._in_bins(name, cut_by_mdl(values, self.row), note)

    def _cut(self, draft: BayesDraft, cells: Mapping[str, Counts]) -> BayesDraft:
        """Cut columns whose rows are counted in cells."""

        def one(name: str) -> Choice:
            return self._of_cells(name, draft.choices[name], cells[name])

        threads = self.threads if sum(counts.size for counts in cells.values()) >= MANY_CELLS else 1
        made = dict(zip(cells, each_in_order(one, list(cells), threads), strict=True))
        return replace(draft, choices={**draft.choices, **made})

    def _of_cells(self, name: str, choice: Choice, counts: Counts) -> Choice:
        assert choice.ends is not None
        return self._in_bins(name, join_cells(choice.ends, counts, self.row), choice.note)

    def _in_bins(self, name: str, bins: Binned, note: Note | None) -> Choice:
        """Return the choice of bins, with what was said of the column before."""
        if not bins.cuts:
            text = f"column {shown(name)} is one bin: no cut tells the classes apart, so it has no effect."
            note = Note("column-says-nothing", text, name)
        return Choice("binned", bins, note)


def _cells(name: str, choice: Choice) -> Ask:
    """Return the question for the rows in the cells of a column."""
    assert choice.ends is not None
    return Ask(name, "bins", cuts=tuple(choice.ends.tolist()))


def beyond(low: float, high: float) -> str:
    """Say what keeps values between two ends from being Gaussian: their squares would not be numbers."""
    if max(abs(low), abs(high)) > HUGE:
        return f"its values go to {max(low, high, key=abs):g}"
    return f"its values lie within {high - low:.3g}" if 0 < high - low < TINY else ""


def ask_for(column: Column, distribution: str, idf: tuple[int, ...] = ()) -> Ask:
    """Return what to sum of a column with this distribution."""
    if column.kind == "text":
        how = "once" if distribution == "bernoulli" else "tf-idf" if idf else "words"
        return Ask(column.name, how, len(column.words), idf=idf)  # type: ignore[arg-type]
    if column.kind == "numeric":
        return Ask(column.name, "moments")
    return Ask(column.name, "codes", len(column.levels))


def counted(column: Column, distribution: str, ask: int, total: Total, idf: tuple[int, ...]) -> Part:
    """Return the model's part of a column of levels or words."""
    counts = total[key(ask, "counts")]
    if column.kind != "text":
        return Counted(column.name, distribution, counts[:-1], counts[-1], column.levels)
    missing = total[key(ask, "missing")]
    return Worded(column.name, distribution, counts, missing, total[""] - missing, idf)


def exact_sums(total: Total) -> dict[str, list[tuple[int, ...]]]:
    """Return sums and squares of each column, [class], as whole numbers."""
    out = {}
    for part in ("sums", "squares"):
        columns, classes, digits = total[part].shape
        numbers = kernels.wholes(total[part].reshape(-1, digits))
        out[part] = [tuple(numbers[j * classes : (j + 1) * classes]) for j in range(columns)]
    return out


def summed(
    name: str,
    distribution: str,
    moment: int,
    total: Total,
    exact: dict[str, list[tuple[int, ...]]],
    variance: str,
) -> Summed:
    """Return the model's part of a column of which sums are kept."""
    missing = total["missing"][moment]
    sums, squares = exact["sums"][moment], exact["squares"][moment]
    if not DISTRIBUTIONS[distribution].squares:
        squares = (0,) * len(squares)
    return Summed(name, distribution, np.asarray(total[""] - missing), missing, sums, squares, variance)
