"""The learner of naive Bayes: how numbers are read, which sums are asked for, models without some rows.

1. Gaussian or bins for a numeric column, by cross-validation: `judge()`.
2. Entry: `NaiveBayesLearner`: one pass of sums; a pass before it where a choice needs the rows (bins, auto,
   tf-idf).
3. Models of all rows but some, from one pass: `FoldQuestion`, `WholeTable`.

unit = the integer that a row of weight 1 adds to a count; total = the sums that an engine returns;
cells = fine ranges of a number that are counted before they are joined to bins.
Laws: the same totals give the same model; totals of parts of the rows add up to the totals of all.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.bayes.model import BayesPart, Counted, NaiveBayesModel, Summed, Worded, idf_of
from tallystick.bayes.options import DISTRIBUTIONS, BayesOptions
from tallystick.bayes.updates import no_ranges
from tallystick.contracts import Statistic
from tallystick.errors import Argument, DataError, shown
from tallystick.io.scratch import size_text
from tallystick.parallel import each_in_order
from tallystick.schema import Column, Note, Schema
from tallystick.stats.binning import Binned, cells_of, cut_by_mdl, in_cells, join_cells
from tallystick.stats.class_counts import (
    ALONE,
    COPIES,
    Ask,
    BayesSums,
    ClassValues,
    Floats,
    Total,
    ValuesByClass,
    key,
)
from tallystick.stats.class_counts import Counts as CountsFound
from tallystick.stats.values import SampledValues, ValueSample, sample_of
from tallystick.table.hash_sample import SIZE

# Bins by the MDL rule, or a Gaussian? Decided by cross-validation.
# Law: the decision depends on the multiset of (value, class) alone; sums run over rising values, so that the
# bits are fixed.

FOLDS = 5  # folds that the values of a column are dealt into
MANY = 20_000  # rows from which one of the folds is enough to judge by
OF_A_SAMPLE = 2  # folds that are tested where only a sample of the values is known


@dataclass(frozen=True)
class Judgement:
    """Cross-validated log-likelihoods of the classes per row, and the standard error of their difference."""

    gaussian: float
    binned: float
    error: float

    @property
    def prefers_gaussian(self) -> bool:
        """Whether the Gaussian is better by more than one standard error: bins assume less."""
        return self.gaussian - self.binned > self.error

    def __str__(self) -> str:
        said = f"{self.gaussian:.4f} as Gaussian, {self.binned:.4f} in bins"
        if self.prefers_gaussian or self.gaussian <= self.binned:
            return said
        return f"{said}, which assume less and are within the standard error of {self.error:.4f}"


def judge(column: ValuesByClass, unit: int, whole: bool) -> Judgement:
    """Compare the two ways to read this column alone, by the log-likelihood of the classes, cross-validated;
    whole: these are all values of the column, and not a sample.

    The cases of a class, in rising order of value, go round the folds; so the folds need no rows. A Gaussian
    smooths the variance of each class by two cases of the whole column's; bins have the Laplace correction.
    """
    rows = int(column.counts.sum()) // unit
    tried = 1 if rows >= MANY else FOLDS if whole else OF_A_SAMPLE
    said = kernels.judge_readings(column.values, column.counts, unit, FOLDS, tried)
    n = max(said.cases, 1.0)
    mean = (said.gaussian - said.binned) / n
    error = float(np.sqrt(max(said.squares / n - mean * mean, 0.0) / n))
    return Judgement(said.gaussian / n, said.binned / n, error)


SAMPLES = 64  # numeric columns of which samples are asked for in one pass
MANY_CELLS = 1 << 13  # counts from which it pays to join cells of columns over threads
MOST_COUNTS = 2 << 30  # bytes of all counts at most: a model file holds no more
ROOM = 1 << 22  # counts of cells that are asked for in one pass: bounds the memory of a total

HUGE, TINY = 1e140, 1e-140  # values beyond are not read as Gaussian: their squares overflow or vanish


@dataclass(frozen=True)
class Choice:
    """How one numeric column is read; bins when it is cut. ends: of the cells that will be joined to bins, as
    long as their rows are not counted.
    """

    distribution: str
    bins: Binned | None = None
    note: Note | None = None
    ends: Floats | None = None


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
    rows: int = 0  # of the table, where known; used only to refuse what is too large, as is the budget
    budget: int = 0  # bytes of memory to work in, where rows are on disk

    @property
    def row(self) -> int:
        """What one row weighs where rows are counted: in the rule for cuts, and in tf-idf."""
        return self.unit if self.row_unit is None else self.row_unit

    def wishes(self, schema: Schema) -> dict[str, str]:
        """Return the distribution wished for each column, or the default of its kind; refuse what no row
        need be read for.
        """
        self.options.check_columns([c.name for c in schema.used])
        wished = {c.name: self.options.distribution(c.name, c.kind) for c in schema.used}
        for column in schema.used:
            way = DISTRIBUTIONS.get(wished[column.name])
            if way is not None and way.counts and column.low is not None and column.low < 0:
                raise DataError(
                    f"column {shown(column.name)} holds {column.low:g}, but {way.words} counts are 0 or "
                    "more. Use distribution 'gaussian' or 'binned'."
                )
        self._refuse_large(schema, judged_columns(wished))
        return wished

    def _refuse_large(self, schema: Schema, unjudged: tuple[str, ...]) -> None:
        """Refuse counts that the budget, or a model file, has no room for, before any row is summed."""
        classes, limit = len(schema.predicted.labels), self.budget or MOST_COUNTS
        sizes = {c.name: len(c.words) or len(c.levels) + 1 for c in schema.used if c.kind != "numeric"}
        if (needed := 8 * classes * sum(sizes.values())) > limit:
            name = max(sizes, key=lambda name: sizes[name])
            raise DataError(
                f"the counts of columns by class take about {size_text(needed)}, more than "
                f"{size_text(limit)}: column {shown(name)} has {sizes[name]:,} for each of {classes:,} "
                "classes. "
                "Join rare levels or classes, or pass ",
                Argument("kinds", {name: "out"}),
                ".",
            )
        values = min(SIZE, self.rows)
        if self.budget and unjudged and (needed := COPIES * 8 * (values + 1) * classes) > self.budget:
            raise DataError(
                f"the {values:,} values of column {shown(unjudged[0])} by {classes:,} classes take about "
                f"{size_text(needed)}, more than {size_text(self.budget)}. Join rare classes, or use "
                "distribution 'gaussian'."
            )

    def learn(self, schema: Schema) -> Generator[Statistic[Any], Any, NaiveBayesModel]:
        """Choose by samples how numbers are read, cut, weigh words where tf-idf needs it, and sum."""
        wished = self.wishes(schema)
        classes = len(schema.predicted.labels)
        ends = {c.name: (c.low or 0.0, c.high or 0.0) for c in schema.used}

        # Samples of values, where the distribution or the cuts of a column must be chosen.
        choices: dict[str, Choice] = {}
        judged = judged_columns(wished)
        for start in range(0, len(judged), SAMPLES):
            some = judged[start : start + SAMPLES]
            samples: list[SampledValues] = yield ValueSample(some, classes)

            def one(given: tuple[str, SampledValues]) -> Choice:
                name, sample = given
                return self._by_sample(name, wished[name], sample, ends[name])

            alone = sum(sample.values.counts.size for sample in samples) < ALONE
            given = list(zip(some, samples, strict=True))
            choices |= zip(some, each_in_order(one, given, 1 if alone else self.threads), strict=True)
            del samples, given

        # Cells that do not fit into the last total beside the others.
        while crowded := self._crowded(choices, classes):
            total = yield BayesSums(tuple(_cells(name, choices[name]) for name in crowded), classes)
            self._cut(choices, {name: total[key(i, "counts")] for i, name in enumerate(crowded)})

        # Documents per word, for tf-idf.
        idf: dict[str, tuple[int, ...]] = {}
        if self.options.words == "tf-idf":
            texts = [c for c in schema.used if c.kind == "text" and wished[c.name] != "bernoulli"]
            if texts:
                total = yield BayesSums(tuple(Ask(c.name, "once", len(c.words)) for c in texts), classes)
                rows = int(total[""].sum()) // self.row
                for i, c in enumerate(texts):
                    idf[c.name] = idf_of(total[key(i, "counts")].sum(1) // self.row, rows)

        # The sums; cells of columns that are to be cut come last, so the others keep their places.
        asks = self.asks(schema, wished, choices, idf)
        cells = [_cells(name, choices[name]) for name in uncut(choices)]
        total = yield BayesSums((*asks, *cells), classes)
        self._cut(choices, {a.column: total.pop(key(len(asks) + i, "counts")) for i, a in enumerate(cells)})
        return self.model(schema, wished, choices, idf, total)

    def model(
        self,
        schema: Schema,
        wished: Mapping[str, str],
        choices: Mapping[str, Choice],
        idf: Mapping[str, tuple[int, ...]],
        total: Total,
    ) -> NaiveBayesModel:
        """Return the model: the sums, named."""
        asked = self.asks(schema, wished, choices, idf)
        asks = {a.column: i for i, a in enumerate(asked)}
        moments = {name: i for i, name in enumerate(a.column for a in asked if a.how == "moments")}
        parts: list[BayesPart] = []
        exact = exact_sums(total) if moments else {}
        for column in schema.used:
            name = column.name
            choice = choices.get(name)
            distribution = choice.distribution if choice is not None else wished[name]
            if choice is not None and choice.bins is not None:
                parts.append(
                    Counted(name, "binned", choice.bins.counts, choice.bins.missing, (), choice.bins.cuts)
                )
            elif column.kind == "numeric":
                rule = self.options.variance or ("smoothed" if choice is not None else "ml")
                parts.append(summed(name, distribution, moments[name], total, exact, rule))
            else:
                parts.append(counted(column, distribution, asks[name], total, idf.get(name, ())))
        made = [choices[c.name] for c in schema.used if c.name in choices]
        notes = tuple(choice.note for choice in made if choice.note is not None)
        return NaiveBayesModel(
            no_ranges(schema, parts), self.options, self.unit, total[""], tuple(parts), notes=notes
        )

    def asks(
        self,
        schema: Schema,
        wished: Mapping[str, str],
        choices: Mapping[str, Choice],
        idf: Mapping[str, tuple[int, ...]],
    ) -> tuple[Ask, ...]:
        """Return what to sum of each column that is not in bins and will not be."""
        out = []
        for column in schema.used:
            choice = choices.get(column.name)
            if choice is None or (choice.bins is None and choice.ends is None):
                out.append(ask_for(column, wished[column.name], idf.get(column.name, ())))
        return tuple(out)

    def _crowded(self, choices: Mapping[str, Choice], classes: int) -> list[str]:
        """Return columns whose cells fill a total of their own; none where there is room for all."""
        size = 0
        for i, name in enumerate(names := uncut(choices)):
            ends = choices[name].ends
            assert ends is not None
            size += (len(ends) + 2) * classes
            if size > self.room:
                return names[: max(i, 1)]
        return []

    # -- choices --

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

    def _cut(self, choices: dict[str, Choice], cells: Mapping[str, CountsFound]) -> None:
        """Cut columns whose rows are counted in cells."""

        def one(name: str) -> Choice:
            return self._of_cells(name, choices[name], cells[name])

        threads = self.threads if sum(counts.size for counts in cells.values()) >= MANY_CELLS else 1
        choices |= zip(cells, each_in_order(one, list(cells), threads), strict=True)

    def _of_cells(self, name: str, choice: Choice, counts: CountsFound) -> Choice:
        assert choice.ends is not None
        return self._in_bins(name, join_cells(choice.ends, counts, self.row), choice.note)

    def _in_bins(self, name: str, bins: Binned, note: Note | None) -> Choice:
        """Return the choice of bins, with what was said of the column before."""
        if not bins.cuts:
            text = f"column {shown(name)} is one bin: no cut tells the classes apart, so it has no effect."
            note = Note("column-says-nothing", text, name)
        return Choice("binned", bins, note)


def judged_columns(wished: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns of which a sample of values must be seen."""
    return tuple(name for name, way in wished.items() if way in ("auto", "binned"))


