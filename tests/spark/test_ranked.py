"""Rows in the order of a column, in pieces: every value in one, pieces rising, nothing lost."""

from __future__ import annotations

import numpy as np

from tallystick.spark.levels import joined_pieces
from tallystick.spark.ranks import OnPieces, ValuesSent, piece_sizes
from tallystick.table.block import RowBlock as Block


def labels(block):
    return block.codes("label")


def test_pieces_hold_each_value_once_with_its_rows_and_what_lies_before():
    rng = np.random.default_rng(0)
    values, own = np.round(rng.random(90), 1), rng.integers(0, 4, 90).astype(np.uint8)
    blocks = [
        Block(30, {"x": values[s], "label": own[s]}) for s in (slice(0, 30), slice(30, 60), slice(60, 90))
    ]
    work = ValuesSent("x", labels, 4, np.array([0.25, 0.5, 0.95]))
    sent = [one for block in blocks for one in work([block])]
    pieces = sorted(joined_pieces(sent), key=lambda one: one[0])
    told = dict(piece_sizes(pieces))
    counts = np.stack([told[r][0] for r in range(4)])
    many = np.array([told[r][1] for r in range(4)])
    on = OnPieces(lambda piece: piece, np.cumsum(counts, axis=0) - counts, np.cumsum(many) - many)
    found = [piece for _, piece in on(pieces)]
    assert np.concatenate([p.values for p in found]).tolist() == np.unique(values).tolist()
    for piece in found:
        for value, row in zip(piece.values, piece.counts, strict=True):
            assert row.tolist() == np.bincount(own[values == value], minlength=4).tolist()
        lower = values < piece.values[0]
        assert piece.before.tolist() == np.bincount(own[lower], minlength=4).tolist()
        assert piece.first == len(np.unique(values[lower]))
