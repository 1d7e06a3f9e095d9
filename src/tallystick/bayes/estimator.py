"""The estimator `NaiveBayes`, jackknife intervals of its probabilities, its printed text and nomogram scales.

1. Intervals: `BayesInference`, made by `infer()` from models that each lack one part of the rows.
2. The fitted model as text: `naive_bayes_text()`.
3. Scales of a nomogram: what each value of a column adds to the log-odds (`_scale`).
4. Entry: `NaiveBayes`.

vote = the log-odds that a value adds for a class against the others.
Law: the same rows in any order give the same intervals.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from tallystick.bayes.explain import SHARE_ZERO, shares, votes
from tallystick.bayes.folds import fold_models, holds_values
from tallystick.bayes.learner import NaiveBayesLearner, question
from tallystick.bayes.model import KIND, BayesPart, Counted, NaiveBayesModel, Summed, strengths
from tallystick.bayes.options import BayesOptions, of_part
from tallystick.bayes.updates import Updates
from tallystick.contracts import Block, Engine, Model, Table
from tallystick.draw.svg import Picture, as_html, cut, padded
from tallystick.engine import Local
from tallystick.errors import OptionError, clean, counted, page_limit, shown, some
from tallystick.estimator.rows import refuse_unknown
from tallystick.io.open import opened, with_each_row
from tallystick.linear.inference import refuse_others
from tallystick.model.additive import NormalTerm, WordTerm
from tallystick.model.file import plain
from tallystick.schema import ColumnOptions, Columns, Note, Schema
from tallystick.stats.distributions import check_level, student
from tallystick.table.hash_sample import SIZE
from tallystick.table.table import LocalTable
from tallystick.text import label_text

if TYPE_CHECKING:
    from tallystick.bayes.explain import Independence, Likelihood, LogisticForm, Shares, Votes
    from tallystick.draw.planes import Scale
    from tallystick.judge.folds import FoldPlan


Array = NDArray[np.float64]
PARTS = 40  # parts of the rows at most for the jackknife: one model is fitted without each


class BayesInference:
    """What a naive Bayes and its training rows let one conclude about its probabilities.

    The training rows are dealt into 40 parts, and each model that lacks one of them answers too (the
    jackknife of groups): how much their log-odds differ tells how much those of the model would, had other
    rows of the same kind been seen. Columns that go together make intervals wider, for whole rows are left
    out. That the answers themselves are off where columns depend on each other is not told: look at the
    calibration (`cross_validate`).
    """

    def __init__(self, whole: NaiveBayes, parts: list[NaiveBayes], level: float) -> None:
        self._whole, self._parts, self.level = whole, parts, level

    def predict_interval(self, X: Any) -> Array:
        """Return the interval of each probability of new rows.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit.

        Returns
        -------
        array [row, class, 2]
            The lower and the upper end; `predict_proba` lies between them. NaN where a part of the rows
            decides whether a class is possible at all.
        """
        X = with_each_row(X)
        middle, many = _log_odds(self._whole, self._whole, X), len(self._parts)
        mean, squares = np.zeros_like(middle), np.zeros_like(middle)
        with np.errstate(invalid="ignore"):
            for part in self._parts:
                off = _log_odds(part, self._whole, X) - middle
                mean += off / many
                squares += off * off
            spread = np.sqrt((many - 1) / many * np.maximum(squares - many * mean * mean, 0.0))
            half = student(many - 1, self.level) * spread
            ends = np.stack([middle - half, middle + half], axis=-1)
        out: Array = 1.0 / (1.0 + np.exp(-np.clip(ends, -700.0, 700.0)))
        return out


def infer(estimator: NaiveBayes, X: Any, y: Any, sample_weight: Any, level: float) -> BayesInference:
    """Return what the fit lets one conclude; its training rows are given again."""
    from tallystick.judge.folds import count_cases, deal

    level = check_level(level)
    if estimator.model_.classes.size < 2:
        raise OptionError("the model knows one class only: there is nothing to infer.")
    table = estimator._read(opened(X), estimator.schema_.predicted.name if y is None else y, sample_weight)
    refuse_others(estimator, table)
    cases = count_cases(table)
    if cases < 4:
        raise OptionError(f"{counted(cases, 'row')} cannot be left out in parts. Use at least 4.")
    plan = deal(table, min(PARTS, cases), by_class=False)
    parts = []
    for model in _models(estimator, plan.pieces(table), plan):
        part = type(estimator)(**estimator.get_params(deep=False))
        part._adopt(model, (), dict(estimator.rows_))
        part._set_columns(estimator._columns_in(), estimator._named_columns)
        parts.append(part)
    return BayesInference(estimator, parts, level)


def _models(estimator: NaiveBayes, table: Table, plan: Any) -> Iterator[NaiveBayesModel]:
    """Yield the models that lack a part each: from one pass, or refitted where a choice needs the rows."""
    learner = NaiveBayesLearner(estimator._options(), table.unit, row_unit=table.row_unit)
    ask = None if estimator.calibrate else question(learner, table.schema)
    if ask is not None and holds_values(ask, table, table.rows, len(plan.numbers)):
        yield from (model for _, model in fold_models(ask, table, plan, estimator._engine(table)))
        return
    for train, _ in plan.parts():
        training = table.take(train)
        model, _ = estimator._learn(training, estimator._engine(training))
        yield cast(NaiveBayesModel, model)


def _log_odds(estimator: NaiveBayes, whole: NaiveBayes, X: Any) -> Array:
    """Return the log-odds of each class against all others, [row, class of the whole]."""
    own = estimator.schema_.predicted.labels
    at = [whole.schema_.predicted.labels.index(label) for label in own]
    parts = list(estimator._each_block(X, estimator.model_.log_shares))
    logs = np.full((sum(map(len, parts)), len(whole.schema_.predicted.labels)), -np.inf)
    logs[:, at] = np.concatenate([np.zeros((0, len(own))), *parts])
    out = np.empty_like(logs)
    with np.errstate(divide="ignore", invalid="ignore"):
        for c in range(logs.shape[1]):
            out[:, c] = logs[:, c] - np.logaddexp.reduce(np.delete(logs, c, axis=1), axis=1)
    out[~np.isfinite(out)] = np.nan
    return out


# The fitted model as text: priors, the distribution of each column (strongest columns first), and votes; in
# full, the conditional probabilities too.

MOST = 12


def naive_bayes_text(model: NaiveBayesModel, most: int = MOST) -> str:
    """Return the model in a terminal's width."""
    every, most = page_limit(most) > most, page_limit(most)
    labels, total = model.schema.predicted.labels, int(model.classes.sum())
    priors = model.calibrated.shares(model.calibrated.base[None, :])[0][0]
    rows = total / model.unit
    lines = [
        f"Naive Bayes for {clean(model.schema.predicted.name)}: {counted(rows, 'row')}, "
        f"{counted(len(model.parts), 'column')}"
    ]
    lines.append("  class" + " " * 21 + "rows   prior")
    for label, count, share in list(zip(labels, model.classes.tolist(), priors, strict=True))[:most]:
        lines.append(f"  {padded(cut(clean(label), 18), 18)}{count / model.unit:12,.10g}  {share:6.4f}")
    if len(labels) > most:
        lines.append(f"  and {counted(len(labels) - most, 'more class')}")
    lines.append("  column, strongest first   distribution            bits about the class")
    bits = strengths(model)
    ranked = sorted(model.parts, key=lambda p: (-bits[p.name], p.name))
    for part in ranked[:most]:
        name = padded(cut(clean(part.name), 24), 24)
        lines.append(f"  {name}  {padded(reading_text(part), 22)}  {bits[part.name]:.4f}")
    if len(ranked) > most:
        lines.append(f"  and {counted(len(ranked) - most, 'more column')}")
    if model.calibration is not None:
        lines.append(f"  calibrated: log scores times {model.calibration.slope:.3f}, shifted per class")
    lines += _vote_lines(model, most)
    for part in model.parts if every else ():
        _, *table = str(shares(model, part.name)).split("\n")
        lines += ["", f"P(value | class) of {clean(part.name)}, {reading_text(part)}", *table]
    return "\n".join(lines)


