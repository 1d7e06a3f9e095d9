"""A table whose rows stay with Spark: packed blocks in a cached RDD, and what is known of them here.

Knows RDDs of blocks, packed where Spark keeps them. Knows nothing of DataFrames, learners or models.
Laws: a block that is lost is made again from the DataFrame, in whatever order its rows come then, and nothing
here depends on that order: rows are known by what they hold. Rows come here only where `blocks` is asked for,
and of each its hash, class and weight where `facts` is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Place, Statistic
from tallystick.data.schema import Note, Schema
from tallystick.data.table.block import Block, pack, row_unit, together, unpack
from tallystick.data.table.ranks import rank
from tallystick.data.table.subset import Within, schema_within
from tallystick.data.table.table import BLOCK
from tallystick.data.table.table import Table as TableHere
from tallystick.engines.spark.along import Along, in_one_walk
from tallystick.engines.spark.frames import FrameRows
from tallystick.engines.spark.levels import SparkLevel
from tallystick.engines.spark.parts import (
    AnsweredPart,
    CellsOf,
    ChosenRows,
    Facts,
    FactsOf,
    FactsSent,
    Hashes,
    HashesOf,
    OnFacts,
    Picked,
    Recoded,
    Work,
    answers_of,
    joined_facts,
    rows_of,
)
from tallystick.engines.spark.pieces import PARTS, Once, OneOfEach, Weighed, repeated_keys, shared_keys
from tallystick.engines.spark.workers import plain_errors
from tallystick.errors import OptionError
from tallystick.stats.fingerprint import Both, Printed, Prints, in_two
from tallystick.stats.level_tables import Frontier
from tallystick.stats.shortcuts import in_a_form, of_open_nodes

Ask = Callable[[Any, Any], Any]  # (RDD of blocks, question) -> total
T = TypeVar("T")
PART_ROWS = 1 << 22  # whose hashes and classes a worker has at once
NEAR_CELLS = 1 << 24  # of a table that is brought here where it is asked often: 128 MB as doubles
TEXT_CELLS = 128  # what a text is counted as


@dataclass
class SparkTable:
    """Rows on Spark; see contracts.Table. stored: what Spark keeps; raw: what it is made of, until then."""

    place: ClassVar[Place] = "far"
    budget: ClassVar[int] = 0  # what comes here is little
    files: ClassVar[tuple[str, ...]] = ()  # only Spark knows them

    schema: Schema
    opened: Any  # RDD of blocks, made of what Spark keeps whenever they are asked for
    rows: int
    notes: tuple[Note, ...] = ()
    source_notes: tuple[Note, ...] = ()
    unit: int = 1
    stored: Any = None  # RDD of bytes
    raw: Any = None
    along: Along | None = None  # what goes along with the first questions; None: the fingerprint alone
    origin: SparkTable | None = field(default=None, repr=False)  # the table this is a part of
    chosen: ChosenRows | None = field(default=None, repr=False)
    keys: Hashes | None = field(default=None, repr=False)  # by which its origin knows each row
    _facts: Facts | None = field(default=None, repr=False)
    _printed: Printed | None = field(default=None, repr=False)
    _form: Any = field(default=None, repr=False)
    _formed: Any = field(default=None, repr=False)
    _single: Any = field(default=None, repr=False)

    def blocks(self) -> Iterator[Block]:
        """Yield all rows, brought here block by block."""
        for data in self.opened.map(pack).toLocalIterator():
            yield unpack(data)

    def asked(self, question: Statistic[Any], ask: Ask) -> Any:
        """Return a total; what went along with an earlier question is known, and costs no walk."""
        if (known := self._known_along(question)) is not None:
            return known
        if (two := in_two(question)) is not None and self._known_along(two.first) is not None:
            return self.asked(two.first, ask), self.asked(two.second, ask)
        again = in_a_form(question)
        if (nodes := of_open_nodes(question)) is not None:
            return self._searched(nodes, ask)
        if again is not None:
            return ask(self._in_form(again.form), again.in_form())
        return self._walked(question, ask)

    def _known_along(self, question: Any) -> Any:
        return None if self.along is None else self.along.known(question)

    def _walked(self, question: Statistic[Any], ask: Ask) -> Any:
        """Return a total of a walk over all blocks; the first takes the fingerprint along, and the first two
        take what a profile asks for.
        """
        prints = Prints(self.schema, self.unit) if self._printed is None else None
        more = None if self.along is None else self.along.next()
        asked, parted = (question, None) if more is None else in_one_walk(question, more)
        total = ask(self.opened, asked if prints is None else Both(asked, prints))
        if prints is not None:
            total, printed = total
            self._know(printed)
        if self.along is not None and more is not None and parted is not None:
            total, own = parted(total)
            self.along.take(more, own)
        return total

    def _searched(self, question: Frontier, ask: Ask) -> Any:
        """Return what is asked of the nodes of a tree that tests numbers as they are."""
        asked, blocks = question, self.opened
        if any(c.values is not None for c in question.codings):
            asked, blocks = question.in_form(), self._in_form(question.form)
        return SparkLevel(question, asked, blocks, ask).answer()

    def _know(self, printed: Printed) -> None:
        self._printed = printed
        forget(self.raw)  # the blocks are made: what they were made of may go

    def _in_form(self, form: Any) -> Any:
        """Return the blocks in a question's form, kept until another form is asked for."""
        if self._formed is None or self._form != form:
            self._drop_form()
            self._form, self._formed = form, keep(self.opened.mapPartitions(Formed(form)))
        return self._formed.mapPartitions(unpacked)

    def _drop_form(self) -> None:
        forget(self._formed)
        self._form = self._formed = None

    @property
    def engine(self) -> Any:
        """Who sums over this table."""
        from tallystick.engines.spark import Spark

        return Spark()

    @property
    def printed(self) -> Printed:
        """Rows, weight and fingerprint."""
        if self._printed is None:
            with plain_errors():
                self._know(self.engine.sum(self.opened, Prints(self.schema, self.unit)))
        assert self._printed is not None
        return self._printed

    @property
    def fingerprint(self) -> str:
        """128 bits of the multiset of rows, in hex: the same for any order, container or cut."""
        return self.printed.fingerprint

    @property
    def weight(self) -> int:
        """The weights of all rows together, in units of the table."""
        return self.printed.weight

    @property
    def row_unit(self) -> int:
        """What one row weighs where rows are counted, in units of the table."""
        return self.unit if self.unit == 1 else row_unit(self.weight, self.printed.counted, self.unit)

    # -- rows by what they hold --

    @cached_property
    def facts(self) -> Facts:
        """What dealing and judging need of every row, brought here: some 10 to 20 bytes a row."""
        if self._facts is not None:
            return self._facts
        if self.origin is not None:  # some of its columns
            return self.origin.facts._replace(hashes=self._asked(HashesOf(self.schema)))
        return joined_facts(self.opened.mapPartitions(FactsOf(self.schema)).collect())

    def unlabelled(self, work: Callable[..., T]) -> list[T]:
        """Return work(hashes[row] of the rows without their target, classes[row], weights[row]) of parts: by
        the workers, each with the rows of a range of hashes.
        """
        tasks = max(2 * int(self.opened.context.defaultParallelism), -(-self.rows // PART_ROWS))
        with plain_errors():
            sent = self.opened.mapPartitions(FactsSent(self.schema, tasks)).partitionBy(tasks, int)
            return sent.mapPartitions(OnFacts(work)).collect()  # type: ignore[no-any-return]

    def row_hashes(self) -> NDArray[np.uint64]:
        """Return hashes[row] of the rows' content, target included, weights not."""
        return self.facts.hashes

    @property
    def classes(self) -> NDArray[Any] | None:
        """The target's codes."""
        return self.facts.classes

    @property
    def response(self) -> NDArray[np.float64] | None:
        """The numeric target of a regression."""
        return self.facts.response

    @property
    def weights(self) -> NDArray[np.int64] | None:
        """The rows' weights in units of the table."""
        return self.facts.weights

    def take(self, rows: NDArray[np.int64], schema: Schema | None = None) -> SparkTable:
        """Return some rows as a table that knows nothing of the others: see contracts.Table. Rows are known
        by what they hold: where only some of several equal rows are taken, one row stands for them, with
        their weight.
        """
        return self._part(self.facts.take(rows), schema)

    def with_weights(self, weights: NDArray[np.int64]) -> SparkTable:
        """Return the rows with a weight, each with the weight given for it."""
        rows = np.flatnonzero(weights)
        return self._part(self.facts.take(rows)._replace(weights=weights[rows]), self.schema)

    def _part(self, facts: Facts, schema: Schema | None) -> SparkTable:
        """Return the table of some rows, known by their facts."""
        whole, some, amounts = shared_keys(self.facts, facts, self.unit)
        chosen = ChosenRows(self.opened.context.broadcast(np.union1d(whole, some)), self.schema)
        picked = self.opened.mapPartitions(Picked(replace(chosen, keys=self._sent(whole)), len(some) > 0))
        if len(some):
            weighed = Weighed(self.schema, self._sent((some, amounts)))
            picked = picked.union(self._one_of(some).mapPartitions(unpacked).mapPartitions(weighed))
        own = schema is None
        if schema is None:
            schema = schema_within(self.schema, self.engine.sum(picked, Within(self.schema, self.unit == 1)))
        kept = keep(picked.map(Recoded(self.schema, schema)).map(pack))
        opened = kept.mapPartitions(unpacked)
        part = self._bare(schema, opened, facts.recoded(self.schema.target, schema.target))
        part.stored, part.origin, part.chosen, part.keys = kept, self, chosen, facts.hashes
        if own and any(c.words != schema[c.name].words for c in self.schema.used):  # rare words are unseen
            part._facts = part.facts._replace(hashes=part._asked(HashesOf(schema)))
        return part

    def _bare(self, schema: Schema, opened: Any, facts: Facts) -> SparkTable:
        """Return a table of rows that are known here."""
        notes, told = self.notes, self.source_notes
        return SparkTable(schema, opened, len(facts.hashes), notes, told, self.unit, _facts=facts)

    def split(self, rows: NDArray[np.int64], weights: NDArray[np.int64]) -> SparkTable:
        """Return rows in pieces, see contracts.Table: Spark keeps what it keeps, and pieces are known
        here.
        """
        part = self._bare(self.schema, self.opened, self.facts.take(rows)._replace(weights=weights))
        part.origin, part._single, part.keys = self, self._one_of_each(), part.facts.hashes
        return part

    def without(self, names: Sequence[str]) -> SparkTable:
        """Return the table as if some columns were not there, its rows in the same order."""
        left = tuple(c for c in self.schema.columns if c.name not in names)
        schema = replace(self.schema, columns=left)
        blocks = self.opened.map(Recoded(self.schema, schema))
        notes, told = self.notes, self.source_notes
        return SparkTable(schema, blocks, self.rows, notes, told, self.unit, origin=self)

    def _sent(self, values: Any) -> Any:
        return self.opened.context.broadcast(values)

    def _one_of_each(self) -> Any:
        """Return packed blocks with one row of each content that stands for several, kept by Spark."""
        if self._single is None:
            self._single = keep(self._singled(repeated_keys(self.facts, self.unit)))
        return self._single

    def _one_of(self, keys: Hashes) -> Any:
        """Return packed blocks with one row of each of some contents, and perhaps of others."""
        if np.isin(keys, repeated_keys(self.facts, self.unit)).all():
            return self._one_of_each()
        return self._singled(keys)  # rows that get heavier than they are

    def _singled(self, keys: Hashes) -> Any:
        there = self.opened.mapPartitions(OneOfEach(self.schema, self._sent(keys), PARTS))
        return there.partitionBy(PARTS).mapPartitions(Once(self.schema))

    def holds(self, row_bytes: int) -> bool:
        """What comes here of a row is some bytes, and nobody set a bound."""
        return True

    def answers(self, work: Callable[[Block], NDArray[np.float64]]) -> Iterator[NDArray[np.float64]]:
        """Yield work(block) of all rows, in the order of `facts`: equal rows have equal answers."""
        yield self._asked(work)

    def _asked(self, work: Work) -> NDArray[Any]:
        """Return work(block) of all rows, in the order of `facts`."""
        blocks, part, keys = self._known(work)
        return answers_of(blocks, part, keys)

    def _known(self, work: Any) -> tuple[Any, AnsweredPart, Hashes]:
        """Return where the rows are, what is asked of them, and the hash by which each is known there."""
        origin = self.origin or self
        keys = origin.facts.hashes if self.keys is None else self.keys
        return origin.opened, AnsweredPart(self.chosen, origin.schema, self.schema, work), keys

    def near(self) -> Any:
        """Return the same rows in memory where they are few, in the order of `facts`; else this table."""
        each = sum(TEXT_CELLS if c.kind == "text" else 1 for c in self.schema.used) + 1
        if self.rows * each > NEAR_CELLS:
            return self
        block, facts = rows_of(*self._known(pack)), self.facts
        own = facts.classes, facts.response, facts.weights
        notes, told = self.notes, self.source_notes
        return TableHere(self.schema, block.columns, self.rows, notes, told, *own, self.unit)

    def dealer(self) -> Any:
        """Return who deals the rows where they are, by the workers: nothing of them comes here."""
        from tallystick.engines.spark.dealing import SparkDealer

        alike = self.unit == 1 and self.weight == self.printed.rows
        return SparkDealer(self, weighed=not alike)

    def column(self, name: str) -> Any:
        """Return a whole column, brought here in the order of `facts`: 1 to 8 bytes a row, or its words."""
        if self.schema[name].kind == "text":
            return rows_of(*self._known(pack)).columns[name]
        return self._asked(CellsOf(name))

    def ranks(self, name: str) -> Any:
        """Return codes[row] and distinct[code] of a numeric column, brought here."""
        return rank(self.column(name))

    def _here(self) -> NoReturn:
        raise OptionError(
            "this needs all rows in one place, and they are on Spark. Collect them: frame.toArrow()."
        )

    def with_classes(self, classes: NDArray[Any]) -> Any:
        """Rows have no numbers."""
        self._here()

    @property
    def kept(self) -> Any:
        """Rows have no numbers."""
        self._here()

    def slice(self, start: int, stop: int) -> Block:
        """Rows have no numbers."""
        self._here()

    def rank_all(self, threads: int | None = None) -> None:
        """Do nothing: ranks of all columns would be a table in memory."""

    def number_codes(self, name: str, most: int, bins: int) -> Any:
        """Whole columns are not to be had."""
        self._here()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # the session may be gone
            self.release()

    def release(self) -> None:
        """Let Spark forget the blocks; who asks again waits until they are made again."""
        self._drop_form()
        if self.chosen is not None:
            self.chosen.keys.unpersist()
        if self.origin is None or self._single is not self.origin._single:
            forget(self._single)
        forget(self.stored)
        forget(self.raw)


def keep(rdd: Any) -> Any:
    """Let Spark keep elements of bytes: in memory, and on disk where that is full. As they are: to pickle and
    compress them would cost more in every pass than it spares.
    """
    if isinstance(rdd, FrameRows):
        return rdd.kept()
    from pyspark import StorageLevel
    from pyspark.serializers import NoOpSerializer

    return rdd._reserialize(NoOpSerializer()).persist(StorageLevel.MEMORY_AND_DISK_DESER)


def walked(kept: Any) -> None:
    """Let Spark make all that it is to keep: then no second worker waits for it."""
    if not isinstance(kept, FrameRows):  # of those all is made
        kept._jrdd.count()


def forget(rdd: Any) -> None:
    """Let Spark forget what it keeps, once: a second time it would look for what is being removed."""
    if rdd is not None and rdd.is_cached:
        rdd.unpersist()


def unpacked(kept: Iterable[bytes]) -> Iterator[Block]:
    """Yield the blocks whose bytes were kept."""
    return map(unpack, kept)


class Formed:
    """Blocks in another form, packed; small ones are put together, since that form is asked for often."""

    def __init__(self, form: Callable[[Any], Block]) -> None:
        self.form = form

    def __call__(self, blocks: Iterable[Block]) -> Iterator[bytes]:
        """Yield the blocks in the form."""
        waiting: list[Block] = []
        for block in blocks:
            waiting.append(self.form(block))
            if sum(b.rows for b in waiting) >= BLOCK:
                yield pack(together(waiting))
                waiting = []
        if waiting:
            yield pack(together(waiting))
