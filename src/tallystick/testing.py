"""Contract tests for parts of your own: engines, learners, statistics, methods, sources.

1. Rows and tables to test with: `small_rows()`, `small_table()`, `BlockTable`; an engine: `BlocksSummed`.
2. Entry: `check_statistic()`, `check_engine()`, `check_learner()`, `check_method()`, `check_source()`. Each
   raises AssertionError with what differs, and needs no test framework.

Law: what passes here works in every room.
"""

from __future__ import annotations

import copy
import dataclasses
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tallystick.contracts import Block, Engine, Learner, Source, Statistic
from tallystick.engine import Local, fit
from tallystick.schema import Schema
from tallystick.stats.class_counts import Ask, BayesSums, ClassValues, DistinctRows
from tallystick.stats.exact import Prints
from tallystick.stats.values import ValueSample
from tallystick.table.block import RowBlock
from tallystick.table.table import LocalTable

__all__ = [
    "BlockTable",
    "BlocksSummed",
    "check_engine",
    "check_learner",
    "check_method",
    "check_source",
    "check_statistic",
    "difference",
    "small_rows",
    "small_table",
]

CUTS = ((), (1,), (3, 4, 40), (7, 7, 30, 59))  # where rows are cut into blocks: also one row, and none
SEEDS = (0, 1)


def small_rows(rows: int = 60, seed: int = 5, regression: bool = False) -> list[dict[str, Any]]:
    """Return records with numbers, whole numbers, levels, text and missing cells, and a target `y` that
    depends on some of them: a class, or a number.
    """
    rng = np.random.default_rng(seed)
    out: list[dict[str, Any]] = []
    for _ in range(rows):
        sky, x = str(rng.choice(["sun", "rain", "fög"])), round(float(rng.normal(5, 3)), 1)
        visits, note = int(rng.poisson(3)), str(rng.choice(["very good value", "late again", "good food"]))
        score = (sky == "sun") + (x > 5) + (note[0] == "g") + float(rng.normal(0, 0.5))
        own = {
            "sky": None if rng.random() < 0.1 else sky,
            "x": None if rng.random() < 0.1 else x,
            "visits": visits,
            "note": note,
            "y": round(score, 3) if regression else "yes" if score > 1.2 else "no",
        }
        out.append(own)
    return out


def small_table(
    rows: Sequence[dict[str, Any]] | None = None, weights: Any = None, text: bool = True
) -> LocalTable:
    """Return records, `small_rows()` if none are given, as a table in memory with the target `y`; text: as a
    table that has a column of text.
    """
    from tallystick.io.open import open_source
    from tallystick.schema import ColumnOptions
    from tallystick.table.reader import read_table

    kinds = {"note": "text" if text else "out"}
    given = small_rows() if rows is None else list(rows)
    return read_table(open_source(given), ColumnOptions(kinds=kinds), "y", weights)


class BlockTable:
    """A table of some blocks, for who sums: `schema`, `rows` and `blocks` are all that it has."""

    def __init__(self, schema: Schema, blocks: Sequence[Block]) -> None:
        self.schema, self.parts = schema, tuple(blocks)
        self.rows = sum(block.rows for block in blocks)
        self.notes, self.unit, self.engine = (), 1, None

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks."""
        yield from self.parts


class BlocksSummed:
    """The engine that takes no faster way: zero, add and merge, block by block, in two halves."""

    def total(self, table: Any, question: Statistic[Any]) -> Any:
        """Return the question's total over the whole table."""
        halves = [question.zero(), question.zero()]
        for i, block in enumerate(table.blocks()):
            halves[i % 2] = question.add(halves[i % 2], block)
        return question.merge(*halves)


def difference(one: Any, other: Any, name: str = "the total") -> str:
    """Say where two totals differ, bit for bit, however they are built; "" where they do not."""
    if type(one) is not type(other):
        return f"{name} is a {type(one).__name__} and a {type(other).__name__}"
    parts: Iterator[tuple[str, Any, Any]]
    if isinstance(one, dict):
        if one.keys() != other.keys():
            return f"{name} has the keys {sorted(map(str, one))} and {sorted(map(str, other))}"
        parts = ((f"{name}[{key!r}]", one[key], other[key]) for key in one)
    elif isinstance(one, list | tuple):
        if len(one) != len(other):
            return f"{name} has {len(one)} and {len(other)} parts"
        parts = ((f"{name}[{i}]", a, b) for i, (a, b) in enumerate(zip(one, other, strict=True)))
    elif dataclasses.is_dataclass(one):
        names = [f.name for f in dataclasses.fields(one) if f.name != "work"]  # a kernel's scratch memory
        parts = ((f"{name}.{n}", getattr(one, n), getattr(other, n)) for n in names)
    else:
        try:
            np.testing.assert_array_equal(one, other)
        except AssertionError:
            return f"{name} is {one!r:.200} and {other!r:.200}"
        return ""
    return next(filter(None, (difference(a, b, place) for place, a, b in parts)), "")


