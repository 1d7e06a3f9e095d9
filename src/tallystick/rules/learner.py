"""The learner of rule lists and rule sets: score, counts, conditions, beam search, pruning of the list.

In this order: the score of a rule (`RuleScore`); statistics over rows (`RuleTables`, `ListCounts`);
conditions that columns offer (`all_offers`); one rule by beam search (`RuleGrower`); pruning of a finished
list (`reviewed`); the learner (entry `RuleLearner.learn`); a cache of the rows that no rule takes
(`RowsLeft`).
take = the first rule of a list that holds takes the row; offer = a candidate condition; pick = one that a
rule has; place = the number of a rule; one = the class a rule set is learnt for. Only the cache reads rows.
Law: the same totals give the same model.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import gt
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Statistic
from tallystick.errors import DataError, TargetError, counted, shown, some
from tallystick.kernels.check import code_dtype
from tallystick.model.conditions import Condition
from tallystick.parallel import FEW_ROWS, in_order
from tallystick.rules.model import LIST, RuleCounts, RuleModel, RuleOptions
from tallystick.schema import CODED, Schema
from tallystick.stats.binning import cuts_by_column
from tallystick.tree.model import log_evidence
from tallystick.tree.nodes import group_bits
from tallystick.tree.tables import CodedColumn, Coding

if TYPE_CHECKING:
    from tallystick.engine import Local
    from tallystick.table.table import LocalTable


# ---- the score of a rule: by how many nats it raises the log evidence of the classes ----
#
# The rows that a rule takes, and those it leaves, are scored by their evidence (the marginal likelihood of
# their classes when the shares are unknown, `log_evidence` in `tree/model.py`). A condition costs PRICE
# nats for each bit that names it among all that were tried.
#
# Without pseudo-rows (`exact`) evidence is the likelihood of the plain shares, conditions cost nothing, and a
# rule is to take rows of one class only.


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
PRICE = 0.25  # nats per bit; low, because neighbouring cuts are nearly the same condition


@dataclass(frozen=True, eq=False)
class RuleScore:
    """How well counts tell the classes apart. factors[class]: what a unit of the table counts as, class
    weights among it. totals[class]: all rows. imagined: rows of each evidence that have the shares of all
    rows. one: the class that is told from all others, which then count as one; None: all are told apart.
    """

    factors: Floats
    totals: Ints
    imagined: float
    one: int | None = None

    @property
    def base(self) -> Floats:
        """The shares of the imagined rows, every class with half a row more."""
        whole = self.rows(self.totals) + 0.5
        out: Floats = whole / whole.sum()
        return out

    @property
    def exact(self) -> bool:
        """Whether rules are to be right on every row they take."""
        return self.imagined == 0

    def rows(self, counts: Ints) -> Floats:
        """Return counts[..., class] in rows; of the others and of one class, where one is told."""
        out: Floats = counts * self.factors
        if self.one is None:
            return out
        own = out[..., self.one]
        others = np.delete(out, self.one, axis=-1).sum(axis=-1)
        return np.stack([others, own], axis=-1)

    def evidence(self, counts: Ints) -> Floats:
        """Return the log of the evidence of counts[set, class]."""
        rows = self.rows(counts)
        if self.exact:
            whole = rows.sum(axis=-1, keepdims=True)
            logs = kernels.log(np.where(rows > 0, rows, 1.0)) - kernels.log(np.where(whole > 0, whole, 1.0))
            out: Floats = np.where(rows > 0, rows * logs, 0.0).sum(axis=-1)
            return out
        return log_evidence(rows, self.imagined, self.base)

    def costs(self, bits: Floats) -> Floats:
        """Return what conditions cost in nats, by the bits that name them."""
        return np.zeros_like(bits) if self.exact else PRICE * bits

    def gains(self, covered: Ints, left: Ints) -> Floats:
        """Return what taking rows away tells: covered[offer, class] of left[class]."""
        whole = self.evidence(left[None])[0]
        out: Floats = self.evidence(covered) + self.evidence(left - covered) - whole
        return out


# ---- statistics over rows: integers only, so that they do not depend on the order of rows ----


class Pick(NamedTuple):
    """A condition in codes: allowed[code] of one column, missing the last code."""

    column: int
    allowed: tuple[bool, ...]


Picks = tuple[Pick, ...]  # all of them must hold


@dataclass(frozen=True)
class RuleTables(Statistic[list[list[Ints]]]):
    """Ask for count tables: of the rows that fulfil `picks` and none of the `taken`, how many of each code
    and class there are, column by column.
    """

    form: CodedColumn
    taken: tuple[Picks, ...]
    picks: tuple[Picks, ...]
    classes: int

    def prepared(self) -> tuple[CodedColumn, RuleTables]:
        """Return the form of codes, and the same question of blocks in it: lighter to send."""
        return self.form, replace(self, form=self.form.done())

    def zero(self) -> list[list[Ints]]:
        """Return tables[picks][column][code, class] of no rows."""
        return [[np.zeros((c.k + 1, self.classes), np.int64) for c in self.form.codings] for _ in self.picks]

    def add(self, total: list[list[Ints]], block: Block) -> list[list[Ints]]:
        codes = [c.codes(block) for c in self.form.codings]
        left = np.ones(block.rows, bool)
        for picks in self.taken:
            left &= ~holds(picks, codes, block.rows)
        assert block.classes is not None
        for picks, tables in zip(self.picks, total, strict=True):
            here = np.flatnonzero(left & holds(picks, codes, block.rows))
            count(codes, block.classes, block.weights, here, tables)
        return total

    def merge(self, total: list[list[Ints]], other: list[list[Ints]]) -> list[list[Ints]]:
        for tables, more in zip(total, other, strict=True):
            for table, own in zip(tables, more, strict=True):
                table += own
        return total

    def solve(self, table: LocalTable, engine: Local) -> list[list[Ints]] | None:
        """Do not look again at rows that rules took, as long as the form of the questions, which is one
        object from the first rule to the last, is in use; None: no memory for the codes of so many rows.
        """
        if not table.holds(24 + 4 * len(self.form.codings)):
            return None
        known = ROWS_LEFT.get(self.form)
        if known is None or known.table is not table:
            known = ROWS_LEFT[self.form] = RowsLeft.of(self.form, table)
        return known.answer(self, engine.cores)


class Taken(NamedTuple):
    """What a list of rules takes. held[rule, class]: rows that a rule holds for. first[rule, class]: rows
    whose first rule it is; the last entry has the rows that no rule takes. second[rule, next, class]: of the
    rows that a rule takes, by the next rule that holds for them.
    """

    held: Ints
    first: Ints
    second: Ints


@dataclass(frozen=True)
class ListCounts(Statistic[Taken]):
    """Ask what each rule of a list takes, and who would take it instead."""

    form: CodedColumn
    rules: tuple[Picks, ...]
    classes: int

    def prepared(self) -> tuple[CodedColumn, ListCounts]:
        """Return the form of codes, and the same question of blocks in it: lighter to send."""
        return self.form, replace(self, form=self.form.done())

    def zero(self) -> Taken:
        n = len(self.rules)
        shapes = (n, self.classes), (n + 1, self.classes), (n, n + 1, self.classes)
        return Taken(*(np.zeros(shape, np.int64) for shape in shapes))

    def add(self, total: Taken, block: Block) -> Taken:
        codes = [c.codes(block) for c in self.form.codings]
        n = len(self.rules)
        first, second = np.full(block.rows, n, np.uint32), np.full(block.rows, n, np.uint32)
        assert block.classes is not None
        classes, weights = np.ascontiguousarray(block.classes), block.weights
        for i, picks in enumerate(self.rules):
            here = np.flatnonzero(holds(picks, codes, block.rows))
            own = None if weights is None else weights[here]
            kernels.count_classes(classes[here], self.classes, own, total.held[i])
            before = first[here]
            second[here[(before < n) & (second[here] == n)]] = i
            first[here[before == n]] = i
        _by_two(first, classes, weights, total.first)
        taken = np.flatnonzero(first < n)
        own = None if weights is None else weights[taken]
        both = first[taken].astype(np.int64) * (n + 1) + second[taken]
        flat = total.second.reshape(n * (n + 1), self.classes)
        _by_two(both.astype(np.uint32), classes[taken], own, flat)
        return total

    def merge(self, total: Taken, other: Taken) -> Taken:
        for mine, more in zip(total, other, strict=True):
            mine += more
        return total


def _by_two(place: NDArray[np.uint32], classes: NDArray[Any], weights: Ints | None, out: Ints) -> None:
    """Add rows by place and class to out[place, class]."""
    if len(out):
        kernels.count_codes(place, classes, *out.shape, weights=weights, out=out)


def holds(picks: Picks, codes: list[NDArray[Any]], rows: int) -> NDArray[np.bool_]:
    """Return which rows fulfil all conditions."""
    out = np.ones(rows, bool)
    for column, allowed in picks:
        out &= np.array(allowed)[codes[column]]
    return out


def count(
    codes: list[NDArray[Any]],
    classes: NDArray[Any],
    weights: Ints | None,
    here: Ints | None,
    out: list[Ints],
) -> None:
    """Add some rows, or all (None), to the tables of some columns."""
    if here is not None:
        codes, classes = [c[here] for c in codes], classes[here]
        weights = None if weights is None else weights[here]
    each = [np.ascontiguousarray(c) for c in codes]
    kernels.count_columns(each, classes, [len(t) for t in out], out[0].shape[1], weights=weights, out=out)


# ---- candidate conditions of each column, with the counts of their rows, from one count table ----
#
# Law: offers stand in one order, by column and code, so that ties are broken alike everywhere.
#
# A number, or levels in order, offers all that is below a code and all from it on, either with the missing
# rows or without. Levels offer the groups that are best for a class: levels by the class's share among
# them, from the highest down. Missing is a level there. A column with missing rows also offers "is missing"
# and "is known".


Allowed = Callable[[int], NDArray[np.bool_]]  # number of an offer -> the codes that it allows


class CandidateConditions(NamedTuple):
    """What columns offer: covered[offer, class] rows and bits[offer] that name it among those of its column;
    pick(offer) is the condition itself.
    """

    covered: Ints
    bits: Floats
    pick: Callable[[int], Pick]


def all_offers(codings: tuple[Coding, ...], tables: list[Ints]) -> CandidateConditions:
    """Return the offers of all columns together, one column after the other. tables[column][code, class]:
    rows, missing the last code.
    """
    each = [
        (_groups if coding.kind == "levels" else _sides)(table)
        for coding, table in zip(codings, tables, strict=True)
    ]
    start = np.cumsum([0] + [len(covered) for covered, _, _ in each])

    def pick(offer: int) -> Pick:
        column = int(np.searchsorted(start, offer, side="right")) - 1
        return Pick(column, tuple(each[column][2](offer - int(start[column])).tolist()))

    return CandidateConditions(
        np.concatenate([e[0] for e in each]), np.concatenate([e[1] for e in each]), pick
    )


def _sides(table: Ints) -> tuple[Ints, Floats, Allowed]:
    """Return the offers of a number, or of levels in order: below a code that has rows, and from it on."""
    k, lost = len(table) - 1, table[-1]
    full = np.flatnonzero(table[:-1].any(axis=1))
    cuts = full[1:]
    low = np.cumsum(table[full], axis=0)[:-1]
    known = table[:-1].sum(axis=0)
    sides = np.concatenate([low, known - low])
    gone = bool(lost.any())
    out = [sides, sides + lost, known[None] * bool(len(full)), lost[None]] if gone else [sides]
    covered = np.concatenate(out)
    some = len(covered) if len(full) or not gone else 0  # where all is missing there is nothing to offer
    bits = np.full(some, float(kernels.log2(np.array([max(some, 1.0)]))[0]))

    def allowed(offer: int) -> NDArray[np.bool_]:
        made = np.zeros(k + 1, bool)
        if offer >= 2 * len(sides):
            made[:k], made[k] = offer == 2 * len(sides), offer > 2 * len(sides)
            return made
        made[k], offer = offer >= len(sides), offer % max(len(sides), 1)
        below = np.arange(k) < cuts[offer % len(cuts)]
        made[:k] = below if offer < len(cuts) else ~below
        return made

    return covered[:some], bits, allowed


def _groups(table: Ints) -> tuple[Ints, Floats, Allowed]:
    """Return the groups of levels, missing among them: for each class the levels in which its share is
    highest. Levels without rows go with the larger group.
    """
    size = table.sum(axis=1)
    there = np.flatnonzero(size)
    classes = table.shape[1]
    if len(there) < 2:
        return np.zeros((0, classes), np.int64), np.zeros(0), lambda offer: np.zeros(len(table), bool)
    orders = [there[np.argsort(-(table[there, c] / size[there]), kind="stable")] for c in range(classes)]
    covered = np.concatenate([np.cumsum(table[order], axis=0)[:-1] for order in orders])
    each = len(there) - 1
    chosen = np.tile(np.arange(1, len(there)), classes)
    bits = group_bits(np.full(len(chosen), len(there)), chosen) + 1.0

    def allowed(offer: int) -> NDArray[np.bool_]:
        made = np.zeros(len(table), bool)
        order, j = orders[offer // each], offer % each + 1
        made[order[:j]] = True
        if 2 * j > len(order):
            made[:-1] |= size[:-1] == 0
        return made

    return covered, bits, allowed


# ---- one rule by beam search: add conditions to the best few rules, keep the best rule ----

Tables = list[Ints]  # [column][code, class]
WIDEST, MOST_LOOKED_AT = 8, 200_000  # width of the beam; and the limit of width times rows
PATIENCE = 3  # conditions that are added without finding a better rule
LEAST_WORTH = 1.5  # least score of a rule in nats, less the price of its conditions: noise gives less


@dataclass(frozen=True)
class FoundRule:
    """A rule that was met. covered[class]: rows it takes. cost: of its conditions, in nats. worth: what it
    tells, less the cost. rank: by what it was compared while it grew.
    """

    picks: Picks
    covered: Ints
    cost: float
    worth: float
    rank: float


@dataclass(frozen=True)
class RuleGrower:
    """What growing needs to know."""

    form: CodedColumn
    score: RuleScore
    classes: int
    max_conditions: int | None
    row: int = 1  # what one row weighs in the table

    @property
    def width(self) -> int:
        """How many rules are grown beside each other: on small tables more, where few rows mislead."""
        rows = int(self.score.totals.sum()) // self.row
        return max(1, min(WIDEST, MOST_LOOKED_AT // max(rows, 1)))

    def best(self, taken: tuple[Picks, ...], tables: Tables) -> Generator[Any, Any, FoundRule | None]:
        """Return the best rule among the rows that no rule takes; None: there is none worth its conditions.
        tables: of those rows.
        """
        left = tables[0].sum(axis=0)
        best: FoundRule | None = None
        least = 0.0 if self.score.exact else LEAST_WORTH
        beam: list[tuple[FoundRule | None, Tables]] = [(None, tables)]
        patience = PATIENCE
        while beam and patience:
            found = self._extended(beam, left)
            if best is not None or not self.score.exact:  # a part of a parity tells nothing, the whole all
                patience -= 1
            for rule in found:
                if rule.worth > (least if best is None else best.worth) and self._answers(rule):
                    best, patience = rule, PATIENCE
            most = self.max_conditions
            open_ = [
                r for r in found if np.count_nonzero(r.covered) > 1 and (most is None or len(r.picks) < most)
            ]
            beam = []
            if open_ and patience:
                answers = yield RuleTables(self.form, taken, tuple(r.picks for r in open_), self.classes)
                beam = list(zip(open_, answers, strict=True))
        return best

    def _extended(self, beam: list[tuple[FoundRule | None, Tables]], left: Ints) -> list[FoundRule]:
        """Return the best rules with a condition more, the best first, no two of the same rows."""
        columns = float(kernels.log2(np.array([float(len(self.form.codings))]))[0])
        out: list[FoundRule] = []
        for rule, tables in beam:
            offers = all_offers(self.form.codings, tables)
            if not len(offers.bits):
                continue
            costs = (0.0 if rule is None else rule.cost) + self.score.costs(offers.bits + columns)
            worth = self.score.gains(offers.covered, left) - costs
            size = self.score.rows(offers.covered).sum(axis=-1)
            taken = offers.covered.sum(axis=1)
            # a rule of one row would only name it; in a truth table there is one row of each kind
            fits = (size > 0) & (taken > (0 if self.score.exact else self.row))
            if (
                self.score.one is not None
            ):  # it is to be more frequent there than among all rows that are left
                rows, whole = self.score.rows(offers.covered), self.score.rows(left)
                fits &= rows[:, 1] > 0 if self.score.exact else rows[:, 1] * whole[0] > rows[:, 0] * whole[1]
            if rule is not None:
                fits &= taken < rule.covered.sum()
            # growing rules are compared by worth over the root of their rows: small rules of much worth
            # are grown beside large ones of a little for each row
            root = np.sqrt(np.maximum(size, 1e-300))
            ranks = np.where(fits, np.where(worth > 0, worth / root, worth * root), -np.inf)
            for i in np.argsort(-ranks, kind="stable")[: self.width].tolist():
                if fits[i]:
                    picks = with_pick(() if rule is None else rule.picks, offers.pick(i))
                    made = float(costs[i]), float(worth[i]), float(ranks[i])
                    out.append(FoundRule(picks, offers.covered[i], *made))
        unique: dict[tuple[int, ...], FoundRule] = {}
        for found in sorted(out, key=lambda r: -r.rank):
            unique.setdefault(tuple(found.covered.tolist()), found)
        return list(unique.values())[: self.width]

    def _answers(self, rule: FoundRule) -> bool:
        """Say whether a rule answers the class that is to be told, where there is one."""
        rows = self.score.rows(rule.covered)
        if self.score.exact and np.count_nonzero(rows) != 1:
            return False
        return self.score.one is None or bool(rows[1] > rows[0])


def with_pick(picks: Picks, pick: Pick) -> Picks:
    """Return conditions with one more; a column is named once."""
    for i, (column, allowed) in enumerate(picks):
        if column == pick.column:
            both = Pick(column, tuple(a and b for a, b in zip(allowed, pick.allowed, strict=True)))
            return (*picks[:i], both, *picks[i + 1 :])
    return (*picks, pick)


# ---- pruning a list: a rule is dropped if the list then scores higher, the worst first ----

LEAST = 1e-9  # nats: smaller differences are rounding


def reviewed(grower: RuleGrower, found: list[FoundRule]) -> Generator[Any, Any, list[FoundRule]]:
    """Return the list without the rules whose rows the rules behind them take as well."""
    while found:
        taken: Taken = yield ListCounts(grower.form, tuple(r.picks for r in found), grower.classes)
        before, worth = grower.score.evidence(taken.first), []
        for i, rule in enumerate(found):  # by how much more the list is worth without this rule
            after = grower.score.evidence(taken.first + taken.second[i])
            changed = np.flatnonzero(taken.second[i].any(axis=1))
            worth.append(float((after[changed] - before[changed]).sum() - before[i]) + rule.cost)
        worst = int(np.argmax(worth))
        if worth[worst] <= (-LEAST if grower.score.exact else LEAST):
            break
        found = found[:worst] + found[worst + 1 :]
    return found


NOTHING = CodedColumn(())


@dataclass(frozen=True)
class RuleLearner:
    """unit: a weight of 1 is this many in the table; row_unit: what one row weighs where rows are counted.
    rows: about how many there are; decides nothing but how questions are put.
    """

    options: RuleOptions
    kind: str = LIST
    unit: int = 1
    row_unit: int = 1
    rows: int = 0

    def learn(self, schema: Schema) -> Generator[Statistic[Any], Any, RuleModel]:
        """Ask for counts of conditions until no further rule pays."""
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
            present = [label for label, n in zip(labels, totals.tolist(), strict=True) if n]
            raise TargetError(
                f"target {shown(schema.predicted.name)} has one class ({some(present)}) among the rows with "
                "weight; two are needed."
            )
        # columns as codes: numbers in ranges that begin at exact quantiles
        weight, codings = int(totals.sum()), []
        numbers = [c for c in columns if c.kind == "numeric"]
        cuts = yield from cuts_by_column(numbers, self.options.max_bins, weight, weight / self.row_unit)
        for column in columns:
            if column.kind in CODED:
                kind = "levels" if column.kind == "levels" else "ordered"
                codings.append(Coding(column.name, kind, len(column.levels)))
            else:
                own = np.array(cuts[column.name], np.float64)
                codings.append(Coding(column.name, "numeric", len(own) + 1, own, True))
        form = CodedColumn(tuple(codings))
        # what a unit of the table counts as in rows, by class: all rows together count as many as they are,
        # whatever the weights of their classes
        growing, factors = self.options.growing_weights(schema.predicted), np.full(len(totals), 1.0)
        factors /= self.row_unit
        if growing is not None:
            each, heavy = growing.of(totals), 0.0
            for n, heft in zip(totals.tolist(), each.tolist(), strict=True):
                heavy += n * heft
            factors = each * (weight / heavy / self.row_unit)
        score = RuleScore(factors, totals, self.options.imagined(len(labels)))
        grower = RuleGrower(form, score, len(labels), self.options.max_conditions, self.row_unit)
        if self.kind == LIST:
            found = yield from self._listed(grower)
        else:  # those of every class but the most frequent
            usual, found = int(np.argmax(totals * factors)), list[FoundRule]()
            for c in range(len(totals)):
                if c != usual and totals[c]:
                    found += yield from self._listed(replace(grower, score=replace(score, one=c)))
            if self.options.max_rules is not None:
                found = sorted(found, key=lambda r: -r.worth)[: self.options.max_rules]
        taken: Taken = yield ListCounts(form, tuple(r.picks for r in found), len(labels))
        return self._model(schema, form, found, taken, totals)

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
        totals = grower.score.totals
        usual = int(np.argmax(totals * grower.score.factors))
        found: list[FoundRule] = []
        for c in range(len(totals)):
            if c != usual and totals[c]:
                own = replace(grower, score=replace(grower.score, one=c))
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
            RuleCounts(_conditions_of(rule.picks, form, schema), tuple(own.tolist()), imagined + rule.cost)
            for rule, own in zip(found, counts[: len(found)], strict=True)
        )
        spent = sum((rule.cost for rule in found), 0.0)
        otherwise = RuleCounts((), tuple(taken.first[-1].tolist()), imagined + spent)
        row = 0 if self.unit == 1 else self.row_unit
        model = RuleModel(
            schema, self.options, self.kind, rules, otherwise, tuple(totals.tolist()), self.unit, row
        )
        if self.kind != LIST:
            # the surest first, by the share of the class it answers, of equals as they were found; rules that
            # answer as the rows without a rule do say nothing, and go
            shares, answers = model.rule_shares, model.answers
            kept = [i for i in range(len(rules)) if answers[i] != answers[-1]]
            order = sorted(kept, key=lambda i: -float(shares[i, answers[i]]))
            model = replace(model, rules=tuple(rules[i] for i in order))
        asked = {c.column.name for rule in model.rules for c in rule.conditions}
        return replace(model, schema=schema.only(asked))


def _conditions_of(picks: Sequence[Pick], form: CodedColumn, schema: Schema) -> tuple[Condition, ...]:
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


# ---- cache for rows in memory: those that no rule takes yet ----


@dataclass
class RowsLeft:
    """rows: those that no rule of `taken` takes; picked: those that fulfil conditions asked for last."""

    table: LocalTable
    codes: list[NDArray[Any]]
    rows: Ints
    taken: tuple[Picks, ...] = ()
    picked: dict[Picks, Ints] = field(default_factory=dict)

    @classmethod
    def of(cls, form: CodedColumn, table: LocalTable) -> RowsLeft:
        """Return all rows, as codes."""
        whole = table.slice(0, table.rows)
        codes = [
            np.ascontiguousarray(c.codes(whole).astype(code_dtype(c.k + 2), copy=False)) for c in form.codings
        ]
        return cls(table, codes, np.arange(table.rows))

    def answer(self, question: RuleTables, threads: int) -> list[list[Ints]]:
        """Leave out the rows that new rules take, and return the tables asked for."""
        if question.taken[: len(self.taken)] != self.taken:
            self.rows, self.taken, self.picked = np.arange(self.table.rows), (), {}
        for picks in question.taken[len(self.taken) :]:
            self.rows = self.rows[~self._holds(picks, self.rows)]
            self.picked = {}
        self.taken = question.taken
        before, self.picked = self.picked, {(): self.rows}
        for picks in question.picks:
            # begin with the fewest rows that are known to hold what the conditions ask
            allowed, start, rows = dict(picks), list[Pick](), self.rows
            for known, own in before.items():
                wider = all(c in allowed and not any(map(gt, allowed[c], every)) for c, every in known)
                if wider and len(own) < len(rows):
                    start, rows = list(known), own
            left = tuple(pick for pick in picks if pick not in start)
            self.picked[picks] = rows[self._holds(left, rows)] if left else rows
        return [self._tables(question, self.picked[picks], threads) for picks in question.picks]

    def _holds(self, picks: Picks, rows: Ints) -> NDArray[np.bool_]:
        used = {column for column, _ in picks}
        codes = [c[rows] if j in used else c for j, c in enumerate(self.codes)]
        return holds(picks, codes, len(rows))

    def _tables(self, question: RuleTables, rows: Ints, threads: int) -> list[Ints]:
        classes, weights = self.table.classes, self.table.weights
        assert classes is not None
        own = np.ascontiguousarray(classes[rows])
        heavy = None if weights is None else weights[rows]
        sizes = [(c.k + 1, question.classes) for c in question.form.codings]
        out = [np.zeros(size, np.int64) for size in sizes]
        every = len(rows) == self.table.rows

        def part(columns: range) -> None:
            codes = [self.codes[j] if every else self.codes[j][rows] for j in columns]
            count(codes, own, heavy, None, [out[j] for j in columns])

        if threads == 1 or len(rows) * len(out) < FEW_ROWS * 20:
            part(range(len(out)))
            return out
        step = -(-len(out) // threads)
        jobs = [range(j, min(j + step, len(out))) for j in range(0, len(out), step)]
        for _ in in_order([partial(part, columns) for columns in jobs], threads):
            pass
        return out


ROWS_LEFT: WeakKeyDictionary[CodedColumn, RowsLeft] = WeakKeyDictionary()
