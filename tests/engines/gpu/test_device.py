"""The GPU engine on a GPU. Where there is none every test says so and is skipped."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallystick as ts


def _missing() -> str | None:
    """Return why no GPU can be asked, None where one can."""
    from tallystick.engines.gpu import device_of
    from tallystick.errors import DeviceError

    try:
        device_of(0)
    except DeviceError as error:
        return f"no GPU here: {error}"
    return None


@pytest.fixture(scope="module", autouse=True)
def gpu():
    if why := _missing():
        pytest.skip(why)


def made(seed):
    """Return a generated table of mixed columns."""
    rng = np.random.default_rng(seed)
    n, classes = int(rng.integers(50, 3_000)), int(rng.integers(2, 7))
    X = pd.DataFrame({f"x{j}": rng.normal(size=n) * 10.0 ** rng.integers(-5, 6) for j in range(3)})
    X["single"] = X["x0"].astype(np.float32)
    X["rounded"] = np.round(X["x1"], 1)
    X["level"] = rng.choice(list("abcdef"), n)
    X.loc[rng.random(n) < 0.1, "x2"] = np.nan
    y = rng.integers(0, classes, n)
    y = np.where(X["level"].isin(["a", "b"]) & (X["rounded"] > 0), 0, y)
    return X, y


METHODS = {
    "naive Bayes": ts.NaiveBayes,
    "Gaussian": lambda **given: ts.NaiveBayes(distributions="gaussian", **given),
    "tree": lambda **given: ts.DecisionTree(max_depth=6, **given),
    "logistic": ts.LogisticRegression,
}


@pytest.mark.parametrize("method", METHODS)
def test_three_hundred_tables_have_the_bytes_of_the_processor(method, monkeypatch):
    from tallystick.engines.gpu import device_of

    monkeypatch.setattr(type(device_of(0).device), "least_rows", 0)
    monkeypatch.setattr(type(device_of(0).device), "small_rows", 100)
    for seed in range(300 if method != "logistic" else 60):
        X, y = made(seed)
        X = X[["x0", "single"]] if method == "Gaussian" else X
        here, there = METHODS[method]().fit(X, y), METHODS[method](engine=ts.Gpu()).fit(X, y)
        assert there.to_bytes() == here.to_bytes(), seed


def test_memory_is_given_back():
    from tallystick.engines.gpu import device_of

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200_000, 10)), rng.integers(0, 2, 200_000)
    ts.DecisionTree(max_depth=4, engine=ts.Gpu()).fit(X, y)
    before = device_of(0).device.room()
    for _ in range(3):
        ts.DecisionTree(max_depth=4, engine=ts.Gpu()).fit(X, y)
    assert device_of(0).device.room() >= before - (1 << 20)