def uncut(choices: Mapping[str, Choice]) -> list[str]:
    """Return the columns whose rows must be counted in cells before they are cut."""
    return [name for name, choice in choices.items() if choice.ends is not None]


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


def counted(column: Column, distribution: str, ask: int, total: Total, idf: tuple[int, ...]) -> BayesPart:
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


# Models without some of the rows: the total of all rows minus that of the part left out.
# Law: such a model gives the same bits as one fitted on the rest of the rows. Only the ranges of numeric
# columns differ, which are not sums.

Counts = NDArray[np.int64]
Known = dict[tuple[Any, ...], Choice]


@dataclass(frozen=True)
class WholeTable:
    """The totals of some rows: sums of every column that may be summed, values of those that may be cut."""

    sums: Total
    values: dict[str, ValuesByClass]


@dataclass(frozen=True)
class FoldQuestion:
    """What to ask so that any part of the rows can be taken away later."""

    learner: NaiveBayesLearner
    schema: Schema
    wished: Mapping[str, str]
    asks: tuple[Ask, ...]
    cut: tuple[str, ...]  # columns whose values are needed

    def statistics(self, classes: int) -> tuple[BayesSums, ClassValues]:
        """Return the two questions, for so many class codes."""
        return BayesSums(self.asks, classes), ClassValues(self.cut, classes)

    def rest(self, whole: WholeTable, part: WholeTable, known: Known | None = None) -> NaiveBayesModel:
        """Return the model of the whole without the part. known: choices by what was taken away, where many
        parts take away the same.
        """
        sums = {name: array - part.sums[name] for name, array in whole.sums.items()}
        for name in ("sums", "squares"):
            if name in sums:
                kernels.carry(sums[name])
        values = {n: _less(v, part.values[n]) for n, v in whole.values.items()}
        there = np.flatnonzero(sums[""])
        choices = {}
        for name, left in values.items():
            away = part.values[name]
            key = (name, there.tobytes(), *(a.tobytes() for a in (away.values, away.counts, away.missing)))
            if known is None or key not in known:
                choices[name] = self.learner.choose(name, self.wished[name], left.of_classes(there))
            else:
                choices[name] = known[key]
            if known is not None:
                known[key] = choices[name]
        return self.model(sums, choices)

    def model(self, sums: Total, choices: dict[str, Choice]) -> NaiveBayesModel:
        """Return the model of a total: levels, words and labels that no row has are dropped, as a fit would
        not know.
        """
        schema = self.schema
        there = np.flatnonzero(sums[""])
        place = {a.column: i for i, a in enumerate(self.asks)}
        moments = [a.column for a in self.asks if a.how == "moments"]
        columns: list[Column] = []
        asks: list[Ask] = []
        total: Total = {"": sums[""][there]}
        rows: list[int] = []  # of the moments that stay
        for column in schema.columns:
            if column.kind == "out" or (column.name in choices and choices[column.name].bins is not None):
                columns.append(column)
                continue
            known, counts = _known(column, place[column.name], sums)
            columns.append(known)
            if column.kind == "numeric":
                rows.append(moments.index(column.name))
            else:
                total[key(len(asks), "counts")] = np.ascontiguousarray(counts[:, there])
                if column.kind == "text":
                    missing = sums[key(place[column.name], "missing")]
                    total[key(len(asks), "missing")] = missing[there]
            asks.append(ask_for(known, self.wished[column.name]))
        for name in ("missing", "sums", "squares") if rows else ():
            total[name] = np.ascontiguousarray(sums[name][np.array(rows)][:, there])
        labels = tuple(schema.predicted.labels[i] for i in there)
        left = Schema(tuple(columns), replace(schema.predicted, labels=labels), schema.marks)
        return self.learner.model(left, self.wished, choices, {}, total)


