"""Sums over rows that stay with Spark: those of all rows at once, whatever the blocks."""

from __future__ import annotations

import numpy as np
from far_rows import mixed_rows

import tallystick as ts
from tallystick.judge.answers import RowSums, class_weights
from tallystick.stats.exact import exact_total, nearest
from tallystick.table.block import RowBlock as Block


def test_classes_are_counted_where_the_rows_are():
    table = ts.NaiveBayes()._read(mixed_rows(30), "y")
    table.engine = ts.Local(1)
    assert class_weights(table).tolist() == np.bincount(table.classes, minlength=2).tolist()


def test_sums_of_numbers_of_rows_are_exact():
    values = np.random.default_rng(3).normal(size=90) * 10.0 ** np.arange(-45, 45)
    asked = RowSums(lambda block: values[block.codes("at")])
    parts = [asked.add(asked.zero(), Block(30, {"at": np.arange(s, s + 30)})) for s in (0, 30, 60)]
    assert nearest(asked.merge(parts[1], asked.merge(parts[2], parts[0]))) == exact_total(values)
