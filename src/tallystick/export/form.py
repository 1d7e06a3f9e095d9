"""The form of a fitted model: plain data for every export target (columns, then a tree, rules or terms).

    model --form_of--> Form (this file) --> JavaScript, Python: the data and a fixed piece of code beside it
                                        --> SQL, ONNX and others: written out from the data

Entry: `form_of()`. None in a table is -infinity. Law: whoever evaluates a form answers what the model
answers: missing marks, unseen levels, numbers given as text, ties.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels, methods
from tallystick.bayes.model import NaiveBayesModel
from tallystick.contracts import Model
from tallystick.errors import OptionError
from tallystick.kernels.text import CellKind
from tallystick.linear.model import LogisticModel, ProductTerm, TextTerm
from tallystick.model.additive import WEIGHT_ONE, BinTerm, LevelTerm, LinearTerm, NormalTerm, Term, WordTerm
from tallystick.model.conditions import Condition
from tallystick.rules.model import RuleModel
from tallystick.schema import CODED, NUMBER_MARKS, Column, Schema, meanings, spelt
from tallystick.scorecard.model import PairTerm, RangeAxis, ScorecardModel
from tallystick.table.cells import mark_numbers
from tallystick.text import number_text
from tallystick.tree.model import Tree
from tallystick.tree.nodes import SPREADS, STAYS

Data = dict[str, Any]


@dataclass(frozen=True)
class Form:
    """What a target needs to know.

    columns: those that the model looks at; `column` below is a place among them. labels: typed; none in
    regression. nodes: of a tree, node 0 is the root. A leaf is [shares]. A test is [column, cut, to, missing,
    shares]: a number x goes to to[0] when x < cut, else to to[1]; a level goes to to[code] (cut is None); a
    missing or unseen value goes to `missing`: a node, or [[node, part], ...] when it goes down all of them in
    parts. A way that leads to the node itself ends there, and only then the test has shares. rules: of a list
    of rules, [conditions, shares] each; the first whose conditions all hold answers, and the last has none. A
    condition is [column, range, codes, missing]: of a number [low, high) with None for no end, or None where
    no number is allowed; of levels the codes that are; whether a missing or unseen value is. base, terms: of
    an additive model; score = base + the parts of the terms in their order, then slope * score + shift. A
    term's "average" is what its reasons are measured from, where that is not 0. The points of a card are
    whole numbers; what its terms say of reason codes, `card_form` tells. costs[class][answer]: where there
    are some, the answer of least expected cost is given (`best`); decision: the same in words, where the user
    set it.
    """

    kind: str
    target: str
    labels: tuple[Any, ...]
    columns: tuple[Column, ...]
    marks: tuple[str, ...]
    sha256: str
    nodes: tuple[list[Any], ...] = ()
    rules: tuple[list[Any], ...] = ()
    costs: tuple[tuple[float, ...], ...] = ()
    base: tuple[float, ...] = ()
    terms: tuple[Data, ...] = ()
    slope: float = 1.0
    shift: tuple[float, ...] = ()
    notes: tuple[str, ...] = field(default=())
    decision: str = ""

    @property
    def given(self) -> tuple[str, ...]:
        """The columns of a row that the model reads, each once."""
        return tuple(dict.fromkeys(c.cells for c in self.columns))

    @property
    def is_tree(self) -> bool:
        """Whether it is a tree; else base and terms."""
        return bool(self.nodes)

    @property
    def ends(self) -> list[list[float]]:
        """The shares of every end: of a tree's leaves and tests where some value stays, or of rules."""
        return [end[-1] for end in (*self.nodes, *self.rules) if end[-1] is not None]

    @property
    def has_reasons(self) -> bool:
        """Whether it is a card: its terms know the best line and the average row."""
        return bool(self.terms) and all("usual" in term for term in self.terms)

    @property
    def sentinels(self) -> tuple[float, ...]:
        """The missing marks that are numbers."""
        return tuple(mark_numbers(self.marks).tolist())

    @property
    def spreads(self) -> bool:
        """Whether some missing value goes down several branches."""
        return any(len(n) > 1 and isinstance(n[3], list) for n in self.nodes)

    @property
    def texts(self) -> list[str]:
        """The columns whose words are read."""
        return [c.name for c in self.columns if c.kind == "text"]

    def to_dict(self) -> Data:
        """Return what the JavaScript and the Python beside it read."""
        out: Data = {
            "kind": self.kind,
            "target": self.target,
            "labels": list(self.labels),
            "marks": list(self.marks),
            "number_marks": sorted(NUMBER_MARKS),
            "sentinels": list(self.sentinels),
            "columns": [_column(c) for c in self.columns],
        }
        costs = [list(row) for row in self.costs]
        if self.is_tree:
            return out | {"nodes": list(self.nodes), "costs": costs}
        if self.rules:
            return out | {"rules": list(self.rules), "costs": costs}
        scaled = {"slope": self.slope, "shift": list(self.shift)} if self.shift else {}
        decided = {"costs": costs} if costs else {}
        return out | {"base": _finite(self.base), "terms": list(self.terms)} | scaled | decided

    def to_json(self) -> str:
        """Return `to_dict` as JSON that may stand in a script: no `<` is in it; an item a line."""
        data = self.to_dict()
        long = {key: data.pop(key) for key in ("columns", "nodes", "rules", "terms") if key in data}
        lines = [f"{_json(key)}:{_json(value)}" for key, value in data.items()]
        lines += [f"{_json(key)}:[\n" + ",\n".join(map(_json, items)) + "\n]" for key, items in long.items()]
        text = "{" + ",\n".join(lines) + "}"
        for character in "<>\u2028\u2029":
            text = text.replace(character, f"\\u{ord(character):04x}")
        return text


