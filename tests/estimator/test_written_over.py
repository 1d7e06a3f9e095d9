"""A fitted model holds nothing of the caller: not his rows, and nothing that becomes of them changes it."""

from __future__ import annotations

import contextlib
import gc
import warnings
import weakref

import numpy as np
import pyarrow as pa
import pytest

import tallystick as ts
from tallystick.errors import TallyError
from tallystick.stats.profile import SAMPLE

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


def as_polars(X, y):
    polars = pytest.importorskip("polars")
    return polars.DataFrame({f"c{j}": X[:, j] for j in range(X.shape[1])}), y


QUICK = (as_matrix, as_arrow)


def arrays_in(given):
    """The arrays in which rows lie, and those that hold their memory."""
    out = []
    for part in given:
        if isinstance(part, np.ndarray):
            out.append(part)
        elif isinstance(part, list | tuple):
            out += arrays_in(part)
        elif isinstance(part, dict):
            out += arrays_in(part.values())
        elif hasattr(part, "iloc"):
            out += [part, part.to_numpy(copy=False)]
        else:
            out.append(part)
    return out


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
def test_a_fitted_model_does_not_see_what_becomes_of_the_rows(method, kind, form):
    make, own = METHODS[method]
    for name, question in (QUESTIONS | own).items():
        given = form(*arrays(60, kind)), form(*arrays(60, kind))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            before, after = (make().fit(*one) for one in given)
        write_over(given[1])
        assert repr(asked(after, question)) == repr(asked(before, question)), name


LARGE = SAMPLE + 1000  # rows of which a sample is kept


@pytest.mark.parametrize("method", [*METHODS, "density tree"])
@pytest.mark.parametrize("form", [as_matrix, by_column, in_columns, as_arrow, as_frame, as_polars])
@pytest.mark.parametrize("rows", [60, LARGE])
def test_a_fitted_model_lets_go_of_the_rows(method, form, rows):
    if rows == LARGE and (method.startswith(("rule", "optimal", "scorecard")) or form not in QUICK):
        pytest.skip("takes long, and keeps what it keeps of few rows")
    X, y = arrays(rows, np.float64)
    X = X + np.random.default_rng(1).normal(size=X.shape)  # nearly all rows differ
    given = form(X, y)
    seen = [weakref.ref(part) for part in arrays_in([X, y, given])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if method == "density tree":
            model = ts.DensityTree().fit(given[0])
        else:
            model = METHODS[method][0]().fit(*given)
    assert any(array() is not None for array in seen)
    del given, X, y
    gc.collect()
    assert not any(array() is not None for array in seen)
    assert model.to_bytes()


def test_a_path_that_is_gone_is_not_read_again(tmp_path):
    path = tmp_path / "rows.csv"
    X, y = arrays(60, np.float64)
    path.write_text("a,b,y\n" + "".join(f"{a},{b},{c}\n" for (a, b), c in zip(X[:, :2], y, strict=True)))
    for make, _ in METHODS.values():
        kept = make().fit(path, "y").to_bytes()
        model = make().fit(path, "y")
        path.rename(tmp_path / "elsewhere.csv")
        assert model.to_bytes() == kept
        (tmp_path / "elsewhere.csv").rename(path)
