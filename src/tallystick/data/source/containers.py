"""What a table may come in: one small object each, listed once, the first that knows it opens it.

Knows how to recognise containers without importing their libraries. Knows nothing of what is inside them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tallystick.contracts import Source
from tallystick.data.schema import Reading
from tallystick.data.source import frames


@dataclass(frozen=True)
class Container:
    """One kind of table in memory. knows: (library, type's name, x) -> whether x is one; open: (x, reading,
    name) -> its source.
    """

    words: str
    knows: Callable[[str, str, Any], bool]
    open: Callable[[Any, Reading, str | None], Source]


def _relation(x: Any, reading: Reading, name: str | None) -> Source:
    from tallystick.data.source import sql

    return sql.open_relation(x, reading, name)


CONTAINERS = [
    Container(
        "a pandas DataFrame", lambda lib, of, x: (lib, of) == ("pandas", "DataFrame"), frames.from_pandas
    ),
    Container(
        "a polars LazyFrame", lambda lib, of, x: (lib, of) == ("polars", "LazyFrame"), frames.from_lazy
    ),
    Container("a NumPy array", lambda lib, of, x: lib == "numpy" and hasattr(x, "ndim"), frames.from_numpy),
    Container(
        "a DuckDB relation",
        lambda lib, of, x: lib in ("duckdb", "_duckdb") and hasattr(x, "to_arrow_reader"),
        _relation,
    ),
    Container(
        "a SciPy sparse matrix",
        lambda lib, of, x: lib == "scipy" and hasattr(x, "tocsc"),
        frames.from_sparse,
    ),
    Container(
        "an Arrow dataset",
        lambda lib, of, x: lib == "pyarrow" and of.endswith(("Dataset", "Scanner")),
        frames.from_dataset,
    ),
    Container(
        "Arrow, polars and kin",
        lambda lib, of, x: hasattr(x, "__arrow_c_stream__") or (lib, of) == ("polars", "DataFrame"),
        frames.from_arrow,
    ),
    Container("a dict of columns", lambda lib, of, x: isinstance(x, dict), frames.from_columns),
    Container("a list of rows", lambda lib, of, x: isinstance(x, list | tuple), frames.from_records),
]


def container_of(x: Any) -> Container | None:
    """Return what a table came in, None when nobody knows it."""
    library, of = type(x).__module__.partition(".")[0], type(x).__name__
    return next((c for c in CONTAINERS if c.knows(library, of, x)), None)
