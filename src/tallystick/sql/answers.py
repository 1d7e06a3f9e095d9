"""The statistics that a database computes: lines of cards, answers of models, moments, values, samples.

Parts: a scorecard's lines; answers of trees and naive Bayes; sums of naive Bayes; values of numbers; the
rest. Entry: `answer()`, at the end. question = a `Statistic`, its total the answer; None: the rows are
fetched. Law: an answer is the total of zero, add and merge over all rows, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.bayes.model import NaiveBayesModel
from tallystick.contracts import Statistic
from tallystick.engine import Local
from tallystick.model.additive import BinTerm, LevelTerm, NormalTerm, Term
from tallystick.model.profile import STEPS
from tallystick.scorecard.model import (
    Axis,
    LevelAxis,
    LinePoints,
    PairAxis,
    PairPoints,
    RangeAxis,
    ScorecardModel,
)
from tallystick.scorecard.quadratic import CardSums, LineCounts, PairResiduals, RowVariety
from tallystick.sql.frontier import MOST_TESTS, frontier_of, largest_below
from tallystick.sql.prints import hash_halves, literal, parted, place_among, row_hashes
from tallystick.sql.table import RowGroups, SqlTable, class_counts, numbers
from tallystick.stats.class_counts import Ask, BayesSums, ClassValues, Total, ValuesByClass, key
from tallystick.stats.design_sums import RowFacts, RowTotals
from tallystick.stats.exact import Printed, Prints, TwoStatistics
from tallystick.stats.profile import (
    AnswerCounts,
    AnswerSums,
    PickedRows,
    RowSample,
    WithoutTarget,
    answers_at_nodes,
)
from tallystick.stats.quantiles import (
    NONE,
    FinerCells,
    Grid,
    RefinedGrid,
    Spreads,
    ValueCounts,
    ValuesInCells,
    ValueSpread,
)
from tallystick.stats.values import QUARTER, SampledValues, ValueSample, sample_of
from tallystick.table.block import Hasher, code_type
from tallystick.table.hash_sample import ALL
from tallystick.table.table import LocalTable
from tallystick.tree.growth import ColumnSummaries, GrowingTree
from tallystick.tree.model import Tree
from tallystick.tree.nodes import STAYS
from tallystick.tree.tables import LargestBelow, LevelCounts

# Scorecards: weights of the rows on each line, and rows grouped by all of their lines.
#
#     ranges and levels --GROUP BY line, class--> the weight of the rows on each line
#     lines of all columns, packed into whole numbers --GROUP BY--> rows that a card cannot distinguish, once
#
# A database's exp may round otherwise, so loss, gradient and curvature are summed here over those groups,
# which hold no value of a number and no text. Law: a group is a row with a weight, so the total is that of
# `add` over all rows, bit for bit.

PACKED = 1 << 62  # whole numbers of 64 bits hold lines up to here
Singles = dict[str, RangeAxis | LevelAxis]


def row_facts(table: SqlTable, question: RowFacts) -> RowTotals | None:
    """Return the rows of each class, and the heaviest weight."""
    if question.design.texts:
        return None
    total = question.zero()
    y, heavy = class_counts(table)
    np.add.at(total.classes, y, heavy)
    total.heaviest[0] = 1
    if table.weighed is not None:
        found = table.query(f"SELECT CAST(MAX(w) AS BIGINT) AS w FROM ({table.rows_of([])}) AS r")
        total.heaviest[0] = int(found["w"][0].as_py())
    return total


def line_counts(table: SqlTable, question: LineCounts) -> NDArray[np.int64] | None:
    """Return what the rows on each line weigh, by class: of single columns a sum by line there."""
    axes = question.layout.axes
    if not all(isinstance(axis, RangeAxis | LevelAxis) for axis in axes):
        return summed_by_lines(table, question, axes)  # type: ignore[no-any-return]
    total = question.zero()
    names = [axis.name for axis in axes]
    cells = ["y", "w", *(f"{_cell(axis, f'c{j}')} AS k{j}" for j, axis in enumerate(axes))]
    query = table.words.layer(table.rows_of(names), cells)
    for j, group in enumerate(table.groups(query, [[f"k{j}"] for j in range(len(axes))])):
        axis, keys = axes[j], group.keys[0].astype(np.int64)
        lines = keys if isinstance(axis, RangeAxis) else axis.lines[keys]  # type: ignore[union-attr]
        np.add.at(total[question.layout.part(j)], (lines, group.classes.astype(np.int64)), group.weights)
    return total


def _cell(axis: Axis, cell: str) -> str:
    """Return what a column is grouped by: the line of a number, the code of a level."""
    if isinstance(axis, RangeAxis):
        return place_among(cell, np.array(axis.cuts, float), at=True, missing=len(axis.cuts) + 1)
    return cell


# ---- rows by all of their lines ----


@dataclass(frozen=True)
class LineRows:
    """The rows that the lines of some columns cannot tell apart, each group a row with a weight. A number
    stands for its line: it is the cut at which the line begins.
    """

    cuts: Mapping[str, tuple[float, ...]]  # by column; of levels none
    rows: LocalTable

    def distinguish(self, axes: Iterable[Axis]) -> bool:
        """Do lines of these axes follow from those that the rows are grouped by?"""
        return all(
            name in self.cuts and (not isinstance(axis, RangeAxis) or set(axis.cuts) <= set(self.cuts[name]))
            for name, axis in _singles(axes).items()
        )


def _singles(axes: Iterable[Axis]) -> Singles:
    """Return the columns of some axes, each with all of its cuts."""
    out: Singles = {}
    for axis in axes:
        for one in (axis.first, axis.second) if isinstance(axis, PairAxis) else (axis,):
            assert isinstance(one, RangeAxis | LevelAxis)
            before = out.get(one.name)
            if isinstance(one, RangeAxis) and isinstance(before, RangeAxis):
                one = RangeAxis(one.name, tuple(sorted({*one.cuts, *before.cuts})))
            out[one.name] = one
    return out


def summed_by_lines(table: SqlTable, question: Statistic[Any], axes: Iterable[Axis]) -> Any:
    """Return the total of a question that asks for nothing but the lines of some axes."""
    axes = tuple(axes)
    if table.by_lines is None or not table.by_lines.distinguish(axes):
        table.by_lines = _grouped(table, _singles(axes))
    return Local().total(table.by_lines.rows, question)


def _grouped(table: SqlTable, axes: Singles) -> LineRows:
    """Ask for all lines of the rows at once."""
    sizes = [len(table.schema.predicted.labels), *(_size(table, axis) for axis in axes.values())]
    cells = ["y", *(f"({_cell(axis, f'c{j}')})" for j, axis in enumerate(axes.values()))]
    runs = _runs(sizes)
    packed = [f"{_packed(cells[a:b], sizes[a:b])} AS p{i}" for i, (a, b) in enumerate(runs)]
    query = table.words.layer(table.rows_of(list(axes)), ["w", *packed])
    keys = ", ".join(f"p{i}" for i in range(len(runs)))
    weight = "INTEGER" if table.weight < 1 << 31 else "BIGINT"
    found = table.query(f"SELECT {keys}, CAST(SUM(w) AS {weight}) AS w FROM ({query}) AS r GROUP BY {keys}")
    codes: list[NDArray[np.int64]] = []
    for i, (a, b) in enumerate(runs):
        left, own = numbers(found[f"p{i}"]).astype(np.int64), []
        for size in reversed(sizes[a:b]):
            left, code = np.divmod(left, size)
            own.append(code)
        codes += reversed(own)
    result = zip(axes.values(), codes[1:], strict=True)
    columns = {axis.name: _stands(table, axis, code) for axis, code in result}
    heavy = numbers(found["w"]).astype(np.int64)
    rows = LocalTable(table.schema, columns, len(heavy), classes=table.classes_from(codes[0]), weights=heavy)
    cuts = {name: axis.cuts if isinstance(axis, RangeAxis) else () for name, axis in axes.items()}
    return LineRows(cuts, rows)


def _size(table: SqlTable, axis: RangeAxis | LevelAxis) -> int:
    return axis.size if isinstance(axis, RangeAxis) else len(table.schema[axis.name].levels) + 1


def _runs(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Return which neighbours are packed into one whole number, as (first, after the last)."""
    out, start = [], 0
    for end in range(1, len(sizes) + 1):
        if prod(sizes[start:end]) > PACKED:
            out.append((start, end - 1))
            start = end - 1
    return [*out, (start, len(sizes))]