def _vote_lines(model: NaiveBayesModel, most: int) -> list[str]:
    """Return the strongest votes: in log-odds, for the second of two classes."""
    labels = model.schema.predicted.labels
    if len(labels) < 2 or not model.parts:
        return []
    found = list(votes(model, most=most))
    two = len(labels) == 2
    what = f"vote for {cut(clean(labels[1]), 24)}" if two else "vote for a class"
    lines = [f"  column = value, strongest first             {what}, in log-odds"]
    for vote in found[:most]:
        name = padded(cut(clean(f"{vote.column} = {vote.value}"), 42), 42)
        whom = "" if two else f"  {cut(clean(vote.label), 24)}"
        weight = f"{vote.weight:+8.2f}"
        if not math.isfinite(vote.weight):
            weight = f"{SHARE_ZERO:>8}" + ("  ruled out" if vote.weight < 0 else "  alone has it")
        lines.append(f"  {name}{weight}{whom}")
    if (more := _votes_in_all(model) - most) > 0:
        lines.append(f"  and {counted(more, 'more vote')}")
    return lines


def _votes_in_all(model: NaiveBayesModel) -> int:
    """Return how many votes there are: one of a number or two values, else one of each value."""
    classes = len(model.classes)
    each = (
        1 if isinstance(p, Summed) or (isinstance(p, Counted) and len(p.counts) == 2) else len(p.counts)
        for p in model.parts
    )
    return sum(each) * (1 if classes == 2 else classes)


