"""Answers to new rows as tables, of classes and of numbers, and their text as CSV or JSON lines.

Parts: answers of a classifier, entry `answer_tables()`; of a regression, entry `number_tables()`; intervals;
rows as text. `tally predict` writes them and `tally serve` sends them.
Law: whoever asks, a row's label, shares and reasons are those of `predict`, `predict_proba` and `reasons`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick import methods
from tallystick.errors import DataError, shown
from tallystick.estimator.base import Estimator, names_outside
from tallystick.methods import of_kind
from tallystick.model.decision import class_number
from tallystick.schema import Note, Schema

if TYPE_CHECKING:
    import pyarrow as pa

    from tallystick.contracts import Block, Source
    from tallystick.estimator.classifier import Classifier
    from tallystick.scorecard.explain import ReasonCode
    from tallystick.table.new_rows import Matched


UNREAD = "unread"  # the column of reasons why rows could not be read


@dataclass(frozen=True)
class Wanted:
    """What is asked for beside the label and its share. reasons: how many, None for none; against and
    towards: how they are counted.
    """

    proba: bool = False
    outside: bool = False
    reasons: int | None = None
    against: str = "best"
    towards: Any = None
    lenient: bool = False
    missing_columns: str = "error"


class MetRows:
    """What was met in new rows, counted: nothing of it stays silent."""

    def __init__(self) -> None:
        self.missing: Counter[str] = Counter()
        self.unseen: Counter[str] = Counter()
        self.unreadable: Counter[str] = Counter()
        self.outside: Counter[str] = Counter()
        self.labels: Counter[str] = Counter()
        self.notes: dict[Note, None] = {}  # each said once
        self.filled: Counter[str] = Counter()
        self.beyond: Counter[str] = Counter()  # values outside the range of the fit, asked for or not
        self.rows = self.prior_only = 0
        self.schema: Schema | None = None

    def add(self, matched: Matched, prior_only: int, best: Any, labels: tuple[str, ...]) -> None:
        """Count a batch: best[row] is the class that was answered."""
        from tallystick.table.new_data_warnings import outside

        assert self.schema is not None  # set before the first batch
        self.rows += matched.block.rows
        beyond = outside(matched.block, self.schema)
        self.beyond.update({name: int(rows.sum()) for name, rows in beyond.items()})
        self.missing.update(matched.missing)
        self.unseen.update(matched.unseen)
        self.filled.update({name: matched.block.rows - n for name, n in matched.missing.items()})
        self.unreadable.update(matched.unreadable)
        self.notes.update(dict.fromkeys(matched.notes))
        self.prior_only += prior_only
        read = np.delete(best, list(matched.unread)) if matched.unread else best
        counts = np.bincount(read, minlength=len(labels)).tolist()
        self.labels.update({label: n for label, n in zip(labels, counts, strict=True) if n})

    def unseen_by_kind(self) -> tuple[Counter[str], Counter[str]]:
        """Return how many levels of each column the model has never seen, and how many words of each text."""
        texts = {c.name for c in self.schema.used if c.kind == "text"} if self.schema is not None else set()
        every = +self.unseen
        levels = Counter({name: n for name, n in every.items() if name not in texts})
        return levels, every - levels

    def all_notes(self) -> list[Note]:
        """Return the notes of all batches, and one for each column of which no cell, or too few, is known."""
        from tallystick.table.new_data_warnings import strange_notes

        if self.schema is None:
            return list(self.notes)
        counts = self.filled, self.unseen, self.beyond
        return [*self.notes, *strange_notes(self.schema, self.rows, *counts)]

    def to_dict(self, reading: tuple[Note, ...]) -> dict[str, Any]:
        """Return the counts as plain data, after the notes on how the file was read."""
        levels, words = self.unseen_by_kind()
        return {
            "missing_cells": dict(+self.missing),
            "unseen_levels": dict(levels),
            "unseen_words": dict(words),
            "unreadable_cells": dict(+self.unreadable),
            "outside_range": dict(+self.outside),
            "notes": [note.to_dict() for note in (*reading, *self.all_notes())],
            "answered_by_prior": self.prior_only,
        }

    def classes(self) -> str:
        """Return how many rows went to each class, the most frequent first."""
        top = self.labels.most_common(6)
        text = ", ".join(f"{label} {n:,}" for label, n in top)
        return f": {text}{', ...' if len(self.labels) > 6 else ''}" if top else ""


@dataclass(frozen=True)
class AnsweredRows:
    """Some new rows and their answers: shares[row, class], best[row]; outside: by row, columns beyond the
    range of the fit.
    """

    matched: Matched
    shares: NDArray[np.float64]
    best: NDArray[np.int64]
    outside: list[tuple[str, ...]]


def answers(
    estimator: Classifier, source: Source, met: MetRows, wanted: Wanted, unread: str = "keep"
) -> Iterator[AnsweredRows]:
    """Yield the answers to all rows, batch by batch; what is met is counted in `met`."""
    target = estimator.schema_.predicted
    met.schema = estimator._asked
    reading = {"lenient": wanted.lenient, "missing_columns": wanted.missing_columns}
    for matched in estimator._blocks(source, warn=False, unread=unread, **reading):
        shares = estimator.model_.shares(matched.block)
        best = estimator._decide(shares)
        prior_only = estimator._prior_only(matched.block, shares)
        beyond = names_outside(matched.block, estimator._asked) if wanted.outside else []
        met.outside.update(name for names in beyond for name in names)
        met.add(matched, int(prior_only.sum()), best, target.labels)
        yield AnsweredRows(matched, shares, best, beyond)


def answer_tables(estimator: Classifier, source: Source, met: MetRows, wanted: Wanted) -> Iterator[pa.Table]:
    """Yield the same as tables: prediction, probability, what else is wanted, and `unread`.

    The first table has no rows, so that there always is one.
    """
    import pyarrow as pa

    from tallystick.io.frames import from_numbers

    target = estimator.schema_.predicted
    labels = pa.array(target.labels, pa.string())
    classes = target.labels if wanted.proba else ()
    names = ["prediction", "probability", *(f"P({label})" for label in classes)]
    types = [pa.string(), *[pa.float64()] * (len(names) - 1)]
    texts = ["outside"] * wanted.outside + [f"reason_{k + 1}" for k in range(wanted.reasons or 0)] + [UNREAD]
    names, types = [*names, *texts], [*types, *[pa.string()] * len(texts)]
    reasons = reasons_of(estimator, wanted)
    yield pa.schema(list(zip(names, types, strict=True))).empty_table()
    for found in answers(estimator, source, met, wanted):
        shares, best = found.shares, found.best
        columns = [
            labels.take(from_numbers(best)),
            from_numbers(np.take_along_axis(shares, best[:, None], axis=1)[:, 0]),
        ]
        columns += [from_numbers(shares[:, c]) for c in range(len(classes))]
        if wanted.outside:
            named = any(found.outside)
            texts = ["; ".join(row) for row in found.outside] if named else [""] * len(best)
            columns.append(pa.array(texts, pa.string()))
        rows = [[code.text for code in codes] for codes in reasons(found.matched.block)]
        for k in range(wanted.reasons or 0):
            columns.append(pa.array([r[k] if k < len(r) else None for r in rows], pa.string()))
        yield pa.table(without_answers(columns, found.matched), names=names)


def reasons_of(estimator: Classifier, wanted: Wanted) -> Callable[[Block], list[tuple[ReasonCode, ...]]]:
    """Return what makes the reasons of a block, none if none are wanted; of a model without any it is an
    error.
    """
    if wanted.reasons is None:
        return lambda block: []
    target, model = estimator.schema_.predicted, estimator.model_
    label = None if wanted.towards is None else class_number(target, wanted.towards)
    made: Callable[[Block], list[tuple[ReasonCode, ...]]] = of_kind(model.kind).load("reasons")(
        model, wanted.reasons, wanted.against, label
    )
    return made


def without_answers(columns: list[Any], matched: Matched) -> list[Any]:
    """Return the answers, none of them for rows that could not be read, and the reasons beside them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not matched.unread:
        return [*columns, pa.nulls(matched.block.rows, pa.string())]
    reasons = pa.array([matched.unread.get(row) for row in range(matched.block.rows)], pa.string())
    read = pc.is_null(reasons)
    return [pc.if_else(read, column, pa.scalar(None, column.type)) for column in columns] + [reasons]


