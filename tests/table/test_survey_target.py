"""Labels in whatever they come, and the words by which users name them: one class, one meaning."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import DataError, OptionError, TargetError
from tallystick.estimator.base import from_data
from tallystick.schema import Target
from tallystick.text import label_number

pd = pytest.importorskip("pandas")
ROWS = 60
R = np.random.default_rng(0)
X = pd.DataFrame({"a": R.normal(size=ROWS), "b": R.normal(size=ROWS)})
TEXTS = ["u", "v"] * (ROWS // 2)
NUMBERS = [0, 1] * (ROWS // 2)
ARRAYS = {
    "str": pd.array(TEXTS, dtype="str"),
    "string": pd.array(TEXTS, dtype="string"),
    "arrow string": pd.array(TEXTS, dtype="string[pyarrow]"),
    "values": pd.Series(TEXTS).values,
    "categorical": pd.Categorical(TEXTS),
    "index": pd.Index(TEXTS),
    "Int64": pd.array(NUMBERS, dtype="Int64"),
    "Float64": pd.array([0.5, 1.0] * (ROWS // 2), dtype="Float64"),
    "boolean": pd.array([True, False] * (ROWS // 2), dtype="boolean"),
    "arrow int": pd.array(NUMBERS, dtype="int64[pyarrow]"),
    "arrow bool": pd.array([True, False] * (ROWS // 2), dtype="bool[pyarrow]"),
}
METHODS = [ts.DecisionTree, ts.NaiveBayes, ts.LogisticRegression, ts.Scorecard]


@pytest.mark.slow
@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_of_pandas_is_a_target_like_its_series(name):
    y = ARRAYS[name]
    for method in METHODS:
        model = method().fit(X, y)
        assert model.to_bytes() == method().fit(X, pd.Series(y)).to_bytes()
        assert model.score(X, y) == model.score(X, pd.Series(y)) > 0.4
    on_disk = ts.DecisionTree(memory="1GB").fit(X, y)
    assert on_disk.to_bytes() == ts.DecisionTree().fit(X, y).to_bytes()
    assert ts.cross_validate(ts.NaiveBayes(), X, y, folds=2).accuracy > 0.2


def test_a_missing_label_of_a_pandas_array_is_a_missing_label():
    y = pd.array([None, *NUMBERS[1:]], dtype="Int64")
    model = ts.DecisionTree().fit(X, y)
    assert model.rows_["count"] == ROWS - 1
    assert model.score(X[1:], y[1:]) == model.score(X[1:], NUMBERS[1:])
    assert 0 < model.score(X, y) < 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["Int64", "Float64", "int64[pyarrow]", "double[pyarrow]"])
def test_an_array_of_pandas_is_weights_and_a_response_like_its_series(kind):
    weights = pd.array([1, 2] * (ROWS // 2), dtype=kind)
    for method, y in ((ts.DecisionTree, TEXTS), (ts.RegressionTree, pd.array(range(ROWS), dtype=kind))):
        model = method().fit(X, y, weights)
        assert model.to_bytes() == method().fit(X, pd.Series(y), pd.Series(weights)).to_bytes()
        assert model.score(X, y, weights) == model.score(X, pd.Series(y), pd.Series(weights))


# -- labels that users name --


def test_a_number_is_one_label_however_it_is_written():
    target = Target("y", ("1", "2", "9007199254740993"), "integer")
    assert {target.label_of(v) for v in (1, 1.0, "1", "1.0", "1e0", np.float64(1), np.int8(1))} == {"1"}
    assert target.label_of(9007199254740993) == "9007199254740993"
    assert target.label_of("nan") not in target.labels
    assert [label_number(t) for t in ("0.0", "-1.50", "1_0", "inf", "x")] == ["0", "-1.5", None, None, None]
    assert Target("y", ("false", "true"), "boolean").label_of(True) == "true"
    assert Target("y", ("1.0", "2"), "text").label_of(1.0) == "1.0"


@pytest.mark.slow
@pytest.mark.parametrize("labels", [(1.0, 2.0), (1, 2), (0.5, 2.0), (False, True)])
def test_numbers_per_class_are_found_by_any_spelling_of_the_label(labels):
    y = [labels[v] for v in NUMBERS]
    for name in (labels, [str(v) for v in labels], [float(v) for v in labels]):
        given = dict(zip(name, [2.0, 1.0], strict=True))
        shares = dict(zip(name, [0.25, 0.75], strict=True))
        costs = {name[0]: {name[1]: 3.0}}
        assert _file(ts.DecisionTree(class_weight=given), y) == _file(ts.DecisionTree(class_weight=[2, 1]), y)
        assert _file(ts.DecisionTree(priors=shares), y) == _file(ts.DecisionTree(priors=[0.25, 0.75]), y)
        assert _file(ts.DecisionTree(costs=costs), y) == _file(ts.DecisionTree(costs=[[0, 3], [1, 0]]), y)
        assert (
            ts.LogisticRegression(class_weight=given, reference=name[1]).fit(X, y).predict_proba(X).tobytes()
            == ts.LogisticRegression(class_weight=dict(zip(labels, [2, 1], strict=True)), reference=labels[1])
            .fit(X, y)
            .predict_proba(X)
            .tobytes()
        )
        bayes = ts.NaiveBayes(priors=shares).fit(X, y)
        assert bayes.predict_proba(X).tobytes() == (
            ts.NaiveBayes(priors=[0.25, 0.75]).fit(X, y).predict_proba(X).tobytes()
        )


def _file(model, y):
    """Return the file without the parameters that say the same in other words."""
    document = model.fit(X, y).to_dict()
    own = {"class_weight", "priors"}
    parameters = {k: v for k, v in document["parameters"].items() if k not in own}
    return document | {"parameters": parameters}, model.predict_proba(X).tolist()


def test_the_file_names_classes_by_their_labels():
    y = [[1.0, 2.0][v] for v in NUMBERS]
    files = {
        ts.DecisionTree(class_weight=w).fit(X, y).to_bytes() for w in ({1.0: 2, 2.0: 1}, {1: 2.0, "2.0": 1})
    }
    assert len(files) == 1


def test_a_label_that_is_none_is_refused():
    for model in (ts.DecisionTree(class_weight={3.0: 1}), ts.LogisticRegression(class_weight={3.0: 1})):
        with pytest.raises(OptionError, match=r"class_weight names '3\.0', which is not a class"):
            model.fit(X, NUMBERS)


@pytest.mark.slow
@pytest.mark.parametrize("declared", [["0.0", "1.0"], [0, 1], [0.0, 1.0], ["0", "1", "2.0"]])
def test_declared_labels_of_numbers_are_numbers(declared):
    for y in (NUMBERS, np.array(NUMBERS, float), pd.Series(NUMBERS, dtype="Int64")):
        for memory in (None, "1GB"):
            model = ts.NaiveBayes(columns=ts.Columns(levels={"y": declared}), memory=memory).fit(X, y)
            assert model.classes_.tolist() == [0, 1, 2][: len(declared)]
    with pytest.raises(TargetError, match="target 'y' holds numbers, but levels declares 'maybe'"):
        ts.NaiveBayes(columns=ts.Columns(levels={"y": ["0", "1", "maybe"]})).fit(X, NUMBERS)
    more = ts.NaiveBayes(columns=ts.Columns(levels={"y": ["0", "0.5", "1"]})).fit(X, NUMBERS)
    assert more.classes_.tolist() == [0.0, 0.5, 1.0]


@pytest.mark.slow
@pytest.mark.parametrize("base", [2**53, 2**60, 2**63, -(2**60)])
@pytest.mark.parametrize("method", METHODS)
def test_large_whole_labels_come_back_as_they_were(base, method, tmp_path):
    values = [base + 1, base + 3]
    y = np.array([values[v] for v in NUMBERS])
    X.assign(y=[str(v) for v in y.tolist()]).to_csv(tmp_path / "t.csv", index=False)
    pd.DataFrame(X).assign(y=y).to_parquet(tmp_path / "t.parquet")
    model = method().fit(X, y)
    assert model.classes_.tolist() == values
    assert set(model.predict(X).tolist()) <= set(values)
    assert model.score(X, y) > 0.4
    assert method(memory="1GB").fit(X, y).to_bytes() == model.to_bytes()
    assert method().fit(tmp_path / "t.parquet", "y").to_bytes() == model.to_bytes()
    assert method().fit(tmp_path / "t.csv", "y").to_bytes() == model.to_bytes()
    assert from_data(model.to_bytes()).predict(X).tolist() == model.predict(X).tolist()


# -- rows without names --


@pytest.mark.parametrize("method", [*METHODS, ts.RegressionTree])
def test_rows_of_another_width_are_refused(method):
    model = method().fit([[1.0, 2.5], [3, 4], [2, 2], [5, 1]] * 5, [0, 1, 0, 1] * 5)
    wide = [[1, 2, 3]], [(1, 2, 3)], ((1, 2, 3),), [np.arange(3)], np.ones((1, 3))
    for rows in (*wide, [[1]], np.ones((2, 1), int)):
        for ask in ("predict", "predict_proba", "explain", "apply"):
            if hasattr(model, ask):
                with pytest.raises(DataError, match=r"X has \d features, but \w+ is expecting 2 features"):
                    getattr(model, ask)(rows)
    assert len(model.predict([[1, 2]])) == 1


def test_one_row_with_a_large_number_is_answered_as_in_a_table():
    level = 9007199254740994.0
    rows = [{"n": str(int(level)) if i % 2 else "7", "m": float(i % 3), "y": "uv"[i % 2]} for i in range(60)]
    for method in (ts.NaiveBayes, ts.LogisticRegression):
        model = method(kinds={"n": "levels"}).fit(rows, "y")
        row = {"n": level, "m": 1.0}
        assert model.predict_proba_one(row).tobytes() == model.predict_proba([row])[0].tobytes()
        assert model.predict_proba_one(row).max() > 0.8
    tree = ts.DecisionTree(kinds={"n": "levels"}).fit(rows, "y")
    row = {"n": level, "m": 1.0}
    assert tree.predict_proba(row).tobytes() == tree.predict_proba([row]).tobytes()
