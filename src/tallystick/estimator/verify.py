"""Rows in an order of their content, and `verify()`: fit again and compare the two model files byte for byte.

Entry: `ordered()`, `verify()`.
Law of the order: two sources with the same rows give the same batches, up to columns that are left out, so
nothing made from them depends on the order of the rows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Engine, Table
from tallystick.draw.svg import as_html
from tallystick.errors import OptionError
from tallystick.export.diff import Saved, compare, file_bytes
from tallystick.judge import folds
from tallystick.model.file import from_bytes
from tallystick.tree.options import BY_HAND

if TYPE_CHECKING:
    from tallystick.contracts import Source
    from tallystick.io.containers import FrameSource


LEAST, TAKEN = 1 << 8, 1 << 16  # rows that are looked for at once
PIECES = 2  # they take about as much as so many pieces of a source


def row_of(source: FrameSource, number: int) -> dict[str, str | None]:
    """Return one row as texts, None where there is nothing, or nothing that has a text: lists, structs."""
    return {name: _text_of(source.get(j).slice(number, 1)) for j, name in enumerate(source.columns)}


def _text_of(cell: Any) -> str | None:
    """Return the text of a column of one cell."""
    import pyarrow as pa

    try:
        if pa.types.is_dictionary(cell.type):
            cell = cell.cast(cell.type.value_type)
        return None if pa.types.is_binary(cell.type) else cell.cast(pa.string())[0].as_py()
    except pa.ArrowException:  # of a column that no model can have: it was left out
        return None


def ordered(source: Source, read: Callable[[Any], Table], budget: int = 0) -> tuple[FrameSource, Table]:
    """Return the rows of a source in the order of the hashes of what they hold, and their table in that
    order; rows without a target come last, and are in the source alone.

    The source is read once; `read` encodes what it held. budget: the bytes of memory to work in, where the
    cells wait on disk; 0: they are held in memory.
    """
    import pyarrow as pa

    from tallystick.io import frames
    from tallystick.io.containers import FrameSource
    from tallystick.io.frames import one_table
    from tallystick.io.scratch import piece, within

    batches = (within(source, budget) if budget else source).batches()
    names = source.columns
    cells = frames.table_on_disk(batches, names) if budget else one_table(batches, names, joins=True)
    as_read = FrameSource(
        source.name,
        names,
        cells.num_rows,
        cells.column,
        source.notes,
        source.reading,
        typed=source.typed,
        form=source.form,
        files=source.files,
    )
    table = read(as_read)
    order = folds.in_order(table.row_hashes(), table)
    most = (
        TAKEN if not budget else max(LEAST, PIECES * piece(budget) * cells.num_rows // max(cells.nbytes, 1))
    )
    numbers = _numbers(order, table, cells.num_rows, min(most, TAKEN))
    if budget:
        rows = frames.table_on_disk(frames.take_rows(cells, numbers), names)
    else:
        rows = cells.take(pa.array(np.concatenate(list(numbers))))
    return replace(as_read, get=rows.column), table.take(order, table.schema)


def _numbers(order: NDArray[np.int64], table: Table, rows: int, most: int) -> Iterator[NDArray[np.int64]]:
    """Yield the numbers in the source of all its rows, at most so many at a time: those of the table in an
    order, then the others.
    """
    places = table.local().kept
    left = np.ones(rows, np.bool_)  # a search for what is not there holds Python's lock for seconds
    for s in folds.steps(len(order), most):
        kept = order[s] if places is None else places[order[s]]
        left[kept] = False
        yield kept
    for s in folds.steps(rows, most):
        yield np.flatnonzero(left[s]) + s.start


# Verifying a model file against data: fit again with the file's own parameters and compare the bytes.
# Law: the verdict is "same" exactly when the bytes are equal.


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
    from tallystick.estimator.base import from_data

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
