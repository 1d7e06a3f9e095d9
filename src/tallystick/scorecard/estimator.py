"""`Scorecard`: whole points per line of each column, learnt together, added up with a pencil."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block, Engine, Model, Table
from tallystick.draw.svg import Picture
from tallystick.errors import OptionError, nearest, shown, some
from tallystick.estimator.classifier import Classifier
from tallystick.estimator.rows import refuse_unknown
from tallystick.model.decision import class_number
from tallystick.model.file import is_whole, plain
from tallystick.schema import ColumnOptions, Columns, Note, Schema
from tallystick.scorecard.explain import MOST_REASONS
from tallystick.scorecard.model import KIND, ScorecardModel
from tallystick.scorecard.options import ScorecardOptions

if TYPE_CHECKING:
    from tallystick.scorecard.card import Card
    from tallystick.scorecard.explain import BesideNaiveBayes, ReasonCode, Reference


STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # of l2="cv"


@dataclass(frozen=True)
class OwnLogShares:
    """The logarithms of the shares that a model gives to the rows' own classes; sent to where rows are."""

    model: ScorecardModel

    def __call__(self, block: Block) -> NDArray[np.float64]:
        """Return log share[row]."""
        assert block.classes is not None
        out: NDArray[np.float64] = self.model.log_shares(block)[np.arange(block.rows), block.classes]
        return out


