"""Differences between two model files: by place in the file, in sentences, and between their profiles.

Parts: models of each method with names for positions; scorecards line by line; the largest changes in
sentences; profiles; the result. Entry: `compare()`, which gives a `Difference`.
Law: no difference is reported exactly when the documents are equal.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tallystick import methods
from tallystick.draw.svg import as_html
from tallystick.errors import shown
from tallystick.model import file
from tallystick.model.conditions import condition
from tallystick.model.decision import from_dict
from tallystick.model.file import read_file
from tallystick.model.profile import ColumnProfile
from tallystick.rules.model import condition_of
from tallystick.schema import CODED, Schema
from tallystick.scorecard.card import line_names
from tallystick.scorecard.model import LevelAxis, PairPoints, Part, RangeAxis, WordPoints, part_from
from tallystick.text import number_text
from tallystick.tree.nodes import Nodes, read_nodes

# The method's own part of a model file, with names for positions, so that two of them compare in words.
#
# Law: two documents with the same schema have equal named parts exactly when their own parts are equal.


Pair = tuple[str, Any, Any]  # place, before, after


def plain_changes(a: dict[str, Any], b: dict[str, Any]) -> Iterator[Pair]:
    """Yield what differs between two models of any kind, by place: for a kind that has no names to give."""
    yield from walk(by_name(a["model"]), by_name(b["model"]), "model")


def bayes_changes(a: dict[str, Any], b: dict[str, Any]) -> Iterator[Pair]:
    """Yield what differs between two models of naive Bayes."""
    yield from walk(naive_bayes(a), naive_bayes(b), "")


def logistic_changes(a: dict[str, Any], b: dict[str, Any]) -> Iterator[Pair]:
    """Yield what differs between two logistic regressions, or two linear ones."""
    yield from walk(logistic(a), logistic(b), "")


def tree_changes(a: dict[str, Any], b: dict[str, Any]) -> Iterator[Pair]:
    """Yield what differs between two trees."""
    for place, before, after in tree_facts(a, b):
        if before != after or type(before) is not type(after):
            yield place, before, after
    yield from walk(a["model"].get("certificate"), b["model"].get("certificate"), "certificate")


def rule_changes(a: dict[str, Any], b: dict[str, Any]) -> Iterator[Pair]:
    """Yield what differs between two lists or sets of rules: rules that came or went, their order, then the
    rows behind those of both.
    """
    before, after = rule_facts(a), rule_facts(b)
    yield from walk(before["rules"], after["rules"], "rules")
    both = [rule for rule in before["rows"] if rule in after["rows"]]
    for name in ("rows", "imagined rows"):
        for rule in both:
            yield from walk(before[name][rule], after[name][rule], f"{name} of {rule}")
    yield from walk(before["all rows"], after["all rows"], "all rows")


def rule_facts(document: dict[str, Any]) -> dict[str, Any]:
    """Return rules by their sentences, in their order, and what is behind them."""
    schema, model = Schema.from_dict(document["schema"]), document["model"]
    labels = list(schema.predicted.labels)
    rules = []
    for rule in model["rules"]:
        conditions = [condition_of(c, schema).sentence(missing=True) for c in rule["conditions"]]
        rules.append((" and ".join(conditions), rule))
    every = [*rules, ("the rows without a rule", model["otherwise"])]
    return {
        "rules": [name for name, _ in rules],
        "rows": {name: by_class(rule["counts"], labels) for name, rule in every},
        "imagined rows": {name: rule["imagined"] for name, rule in every},
        "all rows": by_class(model["totals"], labels),
    }


def by_name(value: Any) -> Any:
    """Return lists of things that have a name as objects by name."""
    if isinstance(value, dict):
        return {k: by_name(v) for k, v in value.items()}
    if isinstance(value, list) and value and all(isinstance(v, dict) and "name" in v for v in value):
        return {f"column {shown(v['name'])}": by_name(v) for v in value}
    return "none" if value is None else value  # None says that there is no such place


def walk(a: Any, b: Any, place: str) -> Iterator[Pair]:
    """Yield the changes below one place; 1 and 1.0 or true and 1 are not the same."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            yield from walk(a.get(key), b.get(key), f"{place}, {key}" if place else key)
    elif isinstance(a, list) and isinstance(b, list) and all(isinstance(v, str) for v in a + b):
        before, after = set(a), set(b)
        for name in sorted(before - after):
            yield f"{place}: {shown(name)}", name, None
        for name in sorted(after - before):
            yield f"{place}: {shown(name)}", None, name
        if before == after and a != b:
            yield f"{place}, their order", a, b
    elif a != b or type(a) is not type(b):
        yield place, a, b


