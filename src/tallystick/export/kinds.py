"""What each kind of model adds to the model file: the shapes of its two sections, and a check across them.

Knows the models. A kind's code is loaded when a file of that kind is met.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tallystick.data.schema import Schema
from tallystick.models.shapes import Listed, Maybe, Named, Record, Shape, Text

# How the table was asked to be read: the same for every kind.
WISHES: dict[str, Shape] = {
    "keep": Listed(Text()),
    "kinds": Named(Text()),
    "levels": Named(Listed(Text())),
    "missing": Maybe(Listed(Text())),
}


@dataclass(frozen=True, slots=True)
class FileKind:
    """The shapes of a kind's model and parameters, and what must hold between sections."""

    model: Shape
    parameters: Shape
    check: Callable[[dict[str, Any], Schema], None]


def _naive_bayes() -> FileKind:
    from tallystick.models.naive_bayes import file

    return FileKind(file.MODEL, Record(file.PARAMETERS | WISHES, file.OPTIONAL), file.check)


def _logistic() -> FileKind:
    from tallystick.models.logistic import file

    return FileKind(file.MODEL, Record(file.PARAMETERS | WISHES, file.OPTIONAL), file.check)


def _decision_tree() -> FileKind:
    from tallystick.models.tree import shape

    return FileKind(shape.MODEL, Record(shape.DECISION | WISHES, shape.OPTIONAL), shape.check)


def _regression_tree() -> FileKind:
    from tallystick.models.tree import shape

    return FileKind(shape.MODEL, Record(shape.REGRESSION | WISHES), shape.check)


KINDS: dict[str, Callable[[], FileKind]] = {
    "decision-tree": _decision_tree,
    "logistic-regression": _logistic,
    "naive-bayes": _naive_bayes,
    "regression-tree": _regression_tree,
}
