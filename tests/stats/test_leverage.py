"""The pull of Jeffreys' prior is the sum of leverage times (1/2 - share) by column, however rows are cut."""

from __future__ import annotations

import numpy as np
import pytest
from loan_tables import loans

import tallystick as ts
from tallystick.linear.solvers import pulled


@pytest.mark.parametrize("weights", [None, "whole", "parts"])
def test_sums_are_those_of_numpy(weights):
    frame, _ = loans()
    given = None if weights is None else (np.arange(len(frame)) % 3 + 1) * (1 if weights == "whole" else 0.7)
    model = ts.LogisticRegression(l2=0).fit(frame, "paid", sample_weight=given)
    found = model.inference(frame, sample_weight=given)
    rows, point = found.rows, found.found.point
    gradient = found.drive(pulled(found.found.problem, point))
    pull = sum(
        ((rows_leverage * (0.5 - some.shares[:, 1]) * some.copies)[:, None] * some.z).sum(axis=0)
        for some, rows_leverage in zip(rows.each(), [rows.leverage], strict=True)
    )
    np.testing.assert_allclose(point.gradient - gradient, pull, rtol=1e-8, atol=1e-9)


@pytest.mark.slow
def test_blocks_and_threads_do_not_matter():
    frame, _ = loans()
    many = frame.loc[frame.index.repeat(400)]
    one = ts.LogisticRegression(firth=True, threads=1).fit(many, "paid").to_bytes()
    assert ts.LogisticRegression(firth=True).fit(many.iloc[::-1], "paid").to_bytes() == one
    weighed = ts.LogisticRegression(firth=True).fit(frame, "paid", sample_weight=np.full(len(frame), 400))
    assert weighed.to_bytes() == one
