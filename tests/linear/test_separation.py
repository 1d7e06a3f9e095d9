"""Separated classes: the verdict is that of the proof, names the columns, and depends on no solver and no
number of weights."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.errors import TallyError
from tallystick.linear import separation
from tallystick.table import table as tables

SOLVERS = ("auto", "newton", "lbfgs", "conjugate-gradient", "gradient")


def found(model):
    """Return the verdict and the text of its note."""
    notes = [n.text for n in model.notes_ if n.code == "separation"]
    assert len(notes) == bool(model.model_.fit.separation)
    return model.model_.fit.separation or "none", notes[0].split(":")[0] if notes else ""


def lacking(classes, seed, rows=150):
    """A level that never has one of the classes; nothing else separates."""
    rng = np.random.default_rng(seed)
    g = rng.choice(list("uvw"), rows, p=[0.5, 0.4, 0.1])
    y = rng.integers(0, classes, rows)
    gone = seed % classes
    y[(g == "w") & (y == gone)] = (gone + 1) % classes
    return pd.DataFrame({"x": rng.normal(size=rows), "g": g, "z": rng.normal(size=rows)}), y


@pytest.mark.slow
@pytest.mark.parametrize("l2", [0, 1.0], ids=["no prior", "prior"])
@pytest.mark.parametrize("classes", [3, 4])
@pytest.mark.parametrize("seed", range(6))
def test_a_level_without_one_of_several_classes_is_found_and_its_column_named(classes, seed, l2):
    X, y = lacking(classes, seed)
    assert ts.separable(X, y).kind == "quasi-complete"
    model = ts.LogisticRegression(l2=l2).fit(X, y)
    assert found(model) == ("quasi-complete", "Column 'g' separates some rows (quasi-completely)")
    assert np.abs(model.coef_).max() < 10
    assert model.model_.errors == ()


@pytest.mark.slow
def test_the_verdict_is_that_of_the_proof_on_random_small_tables():
    rng, seen = np.random.default_rng(5), Counter()
    for _ in range(60):
        rows, classes = int(rng.integers(15, 60)), int(rng.integers(2, 5))
        X = pd.DataFrame({"a": rng.normal(size=rows).round(1), "g": rng.choice(list("uvw"), rows)})
        X["b"] = np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows))
        score = X["a"] * rng.choice([1, 6]) + rng.normal(size=rows) * rng.choice([0, 0.3, 1, 3])
        y = np.digitize(score, np.linspace(-0.7, 0.7, classes - 1)).astype(str)
        if len(set(y)) > 1:
            kind = ts.separable(X, y).kind
            assert found(ts.LogisticRegression(l2=0).fit(X, y))[0] == kind
            seen[kind] += 1
    assert min(seen[kind] for kind in ("complete", "quasi-complete", "none")) >= 8


def test_weights_that_newton_overshot_are_found_by_the_level_that_lacks_a_class():
    """One row far ahead turns back while others still run: no step separates."""
    rng = np.random.default_rng(219)
    n = int(rng.integers(20, 120))
    X = pd.DataFrame({"x": rng.normal(size=n), "z": rng.normal(size=n)})
    X["g"] = rng.choice(["u", "v", "w"], n, p=[0.5, 0.44, 0.06])
    y = np.where(X["g"] == "w", True, 3 * X["x"] + rng.normal(size=n) > 0)
    X.loc[rng.random(n) < 0.05, "z"] = np.nan
    assert found(ts.LogisticRegression(l2=0).fit(X, y))[0] == ts.separable(X, y).kind == "quasi-complete"


def many(classes, levels=1_010):
    """More than 1,000 levels, each with every class; and a number that is 0 there."""
    per = 2 * classes
    g = np.repeat([f"L{i:04d}" for i in range(levels)], per)
    frame = pd.DataFrame({"g": g, "z": np.random.default_rng(0).normal(size=len(g)), "x": 0.0})
    return frame, np.tile(np.arange(per) % classes, levels)


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["auto", "conjugate-gradient"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", ["level", "number", "none"])
def test_above_a_thousand_weights_quasi_separation_is_found_too(kind, classes, solver):
    X, y = many(classes)
    rng = np.random.default_rng(1)
    far = X[::7].assign(x=rng.normal(size=len(X[::7])))
    last = np.where(far["x"] > 0, classes - 1, rng.integers(0, classes - 1, len(far)))
    if kind != "number":
        last[:40] = (last[:40] + 1) % classes
    X, y = pd.concat([X, far], ignore_index=True), np.append(y, last)
    if kind == "level":
        kept = ~((X["g"] == "L0005") & (y == 0)).to_numpy()
        X, y = X[kept], y[kept]
    model = ts.LogisticRegression(l2=0, solver=solver).fit(X, y)
    column = {"level": "g", "number": "x", "none": ""}[kind]
    text = f"Column '{column}' separates some rows (quasi-completely)" if column else ""
    assert found(model) == ("quasi-complete" if column else "none", text)
    assert np.abs(model.coef_).max() < 20


@pytest.mark.slow
def test_above_a_thousand_weights_missing_numbers_and_rows_without_weight_count_as_they_should():
    X, y = many(2)
    X["m"] = np.where((np.arange(len(X)) % 50 == 1) & (y == 1), np.nan, X["z"])
    assert found(ts.LogisticRegression(l2=0).fit(X.drop(columns="x"), y))[1].startswith("Column 'm'")
    weight = np.where((X["g"] == "L0003") & (y == 0), 0, 1)
    model = ts.LogisticRegression(l2=0).fit(X[["g", "z"]], y, sample_weight=weight)
    assert found(model)[1].startswith("Column 'g'")
    assert found(ts.LogisticRegression(l2=0).fit(X[["g", "z"]], y)) == ("none", "")


@pytest.mark.slow
def test_a_word_whose_rows_lack_a_class_separates(monkeypatch):
    words = ["red", "green", "blue"]
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(words, 3)) for _ in range(300)]
    y = rng.integers(0, 3, 300)
    given = {"kinds": {"t": "text"}, "l2": 0}
    assert found(ts.LogisticRegression(**given).fit(pd.DataFrame({"t": texts}), y)) == ("none", "")
    texts[:20] = [t + " rare" for t in texts[:20]]
    y[:20] = np.arange(20) % 2
    model = ts.LogisticRegression(**given).fit(pd.DataFrame({"t": texts}), y)
    assert found(model) == ("quasi-complete", "Column 't' separates some rows (quasi-completely)")
    monkeypatch.setattr(tables, "BLOCK", 64)
    assert ts.LogisticRegression(**given).fit(pd.DataFrame({"t": texts}), y).to_bytes() == model.to_bytes()


def test_newton_with_words_is_refused_in_words():
    frame = pd.DataFrame({"t": ["red", "blue"] * 9})
    with pytest.raises(TallyError, match=r"solver 'newton'.*'t'.*'auto' or 'lbfgs'"):
        ts.LogisticRegression(solver="newton", kinds={"t": "text"}).fit(frame, np.arange(18) % 3)


@pytest.mark.slow
@pytest.mark.parametrize("columns", [3, 1_050])
def test_every_solver_gives_the_same_verdict(columns):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(60, columns))
    y = X[:, 0] > 0
    given = {"l2": 0, "max_iter": 100_000}
    verdicts = {found(ts.LogisticRegression(solver=s, **given).fit(X, y)) for s in SOLVERS if s != "gradient"}
    with pytest.warns(ts.TallyWarning, match="did not converge in 3 iterations"):
        short = ts.LogisticRegression(solver="gradient", l2=0, max_iter=3).fit(X, y)
    assert [note.code for note in short.notes_] == ["not-converged", "separation"]
    assert {kind for kind, _ in verdicts} == {"complete"}
    assert len(verdicts) == 1
    X, y = lacking(3, 1)
    assert len({found(ts.LogisticRegression(solver=s, l2=0).fit(X, y)) for s in SOLVERS}) == 1


def test_the_solver_asked_for_does_the_steps_without_a_prior_too():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + rng.logistic(size=200) > 0
    fits = {s: ts.LogisticRegression(solver=s, l2=0, trace=True).fit(X, y) for s in SOLVERS}
    for model in fits.values():
        np.testing.assert_allclose(model.coef_, fits["newton"].coef_, rtol=0, atol=1e-6)
    assert fits["auto"].trace_ == fits["newton"].trace_
    lengths = {s: len(m.trace_) for s, m in fits.items()}
    assert lengths["newton"] < lengths["lbfgs"] < lengths["gradient"]
    assert len({step.step for step in fits["gradient"].trace_[1:]}) == 1
    assert len({step.step for step in fits["conjugate-gradient"].trace_[1:]}) > 2


def test_an_end_without_an_optimum_says_what_was_wanting():
    X = np.linspace(-1, 1, 40)[:, None]
    words = r"per row \S+e-(09|1\d), but the weights still move by more than 1e-08"
    with pytest.warns(ts.TallyWarning, match=words):
        ts.LogisticRegression(l2=1e-12, solver="newton", max_iter=21).fit(X, X[:, 0] > 0)


@pytest.mark.parametrize(
    ("least", "highest", "kind"),
    [(1.0, 2.0, "complete"), (0.0, 2.0, "quasi-complete"), (-1e-9, 2.0, "quasi-complete"), (-1.0, 2.0, "")],
)
def test_margins_say_how_the_classes_lie(least, highest, kind):
    assert separation.kind_of(least, highest) == kind


def test_margins_leave_out_pairs_of_classes_without_rows():
    side = np.array([[1.0, 3.0, -2.0, -0.5], [np.inf, -np.inf, 0.0, 0.0]])
    assert separation.margins(side) == (0.5, 3.0)


def test_pairs_of_classes_are_apart_touching_or_mixed():
    sides = np.array([[[1.0, 2.0, -2.0, -1.0], [0.0, 2.0, -2.0, 0.0], [-1.0, 2.0, -2.0, 1.0]]])
    assert separation.status(sides).tolist() == [[2, 1, 0]]


def test_the_verdict_reads_as_a_sentence_and_says_what_was_done():
    one = separation.SeparationVerdict("complete", ("x",))
    assert one.text.startswith("Column 'x' separates the classes completely: without a prior")
    both = separation.SeparationVerdict("quasi-complete", ("x", "z")).note(1.0)
    assert "Columns 'x', 'z' separate some rows (quasi-completely)" in both.text
    assert "the prior (l2 = 1); standard errors are withheld" in both.text
