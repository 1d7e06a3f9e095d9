"""Files of density trees that break one rule of the reader each: the model, the change, what the reader says.

Knows the format, and the model `density` of model_files.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Document = dict[str, Any]


def column(d: Document, name: str) -> int:
    """Return the place of a column."""
    return [c["name"] for c in d["schema"]["columns"]].index(name)


def leaf(d: Document, name: str) -> list[int]:
    """Return the cells of a column in the first leaf."""
    return d["model"]["leaves"][0][column(d, name)]


def numeric_test(d: Document) -> list[Any]:
    """Return the first test of numbers."""
    return next(n for n in d["model"]["nodes"] if len(n) == 5 and n[2] is not None)


def cells(d: Document, name: str, value: Any) -> None:
    """Put something in the place of a column's cells."""
    d["model"]["cells"][column(d, name)] = value


def put(place: list[Any], at: int, value: Any) -> None:
    """Put a value into a list."""
    place[at] = value


def three_branches(d: Document) -> None:
    """Give levels a branch each."""
    d["model"]["nodes"] = [[24, column(d, "sky"), None, 0, 0.5], [8], [8], [8]]
    d["model"]["branches"] = [[0, 1, 2]]


def level_without_branch(d: Document) -> None:
    """Let a level stay where it is."""
    d["model"]["nodes"] = [[24, column(d, "sky"), None, 0, 0.5], [12], [12]]
    d["model"]["branches"] = [[-1, 0, 1]]


def empty_leaf(d: Document) -> None:
    """Let all rows go to one branch."""
    d["model"]["nodes"] = [[24, column(d, "sky"), None, 0, 0.5], [24], [0]]
    d["model"] |= {"branches": [[0, 1, 1]], "leaves": d["model"]["leaves"][:2]}


def rows_elsewhere(d: Document) -> None:
    """Let a level be in the branch that it is not sent to."""
    d["model"]["nodes"] = [[24, column(d, "sky"), None, 0, 0.5], [12], [12]]
    d["model"]["branches"] = [[0, 1, 1]]
    one = [[12] + [0] * (len(own) - 1) for own in d["model"]["leaves"][0]]
    d["model"]["leaves"] = [one, one]


def overflow(d: Document) -> None:
    """Let the rows of a leaf add up only when they overflow."""
    own = leaf(d, "temp")
    for i in range(4):
        own[i] += 2**62


def no_columns(d: Document) -> None:
    """Take all columns away."""
    d["schema"]["columns"], d["model"]["cells"] = [], []


Broken = tuple[str, Callable[[Document], Any], str]
DENSITY: list[Broken] = [
    (
        "density",
        lambda d: d["schema"].update(target={"labels": [], "name": "y", "type": "text"}),
        "must be null",
    ),
    ("density", no_columns, "it has no columns"),
    (
        "density",
        lambda d: d["schema"]["columns"].append({"kind": "text", "missing": 0, "name": "t", "words": []}),
        "a column is text",
    ),
    ("density", lambda d: d["model"]["cells"].pop(), "the cells are not those of its columns"),
    ("density", lambda d: cells(d, "temp", None), "do not suit the kind"),
    ("density", lambda d: cells(d, "sky", {"cuts": [], "whole": False}), "do not suit the kind"),
    (
        "density",
        lambda d: (
            put(d["schema"]["columns"], 0, d["schema"]["columns"][0] | {"levels": []}),
            put(d, "profile", None),
        ),
        "no levels",
    ),
    ("density", lambda d: cells(d, "temp", {"cuts": [3.0, 2.0], "whole": False}), "rising order"),
    ("density", lambda d: cells(d, "temp", {"cuts": [-99.0], "whole": False}), "cut outside its range"),
    ("density", lambda d: cells(d, "n", {"cuts": [1.25], "whole": True}), "not cut at halves"),
    ("density", lambda d: put(numeric_test(d), 2, 0.0625), "within a piece"),
    ("density", three_branches, "has not two branches"),
    ("density", level_without_branch, "no branch for a level"),
    ("density", lambda d: put(numeric_test(d), 3, -1), "no branch for missing"),
    ("density", lambda d: put(numeric_test(d), 3, -2), "no branch for missing"),
    ("density", lambda d: d["model"]["leaves"].pop(), "not as many distributions as leaves"),
    ("density", lambda d: leaf(d, "sky").pop(), "not the cells of its columns"),
    ("density", empty_leaf, "a leaf has no rows"),
    ("density", overflow, "the rows of a leaf are too many"),
    ("density", lambda d: put(leaf(d, "sky"), 0, leaf(d, "sky")[0] + 1), "do not add up to its rows"),
    ("density", rows_elsewhere, "rows that its tests send elsewhere"),
    ("density", lambda d: put(leaf(d, "sky"), 0, -1), "whole numbers from 0"),
    ("density", lambda d: put(leaf(d, "sky"), 0, 0.5), "a whole number"),
    ("density", lambda d: d["parameters"].update(alpha=0), "parameters.alpha"),
    ("density", lambda d: d["parameters"].update(pruning="mdl"), "parameters.pruning"),
    ("density", lambda d: d["model"].update(nodes=7), "must be a list"),
]