def _packed(cells: Sequence[str], sizes: Sequence[int]) -> str:
    """Return several codes as one whole number."""
    out = f"CAST({cells[0]} AS BIGINT)"
    for cell, size in zip(cells[1:], sizes[1:], strict=True):
        out = f"({out} * {size} + {cell})"
    return out


def _stands(table: SqlTable, axis: RangeAxis | LevelAxis, codes: NDArray[np.int64]) -> NDArray[Any]:
    """Return cells that lie on the lines of these codes."""
    if isinstance(axis, LevelAxis):
        return codes.astype(code_type(len(table.schema[axis.name].levels)))
    first = np.nextafter(axis.cuts[0], -np.inf) if axis.cuts else 0.0
    return np.array([first, *axis.cuts, np.nan])[codes]


def card_sums(table: SqlTable, question: CardSums) -> Any:
    """Return loss, gradient and curvature."""
    return summed_by_lines(table, question, (*question.layout.axes, *question.sample.axes))


def pair_residuals(table: SqlTable, question: PairResiduals) -> Any:
    """Return what is left on the lines of pairs."""
    every = (*question.layout.axes, *question.coarse, *question.sample.axes)
    return summed_by_lines(table, question, every)


def row_variety(table: SqlTable, question: RowVariety) -> Any:
    """Return how far rows differ."""
    return summed_by_lines(table, question, question.axes)