def by_class(value: Any, labels: list[str]) -> Any:
    """Return a list with one entry per class as an object by class, of a number its one entry; objects are
    looked into.
    """
    if isinstance(value, dict):
        return {k: by_class(v, labels) for k, v in value.items()}
    if not labels and isinstance(value, list) and len(value) == 1:
        return value[0]
    flat = isinstance(value, list) and len(value) == len(labels) and not isinstance((value or [0])[0], list)
    return {f"class {shown(c)}": v for c, v in zip(labels, value, strict=True)} if flat else value


def naive_bayes(document: dict[str, Any]) -> dict[str, Any]:
    """Return counts by column, level or word, and class."""
    labels = document["schema"]["target"]["labels"]
    known = {c["name"]: c for c in document["schema"]["columns"]}
    out = {k: by_class(v, labels) for k, v in document["model"].items() if k != "columns"}
    for column in document["model"]["columns"]:
        names = _names(known[column["name"]], column) if "counts" in column else []
        own: dict[str, Any] = {}
        for key, value in column.items():
            if key in ("counts", "idf"):
                own[key] = {n: by_class(v, labels) for n, v in zip(names, value, strict=True)}
            elif key != "name":
                own[key] = by_class(value, labels)
        out[f"column {shown(column['name'])}"] = own
    return out


def _names(known: dict[str, Any], column: dict[str, Any]) -> list[str]:
    """Return what the rows of a column's counts are: levels, words, or bins named by their cuts."""
    if "cuts" in column:
        cuts = [f"{c:.12g}" for c in column["cuts"]]
        pairs = zip(["", *cuts], [*cuts, ""], strict=True)
        return [
            f"bin {' and '.join(([f'>= {a}'] if a else []) + ([f'< {b}'] if b else [])) or 'of all'}"
            for a, b in pairs
        ]
    if "words" in known:
        return [f"word {shown(w)}" for w in known["words"]]
    return [f"level {shown(v)}" for v in known["levels"]]


def logistic(document: dict[str, Any]) -> dict[str, Any]:
    """Return weights by column, level or word, and class; of a linear regression for its number."""
    labels = document["schema"]["target"]["labels"]
    links = labels[1:] if len(labels) == 2 else labels
    known = {c["name"]: c for c in document["schema"]["columns"]}
    model = document["model"]
    out: dict[str, Any] = {"constant": by_class(model["constant"], links), "fit": model["fit"]}
    if labels:
        out["reference"] = labels[model["reference"]]
    names = ["the constant"]
    for part in model["parts"]:
        place = f"{'product' if part['part'] == 'product' else 'column'} {shown(part['name'])}"
        own, coefficients = _part(part, known.get(part["name"], {}), links)
        out[place] = own
        names += [f"{place}{name}" for name in coefficients]
    if len(model["errors"]) == len(names):
        errors = zip(names, model["errors"], strict=True)
        out["standard errors"] = {name: by_class(row, links) for name, row in errors}
    if "covariance" in model:  # of a linear regression: what its intervals are made of
        out["covariance"] = model["covariance"]
    return out


