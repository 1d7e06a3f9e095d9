"""The data that all sections of a report share, colours of classes, and the section on how to use the model.

Entry: `PageData`; `class_colours()`; `use_section()`. pull = how far a column moves the model's answers.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import __version__, methods
from tallystick.contracts import Table
from tallystick.description.columns import Description
from tallystick.draw.svg import PALETTE, brief
from tallystick.errors import OptionError, TallyError, clean, for_reader
from tallystick.export.form import form_of
from tallystick.export.targets import export
from tallystick.judge.compare import Comparison, Entry
from tallystick.judge.crossval import LearningCurve
from tallystick.model.decision import AnswerDecision
from tallystick.schema import Columns
from tallystick.text import typed_merges
from tallystick.tree.model import Tree
from tallystick.tree.splits import importances

SAMPLE = 20_000  # rows looked at; the table's rows are in an order of their content


def section_of(model: Any) -> Any:
    """Return what a model's method shows in a report, a `MethodSection`."""
    return methods.of_kind(model.kind).load("report")


def pulls(model: Any, table: Table) -> dict[str, float]:
    """Return how far each column moves the model, by the rule of its method."""
    found: dict[str, float] = section_of(model).pulls(model, table)
    return found


def additive_pulls(model: Any, table: Table) -> dict[str, float]:
    """Return, by column, the standard deviation of its part of the score over the rows, mean over classes. A
    column that says the same of every row pulls 0.
    """
    block = table.local().slice(0, min(table.rows, SAMPLE))
    classes = len(model.additive.base)
    out: dict[str, float] = {}
    for term in model.additive.terms:
        part = np.zeros((block.rows, classes))
        term.add(part, block)
        if classes > 1:  # what is added to all classes moves nothing
            part = np.where(np.isfinite(part), part, -20.0)
            part -= part.mean(axis=1, keepdims=True)
        out[term.column] = out.get(term.column, 0.0) + float(part.std(axis=0).mean())
    return out


def card_pulls(model: Any, table: Table) -> dict[str, float]:
    """Return `additive_pulls`, a pair counting for both of its columns."""
    out: dict[str, float] = {}
    found = additive_pulls(model, table)
    for part in model.parts:
        for name in part.columns:
            out[name] = out.get(name, 0.0) + found[part.name]
    return out


def tree_pulls(tree: Tree, table: Table) -> dict[str, float]:
    """Return each column's share of all gain in the tree that is shown."""
    names = [c.name for c in tree.schema.used]
    return dict(zip(names, importances(tree).tolist(), strict=True))


Row = dict[str, str | None]


@dataclass(frozen=True)
class PageData:
    """Results, all of the same rows in an order of their content.

    row(number): a raw row as texts, or None when no raw row may be shown. groups: the columns that errors are
    to be counted by, and their value in each row; when empty, those where it differs most. work: how many
    rows were `compared`, `judged` and drawn as a `curve`, 0 for all, and `left_out`, a sentence; None: all.
    """

    title: str
    table: Table
    description: Description
    comparison: Comparison[Any]
    curve: LearningCurve | None = None
    groups: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    row: Callable[[int], Row] | None = None
    folds: int = 10
    work: Any = None
    decimal: str = "."  # of the numbers in raw rows, where their columns know no way of their own

    @property
    def target(self) -> str:
        """The name of the target."""
        return self.comparison.target

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes, in their order everywhere on the page."""
        return self.table.schema.predicted.labels

    @property
    def aim(self) -> str:
        """What the target is, in words: `2 classes`, `a number from 5 to 50`."""
        many, numbers = len(self.labels), self.table.response
        if numbers is not None:
            return f"a number from {brief(float(numbers.min()))} to {brief(float(numbers.max()))}"
        return f"{many:,} class{'' if many == 1 else 'es'}"

    @property
    def is_number(self) -> bool:
        """Whether the target is a number; else it has classes."""
        return self.table.response is not None

    @property
    def chosen(self) -> Entry[Any]:
        """The razor's entry."""
        return self.comparison.chosen

    @cached_property
    def model(self) -> Any:
        """The chosen method's fitted model; None when the most frequent class was chosen."""
        return None if self.chosen.family in ("majority", "yours") else self.chosen.model.model_

    @cached_property
    def readable_model(self) -> Any:
        """The chosen model as the page shows it in words (`MethodSection.readable`)."""
        return None if self.model is None else section_of(self.model).readable(self.model, self.table)

    @cached_property
    def form_text(self) -> str:
        """The chosen model in the form that all exports read, as JSON; empty without a model, or a form."""
        try:
            return "" if self.model is None else form_of(self.model).to_json()
        except OptionError:
            return ""

    @cached_property
    def others(self) -> list[Entry[Any]]:
        """The best entry of each other family, in the order of the comparison."""
        seen = {self.chosen.family, "majority", "yours"}
        out = []
        for entry in self.comparison.entries:
            if entry.family not in seen:
                seen.add(entry.family)
                out.append(entry)
        return out

    @cached_property
    def weights(self) -> dict[str, float]:
        """How far each column moves the chosen model."""
        found = {} if self.model is None else pulls(self.model, self.table)
        known = {c.name for c in self.table.schema.used}
        return {name: weight for name, weight in found.items() if name in known}

    @cached_property
    def columns(self) -> list[str]:
        """The columns that the chosen model looks at, the one that moves it most first."""
        weights = self.weights
        return [n for n in sorted(weights, key=lambda n: (-weights[n], n)) if weights[n] > 0]