def card_answers(table: SqlTable, question: AnswerCounts, model: ScorecardModel) -> AnswerSums | None:
    """Return what a card answers to the rows: it depends on nothing but their lines."""
    axes = [part.axis for part in model.parts if isinstance(part, LinePoints | PairPoints)]
    return summed_by_lines(table, question, axes)  # type: ignore[no-any-return]


# Answers of a model to rows in a database: of a tree by the leaf of a row, of naive Bayes by its scores.
# Law: the sums are those of `AnswerCounts.add` over all rows. A database's exp may round otherwise: rows
# whose share is so near to the end of a step, or to another class's, that this could matter are fetched and
# answered here.

MOST_CLASSES = 12  # classes up to which the steps of all shares together are fewer groups than rows
ROUNDING = 2.0**-44  # relative error of a score per term, far above any difference in arithmetic
LEAST = -700.0  # least logarithm whose exp is not 0 in a database

Array = NDArray[np.float64]


def answer_counts(table: SqlTable, question: AnswerCounts) -> AnswerSums | None:
    """Return the classes of the rows, and what the model answers to them; None: of fetched rows."""
    way = WAYS.get(type(question.model))
    return None if way is None else way(table, question, question.model)


# ---- trees ----


def _of_tree(table: SqlTable, question: AnswerCounts, tree: Tree) -> AnswerSums | None:
    if tree.spreads or len(tree.nodes) > 2 * MOST_TESTS:
        return None
    used = [c.name for c in table.schema.used]
    query = table.words.layer(table.rows_of(used), ["y", "w", f"{_node(tree)} AS node"])
    (group,) = table.groups(query, [["node"]])
    return answers_at_nodes(tree, group.keys[0].astype(np.int64), group.classes, group.weights)


def _node(tree: Tree) -> str:
    """Return the CASE for the node at which a row ends."""
    nodes = tree.nodes

    def ends(node: int) -> str:
        column = int(nodes.column[node])
        if column < 0:
            return str(node)
        below, away, cut = nodes.branches(node), int(nodes.missing_branch[node]), float(nodes.cut[node])

        def branch(k: int) -> str:
            return str(node) if k == STAYS else ends(int(below[k]))

        if cut == cut:
            fields = {k: branch(k) for k in {0, 1, away}}
            return parted(f"c{column}", cut, fields[0], fields[1], fields[away])
        ways: dict[int, list[int]] = {}
        for code, k in enumerate(nodes.levels(node).tolist()):
            ways.setdefault(k, []).append(code)
        ways.pop(away, None)
        each = [f"WHEN c{column} IN ({', '.join(map(str, own))}) THEN {branch(k)}" for k, own in ways.items()]
        return f"CASE {' '.join(each)} ELSE {branch(away)} END" if each else branch(away)

    return ends(0)


