"""Check a model file against data: fit again with the file's own parameters and compare byte for byte.

Knows files and estimators. Knows nothing of any learner.
Law: the verdict is "same" exactly when the bytes are equal.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from tallystick.contracts import Engine
from tallystick.draw.svg import as_html
from tallystick.errors import OptionError
from tallystick.estimators.tree_settings import BY_HAND
from tallystick.export import from_bytes
from tallystick.export.diff import Saved, compare, file_bytes


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
    model: str | os.PathLike[str] | Saved,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    engine: Engine | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
) -> Verdict:
    """Fit the rows again with the model's own parameters, and compare the two model files byte for byte.

    Parameters
    ----------
    model : path or fitted model
        What to check.
    X : path, frame, Arrow table, matrix or records
        The rows that it should come from.
    y : array or str, default None
        The labels, or the name of their column; None is the model's target.
    sample_weight : array or str, default None
        The weight of each row; None is 1.
    engine : ts.Local, ts.Spark or ts.Sql, default None
        Who sums the rows; None is this machine. It changes no verdict.
    threads, memory : int; int or str, default None
        Short for `engine=ts.Local(threads=..., memory=...)`: all cores, and all rows in memory.

    Returns
    -------
    Verdict
        True where all bytes are equal; else its `difference` says the first that is not.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"sky": "sun", "play": "no"}, {"sky": "rain", "play": "yes"}] * 5
    >>> model = ts.NaiveBayes().fit(rows, "play")
    >>> bool(ts.verify(model, rows)), bool(ts.verify(model, rows[1:]))
    (True, False)
    """
    from tallystick.estimators import from_data

    data = file_bytes(model)
    known = from_data(data)
    refuse_unrepeatable(known)
    given = known.get_params(deep=False) | {"engine": engine, "threads": threads, "memory": memory}
    again = type(known)(**given)
    target = known.schema_.target
    again.fit(X, target.name if y is None and target is not None else y, sample_weight)
    again._decide_as(known)  # it is no part of learning
    found = again._as_much_as(known).to_bytes()
    if found == data:
        return Verdict(True, "", len(data))
    changes = compare(from_bytes(data), from_bytes(found)).changes
    first = str(changes[0]) if changes else "the same content is written in other bytes"
    return Verdict(False, first, len(data))


def refuse_unrepeatable(known: Any) -> None:
    """Refuse to verify a tree that held-out rows pruned, or that a person grew: the file has the tree, but
    neither those rows nor that person.
    """
    if any(note.code == BY_HAND for note in known.notes_):
        raise OptionError(
            "this tree was grown by hand, so no refit gives its bytes. Grow it again by ts.grow with the "
            "same splits and compare the two files."
        )
    if known._by_held_out:
        raise OptionError(
            "this tree was pruned by held-out rows (reduced-error), which its file does not hold, so no "
            "refit gives its bytes. Verify the tree before pruning; or prune again and compare the two files."
        )
