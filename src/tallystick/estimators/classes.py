"""Numbers that users give per class: the names must be classes of the table; and classes that are too many.

Knows the target's labels and values. Knows nothing of what the numbers mean.
Law: asked once, of the whole table; a part of it may lack a rare class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallystick import methods
from tallystick.data.schema import Schema, Target
from tallystick.errors import Argument, OptionError, TargetError, nearest, shown, some, warn, with_article

LONG = 500  # classes from which a method with points for each takes more than some seconds


def refuse_unknown(name: str, given: Mapping[Any, Any], target: Target) -> None:
    """Refuse a key that is not a class."""
    unknown = [str(k) for k in given if target.label_of(k) not in target.labels]
    if unknown:
        raise OptionError(
            Argument(name),
            f" names {some(unknown)}, which is not a class.{nearest(unknown[0], target.labels)} "
            f"The classes are {some(target.labels)}.",
        )


def class_number(target: Target, label: Any) -> int:
    """Return the number of the class that a user means."""
    text = target.label_of(label)
    if text not in target.labels:
        raise OptionError(f"there is no class {shown(label)}.{nearest(text, target.labels)}")
    return target.labels.index(text)


def refuse_many(kind: str, schema: Schema) -> None:
    """Refuse more classes than a method can be learnt for in a time that anybody waits; say so before work
    that takes long.
    """
    method = methods.KINDS.get(kind)
    most = 0 if method is None else method.most_classes
    found = 0 if schema.target is None else len(schema.target.labels)
    if method is not None and 0 < most < found:
        raise TargetError(
            f"target {shown(schema.predicted.name)} has {found:,} classes, and "
            f"{with_article(method.words)} is learnt for at most {most:,}: the work grows with their "
            "square. Join rare classes, or use a tree or naive Bayes."
        )
    if method is not None and method.few_classes and found > LONG:
        warn(
            f"target {shown(schema.predicted.name)} has {found:,} classes, and {with_article(method.words)} "
            "has points for each of them, so this may take a minute or more. Join rare classes, or use a "
            "tree or naive Bayes, which take a second."
        )
