"""Methods at their limits: declared classes, wrong priors, shares too small for a number, values too large
for a square.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import tallystick as ts
from tallystick.cli.main import run
from tallystick.errors import DataError, OptionError, TargetError
from tallystick.model.file import from_bytes

X = np.array([[1.0], [2.0], [3.0], [1.5]])


@pytest.mark.parametrize(
    ("classes", "y", "known"),
    [
        ([True, False], [True, False, True, True], [False, True]),
        ([2.0, 1.0, 3.0], [1.0, 2.0, 1.0, 2.0], [1, 2, 3]),
        (np.array([0.5, 1.5]), [0.5, 1.5, 0.5, 1.5], [0.5, 1.5]),
        ([0, 1, 2], [0, 1, 0, 1], [0, 1, 2]),
        (["b", "a"], ["a", "b", "a", "a"], ["a", "b"]),
    ],
)
def test_declared_classes_are_those_of_the_labels(classes, y, known):
    model = ts.NaiveBayes(distributions="gaussian").partial_fit(X, y, classes=classes)
    assert model.classes_.tolist() == known
    assert model.partial_fit(X, y).classes_.tolist() == known
    assert model.predict_proba(X).shape == (4, len(known))


def test_a_class_that_was_not_declared_is_refused_and_changes_nothing():
    model = ts.NaiveBayes(distributions="gaussian")
    with pytest.raises(DataError, match=r"holds '2', which classes= did not name \('0', '1'\)"):
        model.partial_fit(X, [0, 1, 2, 1], classes=[0, 1])
    assert not hasattr(model, "model_")
    model.partial_fit(X, [0, 1, 0, 1], classes=[0, 1])
    before = model.to_bytes()
    with pytest.raises(DataError, match="holds '5'"):
        model.partial_fit(X, [0, 5, 0, 1])
    assert model.to_bytes() == before


@pytest.mark.parametrize("priors", [[0.5, 0.6], [0.3, 0.3, 0.4], {"a": 1.0}])
def test_wrong_priors_are_refused_by_fit(priors):
    with pytest.raises(OptionError, match="priors"):
        ts.NaiveBayes(priors=priors).fit(X, ["a", "b", "a", "b"])


@pytest.mark.parametrize("estimator", [ts.NaiveBayes(distributions="gaussian"), ts.LogisticRegression()])
def test_log_shares_do_not_end_where_shares_do(estimator):
    x, y = load_iris(return_X_y=True)
    estimator.fit(x, y)
    logs = estimator.predict_log_proba(x)
    assert np.allclose(np.exp(logs), estimator.predict_proba(x), rtol=1e-10, atol=0)
    far = estimator.predict_log_proba(1000 * x)
    assert (estimator.predict_proba(1000 * x) == 0).any()
    assert np.isfinite(far).all()
    assert far.min() < -2000


def test_log_shares_of_gaussians_are_differences_of_joint_ones():
    x, y = load_iris(return_X_y=True)
    model = ts.NaiveBayes(distributions="gaussian").fit(x, y)
    joint = model.predict_joint_log_proba(100 * x)
    assert np.allclose(model.predict_log_proba(100 * x), joint - joint.max(axis=1, keepdims=True), rtol=1e-12)


def test_forgetting_rows_of_fractional_weight_gives_the_bytes_of_a_fit_without_them():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "a": rng.choice(list("xyz"), 30),
            "b": rng.normal(size=30),
            "y": ["r"] + ["p"] * 14 + ["q"] * 15,
        }
    )
    for weights in (np.round(3 * rng.random(30), 2) + 0.25, np.full(30, 0.5)):
        options = {"distributions": {"b": "gaussian"}}

        def learnt(rows, own, options=options):
            return ts.NaiveBayes(**options).partial_fit(rows, "y", list("pqr"), own)

        model = learnt(table, weights)
        model.forget(table[20:], sample_weight=weights[20:])
        rest = learnt(table[:20], weights[:20])
        assert model.to_bytes(profile=False) == rest.to_bytes(profile=False)
        again = rest.update(table[20:], sample_weight=weights[20:])
        assert again.to_bytes(profile=False) == learnt(table, weights).to_bytes(profile=False)


def test_rows_that_come_later_bring_the_notes_of_a_fit_on_all():
    y = ["rare"] * 2 + ["often"] * 600
    table = pd.DataFrame({"a": ["x", "z"] * 301, "y": y})
    model = ts.NaiveBayes().fit(table[:10], "y").update(table[10:])
    assert model.to_bytes() == ts.NaiveBayes().fit(table, "y").to_bytes(profile=False)
    assert model.forget(table[10:]).to_bytes() == ts.NaiveBayes().fit(table[:10], "y").to_bytes(profile=False)


@pytest.mark.parametrize(("share", "numbers"), [("none", 13), ("classes", 10), ("columns", 9), ("both", 8)])
def test_shared_variances_are_counted_once(share, numbers):
    x, y = load_iris(return_X_y=True)
    model = ts.NaiveBayes(distributions="gaussian", share=share).fit(x[:100, :3], y[:100])
    assert model._numbers() == numbers  # 1 prior, 6 means, and the variances


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-160, 1e155, 1e200, 1e300])
def test_values_whose_squares_overflow_are_binned_or_refused(scale, tmp_path):
    x, y = load_iris(return_X_y=True)
    model = ts.NaiveBayes().fit(scale * x, y)
    assert "which is too extreme for a Gaussian" in model.notes_[0].text
    shares = model.predict_proba(scale * x)
    assert np.isfinite(shares).all()
    assert (model.predict(scale * x) == y).mean() > 0.9
    model.save(tmp_path / "model.tally.json")
    assert np.array_equal(ts.load(tmp_path / "model.tally.json").predict_proba(scale * x), shares)
    with pytest.raises(DataError, match=r"column 'x0' has a variance of .* Multiply the column"):
        ts.NaiveBayes(distributions="gaussian").fit(scale * x, y)


@pytest.mark.parametrize("scale", [1e-135, 1e-100, 1e100, 1e135])
def test_gaussians_hold_at_any_scale_that_squares_have(scale):
    x, y = load_iris(return_X_y=True)
    plain = ts.NaiveBayes(distributions="gaussian").fit(x, y).predict_proba(x)
    assert np.allclose(
        ts.NaiveBayes(distributions="gaussian").fit(scale * x, y).predict_proba(scale * x), plain
    )


def test_a_refused_fit_writes_no_file(tmp_path, capsys):
    table = tmp_path / "large.csv"
    table.write_text("x,y\n" + "".join(f"{i}e200,{'ab'[i % 2]}\n" for i in range(1, 40)), encoding="utf-8")
    out = tmp_path / "model.tally.json"
    given = ["fit", str(table), "--target", "y", "--model", "bayes", "-o", str(out)]
    assert run([*given, "--set", "distributions=gaussian"], debug=False) == 2
    assert not out.exists()
    assert run(given, debug=False) == 0  # in bins
    assert run(["predict", str(out), str(table), "-o", str(tmp_path / "out.csv")], debug=False) == 0
    assert "Multiply the column" in capsys.readouterr().err


@pytest.mark.parametrize("size", [1e-300, 1e-305])
def test_logistic_weights_that_no_file_can_hold_are_refused_by_the_fit(size):
    x = np.linspace(-1, 1, 60)
    y = np.where((x > 0) ^ (np.arange(60) % 5 == 0), "a", "b")
    with pytest.raises(
        DataError, match=r"^column 'x' spreads by about .*, which gives weights beyond 1e\+300"
    ):
        ts.LogisticRegression().fit(pd.DataFrame({"x": x * size}), y)


@pytest.mark.parametrize("size", [1e-290, 1e299, 1e301, 1e308])
def test_logistic_regression_of_any_scale_is_a_file_that_can_be_read(size):
    x = np.linspace(-1, 1, 60)
    y = np.where((x > 0) ^ (np.arange(60) % 5 == 0), "a", "b")
    near = ts.LogisticRegression().fit(pd.DataFrame({"x": x * size}), y)
    assert from_bytes(near.to_bytes())["kind"] == near.model_.kind
    assert near.predict(pd.DataFrame({"x": [-size, size]})).tolist() == ["b", "a"]


def test_a_response_whose_square_overflows_is_refused():
    x = np.linspace(-1, 1, 60)
    with pytest.raises(TargetError, match=r"^target 'y' is infinite or beyond 1e140 in row 1\. Correct"):
        ts.RegressionTree().fit(pd.DataFrame({"x": x}), x * 1e155)
