"""Values to small integer codes and back: the only place that knows levels, ranks and vocabulary.

source --infer--> schema --codes, ranks, words--> table of blocks
"""

from __future__ import annotations

from tallystick.data.encode.match import Matched, match
from tallystick.data.encode.ranks import quantile_cuts
from tallystick.data.encode.table import Block, Table, read_table

__all__ = ["Block", "Matched", "Table", "match", "quantile_cuts", "read_table"]
