"""Growing on any engine: the count tables give the tree that walking presorted columns gives, byte for
byte.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.engine import Local, fit
from tallystick.io.open import open_source
from tallystick.predict.columns import from_floats
from tallystick.schema import ColumnOptions
from tallystick.table.reader import read_table
from tallystick.tree.learner import TreeLearner
from tallystick.tree.tables import share_out

pytestmark = pytest.mark.slow


@dataclass
class Scattered:
    """An engine that knows nothing but blocks: rows in another order, in pieces, totals merged in a tree."""

    seed: int

    def total(self, table: Any, question: Any) -> Any:
        rng = np.random.default_rng(self.seed)
        order = rng.permutation(table.rows)
        cuts = np.sort(rng.integers(0, table.rows, 3))
        totals = [question.add(question.zero(), piece(table, rows)) for rows in np.split(order, cuts)]
        while len(totals) > 1:
            totals.append(question.merge(totals.pop(0), totals.pop(0)))
        return totals[0]


def piece(table: Any, rows: Any) -> Any:
    block = table.slice(0, table.rows)
    cut = lambda a: None if a is None else a[rows]  # noqa: E731
    columns = {name: data[rows] for name, data in block.columns.items()}
    return type(block)(len(rows), columns, cut(block.classes), cut(block.response), cut(block.weights))


def random_table(seed: int, regression: bool) -> Any:
    rng = np.random.default_rng(seed)
    n = 120
    x = np.round(rng.normal(size=n), 1)
    x[rng.random(n) < 0.1] = np.nan
    frame = {
        "x": x,
        "a": rng.integers(0, 30, n) / 4,
        "colour": rng.choice(["red", "green", "blue", "grey"], n).astype(object),
        "size": rng.choice(["low", "medium", "high"], n).astype(object),
        "flag": rng.choice(["true", "false"], n).astype(object),
    }
    frame["colour"][rng.random(n) < 0.1] = None
    y = rng.normal(size=n) if regression else rng.integers(0, 3, n)
    weights = rng.integers(1, 4, n) if seed % 2 else None
    import pandas as pd

    wishes = ColumnOptions(kinds={"size": "ordered"}, levels={"size": ["low", "medium", "high"]})
    return read_table(open_source(pd.DataFrame(frame)), wishes, y, weights, regression=regression)


def tree_options(**given):
    return ts.DecisionTree(**{"criterion": "entropy", "cut_price": 0.0} | given)._options()


OPTIONS = [
    tree_options(),
    tree_options(criterion="gini", level_splits="each", min_samples_leaf=3),
    tree_options(
        criterion="gain-ratio", cuts="observed", cut_price=1.0, cut_rows=True, class_weight="balanced"
    ),
    tree_options(max_bins=5, class_weight={"0": 2.5}, max_depth=4),
    tree_options(max_bins=5, cuts="observed"),
    tree_options(max_leaf_nodes=7),
    tree_options(criterion="gain-ratio", missing_values="fractions", level_splits="each", min_samples_leaf=2),
]


@pytest.mark.parametrize("few", [1_000, 3])  # numbers by codes, or as they are
@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("options", range(len(OPTIONS)))
@pytest.mark.parametrize("seed", range(4))
def test_any_engine_grows_the_same_tree(
    seed: int, options: int, regression: bool, few: int, monkeypatch: Any
) -> None:
    monkeypatch.setattr("tallystick.tree.learner.FEW_VALUES", few)
    table = random_table(seed, regression)
    learner = TreeLearner(OPTIONS[options], table.unit)
    expected = fit(learner, table, Local(1)).to_dict()
    assert len(expected["nodes"]) > 3
    assert fit(learner, table, Scattered(seed)).to_dict() == expected


def test_parts_of_a_row_sum_to_the_row() -> None:
    weights = np.array([2**20, 1, 7, 2**40], np.int64)
    parts = share_out(weights, np.array([3, 0, 5, 5]))
    assert parts.sum(axis=1).tolist() == weights.tolist()
    assert parts[:, 1].tolist() == [0, 0, 0, 0]
    assert parts[1].tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("distinct", [40, 10**9])
def test_long_runs_give_the_tree_of_count_tables(classes: int, distinct: int) -> None:
    """Most cuts of a long run are skipped by a bound; none of them may have been the best."""
    rng = np.random.default_rng(classes)
    n = 6_000
    x = np.floor(rng.normal(size=(n, 3)) * distinct) / distinct
    x[rng.random((n, 3)) < 0.05] = np.nan
    noise = rng.normal(size=n)
    y = np.digitize(np.nan_to_num(x[:, 0]) + noise, np.linspace(-1, 1, classes - 1))
    table = read_table(open_source(x), ColumnOptions(), y)
    learner = TreeLearner(tree_options(max_depth=5), table.unit)
    expected = fit(learner, table, Local(1)).to_dict()
    assert fit(learner, table, Scattered(1)).to_dict() == expected


@pytest.mark.parametrize("rows", [40, 700, 20_000])
@pytest.mark.parametrize("columns", [5, 70])
def test_columns_of_two_codes_counted_together_give_the_tree_of_count_tables(rows: int, columns: int) -> None:
    """64 columns of two codes are counted at once, unless some row of a column is missing."""
    rng = np.random.default_rng(rows + columns)
    x = (rng.random((rows, columns)) < rng.random(columns)).astype(float)
    x[0], x[1] = 0.0, 1.0  # every column has both codes
    x[rng.random(rows) < 0.1, 1] = np.nan
    signal = x[:, 0] + 2 * x[:, 2] * x[:, columns - 1] + rng.normal(size=rows)
    y = np.digitize(signal, [0, 1.5])
    number = np.round(rng.normal(size=(rows, 1)), 1)
    table = read_table(open_source(np.hstack([x, number])), ColumnOptions(), y)
    assert sum(c.kind == "boolean" for c in table.schema.used) == columns
    learner = TreeLearner(tree_options(max_depth=5, criterion="gain-ratio"), table.unit)
    expected = fit(learner, table, Local(1)).to_dict()
    assert fit(learner, table, Scattered(1)).to_dict() == expected
    assert fit(learner, table, Local(2)).to_dict() == expected


@pytest.mark.parametrize("criterion", ["entropy", "gini", "gain-ratio"])
@pytest.mark.parametrize(("rows", "least", "tried"), [(40, 1, True), (700, 5, True), (700, 1, False)])
def test_columns_of_two_levels_are_parted_as_count_tables_are(
    criterion: str, rows: int, least: int, tried: bool
) -> None:
    """Where no row is missing there is one way to part two levels: they are not put in order and priced."""
    rng = np.random.default_rng(rows)
    x = rng.random((rows, 9)) < rng.random(9)
    x[0], x[1] = False, True  # every column has both levels
    cells = np.where(x, "red", "blue").astype(object)
    cells[rng.random(rows) < 0.1, 1] = None
    y = np.digitize(x[:, 0] + 2 * x[:, 2] * x[:, 8] + rng.normal(size=rows), [0, 1.5])
    table = read_table(open_source(pd.DataFrame(cells, columns=list("abcdefghi"))), ColumnOptions(), y)
    assert {c.kind for c in table.schema.used} == {"levels"}
    options = tree_options(max_depth=6, criterion=criterion, min_samples_leaf=least)
    learner = TreeLearner(options, table.unit, keep_candidates=tried)
    expected = fit(learner, table, Local(1)).to_dict()
    assert len(expected["nodes"]) > 5
    assert fit(learner, table, Scattered(1)).to_dict() == expected


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_rows_of_numbers_end_where_one_record_ends(kind: type) -> None:
    rng = np.random.default_rng(6)
    x = rng.normal(size=(500, 4)).astype(kind)
    x[rng.random(x.shape) < 0.1] = np.nan
    tree = ts.DecisionTree().fit(x, (np.nan_to_num(x[:, 0]) > np.nan_to_num(x[:, 1])).astype(int))
    tree.model_.nodes.cut[0] = np.nextafter(
        float(x[7, tree.model_.nodes.column[0]]), np.inf
    )  # between two floats
    one = [
        tree.apply({f"x{j}": None if v != v else float(v) for j, v in enumerate(row)})[0]
        for row in x.tolist()
    ]
    for matrix in (x, np.asfortranarray(x), np.hstack([x, x])[:, :4]):
        assert tree.apply(matrix).tolist() == one


def test_priors_and_class_weights_answer_like_copies_of_rows() -> None:
    rng = np.random.default_rng(3)
    x = np.round(rng.normal(size=(200, 3)), 2)
    y = (x[:, 0] + rng.normal(size=200) > 0.5).astype(int)
    plain = {"average": False, "smoothing": 0.0, "max_depth": 3, "cut_price": 0.0}
    copied = ts.DecisionTree(**plain).fit(x, y, sample_weight=np.where(y == 1, 3, 1))
    weighted = ts.DecisionTree(class_weight={1: 3}, **plain).fit(x, y)
    assert np.allclose(copied.predict_proba(x), weighted.predict_proba(x), rtol=0, atol=1e-12)
    share = 3 * y.sum() / (len(y) + 2 * y.sum())
    prior = ts.DecisionTree(priors={0: 1 - share, 1: share}, **plain).fit(x, y)
    assert np.allclose(copied.predict_proba(x), prior.predict_proba(x), rtol=0, atol=1e-12)


def test_costs_choose_the_cheapest_answer_and_survive_the_file() -> None:
    rng = np.random.default_rng(4)
    x = np.round(rng.normal(size=(300, 2)), 2)
    y = (x[:, 0] + rng.normal(size=300) > 0).astype(int)
    tree = ts.DecisionTree(costs=[[0, 1], [10, 0]], max_depth=2).fit(x, y)
    shares = tree.predict_proba(x)
    assert np.array_equal(tree.predict(x), (shares[:, 1] * 10 > shares[:, 0]).astype(int))
    again = pickle.loads(pickle.dumps(tree))
    assert np.array_equal(tree.predict(x), again.predict(x))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_floats_as_they_lie_end_where_read_rows_end(kind: type) -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(900, 4)).astype(kind)
    x[rng.random(x.shape) < 0.1] = np.nan
    tree = ts.DecisionTree(min_samples_leaf=3).fit(x, rng.integers(0, 3, 900))
    read = np.concatenate([tree.model_.stops(m.block) for m in tree._blocks(x)])
    frame = pd.DataFrame(x, columns=["x0", "x1", "x2", "x3"])

    def ends(X):
        return from_floats(tree.schema_, X, tree.model_.ends_of_floats, 2)

    assert ends(x).tolist() == read.tolist()
    assert ends(frame[["x3", "x1", "x0", "x2"]]).tolist() == read.tolist()
    assert ends(frame.astype(str)) is None
    records = [int(tree.apply(row)[0]) for row in frame.astype(float).to_dict("records")]
    assert records == read.tolist()
