"""Firth's correction gives the weights of the corrected score, written out plainly in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from loan_tables import as_numbers, loans

import tallystick as ts
from tallystick.errors import OptionError


def plainly(x, y, weights):
    """Newton's method on the score with leverages, as Firth (1993) and Heinze and Schemper (2002) have it."""
    b = np.zeros(x.shape[1])
    for _ in range(1000):
        p = 1 / (1 + np.exp(-x @ b))
        v = weights * p * (1 - p)
        inverse = np.linalg.inv((x * v[:, None]).T @ x)
        leverage = v * np.einsum("ij,jk,ik->i", x, inverse, x)
        step = inverse @ (x.T @ (weights * (y - p) + leverage * (0.5 - p)))
        b = b + step / max(1.0, np.abs(step).max())
        if np.abs(step).max() < 1e-11 * max(1.0, np.abs(b).max()):
            return b, np.sqrt(np.diag(inverse))
    raise AssertionError


@pytest.mark.slow
@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("weights", [None, "whole", "parts", "classes"])
def test_estimates_and_errors_are_those_of_the_corrected_score(apart, weights):
    frame, _ = loans(150)
    if apart:
        frame["paid"] = np.where(frame.age + 5 * frame.foreign > 42, "yes", "no")
    given = {"whole": np.arange(150) % 3 + 1, "parts": 0.4 + np.arange(150) % 4}.get(weights)
    options = {"class_weight": {"yes": 2.5}} if weights == "classes" else {}
    model = ts.LogisticRegression(firth=True, **options).fit(frame, "paid", sample_weight=given)
    x, y = as_numbers(frame)
    plain = np.ones(150) if given is None else given
    plain = plain * 150 / plain.sum() if weights == "parts" else plain  # they sum to the number of rows
    plain = np.where(y == 1, 2.5, 1.0) if weights == "classes" else plain
    b, errors = plainly(np.asarray(x), np.asarray(y), plain)
    figures = model.summary().figures
    np.testing.assert_allclose([f.estimate for f in figures], b, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose([f.error for f in figures], errors, rtol=1e-6)
    assert "Firth's correction" in str(model)
    assert "separated" not in " ".join(note.text for note in model.notes_)


def test_a_table_of_two_by_two_adds_half_a_row_to_each_cell():
    """Known in closed form: the saturated model has the logs of counts plus 1/2."""
    counts = {("a", "no"): 7, ("a", "yes"): 3, ("b", "no"): 0, ("b", "yes"): 9}
    rows = [{"g": g, "y": y} for (g, y), n in counts.items() for _ in range(n)]
    model = ts.LogisticRegression(firth=True).fit(rows, "y")
    assert model.intercept_[0] == pytest.approx(np.log(3.5 / 7.5), rel=1e-7)
    assert model.coef_[0, 0] == pytest.approx(np.log(9.5 / 0.5) - np.log(3.5 / 7.5), rel=1e-7)


def test_what_it_is_not_made_for_is_refused():
    frame, _ = loans(classes=3)
    with pytest.raises(OptionError, match="firth=True is for two classes, and target 'paid' has 3"):
        ts.LogisticRegression(firth=True).fit(frame, "paid")
    for options in ({"l2": 1.0}, {"l1": 1.0}, {"l2": "cv"}):
        with pytest.raises(OptionError, match="firth=True is a prior by itself"):
            ts.LogisticRegression(firth=True, **options).fit(frame, "paid")
    with pytest.raises(OptionError, match="solved by Newton's method"):
        ts.LogisticRegression(firth=True, solver="lbfgs").fit(frame, "paid")
    words = [{"t": f"w{n % 3} v{n % 2}", "y": n % 2} for n in range(40)]
    with pytest.raises(OptionError, match="firth=True does not read text"):
        ts.LogisticRegression(firth=True, kinds={"t": "text"}).fit(words, "y")
