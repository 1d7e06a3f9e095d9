"""Checks that a careful colleague would make before believing a score; each has a code and one line of
advice.

Knows tables and results. Knows nothing of learners. A check can be ignored by its code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick.contracts import Table
from tallystick.data.read.slips import merging, say_variants, sentinels, variants
from tallystick.data.schema import listed
from tallystick.data.table.hashes import conflicts
from tallystick.errors import Message, OptionError, counted, for_reader, nearest, shown
from tallystick.evaluate import large
from tallystick.evaluate.far_sums import class_weights
from tallystick.evaluate.text import figure
from tallystick.stats.giveaways import ADVICE, findings
from tallystick.stats.value_ranges import ValueRanges, one_label

if TYPE_CHECKING:
    from tallystick.evaluate.compare import Entry
    from tallystick.evaluate.held_out import HeldOut
    from tallystick.evaluate.result import CrossValidation

RARE = 0.1  # of an equal share: a class with less makes accuracy a poor guide
FEW = 10  # rows of a class that folds need
OVERFIT = (
    2.0  # out-of-fold log-loss over training log-loss, beyond which a model has learned its rows by heart
)
IDENTIFIER_ROWS, IDENTIFIER_SHARE = 20, 0.9  # a column of that many different levels names its rows
UNLESS = "Leave it out unless it means something for new rows."
NUMBERED = f"It looks like an identifier, given class by class. {UNLESS}"
WRONG_SHARE = 0.05  # a share further from what came true matters
DEPENDENT = 0.1  # bits two columns share given the class

CODES = {
    "imbalance": "a class is rare",
    "giveaway": "one column gives the target away",
    "identifier": "a column that looks like an identifier is used",
    "overfitting": "the model fits its training rows far better than new ones",
    "calibration": "the shares differ from what happens",
    "dependence": "columns depend on each other, and naive Bayes takes them as independent",
    "few-rows": "a class has too few rows",
    "labels-alike": "two classes may be one class spelt in two ways",
    "training-rows": "held-out rows are also among the training rows",
    "repeated-rows": "rows occur in the table more than once",
    "conflicts": "equal rows have different classes",
    "sentinel": "a number may stand for missing",
    "text-alone": "a method that does not read text is left out",
    "text-unread": "the chosen method does not read a column of text",
    "large-tree": "a method whose tree memory= has no room for is left out",
    "baseline": "no better than always answering the most frequent class",
}
LEFT_OUT = frozenset({"text-alone", "large-tree"})  # what says that methods were not compared


@dataclass(frozen=True, slots=True)
class Check:
    """Something that needs attention: a stable code, what was found, what to do."""

    code: str
    text: str
    advice: str
    column: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the check as plain data."""
        return {
            "advice": for_reader(self.advice),
            "code": self.code,
            "column": self.column,
            "text": for_reader(self.text),
        }


def check_codes(ignore: Iterable[str]) -> frozenset[str]:
    """Return the codes to ignore; an unknown code is an error."""
    codes = listed("ignore", ignore)
    for code in sorted((code for code in codes if code not in list(CODES)), key=str):
        raise OptionError(
            f"there is no check {shown(code)}.{nearest(code, list(CODES))} Known: {', '.join(CODES)}."
        )
    return frozenset(codes)


def check_table(table: Table) -> Iterator[Check]:
    """Yield what the rows alone tell."""
    dealer = table.dealer() if table.place == "far" else None  # who looks at rows that stay far
    if not table.schema.regression:
        yield from _classes(table)
    distinct = large.distinct(table.row_hashes(), table) if dealer is None else dealer.distinct
    copies = table.rows - distinct
    if copies:
        yield Check(
            "repeated-rows",
            f"{counted(copies, 'row')} {'is a copy' if copies == 1 else 'are copies'} of another row; folds "
            f"deal {'it' if copies == 1 else 'them'} like other rows.",
            "Make sure that copies are separate cases; if not, name groups to keep them together.",
        )
    if not table.schema.regression:
        yield from _mixed(table)
    yield from _marks(table, dealer)
    for column in table.schema.used:
        if table.rows >= IDENTIFIER_ROWS and len(column.levels) >= IDENTIFIER_SHARE * table.rows:
            yield Check(
                "identifier",
                f"column {shown(column.name)} has {counted(len(column.levels), 'level')} in "
                f"{counted(table.rows, 'row')}.",
                UNLESS,
                column.name,
            )


