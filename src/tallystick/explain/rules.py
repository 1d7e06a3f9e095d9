"""Rules in words: with the rows and the certainty behind each, on rows they were not learnt from, and why a
row is answered.

Knows fitted rules and encoded rows. Knows nothing of learners or layout of pages.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.data.schema import CODED
from tallystick.draw.notebook import framed
from tallystick.draw.rules import RuleLine, rule_picture
from tallystick.draw.svg import Picture, as_html
from tallystick.errors import OptionError
from tallystick.explain.interval import mixture_interval, searched
from tallystick.learners.rules.worth import PRICE
from tallystick.models.decision import why_answered
from tallystick.models.rules.model import RuleModel
from tallystick.models.tree.rules import Rules, holds
from tallystick.models.tree.sentences import Condition, number, plain, rows

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


def told_rules(model: RuleModel) -> Rules:
    """Return the rules with what each answers, how probable that is, and between which shares."""
    found, between = model.as_rules(), intervals(model)
    told = [
        replace(rule, probability=float(model.rule_shares[i, model.answers[i]]), interval=between[i])
        for i, rule in enumerate(found.rules)
    ]
    last = len(model.rules)
    c = int(model.answers[last])
    own = model.rows[last]
    otherwise = replace(
        _otherwise(found, model),
        covers=float(own.sum()),
        right=float(own[c]),
        probability=float(model.rule_shares[last, c]),
        interval=between[last],
    )
    how = (
        "the first rule that holds answers"
        if model.ordered
        else "any rule that holds answers, the surest first"
    )
    return replace(found, rules=tuple(told), otherwise=otherwise, how=how)


def _otherwise(found: Rules, model: RuleModel) -> Any:
    from tallystick.models.tree.rules import Rule

    total = float(sum(model.totals)) / model.unit
    return Rule((), str(found.default), 0.0, total)


def rules_svg(model: RuleModel, lit: int = 0) -> str:
    """Return the rules as a picture; lit: the number of one to be set off, from 1 on."""
    lines = []
    for i, rule in enumerate(told_rules(model).all_rules):
        said = f"if {' and '.join(c.sentence() for c in rule.conditions)}" if rule.conditions else "otherwise"
        sure = f"{rows(rule.covers, 1)} rows, {rule.probability or 0.0:.3f}"
        lines.append(RuleLine(said, str(rule.answer), tuple(model.rows[i].tolist()), sure, i + 1 == lit))
    return rule_picture(f"Rules for {plain(model.schema.predicted.name)}", model.labels, lines)


# -- on rows not seen --


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
    for i, rule in enumerate(told_rules(model).all_rules):
        here, answer = at == i, int(model.answers[i])
        wrong = here & (truth != answer)
        training = model.rows[i]
        out.append(
            RuleOnRows(
                rule.sentence if rule.conditions else f"otherwise {plain(rule.answer)}",
                str(rule.answer),
                float(heavy[here].sum()),
                float(heavy[wrong].sum()),
                float(training.sum()),
                float(training.sum() - training[answer]),
            )
        )
    return RulesOnRows(tuple(out))


# -- why a row --


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
        counts = ", ".join(f"{plain(n)} {rows(k, 1)}" for n, k in zip(labels, self.counts, strict=True))
        if self.number is None:
            lines = [f"No rule holds; the rows without a rule answer (training rows: {counts})."]
        else:
            lines = [f"Rule {self.number} answered (training rows: {counts}):"]
            lines += [f"  {sentence}" for sentence in self.held]
        if self.nearest is not None:
            number_, answer, failed = self.nearest
            lines.append(f"The nearest that did not: rule {number_} ({plain(answer)}), since")
            lines += [f"  {sentence}" for sentence in failed]
        low, high = self.interval
        shares = ", ".join(f"{plain(n)} {s:.3f}" for n, s in zip(labels, self.shares, strict=True))
        why = why_answered(self.model.decision, self.model.costs)
        how = f"; {plain(why)}" if why else ""
        lines.append(
            f"Answer: {plain(self.answer)} (95 % between {low:.3f} and {high:.3f}, for new rows like this "
            f"one){how}; {shares}"
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
        failed = [c for c, ok in zip(model.rules[i].conditions, held[i], strict=True) if not ok]
        near = (i + 1, model.labels[int(model.answers[i])], tuple(_failed(c, block, row) for c in failed))
    return RuleExplanation(
        model,
        at + 1 if at < len(model.rules) else None,
        tuple(_held(c, block, row) for c in conditions),
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
        return plain(column.levels[code]) if code < known else ("missing" if code == known else "a new level")
    x = float(block.values(column.name)[row])
    return "missing" if np.isnan(x) else number(x, column)


def _held(condition: Condition, block: Block, row: int) -> str:
    return f"{condition.sentence()} ({_value(condition, block, row)})"


def _failed(condition: Condition, block: Block, row: int) -> str:
    value = f"{plain(condition.column.name)} is {_value(condition, block, row)}"
    return f"{condition.sentence()} does not hold ({value})"
