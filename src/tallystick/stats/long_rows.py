"""Few but long rows, shared out among threads by their words: an engine gives a small table to one.

Knows tables and questions about words. Knows nothing of what is asked, nor of who asks.
Law: sums are whole numbers, so that the total is that of one thread, bit for bit.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np

from tallystick.contracts import Block, Table
from tallystick.data.threads import FEW_ROWS, in_order
from tallystick.stats.gradients import LogisticSums, Total

MANY = 1 << 20  # weights that rows meet from which threads give more than they cost


class LongRows:
    """The shortcut: threads take as many words each, where an engine would leave few rows to one."""

    row_bytes = 0

    def solve(self, question: LogisticSums, table: Table, threads: int) -> Total | None:
        """Return the total; None where there are no words, or rows enough for an engine to share out."""
        if not question.texts or threads == 1 or table.place != "memory" or table.rows > FEW_ROWS:
            return None
        whole = next(iter(table.blocks()))
        ends = np.sum([whole.words(text.name)[0] for text in question.design.texts], axis=0)
        if int(ends[-1]) * question.theta.shape[1] < MANY:
            return None
        if "long rows" not in whole.memo:
            wanted = np.arange(1, threads) * int(ends[-1]) // threads
            cuts = [0, *np.searchsorted(ends, wanted).tolist(), table.rows]
            whole.memo["long rows"] = [table.slice(a, b) for a, b in pairwise(cuts) if a < b]

        def one(part: Block) -> Total:
            return question.add(question.zero(), part)

        total, *others = in_order([partial(one, part) for part in whole.memo["long rows"]], threads)
        for other in others:
            total = question.merge(total, other)
        return total
