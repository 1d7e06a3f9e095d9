"""The answers to rows do not depend on what the rows come in, and numbers of any type are answered without
being read.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tallystick as ts
from tallystick.errors import DataError, TallyWarning
from tallystick.predict import columns as float_rows

pytestmark = pytest.mark.slow

NAMES = [f"x{j}" for j in range(6)]
RNG = np.random.default_rng(0)
WHOLE = RNG.integers(0, 120, (900, 6)).astype(np.float64)
WHOLE[:, 4:] = RNG.integers(0, 2, (900, 2))  # a column of two numbers is boolean
FLAGS = WHOLE > 60
FLAGS[:, 4:] = WHOLE[:, 4:] > 0
GAPS = WHOLE.copy()
GAPS[RNG.random(GAPS.shape) < 0.1] = np.nan
NUMBER = WHOLE[:, 0] - WHOLE[:, 1] + 30 * WHOLE[:, 4] + RNG.normal(0, 20, 900)
TWO = np.array(["no", "yes"])[(NUMBER > 15).astype(int)]
THREE = np.array(["a", "b", "c"])[np.digitize(NUMBER, [-10, 30])]
METHODS = {
    "logistic": (ts.LogisticRegression, TWO),
    "logistic, three classes": (ts.LogisticRegression, THREE),
    "gaussian": (lambda: ts.NaiveBayes(distributions="gaussian"), THREE),
    "bayes": (ts.NaiveBayes, TWO),
    "tree": (lambda: ts.DecisionTree(max_depth=6), THREE),
    "card": (ts.Scorecard, TWO),
    "linear": (ts.LinearRegression, NUMBER),
    "regression tree": (lambda: ts.RegressionTree(max_depth=5), NUMBER),
}
TYPES = ["f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1"]
ORDERS = {
    "by rows": np.ascontiguousarray,
    "by columns": np.asfortranarray,
    "every other cell": lambda m: np.repeat(np.repeat(m, 2, axis=0), 2, axis=1)[::2, ::2],
    "backwards": lambda m: np.ascontiguousarray(m[::-1, ::-1])[::-1, ::-1],
}
FRAMES = {
    "frame": lambda m: pd.DataFrame(m, columns=NAMES),
    "frame of columns": lambda m: pd.DataFrame({n: m[:, j].copy() for j, n in enumerate(NAMES)}),
    "frame in another order": lambda m: pd.DataFrame(m[:, ::-1], columns=NAMES[::-1]),
    "Arrow": lambda m: pa.table({n: m[:, j] for j, n in enumerate(NAMES)}),
    "Arrow in pieces": lambda m: pa.concat_tables([FRAMES["Arrow"](m[:100]), FRAMES["Arrow"](m[100:])]),
    "Arrow batch": lambda m: FRAMES["Arrow"](m).to_batches()[0],
}
QUICK = {f"{t}, {o}": (t, order) for t in TYPES for o, order in ORDERS.items()}
QUICK |= {f"{t}, {f}": (t, frame) for t in ("f8", "f4", "i8", "u1") for f, frame in FRAMES.items()}


@pytest.fixture(scope="module")
def models():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TallyWarning)
        return {name: make().fit(WHOLE, y) for name, (make, y) in METHODS.items()}


@pytest.fixture(scope="module")
def flagged():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TallyWarning)
        return {name: make().fit(FLAGS, y) for name, (make, y) in METHODS.items()}


@pytest.fixture
def unread(monkeypatch):
    """Nothing is read, and stretches are short."""
    monkeypatch.setattr(float_rows, "CELLS", 0)
    monkeypatch.setattr(float_rows, "LEAST", 160)

    def refuse(*given, **reading):
        raise AssertionError("these rows were read")

    monkeypatch.setattr("tallystick.table.new_rows.match", refuse)


def answers(model, rows):
    """The bytes of all answers."""
    ways = [model.predict, *([model.predict_proba] if hasattr(model, "predict_proba") else [])]
    return [np.asarray(way(rows)).astype(str if way == model.predict else float).tobytes() for way in ways]


def read_answers(model, matrix):
    """The same, where every cell is read."""
    gone = [[None if v != v else v for v in row] for row in matrix.tolist()]
    return answers(model, [dict(zip(NAMES, row, strict=True)) for row in gone])


@pytest.fixture(scope="module")
def expected(models, flagged):
    return {
        name: (
            read_answers(models[name], WHOLE),
            read_answers(models[name], GAPS),
            read_answers(flagged[name], FLAGS),
        )
        for name in METHODS
    }


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", QUICK)
def test_numbers_of_any_type_and_order_are_answered_unread_as_they_are_read(
    models, expected, unread, method, kind
):
    dtype, form = QUICK[kind]
    assert answers(models[method], form(WHOLE.astype(dtype))) == expected[method][0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("form", [*ORDERS, *FRAMES])
def test_missing_numbers_are_answered_unread_as_they_are_read(models, expected, unread, method, form):
    make = (ORDERS | FRAMES)[form]
    for dtype in ("f8", "f4"):
        assert answers(models[method], make(GAPS.astype(dtype))) == expected[method][1]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("form", [*ORDERS, *FRAMES])
def test_booleans_are_answered_unread_as_they_are_read(flagged, expected, unread, method, form):
    assert answers(flagged[method], (ORDERS | FRAMES)[form](FLAGS)) == expected[method][2]


@pytest.mark.parametrize("method", METHODS)
def test_columns_of_several_types_are_answered_unread_as_they_are_read(models, expected, unread, method):
    types = ["f8", "f4", "i8", "u1", "i4", "f4"]
    columns = {n: WHOLE[:, j].astype(t) for j, (n, t) in enumerate(zip(NAMES, types, strict=True))}
    for rows in (pd.DataFrame(columns), pa.table(columns)):
        assert answers(models[method], rows) == expected[method][0]


@pytest.mark.parametrize("method", METHODS)
def test_nulls_of_arrow_are_missing(models, expected, unread, method):
    gone = np.isnan(GAPS)
    for kind in (pa.float64(), pa.float32(), pa.int32(), pa.uint8()):
        cells = [np.where(gone[:, j], 0, GAPS[:, j]) for j in range(4)]
        table = {
            n: pa.array(c, mask=gone[:, j]).cast(kind)
            for j, (n, c) in enumerate(zip(NAMES[:4], cells, strict=True))
        }
        table |= {n: GAPS[:, j] for j, n in enumerate(NAMES) if j >= 4}
        assert answers(models[method], pa.table(table)) == expected[method][1]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("cell", "column"),
    [(2**53 + 1, 0), (-(2**53) - 1, 1), (2**60, 0), (2**63 - 1, 2), (7, 4), (2, 5)],
    ids=["beyond", "below", "exact", "largest", "a third value", "another"],
)
def test_what_a_double_may_not_hold_and_a_third_value_are_read(models, method, cell, column):
    rows = WHOLE.astype(np.int64)
    rows[3, column] = cell
    records = [dict(zip(NAMES, row, strict=True)) for row in rows.tolist()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TallyWarning)
        assert answers(models[method], rows) == answers(models[method], records)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("form", [*ORDERS, *FRAMES])
def test_infinite_numbers_are_refused_by_column_and_row_in_any_form(models, method, form):
    for dtype in ("f8", "f4"):
        rows = WHOLE.astype(dtype)
        rows[700, 0] = -np.inf
        with pytest.raises(DataError, match=r"'x0' .* row 701 holds '-inf'"):
            models[method].predict((ORDERS | FRAMES)[form](rows))


@pytest.mark.parametrize("method", METHODS)
def test_booleans_are_no_numbers(models, method):
    with pytest.raises(DataError, match=r"'x0' was numeric .* row 1 holds '(true|false)'"):
        models[method].predict(FLAGS)


@pytest.mark.parametrize("kind", ["f8", "i8", "u1"])
@pytest.mark.parametrize("method", METHODS)
def test_a_masked_cell_is_missing_whatever_lies_under_it(method, kind, models, expected):
    masked = np.ma.masked_array(np.nan_to_num(GAPS, nan=1).astype(kind), np.isnan(GAPS))
    assert answers(models[method], masked) == expected[method][1]


@pytest.mark.parametrize("kind", ["f8", "i8"])
def test_a_matrix_of_numpys_own_is_answered(kind, models, expected):
    for method, model in models.items():
        assert answers(model, np.asmatrix(WHOLE.astype(kind))) == expected[method][0]


def unaligned(values):
    """Return an array of the same numbers that begins at an odd address."""
    flat = np.frombuffer(b"?" + values.tobytes(), values.dtype, offset=1)
    return flat.reshape(values.shape)


@pytest.mark.parametrize("kind", ["f8", "f4", "i8", "i2"])
@pytest.mark.parametrize("method", [ts.NaiveBayes, ts.DecisionTree, ts.LogisticRegression, ts.Scorecard])
def test_numbers_that_lie_between_the_places_of_numbers_are_read(method, kind):
    x = (np.random.default_rng(0).normal(size=(60, 3)) * 9).astype(kind)
    y = np.array(["p", "q", "q"] * 20)
    model = method().fit(x, y)
    odd = unaligned(x)
    assert method().fit(odd, y).to_bytes() == model.to_bytes()
    frame = pd.DataFrame(
        {f"x{j}": pd.Series(unaligned(x[:, j].copy()), copy=False) for j in range(3)}, copy=False
    )
    arrow = pa.table({f"x{j}": pa.array(unaligned(x[:, j].copy())) for j in range(3)})
    for rows in (odd, frame, arrow):
        assert np.array_equal(model.predict_proba(rows), model.predict_proba(x))
    assert str(ts.describe(odd)) == str(ts.describe(x))