def best(form: Form, shares: Sequence[float]) -> int:
    """Return the place of the label answered: the most probable or the cheapest, of equals the first."""
    score = list(shares)
    if form.costs:
        score = [0.0] * len(shares)
        for share, row in zip(shares, form.costs, strict=True):
            score = [total - share * cost for total, cost in zip(score, row, strict=True)]
    return score.index(max(score))


def form_of(model: Model, sha256: str = "") -> Form:
    """Return the form of a fitted model; sha256: of its model file, for the record."""
    form: Form = methods.of_kind(model.kind).load("form")(model, sha256)
    if model.decision is None:
        return form
    return replace(form, costs=model.decision.costs, decision=str(model.decision))


def no_form(model: Model, sha256: str) -> Form:
    """Refuse a model whose method has no form."""
    words = methods.of_kind(model.kind).words
    raise OptionError(f"a model of {words} has no export to another language yet. Use predict or explain.")


def number_levels(column: Column) -> list[tuple[float, int]]:
    """Return (number, code) of the levels, and of spellings merged into one, that are written as numbers are:
    1.0 means the level "1".
    """
    known, at = spelt(column), {level: code for code, level in enumerate(column.levels)}
    texts = tuple(known)
    data, offsets = kernels.join_texts(texts)
    parsed = kernels.parse_numbers(data, offsets, None, ())
    plain = (CellKind.NUMBER, CellKind.INTEGER)
    return [
        (float(v), at[known[text]])
        for text, v, kind in zip(texts, parsed.values, parsed.kinds, strict=True)
        if CellKind(kind) in plain and number_text(float(v)) == text
    ]


def _json(value: Any) -> str:
    return printable(json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False))


