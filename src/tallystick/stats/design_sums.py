"""Design matrix of logistic and linear regression, and the statistics that their solvers ask for.

- The design: `Design`, `products()`. Entry: `design_of()`. A numeric column is one dense column, and a second
  that is 1 where it is missing (if it was in training). A column of levels has a cell (0/1 parameter) per
  level, then one for missing and one for unseen; a boolean uses its second cell only. Products are dense
  columns named `a × b`. `with_response()` appends the response of a linear regression.
- Logistic regression: `RowFacts`, `LogisticSums` (loss, gradient, curvature), `NewtonSums`, `Sides` and
  `Meetings` (separated classes), `LeverageSums` (Jeffreys' prior). Linear: `ResponseFacts`, `ResidualSums`.

link = one linear score per class; parameters: constant, dense, cells; unit = the integer of a weight of 1.
Laws: the design depends on schema and options alone; totals are whole numbers, so no order changes a bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Statistic
from tallystick.errors import Argument, DataError, OptionError, counted, nearest, shown
from tallystick.kernels.linear import (
    Curvature,
    DenseColumns,
    Descent,
    Landing,
    NewtonPoint,
    Sums,
    TextColumn,
    Weighting,
)
from tallystick.parallel import FEW_ROWS, in_order
from tallystick.schema import CODED, Column, Schema
from tallystick.table.block import RowBlock as Rows

if TYPE_CHECKING:
    from tallystick.engine import Local
    from tallystick.linear.options import LinearOptions, LogisticOptions
    from tallystick.table.table import LocalTable


Array = NDArray[np.float64]
MEASURED = ("numeric", "boolean")
MOST_PRODUCTS = 20_000  # columns that interactions may add


@dataclass(frozen=True, slots=True)
class Factor:
    """One side of a product: a numeric column, or 1 where a coded column has this code and 0 elsewhere."""

    column: str
    name: str
    code: int | None
    low: float
    high: float

    def values(self, block: Block) -> Array:
        """Return the factor [row]; NaN where it is missing."""
        if self.code is None:
            return block.values(self.column)
        codes = block.codes(self.column)
        held: Array = (codes == self.code).astype(np.float64)
        return held


@dataclass(frozen=True, slots=True)
class Dense:
    """A column of doubles. `missing`: 1 where the factor is missing. Several factors: their product."""

    name: str
    factors: tuple[Factor, ...]
    missing: bool = False

    @property
    def column(self) -> str:
        """The column it is reported under; a product has none of its own."""
        return self.factors[0].column if len(self.factors) == 1 else ""

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the highest value it can have."""
        if self.missing:
            return 0.0, 1.0
        low, high = self.factors[0].low, self.factors[0].high
        for f in self.factors[1:]:
            ends = (low * f.low, low * f.high, high * f.low, high * f.high)
            low, high = min(ends), max(ends)
        return low, high

    def values(self, block: Block) -> Array:
        """Return the column [row]; NaN where it is missing."""
        out = self.factors[0].values(block)
        if self.missing:
            return np.isnan(out).astype(np.float64)
        for factor in self.factors[1:]:
            out = out * factor.values(block)
        return out


@dataclass(frozen=True, slots=True)
class CodedPart:
    """A column of codes: its cells start..start + levels + 1 are the levels, then missing, then unseen."""

    column: Column
    start: int

    @property
    def levels(self) -> int:
        """The number of levels."""
        return len(self.column.levels)


