"""The effect of two columns together: the average of asking with both values in every row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.errors import OptionError


def rows(count=150) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    x, z, sky = rng.normal(0, 1, count), rng.normal(5, 2, count), rng.choice(["sun", "rain"], count)
    y = np.where((x > 0) ^ (sky == "sun"), "yes", "no")
    return pd.DataFrame({"x": x.round(1), "z": z.round(1), "sky": sky, "y": y})


@pytest.mark.slow
@pytest.mark.parametrize("method", [ts.DecisionTree, ts.NaiveBayes, ts.LogisticRegression, ts.Scorecard])
def test_a_place_of_the_plane_is_the_mean_of_asking_with_both_values(method):
    table = rows()
    model = method().fit(table, "y")
    found = model.effect(["x", "sky"], table)
    assert found.shares.shape == (2, 24, 2)
    for i, j in ((0, 0), (23, 1), (12, 1)):
        asked = table.drop(columns="y").assign(x=float(found.x.values[i]), sky=found.y.names[j])
        mean = model.predict_proba([dict(r) for r in asked.to_dict("records")]).mean(axis=0)
        assert found.shares[j, i] == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize("method", [ts.NaiveBayes, ts.Scorecard])
def test_the_plane_is_finite_where_no_double_holds_the_difference_of_its_ends(method):
    known = rows()
    known["y"] = np.where(known.z > 5, known.y, "no")  # so that a card asks for z
    model = method().fit(known, "y")
    far = rows().assign(x=np.where(np.arange(150) % 2, 1.7e308, -1.7e308))
    found = model.effect(["x", "z"], far)
    assert np.isfinite(found.x.values).all()
    assert found.x.values[[0, -1]].tolist() == [-1.7e308, 1.7e308]


def test_it_prints_in_80_cells_and_draws_regions_without_dots():
    found = ts.NaiveBayes().fit(rows(), "y").effect(["x", "z"], rows(), of="no")
    assert max(map(len, str(found).splitlines())) <= 80
    assert "mean probability of no over 150 rows" in " ".join(str(found).split())
    picture = found.picture()
    assert picture.startswith("<svg")
    assert "dots" not in picture
    assert len(found.to_dict()["mean"]) == 18


def test_of_many_rows_some_stand_for_all_and_numbers_have_a_surface():
    table = rows(900).assign(y=lambda t: t.x * 2 + t.z)
    found = ts.RegressionTree().fit(table, "y").effect(["x", "z"], table)
    assert found.rows == 200
    assert "palest" in found.picture()
    assert found.to_dict()["target"] == "y"


def test_what_is_not_a_pair_is_refused():
    model = ts.NaiveBayes().fit(rows(), "y")
    for names in (["x"], ["x", "x"], ["x", "z", "sky"]):
        with pytest.raises(OptionError, match="or of two different ones"):
            model.effect(names, rows())
    with pytest.raises(OptionError, match="no column 'w'"):
        model.effect(["x", "w"], rows())
