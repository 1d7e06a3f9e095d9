"""The row that naive Bayes answers: its products without and with the correction, their logarithms, the
normalised answer, and which columns vote how.

Knows products of shares and the parts of a document. Knows no format.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick.data.schema import CODED
from tallystick.models.naive_bayes import NaiveBayesModel, Summed
from tallystick.models.naive_bayes.distributions import of_part
from tallystick.working.bayes_row import ClassProduct, RowValue, normalised, row_parts
from tallystick.working.bayes_shares import ColumnShares, CountedShare, priors_of
from tallystick.working.document import Formula, Headline, Listing, Part, Role, Sentence
from tallystick.working.pieces import (
    Line,
    Number,
    Over,
    Raised,
    Root,
    Value,
    bracketed,
    joined,
    line,
    said,
    summed,
)

if TYPE_CHECKING:
    from tallystick.contracts import Block, Table
    from tallystick.estimators import NaiveBayes


def answered(
    estimator: NaiveBayes, table: Table, row: tuple[Any, int] | None, corrected: dict[str, ColumnShares]
) -> list[Part]:
    """Return the working of one row's answer: of the first of the table, if none is given."""
    model = estimator.model_
    block, at = (table.slice(0, 1), 0) if row is None else estimator._find_row(*row)
    found = row_parts(model, block, at, corrected)
    parts: list[Part] = [Headline(("The row" if row is not None else "The first row",)), _told(model, found)]
    parts += [_together(model, table, block, at), *_left_out(found), *_densities(model, found)]
    own = any(shares.m for shares in corrected.values()) and not _plain_model(model, corrected)
    counted = bool(corrected)
    plain, smooth = _products(model, found, False), _products(model, found, True)
    if counted:
        mark = "" if own else ", as the model answers"
        parts += _product(model, f"Without the correction{mark}", plain, not own)
        mark = ", as the model answers" if own else ", for comparison"
        parts += _product(model, f"With the correction{mark}", smooth, own)
    else:
        parts += _product(model, "The product", smooth, True)
    return [*parts, *_votes(model, found, own or not counted)]


def _plain_model(model: NaiveBayesModel, corrected: dict[str, ColumnShares]) -> bool:
    """Tell whether the model itself makes no correction."""
    names = [p.name for p in model.parts if p.name in corrected]
    return all(model.options.smoothing(name, 1)[0] == 0 for name in names)


def _told(model: NaiveBayesModel, found: list[RowValue]) -> Sentence:
    each = [line(said(p.column), " = ", said(p.value)) for p in found]
    return Sentence(line(joined(each, ", "), "."))


def _together(model: NaiveBayesModel, table: Table, block: Block, at: int) -> Sentence:
    """Say how many training rows have just these values: mostly none, so shares are multiplied instead."""
    rows = table.slice(0, table.rows)
    same = np.ones(table.rows, bool)
    for column in model.schema.used:
        if column.kind in CODED:
            same &= rows.codes(column.name) == block.codes(column.name)[at]
        elif column.kind == "numeric":
            same &= rows.values(column.name) == block.values(column.name)[at]
        else:
            return Sentence(("The columns are taken as independent given the class: shares are multiplied.",))
    assert rows.classes is not None
    labels = model.schema.predicted.labels
    counts = np.bincount(rows.classes[same], minlength=len(labels)).tolist()
    each = [line(said(label), f": {n}") for label, n in zip(labels, counts, strict=True)]
    words = " The columns are taken as independent given the class: shares are multiplied."
    return Sentence(
        line("Training rows with all of these values, ", joined(each, ", "), f".{words}"), "answer"
    )


def _left_out(found: list[RowValue]) -> list[Part]:
    return [Sentence(line(said(p.column), f" has no factor: {p.left_out}.")) for p in found if p.left_out]


def _densities(model: NaiveBayesModel, found: list[RowValue]) -> list[Part]:
    """Return the densities of numbers, written out."""
    labels, out = model.schema.predicted.labels, []
    for part, row in zip(model.parts, found, strict=True):
        if not (isinstance(part, Summed) and row.density and of_part(part).squares):
            continue
        x: Line = (Value(row.at, 4, 6),)
        numbers = zip(labels, part.means(), model.variances[part.name], row.raw, strict=True)
        for label, mean, variance, (factor,) in numbers:
            left = line("density of ", said(part.name), " = ", said(row.value), " in ", said(label))
            written = density_line(x, bracketed(mean, 4, 6), (Value(variance, 4, 6),))
            out.append(Formula(left, (written, factor.written)))
    return list(out)


def density_line(x: Line, mean: Line, variance: Line) -> Line:
    """Return the Gaussian density, written out."""
    below = (Root(line("2π·", variance)),)
    away = line("(", x, " − ", mean, ")", Raised(("2",)))
    return line(Over(("1",), below), "·e", Raised(line("−", Over(away, line("2·", variance)))))


def _products(model: NaiveBayesModel, found: list[RowValue], corrected: bool) -> list[ClassProduct]:
    priors = priors_of(model)
    out = []
    for c in range(len(model.classes)):
        prior = None if priors is None else priors[c]
        value = prior.value if isinstance(prior, CountedShare) else prior
        rows = [(p.corrected if corrected else p.raw) for p in found if not p.left_out]
        out.append(ClassProduct(tuple(f for each in rows for f in each[c]), value))
    return out