@dataclass(frozen=True)
class Design:
    """All parameters of one link: the constant, the dense columns, the cells, then the words of each text
    column.
    """

    dense: tuple[Dense, ...]
    coded: tuple[CodedPart, ...]
    texts: tuple[Column, ...]
    constant: bool = True  # whether there is one
    bases: tuple[tuple[str, int], ...] = ()  # columns with the code that others are compared with, as asked
    offset: int | None = None  # the dense column whose weight is 1

    @cached_property
    def cells(self) -> int:
        """The cells of all coded columns."""
        return sum(c.levels + 2 for c in self.coded)

    @cached_property
    def columns(self) -> tuple[tuple[str, bool], ...]:
        """The columns it reads but for texts, each with whether it is one of numbers."""
        read = {f.column: f.code is None for d in self.dense for f in d.factors}
        return tuple((read | {c.column.name: False for c in self.coded}).items())

    @property
    def size(self) -> int:
        """Parameters of one link without words."""
        return 1 + len(self.dense) + self.cells

    def cell(self, coded: CodedPart, code: int = 0) -> int:
        """Return the position of a cell among the parameters of a link."""
        return 1 + len(self.dense) + coded.start + code


def factors_of(column: Column) -> list[Factor]:
    """Return the factors of a column in a product: its number, or one per level."""
    if column.kind == "numeric":
        low, high = column.low or 0.0, column.high or 0.0
        return [Factor(column.name, column.name, None, low, high)]
    if column.kind == "boolean":
        return [Factor(column.name, column.name, 1, 0.0, 1.0)]
    if column.kind in CODED:
        return [Factor(column.name, f"{column.name} = {t}", i, 0.0, 1.0) for i, t in enumerate(column.levels)]
    return []


def products(columns: Sequence[Column], interactions: Any, polynomial: int) -> list[Dense]:
    """Return the products of pairs of columns, and the squares of numeric ones. interactions: 1 for none, 2
    for all, or pairs of names. polynomial: 2 for those of numbers and yes/no columns, which are 0 or 1 (and
    their own squares).
    """
    chosen = () if isinstance(interactions, int) else interactions
    out: list[Dense] = []
    if polynomial == 2 or chosen:
        for column in columns:
            if column.kind == "numeric" and (polynomial == 2 or (column.name, column.name) in chosen):
                (f,) = factors_of(column)
                out.append(Dense(f"{f.name} × {f.name}", (f, f)))
    if interactions != 1 or polynomial == 2:
        for a, b in combinations(columns, 2):
            wanted = interactions == 2 or (min(a.name, b.name), max(a.name, b.name)) in chosen
            if not wanted and not (polynomial == 2 and a.kind in MEASURED and b.kind in MEASURED):
                continue
            out += [Dense(f"{f.name} × {g.name}", (f, g)) for f in factors_of(a) for g in factors_of(b)]
    if polynomial == 2 and not out:
        raise OptionError(
            "polynomial=2 multiplies numbers and yes/no columns, and there are none to multiply in "
            f"{counted(len(columns), 'column')}. Use interactions=2 for products of levels."
        )
    if len(out) > MOST_PRODUCTS:
        raise OptionError(
            f"interactions=2 would make {len(out):,} products of columns; {MOST_PRODUCTS:,} are allowed. "
            "Leave out columns with many levels (",
            Argument("kinds", {"name": "out"}),
            ").",
        )
    return out


def design_of(schema: Schema, options: LogisticOptions | LinearOptions | None = None) -> Design:
    """Return the design of a table."""
    dense: list[Dense] = []
    coded: list[CodedPart] = []
    start = 0
    for column in schema.used:
        if column.kind == "numeric":
            (f,) = factors_of(column)
            dense.append(Dense(column.name, (f,)))
            if column.missing:
                dense.append(Dense(f"{column.name} is missing", (f,), missing=True))
        elif column.kind in CODED:
            coded.append(CodedPart(column, start))
            start += len(column.levels) + 2
    texts = tuple(c for c in schema.used if c.kind == "text")
    if options is None:
        return Design(tuple(dense), tuple(coded), texts)
    multiplied = [c for c in schema.used if c.name != options.offset]
    if not isinstance(options.interactions, int):
        refuse_pairs(schema, multiplied, options.interactions)
    at = None if options.offset is None else offset_at(schema, options.offset, dense)
    dense += products(multiplied, options.interactions, options.polynomial)
    bases = base_codes(schema, options.base_levels or {})
    return Design(tuple(dense), tuple(coded), texts, options.fit_intercept, bases, at)


