"""Files whose profile of the training rows breaks one rule of the reader each: the model, the change, what
the reader says.

Knows the format, and the models of model_files.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Document = dict[str, Any]


def put(*path: Any) -> Callable[[Document], None]:
    """Return a change of the profile: the last step is the new value of the place that the others lead to."""
    *way, key, value = path

    def change(document: Document) -> None:
        place: Any = document["profile"]
        for step in way:
            place = place[step]
        place[key] = value

    return change


def decided(**decision: Any) -> Callable[[Document], None]:
    """Return a change that gives the model a decision."""
    return lambda document: document.update(decision=decision)


PROFILES: list[tuple[str, Callable[[Document], None], str]] = [
    ("bayes", decided(of="nobody", threshold=0.5), "costs of all classes, or a threshold of one of two"),
    ("bayes", lambda d: d["profile"]["columns"].pop(), "profile.columns must be a list of 5"),
    ("bayes", put("target", None), "profile.target must be an object"),
    ("density", put("target", {"counts": [1], "missing": 0}), "profile.target must be null"),
    ("density", put("answers", {"given": [1], "shares": [[1]]}), "profile.answers must be null"),
    ("bayes", put("columns", 0, "counts", [6, 6]), "column 'sky' must be 3 counts"),
    ("bayes", put("columns", 0, "missing", 7), "column 'sky' must be counts of 24 in all"),
    ("bayes", put("columns", 4, "missing", 20), "column 'said' must be counts of at most 24"),
    ("bayes", lambda d: d["profile"]["columns"][2].pop("values"), "column 'temp' must be counts with their"),
    ("bayes", put("columns", 3, "counts", [5, 0, 5, 0, 0, 5, 5, 0, 4]), "rows at each value and between"),
    ("bayes", put("columns", 3, "missing", 1), "column 'n' must be counts of 24 in all"),
    ("bayes", put("target", "counts", [24]), "profile.target must be 2 counts"),
    ("bayes", put("target", "counts", [12, 13]), "profile.target must be counts of 24 in all"),
    ("bayes", put("answers", "given", [11, 12]), "profile.answers must be 2 counts of 24"),
    ("bayes", put("answers", "shares", 0, 0, 1), "profile.answers.shares must be 10 counts of 24"),
    ("tree-numbers", put("target", {"counts": [24], "missing": 0}), "profile.target must be counts with"),
]
