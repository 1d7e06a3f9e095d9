"""Effects of levels are differences between the rows with the level and with the base level."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from loan_tables import as_numbers, loans

import tallystick as ts


def test_effects_of_numbers_and_booleans_are_those_of_statsmodels():
    frame, _ = loans()
    frame = frame.drop(columns="housing")
    found = ts.LogisticRegression(l2=0).fit(frame, "paid").inference(frame).effects()
    x, y = as_numbers(frame.assign(housing="free"))
    x = x.drop(columns=["housing = own", "housing = rent"])
    peer = sm.Logit(y, x).fit(disp=0, tol=1e-14, maxiter=100).get_margeff(dummy=True)
    assert [e.name for e in found.effects] == ["age", "income", "foreign = true"]
    np.testing.assert_allclose([e.effect for e in found.effects], peer.margeff, rtol=1e-7)
    np.testing.assert_allclose([e.error for e in found.effects], peer.margeff_se, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("interactions", [1, 2])
def test_the_effect_of_a_level_is_what_predictions_say(classes, interactions):
    frame, _ = loans(classes=classes)
    frame = frame[["age", "housing", "foreign", "paid"]]
    model = ts.LogisticRegression(l2=0, interactions=interactions).fit(frame, "paid")
    found = {(e.name, e.of): e.effect for e in model.inference(frame).effects().effects}
    for level in ("own", "rent"):
        change = model.predict_proba(frame.assign(housing=level)) - model.predict_proba(
            frame.assign(housing="free")
        )
        for c, label in enumerate(model.classes_):
            if (f"housing = {level}", label) in found:
                assert found[f"housing = {level}", label] == pytest.approx(change[:, c].mean(), rel=1e-9)
    step = 1e-5
    up, down = (model.predict_proba(frame.assign(age=frame.age + s)) for s in (step, -step))
    for c, label in enumerate(model.classes_):
        if ("age", label) in found:
            assert found["age", label] == pytest.approx(((up - down) / (2 * step)).mean(axis=0)[c], rel=1e-5)


def test_effects_print_with_their_errors():
    frame, _ = loans()
    told = str(ts.LogisticRegression(l2=0).fit(frame, "paid").inference(frame, level=0.8).effects())
    assert "80 % interval" in told
    assert "housing = own" in told
    assert "housing = free" not in told
