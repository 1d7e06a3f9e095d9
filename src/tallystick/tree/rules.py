"""A tree as if-then rules: redundant tests merged, sibling leaves of one class joined.

Law: the rules of a tree give every row the class that the tree's leaves give it (before dropping
conditions).
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.errors import OptionError, shown, some
from tallystick.model.conditions import (
    MOST_VARIABLES,
    Condition,
    Disjunction,
    condition,
    disjunction,
    footnote,
    number,
    plain_words,
    rows,
)
from tallystick.schema import CODED, Schema
from tallystick.tree.model import Tree
from tallystick.tree.nodes import SPREADS, STAYS

AVERAGED = (
    "These are the rules of the pruning that is shown; predictions average over all prunings, so that a few "
    "rows may be answered otherwise."
)
Upper = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True)
class Rule:
    """If all conditions hold, then this answer.

    answer: the class, or the mean of a regression. covers: training rows the rule takes; total: all training
    rows.
    right: those of its class. prior: the share of the class in all rows. spread: standard deviation in
    regression. probability, interval: what a rule of its own method answers, and between which shares.
    """

    conditions: tuple[Condition, ...]
    answer: str | float
    covers: float
    total: float
    right: float = 0.0
    prior: float = 0.0
    spread: float = 0.0
    probability: float | None = None
    interval: tuple[float, float] | None = None

    @property
    def share(self) -> float:
        """The share of the rule's class among the rows it covers."""
        return self.right / self.covers if self.covers else 0.0

    @property
    def lift(self) -> float:
        """How many times more frequent the class is here than in all rows."""
        return self.share / self.prior if self.prior else 0.0

    @property
    def sentence(self) -> str:
        """The rule without its rows."""
        several = len(self.conditions) > 1
        parts = " and ".join(c.bracketed if several else c.sentence() for c in self.conditions)
        head = f"if {parts} then " if parts else "always "
        if isinstance(self.answer, str):
            return head + plain_words(self.answer)
        return head + number(float(f"{self.answer:.6g}"))

    def __str__(self) -> str:
        return f"{self.sentence} ({self.rows_text})"

    @property
    def rows_text(self) -> str:
        """How many rows the rule takes, and how they answer."""
        share = self.covers / self.total if self.total else 0.0
        covered = f"{rows(self.covers, 1)} {'row' if self.covers == 1 else 'rows'}, {share:.1%}"
        if self.probability is not None and self.interval is not None:
            low, high = self.interval
            wrong = rows(self.covers - self.right, 1)
            sure = f"{self.probability:.3f}, 95 % between {low:.3f} and {high:.3f}"
            return f"{covered}, {wrong} wrong; {sure}"
        if isinstance(self.answer, str):
            return f"{covered}; share {self.share:.3f}, lift {self.lift:.2f}"
        return f"{covered}; ± {self.spread:.4g}"

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as a record."""
        out: dict[str, Any] = {
            "answer": self.answer,
            "conditions": [c.to_dict() for c in self.conditions],
            "coverage": self.covers / self.total if self.total else 0.0,
            "rows": self.covers,
            "text": str(self),
        }
        if self.probability is not None and self.interval is not None:
            out |= {"interval": list(self.interval), "probability": self.probability}
        if isinstance(self.answer, str):
            return out | {"lift": self.lift, "share": self.share}
        return out | {"spread": self.spread}


@dataclass(frozen=True)
class Rules:
    """The rules of a tree, in the order of its leaves; `default` answers rows that no rule takes."""

    schema: Schema
    rules: tuple[Rule, ...]
    default: str | float
    notes: tuple[str, ...] = ()
    ordered: bool = False  # more than one rule may hold: the first answers
    otherwise: Rule | None = None  # the rows that no rule takes, where they are known
    how: str = ""  # which rule answers, where that is to be said

    @property
    def all_rules(self) -> tuple[Rule, ...]:
        """The rules, and the rows that no rule takes where they are known."""
        return self.rules if self.otherwise is None else (*self.rules, self.otherwise)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    def _repr_html_(self) -> str:
        style = "max-width: 980px; max-height: 640px; overflow: auto"  # as draw/svg.py has it
        return f'<pre style="{style}">{html.escape(str(self))}</pre>'  # names in it are cleaned already

    def __str__(self) -> str:
        target = self.schema.target
        several = "rule" if len(self.rules) == 1 else "rules"
        how = f"; {self.how}" if self.how and len(self.rules) > 1 else ""
        lines = [f"{len(self.rules):,} {several} for {plain_words(target.name) if target else ''}{how}:"]
        lines += [f"{k:>3}. {rule}" for k, rule in enumerate(self.rules, 1)]
        if self.ordered:
            own = "" if self.otherwise is None else f" ({self.otherwise.rows_text})"
            lines.append(f"otherwise {plain_words(self.default)}{own}")
        return "\n".join([*lines, *self.notes])

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return all rules as records."""
        return {
            "default": self.default,
            "notes": list(self.notes),
            "rules": [r.to_dict() for r in self.rules],
            "target": self.schema.predicted.name,
        }

    def expression(self, label: object = None) -> str:
        """Return when the answer is `label` (by default the second of two classes) as a Boolean expression.

        A boolean column stands by its name, negated with ¬; other conditions stand in brackets. It speaks of
        known values; where missing ones go is in the rules. Of up to 12 distinct conditions no disjunction of
        conjunctions is shorter.
        """
        return str(self.disjunction(label))

    def disjunction(self, label: object = None) -> Disjunction:
        """Return the expression as data: its terms, how many conditions they have, and whether no other has
        fewer; of more than 12 distinct conditions the rules as they are.
        """
        labels = self.schema.predicted.labels
        if label is None and len(labels) != 2:
            found = f"this model has {len(labels)}" if labels else "this model answers numbers"
            raise OptionError(
                f"a Boolean expression needs two classes, {found}. Name a class, or use rules()."
            )
        wanted = labels[1] if label is None else self.schema.predicted.label_of(label)
        if wanted not in labels:
            raise OptionError(f"{shown(label)} is not a class of this model. Classes: {some(labels)}.")
        rules = [
            (tuple(c for c in rule.conditions if not c.always), rule.answer == wanted) for rule in self.rules
        ]
        reached = [(c, says) for c, says in rules if not any(test.never for test in c)]
        least = disjunction(reached, self.default == wanted, [c.name for c in self.schema.used])
        if least is not None:
            return least
        if self.ordered and {says for _, says in reached} != {True}:
            raise OptionError(
                f"the rules have more than {MOST_VARIABLES} distinct conditions and more than one answer, "
                "too many for one expression. Read them in their order: rules()."
            )
        return Disjunction(tuple(c for c, says in reached if says), False)