def _classes(table: Table) -> Iterator[Check]:
    """Yield that classes may be one, or that a class has few rows or is rare."""
    labels, full = table.schema.predicted.labels, class_weights(table) / table.unit
    alike = variants(labels, full.tolist()) if table.schema.predicted.type == "text" else []
    if alike:
        yield Check(
            "labels-alike",
            f"classes that may be one: {say_variants(alike)}.",
            Message("If they are one, pass ", merging(alike), "."),
            table.schema.predicted.name,
        )
    spelt = {label for (label, _), _ in alike}
    own = np.array([label not in spelt for label in labels])
    rarest = int(np.argmin(np.where(own, full, np.inf)))
    if full[rarest] < FEW:
        yield Check(
            "few-rows",
            f"class {shown(labels[rarest])} has {counted(round(full[rarest]), 'row')}.",
            f"Collect at least {FEW} rows of each class, or join rare classes.",
        )
    elif full[rarest] < RARE * full.sum() / len(labels):
        yield Check(
            "imbalance",
            f"class {shown(labels[rarest])} is {full[rarest] / full.sum():.2%} of the rows.",
            "Judge by balanced accuracy, average precision or cost, not by accuracy.",
        )


def check_held(held: HeldOut) -> Iterator[Check]:
    """Yield that held-out rows were training rows too: answers to them tell nothing of new rows."""
    if held.copies:
        yield Check(
            "training-rows",
            f"{held.copies:,} of {len(held.truth):,} held-out rows, target included, also stand in the "
            "training rows.",
            "Remove them from one of the two, unless equal rows are separate cases.",
        )


def _mixed(table: Table) -> Iterator[Check]:
    """Yield that equal rows have different classes, with the error no model can avoid."""
    found = conflicts(table)
    if found.lost > 0:
        yield Check(
            "conflicts",
            f"{found.rows:,.10g} rows are equal to others but of another class: at least {found.lost:,.10g} "
            f"of {found.total:,.10g} rows will be answered wrongly by any model.",
            "Look for a column that tells them apart, or for wrong labels.",
        )


def _marks(table: Table, dealer: Any) -> Iterator[Check]:
    """Yield the numbers that are frequent and far from all others."""
    for column in table.schema.used:
        if column.kind == "numeric" and not column.unit:
            if dealer is not None:
                order = dealer.ranked(column.name, one_label, 1)
                distinct, counts = ValueRanges(order, np.zeros(1, np.int64)).few
            else:
                codes, distinct = table.ranks(column.name)
                counts = large.counts(codes, len(distinct) + 1)[:-1]
            for mark in sentinels(column.name, distinct, counts):
                yield Check("sentinel", mark.found, mark.cure, column.name)


def check_result(result: CrossValidation, training_loss: float | None, name: str) -> Iterator[Check]:
    """Yield what out-of-fold answers tell of one method."""
    accuracy, loss = result.measure("accuracy"), result.measure("log-loss")
    assert loss.base is not None
    worse = loss.low >= loss.base or (accuracy.base is not None and accuracy.high <= accuracy.base)
    if worse and not result.beats_base:
        yield Check(
            "baseline",
            f"{name}: log-loss {loss.value:.4f}, {loss.base:.4f} by always predicting the class frequencies.",
            "These columns do not predict the target; look for others.",
        )
    if training_loss is not None and loss.value > OVERFIT * training_loss + 0.1 * loss.base:
        yield Check(
            "overfitting",
            f"{name}: log-loss {training_loss:.4f} on its training rows, {loss.value:.4f} on new ones.",
            "Prune, smooth or penalise more, or add rows.",
        )
    off = [b for b in result.scores.curves["calibration"] if not b["low"] <= b["predicted"] <= b["high"]]
    worst = max(off, key=lambda b: abs(b["observed"] - b["predicted"]), default=None)
    many = len(off) > len(result.scores.curves["calibration"]) / 2 and len(off) >= 3
    if many and worst is not None and abs(worst["observed"] - worst["predicted"]) >= WRONG_SHARE:
        yield Check(
            "calibration",
            f"{name}: predicted share {worst['predicted']:.0%}, observed share {worst['observed']:.0%}.",
            "Where the shares themselves matter, use another method, or calibrate naive Bayes.",
        )


def check_text(table: Table, name: str) -> Iterator[Check]:
    """Yield that a method that does not read text leaves columns of text out."""
    for column in table.schema.used:
        if column.kind == "text":
            yield Check(
                "text-unread",
                f"column {shown(column.name)} holds text, which the chosen method ({name}) does not read.",
                "Compare it with naive Bayes or logistic regression of the text.",
                column.name,
            )


def no_better(others: Sequence[Entry[Any]], base: Entry[Any]) -> Iterator[Check]:
    """Yield that the razor was left with the most frequent class: no method is clearly better."""
    if others:
        yield Check(
            "baseline",
            f"{others[0].name}: {base.result.shown[1]} {figure(others[0].result.loss)}, "
            f"{figure(base.result.loss)} for {base.name}.",
            "These columns do not predict the target; look for others.",
        )


def check_columns(table: Table) -> Iterator[Check]:
    """Yield the columns that alone tell the target nearly perfectly, by value or by being missing, and the
    numbers whose order tells it.
    """
    for column, found in findings(table, table.schema.used):
        text = f"column {shown(column.name)} {found.found}."
        if found.ordered:
            yield Check("identifier", text, NUMBERED, column.name)
        else:
            yield Check("giveaway", text, ADVICE, column.name)
