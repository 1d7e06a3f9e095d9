"""compare and learning_curve: which methods and settings are judged, and what cannot be."""

from __future__ import annotations

import json
import weakref
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

import tallystick as ts
from tallystick import methods
from tallystick.errors import OptionError
from tallystick.judge import api as judging
from tallystick.judge.api import able, candidates_of, curve_read, methods_named, settings
from tallystick.methods import NAMES, REGRESSIONS, named
from tallystick.stats.exact import LargeTree

ROWS = {"c": ["u", "v"] * 10, "y": ["p", "q"] * 10}
TEXT = {"t": [f"some words {i} of a text" for i in range(20)], "y": ["p", "q"] * 10}


def test_a_target_of_numbers_is_compared_by_the_methods_for_numbers():
    rows = [{"x": i % 9, "y": float(i % 9) + 0.25 * (i % 4)} for i in range(40)]
    found = ts.compare(rows, "y", regression=True, folds=3, tuned=False)
    assert {e.family for e in found.entries} == {"majority", *REGRESSIONS}
    only = ts.compare(rows, "y", regression=True, folds=3, methods=["regression:max_depth=2"])
    assert {e.name for e in only.entries} == {"mean", "regression tree, max_depth=2"}
    with pytest.raises(OptionError, match=r"'bayes' is for classes; the target is a number. Use: regr"):
        ts.compare(rows, "y", regression=True, methods=["bayes"])


@pytest.mark.parametrize("family", [name for name in NAMES if named(name).tuned])
def test_a_method_is_tuned_over_at_most_eight_settings(family):
    found = settings(family, {"threads": 1})
    assert 2 <= len(found) <= 8
    assert all(estimator.threads == 1 for _, estimator in found)
    assert len({words for words, _ in found}) == len(found)


def test_candidates_are_the_baseline_then_each_method_as_it_is_and_tuned():
    names = [c.name for c in candidates_of(("tree", "bayes"), True, {})]
    assert names == [
        "most frequent class",
        "decision tree",
        "decision tree, tuned",
        "naive Bayes",
        "naive Bayes, tuned",
    ]
    assert [c.name for c in candidates_of(("bayes",), False, {})] == ["most frequent class", "naive Bayes"]
    assert candidates_of(("regression",), False, {})[0].name == "mean"


def test_variants_and_estimators_by_name_are_compared_as_they_are():
    found = candidates_of(("id3", "bayes:alpha=3"), True, {})[1:]
    assert [(c.name, c.family) for c in found] == [("ID3 tree", "tree"), ("naive Bayes, alpha=3", "bayes")]
    mine = {"mine": ts.DecisionTree(max_depth=1)}
    entries = ts.compare(ROWS, "y", methods=mine, folds=2).entries
    assert {(e.name, e.family) for e in entries} == {("mine", "tree"), ("most frequent class", "majority")}
    said = "'dummy' is not an estimator of Tallystick but a 'DummyClassifier'"
    with pytest.raises(OptionError, match=said):
        ts.compare(ROWS, "y", methods={"dummy": DummyClassifier()})


def test_learning_curves_take_variants():
    names = ("bayes-gaussian-shared", "bayes", "logistic-ml", "logistic", "tree:max_depth=2")
    curve = ts.learning_curve(ROWS, "y", methods=names, sizes=[6], repeats=1)
    assert [c.name for c in curve.curves] == [methods.variant(n).words for n in names]


def test_methods_of_the_user_are_called_by_their_class_or_name():
    own = [DummyClassifier()]
    assert candidates_of((), False, {}, ROWS, own)[-1].name == "DummyClassifier"
    named = candidates_of((), False, {}, ROWS, {"mine": own[0]})[-1]
    assert (named.name, named.family) == ("mine", "yours")


def test_a_tree_is_left_out_where_all_columns_hold_text():
    text = ts.NaiveBayes(kinds={"t": "text"})._read(TEXT, "y")
    names, why = able(text, {"decision tree": "tree", "naive Bayes": "bayes"})
    assert names == ["naive Bayes"]
    assert why == "all columns hold text, which a tree does not read: left out 'decision tree'."
    with pytest.raises(OptionError, match="a tree does not read text"):
        able(text, {"decision tree": "tree"})
    assert able(ts.NaiveBayes()._read(ROWS, "y"), {"decision tree": "tree"}) == (["decision tree"], "")


