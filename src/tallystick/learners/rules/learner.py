"""Rules as a learner: codes of the columns, rule after rule, and the list looked over once more.

Knows stages. Never sees a row. Law: the same totals give the same model.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import CODED, Schema
from tallystick.errors import DataError, TargetError, counted, shown, some
from tallystick.learners.rules.grow import FoundRule, RuleGrower
from tallystick.learners.rules.review import reviewed
from tallystick.learners.rules.worth import Telling
from tallystick.learners.scorecard.cuts import cuts_by_column
from tallystick.learners.stages import LearnerInStages, Stages
from tallystick.models.rules.model import LIST, RuleCounts, RuleModel
from tallystick.models.rules.options import RuleOptions
from tallystick.models.tree.sentences import Condition
from tallystick.stats.level_tables import CodedColumn, Coding
from tallystick.stats.rule_tables import ListCounts, Pick, RuleTables, Taken

Ints = NDArray[np.int64]
NOTHING = CodedColumn(())


@dataclass(frozen=True)
class RuleLearner(LearnerInStages[RuleModel]):
    """unit: a weight of 1 is this many in the table; row_unit: what one row weighs where rows are counted.
    rows: about how many there are; decides nothing but how questions are put.
    """

    options: RuleOptions
    kind: str = LIST
    unit: int = 1
    row_unit: int = 1
    rows: int = 0

    def _stages(self, schema: Schema) -> Stages[RuleModel]:
        columns = [c for c in schema.used if c.kind != "text"]
        if not columns:
            raise DataError(
                "rules need columns of numbers or levels, and there is none besides "
                f"{counted(len(schema.used), 'column')} of text. Use NaiveBayes for text."
            )
        labels = schema.predicted.labels
        whole: Taken = yield ListCounts(NOTHING, (), len(labels))
        totals = whole.first[0]
        if np.count_nonzero(totals) < 2:
            raise _one_class(schema, totals)
        form = yield from self._coded(schema, totals)
        growing = self.options.growing_weights(schema.predicted)
        telling = Telling(self._factors(growing, totals), totals, self.options.imagined(len(labels)))
        grower = RuleGrower(form, telling, len(labels), self.options.max_conditions, self.row_unit)
        if self.kind == LIST:
            found = yield from self._listed(grower)
        else:
            found = yield from self._set_of(grower)
        taken: Taken = yield ListCounts(form, tuple(r.picks for r in found), len(labels))
        return self._model(schema, form, found, taken, totals)

    def _coded(self, schema: Schema, totals: Ints) -> Generator[Any, Any, CodedColumn]:
        """Return the columns as codes: numbers in ranges that begin at exact quantiles."""
        columns = [c for c in schema.used if c.kind != "text"]
        numbers = [c for c in columns if c.kind == "numeric"]
        weight = int(totals.sum())
        cuts = yield from cuts_by_column(numbers, self.options.max_bins, weight, weight / self.row_unit)
        codings = []
        for column in columns:
            if column.kind in CODED:
                kind = "levels" if column.kind == "levels" else "ordered"
                codings.append(Coding(column.name, kind, len(column.levels)))
            else:
                own = np.array(cuts[column.name], np.float64)
                codings.append(Coding(column.name, "numeric", len(own) + 1, own, True))
        return CodedColumn(tuple(codings))

    def _factors(self, weights: Any, totals: Ints) -> NDArray[np.float64]:
        """Return what a unit of the table counts as in rows, by class: all rows together count as many as
        they are, whatever the weights of their classes.
        """
        if weights is None:
            return np.full(len(totals), 1.0 / self.row_unit)
        each = weights.of(totals)
        heavy = 0.0
        for n, own in zip(totals.tolist(), each.tolist(), strict=True):
            heavy += n * own
        out: NDArray[np.float64] = each * (int(totals.sum()) / heavy / self.row_unit)
        return out

    def _listed(self, grower: RuleGrower) -> Generator[Any, Any, list[FoundRule]]:
        """Return the rules of a list, in their order."""
        most = self.options.max_rules
        found: list[FoundRule] = []
        (tables,) = yield RuleTables(grower.form, (), ((),), grower.classes)
        while most is None or len(found) < most:
            taken = tuple(r.picks for r in found)
            rule = yield from grower.best(taken, tables)
            if rule is None:
                break
            (own,) = yield RuleTables(grower.form, taken, (rule.picks,), grower.classes)
            tables = [a - b for a, b in zip(tables, own, strict=True)]
            found.append(rule)
        return (yield from reviewed(grower, found))

    def _set_of(self, grower: RuleGrower) -> Generator[Any, Any, list[FoundRule]]:
        """Return the rules of a set, the surest first: those of every class but the most frequent."""
        totals = grower.telling.totals
        usual = int(np.argmax(totals * grower.telling.factors))
        found: list[FoundRule] = []
        for c in range(len(totals)):
            if c != usual and totals[c]:
                own = replace(grower, telling=replace(grower.telling, one=c))
                found += yield from self._listed(own)
        if self.options.max_rules is not None:
            found = sorted(found, key=lambda r: -r.worth)[: self.options.max_rules]
        return found

    def _model(
        self, schema: Schema, form: CodedColumn, found: list[FoundRule], taken: Taken, totals: Ints
    ) -> RuleModel:
        """Return the model: the rows behind each rule, and how many are imagined beside them."""
        imagined = self.options.imagined(len(totals))
        counts = taken.first if self.kind == LIST else taken.held
        rules = tuple(
            RuleCounts(conditions_of(rule.picks, form, schema), tuple(own.tolist()), imagined + rule.cost)
            for rule, own in zip(found, counts[: len(found)], strict=True)
        )
        spent = sum((rule.cost for rule in found), 0.0)
        otherwise = RuleCounts((), tuple(taken.first[-1].tolist()), imagined + spent)
        row = 0 if self.unit == 1 else self.row_unit
        model = RuleModel(
            schema, self.options, self.kind, rules, otherwise, tuple(totals.tolist()), self.unit, row
        )
        model = model if self.kind == LIST else surest_first(model)
        asked = {c.column.name for rule in model.rules for c in rule.conditions}
        return replace(model, schema=schema.only(asked))


def surest_first(model: RuleModel) -> RuleModel:
    """Return a set of rules with the surest first: by the share of the class it answers, of equals as they
    were found. Rules that answer as the rows without a rule do say nothing, and go.
    """
    shares, answers = model.rule_shares, model.answers
    sure = [float(shares[i, answers[i]]) for i in range(len(model.rules))]
    kept = [i for i in range(len(model.rules)) if answers[i] != answers[-1]]
    order = sorted(kept, key=lambda i: -sure[i])
    return replace(model, rules=tuple(model.rules[i] for i in order))


def conditions_of(picks: Sequence[Pick], form: CodedColumn, schema: Schema) -> tuple[Condition, ...]:
    """Return allowed codes as conditions, in the order of the schema's columns."""
    out = []
    for column, allowed in sorted(picks):
        coding = form.codings[column]
        known, missing = np.flatnonzero(allowed[:-1]), allowed[-1]
        if coding.values is None:
            out.append(Condition(schema[coding.name], levels=tuple(known.tolist()), missing=missing))
            continue
        ends = np.concatenate([[-np.inf], coding.values, [np.inf]])
        low, high = (ends[known[0]], ends[known[-1] + 1]) if len(known) else (np.inf, -np.inf)
        out.append(Condition(schema[coding.name], float(low), float(high), missing=missing))
    return tuple(out)


def _one_class(schema: Schema, totals: Ints) -> TargetError:
    target = schema.predicted
    present = [label for label, n in zip(target.labels, totals.tolist(), strict=True) if n]
    return TargetError(
        f"target {shown(target.name)} has one class ({some(present)}) among the rows with weight; "
        "two are needed."
    )
