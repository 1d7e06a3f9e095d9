"""A tree with costs answers the cheapest class, whoever asks: one answer for one row."""

from __future__ import annotations

import copy
import io
import json
import pickle

import databases
import exports as e
import numpy as np
import pyarrow.csv
import pytest
from exports import run_onnx

import tallystick as ts
from tallystick.cli.main import run
from tallystick.errors import OptionError
from tallystick.estimator.base import from_data
from tallystick.judge.folds import FoldPlan
from tallystick.judge.run import refit_shares

pytestmark = pytest.mark.slow

LABELS = ("bad", "good", "late")
COSTS = {"bad": {"good": 9}, "late": {"good": 3, "bad": 2}}
TABLE = [[0, 9, 1], [1, 0, 1], [2, 3, 0]]


def rows(count: int = 400, seed: int = 0) -> dict[str, list]:
    """Return noisy rows, so that the cheapest class is often not the most probable."""
    r = np.random.default_rng(seed)
    x, level = r.normal(0, 1, count), r.integers(0, 3, count)
    y = np.digitize(x + 0.5 * level + r.normal(0, 1.5, count), [-0.5, 2.5])
    return {
        "x": np.round(x, 2).tolist(),
        "level": [("u", "v", "w")[k] for k in level],
        "y": [LABELS[k] for k in y],
    }


@pytest.fixture(scope="module", params=[COSTS, TABLE], ids=["named", "table"])
def tree(request):
    return ts.DecisionTree(costs=request.param, min_samples_leaf=5).fit(rows(), "y")


@pytest.fixture(scope="module")
def new():
    return {n: v for n, v in rows(300, 1).items() if n != "y"}


def cheapest(shares: np.ndarray) -> list[str]:
    return [LABELS[k] for k in (shares @ np.array(TABLE, float)).argmin(axis=1)]


def test_the_answer_is_the_cheapest_and_often_not_the_most_probable(tree, new):
    shares = tree.predict_proba(new)
    answers = tree.predict(new).tolist()
    assert answers == cheapest(shares)
    assert sum(a != LABELS[k] for a, k in zip(answers, shares.argmax(axis=1), strict=True)) > 50
    assert tree.classes_[tree._decide(shares)].tolist() == answers


def test_a_record_a_copy_and_the_file_answer_alike(tree, new):
    answers = tree.predict(new).tolist()
    assert [tree.predict(row)[0] for row in e.records(new)] == answers
    for other in (pickle.loads(pickle.dumps(tree)), copy.copy(tree), from_data(tree.to_bytes())):
        assert other.predict(new).tolist() == answers
        assert other.to_bytes() == tree.to_bytes()


def test_the_command_answers_what_the_model_answers(tree, new, tmp_path, capfd):
    tree.save(tmp_path / "m.tally.json")
    lines = ["x,level", *(f"{x},{v}" for x, v in zip(new["x"], new["level"], strict=True))]
    (tmp_path / "new.csv").write_text("\n".join(lines) + "\n")
    line = ["predict", str(tmp_path / "m.tally.json"), str(tmp_path / "new.csv"), "--proba"]
    assert run(line, debug=True) == 0
    found = pyarrow.csv.read_csv(io.BytesIO(capfd.readouterr().out.encode())).to_pydict()
    assert found["prediction"] == tree.predict(new).tolist()
    shares = tree.predict_proba(new)
    assert found["probability"] == [
        shares[i, LABELS.index(label)] for i, label in enumerate(found["prediction"])
    ]


def test_explain_gives_the_answer_of_predict(tree, new):
    answers = tree.predict(new)
    for row in range(40):
        assert tree.explain(e.records(new), row).answer == answers[row]


def test_cross_validation_counts_the_answers_of_the_trees(tree):
    table = rows()
    result = ts.cross_validate(ts.DecisionTree(**tree.get_params(deep=False)), table, "y", folds=5)
    assert [LABELS[k] for k in result.answered] == cheapest(result.shares)
    right = np.mean([a == t for a, t in zip(cheapest(result.shares), table["y"], strict=True)])
    assert result.accuracy == pytest.approx(right)
    assert np.mean(result.fold_accuracies) == pytest.approx(right, abs=0.01)
    truth = np.array([LABELS.index(label) for label in table["y"]])
    spent = np.array(TABLE, float)[truth, result.answered].mean()
    assert result.measure("cost").value == pytest.approx(spent)
    encoded = tree._read(table, "y")
    again = refit_shares(ts.DecisionTree(**tree.get_params(deep=False)), encoded, FoldPlan(result.fold))
    assert again.tobytes() == result.shares.tobytes()