def refuse_pairs(schema: Schema, columns: Sequence[Column], pairs: Sequence[tuple[str, str]]) -> None:
    """Refuse pairs of columns that have no product."""
    known = {c.name: c.kind for c in columns}
    for a, b in pairs:
        for name in (a, b):
            if name not in known:
                raise OptionError(
                    f"interactions names column {shown(name)}, which the model does not use."
                    f"{nearest(name, list(known))}"
                )
            if known[name] == "text":
                raise OptionError(f"interactions names {shown(name)}, which is text: it has no products.")
        if a == b and known[a] != "numeric":
            raise OptionError(f"interactions names {shown(a)} twice; only a number has a square.")


def offset_at(schema: Schema, name: str, dense: Sequence[Dense]) -> int:
    """Return which dense column is the offset."""
    used = {c.name: c for c in schema.used}
    if name not in used:
        raise OptionError(f"offset {shown(name)} is not a column of the model.{nearest(name, list(used))}")
    if used[name].kind != "numeric":
        raise OptionError(f"offset {shown(name)} is {used[name].kind}. An offset is a column of numbers.")
    if used[name].missing:
        raise DataError(
            f"offset {shown(name)} is missing in {counted(used[name].missing, 'row')}. Give each a number."
        )
    if len(schema.predicted.labels) > 2:
        labels = len(schema.predicted.labels)
        raise OptionError(f"offset {shown(name)} is for two classes, and there are {labels}.")
    return next(j for j, d in enumerate(dense) if d.column == name)


def base_codes(schema: Schema, given: Mapping[str, str]) -> tuple[tuple[str, int], ...]:
    """Return columns with the code of the level that others are to be compared with."""
    known = {c.name: c for c in schema.used if c.kind in CODED and c.kind != "boolean"}
    out = []
    for name, level in given.items():
        if name not in known:
            raise OptionError(
                f"base_levels names {shown(name)}, not a column of levels.{nearest(name, list(known))}"
            )
        levels = known[name].levels
        if level not in levels:
            raise OptionError(
                f"base_levels has {shown(level)} for column {shown(name)}, which has no such level."
                f"{nearest(level, levels)}"
            )
        out.append((name, levels.index(level)))
    return tuple(sorted(out))


# ---- the design of a linear regression: the response is one more dense column ----
# So the second-order sums hold all that least squares need: columns by columns, and columns by response.


@dataclass(frozen=True, slots=True)
class ResponseFactor(Factor):
    """The response, where a design has it beside the columns."""

    def values(self, block: Block) -> Array:
        """Return the response [row]."""
        assert block.response is not None
        return block.response


def with_response(design: Design, low: float, high: float) -> Design:
    """Return the design with the response, from `low` to `high`, as its last dense column."""
    response = ResponseFactor("", "", None, low, high)
    return replace(design, dense=(*design.dense, Dense("", (response,))))


def response_at(design: Design) -> int:
    """Return the index of the response among the parameters of `with_response(design, ...)`."""
    return 1 + len(design.dense)


# ---- sums of logistic regression: rows per class and word; loss, gradient, curvature at given weights ----

Whole = NDArray[np.int64]


@dataclass
class RowTotals:
    """classes[class]: rows in units of 1 / unit; heaviest: the largest weight; words[text][word]: rows with
    the word; most[text]: the largest count of a word in a row.
    """

    classes: Whole
    heaviest: Whole
    words: list[Whole]
    most: list[Whole]