# Answers of a regression, as `tally predict` writes them.
# Law: a row's number is that of `predict`.


def number_tables(estimator: Any, source: Source, met: MetRows, wanted: Wanted) -> Iterator[pa.Table]:
    """Yield the prediction of each row, what else is wanted, and `unread`, as tables.

    The first table has no rows, so that there always is one.
    """
    import pyarrow as pa

    from tallystick.io.frames import from_numbers

    names = ["prediction", *(["outside"] if wanted.outside else []), UNREAD]
    types = [pa.float64(), *[pa.string()] * (len(names) - 1)]
    yield pa.schema(list(zip(names, types, strict=True))).empty_table()
    met.schema = estimator._asked
    reading = {"lenient": wanted.lenient, "missing_columns": wanted.missing_columns}
    for matched in estimator._blocks(source, warn=False, unread="keep", **reading):
        block = matched.block
        numbers = np.ascontiguousarray(estimator.model_.shares(block)[:, 0])
        met.add(matched, 0, np.zeros(block.rows, np.int64), ("answered",))
        columns: list[Any] = [from_numbers(numbers)]
        if wanted.outside:
            beyond = names_outside(block, estimator._asked)
            met.outside.update(name for own in beyond for name in own)
            columns.append(pa.array(["; ".join(own) for own in beyond], pa.string()))
        yield pa.table(without_answers(columns, matched), names=names)


