"""Values to small integer codes and back: the only place that knows levels, ranks and vocabulary.

source --infer--> schema --codes, ranks, words--> table of blocks
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallystick.data.encode.encoder import Encoder
    from tallystick.data.encode.match import Matched, every_row, match, outside
    from tallystick.data.encode.ranks import quantile_cuts
    from tallystick.data.encode.survey import Question, Survey
    from tallystick.data.encode.table import Block, Table, read_table


def __getattr__(name: str) -> Any:
    """Load a name when it is first used: a model can be loaded without reading a row, so without pyarrow."""
    if name in ("Matched", "every_row", "match", "outside"):
        from tallystick.data.encode.match import Matched, every_row, match, outside

        # match: the function, not the module of that name
        globals().update(Matched=Matched, every_row=every_row, match=match, outside=outside)
    elif name in ("Block", "Table", "read_table"):
        from tallystick.data.encode.table import Block, Table, read_table

        globals().update(Block=Block, Table=Table, read_table=read_table)
    elif name == "quantile_cuts":
        from tallystick.data.encode.ranks import quantile_cuts

        globals().update(quantile_cuts=quantile_cuts)
    elif name in ("Encoder", "Question", "Survey"):
        from tallystick.data.encode.encoder import Encoder
        from tallystick.data.encode.survey import Question, Survey

        globals().update(Encoder=Encoder, Question=Question, Survey=Survey)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals()[name]


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
    "read_table",
]
