"""Rules drawn, with intervals, on unseen rows, for one row; and the intervals of other models' answers.

In this order: SVG of rules (`rule_picture`, `rules_svg`); intervals of each rule (`intervals`); rules on
unseen rows (`rules_on()`); why a row is answered so (entry `explain()`); intervals per row of naive Bayes,
logistic regression, trees and rules (`bayes_interval`, ...).
Law: everything that came from a user is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import methods
from tallystick.contracts import Block, Model
from tallystick.draw.svg import Picture, Svg, as_html, colour, cut, framed
from tallystick.errors import OptionError, clean
from tallystick.model.conditions import Condition, number, plain_words, rows
from tallystick.model.decision import why_answered
from tallystick.rules.learner import PRICE
from tallystick.rules.model import RuleModel
from tallystick.schema import CODED
from tallystick.stats.distributions import mixture_interval, searched
from tallystick.tree.explain import of_mean, of_share, steps_of
from tallystick.tree.model import Tree
from tallystick.tree.nodes import ways
from tallystick.tree.rules import Rule, Rules, holds

LEFT, WIDE, ROW, TOP, BOTTOM, RIGHT = 520.0, 220.0, 28.0, 64.0, 40.0, 190.0
LONGEST = 76  # letters of a rule that is written out
MOST = 60  # rules drawn


@dataclass(frozen=True)
class RuleLine:
    """One rule: its conditions in words, its answer, rows by class, and how probable the answer is."""

    text: str
    answer: str
    rows: tuple[float, ...]
    certainty: str
    lit: bool = False  # set off: the rule that answered


def rule_picture(title: str, labels: Sequence[str], lines: Sequence[RuleLine]) -> str:
    """Return the picture; of more than MOST rules the first and the last."""
    shown = list(lines) if len(lines) <= MOST else [*lines[: MOST - 1], lines[-1]]
    bottom = TOP + ROW * len(shown)
    svg = Svg(LEFT + WIDE + RIGHT, bottom + BOTTOM, clean(title))
    svg.text(10, 22, clean(title), 14, font_weight="bold")
    at = LEFT
    for c, label in enumerate(labels[:8]):
        svg.rect(at, TOP - 24, 10, 10, fill=colour(c))
        svg.text(at + 14, TOP - 15, cut(clean(label), 14), 11)
        at += 100
    most = max((sum(line.rows) for line in shown), default=0.0) or 1.0
    for k, line in enumerate(shown):
        top, total = TOP + ROW * k, sum(line.rows) or 1.0
        said, at = clean(f"{line.text} → {line.answer}"), LEFT
        svg.text(10, top + 18, cut(said, LONGEST), 12, **({"font_weight": "bold"} if line.lit else {}))
        for c, weight in enumerate(line.rows):
            part = WIDE * sum(line.rows) / most * weight / total
            if part > 0:
                svg.rect(at, top + 6, part, 16, said, fill=colour(c))
            at += part
        wide = WIDE * sum(line.rows) / most
        svg.text(LEFT + wide + 8, top + 18, clean(line.certainty), 11)
    if len(shown) < len(lines):
        svg.text(10, bottom + 24, f"{len(lines) - len(shown):,} more rules are not drawn", 11, opacity=0.7)
    return str(svg)


# ---- rules with their rows and intervals ----

Floats = NDArray[np.float64]


def intervals(model: RuleModel) -> list[tuple[float, float]]:
    """Return, of each rule's own answer, the 95 % interval of its share among new rows that the rule answers.

    It is Clopper and Pearson's of the rule's rows, which count less the more conditions were looked for
    (`searched`); class weights multiply the odds.
    """
    return [interval_of(model, i, int(model.answers[i])) for i in range(len(model.all_rules))]


def interval_of(model: RuleModel, i: int, c: int) -> tuple[float, float]:
    """Return the interval of one class among new rows that a rule answers."""
    counts = model.rows[i] * (model.unit / (model.row_unit or model.unit))
    counts = counts / searched(bits_of_search(model, i))
    own, others = float(counts[c]), float(counts.sum() - counts[c])
    share, was = float(model.rule_shares[i, c]), float(model.plain_shares[i, c])
    odds = share * (1 - was) / ((1 - share) * was) if 0 < share < 1 and 0 < was < 1 else 1.0
    low = mixture_interval([(1.0, own, others + 1, odds)])[0] if own else 0.0
    high = mixture_interval([(1.0, own + 1, others, odds)])[1] if others else 1.0
    return min(low, share), max(high, share)


def bits_of_search(model: RuleModel, i: int) -> float:
    """Return the bits that name a rule among all that were looked at; where no rule holds, those of the rule
    that was looked for longest.
    """
    if i == len(model.rules):
        return max((bits_of_search(model, k) for k in range(i)), default=0.0)
    rule = model.rules[i]
    if model.options.smoothing != 0:  # they are what it cost
        return (rule.imagined - model.options.imagined(len(model.labels))) / PRICE
    bits = 0.0
    for test in rule.conditions:
        ways = 4 * model.options.max_bins  # of a number: cuts, two sides, with the missing rows or without
        if test.column.kind in CODED:
            k = len(test.column.levels) + bool(test.column.missing)
            ways = 2**k if test.column.kind == "levels" else 4 * k
        bits += math.log2(ways * len(model.schema.used))
    return bits


def measured_rules(model: RuleModel) -> Rules:
    """Return the rules with what each answers, how probable that is, and between which shares."""
    found, between = model.as_rules(), intervals(model)
    items = [
        replace(rule, probability=float(model.rule_shares[i, model.answers[i]]), interval=between[i])
        for i, rule in enumerate(found.rules)
    ]
    last = len(model.rules)
    c = int(model.answers[last])
    own = model.rows[last]
    otherwise = Rule(
        (),
        str(found.default),
        float(own.sum()),
        float(sum(model.totals)) / model.unit,
        float(own[c]),
        probability=float(model.rule_shares[last, c]),
        interval=between[last],
    )
    how = (
        "the first rule that holds answers"
        if model.ordered
        else "any rule that holds answers, the surest first"
    )
    return replace(found, rules=tuple(items), otherwise=otherwise, how=how)


def rules_svg(model: RuleModel, lit: int = 0) -> str:
    """Return the rules as a picture; lit: the number of one to be set off, from 1 on."""
    lines = []
    for i, rule in enumerate(measured_rules(model).all_rules):
        said = f"if {' and '.join(c.sentence() for c in rule.conditions)}" if rule.conditions else "otherwise"
        sure = f"{rows(rule.covers, 1)} rows, {rule.probability or 0.0:.3f}"
        lines.append(RuleLine(said, str(rule.answer), tuple(model.rows[i].tolist()), sure, i + 1 == lit))
    return rule_picture(f"Rules for {plain_words(model.schema.predicted.name)}", model.labels, lines)


# ---- rules on unseen rows ----


@dataclass(frozen=True)
class RuleOnRows:
    """One rule on rows: its text, its answer, the rows it answers, those it answers wrongly, and the share of
    its training rows that it answers wrongly.
    """

    text: str
    answer: str
    rows: float
    errors: float
    training_rows: float
    training_errors: float

    @property
    def error(self) -> float | None:
        """The share of its rows that it answers wrongly; None: it answers none."""
        return self.errors / self.rows if self.rows else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {name: getattr(self, name) for name in sorted(self.__dataclass_fields__)} | {
            "error": self.error
        }


@dataclass(frozen=True)
class RulesOnRows:
    """Every rule on rows that it was not learnt from, and where no rule holds."""

    rules: tuple[RuleOnRows, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"rules": [rule.to_dict() for rule in self.rules]}

    def __str__(self) -> str:
        head = ["", "rows", "wrong", "error", "in training", "rule"]
        body = []
        for i, rule in enumerate(self.rules, 1):
            error = "" if rule.error is None else f"{rule.error:.1%}"
            before = rule.training_errors / rule.training_rows if rule.training_rows else 0.0
            number_ = str(i) if i < len(self.rules) else ""
            body.append(
                [number_, rows(rule.rows, 1), rows(rule.errors, 1), error, f"{before:.1%}", rule.text]
            )
        wide = [max(len(line[k]) for line in [head, *body]) for k in range(len(head))]
        lines = []
        for line in [head, *body]:
            cells = [f"{cell:>{w}}" for cell, w in zip(line[:-1], wide[:-1], strict=True)]
            lines.append("  ".join([*cells, line[-1]]))
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(self)


def rules_on(
    model: RuleModel, first: Sequence[NDArray[np.int64]], truth: NDArray[np.int64], weights: Any = None
) -> RulesOnRows:
    """Return what each rule does on rows. first: the rule that answers each; truth[row]: its class."""
    at = np.concatenate([np.zeros(0, np.int64), *first])
    heavy = np.ones(len(at)) if weights is None else np.asarray(weights, np.float64)
    if len(at) != len(truth) or len(heavy) != len(at):
        raise OptionError(f"{len(at):,} rows were read, but there are {len(truth):,} labels.")
    out = []
    for i, rule in enumerate(measured_rules(model).all_rules):
        here, answer = at == i, int(model.answers[i])
        wrong = here & (truth != answer)
        training = model.rows[i]
        out.append(
            RuleOnRows(
                rule.sentence if rule.conditions else f"otherwise {plain_words(rule.answer)}",
                str(rule.answer),
                float(heavy[here].sum()),
                float(heavy[wrong].sum()),
                float(training.sum()),
                float(training.sum() - training[answer]),
            )
        )
    return RulesOnRows(tuple(out))


# ---- explanation of one row ----


@dataclass(frozen=True)
class RuleExplanation:
    """Why a row got its answer.

    number: of the rule that answered, counted from 1; None where no rule holds. held: its conditions, with
    the row's values. nearest: the rule that failed at the fewest conditions, and those; None where every rule
    holds.
    """

    model: RuleModel
    number: int | None
    held: tuple[str, ...]
    counts: tuple[float, ...]
    answer: str
    shares: tuple[float, ...]
    interval: tuple[float, float]
    nearest: tuple[int, str, tuple[str, ...]] | None  # number, its answer, conditions that failed

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain data."""
        labels = self.model.labels
        near = self.nearest
        return {
            "answer": self.answer,
            "conditions": list(self.held),
            "counts": dict(zip(labels, self.counts, strict=True)),
            "interval": list(self.interval),
            "nearest": None
            if near is None
            else {"rule": near[0], "answer": near[1], "failed": list(near[2])},
            "rule": self.number,
            "shares": dict(zip(labels, self.shares, strict=True)),
        }

    def __str__(self) -> str:
        labels = self.model.labels
        counts = ", ".join(f"{plain_words(n)} {rows(k, 1)}" for n, k in zip(labels, self.counts, strict=True))
        if self.number is None:
            lines = [f"No rule holds; the rows without a rule answer (training rows: {counts})."]
        else:
            lines = [f"Rule {self.number} answered (training rows: {counts}):"]
            lines += [f"  {sentence}" for sentence in self.held]
        if self.nearest is not None:
            number_, answer, failed = self.nearest
            lines.append(f"The nearest that did not: rule {number_} ({plain_words(answer)}), since")
            lines += [f"  {sentence}" for sentence in failed]
        low, high = self.interval
        shares = ", ".join(f"{plain_words(n)} {s:.3f}" for n, s in zip(labels, self.shares, strict=True))
        why = why_answered(self.model.decision, self.model.costs)
        how = f"; {plain_words(why)}" if why else ""
        lines.append(
            f"Answer: {plain_words(self.answer)} (95 % between {low:.3f} and {high:.3f}, for new rows like "
            f"this one){how}; {shares}"
        )
        return "\n".join(lines)

    __repr__ = __str__

    def picture(self) -> Picture:
        """Return all rules, the one that answered set off."""
        return Picture(rules_svg(self.model, self.number or len(self.model.all_rules)))

    def _repr_html_(self) -> str:
        return framed(self.picture(), text=str(self))


