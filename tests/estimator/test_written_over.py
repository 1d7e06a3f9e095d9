"""Rows that the caller writes over after the fit: the same answers as before, or an error, never others."""

from __future__ import annotations

import contextlib
import warnings

import numpy as np
import pyarrow as pa
import pytest

import tallystick as ts
from tallystick.errors import TallyError

pytestmark = pytest.mark.slow


def arrays(rows, kind):
    """Columns and labels of a noisy table, as arrays of a type."""
    drawn = np.random.default_rng(5)
    X = np.round(drawn.normal(size=(rows, 4)) * 8).astype(kind)
    y = (X[:, 0].astype(float) + drawn.normal(size=rows) * 6 > 0).astype(np.int64) + (X[:, 1] > 6)
    return X, y


def as_matrix(X, y):
    return X, y


def by_column(X, y):
    return {f"c{j}": np.ascontiguousarray(X[:, j]) for j in range(X.shape[1])}, y


def in_columns(X, y):
    return np.asfortranarray(X), y


def as_arrow(X, y):
    return pa.table({f"c{j}": pa.array(np.ascontiguousarray(X[:, j])) for j in range(X.shape[1])}), y


def as_frame(X, y):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])], copy=False), y


def write_over(given):
    """Write over all that can be written over, in place."""
    for one in given:
        for part in one.values() if isinstance(one, dict) else [one]:
            if isinstance(part, pa.Table):
                for column in part.columns:
                    for chunk in column.chunks:
                        held = np.frombuffer(chunk.buffers()[1], chunk.type.to_pandas_dtype())
                        with contextlib.suppress(ValueError):
                            held.flags.writeable = True
                            held[...] = 0
            elif hasattr(part, "iloc"):
                held = part.to_numpy(copy=False)
                held.flags.writeable = True
                held[...] = 0
            elif isinstance(part, np.ndarray):
                part[...] = part[0] if part.ndim == 1 else 0


def pruned(kind):
    return lambda model: model.prune(kind, alpha=None).to_bytes(profile=False)


def _tree(name):
    return {
        "path": lambda m: m.pruning_path(folds=3).to_dict(),
        "splits": lambda m: str(m.splits()),
        **{kind: pruned(kind) for kind in ("cost-complexity", "pessimistic", "mdl")},
        "rules": lambda m: str(m.rules(drop=True)),
    }


QUESTIONS = {
    "rows_": lambda m: m.rows_,
    "notes_": lambda m: m.notes_,
    "text": str,
    "picture": lambda m: m.picture().to_svg(),
    "without its profile": lambda m: m.to_bytes(profile=False),
    "file": lambda m: m.to_bytes(),
    "profile_": lambda m: None if m.profile_ is None else m.profile_.to_dict(),
}
METHODS = {
    "tree": (lambda: ts.DecisionTree(pruning=None, average=False, max_leaf_nodes=None), _tree("tree")),
    "default tree": (ts.DecisionTree, _tree("tree")),
    "regression tree": (
        lambda: ts.RegressionTree(),
        {"path": _tree("")["path"], "rules": _tree("")["rules"]},
    ),
    "optimal tree": (lambda: ts.OptimalTree(max_depth=2), {"rules": _tree("")["rules"]}),
    "naive Bayes": (ts.NaiveBayes, {"votes": lambda m: str(m.votes())}),
    "logistic": (ts.LogisticRegression, {"summary": lambda m: str(m.summary()), "path_": lambda m: m.path_}),
    "logistic, no prior": (lambda: ts.LogisticRegression(l2=0), {"summary": lambda m: str(m.summary())}),
    "linear": (ts.LinearRegression, {"summary": lambda m: str(m.summary())}),
    "scorecard": (ts.Scorecard, {"card_": lambda m: str(m.card_)}),
    "rule list": (ts.RuleList, {"rules": lambda m: str(m.rules())}),
    "rule set": (ts.RuleSet, {"rules": lambda m: str(m.rules())}),
}


def asked(model, question):
    """The answer; the warnings; or the error."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            answer = question(model)
        except (TallyError, AttributeError) as error:
            return None, str(error), []
    return answer, None, [str(w.message) for w in said]


def test_a_tree_is_not_pruned_by_rows_that_were_written_over():
    """By labels that were all made one class every error was 0, and every leaf was kept."""
    columns, labels = by_column(*arrays(60, np.float64))
    model = ts.DecisionTree(pruning=None, average=False).fit(columns, labels)
    for array in (*columns.values(), labels):
        array[:] = 0
    for question in (lambda: model.pruning_path(folds=3), lambda: model.prune(folds=3)):
        with pytest.raises(TallyError, match="written over after the fit, so that they would give another"):
            question()
    assert model.prune(alpha=1.0).get_n_leaves() >= 1  # asks no rows
    assert model.prune(data=by_column(*arrays(60, np.float64)), folds=3).get_n_leaves() >= 1


def test_a_tree_by_hand_keeps_its_rows():
    for form in (as_matrix, by_column, in_columns, as_arrow):
        for share in (None, 0.25):
            found = []
            for over in (False, True):
                given = form(*arrays(60, np.float64))
                tree = ts.grow(*given, held_out=share)
                if over:
                    write_over(given)
                found.append(
                    (str(tree.best(0)), str(tree.finish(0)), str(tree.errors()), str(tree.compare()))
                )
            assert found[0] == found[1]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", [np.float64, np.int64])
@pytest.mark.parametrize(
    "form", [as_matrix, by_column, in_columns, as_arrow, as_frame], ids=lambda f: f.__name__
)
def test_rows_that_were_written_over_are_never_asked(method, kind, form):
    make, own = METHODS[method]
    answered = set()
    for name, question in (QUESTIONS | own).items():
        given = form(*arrays(60, kind)), form(*arrays(60, kind))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            before, after = (make().fit(*one) for one in given)
        write_over(given[1])
        wanted, failed, _ = asked(before, question)
        found, error, said = asked(after, question)
        if error is None and not (said and "written over" in said[-1]):
            assert (repr(found), error) == (repr(wanted), failed), name
            answered.add(name)
        elif error != failed:
            assert "written over" in (error or said[-1]), name
    assert {"rows_", "without its profile", "text"} <= answered