def question(learner: NaiveBayesLearner, schema: Schema) -> FoldQuestion | None:
    """Return what to ask for a table of this schema; None where a choice needs rows again (tf-idf,
    which words).
    """
    wished = learner.wishes(schema)
    chosen = learner.options.words == "tf-idf" or learner.options.min_count > 1
    if chosen and any(c.kind == "text" for c in schema.used):
        return None
    summed = [c for c in schema.used if wished[c.name] != "binned"]
    asks = tuple(ask_for(c, wished[c.name]) for c in summed)
    return FoldQuestion(learner, schema, wished, asks, judged_columns(wished))


def added(a: WholeTable, b: WholeTable) -> WholeTable:
    """Return the totals of both parts of one whole."""
    sums = {name: array + b.sums[name] for name, array in a.sums.items()}
    values = {}
    for name, mine in a.values.items():
        other = b.values[name]
        values[name] = ValuesByClass(mine.values, mine.counts + other.counts, mine.missing + other.missing)
    return WholeTable(sums, values)


def part_of(sums: Total, values: dict[str, ValuesByClass], fold: int, folds: int) -> WholeTable:
    """Return the totals of one fold from those whose class codes are fold * classes + class."""
    out: Total = {}
    for name, array in sums.items():
        axis = 1 if name in ("sums", "squares") else array.ndim - 1
        size = array.shape[axis] // folds
        out[name] = np.take(array, range(fold * size, (fold + 1) * size), axis=axis)
    cut = {}
    for name, v in values.items():
        size = v.counts.shape[1] // folds
        own = slice(fold * size, (fold + 1) * size)
        cut[name] = ValuesByClass(v.values, v.counts[:, own], v.missing[own])
    return WholeTable(out, cut)