def check_statistic(statistic: Statistic[Any], table: LocalTable) -> None:
    """Hold a statistic to its laws over the rows of a table.

    Parameters
    ----------
    statistic : Statistic
        The question.
    table : LocalTable
        Rows that it can be asked of, such as `small_table()`.

    Raises
    ------
    AssertionError
        Says which law does not hold, and where totals differ.
    """

    def total(blocks: Sequence[Block]) -> Any:
        found = statistic.zero()
        for block in blocks:
            found = statistic.add(found, block)
        return found

    _require(isinstance(statistic, Statistic), f"{type(statistic).__name__} does not derive from Statistic")
    whole = copy.deepcopy(statistic)
    every = [table.slice(0, table.rows)]
    want = total(every)
    _same(whole.add(whole.zero(), every[0]), want, "a copied question has another total")
    _same(statistic.merge(statistic.zero(), total(every)), want, "merge(zero(), x) is not x")
    _same(statistic.merge(total(every), statistic.zero()), want, "merge(x, zero()) is not x")
    for seed in SEEDS:
        order = np.random.default_rng(seed).permutation(table.rows)
        turned = table.take(order, table.schema)
        for cuts in CUTS:
            blocks = _cut(turned, cuts)
            what = f"rows in another order, cut at {cuts}"
            _same(total(blocks), want, f"{what}: the total depends on it")
            merged = statistic.zero()
            for block in reversed(blocks):
                merged = statistic.merge(statistic.add(statistic.zero(), block), merged)
            _same(merged, want, f"{what}: totals merged are not the total of all")
    if (prepared := statistic.prepared()) is not None:
        form, light = prepared
        _same(light.add(light.zero(), form(every[0])), want, "prepared: blocks in the form differ")


def check_engine(engine: Engine) -> None:
    """Hold an engine to its law: the answer is the sum, whoever gives it.

    Parameters
    ----------
    engine : Engine
        Whoever has `total(table, question)`.

    Raises
    ------
    AssertionError
        Says for which question and which cut of the rows the total differs.
    """
    table = small_table()
    names, classes = [c.name for c in table.schema.used], len(table.schema.predicted.labels)
    sizes = {c.name: len(c.levels) for c in table.schema.used}
    asks = (Ask("sky", "codes", sizes["sky"]), Ask("x", "moments"), Ask("visits", "bins", cuts=(1.5, 3.5)))
    questions: list[Statistic[Any]] = [
        BayesSums(asks, classes),
        BayesSums((Ask("note", "words", len(table.schema["note"].words)),), classes),
        ClassValues(("x", "visits"), classes),
        ValueSample(("x",), classes, size=20),
        DistinctRows(table.schema, tuple(names.index(name) for name in ("sky", "visits"))),
        Prints(table.schema),
    ]
    for question in questions:
        kind = type(question).__name__
        want = BlocksSummed().total(table, question)
        _same(engine.total(table, question), want, f"{kind} over a table in memory")
        for cuts in CUTS:
            parts = BlockTable(table.schema, _cut(table, cuts))
            parts.rows = 0  # unknown, so that no engine takes the table for small
            _same(engine.total(parts, question), want, f"{kind} over blocks cut at {cuts}")  # type: ignore[arg-type]
        none = BlockTable(table.schema, [])
        _same(engine.total(none, question), question.zero(), f"{kind} over no rows")  # type: ignore[arg-type]

    class Broken(BlockTable):
        def blocks(self) -> Iterator[Block]:
            yield self.parts[0]
            raise OSError("the disk is gone")

    try:
        engine.total(Broken(table.schema, _cut(table, (9,))), questions[0])  # type: ignore[arg-type]
    except Exception:
        return
    raise AssertionError("a block that cannot be read raises an error, and the engine gave a total")


def check_learner(learner: Learner[Any], table: LocalTable | None = None) -> None:
    """Hold a learner to its law: the same totals give the same model, whatever the order of the rows, the
    blocks they come in and the engine that sums.

    Parameters
    ----------
    learner : Learner
        Whoever has `learn(schema)`, a generator of statistics that returns the model.
    table : LocalTable, default None
        Rows to learn from; None is `small_table()` without its text.

    Raises
    ------
    AssertionError
        Says what the model depends on and must not.
    """
    table = small_table(text=False) if table is None else table
    want = fit(learner, table, Local(1)).to_dict()
    _same(fit(learner, table, Local(1)).to_dict(), want, "learnt again: another model")
    _same(fit(learner, table, Local(2)).to_dict(), want, "two threads: another model")
    _same(fit(learner, table, BlocksSummed()).to_dict(), want, "an engine without faster ways: another model")
    for seed in SEEDS:
        order = np.random.default_rng(seed).permutation(table.rows)
        turned = table.take(order, table.schema)
        _same(fit(learner, turned, Local(1)).to_dict(), want, "rows in another order: another model")
        for cuts in CUTS:
            parts: Any = BlockTable(table.schema, _cut(turned, cuts))
            found = fit(learner, parts, BlocksSummed()).to_dict()
            _same(found, want, f"blocks cut at {cuts}: another model")