@dataclass(frozen=True)
class _Part:
    """Some leaves of one answer below a node, and what must hold from there on."""

    conditions: tuple[Condition, ...]
    label: int
    counts: NDArray[np.int64]
    leaf: int  # the first of them
    whole: bool  # nothing else is below the node


def rules(tree: Tree) -> Rules:
    """Return the rules of the tree that is shown."""
    notes = [AVERAGED] if tree.averaged is not None else []
    tree = tree.shown
    parts: dict[int, list[_Part]] = {}
    for node in range(len(tree.nodes) - 1, -1, -1):
        parts[node] = _parts_of(tree, node, parts)
    found = tuple(_rule(tree, part) for part in sorted(parts[0], key=lambda p: p.leaf))
    root = int(tree.labels[0]) if not tree.regression else 0
    spreads = bool((tree.nodes.missing_branch == SPREADS).any())
    if spreads:
        notes.append("Missing values go down all branches in proportion; the rules speak of known values.")
    if note := footnote(tree.schema, tree.nodes):
        notes.append(note)
    return Rules(tree.schema, found, _answer(tree, root, 0), tuple(notes))


def _parts_of(tree: Tree, node: int, parts: dict[int, list[_Part]]) -> list[_Part]:
    """Return the parts below a node from those below its branches."""
    nodes = tree.nodes
    counts = nodes.counts[node]
    if nodes.column[node] < 0:
        return [_Part((), _label(tree, node), counts, node, True)]
    out: list[_Part] = []
    joined: dict[int, tuple[Condition, _Part]] = {}
    branches = [
        (condition(tree.schema, nodes, node, k), parts.pop(b))
        for k, b in enumerate(nodes.branches(node).tolist())
    ]
    for test, below in [*branches, *_staying(tree, node)]:
        if len(below) == 1 and below[0].whole:
            part = below[0]
            before = joined.get(part.label)
            both = before[0].or_(test) if before else test
            if both is None:
                out.append(_with(test, part))
                continue
            counts = part.counts if before is None else before[1].counts + part.counts
            joined[part.label] = (
                both,
                replace(part, counts=counts, leaf=before[1].leaf if before else part.leaf),
            )
        else:
            out += [_with(test, part) for part in below]
    if len(joined) == 1 and not out:
        return [next(iter(joined.values()))[1]]  # all branches answer the same: the test says nothing
    return out + [_with(test, part) for test, part in joined.values()]


def _staying(tree: Tree, node: int) -> list[tuple[Condition, list[_Part]]]:
    """Return the levels (and missing values) that stay at a test, as a part of their own without rows."""
    nodes = tree.nodes
    levels = np.flatnonzero(nodes.levels(node) == STAYS)
    missing = int(nodes.missing_branch[node]) == STAYS
    column = tree.schema.used[int(nodes.column[node])]
    if not len(levels) and not missing:
        return []
    numeric = column.kind not in CODED
    test = Condition(column, levels=None if numeric else tuple(levels.tolist()), missing=missing)
    test = replace(test, low=np.inf, high=-np.inf) if numeric else test  # only a missing value stays at a cut
    return [(test, [_Part((), _label(tree, node), np.zeros_like(nodes.counts[node]), node, True)])]


