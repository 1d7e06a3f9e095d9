"""What each value or word weighs, as tables for the page: votes of naive Bayes, odds of logistic regression.

Knows additive models. Knows nothing of HTML. Law: the number in a row is per unit, its bar per standard
deviation of a numeric column, so that columns of different units can be compared; rows are in order of that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.panels import signed_bar
from tallystick.draw.text import between
from tallystick.evaluate.large import steps
from tallystick.explain.logistic import Figure, Summary
from tallystick.explain.logistic_words import compared_words
from tallystick.explain.naive_bayes import votes
from tallystick.models.logistic.model import LogisticModel
from tallystick.models.logistic.parts import WordWeights
from tallystick.models.naive_bayes import NaiveBayesModel
from tallystick.reports.ingredients import Ingredients

FEW, MANY = 10, 40  # lines of a table: of a model that is shown small, and large
FEW_WORDS, MANY_WORDS = 5, 12  # words of a class
MOST_CLASSES = 12  # whose words are shown
FEW_CLASSES = 4  # of more, a value is told with the class that it speaks for most
Heard = Iterator[tuple[str, str, str, float]]


def bayes_weights(given: Ingredients, model: NaiveBayesModel, large: bool) -> dict[str, Any]:
    """Return the strongest votes of naive Bayes, and words by class."""
    heard = _bayes_words(model, given.labels)
    found = _votes(given, model, MANY if large else FEW)
    return found | {"words": _words_by_class(given, heard, MANY_WORDS if large else FEW_WORDS)}


def logistic_weights(given: Ingredients, model: LogisticModel, large: bool) -> dict[str, Any]:
    """Return the odds of logistic regression, and words by class."""
    heard = _logistic_words(model, given.labels)
    found = _odds(given, model, MANY if large else FEW)
    return found | {"words": _words_by_class(given, heard, MANY_WORDS if large else FEW_WORDS)}


def _texts(given: Ingredients) -> set[str]:
    return {c.name for c in given.table.schema.used if c.kind == "text"}


def _votes(given: Ingredients, model: NaiveBayesModel, most: int) -> dict[str, Any]:
    texts = _texts(given)
    found = [v for v in votes(model) if math.isfinite(v.weight) and v.column not in texts]
    if len(given.labels) > FEW_CLASSES:  # a line for every class would be the same thing many times
        best = {(v.column, v.value): v for v in sorted(found, key=lambda v: v.weight)}
        found = sorted(best.values(), key=lambda v: -v.weight)
    top = max([abs(v.weight) for v in found] or [1.0])
    rows = [
        {
            "name": f"{v.column} {'' if v.value[:2] in ('< ', '>=') else '= '}{v.value}",
            "of": v.label,
            "weight": f"{v.weight:+.2f}",
            "odds": _ratio(v.weight),
            "bar": signed_bar(v.weight, top, f"log-odds {v.weight:+.2f} for {v.label}"),
        }
        for v in found[:most]
    ]
    left = max(0, len(found) - len(rows))
    return {"kind": "votes", "rows": rows, "left": left, "errors": False, "spread": False}


def _odds(given: Ingredients, model: LogisticModel, most: int) -> dict[str, Any]:
    spread = _spreads(given)
    figures = [f for f in Summary(model).figures if f.name != "(constant)"]
    sizes = {id(f): f.estimate * spread.get(f.name, 1.0) for f in figures}
    ordered = sorted(figures, key=lambda f: (-abs(sizes[id(f)]), f.name, f.of))
    top = max([abs(sizes[id(f)]) for f in ordered[:most]] or [1.0]) or 1.0
    rows = [
        {
            "name": f.name,
            "of": f.of,
            "weight": f"{f.estimate:+.3g}",
            "odds": _ratio(f.estimate),
            "ends": "" if f.odds_interval is None else between(*f.odds_interval, ".3g"),
            "p": "" if f.p is None else "< 0.001" if f.p < 0.001 else f"{f.p:.3f}",
            "bar": signed_bar(sizes[id(f)], top, _bar_words(f, spread.get(f.name))),
        }
        for f in ordered[:most]
    ]
    return {
        "kind": "odds",
        "rows": rows,
        "left": max(0, len(ordered) - len(rows)),
        "errors": any(r["ends"] for r in rows),
        "spread": any(f.name in spread for f in ordered[:most]),
        "bases": compared_words(model).strip(),
    }


def _spreads(given: Ingredients) -> dict[str, float]:
    """Return the standard deviation of each numeric column."""
    numeric = [c.name for c in given.table.schema.used if c.kind == "numeric"]
    return {name: _spread(given.table.column(name)) for name in numeric}


def _spread(values: NDArray[np.float64]) -> float:
    """Return the standard deviation of the numbers that are known, looked at some at a time."""

    def parts() -> Iterator[NDArray[np.float64]]:
        return (part[~np.isnan(part)] for part in (values[s] for s in steps(len(values))))

    known = sum(map(len, parts()))
    if not known:
        return 0.0
    mean = sum(float(part.sum()) for part in parts()) / known
    return math.sqrt(sum(float(((part - mean) ** 2).sum()) for part in parts()) / known)


def _bar_words(f: Figure, spread: float | None) -> str:
    if spread is None:
        return f"log-odds {f.estimate:+.3g} for {f.of}"
    return f"log-odds {f.estimate * spread:+.3g} for {f.of} by one standard deviation, {spread:.3g}"


# -- words --


def _words_by_class(given: Ingredients, words: Heard, most: int) -> list[dict[str, Any]]:
    """Return for each class the words that speak most for it; nothing where there is no text column."""
    texts = sorted(_texts(given))
    if not texts:
        return []
    heard: dict[str, list[tuple[float, str]]] = {}
    for label, column, word, weight in words:
        if column in texts and weight > 0:
            name = word if len(texts) == 1 else f"{column}: {word}"
            heard.setdefault(label, []).append((weight, name))
    shown = [label for label in given.labels if heard.get(label)][:MOST_CLASSES]
    best = {label: sorted(heard[label], key=lambda w: (-w[0], w[1]))[:most] for label in shown}
    top = max((words[0][0] for words in best.values()), default=1.0)
    return [
        {
            "label": label,
            "number": given.labels.index(label),
            "rows": [
                {"word": word, "weight": f"{w:+.2f}", "share": w / top, "words": f"log-odds {w:+.2f}"}
                for w, word in best[label]
            ],
        }
        for label in shown
    ]


def _bayes_words(model: NaiveBayesModel, labels: tuple[str, ...]) -> Heard:
    """Yield class, column, word and how much it speaks for the class."""
    for label in labels:
        for v in votes(model, label):
            if math.isfinite(v.weight):
                yield label, v.column, v.value, v.weight


def _logistic_words(model: LogisticModel, labels: tuple[str, ...]) -> Heard:
    """Yield class, column, word and how much it speaks for the class."""
    for part in (p for p in model.parts if isinstance(p, WordWeights)):
        names, table = model.schema[part.name].words, part.weights
        if model.links == 1:  # one set of weights, towards the second class
            table = np.column_stack([-table[:, 0], table[:, 0]])
        for c, label in enumerate(labels):
            for word in np.argsort(-table[:, c], kind="stable")[:MANY_WORDS].tolist():
                yield label, part.name, names[word], float(table[word, c])


def _ratio(weight: float) -> str:
    if weight > 13.8:
        return "> 1,000,000"
    ratio = math.exp(weight)
    if abs(ratio - 1) < 0.01 and weight:  # "1" would say that nothing changes
        return f"{ratio:.5f}".rstrip("0")
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"
