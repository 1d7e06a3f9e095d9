"""The five parts and their laws: Source, Statistic, Engine, Learner, Model; and Table and Block between them.

    source  --encode-->  table of blocks  --engine.total(table, statistic)-->  total  --learner-->  model

A learner asks, an engine sums, the learner updates. Every room is written against this page, so that a new
engine or learner joins by keeping these laws and adding its name to `tests/engine/test_engine_contract.py` or
`tests/engine/test_learner_contract.py`. Sources, models and exports have a suite of the same kind. What
judging asks of a method is in `judge/run.py`.

block = encoded rows of a table; code = the integer of a level; total = the sums that answer a Statistic;
unit = the integer weight of a row of weight 1.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from tallystick.files import Stamp
from tallystick.schema import Note, Reading, Schema

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from tallystick.engine import Local
    from tallystick.table.table import LocalTable


T = TypeVar("T")
Fitted = TypeVar("Fitted", covariant=True, bound="Model")


class Load(Protocol):
    """Some rows of a source, not read yet. Any thread may call for them."""

    def __call__(self) -> pa.RecordBatch:
        """Return the rows, with exactly the columns of their source."""

    @property
    def counted(self) -> tuple[int, int] | None:
        """How many lines the rows take, and how many the source has, about; None: nobody counted them."""

    def plain(self) -> tuple[bytes | NDArray[np.uint8], str] | None:
        """Return UTF-8 text and its separator; None where that does not part all cells."""


class InMemory(Protocol):
    """The columns of a source as they lie in memory. Law: the cells are those of `batches()`."""

    @property
    def rows(self) -> int:
        """How many rows."""

    @property
    def matrix(self) -> NDArray[Any] | None:
        """The numbers [row, column], where all columns are numbers in one array."""

    @property
    def get(self) -> Callable[[int], pa.ChunkedArray]:
        """get(j): all cells of the column in that place."""


class Heading(Protocol):
    """What is known of rows before any is read."""

    @property
    def name(self) -> str:
        """What messages call it: "train.csv", "DataFrame"."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""

    @property
    def reading(self) -> Reading:
        """How texts are read: decimal sign, marks of missing cells, what becomes of bad rows."""

    @property
    def typed(self) -> bool:
        """Is text text for sure? In a CSV the text 1 is a number."""


class Source(Heading, Protocol):
    """Rows as they lie outside: a file, a frame, a matrix, a query. `io/source.py` has the defaults.

    Laws: `batches()` can be called again and gives the same rows. The order and the size of batches mean
    nothing. `pieces`, `within`, `streamed` and `each_row` change how rows come, never which; but for rows
    that cannot be read, which `each_row` keeps in their places.
    """

    @property
    def notes(self) -> tuple[Note, ...]:
        """How it was read, so far."""

    @property
    def form(self) -> str:
        """How a file is read, in words; nothing of anything else."""

    @property
    def needed(self) -> int:
        """Bytes of memory that the whole table takes, about; 0: not known, or taken already."""

    @property
    def stamps(self) -> tuple[Stamp, ...]:
        """The files as they were when they were opened: reading checks that they still are."""

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of all files behind it: no result is written over them."""

    @property
    def held(self) -> InMemory | None:
        """The columns as they lie in memory; None: rows can only be walked through."""

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows once, as Arrow record batches with exactly `columns`."""

    def pieces(self) -> Iterator[Load]:
        """Yield all rows once, each some of them that threads can read."""

    def within(self, size: int) -> Source:
        """Return the same rows in pieces of at most about so many bytes, where they can be had so."""

    def streamed(self) -> Source:
        """Return the same rows in small pieces, for a walk that keeps nothing of them."""

    def each_row(self) -> Source:
        """Return the same rows; one that cannot be read has empty cells and a reason (source/unread.py)."""


