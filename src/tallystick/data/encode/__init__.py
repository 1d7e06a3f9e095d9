"""Values to small integer codes and back: the only place that knows levels, ranks and vocabulary.

source --survey--> schema --encoder--> table of blocks
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallystick.data.encode.block import Block
    from tallystick.data.encode.encoder import Encoder
    from tallystick.data.encode.match import Matched, every_row, match, outside
    from tallystick.data.encode.ranks import quantile_cuts
    from tallystick.data.encode.reader import read_mapped, read_table
    from tallystick.data.encode.survey import Question, Survey
    from tallystick.data.encode.table import Table

_HOMES = {
    "block": ("Block",),
    "encoder": ("Encoder",),
    "match": ("Matched", "every_row", "match", "outside"),
    "ranks": ("quantile_cuts",),
    "reader": ("read_mapped", "read_table"),
    "survey": ("Question", "Survey"),
    "table": ("Table",),
}


def __getattr__(name: str) -> Any:
    """Load a name when it is first used: a model can be loaded without reading a row, so without pyarrow."""
    for home, names in _HOMES.items():
        if name in names:
            module = import_module(f"{__name__}.{home}")
            globals().update({n: getattr(module, n) for n in names})  # match: the function, not the module
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Block",
    "Encoder",
    "Matched",
    "Question",
    "Survey",
    "Table",
    "every_row",
    "match",
    "outside",
    "quantile_cuts",
    "read_mapped",
    "read_table",
]