def test_costs_by_class_are_costs_in_a_table():
    table = rows()
    for model in (ts.NaiveBayes(), ts.DecisionTree()):
        named = ts.cross_validate(model, table, "y", folds=3, cost=COSTS)
        listed = ts.cross_validate(model, table, "y", folds=3, cost=TABLE)
        assert named.to_dict() == listed.to_dict()
        assert [LABELS[k] for k in named.answered] == cheapest(named.shares)
    compared = ts.compare(table, "y", folds=3, methods=["bayes"], tuned=False, cost=COSTS)
    assert compared["naive Bayes"].result.measure("cost").value > 0
    with pytest.raises(OptionError, match=r"cost names 'god', which is not a class. Did you mean 'good'\?"):
        ts.cross_validate(ts.NaiveBayes(), table, "y", folds=3, cost={"bad": {"god": 2}})


def test_the_costs_of_a_tree_decide_and_those_of_judging_measure(tree):
    table, flat = rows(), [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    own = ts.cross_validate(tree, table, "y", folds=3)
    told = ts.cross_validate(tree, table, "y", folds=3, cost=flat)
    assert told.answered.tolist() == own.answered.tolist()
    assert told.measure("cost").value == pytest.approx(1 - own.accuracy)


def test_held_out_rows_of_a_class_that_was_not_in_training_cost_the_most(tree):
    held = rows(200, 5)
    held["y"][0] = "never"
    result = ts.cross_validate(tree, rows(), "y", held_out=held)
    answers = tree.predict({n: v for n, v in held.items() if n != "y"})
    assert [result.classes[k] for k in result.answered] == answers.tolist()


def test_a_fold_without_a_rare_class_keeps_the_costs_of_the_others():
    table = rows(60)
    table["y"] = ["bad" if y == "late" else y for y in table["y"]]
    table["y"][7] = "late"
    for given in (COSTS, TABLE):
        result = ts.cross_validate(ts.DecisionTree(costs=given), table, "y", folds=5)
        assert result.answered.shape == (60,)
    ts.cross_validate(ts.DecisionTree(class_weight=[1, 2, 3]), table, "y", folds=5)
    ts.DecisionTree(costs=TABLE, pruning="cost-complexity").fit(table, "y")


def test_a_curve_counts_the_answers_of_the_trees():
    table = rows(300)
    with_costs = ts.learning_curve(table, "y", methods={"tree": ts.DecisionTree(costs=COSTS)}, repeats=2)
    without = ts.learning_curve(table, "y", methods={"tree": ts.DecisionTree()}, repeats=2)
    assert with_costs.curves[0].error.mean() > without.curves[0].error.mean()


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_databases_answer_the_cheapest(tree, new, dialect):
    key = list(range(len(new["x"])))
    with getattr(databases, dialect)() as base:
        found = base(tree.export("sql", dialect=dialect, keep="key"), {"key": key} | new)
    assert [found["prediction"][i] for i in np.argsort(found["key"])] == tree.predict(new).tolist()


def test_programs_answer_the_cheapest(tree, new, tmp_path):
    answers = tree.predict(new).tolist()
    assert e.run_python(tree.export("python"), e.records(new), tmp_path)[0] == answers
    assert e.run_node(tree.export("js"), e.records(new), tmp_path)[0] == answers
    assert run_onnx(tree.export("onnx"), new)[0] == answers


def test_rules_say_the_cheapest():
    tree = ts.DecisionTree(costs=COSTS, average=False, max_depth=3).fit(rows(), "y")
    told = {rule["answer"] for rule in json.loads(tree.export("rules", format="json"))["rules"]}
    leaf = tree.model_.nodes.leaf
    assert told == {LABELS[k] for k in tree.model_.labels[leaf]}
    assert (tree.model_.labels[leaf] != tree.model_.node_shares[leaf].argmax(axis=1)).any()


def test_spark_answers_the_cheapest(tree, new, spark):
    frame = spark.createDataFrame(pyarrow.table({"key": list(range(len(new["x"])))} | new))
    for how in ("arrow", "sql"):
        found = tree.transform(frame, how=how).toArrow().to_pydict()
        order = np.argsort(found["key"])
        assert [found["prediction"][i] for i in order] == tree.predict(new).tolist()
