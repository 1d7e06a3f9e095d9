"""Values to small integer codes and back: the only place that knows levels, ranks and vocabulary.

    source --infer--> schema --codes, ranks, words--> table of blocks
"""

from __future__ import annotations

from tallystick.data.encode.ranks import quantile_bins
from tallystick.data.encode.table import Block, Matched, Table, match, read_table

__all__ = ["Block", "Matched", "Table", "match", "quantile_bins", "read_table"]