# The colours of classes: a colour means one class everywhere on the page, and grey means the others.


OTHERS = PALETTE[-1]  # the grey of all classes that have no colour of their own


def class_colours(page: PageData) -> list[str]:
    """Return the colour of each class; of more classes than colours the most frequent ones have one. A number
    has one colour.
    """
    labels = page.labels or ("",)
    if len(labels) <= len(PALETTE):
        return list(PALETTE[: len(labels)])
    rows = {p.label: p.rows for p in page.description.classes}
    order = sorted(range(len(labels)), key=lambda c: (-rows.get(labels[c], 0), c))
    out = [OTHERS] * len(labels)
    for rank, c in enumerate(sorted(order[: len(PALETTE) - 1])):
        out[c] = PALETTE[rank]
    return out


# The section on how to use the model: commands, exports, sha256, parameters, how numbers were computed.


EXECUTION = ("engine", "memory", "threads")
MOST_CODE = 60_000  # characters of an export that the page shows
TOO_MUCH = 4 * MOST_CODE  # characters of a form, from which no target's export fits MOST_CODE

HOW = (
    (
        "Cross-validated",
        "Every score is cross-validated: the rows, copies among them, are dealt into {folds} folds by what"
        " they hold, and each fold is answered by a model fitted on the others.",
    ),
    (
        "Accuracy",
        "Rows whose most probable class is right, over all rows; its 95 % interval is Wilson's, of the score "
        "on new rows of a model trained on all rows: widened because folds share training rows, and for how "
        "they differ.",
    ),
    (
        "Log-loss",
        "The mean of −ln(share given to the right class): 0 is certain and right; lower is better. It also "
        "punishes confident mistakes, which accuracy does not see.",
    ),
    (
        "Base rate",
        "Always answering the most frequent class; for log-loss, always predicting the class frequencies.",
    ),
    (
        "The razor",
        "Of all methods within one standard error of the lowest log-loss, that of the difference over the "
        "same folds, the one with the fewest numbers"
        " to read: tests and leaves of a tree, shares, means and variances of naive Bayes, weights of "
        "logistic regression that are not 0.",
    ),
    (
        "p",
        "Of the corrected resampled t-test of the fold losses against the best method.",
    ),
    (
        "Information gain",
        "By how many bits a column lowers the entropy of the target: one branch per level, or the best "
        "cut of a number; rows without a value are a branch of their own. What is left is the gain less "
        "its price: log2(values - 1) bits for a cut, about a bit for each level of three or more, over all "
        "rows. A question of the tree has another gain: that of its own two groups, at its own rows.",
    ),
    (
        "ROC, precision and recall",
        "For one class against the rest, the rarest: found = share of its rows that are answered so; "
        "false alarms = share of the other rows; precision = share of such answers that are right.",
    ),
    (
        "Calibration",
        "Rows in ten about equally full groups by the predicted share; bars are 95 % intervals. "
        "Points on the diagonal mean that the shares can be trusted.",
    ),
    (
        "Learning curve",
        "A third of the rows (at most 5,000) is held out, the method is trained on subsets of the others; "
        "bands are two standard errors over the subsets.",
    ),
    (
        "Errors by group",
        "Out-of-fold errors counted by the levels of a column; intervals are Wilson's.",
    ),
    (
        "Log-odds",
        "What a value adds to ln(P(one class) / P(the other)); the sum of all is the model's answer.",
    ),
    (
        "Rows that stand for a group",
        "The row that agrees with most columns of its group: the most frequent level, or a number in the "
        "middle half.",
    ),
)


NUMBER_HOW = (  # of a target of numbers
    *(one for one in HOW if one[0] == "Cross-validated"),
    (
        "Off by",
        "The mean of the sizes of the errors, answer less truth; its 95 % interval is Student's, of the "
        "score on new rows of a model trained on all rows: widened because folds share training rows.",
    ),
    (
        "Root of squared error",
        "The root of the mean of the squared errors: large errors count more than in the mean size.",
    ),
    (
        "R²",
        "One less the mean squared error over that of always answering the mean: 1 is right everywhere, 0 is "
        "no better than the mean.",
    ),
    (
        "The razor",
        "Of all methods within one standard error of the lowest mean squared error, the one with the fewest "
        "numbers to read: tests and leaves of a tree, weights of a linear regression.",
    ),
    ("p", "Of the corrected resampled t-test of the fold losses against the best method."),
    (
        "Tells alone",
        "The variance of the target between the levels of a column, or between the two sides of its best "
        "cut, over the variance of all rows; rows without a value are a group of their own.",
    ),
    (
        "Errors by group",
        "Out-of-fold errors by the values of a column, with Student's intervals; what differs beyond chance "
        "is found by Welch's test of a group against all other rows, with Holm's correction.",
    ),
    *(one for one in HOW if one[0] == "Rows that stand for a group"),
)