@dataclass(frozen=True, slots=True)
class RowFacts(Statistic[RowTotals]):
    """Ask how many rows there are per class, and per word."""

    design: Design
    classes: int

    def zero(self) -> RowTotals:
        words = [np.zeros(len(t.words) + 1, np.int64) for t in self.design.texts]
        most = [np.zeros(1, np.int64) for _ in self.design.texts]
        return RowTotals(np.zeros(self.classes, np.int64), np.zeros(1, np.int64), words, most)

    def add(self, total: RowTotals, block: Block) -> RowTotals:
        assert block.classes is not None
        kernels.count_classes(block.classes, self.classes, block.weights, total.classes)
        top = 1 if block.weights is None else int(block.weights.max(initial=0))
        total.heaviest[0] = max(int(total.heaviest[0]), top)
        for text, rows, most in zip(self.design.texts, total.words, total.most, strict=True):
            kernels.word_rows(*block.words(text.name), block.weights, rows, most)
        return total

    def merge(self, total: RowTotals, other: RowTotals) -> RowTotals:
        total.classes += other.classes
        np.maximum(total.heaviest, other.heaviest, out=total.heaviest)
        for a, b in zip(total.words, other.words, strict=True):
            a += b
        for a, b in zip(total.most, other.most, strict=True):
            np.maximum(a, b, out=a)
        return total


@dataclass(frozen=True, slots=True)
class TextWeights:
    """How the words of a text column count: tf[count] * idf[word], rows of length 1 when `unit`; scaled to
    at most 1.
    """

    idf: Array
    tf: Array
    unit: bool
    scale: float
    theta: Array  # [words, link]


@dataclass(frozen=True, slots=True)
class Copies:
    """How weights enter the sums: as copies of the row (`whole`), else as the factor weight / unit /
    heaviest, which is at most 1; by_class: a factor per class.
    """

    whole: bool = True
    unit: int = 1
    heaviest: float = 1.0
    by_class: Array | None = None

    def of(self, weights: Whole | None) -> Weighting:
        """Return the weights of rows as the kernel takes them."""
        if weights is None:
            return Weighting(None, None, self.by_class)
        if self.whole:
            return Weighting(weights, None, self.by_class)
        return Weighting(None, weights / (self.unit * self.heaviest), self.by_class)


@dataclass
class Total:
    """Sums, and words[text][word, link]: the gradient of word weights."""

    sums: Sums
    words: list[Whole]


@dataclass(frozen=True, slots=True)
class Laid:
    """The rows of a block as kernels take them, by a design; `every`: one row in so many."""

    design: Design
    every: int
    columns: DenseColumns
    classes: NDArray[Any]
    weights: Whole | None


def laid_out(design: Design, block: Block, every: int) -> Laid:
    """Return the columns of a block; a fit asks the same rows many times, so the block remembers the last."""
    memo = block.memo
    known = memo.get(f"logistic {every}")
    if known is not None and known.design is design:
        return known  # type: ignore[no-any-return]
    values = [c.values(block) for c in design.dense]
    codes = [block.codes(c.column.name) for c in design.coded]
    columns = DenseColumns(values, codes, [c.start for c in design.coded])
    classes = np.zeros(block.rows, np.uint8) if block.classes is None else block.classes
    weights = block.weights
    if every > 1:
        rows, values = kernels.sample_rows(columns, block.rows, every)
        columns = DenseColumns(values, [c[rows] for c in codes], columns.starts)
        classes, weights = classes[rows], None if weights is None else weights[rows]
    laid = Laid(design, every, columns, classes, weights)
    memo[f"logistic {every}"] = laid
    return laid


@dataclass(frozen=True, slots=True)
class Sampled:
    """About one row in `every`, chosen by its content, as blocks of their own; never with texts."""

    design: Design
    every: int

    def __call__(self, block: Block) -> Rows:
        """Return the chosen rows of a block."""
        assert block.classes is not None
        rows, _ = kernels.sample_rows(laid_out(self.design, block, 1).columns, block.rows, self.every)
        parts = [block.values(n) if number else block.codes(n) for n, number in self.design.columns]
        columns = {name: cells[rows] for (name, _), cells in zip(self.design.columns, parts, strict=True)}
        weights = None if block.weights is None else block.weights[rows]
        return Rows(len(rows), columns, block.classes[rows], None, weights)


