"""The working of naive Bayes: counts and shares of every column, with and without the correction, then the
product for a row, factor by factor.

Knows fitted models and the parts of a document. Knows no format.
Law: every number follows from the counts that stand above it; a share of 0 is shown as 0.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tallystick.data.text import quantity
from tallystick.errors import OptionError
from tallystick.explain.naive_bayes import value_names
from tallystick.models.naive_bayes import Counted, NaiveBayesModel, Summed, Worded
from tallystick.models.naive_bayes.distributions import of_part, smoothed_means
from tallystick.working.bayes_line import line_parts
from tallystick.working.bayes_product import answered, density_line
from tallystick.working.bayes_shares import ColumnShares, CountedShare, laplace, priors_of, shares_of
from tallystick.working.document import Formula, Headline, Listing, Part, Sentence
from tallystick.working.given import opening
from tallystick.working.pieces import Line, Lowered, Over, Raised, Value, bracketed, joined, line, said

if TYPE_CHECKING:
    from tallystick.contracts import Table
    from tallystick.estimators import NaiveBayes

MOST_VALUES = 60  # of a column, on the page
VARIANCES = {
    "ml": "The variance is the sum of squares around the mean over the rows.",
    "unbiased": "The variance is the sum of squares around the mean over the rows less one.",
    "smoothed": "The variance is that of the rows and of two more with the variance of the whole column.",
}
SHARED = {
    "classes": "All classes share one variance: the sum of their squares over the sum of their rows.",
    "columns": "All columns of a class share one variance.",
    "both": "All columns and classes share one variance.",
}


def bayes_parts(
    estimator: NaiveBayes, table: Table, title: str, row: tuple[Any, int] | None, whole: bool
) -> list[Part]:
    """Return the working of a fitted naive Bayes model."""
    model = estimator.model_
    _refuse(model)
    task = (
        "Count by hand how often each value occurs in each class, and answer the row with and without the "
        "correction.",
    )
    parts = opening(title, table, task, (*estimator.source_notes_, *estimator.notes_))
    parts += _classes(model)
    corrected = {}
    for part in model.parts:
        parts.append(Headline(line("Column ", said(part.name)), 2))
        if isinstance(part, Summed):
            parts += _numbers(model, part)
            continue
        found = shares_of(part, model.options)
        corrected[part.name] = laplace(found) if found.plain else found
        parts += _counted(model, part, found, corrected[part.name])
    return [*parts, *line_parts(model), *answered(estimator, table, row, corrected)]


def _refuse(model: NaiveBayesModel) -> None:
    """Refuse what is not done by counting."""
    if model.calibration is not None:
        raise OptionError("a working shows shares as they are counted. Leave calibrate= out.")
    for part in model.parts:
        if isinstance(part, Worded) and (part.idf or part.distribution == "complement"):
            way = "tf-idf weights" if part.idf else "the other classes' words"
            raise OptionError(
                f"a working counts words, and this model reads {way}. Use words counted plainly."
            )


def _classes(model: NaiveBayesModel) -> list[Part]:
    """Return the rows and the prior of each class."""
    labels, priors = model.schema.predicted.labels, priors_of(model)
    parts: list[Part] = [Headline(("The classes",))]
    if priors is None:
        return [*parts, Sentence(("The classes have no prior: only the columns decide.",))]
    for label, prior in zip(labels, priors, strict=True):
        left = line("P(", said(label), ")")
        if isinstance(prior, CountedShare):
            parts.append(Formula(left, (prior.written, (Value(prior.value),))))
        else:
            parts.append(Formula(left, ((Value(Fraction(prior)),),)))
    return parts


def _counted(
    model: NaiveBayesModel, part: Counted | Worded, found: ColumnShares, own: ColumnShares
) -> list[Part]:
    """Return the shares of a column: of every class, of every value, as it was counted and corrected."""
    labels, names = model.schema.predicted.labels, value_names(model, part)
    kept = list(zip(names, found.raw, own.corrected, strict=True))[:MOST_VALUES]
    rows = tuple(
        (line(share_of(part.name, name, label), " ="), _share(raw[c]), _share(smooth[c]))
        for c, label in enumerate(labels)
        for name, raw, smooth in kept
    )
    head: tuple[Line, ...] = (("R",), ("as counted",), ("corrected",))
    parts: list[Part] = [_how(part, found, own), Listing(head, rows, frozenset({1, 2}))]
    if len(names) > MOST_VALUES:
        parts.append(Sentence((f"The first {MOST_VALUES} of {len(names):,} are shown.",)))
    gone = part.missing.tolist()
    if any(gone):
        each = [line(said(label), f": {n:,}") for label, n in zip(labels, gone, strict=True)]
        parts.append(Sentence(line("Without a value, and not counted, ", joined(each, ", "), ".")))
    if isinstance(part, Counted) and len(names) == len(labels) == 2:
        parts += _weight(part.name, names[1], labels, own.corrected[1])
    return parts


def share_of(column: str, value: str, label: str) -> Line:
    """Return R_f1(1,0): the share of the rows of class 0 in which f1 is 1."""
    return line("R", Lowered((said(column),)), "(", said(value), ",", said(label), ")")


def _weight(column: str, value: str, labels: tuple[str, ...], both: tuple[CountedShare, ...]) -> list[Part]:
    """Return the weight of a column of two values between two classes, written out."""
    against, own = both
    if not all(0 < s.value < 1 for s in both):
        return []
    alpha, beta = share_of(column, value, labels[1]), share_of(column, value, labels[0])
    told = line(
        *("The weight of ", said(column), " is ln α/(1 − α) − ln β/(1 − β), with α = ", alpha, " and β = "),
        *(beta, ", corrected. Above 0, ", said(column), " = ", said(value), " is a vote for "),
        *(said(labels[1]), "."),
    )
    logs = [math.log(s.value / (1 - s.value)) for s in (own, against)]
    odds = [line("ln ", Over(s.written, s.rest.written)) for s in (own, against)]
    less = line(Value(logs[0]), " − ", bracketed(logs[1]))
    steps = (joined(odds, " − "), less, (Value(logs[0] - logs[1]),))
    return [Sentence(told), Formula(line("weight of ", said(column)), steps)]


def _share(share: CountedShare) -> Line:
    return line(share.written, " = ", Value(share.value))


def _how(part: Counted | Worded, found: ColumnShares, own: ColumnShares) -> Sentence:
    """Say what R is and how it is corrected."""
    words = isinstance(part, Worded) and part.distribution != "bernoulli"
    of = "words" if words else "texts" if isinstance(part, Worded) else "rows"
    least = own.parts[0] * own.m if own.parts else Fraction(0)
    even = len(set(own.parts)) <= 1
    if even and least == 1:
        more = f"(count + 1)/({of} + {own.m}), one case more for each value"
    elif even:
        more = f"(count + {_plain(least)})/({of} + {_plain(own.m)})"
    else:
        more = f"(count + {_plain(own.m)}·p)/({of} + {_plain(own.m)}), p given for each value"
    own_words = (
        "The model itself makes no correction; beside it stands Laplace's" if found.plain else "Corrected"
    )
    name = said(part.name)
    if words:
        which = line("(w,c) is the share of the word w in the words of class c")
    elif isinstance(part, Worded):
        which = line("(w,c) is the share of the texts of class c that hold the word w")
    else:
        which = line("(a,c) is the share of the rows of class c in which ", name, " is a")
    return Sentence(line("R", Lowered((name,)), which, f": count/{of}. {own_words}: {more}."))


def _plain(number: Fraction) -> str:
    return f"{float(number):g}"


# -- numbers --


def _numbers(model: NaiveBayesModel, part: Summed) -> list[Part]:
    """Return mean and variance of a Gaussian column, or the rate of a Poisson column, by class."""
    if not of_part(part).squares:
        return _rates(model, part)
    labels, unit = model.schema.predicted.labels, model.schema[part.name].unit
    head: tuple[Line, ...] = (
        ("class",),
        ("rows",),
        ("mean",),
        ("sum of squares around it",),
        ("variance",),
    )
    columns = zip(labels, part.rows, part.means(), part.spread(), model.variances[part.name], strict=True)
    rows = tuple(
        (
            (said(label),),
            (Value(int(n)),),
            (quantity(float(mean), unit, 6),),
            (Value(Fraction(*squares)),),
            (Value(variance, 4, 6),),
        )
        for label, n, mean, squares, variance in columns
    )
    words = SHARED.get(model.options.share, VARIANCES[part.variance])
    every = frozenset(range(1, len(head)))
    return [
        Sentence((f"A Gaussian for each class. {words}",)),
        Listing(head, rows, every, every),
        Formula(("density of x",), (density_line(("x",), ("mean",), ("variance",)),)),
    ]


def _rates(model: NaiveBayesModel, part: Summed) -> list[Part]:
    labels = model.schema.predicted.labels
    rates = smoothed_means(part, model.options, model.unit).tolist()
    head: tuple[Line, ...] = (("class",), ("rows",), ("mean",), ("rate",))
    rows = tuple(
        ((said(label),), (Value(int(n)),), (Value(mean),), (Value(rate),))
        for label, n, mean, rate in zip(labels, part.rows, part.means(), rates, strict=True)
    )
    m = model.options.smoothing(part.name, 1)[0]
    words = f"A Poisson distribution for each class; its rate is the mean with {m:g} rows of the mean of all."
    every = frozenset(range(1, len(head)))
    return [
        Sentence((words,)),
        Listing(head, rows, every, every),
        Formula(
            ("probability of x",),
            ((Over(line("rate", Raised(("x",)), "·e", Raised(("−rate",))), ("x!",)),),),
        ),
    ]