class Block(Protocol):
    """Some rows of a table, encoded. Arrays are views: nobody writes to them.

    codes(column)[row]: 0..k-1 are the k levels in schema order, k is missing, k+1 is unseen; 8, 16 or 32
    bits. values(column)[row]: float64, NaN is missing; may be strided.
    classes[row]: codes of the target's labels. weights[row]: whole multiples of 1/unit, None means 1 each.
    """

    @property
    def rows(self) -> int:
        """How many rows."""

    @property
    def classes(self) -> NDArray[Any] | None:
        """The target's codes, None when there is no target."""

    @property
    def response(self) -> NDArray[np.float64] | None:
        """The numeric target of a regression."""

    @property
    def weights(self) -> NDArray[np.int64] | None:
        """The rows' weights in units of the table."""

    @property
    def memo(self) -> dict[str, Any]:
        """What a statistic that asks the same rows many times keeps of them; no part of what they mean."""

    def codes(self, column: str) -> NDArray[Any]:
        """Return the codes of a levels, ordered or boolean column."""

    def values(self, column: str) -> NDArray[np.float64]:
        """Return the values of a numeric column."""

    def words(self, column: str) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint32]]:
        """Return the word counts of a text column as (starts[row + 1], word[entry], count[entry]).

        Words of one row are in rising order; the word number len(column.words) stands for all unseen words.
        """


class Table(Protocol):
    """A schema and blocks.

    Laws: the multiset of rows is all that blocks mean, not their order or size; every member says the same
    wherever the rows lie. Rows on this machine are a `LocalTable` (`table/table.py`), which has more: rows
    have numbers there. In a database `column`, `without` and `with_weights` are an OptionError.
    """

    @property
    def schema(self) -> Schema:
        """What the columns mean."""

    @property
    def rows(self) -> int:
        """How many rows."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was done to the rows."""

    @property
    def source_notes(self) -> tuple[Note, ...]:
        """How the source was read; no part of what the rows mean."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that the rows came from, where they are known."""

    @property
    def unit(self) -> int:
        """A weight of 1 is this many: 1, or 2**32 when some weight is not whole."""

    @property
    def weight(self) -> int:
        """The weights of all rows together, in units of the table."""

    @property
    def row_unit(self) -> int:
        """What a row weighs where rows are counted: 1 where weights are copies, else the mean weight."""

    @property
    def fingerprint(self) -> str:
        """128 bits of the multiset of rows, in hex."""

    @property
    def classes(self) -> NDArray[Any] | None:
        """The target's codes [row]; None without a target, and in regression."""

    @property
    def response(self) -> NDArray[np.float64] | None:
        """The numeric target of a regression [row]."""

    @property
    def weights(self) -> NDArray[np.int64] | None:
        """The weights [row] in units of the table; None: 1 each."""

    @property
    def budget(self) -> int:
        """Bytes of memory to work in; 0: nobody set a bound."""

    @property
    def engine(self) -> Engine | None:
        """Who sums over these rows; None: whoever is asked to."""

    def holds(self, row_bytes: int) -> bool:
        """Say whether the budget has room for so many bytes a row."""

    def local(self) -> LocalTable:
        """Return this table, whose rows lie on this machine and have numbers; elsewhere an OptionError."""

    def near(self) -> Table:
        """Return the rows in memory, in the order of `classes`, where they are far and few; else this."""

    def ranker(self) -> Any:
        """Return who puts rows that are far in the order of a column, by `ranked`; None: ask for `ranks`."""

    def blocks(self) -> Iterator[Block]:
        """Yield all rows once."""

    def answers(self, work: Callable[[Block], NDArray[np.float64]]) -> Iterator[NDArray[np.float64]]:
        """Yield work(block) of all rows where they lie, some at a time, in the order of `classes`."""

    def row_hashes(self) -> NDArray[np.uint64]:
        """Return hashes[row] of what the rows hold, target included, weights not."""

    def unlabelled(self, work: Callable[..., T]) -> Iterable[T]:
        """Return work(hashes[row] without the target, classes, weights) of parts; equal rows in one part."""

    def take(self, rows: NDArray[np.int64], schema: Schema | None = None) -> Table:
        """Return some rows as a table that knows nothing of the others, or coded by a schema."""

    def split(self, rows: NDArray[np.int64], weights: NDArray[np.int64]) -> Table:
        """Return rows in pieces: some of them more than once, each time with a part of its weight."""

    def without(self, names: Sequence[str]) -> Table:
        """Return the table as if some columns were not there."""

    def with_weights(self, weights: NDArray[np.int64]) -> Table:
        """Return the same rows, each with the weight given for it [row], in units of the table."""

    def column(self, name: str) -> Any:
        """Return a whole column: codes, values or words."""

    def release(self) -> None:
        """Let go what others keep for this table; who asks again waits until it is made again."""