# Intervals of answers, computed by the function that `methods.py` lists for the method.


def intervals(estimator: Estimator, X: Any, **reading: Any) -> NDArray[np.float64]:
    """Return low and high ends [row, class, 2]; of a regression [row, 0, 2]."""
    estimator._check_fitted()
    face, model = methods.of_kind(estimator._kind).load("interval"), estimator.model_
    classes = max(len(estimator.schema_.predicted.labels), 1)
    found = estimator._each_block(X, lambda block: face(model, block), **reading)
    return np.concatenate([np.zeros((0, classes, 2)), *found])


# Arrow tables as text: CSV and JSON lines. In CSV, text that a spreadsheet would run as a formula
# gets a leading apostrophe unless `raw`, and numbers stay numbers; a number reads back as the same double.

NUMBER = r"^ *[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)? *$"  # a tab or a line end is not part of one
# What spreadsheets take for the beginning of a formula: a sign, also a full-width one, after spaces of any
# kind and characters that show nothing; and a cell that a tab or a line end begins.
FORMULA = r"^[\t\r\n]|^[\s\pZ\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]"
SPECIAL = '[,"\r\n]|^ | $'  # cells that CSV must quote


def json_lines(table: pa.Table) -> bytes:
    """Return one JSON object per row; NaN becomes null."""
    rows = table.to_pylist()
    return "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows).encode()


def csv_header(names: list[str], raw: bool) -> bytes:
    """Return the names as one line of CSV."""
    import pyarrow as pa

    texts = _cells(pa.array(names, pa.large_string()), raw)
    return (",".join(texts.to_pylist()) + "\n").encode()


def csv_lines(table: pa.Table, raw: bool) -> bytes:
    """Return the rows as lines of CSV, quoted where needed."""
    import pyarrow.compute as pc

    if table.num_rows == 0:
        return b""
    columns = [_named_cells(name, table.column(name), raw) for name in table.column_names]
    if len(columns) == 1:  # an empty line would be no row
        columns = [pc.if_else(pc.equal(columns[0], _text("")), _text('""'), columns[0])]
    lines = pc.binary_join_element_wise(*columns, _text(","))
    return ("\n".join(lines.to_pylist()) + "\n").encode()


def _text(text: str) -> Any:
    import pyarrow as pa

    return pa.scalar(text, pa.large_string())


def _named_cells(name: str, column: Any, raw: bool) -> Any:
    import pyarrow as pa

    try:
        return _cells(column, raw)
    except pa.ArrowException as error:
        raise DataError(
            f"column {shown(name)} is of type {shown(column.type)}, which CSV has no text for. Leave it out, "
            "or write Parquet."
        ) from error


def _cells(column: Any, raw: bool) -> Any:
    """Return cells as CSV texts: missing is empty, text quoted where needed, formulas made harmless."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):  # before they are joined: narrow codes may not do for all values
        column = column.cast(column.type.value_type)
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    written = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    texts = pc.fill_null(column.cast(pa.large_string()), "")
    if not written:
        return texts
    if not raw:
        harmful = pc.and_not(
            pc.match_substring_regex(texts, FORMULA), pc.match_substring_regex(texts, NUMBER)
        )
        texts = pc.if_else(harmful, pc.binary_join_element_wise(_text("'"), texts, _text("")), texts)
    doubled = pc.replace_substring(texts, '"', '""')
    quoted = pc.binary_join_element_wise(_text('"'), doubled, _text('"'), _text(""))
    return pc.if_else(pc.match_substring_regex(texts, SPECIAL), quoted, texts)
