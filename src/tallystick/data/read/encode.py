"""Batches to codes, values and words by what a survey decided.

Knows decisions, Arrow batches and what a survey took of them. Knows nothing of how the rows were surveyed.
Law: a batch encoded again from its cells, or from what was taken of it, is the same block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.data.read import strings
from tallystick.data.read.cells import Floats, SmallIntegers, by_table, fill_table, floats, level_code
from tallystick.data.read.date_parts import PartMatcher, matcher_of
from tallystick.data.read.matcher import Matcher
from tallystick.data.read.places import PlacesInMemory
from tallystick.data.read.strings import Distinct
from tallystick.data.read.survey import Decision, Looked
from tallystick.data.read.survey_column import BatchWords, Piece
from tallystick.data.read.survey_target import TargetCells, hit
from tallystick.data.read.weights import kept_rows, weight_numbers
from tallystick.data.schema import ABSENT, CODED
from tallystick.data.table.block import Block, WordCounts, class_type, join_words
from tallystick.data.table.later import LaterColumn
from tallystick.data.table.subset import known_words, take_words
from tallystick.data.text import label_form
from tallystick.data.threads import checkpoint


class Encoder:
    """What turns batches into blocks; made once, used for any number of batches, and can be pickled."""

    def __init__(self, decision: Decision) -> None:
        self.decision = decision
        q, schema = decision.question, decision.schema
        self.matchers = [matcher_of(c, schema.marks, q.plan.decimal, True) for c in schema.used]
        self.finite = {  # numbers among which the survey found none that mean missing
            m.column.name
            for m in self.matchers
            if m.column.kind == "numeric"
            and not m.column.part
            and not len(m.sentinels)
            and q.plan.of(m.column.name).inf != "missing"
        }

    def __reduce__(self) -> Any:
        return Encoder, (self.decision,)

    def block(self, batch: Any, target: Any = None, weights: Any = None) -> Block:
        """Return the rows of a batch that count; target, weights: for its rows, where they are apart."""
        q = self.decision.question
        at = {name: j for j, name in enumerate(q.columns)}
        if q.target is not None and q.target not in q.apart:
            target = batch.column(at[q.target])
        if q.weights is not None and q.weights not in q.apart:
            weights = batch.column(at[q.weights])
        found = hit(target, q.target or "", q.plan, q.regression)
        real = None if weights is None else weight_numbers(weights)
        keep = kept_rows(found.absent, real)
        if keep is not None:
            batch = batch.take(keep)
        columns = {}
        for matcher in self.matchers:
            name = matcher.column.name
            columns[name] = self._known(matcher, batch.column(at[matcher.column.cells]), batch.num_rows)
        classes = self.classes(found)
        return Block(
            batch.num_rows,
            columns,
            cut(classes, keep),
            cut(found.response, keep),
            None if real is None else self.weights(real if keep is None else real[keep]),
        )

    def cells(self, name: str, cells: Any) -> Any:
        """Return the data of some cells of one column."""
        matcher = next(m for m in self.matchers if m.column.name == name)
        return self._known(matcher, cells, len(cells))

    def unchanged(self) -> set[str]:
        """Return the columns of numbers whose cells, where all are finite, are their values."""
        cells = Counter(m.column.cells for m in self.matchers)  # those of dates may have parts as well
        return {
            m.column.name
            for m in self.matchers
            if m.column.kind == "numeric"
            and m.column.cells == m.column.name
            and cells[m.column.name] == 1
            and not len(m.sentinels)
        }

    def taken(self, taken: Looked, but: Collection[str] = ()) -> Block:
        """Return the rows of a batch as a survey saw them, without some columns."""
        columns = {
            m.column.name: cut_words(self._read(m, taken.columns[m.column.cells]), taken.keep)
            for m in self.matchers
            if m.column.name not in but
        }
        return Block(taken.rows if taken.keep is None else len(taken.keep), columns, *self.rest(taken))

    def rest(self, taken: Looked) -> tuple[Any, Any, Any]:
        """Return classes, response and weights of the rows of a batch that count."""
        keep = taken.keep
        real = None if taken.weights is None else cut(taken.weights, keep)
        weights = None if real is None else self.weights(real)
        return cut(self.classes(taken.hit), keep), cut(taken.hit.response, keep), weights

    def column(self, matcher: Matcher, batches: Sequence[Looked], places: PlacesInMemory) -> Any:
        """Return one column's data of all batches, one after the other: a view where one batch has it so, or
        where they lie in their places; or what becomes doubles later.
        """
        checkpoint()
        name = matcher.column.cells
        alone = len(batches) == 1
        if alone and batches[0].keep is None and (later := self._later(matcher, batches[0].columns[name])):
            return later
        parts = [cut_words(self._read(matcher, t.columns[name], alone), t.keep) for t in batches]
        if len(parts) == 1:
            return parts[0]
        if matcher.column.kind == "text":
            return join_words(parts)
        if matcher.column.kind != "numeric" or matcher.column.name != name:
            return np.concatenate(parts)
        cells = (t.columns[name] for t in batches)
        return places.joined(name, [c.values if isinstance(c, Floats) else None for c in cells], parts)

    def _read(self, matcher: Matcher, found: Piece, alone: bool = False) -> Any:
        """Return a column's data from what the survey saw of it. alone: there is no other batch."""
        column = matcher.column
        if isinstance(matcher, PartMatcher):
            return matcher.part(found)
        if isinstance(found, BatchWords):
            if alone and len(found.words) == len(column.words):
                return found.rows  # no word was left out, and there are no others
            return known_words(found.words, found.rows, matcher.known)
        if column.kind == "numeric":
            return matcher.numbers(found)
        if isinstance(found, Distinct):
            return matcher.coded(found)
        if isinstance(found, SmallIntegers) and ABSENT not in column.levels:
            table = np.zeros(256, np.uint8)
            fill_table(table, found.used, found.base, level_code(column.levels, 2))
            return by_table(found, table)
        return number_codes(matcher.numbers(found), column.levels)

    def _later(self, matcher: Matcher, found: Piece) -> LaterColumn | None:
        """Return numbers of which all rows count and that may wait until they are asked for; None: others."""
        if not isinstance(found, Floats) or not isinstance(found.given, LaterColumn):
            return None
        plain = matcher.column.kind == "numeric" and not isinstance(matcher, PartMatcher)
        finite = found.scan is not None and found.scan.first_infinity < 0
        return found.given if plain and finite and not len(matcher.sentinels) else None

    def _known(self, matcher: Matcher, cells: Any, rows: int) -> Any:
        """Return a column's data; every level was surveyed, so what is not a level was taken as missing."""
        if matcher.column.name in self.finite and is_number(cells.type):
            return floats(cells) + 0.0  # never -0.0
        data = matcher.run(cells, rows).data
        return _known_codes(data, len(matcher.column.levels)) if matcher.column.kind in CODED else data

    def classes(self, found: TargetCells) -> NDArray[Any] | None:
        """Return classes[row] of a batch; rows without one have some class, and are to be dropped."""
        if found.labels is None:
            return None
        table, codes = class_table(found.labels, self.decision), found.labels.codes
        if table.dtype == codes.dtype and np.array_equal(table[:-1], np.arange(len(table) - 1)):
            return codes  # rows without a label have a code beyond the classes: they are dropped
        return table[codes]  # type: ignore[no-any-return]

    def weights(self, real: NDArray[np.float64]) -> NDArray[np.int64] | None:
        """Return weights[row] in units of the table; None where all are 1."""
        if self.decision.unit is None:
            return None
        if self.decision.unit == 1:
            return real.astype(np.int64)
        return self.decision.scale.units(real)