def text_of(block: Block, name: str, weights: TextWeights, gradient: Whole) -> TextColumn:
    """Return a text column as kernels take it; the block remembers the words' values while a fit lasts."""
    plain = TextColumn(
        *block.words(name), weights.idf, weights.tf, weights.unit, weights.scale, weights.theta, gradient
    )
    memo = block.memo
    idf, values = memo.get(f"words of {name}", (None, None))
    if idf is not weights.idf:
        values = kernels.word_values(plain)
        memo[f"words of {name}"] = weights.idf, values
    return replace(plain, values=values)


MANY = 1 << 20  # words of all rows times links, from which several threads are faster than one


@dataclass(frozen=True, slots=True)
class LogisticSums(Statistic[Total]):
    """Ask for loss, gradient and curvature at theta[parameter, link].

    Whole numbers in units of 2^-bits; y = (x - scaling[0]) * scaling[1] must have |y| <= 1.
    """

    design: Design
    scaling: Array
    theta: Array
    bits: int
    copies: Copies = field(default_factory=Copies)
    curvature: Curvature = Curvature.NONE
    texts: tuple[TextWeights, ...] = ()
    every: int = 1  # about one row in so many takes part, chosen by its content; never with texts

    def prepared(self) -> tuple[Sampled, LogisticSums] | None:
        """Return the part of the rows that is asked for, and the same question of that part."""
        return (Sampled(self.design, self.every), replace(self, every=1)) if self.every > 1 else None

    def zero(self) -> Total:
        d, links = self.design, self.theta.shape[1]
        sums = kernels.new_sums(len(d.dense), d.cells, links, self.curvature, len(d.texts))
        return Total(sums, [np.zeros(t.theta.shape, np.int64) for t in self.texts])

    def add(self, total: Total, block: Block) -> Total:
        laid = laid_out(self.design, block, self.every)
        columns = laid.columns
        if self.texts:
            texts = [
                text_of(block, c.name, t, g)
                for c, t, g in zip(self.design.texts, self.texts, total.words, strict=True)
            ]
            columns = DenseColumns(columns.values, columns.codes, columns.starts, texts)
        kernels.logistic_sums(
            columns,
            self.scaling,
            laid.classes,
            self.copies.of(laid.weights),
            self.theta,
            self.bits,
            self.curvature,
            total.sums,
        )
        return total

    def merge(self, total: Total, other: Total) -> Total:
        a, b = total.sums, other.sums
        for x, y in zip(
            (a.loss, a.gradient, a.squares, *total.words),
            (b.loss, b.gradient, b.squares, *other.words),
            strict=True,
        ):
            x += y
        return total

    def solve(self, table: LocalTable, engine: Local) -> Total | None:
        """Let threads take as many words each, where an engine would leave few long rows to one; None where
        there are no words, or rows enough to share out.
        """
        threads = engine.cores
        if not self.texts or threads == 1 or table.budget or table.rows > FEW_ROWS:
            return None
        whole = next(iter(table.blocks()))
        ends = np.sum([whole.words(text.name)[0] for text in self.design.texts], axis=0)
        if int(ends[-1]) * self.theta.shape[1] < MANY:
            return None
        if "long rows" not in whole.memo:
            wanted = np.arange(1, threads) * int(ends[-1]) // threads
            cuts = [0, *np.searchsorted(ends, wanted).tolist(), table.rows]
            whole.memo["long rows"] = [table.slice(a, b) for a, b in pairwise(cuts) if a < b]

        def one(part: Block) -> Total:
            return self.add(self.zero(), part)

        total, *others = in_order([partial(one, part) for part in whole.memo["long rows"]], threads)
        for other in others:
            total = self.merge(total, other)
        return total