def _part(part: dict[str, Any], known: dict[str, Any], links: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Return one part by name, and the names of its coefficients."""
    own = {k: by_class(v, links) for k, v in part.items() if k not in ("name", "weights", "free", "idf")}
    if part["part"] == "cells":
        levels = [*(f"level {shown(v)}" for v in known["levels"]), "missing"]
        own["weights"] = {n: by_class(w, links) for n, w in zip(levels, part["weights"], strict=True)}
        own["weights that are free"] = dict(zip(levels, part["free"], strict=True))
        return own, [f", {name}" for name in levels]
    if part["part"] == "words":
        words = [f"word {shown(w)}" for w in known["words"]]
        own["weights"] = {n: by_class(w, links) for n, w in zip(words, part["weights"], strict=True)}
        own["idf"] = dict(zip(words, part["idf"], strict=False))
        return own, []
    return own, ["", ", missing"] if "missing" in part else [""]


def tree_facts(a: dict[str, Any], b: dict[str, Any]) -> Iterator[Pair]:
    """Yield the facts of two trees side by side, from the root down; nothing is compared below
    another test.
    """
    one, two = _Tree(a), _Tree(b)
    stack = [(0, 0, "")]
    while stack:
        i, j, way = stack.pop()
        where = f"where {way}" if way else "at the root"
        facts, others = one.facts(i), two.facts(j)
        yield from ((f"{name} {where}", facts.get(name), others.get(name)) for name in facts | others)
        if one.test(i) != two.test(j):
            yield f"test {where}", one.test(i), two.test(j)
            continue
        if facts == others:  # else they differ as a matter of course
            yield f"candidate splits {where}", one.candidates.get(i), two.candidates.get(j)
        below = list(zip(one.nodes.branches(i).tolist(), two.nodes.branches(j).tolist(), strict=True))
        for branch in reversed(range(len(below))):
            step = one.sentence(i, branch)
            stack.append((*below[branch], f"{way} and {step}" if way else step))


class _Tree:
    """A tree of a document, in words."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.schema = Schema.from_dict(document["schema"])
        self.nodes: Nodes = read_nodes(document["model"], self.schema)
        self.rows = document["model"]["nodes"]
        tests = [n for n in range(len(self.nodes)) if self.nodes.column[n] >= 0]
        texts = document["model"]["candidates"] or [""] * len(tests)
        self.candidates = dict(zip(tests, texts, strict=True))
        self.labels = list(self.schema.predicted.labels)

    def sentence(self, node: int, branch: int) -> str:
        """Return what a value must be to take a branch."""
        return condition(self.schema, self.nodes, node, branch).sentence(missing=True)

    def test(self, node: int) -> str:
        if self.nodes.column[node] < 0:
            return "none, a leaf"
        spread = {-1: " (missing stays)", -2: " (missing is shared out)"}.get(
            int(self.nodes.missing_branch[node]), ""
        )
        return " | ".join(self.sentence(node, b) for b in range(self.nodes.n_children[node])) + spread

    def facts(self, node: int) -> dict[str, Any]:
        """Return counts, or weight, mean and deviance, and the gain of a node."""
        row = self.rows[node]
        names = [f"rows of class {shown(c)}" for c in self.labels] or ["weight", "mean", "deviance"]
        out = dict(zip(names, row, strict=False))
        out["gain of the test"] = row[-1] if len(row) > len(names) else None
        return out


# Two scorecards, line by line: points before and after, lines that came or went.
#
# Law: two documents with the same schema have no change here exactly when their own parts are equal.


def card_changes(a: dict[str, Any], b: dict[str, Any]) -> Iterator[Pair]:
    """Yield what differs between two scorecards: points first, then the rows behind them."""
    before, after = _facts(a), _facts(b)
    _alike(before["points"], after["points"], whole=True)
    for name in ("training rows", "standard errors"):
        _alike(before[name], after[name], whole=False)
    for name in before:
        yield from walk(before[name], after[name], name)


def _alike(before: dict[str, Any], after: dict[str, Any], whole: bool) -> None:
    """Give a column that one card lacks no lines there, so that its lines are named one by one; if not
    `whole`, keep only the lines of both cards: the points tell which came and went.
    """
    for place in before.keys() | after.keys():
        one, two = before.setdefault(place, {}), after.setdefault(place, {})
        if not whole:
            before[place] = {line: v for line, v in one.items() if line in two}
            after[place] = {line: v for line, v in two.items() if line in one}


def _facts(document: dict[str, Any]) -> dict[str, Any]:
    """Return a card by name: the scale, the base, points by line, then rows, errors and the fit."""
    schema = Schema.from_dict(document["schema"])
    model, labels = document["model"], list(schema.predicted.labels)
    links = labels[1:] if len(labels) == 2 else labels
    words = {c.name: len(c.words) for c in schema.columns if c.kind == "text"}
    points: dict[str, Any] = {}
    rows: dict[str, Any] = {}
    errors: dict[str, Any] = {}
    for k, data in enumerate(model["parts"]):
        part = part_from(data, words)
        place, names = _place(part), _lines(schema, part)
        points[place] = _by_line(names, data["points"], links)
        rows[place] = _by_line(names, data["rows"], labels)
        if model["errors"]:
            errors[place] = _by_line(names, model["errors"][k], links)
    return {
        "points that double the odds": model["step"],
        "base points": _points(model["base"], links),
        "points": points,
        "order of the columns": [_place(part_from(p, words)) for p in model["parts"]],
        "columns without points": model["left_out"],
        "training rows": rows,
        "standard errors": errors,
        "what they have in common": _digest(model.get("spread")),
        "fit": model["fit"],
    }


def _digest(spread: Any) -> str:
    """Return a name for how the errors go together: whether it changed is what matters, not each number."""
    return hashlib.sha256(file.write(spread)).hexdigest()[:12] if spread else "not kept"


def _by_line(names: list[str], values: list[Any], labels: list[str]) -> dict[str, Any]:
    return {name: _points(value, labels) for name, value in zip(names, values, strict=True)}


def _points(values: list[Any], labels: list[str]) -> Any:
    """Return one number for one link, else a number per class."""
    return values[0] if len(values) == 1 else by_class(values, labels)


def _place(part: Part) -> str:
    return f"{'pair' if isinstance(part, PairPoints) else 'column'} {shown(part.name)}"


def _lines(schema: Schema, part: Part) -> list[str]:
    """Return every line of a part in words, each once."""
    if isinstance(part, WordPoints):
        return [f"word {shown(schema[part.name].words[w])}" for w in part.words]
    if isinstance(part, PairPoints):
        first, second = (_axis_names(schema, axis) for axis in (part.axis.first, part.axis.second))
        return [f"{a}, {b}" for a in first for b in second]
    return _axis_names(schema, part.axis)


def _axis_names(schema: Schema, axis: RangeAxis | LevelAxis) -> list[str]:
    if isinstance(axis, RangeAxis):
        return line_names(schema[axis.name], axis)
    levels: list[list[str]] = [[] for _ in range(axis.known)]
    for level, line in zip(schema[axis.name].levels, axis.line, strict=True):
        levels[line].append(shown(level))
    return [*(" or ".join(on) for on in levels), "missing", "a new level"]


# The largest changes between two models of one kind, in sentences about shares, points and odds.
#
# Law: a sentence has both figures; the largest come first, equals in the order of the file.


Sized = tuple[float, str]  # how large, and the sentence
SHOWN = 10
SMALL = 0.0005  # shares that moved less are not named


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
    for place, old, new in _moved(a, b):
        if abs(new - old) >= SMALL:
            yield abs(new - old), f"{place}: odds × {_factor(old)}, now × {_factor(new)}"


def linear_largest(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Sized]:
    """Yield weights that changed, in the unit of the answer; of a number for one deviation more."""
    for place, old, new in _moved(a, b):
        if new != old:
            yield abs(new - old), f"{place}: adds {old:.4g}, now {new:.4g}"


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


# Two profiles: how the training rows of each model looked, in words.
#
# Law: profiles that differ are reported even if nothing else does.


NAMED = 4  # levels named with their rows
DETAIL = " (not the same in detail)"


def profile_changes(a: Mapping[str, Any], b: Mapping[str, Any], alone: bool) -> list[Pair]:
    """Return what differs, a place for each column; alone: nothing else differs between the files, so that
    details count.
    """
    one, two = a.get("profile"), b.get("profile")
    if one is None or two is None:
        sizes = [None if profile is None else len(profile["columns"]) for profile in (one, two)]
        return [("profile, columns", sizes[0], sizes[1])] if one != two else _only_version(a, b)
    first, second = _parts(a), _parts(b)
    out = []
    for place in dict.fromkeys([*first, *second]):
        (before, old), (after, new) = (side.get(place, (None, None)) for side in (first, second))
        if old != new and (before != after or alone):
            same = before == after and after is not None
            out.append((f"profile, {place}", before, f"{after}{DETAIL}" if same else after))
    return out


def _only_version(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[Pair]:
    one, two = (2 if "profile" in document else 1 for document in (a, b))
    return [] if one == two else [("format version", one, two)]


def _parts(document: Mapping[str, Any]) -> dict[str, tuple[str | None, Any]]:
    """Return words and data of each column, of the target and of the answers."""
    profile, target = document["profile"], document["schema"]["target"]
    unit, out = document["rows"]["unit"], {}
    for column, own in zip(document["schema"]["columns"], profile["columns"], strict=True):
        names = column.get("levels") if column["kind"] in CODED else column.get("words")
        out[f"column {shown(column['name'])}"] = (_words(own, names or (), unit), own)
    labels = target["labels"] if target else ()
    out["target"] = (_words(profile["target"], labels, unit), profile["target"])
    out["answers"] = (_words(profile["answers"], labels, unit), profile["answers"])
    return out


def _words(own: Mapping[str, Any] | None, names: Sequence[str], unit: int) -> str | None:
    """Return what a column holds in a few words: the middle and the ends, or the commonest levels."""
    if own is None:
        return None
    missing = own.get("missing", 0)
    rest = f", {_rows(missing, unit)} missing" if missing else ""
    if "values" in own:
        middle = ColumnProfile.from_dict(own).quantile(50)
        if middle is None:
            return "no number" + rest
        low, high = (number_text(own["values"][place]) for place in (0, -1))
        return f"{low} to {high}, half at or below {number_text(middle)}{rest}"
    counts = own.get("given", own.get("counts"))
    order = sorted(range(len(counts)), key=lambda i: (-counts[i], i))[:NAMED]
    more = "" if len(counts) <= NAMED else f", {len(counts) - NAMED:,} more"
    return ", ".join(f"{names[i]} {_rows(counts[i], unit)}" for i in order) + more + rest


def _rows(count: int, unit: int) -> str:
    return f"{count // unit:,}" if count % unit == 0 else f"{count / unit:,.1f}"


_WORDS = {
    "rows": "training rows",
    "parameters": "parameter",
    "schema": "schema",
    "notes": "note",
}


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: where, and both values (None: not there)."""

    place: str
    before: Any
    after: Any

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.place} was added: {_short(self.after)}"
        if self.after is None:
            return f"{self.place} is gone: {_short(self.before)}"
        text = f"{self.place} changed from {_short(self.before)} to {_short(self.after)}"
        if type(self.before) is int and type(self.after) is int:
            text += f" ({self.after - self.before:+,})"
        return text


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes between two models: of the decision first, then in the order of the file; before them
    `largest`, sentences on the shares, points or odds that moved most. flips: which answers to some rows
    differ, where rows were given.
    """

    changes: tuple[Change, ...]
    largest: tuple[str, ...] = ()
    flips: Any = None

    def __bool__(self) -> bool:
        return bool(self.changes)

    @property
    def decided(self) -> tuple[Change, ...]:
        """The change of the decision, alone, where there is one: what is said before all else."""
        return tuple(change for change in self.changes[:1] if change.place == "decision")

    _repr_html_ = as_html

    def __str__(self) -> str:
        first = [*map(str, self.decided), *([] if self.flips is None else [str(self.flips), ""])]
        if self.largest:
            first += ["the largest changes", *(f"  {text}" for text in self.largest), "", "all changes"]
        return (
            "\n".join([*first, *map(str, self.changes[len(self.decided) :])])
            if self.changes
            else "The two models are the same."
        )

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        changes = [
            {"place": c.place, "before": c.before, "after": c.after, "text": str(c)} for c in self.changes
        ]
        out = {"same": not changes, "largest": list(self.largest), "changes": changes}
        return out if self.flips is None else out | {"on": self.flips.to_dict()}


class Saved(Protocol):
    """A fitted model: it can write its file."""

    def to_bytes(self) -> bytes:
        """Return the model file's bytes."""
        ...


def file_bytes(model: str | os.PathLike[str] | Saved) -> bytes:
    """Return the bytes of a model file, or those that a fitted model would write."""
    return read_file(model) if isinstance(model, (str, os.PathLike)) else model.to_bytes()


def compare(a: dict[str, Any], b: dict[str, Any]) -> Difference:
    """Return what changed between two checked documents."""
    if a["kind"] != b["kind"]:
        return Difference((Change("kind of model", a["kind"], b["kind"]),))
    found: list[Pair] = []
    before, after = _decision(a), _decision(b)
    if before != after:  # first: it changes the answers where no number of the model did
        found.append(("decision", before, after))
    for section in ("parameters", "rows", "schema"):
        found += walk(by_name(a[section]), by_name(b[section]), _WORDS[section])
    found += methods.of_kind(a["kind"]).load("changes")(a, b)
    found += walk(_notes(a["notes"]), _notes(b["notes"]), _WORDS["notes"])
    found += profile_changes(a, b, alone=not found)
    largest = sentences(methods.of_kind(a["kind"]).load("largest")(a, b)) if found else ()
    return Difference(tuple(Change(*pair) for pair in found), largest)


def changes(a: dict[str, Any], b: dict[str, Any]) -> list[str]:
    """Return what changed between two checked documents, a sentence per change."""
    return [str(change) for change in compare(a, b).changes]


def _decision(document: dict[str, Any]) -> str:
    """Return how a model answers, in words."""
    if "decision" not in document:
        return Spoken("the most probable class")
    return Spoken(from_dict(document["decision"], Schema.from_dict(document["schema"]).predicted))


def _notes(notes: list[dict[str, Any]]) -> dict[str, str]:
    """Return notes by code and column; several of one name are numbered."""
    out: dict[str, str] = {}
    for note in notes:
        name = f"{note['code']} {shown(note['column'])}" if note["column"] else note["code"]
        same = sum(key == name or key.startswith(f"{name} #") for key in out)
        count = f" (count {note['count']:,})" if note["count"] else ""
        out[f"{name} #{same + 1}" if same else name] = note["text"] + count
    return out


class Spoken(str):
    """A sentence of ours, which is shown as it is."""


def _short(value: Any) -> str:
    if isinstance(value, Spoken):
        return str(value)
    if isinstance(value, str):
        return shown(value)
    if type(value) is int:
        return f"{value:,}"
    text = str(value)
    return text if len(text) <= 60 else text[:59] + "…"
