"""The shape of a tree's parts of the model file: its parameters are those of growing and pruning.

Knows names and ranges of parameters. The nodes are long and are checked by `models.tree.file`, all at once.
"""

from __future__ import annotations

from typing import Any

from tallystick.data.schema import Schema
from tallystick.errors import ModelFileError, with_article
from tallystick.learners.criteria import CRITERIA
from tallystick.learners.prune.methods import FILE_NAMES
from tallystick.models.shapes import (
    Either,
    FileKind,
    Flag,
    Listed,
    LongList,
    Maybe,
    Named,
    Number,
    Record,
    Shape,
    Text,
    Whole,
    wished,
)
from tallystick.models.tree.certificate import ENDS

_LISTS: dict[str, Shape] = {"branches": LongList(), "candidates": LongList(), "nodes": LongList()}
MODEL = Record(_LISTS)

_SMALL = Whole(1, 2**31 - 1)
_PART = Number(1e-300, 1 - 2**-53)  # of all rows
_BOTH: dict[str, Shape] = {
    "confidence": Number(1e-9, 0.999999999),
    "cp": Maybe(Number(0, 1e300)),
    "level_splits": Text(("groups", "each")),
    "max_bins": Maybe(Whole(2, 2**31 - 1)),
    "max_depth": Maybe(_SMALL),
    "max_leaf_nodes": Maybe(Whole(2, 2**31 - 1)),
    "min_impurity_decrease": Number(0),
    "min_samples_leaf": Either((_SMALL, _PART)),
    "min_samples_split": Either((Whole(2, 2**31 - 1), _PART)),
    "missing_values": Text(("learned", "fractions")),
    "pruning": Maybe(Text(FILE_NAMES)),
    "stop_at_zero_gain": Flag(),
}
DECISION: dict[str, Shape] = _BOTH | {
    "average": Flag(),
    "class_weight": Maybe(Either((Text(("balanced",)), Named(Number(0)), Listed(Number(0))))),
    "criterion": Text(CRITERIA),
    "cut_price": Number(0, 1e6),
    "cut_rows": Flag(),
    "cuts": Text(("midpoint", "observed")),
    "smoothing": Maybe(Number(0, 1e9)),
    "split_prior": Maybe(Number(1e-9, 0.999999999)),
}
OPTIONAL: dict[str, Shape] = {
    "min_entropy": Number(1e-300, 1e300),
    "costs": Maybe(Listed(Listed(Number(0)))),
    "priors": Maybe(Either((Named(Number(0)), Listed(Number(0))))),
}
REGRESSION: dict[str, Shape] = _BOTH
OPTIMAL: dict[str, Shape] = {
    "class_weight": DECISION["class_weight"],
    "costs": OPTIONAL["costs"],
    "leaf_price": Number(0, 1e12),
    "max_depth": Maybe(_SMALL),
    "max_leaf_nodes": DECISION["max_leaf_nodes"],
    "max_work": Maybe(Whole(1, 2**62)),
}
_CERTIFICATE = Record(
    {
        "bound": Number(0),
        "ended": Text(ENDS),
        "found": Number(0),
        "leaf_price": OPTIMAL["leaf_price"],
        "leaves": _SMALL,
        "loss": Number(0),
        "max_depth": OPTIMAL["max_depth"],
        "max_leaf_nodes": OPTIMAL["max_leaf_nodes"],
        "measure": Text(("errors", "weighted errors", "cost")),
        "work": Whole(0, 2**62),
    }
)


def check(document: dict[str, Any], schema: Schema) -> None:
    """Raise ModelFileError unless the target is one for this kind of tree; building the tree checks its
    nodes against the schema.
    """
    labels = schema.target.labels if schema.target else ()
    if (document["kind"] == "regression-tree") == bool(labels):
        raise ModelFileError(
            f"model file: {with_article(document['kind'])} cannot have {len(labels):,} class labels. "
            "The file was edited."
        )


DECISION_FILE = FileKind(MODEL, wished(DECISION, OPTIONAL), check)
OPTIMAL_FILE = FileKind(Record(_LISTS | {"certificate": _CERTIFICATE}), wished(OPTIMAL), check)
REGRESSION_FILE = FileKind(MODEL, wished(REGRESSION), check)