def reading_text(part: BayesPart) -> str:
    """Return how a column is read, in a few words."""
    if isinstance(part, Counted):
        if part.distribution == "binned":
            return f"{len(part.counts)} bins" if len(part.counts) > 1 else "one bin, no effect"
        return "yes or no" if part.distribution == "bernoulli" else f"{len(part.counts)} levels"
    if isinstance(part, Summed):
        return of_part(part).words
    return f"{counted(len(part.counts), 'word')}, {part.distribution}"


# Scales of a nomogram.

MOST_MARKS = 24  # values drawn on the scale of one column


def _scale(
    model: NaiveBayesModel, i: int, way: tuple[int, int, float], ranges: Mapping[str, tuple[float, float]]
) -> Scale:
    from tallystick.bayes.explain import value_names
    from tallystick.draw.planes import Scale
    from tallystick.draw.svg import around

    (c, d, slope), part, term = way, model.parts[i], model.additive.terms[i]
    if isinstance(part, Summed):
        usual = ranges.get(part.name)
        points = _points(model, part, [c, d]) if usual is None else np.array(around(*usual))
        scores = np.zeros((len(points), len(model.classes)))
        if isinstance(term, NormalTerm):
            scores = term.constant - term.half * (points[:, None] - term.mean) ** 2
        else:
            scores = term.at_zero + term.slope * points[:, None]  # type: ignore[attr-defined]
        weights = slope * (scores[:, c] - scores[:, d])
        return Scale(part.name, tuple((f"{x:.6g}", float(w)) for x, w in zip(points, weights, strict=True)))
    names = value_names(model, part)
    with np.errstate(invalid="ignore"):
        weights = slope * (term.table[: len(names), c] - term.table[: len(names), d])  # type: ignore[attr-defined]
    weights = np.where(np.isnan(weights), 0.0, weights)
    order = np.argsort(-np.abs(weights), kind="stable")[:MOST_MARKS].tolist()
    shown_ = order if isinstance(term, WordTerm) or len(names) > MOST_MARKS else range(len(names))
    return Scale(part.name, tuple((names[j], float(weights[j])) for j in shown_))