# ---- naive Bayes ----


def _of_bayes(table: SqlTable, question: AnswerCounts, model: NaiveBayesModel) -> AnswerSums | None:
    terms = model.additive.terms
    plain = model.calibration is None and model.decision is None
    if not plain or question.classes > MOST_CLASSES or question.classes < 2 or not _are_known(terms):
        return None
    scored = _scored(table, model)
    steps = [f"a_{k}" for k in range(question.classes)]
    found = table.query(
        f"SELECT given, {', '.join(steps)}, CAST(SUM(w) AS BIGINT) AS w FROM ({scored}) AS r "
        f"WHERE given IS NOT NULL GROUP BY given, {', '.join(steps)}"
    )
    total = question.zero()
    heavy = numbers(found["w"]).astype(np.int64)
    np.add.at(total.given, numbers(found["given"]).astype(np.int64), heavy)
    for k, name in enumerate(steps):
        np.add.at(total.shares, k * STEPS + numbers(found[name]).astype(np.int64), heavy)
    near = question.add(question.zero(), _near_an_end(table, scored))
    total.given[...] += near.given
    total.shares[...] += near.shares
    every = table.query(f"SELECT y, CAST(SUM(w) AS BIGINT) AS w FROM ({table.rows_of([])}) AS r GROUP BY y")
    np.add.at(total.classes, numbers(every["y"]).astype(np.int64), numbers(every["w"]).astype(np.int64))
    return total


def _are_known(terms: Sequence[Term]) -> bool:
    """Say whether SQL can express all terms, and their numbers are finite."""
    for term in terms:
        if isinstance(term, LevelTerm | BinTerm):
            if not np.isfinite(term.table).all():
                return False
        elif not isinstance(term, NormalTerm):
            return False
    return True


def _near_an_end(table: SqlTable, scored: str) -> Any:
    """Return the rows whose answer the database cannot be sure of, as a block."""
    names = [c.name for c in table.schema.used]
    cells = ["y", "w", *(f"c{i}" for i in range(len(names)))]
    found = table.query(f"SELECT {', '.join(cells)} FROM ({scored}) AS r WHERE given IS NULL")
    keys = tuple(numbers(found[f"c{i}"]) for i in range(len(names)))
    classes = table.classes_from(numbers(found["y"]))
    return table.block_of(RowGroups(keys, classes, numbers(found["w"]).astype(np.int64)), names)


def _scored(table: SqlTable, model: NaiveBayesModel) -> str:
    """Return the query of rows with `given`, the class answered, and a_k, the step of each class's share;
    given is NULL where rounding could change any of them.
    """
    words, names = table.words, [c.name for c in table.schema.used]
    kept, classes = ["y", "w", *(f"c{i}" for i in range(len(names)))], range(len(model.additive.base))
    query = _with_scores(table, model, kept)
    most = f"GREATEST({', '.join(f's_{k}' for k in classes)})"
    far = f"GREATEST({', '.join(f'ABS(s_{k})' for k in classes)})"
    error = f"{literal(ROUNDING * (len(names) + 8))} * ({far} + {literal(_largest(model))})"
    own = [f"s_{k}" for k in classes]
    query = words.layer(query, [*kept, *own, f"{most} AS top", f"{error} AS e"])
    powers = [f"EXP(GREATEST(s_{k} - top, {literal(LEAST)})) AS x_{k}" for k in classes]
    query = words.layer(query, [*kept, "e", *powers])
    together = " + ".join(f"x_{k}" for k in classes)
    query = words.layer(query, [*kept, "e", *(f"x_{k} / ({together}) AS x_{k}" for k in classes)])
    low = [f"{_step(f'GREATEST(x_{k} - e, 0)')} AS a_{k}" for k in classes]
    high = [f"{_step(f'(x_{k} + e)')} AS b_{k}" for k in classes]
    best = [
        f"WHEN {' AND '.join(f'x_{k} > x_{other} + 2 * e' for other in classes if other != k)} THEN {k}"
        for k in classes
    ]
    query = words.layer(query, [*kept, *low, *high, f"CASE {' '.join(best)} END AS best"])
    sure = " AND ".join(f"a_{k} = b_{k}" for k in classes)
    steps = [f"a_{k}" for k in classes]
    return words.layer(query, [*kept, *steps, f"CASE WHEN {sure} THEN best END AS given"])


