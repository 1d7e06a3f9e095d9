"""Of the page, how to use it: commands, exports, the model's sha256, parameters, how numbers were made.

Knows estimators by what they can do. Knows nothing of HTML.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from tallystick import __version__
from tallystick.data.merge import typed_merges
from tallystick.data.schema import Columns
from tallystick.draw.text import clean
from tallystick.errors import TallyError, for_reader
from tallystick.export.targets import export
from tallystick.models.decision import AnswerDecision
from tallystick.reports.ingredients import Ingredients

EXECUTION = ("engine", "memory", "threads")
MOST_CODE = 60_000  # letters of an export that the page shows
TOO_MUCH = 4 * MOST_CODE  # letters of a form that no target writes in so few

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


def use_section(given: Ingredients, how: Sequence[tuple[str, str]] = HOW) -> dict[str, Any]:
    """Return commands, exports, parameters and definitions; how: how each number was computed."""
    estimator = given.chosen.model
    out: dict[str, Any] = {
        "how": [(name, text.format(folds=given.folds)) for name, text in how],
        "version": __version__,
    }
    if given.model is None:
        return out | {"model": False}
    sha256, size = _file_facts(estimator)
    data = given.description.name
    file = "model.tally.json"
    return out | {
        "model": True,
        "sha256": sha256,
        "bytes": f"{size:,}",
        "fit": fit_line(estimator, given.chosen.family, data, given.target, file),
        "verify": f"tally verify {file} {_quoted(data)}",
        "python": _python(given, data, file),
        "parameters": [(n, _shown(v)) for n, v in sorted(estimator._learning().items())],
        "exports": [_export(given, kind, sha256) for kind in ("sql", "python")],
        "notes": [for_reader(n.text) for n in estimator.notes_][:20],
    }


def _file_facts(estimator: Any) -> tuple[str, int]:
    """Return the sha256 of a model file and its bytes, piece by piece: that of a large tree is large."""
    digest, size = hashlib.sha256(), 0
    for piece in estimator._pieces(profile=True):
        digest.update(piece)
        size += len(piece)
    return digest.hexdigest(), size


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
    told = [(t, a, c) for t, a, c in every if c != float(t != a)] or every[1:2]
    return [f"--costs {_quoted(f'{t}→{a}: {c!r}')}" for t, a, c in told]


def column_flags(columns: Columns) -> list[str]:
    """Return what is known of the columns in the words of the command line."""
    parts = [f"--keep {_quoted(name)}" for name in columns.keep]
    parts += [f"--kind {_quoted(f'{name}={kind}')}" for name, kind in columns.kinds.items()]
    parts += [f"--levels {_quoted(k + '=' + ','.join(map(str, v)))}" for k, v in columns.levels.items()]
    parts += [f"--merge {_quoted(line)}" for line in typed_merges(columns.merge)]
    return parts + [f"--missing {_quoted(mark)}" for mark in columns.missing or ()]


def _python(given: Ingredients, data: str, file: str) -> str:
    return (
        "import tallystick as ts\n"
        f"model = ts.load({file!r})          # written by the command above\n"
        f"model.predict({clean(data)!r}); model.explain({clean(data)!r})"
    )


def _quoted(text: str) -> str:
    return shlex.quote(clean(text))


def _shown(value: Any) -> str:
    import json

    try:
        return json.dumps(value, ensure_ascii=False)
    except TypeError:
        return str(value)


def _export(given: Ingredients, kind: str, sha256: str) -> dict[str, Any]:
    """Return the model in another language; why not, where that cannot be."""
    out = {"name": {"sql": "SQL", "python": "Python"}[kind], "text": "", "why": ""}
    out["command"] = f"tally export model.tally.json --to {kind}"
    if len(given.form_text) > TOO_MUCH:
        return out | {"why": f"The text has more than {MOST_CODE:,} letters, too many for this page."}
    try:
        text = str(export(given.model, kind, sha256))
    except TallyError as error:
        return out | {"why": str(error)}
    if len(text) > MOST_CODE:
        return out | {"why": f"The text has {len(text):,} letters, too many for this page."}
    lines = (clean(line.expandtabs(4)) for line in text.split("\n"))  # names turn nothing around
    return out | {"text": "\n".join(lines)}