def _points(model: NaiveBayesModel, part: Summed, classes: list[int]) -> NDArray[np.float64]:
    """Return round values within two deviations of the means of some classes."""
    from tallystick.draw.planes import ticks

    means = np.array([float(m) for m in part.means()])
    way = of_part(part)
    found = way.variance
    wide = np.sqrt(model.variances[part.name] if found is None else np.maximum(found(means), 1e-9))
    low, high = float((means - 2 * wide)[classes].min()), float((means + 2 * wide)[classes].max())
    if way.counts:
        low = max(low, 0.0)
    if not np.isfinite([low, high]).all() or low >= high:
        return np.array([low])
    return np.array(ticks(low, high))


# The estimator: one model over mixed columns, each with its own distribution.


class NaiveBayes(Updates):
    """Naive Bayes on a whole table: levels, booleans, numbers and text side by side.

    Parameters
    ----------
    distributions : str or dict, default "auto"
        "gaussian", "binned", "poisson", "frequencies" (a matrix of counts or tf-idf), "multinomial", ... for
        all columns that it fits, or by column: {name: distribution}. "auto" chooses by what is in it.
    alpha : float or dict, default 1.0
        Cases added to the count of each value; one number, or by column.
    m, p : float or dict, default None
        The m-estimate (count + m * p) / (rows + m), which takes precedence over alpha; one number, or by
        column.
    priors : {"data", "uniform", "none"}, list or dict, default "data"
        The shares of the classes: those of the rows, equal ones, no prior at all, or a number for each.
    variance : {"ml", "unbiased", "smoothed"}, default None
        How the variance of a Gaussian column is computed; None is "smoothed" where "auto" chose that
        distribution, else "ml".
    share : {"none", "classes", "columns", "both"}, default "none"
        Which Gaussian columns have one variance together: none, those of all classes, of all columns, or all.
    words : {"counts", "tf-idf"}, default "counts"
        How the words of a text count.
    min_count : int, default 1
        How many rows a word must be in to be known.
    min_letters : int, default 1
        How many characters a word must have to be known (scikit-learn: 2).
    calibrate : bool, default False
        Whether shares are calibrated by cross-validation.
    class_weight : dict or "balanced", default None
        What a row of each class counts in the prior: {label: weight}; "balanced" makes classes equal.
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
    >>> rows = [{"sky": "sun", "play": "no"}, {"sky": "rain", "play": "yes"}] * 5
    >>> model = ts.NaiveBayes(alpha=0.5).fit(rows, "play")
    >>> model.predict([{"sky": "rain"}]).tolist()
    ['yes']
    """

    _kind = KIND
    model_: NaiveBayesModel

    def __init__(
        self,
        *,
        distributions: str | Mapping[str, str] = "auto",
        alpha: float | Mapping[str, float] = 1.0,
        m: float | Mapping[str, float] | None = None,
        p: float | Mapping[str, Any] | None = None,
        priors: str | Sequence[float] | Mapping[str, float] = "data",
        variance: str | None = None,
        share: str = "none",
        words: str = "counts",
        min_count: int = 1,
        min_letters: int = 1,
        calibrate: bool = False,
        class_weight: str | Mapping[Any, float] | None = None,
        columns: Columns | None = None,
        kinds: Mapping[str, str] | None = None,
        engine: Engine | None = None,
        threads: int | None = None,
        memory: int | str | None = None,
    ) -> None:
        self.distributions = distributions
        self.alpha = alpha
        self.m = m
        self.p = p
        self.priors = priors
        self.variance = variance
        self.share = share
        self.words = words
        self.min_count = min_count
        self.min_letters = min_letters
        self.calibrate = calibrate
        self.class_weight = class_weight
        self.columns = columns
        self.kinds = kinds
        self.engine = engine
        self.threads = threads
        self.memory = memory

    def _as_text(self) -> str:

        return naive_bayes_text(self.model_)

    def _options(self) -> BayesOptions:
        given = self.class_weight
        if isinstance(given, Mapping):
            given = {label_text(label): weight for label, weight in given.items()}
        sums = self._in_parts and self.distributions == "auto"
        return BayesOptions(
            distributions="gaussian" if sums else self.distributions,
            alpha=self.alpha,
            m=self.m,
            p=self.p,
            priors=self.priors,
            variance=self.variance,
            share=self.share,
            words=self.words,
            min_count=self.min_count,
            min_letters=self.min_letters,
            calibrate=self.calibrate,
            class_weight=given,
        )

    def _read(self, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        """Return the encoded table that `_fit_table` learns from."""
        table = super()._read(X, y, sample_weight)
        if isinstance(self.class_weight, Mapping) and table.schema.target is not None:
            refuse_unknown("class_weight", self.class_weight, table.schema.target)
        return table

    def _wishes(self) -> ColumnOptions:
        wishes = super()._wishes()
        cut = self._options().distribution("", "numeric") in ("auto", "binned")  # a pass over values first
        here = self._engine() == self._local()  # another engine sums the values itself
        return replace(
            wishes,
            min_count=plain(self.min_count),
            min_letters=plain(self.min_letters),
            sums=here,
            sample=SIZE if here and cut else 0,
        )

    def _learn(self, table: Table, engine: Engine) -> tuple[Model, tuple[Note, ...]]:
        from tallystick.bayes.folds import calibrated
        from tallystick.engine import fit

        options = self._options()
        learner = replace(_learner(options, table), threads=self._local().threads)
        learner = replace(learner, rows=table.rows, budget=table.budget)
        model = fit(learner, table, engine)
        model.check()
        if options.calibrate:
            model = calibrated(model, table, engine, self._local().threads)
        return model, model.notes

    def _restore(self, document: Mapping[str, Any]) -> None:
        self.min_count = self.min_letters = 1  # a file holds these only where they are not 1
        self.class_weight = None
        self._set_stored(document["parameters"])
        schema = Schema.from_dict(document["schema"])
        rows = dict(document["rows"])
        model = NaiveBayesModel.from_dict(document["model"], schema, self._options(), rows["unit"])
        self._adopt(model, tuple(Note(**n) for n in document["notes"]), rows)
        self._set_columns(list(schema.given), named=True)

    def _numbers(self) -> int:
        """Return how many numbers a reader of the model must look at."""
        self._check_fitted()
        return self.model_.numbers()

    def _prior_only(self, block: Block, shares: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return the rows of a block that only the class shares could answer; shares: the block's."""
        return self.model_.prior_only(block, shares)

    def _may_be_prior(self, shares: NDArray[np.float64]) -> bool:
        """Say whether shares[class] of a row are those of the prior."""
        return shares.tobytes() == self.model_.prior_bytes

    def _cross_shares(self, table: Table, plan: FoldPlan) -> NDArray[np.float64] | None:
        """Return out-of-fold shares[piece, class] from one pass; the rows of the table are the pieces of the
        plan. None: this model must refit.
        """
        from tallystick.bayes.folds import cross_answers, holds_values, one_out_answers
        from tallystick.bayes.learner import question

        ask = question(_learner(self._options(), table), table.schema)
        if ask is None or self.calibrate or not isinstance(table, LocalTable):
            return None
        if plan.twin is not None:
            return one_out_answers(ask, table, plan, self._engine(), _shares)
        if plan.fold.min() < 0 or not holds_values(ask, table, table.rows, len(plan.numbers)):
            return None
        return cross_answers(ask, table, plan, self._engine(), _shares, self._local().threads)

    def _fit_settings(
        self, settings: Sequence[Any], training: Table, roughly: bool = False
    ) -> Iterator[NaiveBayesModel] | None:
        """Return the model of each setting; those that differ in smoothing alone share sums."""
        from tallystick.engine import fit

        if any(s.calibrate for s in settings):
            return None
        numeric = any(c.kind == "numeric" for c in training.schema.used)
        engine = training.engine or Local(1)
        fitted: dict[str, NaiveBayesModel] = {}
        made: dict[str, NaiveBayesModel] = {}  # without numbers some settings are the same

        def one(options: BayesOptions) -> NaiveBayesModel:
            known = options if numeric else replace(options, distributions="auto")
            sums, exact = repr(replace(known, alpha=1.0)), repr(known)
            if sums not in fitted:
                fitted[sums] = fit(_learner(options, training), training, engine)
            if exact not in made:
                made[exact] = replace(fitted[sums], options=options)
            return made[exact]

        return (one(setting._options()) for setting in settings)

    def _grow_shares(
        self, table: Table, train: NDArray[np.int64], test: NDArray[np.int64], sizes: Sequence[int]
    ) -> list[NDArray[np.float64] | None] | None:
        """Return shares[test row, class] of the model of train[:size] for rising sizes, from one pass: counts
        add up. None where a model must be fitted.
        """
        from tallystick.bayes.folds import grown_answers
        from tallystick.bayes.learner import question

        ask = question(_learner(self._options(), table), table.schema)
        if ask is None or self.calibrate or not table.schema.used or not isinstance(table, LocalTable):
            return None
        return grown_answers(ask, table, train, test, sizes, _shares)

    def inference(
        self, X: Any, y: Any = None, sample_weight: Any = None, level: float = 0.95
    ) -> BayesInference:
        """Return what the training rows let one conclude: intervals of probabilities of new rows.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix or records
            The rows of the fit again; others are an error.
        y : str or array, default None
            The labels, or the name of their column; None is the target's.
        sample_weight : array or str, default None
            The weights of the fit.
        level : float, default 0.95
            The level of the intervals.

        Returns
        -------
        BayesInference
            `.predict_interval(new)` gives low and high ends [row, class, 2].

        Examples
        --------
        >>> import tallystick as ts
        >>> rows = [{"sky": "rain" if n % 3 else "sun", "play": "no" if n % 4 else "yes"} for n in range(60)]
        >>> found = ts.NaiveBayes().fit(rows, "play").inference(rows, "play")
        >>> found.predict_interval({"sky": "sun"}).round(2).tolist()
        [[[0.52, 0.89], [0.11, 0.48]]]
        """

        self._check_fitted()
        return infer(self, X, y, sample_weight, level)

    def shares(self, column: str) -> Shares:
        """Return the share of each value of a column in each class, with the counts it comes from.

        Parameters
        ----------
        column : str
            The name of a column.

        Returns
        -------
        Shares
            A line per value.
        """
        from tallystick.bayes.explain import shares

        self._check_fitted()
        return shares(self.model_, column)

    def votes(self, label: Any = None) -> Votes:
        """Return how much each value speaks for a class, in log-odds, the strongest first.

        Parameters
        ----------
        label : label, default None
            The class; None is the last.

        Returns
        -------
        Votes
            A line per value.
        """
        from tallystick.bayes.explain import votes

        self._check_fitted()
        return votes(self.model_, label)

    def nomogram(self, label: Any = None, against: Any = None) -> Picture:
        """Return the model as a picture: each column a line, each value where its weight lies.

        Parameters
        ----------
        label : label, default None
            One class; None is the last.
        against : label, default None
            The class it is compared with; None is the most frequent other.

        Returns
        -------
        Picture
            SVG; `save` writes it.
        """
        from tallystick.bayes.explain import class_number
        from tallystick.draw.planes import nomogram

        self._check_fitted()
        model = self.model_
        labels = model.schema.predicted.labels
        c = class_number(model, label) if label is not None else len(labels) - 1
        others = [i for i in np.argsort(-model.classes, kind="stable").tolist() if i != c]
        if not others:
            raise OptionError(f"the model knows one class only, {shown(labels[0])}.")
        d = class_number(model, against) if against is not None else others[0]
        if c == d:
            raise OptionError(
                f"a nomogram compares two classes, and both are {shown(labels[c])}. "
                f"The classes are {some(labels)}."
            )
        known = model.calibration
        slope, shift = (1.0, 0.0) if known is None else (known.slope, known.shift[c] - known.shift[d])
        ranges = self._usual_ranges()
        scales = [_scale(model, i, (c, d, slope), ranges) for i in range(len(model.parts))]
        scales.sort(
            key=lambda s: -(max(w for _, w in s.marks) - min(w for _, w in s.marks)) if s.marks else 0.0
        )
        base = slope * float(model.additive.base[c] - model.additive.base[d]) + shift
        title = f"{model.schema.predicted.name}: {labels[c]} against {labels[d]}"
        sides = labels[d], labels[c]
        return Picture(nomogram(title, scales, base if math.isfinite(base) else 0.0, sides))

    def to_logistic(self) -> LogisticForm:
        """Return the equivalent logistic form; an error names the column that has none."""
        from tallystick.bayes.explain import logistic_form

        self._check_fitted()
        return logistic_form(self.model_)

    def independence(self, X: Any, y: Any = None, sample_weight: Any = None) -> Independence:
        """Return the pairs of columns that most violate the assumption: how much they tell about each other
        given the class.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix or records
            The rows.
        y : str or array, default None
            The labels, or the name of their column; None is the target's.
        sample_weight : array or str, default None
            The weight of each row; None is 1.

        Returns
        -------
        Independence
            A line per pair, the worst first.
        """
        from tallystick.bayes.explain import independence

        if y is None and self.__sklearn_is_fitted__():
            y = self.schema_.predicted.name
        return independence(self._read(X, y, sample_weight))

    def likelihood(self, X: Any, y: Any = None) -> Likelihood:
        """Return how probable labelled rows are under the model: with their classes, and the classes alone.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix or records
            The rows.
        y : str or array, default None
            The labels, or the name of their column; None is the target's.

        Returns
        -------
        Likelihood
            The data likelihood, sum of log P(row, class), which naive Bayes makes large, and the conditional
            one, sum of log P(class | row), which logistic regression makes large.
        """
        from tallystick.bayes.explain import Likelihood
        from tallystick.io.open import with_each_row
        from tallystick.judge.run import class_labels_of as labels_of

        self._check_fitted()
        X = with_each_row(X)
        truth = labels_of(X, self.schema_.predicted.name if y is None else y, self.schema_)
        data, conditional, start = 0.0, 0.0, 0
        for match in self._blocks(X):
            own = truth[start : start + match.block.rows]
            known, start = np.flatnonzero(own >= 0), start + match.block.rows
            data += float(self.model_.joint(match.block)[known, own[known]].sum())
            conditional += float(self.model_.log_shares(match.block)[known, own[known]].sum())
        return Likelihood(int((truth >= 0).sum()), data, conditional)

    def _in_notebook(self) -> str:
        from tallystick.draw.svg import framed

        if len(self.model_.classes) < 2:
            return as_html(self._as_text())
        return framed(self.nomogram(), text=self._as_text())

    def picture(self, label: Any = None, against: Any = None) -> Picture:
        """Return the model as a picture: its nomogram for two classes.

        Parameters
        ----------
        label : label, default None
            One class; None is the last.
        against : label, default None
            The class it is compared with; None is the most frequent other.

        Returns
        -------
        Picture
            SVG; `save` writes it.
        """
        return self.nomogram(label, against)

    def predict_joint_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return log(prior × product of shares), neither normalised nor calibrated.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.

        Returns
        -------
        array [row, class]
            In the order of `classes_`.
        """
        self._check_fitted()
        parts = list(self._each_block(X, self.model_.joint))
        return np.concatenate(parts) if parts else np.zeros((0, len(self.classes_)))


def _learner(options: BayesOptions, table: Table) -> NaiveBayesLearner:
    from tallystick.bayes.learner import NaiveBayesLearner

    return NaiveBayesLearner(options, table.unit, row_unit=table.row_unit)


def _shares(model: NaiveBayesModel, rows: Table) -> NDArray[np.float64]:
    """Return P(class | row) of some rows."""
    return np.concatenate(list(rows.answers(model.shares)))
