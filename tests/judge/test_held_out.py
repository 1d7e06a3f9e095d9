"""Comparisons on rows of another source, comparisons of regressions, and how rows are dealt from the command
line.
"""

import json
from importlib import resources

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

import tallystick as ts
from tallystick.cli.main import run
from tallystick.errors import DataError, OptionError
from tallystick.judge.run import NOT_IN_TRAINING, hold

VOTES = pd.read_csv(resources.files("tallystick.examples") / "votes.csv")


@pytest.fixture(scope="module")
def numbers():
    """Rows whose target is a number: two columns and some levels tell it."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300)})
    frame["c"] = np.where(rng.random(300) < 0.5, "x", "z")
    frame["y"] = 3 * frame["a"] + (frame["c"] == "z") * 2 + rng.normal(0, 0.5, 300)
    return frame


@pytest.mark.slow
def test_methods_are_compared_on_rows_of_another_source():
    train, test = VOTES[:300], VOTES[300:]
    found = ts.compare(train, "party", held_out=test, methods=["tree", "bayes"], tuned=False)
    for name, method in (("decision tree", ts.DecisionTree()), ("naive Bayes", ts.NaiveBayes())):
        model = method.fit(train, "party")
        result = found[name].result
        assert result.accuracy == pytest.approx(model.score(test, "party"))
        shares = model.predict_proba(test.drop(columns="party"))
        assert result.log_loss == pytest.approx(log_loss(test["party"], shares), abs=1e-4)
    assert found.to_dict()["fold_sizes"] == [135]
    assert "135 rows, held out, 300 training rows, " in str(found)


@pytest.mark.slow
def test_settings_are_chosen_on_training_rows_alone():
    """The held-out labels are turned round: what is chosen must not move."""
    train, test = VOTES[:300], VOTES[300:]
    turned = test.assign(party=np.where(test["party"] == "democrat", "republican", "democrat"))
    a, b = (ts.compare(train, "party", held_out=rows, methods=["tree"]) for rows in (test, turned))
    assert [a[e.name].setting for e in b.entries] == [e.setting for e in b.entries]
    assert a["decision tree, tuned"].result.accuracy > 0.9 > b["decision tree, tuned"].result.accuracy


@pytest.mark.slow
def test_held_out_rows_that_are_training_rows_too_are_counted_target_included():
    train = VOTES.drop_duplicates()[:200]
    rest = VOTES.drop_duplicates()[200:]
    twice = pd.concat([rest, train[:7]])
    turned = train[7:12].assign(party=np.where(train[7:12]["party"] == "democrat", "republican", "democrat"))
    found = ts.compare(
        train, "party", held_out=pd.concat([twice, turned]), methods=["bayes"], tuned=False, folds=2
    )
    check = next(c for c in found.checks if c.code == "training-rows")
    assert f"7 of {len(rest) + 12} held-out rows" in check.text
    assert "training-rows" not in [
        c.code for c in ts.compare(train, "party", held_out=rest, methods=["bayes"], tuned=False).checks
    ]
    assert "training-rows" not in [
        c.code
        for c in ts.compare(
            train, "party", held_out=twice, methods=["bayes"], tuned=False, ignore=["training-rows"]
        ).checks
    ]


def test_rows_of_a_class_that_was_not_in_training_are_wrong_and_rows_without_one_left_out():
    table = ts.NaiveBayes()._read({"a": ["x", "z"] * 20, "y": ["no", "yes"] * 20}, "y")
    held = hold({"a": ["x", "z", "x", "new"], "y": ["no", "maybe", None, "yes"]}, table, ts.NaiveBayes())
    assert held.labels == ("no", "yes", NOT_IN_TRAINING)
    assert held.truth.tolist() == [0, 2, 1]
    assert held.copies == 1
    with pytest.raises(DataError, match=r"no row of .* has a target"):
        hold({"a": ["x"], "y": [None]}, table, ts.NaiveBayes())


def test_features_and_labels_may_come_apart():
    X, y = VOTES.drop(columns="party"), VOTES["party"]
    found = ts.compare(X[:300], y[:300], held_out=(X[300:], y[300:]), methods=["bayes"], tuned=False)
    model = ts.NaiveBayes().fit(X[:300], y[:300])
    assert found["naive Bayes"].result.accuracy == pytest.approx(model.score(X[300:], y[300:]))


@pytest.mark.slow
def test_regressions_are_compared_by_their_mean_squared_error(numbers):
    linear = make_pipeline(StandardScaler(), LinearRegression())
    columns = numbers[["a", "b", "y"]]
    others = {"line": linear, "tree": DecisionTreeRegressor(max_leaf_nodes=4), "ridge": Ridge(1e6)}
    found = ts.compare(columns, "y", regression=True, folds=5, others=others)
    assert [e.result.mse for e in found.entries] == sorted(e.result.mse for e in found.entries)
    line = found["line"]
    fold = line.result.fold
    for f in range(5):
        model = linear.fit(columns[fold != f][["a", "b"]], columns["y"][fold != f])
        away = columns["y"][fold == f] - model.predict(columns[fold == f][["a", "b"]])
        assert line.result.fold_means()[f] == pytest.approx((away**2).mean())
    assert line.numbers == 3
    assert found["tree"].numbers == 7
    assert found["mean"].numbers == 1
    assert found["mean"].result.measure("r2").value < 0.01
    assert found["regression tree, tuned"].result.mse <= found["mean"].result.mse
    assert "mean squared error" in found.why
    assert "R²" in str(found)
    assert json.dumps(found.to_dict())
    assert found.picture().startswith("<svg")


@pytest.mark.slow
def test_a_regression_is_judged_on_rows_of_another_source(numbers):
    train, test = numbers[:200], numbers[200:]
    found = ts.compare(train, "y", regression=True, held_out=test)
    model = ts.RegressionTree().fit(train, "y")
    wanted = ((model.predict(test) - test["y"]) ** 2).mean()
    assert found["regression tree"].result.mse == pytest.approx(wanted)
    alone = ts.cross_validate(ts.RegressionTree(), train, "y", held_out=test)
    assert alone.mse == pytest.approx(wanted)
    assert alone.measure("r2").value == pytest.approx(model.score(test, "y"))


@pytest.mark.slow
def test_noise_is_no_better_than_the_mean():
    rng = np.random.default_rng(0)
    data = {"a": rng.normal(size=150), "y": rng.normal(size=150)}
    found = ts.compare(data, "y", regression=True, folds=3)
    assert found.chosen.name == "mean"
    assert "baseline" in [c.code for c in found.checks]


# -- the command line --


@pytest.fixture
def folder(tmp_path, monkeypatch, numbers):
    monkeypatch.chdir(tmp_path)
    rows = VOTES.assign(shop=[f"s{i % 6}" for i in range(435)], day=np.arange(435) // 10)
    rows.to_csv("all.csv", index=False)
    VOTES[:300].to_csv("train.csv", index=False)
    VOTES[300:].to_csv("test.csv", index=False)
    numbers.to_csv("numbers.csv", index=False)
    return tmp_path


def judged(capsys, *args):
    """Return what `tally compare --json` says."""
    assert run(["compare", *args, "--no-tuning", "--json"], debug=False) in (0, None)
    return json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_the_command_deals_rows_as_python_does(folder, capsys):
    given = {"methods": ["bayes"], "tuned": False}
    for flags, words in (
        (["--groups", "shop", "--folds", "3"], {"groups": "shop", "folds": 3}),
        (["--time", "day", "--folds", "4"], {"time": "day", "folds": 4}),
        (["--parts", "0.6,0.2,0.2"], {"folds": (0.6, 0.2, 0.2)}),
    ):
        said = judged(capsys, "all.csv", "-t", "party", "--method", "bayes", *flags)
        wanted = ts.compare("all.csv", "party", **given, **words).to_dict()
        assert said == json.loads(json.dumps(wanted))
    assert said["how"] == "60% train, 20% validate, 20% test"


@pytest.mark.slow
def test_the_command_tests_on_another_file_and_compares_regressions(folder, capsys):
    said = judged(capsys, "train.csv", "-t", "party", "--held-out", "test.csv", "--method", "tree")
    tree = next(e for e in said["entries"] if e["name"] == "decision tree")
    accuracy = next(m["value"] for m in tree["measures"] if m["name"] == "accuracy")
    assert accuracy == pytest.approx(ts.DecisionTree().fit("train.csv", "party").score("test.csv", "party"))
    said = judged(capsys, "numbers.csv", "-t", "y", "--regression", "--folds", "3")
    assert {e["name"] for e in said["entries"]} == {"mean", "regression tree", "linear regression"}
    assert [m["name"] for m in said["entries"][0]["measures"]] == ["mse", "rmse", "mae", "r2"]


def test_ways_that_do_not_go_together_are_refused():
    with pytest.raises(OptionError, match="held_out"):
        ts.compare(VOTES, "party", held_out=VOTES, groups="crime")
    with pytest.raises(OptionError, match="held_out"):
        ts.cross_validate(ts.NaiveBayes(), VOTES, "party", held_out=VOTES, time="crime")
