"""Rows and labels in the form in which they came: floats, arrays after frames, parts."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import tallystick as ts
from tallystick.errors import DataError, TallyWarning

X = np.random.default_rng(0).normal(size=(60, 4))
Y = (X[:, 0] > 0).astype(int)
FRAME = pd.DataFrame(X, columns=list("abcd"))
METHODS = [ts.NaiveBayes, ts.DecisionTree, ts.LogisticRegression]


@pytest.mark.parametrize("model", METHODS)
@pytest.mark.parametrize(
    "labels", [Y.astype(float), pd.Series(Y.astype("f4")), [float(y) for y in Y], pl.Series(Y.astype(float))]
)
def test_float_labels_come_back_as_floats(model, labels):
    fitted = model().fit(X, labels)
    for one in (fitted, pickle.loads(pickle.dumps(fitted))):
        assert one.classes_.dtype == np.float64
        assert one.predict(X).dtype == np.float64
    assert fitted.to_bytes() == model().fit(X, Y).to_bytes()  # the model is of the values
    assert fitted.fit(X, Y).classes_.dtype.kind == "i"


def test_a_float_column_is_a_float_target_and_a_pruned_tree_keeps_it():
    tree = ts.DecisionTree().fit(FRAME.assign(y=Y.astype(float)), "y")
    assert tree.classes_.dtype == np.float64
    assert tree.prune("cost-complexity", alpha=0.1).classes_.dtype == np.float64
    assert ts.DecisionTree().fit(FRAME.assign(y=Y), "y").classes_.dtype.kind == "i"


@pytest.mark.parametrize("model", METHODS)
def test_an_array_after_a_frame_is_taken_in_order_with_one_warning(model):
    fitted = model().fit(FRAME, Y)
    wanted = fitted.predict(FRAME)
    for given in (X, X.tolist(), sparse.csr_matrix(X)):
        with pytest.warns(TallyWarning, match="has no names of columns; they are taken in the order") as said:
            assert (fitted.predict(given) == wanted).all()
        assert len(said) == 1
    with pytest.raises(DataError, match="X has 3 features"):
        fitted.predict(X[:, :3])
    with pytest.raises(DataError, match=r"lacks [14] column"):
        fitted.predict(FRAME.set_axis(range(4), axis=1))


def test_an_array_after_an_array_is_no_reason_to_warn(tmp_path, recwarn):
    fitted = ts.NaiveBayes().fit(X, Y)
    fitted.save(tmp_path / "m.json")
    assert (ts.load(tmp_path / "m.json").predict(X) == fitted.predict(X)).all()
    assert not [w for w in recwarn if "names" in str(w.message)]


@pytest.mark.parametrize("classes", [None, [0, 1]])
@pytest.mark.parametrize("rows", [X, FRAME, FRAME.assign(w=["u", "v"] * 30)])
def test_parts_are_learned_by_default_as_all_rows_together(rows, classes):
    parts = ts.NaiveBayes()
    for start in (0, 20, 40):
        part = rows[start : start + 20]
        parts.partial_fit(part, Y[start : start + 20], classes=classes)
    whole = ts.NaiveBayes(distributions="gaussian").fit(rows, Y)
    assert np.allclose(parts.predict_proba(rows), whole.predict_proba(rows), rtol=1e-12)
    assert parts.get_params()["distributions"] == "auto"
    assert parts.fit(rows, Y).to_bytes() == ts.NaiveBayes().fit(rows, Y).to_bytes()