@dataclass(frozen=True, slots=True)
class NewtonSums(Statistic[Total]):
    """Ask for loss, gradient and curvature at the next point of Newton's method; an engine with all rows at
    hand may go on to the end of the way instead, and answer with the `Landing`.

    w: the weights one begins with; begun: the point there, when it is known, with the step to the question's
    own weights. Law: a landing is what asking point by point comes to, bit for bit.
    """

    question: LogisticSums
    descent: Descent
    w: Array
    begun: NewtonPoint | None = None

    def zero(self) -> Total:
        return self.question.zero()

    def add(self, total: Total, block: Block) -> Total:
        return self.question.add(total, block)

    def merge(self, total: Total, other: Total) -> Total:
        return self.question.merge(total, other)

    def solve(self, table: LocalTable, engine: Local) -> Total | Landing:
        """Go all the way in one call where all rows are one block, and return the landing; of more blocks
        the total.
        """
        blocks, q = list(table.blocks()), self.question
        if len(blocks) != 1:
            total = self.zero()
            for block in blocks:
                total = self.add(total, block)
            return total
        laid = laid_out(q.design, blocks[0], 1)
        return kernels.newton(
            laid.columns,
            q.scaling,
            laid.classes,
            q.copies.of(laid.weights),
            q.theta.copy(),
            q.bits,
            self.descent,
            (self.w, self.begun),
        )


@dataclass(frozen=True, slots=True)
class Sides(Statistic[tuple[Array, Array]]):
    """Ask for the range of scores of each class along directions theta[parameter, link].

    Total [direction, pair, 4]: least and highest score of the first class of the pair minus the second,
    over rows of the first, then of the second; pairs (1, 0), (2, 0), (2, 1), ... And [direction, 2]: the
    least and the highest margin of a row's own class over the best other.
    """

    design: Design
    scaling: Array
    directions: tuple[Array, ...]
    classes: int

    def zero(self) -> tuple[Array, Array]:
        pairs, k = self.classes * (self.classes - 1) // 2, len(self.directions)
        sides, margins = np.empty((k, pairs, 4)), np.empty((k, 2))
        sides[..., 0::2], sides[..., 1::2] = np.inf, -np.inf
        margins[:, 0], margins[:, 1] = np.inf, -np.inf
        return sides, margins

    def add(self, total: tuple[Array, Array], block: Block) -> tuple[Array, Array]:
        assert block.classes is not None
        sides, margins = total
        columns = laid_out(self.design, block, 1).columns
        thetas = np.stack(self.directions)
        kernels.add_sides(columns, self.scaling, block.classes, block.weights, thetas, sides, margins)
        return total

    def merge(self, total: tuple[Array, Array], other: tuple[Array, Array]) -> tuple[Array, Array]:
        """Take the outer ends of two totals."""
        for a, b in zip(total, other, strict=True):
            np.minimum(a[..., 0::2], b[..., 0::2], out=a[..., 0::2])
            np.maximum(a[..., 1::2], b[..., 1::2], out=a[..., 1::2])
        return total


@dataclass(frozen=True, slots=True)
class Meetings(Statistic[list[NDArray[np.bool_]]]):
    """Ask which classes occur with each cell, missing number and word.

    Total: met[parameter, class] of the constant, of columns that are 1 where a number is missing, and of
    cells; there[dense, class] of the rows where that number is not missing; words[text][word, class].
    """

    design: Design
    classes: int

    def zero(self) -> list[NDArray[np.bool_]]:
        d = self.design
        sizes = [d.size, len(d.dense), *(len(t.words) + 1 for t in d.texts)]
        return [np.zeros((size, self.classes), np.bool_) for size in sizes]

    def add(self, total: list[NDArray[np.bool_]], block: Block) -> list[NDArray[np.bool_]]:
        assert block.classes is not None
        met, there, *words = total
        d, classes = self.design, np.asarray(block.classes)
        counts = np.ones(len(classes), np.bool_) if block.weights is None else block.weights > 0
        met[0, classes[counts]] = True
        for j, column in enumerate(d.dense):
            if column.missing:
                gone = column.values(block) > 0
                met[1 + j, classes[counts & gone]] = True
                there[j, classes[counts & ~gone]] = True
        for coded in d.coded:
            codes = block.codes(coded.column.name)[counts].astype(np.int64)
            met[d.cell(coded) + codes, classes[counts]] = True
        for text, table in zip(d.texts, words, strict=True):
            starts, word, _ = block.words(text.name)
            row = np.repeat(np.arange(len(classes)), np.diff(starts))
            kept = counts[row]
            table[word[kept], classes[row[kept]]] = True
        return total

    def merge(
        self, total: list[NDArray[np.bool_]], other: list[NDArray[np.bool_]]
    ) -> list[NDArray[np.bool_]]:
        """Join two totals."""
        for a, b in zip(total, other, strict=True):
            a |= b
        return total