def test_what_makes_no_sense_is_refused_before_any_work():
    with pytest.raises(OptionError, match="leave-one-out is for cross_validate"):
        ts.compare(ROWS, "y", folds="leave-one-out")
    with pytest.raises(OptionError, match="'regression' is for numbers"):
        methods_named(["regression"], {})
    with pytest.raises(OptionError, match="no method to draw a curve of"):
        ts.learning_curve(ROWS, "y", methods=[])
    with pytest.raises(OptionError, match="held_out= names the test rows"):
        ts.compare(ROWS, "y", held_out=ROWS, groups="c")


def test_a_curve_of_estimators_by_name():
    table = ts.NaiveBayes()._read(ROWS, "y")
    found = curve_read(table, {"mine": ts.NaiveBayes()}, [4, 8], 2)
    assert ([c.name for c in found.curves], found.sizes, found.left_out) == (["mine"], (4, 8), "")


@pytest.mark.slow
def test_a_tree_that_memory_has_no_room_for_is_left_out_of_a_comparison_and_of_a_report(monkeypatch):
    rng = np.random.default_rng(0)
    noise = pd.DataFrame({"a": rng.random(400), "b": rng.random(400), "y": rng.choice(["p", "q"], 400)})
    monkeypatch.setattr("tallystick.stats.exact.READING", 1)
    monkeypatch.setattr("tallystick.stats.exact.LEFT", (32 << 20) - 462 * 40)  # forty nodes
    given = {"tuned": False, "folds": 2, "memory": "32MB"}
    found = ts.compare(noise, "y", methods=["bayes", "tree", "tree:max_depth=2"], **given)
    assert {e.name for e in found.entries} == {
        "most frequent class",
        "naive Bayes",
        "decision tree, max_depth=2",
    }
    told = [c.text for c in found.checks if c.code == "large-tree"]
    assert told == ["memory=32 MB has no room for all nodes of a tree: left out 'decision tree'."]
    page = ts.report(noise, "y", methods=["bayes", "tree"], repeats=2, **given)
    assert "large-tree" in {c.code for c in page.comparison.checks}
    with pytest.raises(OptionError, match="more than 40 nodes, for which memory=32 MB has no room"):
        ts.compare(noise, "y", methods=["tree"], **given)


@pytest.mark.slow
def test_a_tree_by_count_tables_that_memory_has_no_room_for_is_left_out_too():
    rng, n = np.random.default_rng(0), 50_000
    levels = {f"l{i}": np.where(rng.random(n) > 0.5, "v", "w") for i in range(12)}
    frame = pd.DataFrame(levels | {"y": np.where(rng.random(n) > 0.5, "a", "b")})
    found = ts.compare(frame, "y", methods=["cart", "bayes"], tuned=False, folds=2, memory="32MB")
    assert {e.name for e in found.entries} == {"most frequent class", "naive Bayes"}
    told = [c.text.partition(": ")[2] for c in found.checks if c.code == "large-tree"]
    assert told == ["left out 'CART tree'."]