class Scorecard(Classifier):
    """A card of whole points: ranges and levels of every column, learnt together, added up by hand.

    Parameters
    ----------
    points_to_double : int, default 20
        How many points double the odds.
    ranges : int, default 32
        The most ranges that a number is cut into before those that say the same are joined.
    cuts : dict, default None
        Where the ranges of a column begin, by column: {"age": [25, 40, 60]}.
    monotone : dict, default None
        Columns whose points only rise or only fall: {"income": "falling"}; of more than two classes those
        of one class against every other, so that its probability does: {"income": {"gold": "rising"}}. They
        are in no pair.
    pairs : int, default None
        The most pairs of columns; None takes those that the rows pay for, at most 10; 0 takes none.
    max_lines : int, default None
        The most lines of a column, a line for missing values not counted.
    max_columns : int, default None
        The most columns on the card, those that say most.
    l2 : float, "auto" or "cv", default "auto"
        How strongly points are held towards 0: "auto" finds it for each column from the rows, "cv" one for
        all columns by cross-validation, a number is given.
    class_weight : dict or "balanced", default None
        What a row of each class counts: {label: weight}.
    population : dict, default None
        The shares of the classes where the card will be used: {"good": 0.97, "bad": 0.03}.
    min_letters : int, default 1
        How many characters a word must have to be known.
    columns : ts.Columns, default None
        What you know of the columns: kinds, levels, marks of missing values, columns to keep.
    kinds : dict, default None
        Short for `columns=ts.Columns(kinds=...)`.
    engine : ts.Local, ts.Spark or ts.Sql, default None
        Who sums the rows; None is this machine. It changes no model.
    threads, memory : int; int or str, default None
        Short for `engine=ts.Local(threads=..., memory=...)`: all cores, and all rows in memory.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"dose": n, "cured": n > 4} for n in range(10)] * 3
    >>> model = ts.Scorecard().fit(rows, "cured")
    >>> model.predict([{"dose": 9}]).tolist()
    [True]
    """

    _kind = KIND
    model_: ScorecardModel

    def __init__(
        self,
        *,
        points_to_double: int = 20,
        ranges: int = 32,
        cuts: Mapping[str, Sequence[float]] | None = None,
        monotone: Mapping[str, str | Mapping[Any, str]] | None = None,
        pairs: int | None = None,
        max_lines: int | None = None,
        max_columns: int | None = None,
        l2: float | str = "auto",
        class_weight: str | Mapping[Any, float] | None = None,
        population: Mapping[Any, float] | None = None,
        min_letters: int = 1,
        columns: Columns | None = None,
        kinds: Mapping[str, str] | None = None,
        engine: Engine | None = None,
        threads: int | None = None,
        memory: int | str | None = None,
    ) -> None:
        self.points_to_double = points_to_double
        self.ranges = ranges
        self.cuts = cuts
        self.monotone = monotone
        self.pairs = pairs
        self.max_lines = max_lines
        self.max_columns = max_columns
        self.l2 = l2
        self.class_weight = class_weight
        self.population = population
        self.min_letters = min_letters
        self.columns = columns
        self.kinds = kinds
        self.engine = engine
        self.threads = threads
        self.memory = memory

    def _options(self) -> ScorecardOptions:
        return ScorecardOptions.of(self)

    def _wishes(self) -> ColumnOptions:
        return replace(super()._wishes(), min_letters=plain(self.min_letters), by_columns=True)

    def _read(self, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        """Return the encoded table that is learnt from."""
        table = super()._read(X, y, sample_weight)
        for name in ("class_weight", "population"):
            given = getattr(self, name)
            if isinstance(given, Mapping) and table.schema.target is not None:
                refuse_unknown(name, given, table.schema.target)
        return table

    def _learn(self, table: Table, engine: Engine) -> tuple[Model, tuple[Note, ...]]:
        from tallystick.engine import fit
        from tallystick.scorecard.learner import ScorecardLearner

        options = self._options()
        notes: list[Note] = []
        learner = ScorecardLearner(
            options, table.unit, notes=notes, threads=self._local().threads, budget=table.budget
        )
        if options.l2 == "cv":
            best = self._chosen_strength(table, engine, options)
            said = f"l2 = {best:g} had the lowest loss in 5-fold cross-validation."
            notes.append(Note("prior-chosen", said))
            learner = replace(learner, chosen=best)
        return fit(learner, table, engine), tuple(notes)

    def _chosen_strength(self, table: Table, engine: Engine, options: ScorecardOptions) -> float:
        """Return the strength of the least loss in five folds; of equals the first."""
        from tallystick.engine import fit
        from tallystick.judge.answers import RowSums
        from tallystick.judge.folds import halves
        from tallystick.scorecard.learner import ScorecardLearner
        from tallystick.stats import exact

        losses = {strength: exact.digits(np.zeros(0)) for strength in STRENGTHS}
        for training, tested in halves(table, 5):
            for strength, own in losses.items():
                fixed = replace(options, l2=strength)
                model = fit(ScorecardLearner(fixed, table.unit, budget=table.budget), training, engine)
                asked = RowSums(OwnLogShares(model))  # summed where the rows are
                losses[strength] = exact.joined(own, engine.total(tested, asked))
        return max(STRENGTHS, key=lambda s: exact.nearest(losses[s]))  # exact, so in any order of rows

    def _restore(self, document: Mapping[str, Any]) -> None:
        self._set_stored(document["parameters"])
        schema = Schema.from_dict(document["schema"])
        rows = dict(document["rows"])
        model = ScorecardModel.from_dict(document["model"], schema, self._options(), rows["unit"])
        self._adopt(model, tuple(Note(**n) for n in document["notes"]), rows)
        self._set_columns(list(schema.given), named=True)

    @property
    def card_(self) -> Card:
        """The card: every column with its lines, points, training rows and class shares."""
        from tallystick.scorecard.card import card_of

        self._check_fitted()
        return card_of(self.model_)

    def reasons(
        self,
        X: Any,
        most: int = MOST_REASONS,
        against: str | Mapping[str, Any] = "best",
        label: Any = None,
        *,
        lenient: bool = False,
        missing_columns: str = "error",
    ) -> list[tuple[ReasonCode, ...]]:
        """Return reason codes: for each row the columns that cost it most points, in order and in words.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.
        most : int, default 4
            How many reasons a row has at most; only what costs points is one.
        against : {"best", "average"} or dict, default "best"
            What the points of a row are held against: the best line of every column, the average training
            row, or a row given as {column: value}; columns that it lacks are held against their best line.
            A text is held against itself without the words that cost it points.
        label : default None
            The class that points count towards. Unless given it is the class that the card's points speak
            for, the second of two, and of more than two the class that is answered.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        list of tuple of ReasonCode
            A tuple a row; a reason has `text`, `section`, `columns`, `line`, `points` and `to_dict`.
        """
        from tallystick.scorecard.explain import card_reasons as reasons

        held = self._reference(most, against)
        towards = None if label is None else class_number(self.schema_.predicted, label)
        found: list[tuple[ReasonCode, ...]] = []
        for matched in self._blocks(X, lenient=lenient, missing_columns=missing_columns):
            found += reasons(self.model_, matched.block, held, most, towards)
        return found

    def _reference(self, most: Any, against: Any) -> Reference:
        """Return what rows are held against, as a user asks for it."""
        from tallystick.scorecard.explain import average_reference, best_reference, row_reference

        self._check_fitted()
        if not is_whole(most) or most < 1:
            raise OptionError(f"most must be a whole number of at least 1, not {shown(most)}.")
        if isinstance(against, Mapping):
            names = [c.name for c in self.schema_.used]
            if strange := [n for n in against if n not in names]:
                text = str(strange[0])
                raise OptionError(f"against: the card has no column {shown(text)}.{nearest(text, names)}")
            block, _ = self._find_row(dict(against), 0, missing_columns="as-missing", warn=False)
            return row_reference(self.model_, block, set(against))
        if against not in ("best", "average"):
            raise OptionError(f"against must be 'best', 'average' or a dict of values, not {shown(against)}.")
        return best_reference(self.model_) if against == "best" else average_reference(self.model_)

    def _as_text(self) -> str:
        return str(self.card_)

    def picture(self, label: Any = None, against: Any = None) -> Picture:
        """Return the card as a picture: a step curve or bars per column, all on one axis of points, with the
        training rows under them, a heat map per pair, and the share that a sum means at the foot.

        Parameters
        ----------
        label : label, default None
            The class that points speak for; None is the last.
        against : label, default None
            The class it is compared with; None is the first other.

        Returns
        -------
        Picture
            SVG; `save` writes it.
        """
        from tallystick.scorecard.card import card_svg

        return Picture(card_svg(self.card_, self._way(label, against)))

    def nomogram(self, label: Any = None, against: Any = None) -> Picture:
        """Return the card as a nomogram: each column a line, each of its ranges or levels where its points
        lie.

        Parameters
        ----------
        label : label, default None
            The class that points speak for; None is the last.
        against : label, default None
            The class it is compared with; None is the first other.

        Returns
        -------
        Picture
            SVG; `save` writes it.
        """
        from tallystick.scorecard.card import card_nomogram

        return Picture(card_nomogram(self.card_, self._way(label, against)))

    def to_naive_bayes(self) -> Card:
        """Return the card that counting alone makes of the same lines: logarithms of the shares of each
        class's training rows, smoothed by a row, on the same scale; pairs are left out.

        Returns
        -------
        Card
            It prints as the card does.
        """
        from tallystick.scorecard.explain import counted_card

        self._check_fitted()
        return counted_card(self.model_)

    def beside_naive_bayes(self, label: Any = None, against: Any = None) -> BesideNaiveBayes:
        """Return both columns of points side by side: what counting alone says, and what learning together
        says; columns in which the two differ in sign are pointed out.

        Parameters
        ----------
        label : label, default None
            The class that points speak for; None is the last.
        against : label, default None
            The class it is compared with; None is the first other.

        Returns
        -------
        BesideNaiveBayes
            `columns` and `opposite` as data; it prints as tables.
        """
        from tallystick.scorecard.explain import beside

        way = self._way(label, against)
        return beside(self.model_, way)

    def _way(self, label: Any, against: Any) -> tuple[int, int]:
        """Return the numbers of the class that points speak for and of the one against it."""
        self._check_fitted()
        target = self.schema_.predicted
        c = class_number(target, label) if label is not None else len(target.labels) - 1
        d = class_number(target, against) if against is not None else (0 if c else 1)
        if c == d:
            raise OptionError(
                f"a picture of a card compares two classes, and both are {shown(target.labels[c])}. "
                f"The classes are {some(target.labels)}."
            )
        return c, d

    def _in_notebook(self) -> str:
        from tallystick.draw.svg import framed

        return framed(self.picture(), text=self._as_text())

    def _numbers(self) -> int:
        """Return how many lines a reader adds from: those that have points, and the base."""
        self._check_fitted()
        return self.model_.lines + self.model_.links


def guarded_card(estimator: Any, table: Table) -> Any:
    """Return the card, fitted again without pairs and with ever fewer lines where a line holds a single row;
    a line that still does, such as a value that one row alone lacks, has no points and no row.
    """

    def single(part: Any) -> NDArray[np.bool_]:
        rows = part.rows.sum(axis=1)
        return (rows > 0) & (rows <= unit)  # type: ignore[no-any-return]

    found, unit = estimator, estimator.model_.unit
    for more in ({"pairs": 0}, *({"pairs": 0, "max_lines": n} for n in (12, 6, 3, 2))):
        if not any(single(part).any() for part in found.model_.parts):
            return found
        least = min(more.get("max_lines", 10**6), estimator.max_lines or 10**6)
        wish = {"pairs": 0} | ({"max_lines": least} if "max_lines" in more else {})
        found = type(estimator)(**estimator.get_params(deep=False) | wish)._fit_table(table)
    out, parts = copy(found), []
    for part in found.model_.parts:
        empty = single(part)[:, None]
        parts.append(replace(part, points=part.points * ~empty, rows=part.rows * ~empty))
    out.model_ = replace(out.model_, parts=tuple(parts))
    return out