def _with_scores(table: SqlTable, model: NaiveBayesModel, kept: Sequence[str]) -> str:
    """Return the query of rows with their score s_k of each class."""
    names, terms = [c.name for c in table.schema.used], {t.column: t for t in model.additive.terms}
    places = [
        f"{place_among(f'c{i}', t.cuts, at=True, missing=len(t.cuts) + 1)} AS p{i}"
        for i, name in enumerate(names)
        if isinstance(t := terms[name], BinTerm)
    ]
    query = table.words.layer(table.rows_of(names), [*kept, *places])
    scores = []
    for k, base in enumerate(model.additive.base):
        parts = [literal(base), *(_part(terms[name], i, k) for i, name in enumerate(names))]
        scores.append(f"{' + '.join(parts)} AS s_{k}")
    return table.words.layer(query, [*kept, *scores])


def _step(share: str) -> str:
    return f"CAST(TRUNC(LEAST({share} * {STEPS}, {STEPS - 1})) AS BIGINT)"


def _part(term: Term, i: int, k: int) -> str:
    """Return what a column adds to the score of class k."""
    if isinstance(term, NormalTerm):
        away = f"(c{i} - {literal(term.mean[k])})"
        part = f"{literal(term.constant[k])} - {away} * {away} * {literal(term.half[k])}"
        return f"CASE WHEN c{i} IS NULL THEN 0 ELSE {part} END"
    assert isinstance(term, LevelTerm | BinTerm)
    place = f"p{i}" if isinstance(term, BinTerm) else f"c{i}"
    values = ", ".join(map(literal, term.table[:, k]))
    return f"(ARRAY[{values}])[{place} + 1]"


def _largest(model: NaiveBayesModel) -> float:
    """Return the most that base and parts may add up to, squares aside: those are known from a score."""
    most = 1.0 + float(np.abs(model.additive.base).max())
    for term in model.additive.terms:
        own = term.constant if isinstance(term, NormalTerm) else term.table  # type: ignore[attr-defined]
        most += 2 * float(np.abs(own).max(initial=0.0))
    return most


WAYS: Mapping[type[Any], Callable[[SqlTable, AnswerCounts, Any], AnswerSums | None]] = {
    NaiveBayesModel: _of_bayes,
    ScorecardModel: card_answers,
    Tree: _of_tree,
}

Counts = NDArray[np.int64]
FRACTION = (1 << 52) - 1
SPLIT = 27  # bits of the lower part of a mantissa: products of two parts stay below 2^54


# ---- naive Bayes ----


def bayes_sums(table: SqlTable, question: BayesSums) -> Total | None:
    """Return class counts, and the sums of each column."""
    if any(ask.how in ("words", "once", "tf-idf") for ask in question.asks):
        return None
    one = question.classes == 1 and len(table.schema.predicted.labels) != 1
    total = question.zero()
    y, heavy = class_counts(table)
    np.add.at(total[""], y * (not one), heavy)
    counted = [(i, ask) for i, ask in enumerate(question.asks) if ask.how in ("codes", "bins")]
    names = [ask.column for _, ask in counted]
    if counted:
        cells = ["y", "w", *(_place(ask, f"c{j}") + f" AS k{j}" for j, (_, ask) in enumerate(counted))]
        query = table.words.layer(table.rows_of(names), cells)
        found = table.groups(query, [[f"k{j}"] for j in range(len(counted))])
        for (i, _), group in zip(counted, found, strict=True):
            at = group.keys[0].astype(np.int64), group.classes * (not one)
            np.add.at(total[key(i, "counts")], at, group.weights)
    for j, ask in enumerate(a for a in question.asks if a.how == "moments"):
        _moments(table, ask.column, (total["missing"][j], total["sums"][j], total["squares"][j]), one)
    return total