def explain(model: RuleModel, block: Block, row: int = 0) -> RuleExplanation:
    """Return why one row of a block is answered as it is."""
    at = int(model.first(block)[row])
    held = [[bool(holds([c], block)[row]) for c in rule.conditions] for rule in model.rules]
    shares = model.rule_shares[at]
    answer = int(model.decide(shares[None, :])[0])
    conditions = model.all_rules[at].conditions
    near = None
    others = [(each.count(False), i) for i, each in enumerate(held) if not all(each)]
    if others:
        _, i = min(others)
        failed = tuple(
            f"{c.sentence()} does not hold ({plain_words(c.column.name)} is {_value(c, block, row)})"
            for c, ok in zip(model.rules[i].conditions, held[i], strict=True)
            if not ok
        )
        near = (i + 1, model.labels[int(model.answers[i])], failed)
    return RuleExplanation(
        model,
        at + 1 if at < len(model.rules) else None,
        tuple(f"{c.sentence()} ({_value(c, block, row)})" for c in conditions),
        tuple(model.rows[at].tolist()),
        model.labels[answer],
        tuple(shares.tolist()),
        intervals(model)[at],
        near,
    )


def _value(condition: Condition, block: Block, row: int) -> str:
    """Return the row's own value, as people write it."""
    column = condition.column
    if column.kind in CODED:
        code = int(block.codes(column.name)[row])
        known = len(column.levels)
        return (
            plain_words(column.levels[code])
            if code < known
            else ("missing" if code == known else "a new level")
        )
    x = float(block.values(column.name)[row])
    return "missing" if np.isnan(x) else number(x, column)


