"""Rows and parameters given to a tree: what is right in any form is taken, what is wrong is named."""

from __future__ import annotations

import copy

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import coo_matrix, csr_matrix, dok_matrix

import tallystick as ts
from tallystick.errors import DataError, NotFitted, OptionError, TallyError, TargetError
from tallystick.estimator.base import from_data
from tallystick.estimator.verify import verify

KINDS = ("cost-complexity", "pessimistic", "reduced-error")


def frame(rows: int = 240) -> pd.DataFrame:
    rng = np.random.default_rng(7)
    colour, size = rng.choice(["red", "green", "blue"], rows), rng.normal(size=rows)
    noisy = rng.random(rows) < 0.2
    kind = np.where(((colour == "red") | (size > 0.3)) ^ noisy, "yes", "no")
    return pd.DataFrame({"colour": colour, "size": size, "kind": kind})


ROWS = frame()
X, Y = ROWS.drop(columns="kind"), ROWS["kind"]


@pytest.fixture(scope="module")
def tree() -> ts.DecisionTree:
    return ts.DecisionTree().fit(ROWS, "kind")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_labelled_rows_may_come_as_a_pair(tree, kind):
    loaded = from_data(tree.to_bytes())
    want = tree.prune(kind, ROWS).to_bytes(profile=False)
    assert loaded.prune(kind, (X, Y)).to_bytes(profile=False) == want
    assert loaded.prune(kind, data=(X, Y.tolist())).to_bytes(profile=False) == want
    assert str(loaded.rules(drop=True, data=(X, Y))) == str(tree.rules(drop=True))
    assert str(loaded.pruning_path((X, Y), folds=3)) == str(tree.pruning_path(folds=3))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_model_of_arrays_is_pruned_by_arrays(kind):
    rng = np.random.default_rng(1)
    values = rng.normal(size=(150, 3))
    labels = (values[:, 0] + rng.normal(size=150) > 0).astype(int)
    grown = ts.DecisionTree().fit(values, labels)
    loaded = from_data(grown.to_bytes())
    assert loaded.prune(kind, (values, labels)).get_n_leaves() <= grown.get_n_leaves()
    numbers = from_data(ts.RegressionTree(max_depth=4).fit(values, values[:, 0]).to_bytes())
    if kind != "pessimistic":
        assert numbers.prune(kind, (values, values[:, 0])).get_n_leaves() <= 16