def _place(ask: Ask, cell: str) -> str:
    if ask.how == "codes":
        return cell
    return place_among(cell, np.asarray(ask.cuts, float), at=True, missing=len(ask.cuts) + 1)


def _moments(table: SqlTable, name: str, to: tuple[Counts, Counts, Counts], one: bool) -> None:
    """Add exact sums: mantissas are whole numbers, added for each exponent by themselves."""
    words = table.words
    missing, sums, squares = to
    query = words.layer(table.rows_of([name]), ["y", "w", f"{words.bits('c0')} AS b"])
    query = words.layer(
        query, ["y", "w", "b < 0 AS less", "((b >> 52) & 2047) AS e", f"(b & {FRACTION}) AS m"]
    )
    whole = f"(CASE WHEN e > 0 THEN m + {FRACTION + 1} ELSE m END)"
    query = words.layer(query, ["y", "w", "less", "e", f"{whole} AS m"])
    parts = [
        f"(m >> {SPLIT}) AS a",
        f"(m & {(1 << SPLIT) - 1}) AS b",
        "(CASE WHEN less THEN -m ELSE m END) AS x",
    ]
    query = words.layer(query, ["y", "w", "e", *parts])
    w = "" if table.weighed is None else f" * CAST(w AS {words.wide})"
    wanted = {"x": "x", "aa": "a * a", "ab": "a * b", "bb": "b * b"}
    totals = [f"CAST(SUM(({cell}){w}) AS TEXT) AS {n}" for n, cell in wanted.items()]
    found = table.query(
        f"SELECT y, e, CAST(SUM(w) AS BIGINT) AS w, {', '.join(totals)} FROM ({query}) AS r GROUP BY y, e"
    )
    first: dict[int, int] = {}
    second: dict[int, int] = {}
    for row in found.to_pylist():
        c = 0 if one else int(row["y"])
        if row["e"] is None:
            missing[c] += row["w"]
            continue
        position = max(int(row["e"]) - 1, 0)
        x, aa, ab, bb = (int(row[n]) for n in wanted)
        first[c] = first.get(c, 0) + (x << position)
        second[c] = second.get(c, 0) + (((aa << 2 * SPLIT) + (ab << SPLIT + 1) + bb) << 2 * position)
    for c, number in first.items():
        sums[c] = kernels.digits_of(number, kernels.SUM_DIGITS)
        squares[c] = kernels.digits_of(second[c], kernels.SQUARE_DIGITS)


def untold(table: SqlTable, question: WithoutTarget) -> Any:
    """Return a total of rows as if they had no target."""
    return answer(table, question.question)


# ---- values of numbers ----


def values_by_class(table: SqlTable, name: str, classes: int) -> ValuesByClass:
    """Return all distinct values of a column by class. Where most are different, cells that are not grouped
    are fewer bytes: of this column the rows travel.
    """
    rows = table.rows_of([name])
    if 2 * _count(table, f"SELECT DISTINCT c0 FROM ({rows}) AS r") < table.rows:
        return _by_class(table.groups(rows, [["c0"]])[0], classes)
    own = "" if table.weighed is None else ", w"
    kind = "FLOAT4" if table.single(name) else "FLOAT8"
    found = table.query(f"SELECT CAST(c0 AS {kind}) AS c0, CAST(y AS SMALLINT) AS y{own} FROM ({rows}) AS r")
    heavy = np.ones(len(found), np.int64) if table.weighed is None else numbers(found["w"]).astype(np.int64)
    keys = (numbers(found["c0"]).astype(np.float64),)
    return _by_class(RowGroups(keys, numbers(found["y"]), heavy), classes)


def _by_class(group: RowGroups, classes: int) -> ValuesByClass:
    values, y, heavy = group.keys[0], group.classes.astype(np.int64), group.weights
    there = ~np.isnan(values)
    missing = np.zeros(classes, np.int64)
    np.add.at(missing, y[~there], heavy[~there])
    distinct, place = np.unique(values[there], return_inverse=True)
    counts = np.zeros((len(distinct), classes), np.int64)
    np.add.at(counts, (place, y[there]), heavy[there])
    return ValuesByClass(distinct, counts, missing)


