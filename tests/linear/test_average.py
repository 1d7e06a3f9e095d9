"""What each part adds to the average training row, beside the mean over the rows themselves."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from logistic_tables import made, ready_of

import tallystick as ts
from tallystick.io.open import open_source
from tallystick.linear.prepare import row_shares
from tallystick.table.reader import read_table


@pytest.mark.parametrize("classes", [2, 3])
def test_the_averages_are_the_means_over_the_training_rows(classes):
    X, y = made(11, rows=120, classes=classes)
    model = ts.LogisticRegression(l2=1.0).fit(X, y).model_
    (block,) = read_table(open_source(X), None, y).blocks()
    means = model.additive.parts(block)[:, 1:].mean(axis=0)
    np.testing.assert_allclose(np.array(model.additive.averages), means, atol=1e-9)


@pytest.mark.parametrize("labels", [2, 3])
def test_words_are_averaged_too_with_weights_as_copies(labels):
    rng = np.random.default_rng(2)
    texts = [" ".join(rng.choice(["tea", "pie", "sun", "sea"], 3)) for _ in range(40)]
    frame, y = pd.DataFrame({"t": texts}), rng.integers(0, labels, 40)
    weights = rng.integers(1, 4, 40)
    model = ts.LogisticRegression(l2=1.0, kinds={"t": "text"}).fit(frame, y, weights).model_
    copies = np.repeat(np.arange(40), weights)
    twin = ts.LogisticRegression(l2=1.0, kinds={"t": "text"}).fit(frame.iloc[copies], y[copies]).model_
    np.testing.assert_allclose(model.parts[0].average, twin.parts[0].average, atol=1e-9)
    assert np.abs(model.parts[0].average).max() > 0


def test_shares_of_rows_are_those_of_levels_and_of_missing_numbers():
    X, y = made(5, rows=60)
    table, known, basis, _ = ready_of(X, y)
    shares, design = row_shares(basis), known.design
    levels = [c for c in design.coded if c.column.name == "b"]
    at = design.cell(levels[0])
    np.testing.assert_allclose(shares[at : at + 3], [(X["b"] == v).mean() for v in "uvw"])
    (gone,) = [j for j, c in enumerate(design.dense) if c.missing]
    assert shares[1 + gone] == pytest.approx(X["d"].isna().mean())
    assert shares[0] == 0.0
    assert table.rows == 60