class Statistic(Generic[T]):
    """A question about rows whose answer is a sum. Picklable, small, immutable. Derive from this.

    Laws, for any blocks a, b, c in any order and any cut of the rows into blocks, bit for bit:
    merge(x, y) == merge(y, x); merge(zero(), x) == x; merge is associative; add(x, a) == merge(x, add(zero(),
    a)). `add` and `merge` may reuse the memory of their first argument.
    """

    def zero(self) -> T:
        """Return the total of no rows."""
        raise NotImplementedError

    def add(self, total: T, block: Block) -> T:
        """Return the total with the rows of one more block."""
        raise NotImplementedError

    def merge(self, total: T, other: T) -> T:
        """Return the total of two sets of rows."""
        raise NotImplementedError

    def prepared(self) -> tuple[Callable[[Any], Any], Statistic[T]] | None:
        """Return form(block), a form of the rows that the same learner asks again and again, and the same
        question of such blocks: an engine may keep them. None: it is asked of the rows as they are.
        """
        return None

    def solve(self, table: LocalTable, engine: Local) -> Any:
        """Return a faster way's answer, where all rows are on this machine; None: rows are summed.

        Law: what a learner makes of it is what it makes of zero, add and merge, bit for bit.
        """
        return None


class Engine(Protocol):
    """Whoever sums a statistic over all blocks of a table. Law: the answer is the sum, whoever gives it."""

    def total(self, table: Table, question: Statistic[T]) -> T:
        """Return the question's total over the whole table."""


class Learner(Protocol[Fitted]):
    """Decisions on totals. It never sees a row. Law: the same totals give the same model."""

    def learn(self, schema: Schema) -> Generator[Statistic[Any], Any, Fitted]:
        """Yield each question and get its total back; return the fitted model."""


class Model(Protocol):
    """Fitted numbers and a schema: readable and portable, without data or engine.

    Laws: saved and loaded, it is the same model and predicts the same bits. Every answer that anybody gets
    is decide(shares(block)) or of rows that `shares_of_row` or `of_columns` answers with the same bits.
    """

    @property
    def kind(self) -> str:
        """The kind the model file names."""

    @property
    def schema(self) -> Schema:
        """What the columns mean."""

    @property
    def decision(self) -> Any:
        """How its shares become an answer, as the user set it (`model/decision.py`); None: as the method
        answers. It changes no share.
        """

    def to_dict(self) -> dict[str, Any]:
        """Return the part of the model file that is this model's own."""

    def shares(self, block: Block) -> NDArray[np.float64]:
        """Return P(class | row) [row, class]; a regression: the answers as [row, 0]."""

    def decide(self, shares: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class answered for shares[row, class]; of equals the first."""

    @property
    def shares_of_row(self) -> Callable[[Mapping[str, Any]], NDArray[np.float64] | None]:
        """shares_of_row(row): the shares [class] of a dict of cells, the bits of `shares`; None: a table must
        read it. `predict/row.py` makes it.
        """

    def of_columns(
        self, columns: Sequence[NDArray[Any]], rows: int, best: bool = False
    ) -> NDArray[Any] | None:
        """Return the shares of rows given as columns of numbers, all of the schema in its order, the bits of
        `shares`; best: what `decide` answers for them, maybe without making them. None: a table must read
        the rows.
        """

    def log_shares(self, block: Block) -> NDArray[np.float64]:
        """Return the logarithm of `shares`, also where a share is too small for a number."""