def class_values(table: SqlTable, question: ClassValues) -> list[ValuesByClass]:
    """Return all distinct values by class: of these columns the values themselves travel."""
    return [values_by_class(table, name, question.classes) for name in question.columns]


def value_sample(table: SqlTable, question: ValueSample) -> list[SampledValues]:
    """Return the values with the least hashes; the database hashes them."""
    return [_sampled(table, name, question) for name in question.columns]


def _sampled(table: SqlTable, name: str, question: ValueSample) -> SampledValues:
    words, rows = table.words, table.rows_of([name])
    every = f"SELECT DISTINCT c0 FROM ({rows}) AS r WHERE c0 IS NOT NULL"
    hashed = hash_halves(words, every, "c0", ["c0"])
    chosen = f"SELECT c0 FROM ({hashed}) AS h ORDER BY high_0, low_0 LIMIT {question.size + 1}"
    (group,) = table.groups(rows, [["c0"]], f" WHERE c0 IS NULL OR c0 IN ({chosen})")
    values = _by_class(group, question.classes)
    if len(values.values) <= question.size:
        return SampledValues(values)
    limit = int(kernels.value_hashes(values.values).max())
    if limit > QUARTER:
        values, limit = values_by_class(table, name, question.classes), ALL
    return sample_of(values, limit, question.size)


def _count(table: SqlTable, query: str) -> int:
    return int(table.query(f"SELECT COUNT(*) AS n FROM ({query}) AS d")["n"][0].as_py())


def _sql_cell(grid: Grid, cell: str) -> str:
    """Return the cell of a grid that a number is in."""
    place = f"({cell} / 2 - {literal(grid.low / 2)}) * {literal(grid.scale)}"
    return f"CAST(TRUNC(LEAST(GREATEST({place}, 0), {grid.cells - 1})) AS BIGINT)"


def spreads(table: SqlTable, question: Spreads) -> list[ValueSpread]:
    """Return rows in cells, and the distinct values where those are few."""
    return [_spread(table, grid, most) for grid, most in zip(question.grids, question.most, strict=True)]


def _spread(table: SqlTable, grid: Grid, most: int) -> ValueSpread:
    rows, cells = table.rows_of([grid.name]), np.zeros(grid.cells, np.int64)
    query = table.words.layer(rows, ["w", "c0", f"CAST({_sql_cell(grid, 'c0')} AS INTEGER) AS k"])
    found = table.query(
        f"SELECT k, CAST(SUM(w) AS BIGINT) AS w FROM ({query}) AS r WHERE c0 IS NOT NULL GROUP BY k"
    )
    cells[numbers(found["k"])] = numbers(found["w"])
    if not most:
        return ValueSpread(cells, NONE, True)
    found = table.query(
        f"SELECT c0, CAST(SUM(w) AS BIGINT) AS w FROM ({rows}) AS r "
        f"WHERE c0 IS NOT NULL GROUP BY c0 LIMIT {most + 1}"
    )
    if len(found) > most:
        return ValueSpread(cells, NONE, True)
    return ValueSpread(cells, _value_counts(found, table.weight - int(cells.sum())))


def _value_counts(found: Any, missing: int = 0) -> ValueCounts:
    values, counts = numbers(found["c0"]).astype(np.float64), numbers(found["w"]).astype(np.int64)
    order = np.argsort(values)
    return ValueCounts(values[order], counts[order], missing)


def near(table: SqlTable, question: ValuesInCells) -> list[ValueCounts]:
    """Return the values in some cells."""
    out = []
    for grid, there in zip(question.grids, question.there, strict=True):
        if not there.any():
            out.append(NONE)
            continue
        if isinstance(grid, RefinedGrid):
            (found,) = near(table, ValuesInCells((grid.grid,), (grid.there,)))
            kept = grid.pick(found.values, there)
            out.append(ValueCounts(found.values[kept], found.counts[kept], 0))
            continue
        assert isinstance(grid, Grid)
        cells = ", ".join(map(str, np.flatnonzero(there).tolist()))
        query = table.words.layer(table.rows_of([grid.name]), ["w", "c0", f"{_sql_cell(grid, 'c0')} AS k"])
        found = table.query(
            f"SELECT c0, CAST(SUM(w) AS BIGINT) AS w FROM ({query}) AS r "
            f"WHERE c0 IS NOT NULL AND k IN ({cells}) GROUP BY c0"
        )
        out.append(_value_counts(found))
    return out