def _product(model: NaiveBayesModel, title: str, products: list[ClassProduct], told: bool) -> list[Part]:
    """Return the product of every class, with its prior, its logarithm, and the normalised answer."""
    labels, priors = model.schema.predicted.labels, priors_of(model)
    parts: list[Part] = [Headline((title,), 3)]
    for c, (label, product) in enumerate(zip(labels, products, strict=True)):
        factors = joined([f.written for f in product.factors], "·") or ("1",)
        steps = number_lines(product.likelihood, product.log_likelihood)
        if len(product.factors) == 1:  # one factor is not worked out: as it stands, then its value
            steps = steps[-1:] if factors == steps[-1] else (factors, steps[-1])
        else:
            steps = (factors, *steps)
        parts.append(Formula(line("product for ", said(label)), steps))
        if priors is not None:
            prior = priors[c]
            written = prior.written if isinstance(prior, CountedShare) else (Value(prior),)
            with_it = line(Value(product.likelihood, 4, 5), "·", written)
            left = line("score of ", said(label), ", with its prior")
            parts.append(Formula(left, (with_it, *number_lines(product.score, product.log))))
        parts += _log(label, product)
    return [*parts, *_normalised(model, products)] if told or products else parts


def _log(label: str, product: ClassProduct) -> list[Part]:
    """Return the logarithm of a score; an impossible class has none. The formula stands there all the same: a
    sheet without answers must not give away which product is 0.
    """
    if not product.possible:
        words = " is impossible: one of its factors is 0, so its product is 0 and has no logarithm."
        none = Formula(("ln of it",), (("ln 0, which is no number",),))
        return [none, Sentence(line(said(label), words), "answer")]
    logs = [
        *([math.log(product.prior)] if product.prior is not None else []),
        *(f.log for f in product.factors),
    ]
    return [Formula(("ln of it",), (summed(logs), (Value(product.log),)))]


def _normalised(model: NaiveBayesModel, products: list[ClassProduct]) -> list[Part]:
    """Return each class's share of the sum of all scores."""
    labels, shares = model.schema.predicted.labels, normalised(products)
    if shares is None:
        zeros = line("0 / (", joined([("0",)] * len(labels), " + "), ")")
        words = "Every class is impossible: the prior alone answers, and the answer says so."
        each = [Formula(line("P(", said(label), " | row)"), (zeros,)) for label in labels]
        return [*each, Sentence((words,), "answer")]
    parts: list[Part] = []
    for label, product, share in zip(labels, products, shares, strict=True):
        scores = [(Value(p.score, 4, 5),) for p in products]
        if any(p.possible and float(p.score) == 0 for p in products):  # too small: by their logarithms
            steps: tuple[Line, ...] = ((Value(share),),)
        else:
            below = line("(", joined(scores, " + "), ")")
            steps = (line(Value(product.score, 4, 5), " / ", below), (Value(share),))
        parts.append(Formula(line("P(", said(label), " | row)"), steps))
    best = labels[max(range(len(labels)), key=lambda c: (shares[c], -c))]
    return [*parts, Sentence(line("Answer: ", said(best), "."), "answer")]


def number_lines(number: Number, log: float) -> tuple[Line, ...]:
    """Return a number as a short fraction and then its value, where a person would write both; one that is
    too small for a double by its logarithm.
    """
    if number == 0 and math.isfinite(log):
        return (line("e", Raised((Value(log),))),)
    value: Line = (Value(number, 4, 5),)
    if isinstance(number, Fraction) and 1 < number.denominator < 1000 and 1000 % number.denominator:
        return ((f"{number.numerator}/{number.denominator}",), value)
    return (value,)


def _votes(model: NaiveBayesModel, found: list[RowValue], corrected: bool) -> list[Part]:
    """Return how each column votes: the logarithm of its factor in one class over that in another. Of two
    classes the vote is always for the second; of more it is for the answer against its rival, which a sheet
    without answers cannot name.
    """
    labels, first, second = model.schema.predicted.labels, 1, 0
    role: Role = "told"
    if len(labels) != 2:
        shares = normalised(_products(model, found, corrected))
        if shares is None or len(labels) < 2:
            return []
        first, second = sorted(range(len(labels)), key=lambda c: -shares[c])[:2]
        role = "answer"
    rows: list[tuple[Line, ...]] = []
    for part in found:
        each = part.corrected if corrected else part.raw
        if part.left_out:
            rows.append(((said(part.column),), (said(part.value),), ("0",), ("neither",)))
            continue
        a, b = (math.fsum(f.log for f in each[c]) for c in (first, second))
        rows.append(((said(part.column),), (said(part.value),), *_vote(labels, first, second, a, b)))
    head: tuple[Line, ...] = (("column",), ("value",), ("vote",), ("for",))
    words = line("A vote is ln R(", said(labels[first]), ") − ln R(", said(labels[second]), ")")
    side = line(": above 0 it is for ", said(labels[first]), ", below 0 for ", said(labels[second]), ".")
    return [
        Headline(("How the columns vote",), 3, role),
        Sentence(line(words, side), role),
        Listing(head, tuple(rows), frozenset({2, 3}), frozenset({2}), role=role),
    ]


def _vote(labels: tuple[str, ...], first: int, second: int, a: float, b: float) -> tuple[Line, Line]:
    """Return a vote and whom it is for; a share of 0 rules a class out."""
    if math.isfinite(a) and math.isfinite(b):
        away = a - b
        whom: Line = (said(labels[first if away > 0 else second]),) if abs(away) > 1e-12 else ("neither",)
        return (Value(away),), whom
    if a == b:
        return ("none",), ("rules both out",)
    gone = labels[second if math.isfinite(a) else first]
    return ("none",), line("rules out ", said(gone))