def printable(text: str) -> str:
    """Return JSON with unprintable characters of its strings escaped: code is read in terminals and editors,
    where a change of direction would show another program than the one that runs.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be")  # one, or two beyond the first plane
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def _column(column: Column) -> Data:
    out = _cells(column) | ({"marks": list(column.marks)} if column.marks else {})
    return out | ({"of": column.of, "part": column.part} if column.part else {})


def _cells(column: Column) -> Data:
    if column.kind == "numeric" and column.part:
        return {"name": column.name, "kind": "date"}
    if column.kind == "numeric":
        return {"name": column.name, "kind": "date" if column.unit == "date" else "number"}
    if column.kind == "text":
        return {"name": column.name, "kind": "text", "words": list(column.words)}
    kind = "boolean" if column.kind == "boolean" else "levels"
    out: Data = {"name": column.name, "kind": kind, "levels": list(column.levels)}
    if numbers := number_levels(column):
        out["numbers"] = [[v, code] for v, code in numbers]
    if said := meanings(column):
        out["meant"] = {word: column.levels.index(level) for word, level in said.items()}
    if column.merged:
        out["merged"] = {text: column.levels.index(level) for text, level in column.merged}
    return out


def _head(schema: Schema, kind: str, names: set[str], sha256: str) -> Data:
    columns = tuple(c for c in schema.used if c.name in names)
    labels = tuple(schema.predicted.values()) if schema.predicted.labels else ()
    return {
        "kind": kind,
        "target": schema.predicted.name,
        "labels": labels,
        "columns": columns,
        "marks": tuple(schema.marks),
        "sha256": sha256,
    }


# -- trees --


def tree_form(tree: Tree, sha256: str) -> Form:
    """Return the form of a tree."""
    used = tree.schema.used
    names = {used[j].name for j in tree.tested if j >= 0}
    head = _head(tree.schema, tree.kind, names, sha256)
    place = {c.name: i for i, c in enumerate(head["columns"])}
    at = {j: place[used[j].name] for j in tree.tested if j >= 0}
    shares = tree.node_shares.tolist()
    nodes = tuple(_node(tree, n, at, shares[n]) for n in range(len(tree.nodes)))
    return Form(**head, nodes=nodes, costs=tree.answers.costs)


def _node(tree: Tree, node: int, at: dict[int, int], shares: list[float]) -> list[Any]:
    nodes = tree.nodes
    column = int(nodes.column[node])
    if column < 0:
        return [shares]
    below = [*nodes.branches(node).tolist(), node]  # STAYS is -1: the last
    coded = tree.schema.used[column].kind in CODED
    to = [below[b] for b in nodes.levels(node).tolist()] if coded else below[:2]
    way = int(nodes.missing_branch[node])
    missing = _parts(tree, node) if way == SPREADS else below[way]
    ends = way == STAYS or node in to
    return [at[column], None if coded else float(nodes.cut[node]), to, missing, shares if ends else None]


def _parts(tree: Tree, node: int) -> list[list[Any]]:
    """Return [branch, part of the row that goes there] where a missing value goes down all branches."""
    nodes = tree.nodes
    weight, own = nodes.weight, int(nodes.weight[node])
    below = nodes.branches(node).tolist()
    return [[b, float(weight[b] / own) if own else 1 / len(below)] for b in below]


# -- rules --


def rules_form(model: RuleModel, sha256: str) -> Form:
    """Return the form of a list or set of rules."""
    names = {c.column.name for rule in model.rules for c in rule.conditions}
    head = _head(model.schema, model.kind, names, sha256)
    place = {c.name: i for i, c in enumerate(head["columns"])}
    rules = tuple(
        [[_condition(c, place) for c in rule.conditions], shares]
        for rule, shares in zip(model.all_rules, model.rule_shares.tolist(), strict=True)
    )
    return Form(**head, rules=rules, costs=model.costs)


def _condition(c: Condition, place: dict[str, int]) -> list[Any]:
    ends = [None if math.isinf(end) else end for end in (c.low, c.high)]
    between = None if c.levels is not None or c.never else ends
    return [place[c.column.name], between, None if c.levels is None else list(c.levels), c.missing]


# -- additive models --


def additive_form(model: NaiveBayesModel | LogisticModel | ScorecardModel, sha256: str) -> Form:
    """Return the form of a model that adds up parts."""
    additive = model.additive
    names = {name for term in additive.terms for name in _columns_of(term)}
    head = _head(model.schema, model.kind, names, sha256)
    place = {c.name: i for i, c in enumerate(head["columns"])}
    calibration = model.calibration
    scaled: Data = {}
    if calibration is not None:
        scaled = {"slope": float(calibration.slope), "shift": tuple(map(float, calibration.shift))}
    terms = tuple(_term(term, place) for term in additive.terms)
    if additive.averages:
        terms = tuple(t | {"average": _plain(a)} for t, a in zip(terms, additive.averages, strict=True))
    return Form(**head, base=tuple(additive.base.tolist()), terms=terms, **scaled)


def _columns_of(term: Term) -> list[str]:
    if isinstance(term, PairTerm):
        return list(term.axis.columns)
    return [f.column for f in term.part.factors] if isinstance(term, ProductTerm) else [term.column]


def _finite(values: Any) -> Any:
    """Return numbers with None for -infinity, as JSON can hold them."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, list | tuple):
        return [_finite(v) for v in values]
    return None if values == -math.inf else values


