"""The own part of a model file with names in the place of positions, so that two of them compare in words.

Knows checked documents and the sentences of tests. Knows nothing of files.
Law: two documents with the same schema have equal named parts exactly when their own parts are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tallystick.data.schema import Schema
from tallystick.errors import shown
from tallystick.models.rules.model import condition_of
from tallystick.models.tree.file import read_nodes
from tallystick.models.tree.nodes import Nodes
from tallystick.models.tree.sentences import condition

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
    rules = [(" and ".join(sentences(rule, schema)), rule) for rule in model["rules"]]
    every = [*rules, ("the rows without a rule", model["otherwise"])]
    return {
        "rules": [name for name, _ in rules],
        "rows": {name: by_class(rule["counts"], labels) for name, rule in every},
        "imagined rows": {name: rule["imagined"] for name, rule in every},
        "all rows": by_class(model["totals"], labels),
    }


def sentences(rule: dict[str, Any], schema: Schema) -> list[str]:
    """Return the conditions of a rule of a file."""
    return [condition_of(c, schema).sentence(missing=True) for c in rule["conditions"]]


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
        own, told = _part(part, known.get(part["name"], {}), links)
        out[place] = own
        names += [f"{place}{name}" for name in told]
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
        """Return the test of a node, all its branches."""
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