BAD_ROWS = {
    "other columns": (
        pd.DataFrame({"a": [1, 2], "b": [3, 4]}),
        "lacks 2 columns of the fit: 'colour', 'size'",
    ),
    "a column less": (ROWS.drop(columns="size"), "lacks 1 column of the fit: 'size'"),
    "no target": (X, r"no column 'kind', the target.*data=\(X, y\)"),
    "no rows": (ROWS.iloc[:0], "no rows"),
    "a new class": (ROWS.assign(kind="maybe"), "'maybe' in its target, which is not a class .* 'no', 'yes'"),
    "no table": (3, "cannot read a table from 'int'"),
    "too few labels": ((X, Y[:5]), "5 values for 240 rows"),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_rows_that_do_not_fit_are_an_error_that_says_why(tree, name):
    data, said = BAD_ROWS[name]
    for kind in KINDS:
        with pytest.raises(DataError, match=said):
            tree.prune(kind, data)
    with pytest.raises(DataError, match=said):
        tree.rules(drop=True, data=data)
    with pytest.raises(DataError, match=said):
        tree.pruning_path(data)


@pytest.mark.parametrize(
    "ask",
    [
        lambda t: t.prune("mdl", ROWS),
        lambda t: t.prune("pessimistic", ROWS, raising=False),
        lambda t: t.prune(data=ROWS, alpha=0.1),
        lambda t: t.rules(data=ROWS),
        lambda t: t.pruning_path(ROWS, folds=0),
    ],
)
def test_rows_that_nobody_would_look_at_are_refused(tree, ask):
    with pytest.raises(OptionError, match="looks at no rows"):
        ask(tree)


def test_a_tree_pruned_by_held_out_rows_can_be_fitted_again(tree, tmp_path):
    small = tree.prune("reduced-error", frame(200))
    assert small.get_params() == tree.get_params()
    for again in (from_data(small.to_bytes()), copy.deepcopy(small)):
        assert again.to_bytes() == small.to_bytes()
        assert (again.predict_proba(X) == small.predict_proba(X)).all()
        assert ts.cross_validate(type(again)(**again.get_params(deep=False)), ROWS, "kind", folds=3)
        assert again.fit(ROWS, "kind").to_bytes() == tree.to_bytes()
    small.save(tmp_path / "small.json")
    with pytest.raises(OptionError, match="pruned by held-out rows"):
        verify(tmp_path / "small.json", ROWS)


BAD_PARAMETERS = [
    ({"split_prior": 2}, "split_prior"),
    ({"smoothing": "x"}, "smoothing"),
    ({"criterion": "variance"}, "criterion must be one of entropy, gain-ratio, gini, not"),
    ({"pruning": "reduced-error"}, r"held-out rows use prune\(\)"),
    ({"class_weight": {"foo": 3}}, "class_weight names 'foo', which is not a class.* 'no', 'yes'"),
    ({"class_weight": {"yes": "x"}}, "class_weight"),
    ({"priors": {"yes": 0.5}}, "priors must give a share to every class; 'no'"),
    ({"priors": {"yes": 0.7, "no": 0.7}}, "priors must sum to 1, but they sum to 1.4"),
    ({"priors": {"yes": 0.5, "non": 0.5}}, "priors names 'non'.* Did you mean 'no'"),
    ({"costs": "x"}, "costs must be numbers"),
    ({"costs": {"yes": 3}}, "costs must be numbers"),
    ({"costs": {"yes": {"foo": 3}}}, "costs names 'foo'"),
    ({"costs": {"yes": {"no": "x"}}}, "costs"),
]


@pytest.mark.parametrize(
    ("way", "part", "value", "said"),
    [
        (ts.Pessimistic, "confidence", 0, "confidence .* above 0"),
        (ts.Pessimistic, "confidence", 2, "confidence .* below 1"),
        (ts.Pessimistic, "confidence", "x", "confidence"),
        (ts.CostComplexity, "cp", -1, "cp must be a number from 0 up"),
        (ts.CostComplexity, "cp", "x", "cp must be a number"),
    ],
)
def test_a_way_to_prune_that_makes_no_sense_is_refused_where_it_is_said(way, part, value, said):
    with pytest.raises(OptionError, match=said):
        way(value)
    with pytest.raises(OptionError, match=said):
        ts.DecisionTree(pruning=way()).set_params(**{f"pruning__{part}": value})


@pytest.mark.parametrize(("given", "said"), BAD_PARAMETERS, ids=lambda v: str(v)[:40])
def test_a_parameter_that_makes_no_sense_is_named(given, said):
    with pytest.raises(OptionError, match=said):
        ts.DecisionTree(**given).fit(ROWS, "kind")


@pytest.mark.parametrize(
    "ask",
    [
        lambda t: t.prune(alpha=-1),
        lambda t: t.prune(alpha="x"),
        lambda t: t.prune(folds=1),
        lambda t: t.prune("pessimistic", confidence=0),
        lambda t: t.rules(drop=True, confidence="x"),
        lambda t: t.pruning_path(folds="x"),
        *(lambda t, node=node: t.splits(node) for node in ("x", None, 1.0, True, -1, 10**6)),
    ],
)
def test_a_question_that_makes_no_sense_is_one_line(tree, ask):
    with pytest.raises(TallyError):
        ask(tree)


def test_costs_by_label_are_the_costs_of_the_table():
    by_label = ts.DecisionTree(costs={"no": {"yes": 5}}).fit(ROWS, "kind")
    table = ts.DecisionTree(costs=[[0.0, 5.0], [1.0, 0.0]]).fit(ROWS, "kind")
    assert by_label.to_bytes() == table.to_bytes()
    assert from_data(by_label.to_bytes()).to_bytes() == table.to_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [ts.DecisionTree, ts.NaiveBayes, ts.LogisticRegression, ts.Scorecard])
def test_a_row_of_a_frame_is_one_row(kind):
    model = kind().fit(ROWS, "kind")
    assert model.predict(ROWS.iloc[5]).tolist() == model.predict(ROWS.iloc[5:6]).tolist()
    assert str(model.explain(ROWS.iloc[5])) == str(model.explain(ROWS, 5))
    with pytest.raises(DataError, match="to_frame"):
        model.predict(ROWS["size"])


def test_a_class_weight_of_no_class_is_named_by_logistic_regression_too():
    with pytest.raises(OptionError, match=r"class_weight names 'foo', which is not a class.* 'no', 'yes'"):
        ts.LogisticRegression(class_weight={"foo": 3}).fit(ROWS, "kind")


@pytest.mark.parametrize("given", [5, 1.5, True, pd.NA, pd.Timestamp("2020-01-01"), object(), len])
def test_a_target_or_weights_that_are_no_column_are_one_error(given):
    rows = [{"a": i % 3, "y": "pq"[i % 2]} for i in range(20)]
    for y, weights in ((given, None), ("y", given)):
        with pytest.raises(DataError, match=r"needs one value per row\. Pass a list, an array or a Series"):
            ts.NaiveBayes().fit(rows, y, weights)


