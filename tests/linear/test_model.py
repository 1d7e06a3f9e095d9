"""The fitted linear regression: its answers by every way, and its file."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import tallystick as ts
from tallystick.linear.model import LeastSquares, LinearModel


def rows(count=60):
    return [
        {
            "x": i % 7 - 2.5,
            "c": "abc"[i % 3],
            "z": None if i % 9 == 8 else i * 0.37,
            "y": i % 7 + (i % 3) * 2.0 + i % 5 / 4,
        }
        for i in range(count)
    ]


def test_every_way_to_an_answer_gives_the_same_bits():
    model = ts.LinearRegression().fit(rows(), "y")
    table = model.predict(rows())
    assert [model.predict_one(row) for row in rows()] == table.tolist()
    again = LinearModel.from_dict(model.model_.to_dict(), model.schema_, model.model_.options)
    assert again.to_dict() == model.model_.to_dict()
    X = np.array([[r["x"], r["z"]] for r in rows()], float)
    plain = ts.LinearRegression().fit(X, [r["y"] for r in rows()])
    arrow = pa.table({"x0": X[:, 0], "x1": pa.array([r["z"] for r in rows()], pa.float64())})
    assert plain.predict(X).tolist() == plain.predict(arrow).tolist()


def test_numbers_beyond_all_doubles_are_bounded():
    model = ts.LinearRegression(l2=0).fit(
        [{"x": i / 4, "w": i % 5 / 2, "y": 5e9 * i} for i in range(30)], "y"
    )
    assert model.predict([{"x": 1e305, "w": 0.0}])[0] == 1e300
    assert model.predict_one({"x": -1e305, "w": 0.0}) == -1e300


def test_the_noise_is_measured_by_the_degrees_of_freedom():
    fit = LeastSquares(0.0, 12.0, 100.0, 1, 10.0, 4, 4.0)
    assert fit.freedom == 6
    assert fit.variance == 2
    assert np.isnan(LeastSquares(0.0, 0.0, 1.0, 1, 4.0, 4, 4.0).variance)
    assert LeastSquares(**fit.to_dict()) == fit