def sum_of(sums: Total, values: dict[str, ValuesByClass], folds: int) -> WholeTable:
    """Return the totals of all folds together."""
    first = part_of(sums, values, 0, folds)
    for fold in range(1, folds):
        first = added(first, part_of(sums, values, fold, folds))
    for name in ("sums", "squares"):
        if name in first.sums:
            kernels.carry(first.sums[name])
    return first


def _less(whole: ValuesByClass, part: ValuesByClass) -> ValuesByClass:
    """Return the rest; the part may hold fewer values than the whole."""
    if len(part.values) == len(whole.values):
        return whole.without(part.counts, part.missing)
    counts = np.zeros_like(whole.counts)
    counts[np.searchsorted(whole.values, part.values)] = part.counts
    return whole.without(counts, part.missing)


def _known(column: Column, place: int, sums: Total) -> tuple[Column, Counts]:
    """Return the column with the levels or words that rows have, and their counts, missing last for
    levels.
    """
    if column.kind == "numeric":
        return column, np.zeros((0, 0), np.int64)
    counts = sums[key(place, "counts")]
    used = np.asarray(counts.any(axis=1))
    if column.kind == "text":
        words = tuple(w for w, there in zip(column.words, used.tolist(), strict=True) if there)
        return replace(column, words=words), counts[used]
    if column.declared or column.kind == "boolean":
        return column, counts
    levels = tuple(v for v, there in zip(column.levels, used[:-1].tolist(), strict=True) if there)
    used[-1] = True
    return replace(column, levels=levels), counts[used]
