"""The shape of the rules' part of the model file, and the check that it fits the schema.

Knows plain data. Knows nothing of how files are read.
"""

from __future__ import annotations

from typing import Any

from tallystick.data.schema import CODED, Schema
from tallystick.errors import ModelFileError, OptionError, shown
from tallystick.models.rules.options import MOST_BINS, MOST_RULES, RuleOptions
from tallystick.models.shapes import (
    MAX_COUNT,
    Either,
    FileKind,
    Flag,
    Listed,
    Maybe,
    Named,
    Number,
    Record,
    Shape,
    Text,
    Whole,
    wished,
)

_CONDITION = Record(
    {"column": Text(), "missing": Flag()},
    {
        "high": Maybe(Number()),
        "known": Flag(only=False),
        "levels": Listed(Text(), distinct=True),
        "low": Maybe(Number()),
    },
)
_COUNTS = Listed(Whole(0, MAX_COUNT), "classes")
_RULE: dict[str, Shape] = {"counts": _COUNTS, "imagined": Number(0, 1e300)}
MODEL = Record(
    {
        "otherwise": Record(_RULE | {"conditions": Listed(_CONDITION)}),
        "rules": Listed(Record(_RULE | {"conditions": Listed(_CONDITION, least=1)})),
        "totals": _COUNTS,
    }
)
PARAMETERS: dict[str, Shape] = {
    "class_weight": Maybe(Either((Text(("balanced",)), Named(Number(0, 1e300))))),
    "costs": Maybe(Listed(Listed(Number(0, 1e300)))),
    "max_bins": Whole(2, MOST_BINS),
    "max_conditions": Maybe(Whole(1, MOST_RULES)),
    "max_rules": Maybe(Whole(1, MOST_RULES)),
    "smoothing": Maybe(Number(0, 1e9)),
}
_FORMS = ({"levels"}, {"known"}, {"high", "low"})


def check(document: dict[str, Any], schema: Schema) -> None:
    """Raise ModelFileError unless the rules fit the schema and their counts are possible."""
    model, labels = document["model"], schema.target.labels if schema.target else ()
    if len(labels) < 2 or len(model["totals"]) != len(labels):
        raise _edited("the counts are not those of the class labels")
    try:
        given = document["parameters"]
        options = RuleOptions(**{k: given[k] for k in PARAMETERS})
        options.growing_weights(schema.predicted)
    except OptionError as error:
        raise ModelFileError(f"model file: {error} The file was edited.") from None
    if model["otherwise"]["conditions"]:
        raise _edited("the answer where no rule holds has conditions")
    if not 0 < sum(model["totals"]) <= MAX_COUNT:
        raise _edited("there are no training rows, or too many to be counted")
    _check_counts(model, document["kind"] == "rule-list")
    for rule in model["rules"]:
        names = [condition["column"] for condition in rule["conditions"]]
        if len(set(names)) < len(names):
            raise _edited("a rule has two conditions of one column")
        for condition in rule["conditions"]:
            _check_condition(condition, schema)


def _check_counts(model: dict[str, Any], ordered: bool) -> None:
    """Raise unless the rules' rows are rows of the table: in a list each row is in one rule."""
    counts = [rule["counts"] for rule in (*model["rules"], model["otherwise"])]
    for c, total in enumerate(model["totals"]):
        own = [row[c] for row in counts]
        if sum(own) != total if ordered else max(own) > total:
            raise _edited("the rows of the rules are not those of the table")


def _check_condition(condition: dict[str, Any], schema: Schema) -> None:
    columns = {c.name: c for c in schema.used}
    column = columns.get(condition["column"])
    keys = set(condition) - {"column", "missing"}
    name = shown(condition["column"])
    if column is None or column.kind == "text":
        raise _edited(f"column {name} is not one that a rule can test")
    if keys not in _FORMS or (keys == {"levels"}) != (column.kind in CODED):
        raise _edited(f"a condition does not suit the kind of column {name}")
    if keys == {"levels"} and not set(condition["levels"]) <= set(column.levels):
        raise _edited(f"a condition names a level that column {name} does not have")
    low, high = condition.get("low"), condition.get("high")
    if low is not None and high is not None and low >= high:
        raise _edited(f"a condition of column {name} holds for no number")


def _edited(what: str) -> ModelFileError:
    return ModelFileError(f"model file: {what}. The file was edited.")


FILE = FileKind(MODEL, wished(PARAMETERS), check)