def _label(tree: Tree, node: int) -> int:
    """Return the class of a leaf; in regression every leaf has an answer of its own."""
    return node if tree.regression else int(tree.labels[node])


def _with(test: Condition, part: _Part) -> _Part:
    """Return the part with a condition in front; one column is named once."""
    for k, c in enumerate(part.conditions):
        if c.column.name == test.column.name:
            merged = test.and_(c)
            rest = part.conditions[:k] + part.conditions[k + 1 :]
            return replace(part, conditions=(merged, *rest), whole=False)
    return replace(part, conditions=(test, *part.conditions), whole=False)


def _answer(tree: Tree, label: int, node: int) -> str | float:
    if tree.regression:
        return float(tree.nodes.mean[node])
    return tree.schema.predicted.labels[label]


def _rule(tree: Tree, part: _Part) -> Rule:
    covers, total = part.counts.sum() / tree.unit, tree.rows[0].sum()
    kept = tuple(c for c in part.conditions if not (c.always and c.missing))
    answer = _answer(tree, part.label, part.leaf)
    if tree.regression:
        spread = float(np.sqrt(tree.nodes.deviance[part.leaf] / covers)) if covers else 0.0
        return Rule(kept, answer, float(covers), float(total), spread=spread)
    right = part.counts[part.label] / tree.unit
    prior = tree.rows[0][part.label] / total
    return Rule(kept, answer, float(covers), float(total), float(right), float(prior))


# -- dropping conditions, which needs rows --


def generalised(found: Rules, block: Block, unit: int, upper: Upper) -> Rules:
    """Return the rules without the conditions whose loss does not raise the feared error (C4.5's rules).

    Conditions fall one at a time, the one whose loss helps most first. Equal rules become one, the surest
    comes first, and the first rule that holds answers. upper(errors, rows): the bound of the pessimistic
    pruning.
    """
    labels = found.schema.predicted.labels
    if not labels:
        raise OptionError("dropping conditions needs classes, this is a regression tree. Use rules().")
    assert block.classes is not None
    weights = np.full(block.rows, 1.0) if block.weights is None else block.weights / unit
    short: dict[tuple[tuple[Condition, ...], str], tuple[float, Rule]] = {}
    for rule in found.rules:
        right = block.classes == labels.index(str(rule.answer))
        error, small = _drop(rule, block, right, weights, upper)
        short.setdefault((small.conditions, str(rule.answer)), (error, small))
    ordered = [r for _, r in sorted(short.values(), key=lambda pair: pair[0])]
    taken = np.zeros(block.rows, bool)
    for rule in ordered:
        taken |= holds(rule.conditions, block)
    rest = [float(weights[~taken & (block.classes == k)].sum()) for k in range(len(labels))]
    default = labels[int(np.argmax(rest))] if sum(rest) else found.default
    before = sum(len(r.conditions) for r in found.rules)
    after = sum(len(r.conditions) for r in ordered)
    note = f"{before - after:,} of {before:,} conditions were dropped; the first rule that holds answers."
    return Rules(found.schema, tuple(ordered), default, (*found.notes, note), ordered=True)


def _drop(
    rule: Rule, block: Block, right: NDArray[np.bool_], weights: NDArray[np.float64], upper: Upper
) -> tuple[float, Rule]:
    """Return the rule without the conditions it can do without, and its feared error rate."""

    def judged(conditions: Sequence[Condition]) -> tuple[float, float, float]:
        here = holds(conditions, block)
        covers, good = float(weights[here].sum()), float(weights[here & right].sum())
        feared = upper(np.array([covers - good]), np.array([covers]))[0] / covers if covers else 1.0
        return float(feared), covers, good

    kept = list(rule.conditions)
    error, covers, good = judged(kept)
    while kept:
        tries = [judged([c for c in kept if c is not drop]) for drop in kept]
        best = min(range(len(kept)), key=lambda k: (tries[k][0], k))
        if tries[best][0] > error:
            break
        error, covers, good = tries[best]
        kept.pop(best)
    return error, replace(rule, conditions=tuple(kept), covers=covers, right=good)


def holds(conditions: Iterable[Condition], block: Block) -> NDArray[np.bool_]:
    """Return which rows fulfil all conditions."""
    out = np.ones(block.rows, bool)
    for c in conditions:
        if c.column.kind in CODED:
            table = np.full(len(c.column.levels) + 2, c.missing)
            table[: len(c.column.levels)] = False
            table[list(c.levels or ())] = True
            out &= table[block.codes(c.column.name)]
        else:
            x = block.values(c.column.name)
            out &= np.where(np.isnan(x), c.missing, (x >= c.low) & (x < c.high))
    return out