def use_section(page: PageData) -> dict[str, Any]:
    """Return commands, exports, parameters, and how each number was computed."""
    estimator, how = page.chosen.model, NUMBER_HOW if page.is_number else HOW
    out: dict[str, Any] = {
        "how": [(name, text.format(folds=page.folds)) for name, text in how],
        "version": __version__,
    }
    if page.model is None:
        return out | {"model": False}
    digest, size = hashlib.sha256(), 0
    for piece in estimator._pieces(profile=True):  # the file of a large tree is large
        digest.update(piece)
        size += len(piece)
    sha256 = digest.hexdigest()
    data = page.description.name
    file = "model.tally.json"
    return out | {
        "model": True,
        "sha256": sha256,
        "bytes": f"{size:,}",
        "fit": fit_line(estimator, page.chosen.family, data, page.target, file),
        "verify": f"tally verify {file} {_quoted(data)}",
        "python": (
            "import tallystick as ts\n"
            f"model = ts.load({file!r})          # written by the command above\n"
            f"model.predict({clean(data)!r}); model.explain({clean(data)!r})"
        ),
        "parameters": [(n, _shown(v)) for n, v in sorted(estimator._learning().items())],
        "exports": [_export(page, kind, sha256) for kind in ("sql", "python")],
        "notes": [for_reader(n.text) for n in estimator.notes_][:20],
    }


def fit_line(estimator: Any, family: str, data: str, target: str, file: str) -> str:
    """Return the command that fits a model as it was fitted, and saves it."""
    default = type(estimator)().get_params(deep=False)
    parts = ["tally fit", _quoted(data), "--target", _quoted(target), "--model", family]
    parts += column_flags(Columns.of(estimator.columns, estimator.kinds))
    for name, value in sorted(estimator.get_params(deep=False).items()):
        if name in (*EXECUTION, "columns", "kinds") or value == default[name]:
            continue
        if is_dataclass(value):  # a way to prune: by its name, then its parts
            parts.append(f"--set {name}={value.name}")  # type: ignore[union-attr]
            parts += [f"--set {name}__{f.name}={_shown(getattr(value, f.name))}" for f in fields(value)]
        else:
            parts.append(f"--set {_quoted(f'{name}={_shown(value)}')}")
    return " ".join([*parts, *decision_flags(estimator.model_.decision), "-o", file])


def decision_flags(decision: AnswerDecision | None) -> list[str]:
    """Return how answers are decided in the words of the command line; nothing where nobody said."""
    if decision is None:
        return []
    if decision.threshold is not None:
        return [f"--threshold {_quoted(f'{decision.of}: {decision.threshold!r}')}"]
    every = [
        (truth, answer, cost)
        for truth, row in zip(decision.labels, decision.costs, strict=True)
        for answer, cost in zip(decision.labels, row, strict=True)
    ]
    own = [(t, a, c) for t, a, c in every if c != float(t != a)] or every[1:2]
    return [f"--costs {_quoted(f'{t}→{a}: {c!r}')}" for t, a, c in own]


def column_flags(columns: Columns) -> list[str]:
    """Return what is known of the columns in the words of the command line."""
    parts = [f"--keep {_quoted(name)}" for name in columns.keep]
    parts += [f"--kind {_quoted(f'{name}={kind}')}" for name, kind in columns.kinds.items()]
    parts += [f"--levels {_quoted(k + '=' + ','.join(map(str, v)))}" for k, v in columns.levels.items()]
    parts += [f"--merge {_quoted(line)}" for line in typed_merges(columns.merge)]
    return parts + [f"--missing {_quoted(mark)}" for mark in columns.missing or ()]


def _quoted(text: str) -> str:
    return shlex.quote(clean(text))


def _shown(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except TypeError:
        return str(value)


def _export(page: PageData, kind: str, sha256: str) -> dict[str, Any]:
    """Return the model in another language; why not, where that cannot be."""
    out = {"name": {"sql": "SQL", "python": "Python"}[kind], "text": "", "why": ""}
    out["command"] = f"tally export model.tally.json --to {kind}"
    if len(page.form_text) > TOO_MUCH:
        return out | {"why": f"The text has more than {MOST_CODE:,} letters, too many for this page."}
    try:
        text = str(export(page.model, kind, sha256))
    except TallyError as error:
        return out | {"why": str(error)}
    if len(text) > MOST_CODE:
        return out | {"why": f"The text has {len(text):,} letters, too many for this page."}
    lines = (clean(line.expandtabs(4)) for line in text.split("\n"))  # names turn nothing around
    return out | {"text": "\n".join(lines)}