GROUPED = pd.DataFrame({"a": range(20), "g": [1, 2] * 10})
NO_COLUMNS = {
    "groups of a frame": GROUPED.groupby("g"),
    "groups of a column": GROUPED.groupby("g")["a"],
    "windows": GROUPED["a"].rolling(2),
    "several levels": pd.MultiIndex.from_product([range(4), range(5)]),
    "set": set(range(20)),
    "dict": dict.fromkeys(range(20), 1),
    "sparse column": coo_matrix(np.ones((20, 1))),
    "sparse row": csr_matrix(np.ones((1, 20))),
}


@pytest.mark.parametrize("given", NO_COLUMNS.values(), ids=NO_COLUMNS)
def test_what_has_no_value_per_row_is_no_column(given):
    rows = [{"a": i % 3, "y": "pq"[i % 2]} for i in range(20)]
    said = "needs one value per row|a column has one. Flatten it|target has 20 columns"
    for y, weights in ((given, None), ("y", given)):
        with pytest.raises(DataError, match=said):
            ts.NaiveBayes().fit(rows, y, weights)
    if not isinstance(given, coo_matrix | csr_matrix):
        with pytest.raises(DataError, match=r"'a' is given as .* needs one value per row"):
            ts.NaiveBayes().fit({"a": given, "y": ["p", "q"] * 10}, "y")


FRAME = pd.DataFrame({"a": [1, 2], "b": [3, 4]})


@pytest.mark.parametrize(
    "given",
    [
        *(None, 3, "a", b"a", [], [1], {1}, np.arange(2), object(), dict),
        *(FRAME, FRAME.groupby("a"), dok_matrix((2, 2))),
    ],
    ids=lambda v: type(v).__name__,
)
def test_a_row_by_itself_has_values_by_column(given):
    rows = [{"a": i % 3, "b": i % 7, "y": "pq"[i % 2]} for i in range(40)]
    for method in (ts.NaiveBayes, ts.DecisionTree, ts.LogisticRegression, ts.Scorecard):
        with pytest.raises(DataError, match="a row is a dict of its values by column, not"):
            method().fit(rows, "y").predict_one(given)
    numbers = ts.RegressionTree().fit(rows, "b")
    with pytest.raises(NotFitted):
        ts.RegressionTree().predict_one(given)
    with pytest.raises(DataError, match="a row is a dict of its values by column, not"):
        numbers.predict_one(given)
    assert numbers.predict_one(pd.Series(rows[0])) == numbers.predict_one(rows[0])


@pytest.mark.parametrize("method", [ts.RegressionTree, ts.LinearRegression, ts.DecisionTree, ts.NaiveBayes])
def test_a_row_by_itself_is_no_table(method, monkeypatch):
    rows = [{"a": i % 3, "b": i % 7, "y": i % 2} for i in range(40)]
    model = method().fit(rows, "y")
    want = model.predict(rows[:9])
    monkeypatch.setattr(method, "_blocks", None)  # who reads a table asks for them
    assert [model.predict_one(row) for row in rows[:9]] == want.tolist()


def test_what_is_no_name_of_a_language_is_no_export(tree):
    with pytest.raises(OptionError, match="there is no export to"):
        tree.export(["sql"])


def test_dates_are_no_weights(tmp_path):
    rows = [{"a": i % 3, "y": "pq"[i % 2]} for i in range(20)]
    days = pd.date_range("2020", periods=20)
    file = tmp_path / "when.csv"
    pd.DataFrame(rows).assign(when=days).to_csv(file, index=False)
    coded = pa.array(days).dictionary_encode()
    given = (days, days - days[0], days.to_period("D"), days.to_numpy(), pd.Categorical(days), coded)
    for data, weights in (*((rows, own) for own in given), (file, "when")):
        with pytest.raises(DataError, match="sample_weight holds something that is not a number"):
            ts.NaiveBayes().fit(data, "y", weights)


@pytest.mark.parametrize("given", [pd.Series, pd.DataFrame, np.ndarray, list])
def test_a_class_is_neither_labels_nor_weights(given):
    rows = [{"a": i % 3, "y": "pq"[i % 2]} for i in range(20)]
    with pytest.raises(TargetError, match=f"'{given.__name__}' is a type, not labels"):
        ts.NaiveBayes().fit(rows, given)
    with pytest.raises(DataError, match=r"'sample_weight' is given as '.*', but needs one value per row"):
        ts.NaiveBayes().fit(rows, "y", given)


@pytest.mark.parametrize("make", [ts.DecisionTree, ts.NaiveBayes, ts.LogisticRegression, ts.RegressionTree])
def test_several_targets_are_refused_in_words(make):
    X = np.arange(20.0).reshape(10, 2)
    several = np.arange(20).reshape(10, 2) % 3
    for y in (several, several.tolist(), pd.DataFrame(several, columns=["a", "b"])):
        with pytest.raises(TargetError, match="target has 2 columns, and a model predicts one"):
            make().fit(X, y)