# ---- gradient of Jeffreys' prior (Firth), two classes: sum of leverage * (1/2 - share) * column ----

ROWS = 4_096  # rows of the dense matrix that is built at a time


@dataclass(frozen=True, slots=True)
class LeverageSums(Statistic[Whole]):
    """Ask for the pull at theta[parameter]; inverse[free, free]: of the curvature by the columns as the rows
    are laid out, |y| <= 1; at[free]: their parameters. Whole numbers in units of 2^-bits.
    """

    design: Design
    scaling: Array
    theta: Array
    at: Whole
    inverse: Array
    bits: int
    copies: Copies

    def zero(self) -> Whole:
        return np.zeros(len(self.at), np.int64)

    def add(self, total: Whole, block: Block) -> Whole:
        laid = laid_out(self.design, block, 1)
        weighting = self.copies.of(laid.weights)
        for start in range(0, block.rows, ROWS):
            rows = slice(start, min(start + ROWS, block.rows))
            total += self._pull(laid, rows, weighting)
        return total

    def merge(self, total: Whole, other: Whole) -> Whole:
        total += other
        return total

    def _pull(self, laid: Laid, rows: slice, weighting: Weighting) -> Whole:
        wanted = np.flatnonzero((self.theta != 0) | np.isin(np.arange(len(self.theta)), self.at))
        every = np.stack([self._column(laid, int(j), rows) for j in wanted], axis=1)
        score = kernels.product(every, np.ascontiguousarray(self.theta[wanted][:, None]))[:, 0]
        share = kernels.softmax(np.stack([np.zeros(len(score)), score], axis=1))[:, 1]
        y = np.ascontiguousarray(every[:, np.searchsorted(wanted, self.at)])
        by_inverse = kernels.product(y, self.inverse)
        quadratic = np.zeros(len(y))
        for j in range(y.shape[1]):  # one column after the other: the same bits everywhere
            quadratic += by_inverse[:, j] * y[:, j]
        factor = np.ones(len(y)) if weighting.row_factor is None else weighting.row_factor[rows]
        if weighting.class_factor is not None:
            factor = factor * weighting.class_factor[np.asarray(laid.classes[rows])]
        leverage = np.minimum(factor * share * (1.0 - share) * quadratic, 1.0)
        terms = np.rint((leverage * (0.5 - share))[:, None] * y * 2.0**self.bits).astype(np.int64)
        if weighting.copies is not None:
            terms *= weighting.copies[rows, None]
        out: Whole = terms.sum(axis=0)
        return out

    def _column(self, laid: Laid, parameter: int, rows: slice) -> Array:
        """Return a column of the design [row], brought to |y| <= 1; 0 where a number is missing."""
        dense = len(self.design.dense)
        if parameter == 0:
            return np.ones(rows.stop - rows.start)
        if parameter <= dense:
            j = parameter - 1
            y = (laid.columns.values[j][rows] - self.scaling[0, j]) * self.scaling[1, j]
            out: Array = np.nan_to_num(y, nan=0.0)
            return out
        i = next(k for k in range(len(self.design.coded) - 1, -1, -1) if self._start(k) <= parameter)
        held: Array = (laid.columns.codes[i][rows] == parameter - self._start(i)).astype(np.float64)
        return held

    def _start(self, coded: int) -> int:
        return self.design.cell(self.design.coded[coded])