def test_a_tree_that_had_no_room_is_let_go_before_others_are_tried(monkeypatch):
    held, there = [], []

    def run(some):
        grown = np.zeros(3)
        held.append(weakref.ref(grown))
        raise LargeTree("no room")

    monkeypatch.setattr(judging, "_has_room", lambda *_: there.append(held[0]()) or True)
    with pytest.raises(LargeTree, match="no room"):
        judging._where_there_is_room(run, [None], SimpleNamespace(budget=0))
    assert there == [None]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"methods": "bayes"}, r"Pass methods=\['bayes'\]"),
        ({"methods": 3}, "methods must be a list of texts, not 3"),
        ({"methods": [ts.NaiveBayes()]}, "named by a text, not by 'NaiveBayes'. Pass estimators by"),
        ({"others": 3}, "others must be a list"),
        ({"others": [DummyClassifier(), DummyClassifier()]}, "2 estimators that are called 'Dummy"),
        ({"groups": ["a", "b"]}, "groups= is the name of a column, not 'list'. Add the values"),
        ({"time": np.arange(2)}, "time= is the name of a column, not 'ndarray'"),
        ({"folds": ["a", "b"]}, "shares of rows are two"),
        ({"folds": [None, 1]}, "shares of rows are two"),
        ({"by": 3}, "by must be a list of texts, not 3"),
        ({"groups": "nope"}, "^groups names column 'nope', which is not in the table. Columns: 'x', 'y'"),
        ({"time": "nope"}, "^time names column 'nope', which is not in the table. Columns: 'x', 'y'"),
        ({"by": ["x", "nope"]}, "^by names column 'nope', which is not in the table. Columns: 'x', 'y'"),
        ({"groups": "xx"}, "^groups names column 'xx', which is not in the table. Did you mean 'x'"),
        ({"groups": "x", "kinds": {"nope": "levels"}}, "^kinds names column 'nope'"),
        ({"groups": "y"}, "^groups names column 'y', which is the target. Name another column"),
        ({"time": "y"}, "^time names column 'y', which is the target"),
        ({"by": "y"}, "^by names column 'y', which is the target"),
        ({"by": np.array(["x", "nope"])}, "^by names column 'nope'"),
        ({"others": np.array([1, 2])}, "2 estimators that are called 'int64'"),
        ({"cost": {"p": {"q": 10**400}}}, "cost must be .* found .*'p': {'q': 1000"),
        ({"by": "x:2,4", "sample_weight": "x"}, "^by names column 'x', which has the weights. Name another"),
        ({"groups": "x", "sample_weight": "x"}, "^groups names column 'x', which has the weights"),
        ({"time": "x", "sample_weight": "x"}, "^time names column 'x', which has the weights"),
        ({"progress": "yes"}, "progress must be a function of .done, total, what., not 'yes'"),
        ({"by": [None]}, "by must be names of columns, not None"),
        ({"by": {"x": 3}}, "the ranges of 'x' begin at numbers that rise, not 3"),
        ({"by": {"x": ["a"]}}, "the ranges of 'x' begin at numbers that rise"),
        ({"ignore": None}, "ignore must be a list of texts, not None"),
        ({"ignore": [[1]]}, "there is no check"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_an_argument_that_makes_no_sense_is_told_in_our_words(given, says):
    rows = pd.DataFrame({"x": np.arange(40) % 7, "y": ["p", "q"] * 20})
    with pytest.raises(OptionError, match=says):
        ts.compare(rows, "y", **{"methods": ["bayes"], "tuned": False, "folds": 3, **given})


@pytest.mark.parametrize("way", [{"folds": 3}, {"folds": (0.7, 0.3)}, {"folds": 2, "groups": "g"}], ids=str)
@pytest.mark.parametrize("numbers", [False, True])
def test_rows_with_weights_are_told_by_group_as_cross_validation_tells_them(way, numbers):
    rng = np.random.default_rng(0)
    some = pd.DataFrame({"x": rng.normal(size=60), "g": np.where(np.arange(60) % 3, "a", "b")})
    some["y"] = rng.normal(size=60) + (some.g == "a") if numbers else rng.choice(["p", "q"], 60)
    many = rng.integers(1, 5, 60)  # copies of one row are in several folds
    model, name = (ts.LinearRegression(), "linear") if numbers else (ts.NaiveBayes(), "bayes")
    alone = ts.cross_validate(model, some, "y", by=["g", "x"], sample_weight=many, **way)
    told = {"by": ["g", "x"], "sample_weight": many, "methods": [name], "tuned": False, **way}
    found = ts.compare(some, "y", regression=numbers, **told)
    own = next(e.result for e in found.entries if e.name in ("naive Bayes", "linear regression"))
    assert [own.by(name) for name in ("g", "x")] == [alone.by(name) for name in ("g", "x")]
    if "groups" not in way:
        copies = ts.cross_validate(model, some.loc[some.index.repeat(many)], "y", by="g", **way)
        assert json.dumps(alone.by("g")) == json.dumps(copies.by("g"))


@pytest.mark.parametrize(
    "work",
    [
        lambda rows: ts.cross_validate(ts.NaiveBayes(), rows, "y", 3, progress=3),
        lambda rows: ts.cross_validate(ts.NaiveBayes(), rows, "y", held_out=rows, progress=3),
        lambda rows: ts.learning_curve("no such file.csv", "y", progress=3),
        lambda rows: ts.describe(rows, target="y", progress=3),
        lambda rows: ts.Spark(progress=3),
        lambda rows: ts.Sql(progress=3),
    ],
)
def test_progress_is_a_function_wherever_it_is_given(work):
    rows = pd.DataFrame({"x": np.arange(40) % 7, "y": ["p", "q"] * 20})
    with pytest.raises(OptionError, match=r"progress must be a function of \(done, total.*\), not 3"):
        work(rows)


def test_shares_of_rows_may_be_an_array_and_repeats_are_whole():
    rows = pd.DataFrame({"x": np.arange(40) % 7, "y": ["p", "q"] * 20})
    model = ts.NaiveBayes()
    several = (ts.cross_validate(model, rows, "y", way) for way in (np.array([0.5, 0.5]), [0.5, 0.5]))
    one, other = (found.fold.tolist() for found in several)
    assert one == other
    for none in (1.5, "3", None, True, 0, -1, 10_001, 10**30):
        with pytest.raises(
            OptionError, match=f"repeats must be a whole number from 1 to 10,000, not .?{none}"
        ):
            ts.cross_validate(model, rows, "y", 3, repeats=none)
