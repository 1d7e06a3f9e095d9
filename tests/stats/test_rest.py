"""Of a question that is known in part, the rest is summed, and the whole is the total of all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tallystick.engine import Local
from tallystick.io.open import open_source
from tallystick.schema import ColumnOptions
from tallystick.stats.class_counts import Ask, BayesSums
from tallystick.table.reader import read_table


def test_what_is_not_known_is_summed_and_what_is_known_is_not():
    X = np.random.default_rng(0).normal(size=(70_001, 5))
    X[::97, 1] = np.nan
    table = read_table(open_source(X), ColumnOptions(sums=True), np.arange(len(X)) % 3, None, 2)
    names = [c.name for c in table.schema.used]
    asks = [Ask(name, "moments" if j % 2 else "bins", cuts=(-0.5, 0.5)) for j, name in enumerate(names)]
    question = BayesSums((asks[3], *asks[:3], *asks[4:]), 3)  # in any order
    walked = []

    class Recorded(Local):
        def summed(self, table, question):
            walked.append(question)
            return super().summed(table, question)

    question.solve(table, Recorded(1))
    (rest,) = walked
    assert [ask.column for ask in rest.asks] == names[::2]
    assert rest.solve(table, Local(1)) is None
    told, summed = (Local(2).total(each, question) for each in (table, replace(table, _fingerprint=None)))
    assert sorted(told) == sorted(summed)
    for name, array in summed.items():
        np.testing.assert_array_equal(told[name], array)
