"""The largest changes between two models of one kind, in sentences: shares, points and odds, not file places.

Knows checked documents. Knows nothing of files or rows.
Law: a sentence has both figures; the largest come first, equals in the order of the file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tallystick.errors import shown
from tallystick.export.card_changes import card_changes
from tallystick.export.diff_models import Pair, _names, logistic, rule_facts, tree_facts, walk

Sized = tuple[float, str]  # how large, and the sentence
SHOWN = 10
SMALL = 0.0005  # a share that moved less is not told


def none_largest(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Sized]:
    """Yield nothing: the changes of the file are all there is to say."""
    yield from ()


def sentences(sized: Iterable[Sized]) -> tuple[str, ...]:
    """Return the largest, in words."""
    return tuple(text for _, text in sorted(sized, key=lambda one: -one[0])[:SHOWN])


def _share(place: str, before: float, after: float) -> Iterator[Sized]:
    if abs(after - before) >= SMALL:
        points = 100 * (after - before)
        yield abs(after - before), f"{place}: {before:.1%}, now {after:.1%} ({points:+.1f} points)"


def bayes_largest(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Sized]:
    """Yield how far the shares of levels, bins and words in each class moved; means in deviations."""
    first, second = _bayes(a), _bayes(b)
    for place in (place for place in first if place in second):
        yield from _share(place, first[place], second[place])


def _bayes(document: Mapping[str, Any]) -> dict[str, float]:
    """Return share[column, value, class], and the share of each class."""
    labels = document["schema"]["target"]["labels"]
    known = {c["name"]: c for c in document["schema"]["columns"]}
    model, out = document["model"], {}
    full = sum(model["classes"]) or 1
    for label, count in zip(labels, model["classes"], strict=True):
        out[f"rows of class {shown(label)}"] = count / full
    for column in model["columns"]:
        if "counts" not in column:
            continue
        sums = [sum(row[k] for row in column["counts"]) for k in range(len(labels))]
        for value, row in zip(_names(known[column["name"]], column), column["counts"], strict=True):
            for label, count, whole in zip(labels, row, sums, strict=True):
                if whole:
                    place = f"of class {shown(label)}, column {shown(column['name'])}, {value}"
                    out[place] = count / whole
    return out


def tree_largest(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Sized]:
    """Yield tests that changed, then how far the class shares at the nodes of both trees moved."""
    sides: dict[str, tuple[dict[str, float], dict[str, float]]] = {}
    for place, before, after in tree_facts(dict(a), dict(b)):
        what, _, where = place.partition(" ")
        if what == "test" and before != after:
            yield math.inf, f"{place} was {before}, now {after}"
        elif place.startswith("rows of class ") and before is not None and after is not None:
            label, _, where = place.removeprefix("rows of class ").rpartition(" where ")
            if not label:
                label, where = place.removeprefix("rows of class ").removesuffix(" at the root"), ""
            one, two = sides.setdefault(where, ({}, {}))
            one[label], two[label] = before, after
        elif place.startswith("mean ") and before is not None and after is not None and before != after:
            size = abs(after - before) / (abs(before) + abs(after) or 1.0)
            yield size, f"{place}: {before:.6g}, now {after:.6g}"
    for where, (one, two) in sides.items():
        m, n = sum(one.values()) or 1, sum(two.values()) or 1
        for label in one:
            place = f"where {where}: share of {label}" if where else f"all rows: share of {label}"
            yield from _share(place, one[label] / m, two[label] / n)


def rules_largest(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Sized]:
    """Yield rules that came or went, then how far the class shares of the others moved."""
    before, after = rule_facts(dict(a)), rule_facts(dict(b))
    for rule in before["rules"]:
        if rule not in after["rules"]:
            yield math.inf, f"the rule {rule} is gone"
    for rule in after["rules"]:
        if rule not in before["rules"]:
            yield math.inf, f"the rule {rule} is new"
    for rule in (rule for rule in before["rows"] if rule in after["rows"]):
        one, two = before["rows"][rule], after["rows"][rule]
        m, n = sum(one.values()) or 1, sum(two.values()) or 1
        for label in (label for label in one if label in two):
            yield from _share(f"{rule}: share of {label}", one[label] / m, two[label] / n)


def card_largest(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Sized]:
    """Yield lines whose points changed, came or went."""
    for place, before, after in card_changes(dict(a), dict(b)):
        if not place.startswith(("points, ", "base points")):
            continue
        name = place.removeprefix("points, ")
        old, new = (v if isinstance(v, int) else 0 for v in (before, after))
        if before is None or after is None:
            words = f"a new line of {new} points" if before is None else f"gone, it had {old} points"
            yield abs(new - old), f"{name}: {words}"
        elif old != new:
            yield abs(new - old), f"{name}: {old} points, now {new} ({new - old:+d})"


def logistic_largest(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Sized]:
    """Yield weights that changed, as factors of the odds; of a number for one deviation more."""
    for told, old, new in _moved(a, b):
        if abs(new - old) >= SMALL:
            yield abs(new - old), f"{told}: odds × {_factor(old)}, now × {_factor(new)}"


def linear_largest(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Sized]:
    """Yield weights that changed, in the unit of the answer; of a number for one deviation more."""
    for told, old, new in _moved(a, b):
        if new != old:
            yield abs(new - old), f"{told}: adds {old:.4g}, now {new:.4g}"


def _moved(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
    """Yield each weight that changed, in words, before and after; of a number for one deviation more."""
    scale = {p["name"]: p["scale"] for p in b["model"]["parts"] if p["part"] == "slope"}
    for place, before, after in _weights(a, b):
        name = next((n for n in scale if place.startswith(f"column {shown(n)}, slope")), None)
        unit = 1.0 if name is None else scale[name]
        words = "" if name is None else f" for {unit:.3g} more"
        old, new = (0.0 if v is None else float(v) * unit for v in (before, after))
        yield place.replace(", weights, ", ", ").replace(", slope", "") + words, old, new


def _weights(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Pair]:
    for place, before, after in walk(logistic(dict(a)), logistic(dict(b)), ""):
        numbers = all(v is None or isinstance(v, float) for v in (before, after))
        if numbers and (", weights" in place or ", slope" in place) and "standard errors" not in place:
            yield place, before, after


def _factor(weight: float) -> str:
    return f"{math.exp(weight):.3g}" if abs(weight) < 700 else "beyond all numbers"