# ---- interval of the shares of each row, by kind of model ----
#
# Law: an interval holds the probability that the model answers, and that of the answered class is the one
# `explain` shows.


Array = NDArray[np.float64]


def no_interval(model: Model, block: Block) -> Array:
    """Refuse: the plain face."""
    words = methods.of_kind(model.kind).words
    raise OptionError(
        f"a model of {words} has no intervals of its answers. Use a tree, rules or a scorecard."
    )


def bayes_interval(model: Model, block: Block) -> Array:
    """Refuse: counts column by column do not tell how columns go together."""
    raise OptionError(
        "the model file of naive Bayes counts each column by itself, and an interval needs how they go "
        "together. Use model.inference(training rows).predict_interval(X)."
    )


def logistic_interval(model: Model, block: Block) -> Array:
    """Refuse: the model file has the errors of the weights, not how they go together."""
    raise OptionError(
        "the model file of a logistic regression has standard errors, but not how they go together. Use "
        "model.inference(training rows).predict_interval(X)."
    )


def tree_interval(tree: Tree, block: Block) -> Array:
    """Return low and high ends [row, class, 2] of 95 %; of a regression tree [row, 0, 2], NaN where the leaf
    cannot tell. Rows that come to the same end are asked once.
    """
    columns, shares, stops = tree.schema.used, tree.shares(block), tree.stops(block)
    out = np.full((*shares.shape, 2), np.nan)
    known: dict[tuple[int, bytes], Array] = {}
    for row in range(block.rows):
        key = int(stops[row]), shares[row].tobytes()
        if key not in known:

            def cell(j: int, row: int = row) -> Any:
                column = columns[j]
                return (block.codes if column.kind in CODED else block.values)(column.name)[row]

            found = ways(tree.nodes, cell)
            if tree.regression:
                way = max(found, key=lambda one: one.part)
                ends = [of_mean(tree, [node for node, _ in way.steps], len(found) > 1)[0]]
            else:
                parts = [(way.part, steps_of(tree, way, cell)) for way in found]
                ends = [of_share(tree, parts, c, s)[0] for c, s in enumerate(shares[row].tolist())]
            known[key] = np.array([end or (np.nan, np.nan) for end in ends])
        out[row] = known[key]
    return out


def rule_interval(model: RuleModel, block: Block) -> Array:
    """Return low and high ends [row, class, 2] of 95 %: those of the rule that answers."""
    classes = range(len(model.labels))
    table = np.array([[interval_of(model, i, c) for c in classes] for i in range(len(model.all_rules))])
    out: Array = table[model.first(block)]
    return out