def finer_cells(table: SqlTable, question: FinerCells) -> list[NDArray[np.int64]]:
    """Return the rows in finer cells, of the values in the cells that they divide."""
    found = near(
        table, ValuesInCells(tuple(z.grid for z in question.zoomed), tuple(z.there for z in question.zoomed))
    )
    return [z.counted(own.values, own.counts) for z, own in zip(question.zoomed, found, strict=True)]


# ---- the rest ----


def look(table: SqlTable, question: GrowingTree) -> ColumnSummaries | None:
    """Return the look at the values that a tree begins with; None where it is to tell more numbers apart than
    travel well: the rows are fetched, and the tree is grown of them at once.
    """
    if question.shares_out or not question.labels:
        return None
    found = spreads(table, question.spreads)
    if question.max_bins is None and any(spread.many for spread in found):
        return None
    y, heavy = class_counts(table)
    classes = np.zeros(len(question.labels), np.int64)
    np.add.at(classes, y, heavy)
    return ColumnSummaries(found, classes, table.weight, np.inf, -np.inf)


def prints(table: SqlTable, question: Prints) -> Printed | None:
    """Return the fingerprint of the rows."""
    return table.printed if question.schema == table.schema and question.unit == table.unit else None


def row_sample(table: SqlTable, question: RowSample) -> PickedRows | None:
    """Return the different rows with the least hashes; the database hashes them."""
    if question.schema != table.schema:
        return None
    hasher, names = Hasher(table.schema), [c.name for c in table.schema.used]
    cells = ["y", *(f"c{i}" for i in range(len(names)))]
    hashed = row_hashes(table.words, table.rows_of(names), hasher, (0,), [*cells, "w"])
    listed = ", ".join(["high_0", "low_0", *cells])
    found = table.query(
        f"SELECT {listed}, CAST(SUM(w) AS BIGINT) AS w FROM ({hashed}) AS h GROUP BY {listed} "
        f"ORDER BY high_0, low_0 LIMIT {question.size + 1}"
    )
    keys = tuple(numbers(found[f"c{i}"]) for i in range(len(names)))
    heavy = numbers(found["w"]).astype(np.int64)
    block = table.block_of(RowGroups(keys, table.classes_from(numbers(found["y"])), heavy), names)
    halves = [numbers(found[name]).astype(np.uint64) for name in ("high_0", "low_0")]
    return question.picked((halves[0] << np.uint64(32)) + halves[1], block, np.arange(block.rows))


def both(table: SqlTable, question: TwoStatistics) -> tuple[Any, Any] | None:
    """Return two totals."""
    first, second = answer(table, question.first), answer(table, question.second)
    return None if first is None or second is None else (first, second)


ANSWERS: Mapping[type[Any], Callable[[SqlTable, Any], Any]] = {
    AnswerCounts: answer_counts,
    BayesSums: bayes_sums,
    TwoStatistics: both,
    CardSums: card_sums,
    ClassValues: class_values,
    FinerCells: finer_cells,
    LevelCounts: frontier_of,
    GrowingTree: look,
    LargestBelow: largest_below,
    LineCounts: line_counts,
    ValuesInCells: near,
    PairResiduals: pair_residuals,
    Prints: prints,
    RowFacts: row_facts,
    RowSample: row_sample,
    RowVariety: row_variety,
    Spreads: spreads,
    WithoutTarget: untold,
    ValueSample: value_sample,
}


def answer(table: SqlTable, question: Any) -> Any:
    """Return the total that the database computes; None: this question is asked of rows that are here."""
    way = ANSWERS.get(type(question))
    return None if way is None else way(table, question)