# ---- sums of least squares: the range of the response, and columns by residuals at given weights ----


@dataclass
class ResponseTotals:
    """weight[0]: of all rows, in units of 1 / unit; heaviest[0]: the largest; ends: of the response."""

    weight: NDArray[np.int64]
    heaviest: NDArray[np.int64]
    ends: Array


@dataclass(frozen=True, slots=True)
class ResponseFacts(Statistic[ResponseTotals]):
    """Ask for the weight of the rows and the range of their response."""

    def zero(self) -> ResponseTotals:
        return ResponseTotals(np.zeros(1, np.int64), np.zeros(1, np.int64), np.array([np.inf, -np.inf]))

    def add(self, total: ResponseTotals, block: Block) -> ResponseTotals:
        """Add the rows of one block; a row of weight 0 is none."""
        assert block.response is not None
        response, weights = block.response, block.weights
        if weights is not None:
            response = response[weights > 0]
        total.weight += len(response) if weights is None else int(weights.sum())
        top = 1 if weights is None else int(weights.max(initial=0))
        total.heaviest[0] = max(int(total.heaviest[0]), top)
        total.ends[0] = min(total.ends[0], response.min(initial=np.inf))
        total.ends[1] = max(total.ends[1], response.max(initial=-np.inf))
        return total

    def merge(self, total: ResponseTotals, other: ResponseTotals) -> ResponseTotals:
        total.weight += other.weight
        np.maximum(total.heaviest, other.heaviest, out=total.heaviest)
        total.ends[0] = min(total.ends[0], other.ends[0])
        total.ends[1] = max(total.ends[1], other.ends[1])
        return total


@dataclass(frozen=True, slots=True)
class ResidualSums(Statistic[Sums]):
    """Ask for the sums of residual times column, at theta[parameter, 1] of the design without the response.

    design: with the response as its last dense column; scaling brings all of them to |y| <= 1. A residual is
    response * y - score over `bound`, which no residual passes; response 0 asks for the scores themselves.
    The sums lie in `squares[0]` of the total [parameter], in units of 2^-bits: the residual stands in the
    response's place, so that its own sum is that of the squares.
    """

    design: Design
    scaling: Array
    theta: Array
    response: float
    bound: float
    bits: int
    copies: Copies

    def zero(self) -> Sums:
        d = self.design
        return kernels.new_sums(len(d.dense), d.cells, 1, Curvature.DIAGONAL)

    def add(self, total: Sums, block: Block) -> Sums:
        laid = laid_out(self.design, block, 1)
        *values, truth = laid.columns.values
        known = DenseColumns(values, laid.columns.codes, laid.columns.starts)
        rows = len(laid.classes)
        scores = kernels.linear_scores(known, rows, self.scaling[:, :-1].copy(), self.theta)[:, 1]
        y = (truth - self.scaling[0, -1]) * self.scaling[1, -1]
        residual = (self.response * y - scores) / self.bound
        columns = DenseColumns([*values, residual], known.codes, known.starts)
        scaling = self.scaling.copy()
        scaling[:, -1] = 0.0, 1.0
        given = self.copies.of(laid.weights)
        factor = residual if given.row_factor is None else residual * given.row_factor
        none = np.zeros((self.design.size, 1))
        weighting = Weighting(given.copies, factor, None)
        kernels.logistic_sums(
            columns, scaling, laid.classes, weighting, none, self.bits, Curvature.DIAGONAL, total
        )
        return total

    def merge(self, total: Sums, other: Sums) -> Sums:
        for x, y in zip(
            (total.loss, total.gradient, total.squares),
            (other.loss, other.gradient, other.squares),
            strict=True,
        ):
            x += y
        return total

    def at(self, theta: Array, bound: float) -> ResidualSums:
        """Return the same question at other weights."""
        return replace(self, theta=theta, bound=bound)
