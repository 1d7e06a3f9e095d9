"""Check a model file against data: fit again with the file's own parameters and compare byte for byte.

Knows files and estimators. Knows nothing of any learner.
Law: the verdict is "same" exactly when the bytes are equal.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from tallystick.draw.svg import as_html
from tallystick.errors import OptionError
from tallystick.estimators.base import Classifier
from tallystick.export import from_bytes, read_file
from tallystick.export.diff import compare


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the data gives the model's bytes, and if not the first difference in words."""

    same: bool
    difference: str
    bytes: int

    def __bool__(self) -> bool:
        return self.same

    _repr_html_ = as_html

    def __str__(self) -> str:
        if self.same:
            return f"The data gives this model: all {self.bytes:,} bytes are equal."
        return f"The data does not give this model: {self.difference}."

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"same": self.same, "difference": self.difference, "bytes": self.bytes}


def verify(
    model_path: str | os.PathLike[str], source: Any, y: Any = None, sample_weight: Any = None
) -> Verdict:
    """Fit the data with the parameters of the model file and compare; y: by default the model's target
    column.
    """
    from tallystick.estimators import from_data

    data = read_file(model_path)
    known = from_data(data)
    assert isinstance(known, Classifier)
    refuse_held_out(known)
    again = type(known)(**known.get_params(deep=False))
    target = known.schema_.target
    again.fit(source, target.name if y is None and target is not None else y, sample_weight)
    found = again.to_bytes()
    if found == data:
        return Verdict(True, "", len(data))
    changes = compare(from_bytes(data), from_bytes(found)).changes
    first = str(changes[0]) if changes else "the same content is written in other bytes"
    return Verdict(False, first, len(data))


def refuse_held_out(known: Any) -> None:
    """Refuse to verify a tree that held-out rows pruned: the file has its way there, but not those rows."""
    if getattr(known, "_by_held_out", False):
        raise OptionError(
            "this tree was pruned by held-out rows (reduced-error), which its file does not hold, so no "
            "refit gives its bytes. Verify the tree before pruning; or prune again and compare the two files."
        )