def number_codes(values: NDArray[np.float64], levels: tuple[str, ...]) -> NDArray[np.uint8]:
    """Return the codes of numbers that are levels: 0 and 1, or one value and missing."""
    there = ~np.isnan(values)
    if ABSENT in levels:
        return there.astype(np.uint8)
    return np.where(there, values, 2).astype(np.uint8)


def is_number(kind: pa.DataType) -> bool:
    """Are cells of this type numbers that doubles hold?"""
    whole = pa.types.is_integer(kind) and kind.bit_width < 64
    return bool(whole or pa.types.is_floating(kind))


def _known_codes(codes: NDArray[Any], k: int) -> NDArray[Any]:
    return np.where(codes == k + 1, np.array(k, codes.dtype), codes) if (codes == k + 1).any() else codes


def class_table(labels: Distinct, decision: Decision) -> NDArray[Any]:
    """Return class[text] of the labels of a batch, and 0 for rows without one."""
    target = decision.schema.predicted
    at = {label: code for code, label in enumerate(target.labels)}
    parsed = strings.numbers_of(labels.values, decision.question.plan.decimal)
    merged = dict(target.merged)
    forms = [
        merged.get(text) or label_form(text, value, target.type)
        for text, value in zip(labels.values.to_pylist(), parsed.values.tolist(), strict=True)
    ]
    return np.array([at[form] for form in forms] + [0], class_type(len(target.labels)))


def cut_words(data: Any, keep: NDArray[np.int64] | None) -> Any:
    """Return the kept rows of a column."""
    return take_words(data, keep) if isinstance(data, WordCounts) and keep is not None else cut(data, keep)


def cut(array: Any, keep: NDArray[np.int64] | None) -> Any:
    """Return the kept rows of an array."""
    return array if array is None or keep is None else array[keep]