def check_method(make: Callable[..., Any], rows: Sequence[dict[str, Any]] | None = None) -> None:
    """Hold a method to the laws of this package: one table, one model, and one answer whoever asks.

    Parameters
    ----------
    make : callable
        The class of an estimator, or make(**parameters of execution) that gives an unfitted one.
    rows : list of dict, default None
        Labelled records with the target `y`; None is `small_rows()`, with a number to predict for a
        regression.

    Raises
    ------
    AssertionError
        Says which law does not hold.
    """
    regression = bool(getattr(make(), "_regression", False))
    given = small_rows(200, regression=regression) if rows is None else list(rows)
    model = make().fit(given, "y")
    want = model.to_bytes()

    def answers(of: Any, asked: Sequence[dict[str, Any]]) -> Any:
        return of.predict(asked) if regression else of.predict_proba(asked)

    for seed in SEEDS:
        order = np.random.default_rng(seed).permutation(len(given)).tolist()
        turned = make().fit([given[i] for i in order], "y").to_bytes()
        _require(turned == want, "rows in another order: the model file has other bytes")
    for threads in (1, 2):
        again = make(threads=threads).fit(given, "y").to_bytes()
        _require(again == want, f"threads={threads}: the model file has other bytes")
    weights = [i % 3 for i in range(len(given))]
    copies = [row for row, weight in zip(given, weights, strict=True) for _ in range(weight)]
    heavy = make().fit(given, "y", sample_weight=weights).to_bytes()
    _require(heavy == make().fit(copies, "y").to_bytes(), "a whole weight is not that many copies of a row")
    found = answers(model, given)
    _require(bool(np.isfinite(found).all()), "an answer is not a finite number")
    parts = np.concatenate([answers(model, given[i : i + 37]) for i in range(0, len(given), 37)])
    _same(parts, found, "answers depend on the rows that are asked for beside a row")
    one = np.asarray([answers(model, [row])[0] for row in given[:20]])
    _same(one, found[:20], "a row alone has another answer")
    again = copy.deepcopy(model)
    _require(again.to_bytes() == want, "a copied model has other bytes")
    _same(answers(again, given), found, "a copied model answers otherwise")
    strange = [{"sky": "hail", "x": None, "visits": 10**6, "note": "unheard words"}]
    if rows is None:
        _require(bool(np.isfinite(answers(model, strange)).all()), "unseen values have no finite answer")


def check_source(source: Source) -> None:
    """Hold a source of rows to its laws: the same rows each time, in whatever pieces.

    Parameters
    ----------
    source : Source
        The rows.

    Raises
    ------
    AssertionError
        Says what differs.
    """
    import pyarrow as pa

    def rows_of(batches: Iterator[pa.RecordBatch]) -> list[dict[str, Any]]:
        out: list[dict[str, Any]] = []
        for batch in batches:
            names = tuple(batch.schema.names)
            _require(names == source.columns, f"a batch has the columns {names}, not {source.columns}")
            out += batch.to_pylist()
        return out

    want = rows_of(source.batches())
    _same(rows_of(source.batches()), want, "batches() called again gives other rows")
    _same(rows_of(load() for load in source.pieces()), want, "pieces() has other rows")
    _same(rows_of(source.within(1 << 10).batches()), want, "within() has other rows")
    _same(rows_of(source.streamed().batches()), want, "streamed() has other rows")
    _same(rows_of(source.each_row().batches()), want, "each_row() has other rows")
    if source.held is not None:
        held, names = source.held, source.columns
        _require(held.rows == len(want), f"held has {held.rows} rows, not {len(want)}")
        for j, name in enumerate(names):
            cells = held.get(j).to_pylist()
            _same(cells, [row[name] for row in want], f"held: the column {name} has other cells")


def _cut(table: LocalTable, cuts: Sequence[int]) -> list[RowBlock]:
    """Return the rows of a table in blocks."""
    ends = [0, *(c for c in cuts if c < table.rows), table.rows]
    return [table.slice(a, b) for a, b in itertools.pairwise(ends)]


def _same(found: Any, want: Any, what: str) -> None:
    if result := difference(found, want):
        raise AssertionError(f"{what}: {result}.")


def _require(right: bool, what: str) -> None:
    if not right:
        raise AssertionError(f"{what}.")