def _term(term: Term, place: dict[str, int]) -> Data:
    for kind, write in _WRITERS.items():
        if isinstance(term, kind):
            name = {"name": term.column}
            own = {} if isinstance(term, ProductTerm | PairTerm) else {"column": place[term.column]}
            return name | own | write(term, place)
    raise OptionError(f"a term of kind {type(term).__name__!r} cannot be exported.")


def _linear(term: LinearTerm, place: dict[str, int]) -> Data:
    missing = (term.missing - term.at_zero) + term.at_zero  # rounded as the model rounds
    return {"slope": _plain(term.slope), "at_zero": _plain(term.at_zero), "missing": _plain(missing)}


def _words(term: WordTerm, place: dict[str, int]) -> Data:
    out: Data = {"words": _finite(term.table[:-1]), "value": term.counts}
    if term.present.any():
        out["present"] = _finite(term.present)
    if term.idf is not None:
        table = term.table[:-1] / WEIGHT_ONE
        out |= {"words": _finite(table), "value": "tf-idf", "idf": term.idf[:-1].tolist()}
    return out


def _text(term: TextTerm, place: dict[str, int]) -> Data:
    idf = term.part.idf.tolist()
    return {"words": _plain(term.weights), "value": "log-tf-idf" if idf else "all", "idf": idf}


def _product(term: ProductTerm, place: dict[str, int]) -> Data:
    factors = [[place[f.column], f.code] for f in term.part.factors]
    return {"factors": factors, "slope": _plain(term.slope), "centre": float(term.part.centre)}


def _pair(term: PairTerm, place: dict[str, int]) -> Data:
    """Return two columns at once: a side has cuts, or the line of each code; lines are first * wide +
    second.
    """
    sides = []
    for axis in (term.axis.first, term.axis.second):
        lines = {"cuts": list(axis.cuts)} if isinstance(axis, RangeAxis) else {"lines": axis.lines.tolist()}
        sides.append({"column": place[axis.name], "size": axis.size} | lines)
    return {"pair": sides, "table": _finite(term.table)}


def _plain(values: NDArray[np.float64]) -> Any:
    return values.tolist()


_WRITERS: dict[type, Callable[[Any, dict[str, int]], Data]] = {
    LevelTerm: lambda t, _: {"table": _finite(t.table)},
    BinTerm: lambda t, _: {"cuts": _plain(t.cuts), "table": _finite(t.table)},
    NormalTerm: lambda t, _: {k: _plain(getattr(t, k)) for k in ("mean", "half", "constant")},
    LinearTerm: _linear,
    WordTerm: _words,
    TextTerm: _text,
    ProductTerm: _product,
    PairTerm: _pair,
}
