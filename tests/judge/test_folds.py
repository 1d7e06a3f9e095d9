"""Folds: copies of a row are dealt like any other rows, and a whole weight as its copies, wherever rows are
dealt.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from same_scores import same_scores
from shared_tables import needs_data, shared
from sklearn.model_selection import StratifiedKFold

import tallystick as ts
from tallystick.cli.main import run as tally
from tallystick.errors import DataError
from tallystick.judge import folds as cases
from tallystick.judge import folds as large
from tallystick.judge.folds import deal, hold_out, one_out, time_folds

EXAMPLES = Path(ts.__file__).parent / "examples"
METHODS = {
    "tree": ts.DecisionTree,
    "bayes": ts.NaiveBayes,
    "logistic": ts.LogisticRegression,
    "card": ts.Scorecard,
}


def booleans(rows, columns, right, seed):
    """A table of booleans of which the first tells the class so often."""
    rng = np.random.default_rng(seed)
    x = rng.random((rows, columns)) < 0.5
    y = np.where(rng.random(rows) < right, x[:, 0], ~x[:, 0])
    frame = pd.DataFrame({f"x{j}": x[:, j] for j in range(columns)})
    return frame.assign(y=np.where(y, "up", "down"))


def census(*columns):
    parts = [pd.read_csv(shared(f"adult/adult-{p}"), dtype=str) for p in ("train", "test")]
    whole = pd.concat(parts, ignore_index=True)
    return whole[[*columns]].assign(y=whole["income"].str.rstrip("."))


def votes(*columns):
    return pd.read_csv(EXAMPLES / "votes.csv", dtype=str)[[*columns, "party"]].rename(columns={"party": "y"})


TABLES = {
    "votes, 3 columns": lambda: votes("crime", "duty-free-exports", "immigration"),
    "6 booleans": lambda: booleans(20_000, 6, 0.855, 0),
    "1 boolean": lambda: booleans(400, 1, 0.865, 1),
}
CENSUS = {
    "sex": lambda: census("sex"),
    "sex, education": lambda: census("sex", "education"),
    "sex, race, marital-status": lambda: census("sex", "race", "marital-status"),
}


def elsewhere(method, frame, folds=10):
    """The accuracy of a method on scikit-learn's folds."""
    hits = 0
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(frame, frame["y"]):
        model = method().fit(frame.iloc[train], "y")
        hits += int((model.predict(frame.iloc[test]) == frame["y"].iloc[test].to_numpy()).sum())
    return hits / len(frame)


# -- laws --

ROWS = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.integers(1, 5)), min_size=4, max_size=20
)


def read(rows, weights=None, model=None):
    frame = pd.DataFrame([{"x": f"v{v}", "y": c} for c, v in rows])
    return (model or ts.NaiveBayes(kinds={"x": "levels"}))._read(frame, "y", weights)


def both(rows):
    """The same cases as rows of a weight, and as copies."""
    rows = [*rows, ("a", 9, 3), ("b", 9, 2)]
    weights = [w for *_, w in rows]
    weighted = read([(c, v) for c, v, _ in rows], weights)
    return weighted, read([(c, v) for c, v, w in rows for _ in range(w)])


def dealt(table, plan):
    """How much of what lies in which fold."""
    pieces = plan.pieces(table)
    weights = np.ones(pieces.rows) if pieces.weights is None else pieces.weights
    out = Counter()
    for h, f, w in zip(pieces.row_hashes().tolist(), plan.fold.tolist(), weights.tolist(), strict=True):
        out[h, f] += int(w)
    return out


PLANS = {
    "folds": lambda t: deal(t, 3),
    "another key": lambda t: deal(t, 4, key=7),
    "part": lambda t: hold_out(t, 0.3),
    "one out": one_out,
}


@pytest.mark.slow
@pytest.mark.parametrize("most", [cases.MOST, 7])
@pytest.mark.parametrize("kind", PLANS)
@given(rows=ROWS)
def test_a_whole_weight_is_dealt_as_its_copies_in_any_order(kind, most, rows):
    plan = PLANS[kind]
    weighted, copies = both(rows)
    mixed = copies.take(np.random.default_rng(len(rows)).permutation(copies.rows), copies.schema)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cases, "MOST", most)
        wanted = dealt(copies, plan(copies))
        assert dealt(weighted, plan(weighted)) == wanted
        assert dealt(mixed, plan(mixed)) == wanted
    assert sum(wanted.values()) == copies.rows


@pytest.mark.slow
def test_copies_of_a_row_are_in_all_folds_and_large_weights_need_no_copies():
    rows = [(c, v) for c in "ab" for v in range(3)]
    weights = [1 << 40, 1, 3, (1 << 40) + 12, 50, 7]
    table = read(rows, weights)
    plan = deal(table, 10)
    held = np.array([plan.held(table, f) for f in range(10)])
    assert (held.sum(axis=0) == weights).all()
    assert np.ptp(held.sum(axis=1)) <= 1
    for c in (0, 1):
        assert np.ptp(held[:, table.classes == c].sum(axis=1)) <= 1
    assert np.ptp(held[:, 0]) < 2_000_000  # of 2^40 / 10
    assert (held[:, 4] > 0).sum() >= 8
    assert len(plan.rows) <= 6 * 10


def test_a_row_whose_weight_is_not_whole_stays_in_one_fold():
    rows = [(c, v) for v in range(30) for c in "ab"]
    weights = [0.5 + v / 7 for v in range(30) for c in "ab"]
    weights[7] = 3.0  # no copies, where others are not whole
    table = read(rows, weights)
    plan = deal(table, 5)
    held = np.array([plan.held(table, f) for f in range(5)])
    assert ((held > 0).sum(axis=0) == 1).all()
    assert (held.sum(axis=0) == table.weights).all()


def test_folds_need_as_many_cases():
    table = read([("a", 0), ("b", 1)], [3, 2])
    assert sorted(deal(table, 5).numbers) == [0, 1, 2, 3, 4]
    with pytest.raises(DataError, match="folds=6 needs at least 6 rows, found 5"):
        deal(table, 6)


def test_stretches_of_time_count_copies():
    times, weights = np.array([1, 2, 3, 4]), np.array([1, 1, 1, 9])
    copies = np.repeat(times, weights)
    assert time_folds(times, 2, weights).tolist() == [
        int(time_folds(copies, 2)[np.argmax(copies == t)]) for t in times
    ]


# -- answers --


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", TABLES)
def test_cross_validation_of_rows_that_repeat_agrees_with_the_folds_of_scikit_learn(name, method):
    frame = TABLES[name]()
    found = ts.cross_validate(METHODS[method](), frame, "y")
    assert found.accuracy == pytest.approx(elsewhere(METHODS[method], frame), abs=0.02)


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("name", CENSUS)
def test_the_census_by_few_columns_agrees_with_the_folds_of_scikit_learn(name):
    frame = CENSUS[name]()
    for method in METHODS.values():
        found = ts.cross_validate(method(), frame, "y")
        assert found.accuracy == pytest.approx(elsewhere(method, frame), abs=0.02)


@pytest.fixture(scope="module")
def few():
    """A table of few values, and the accuracy that any method has on scikit-learn's folds of it."""
    frame = booleans(1_000, 3, 0.86, 3)
    return frame, elsewhere(ts.NaiveBayes, frame)


@pytest.mark.slow
def test_every_judgement_of_rows_that_repeat_agrees(few, tmp_path, capsys):
    frame, wanted = few
    near = pytest.approx(wanted, abs=0.02)
    found = ts.compare(frame, "y", folds=5)
    assert [e.result.accuracy for e in found.entries if e.family != "majority"] == [near] * 7
    assert ts.report(frame, "y", repeats=0).comparison.chosen.result.accuracy == near
    curve = ts.learning_curve(frame, "y", methods=["tree", "bayes", "logistic"], repeats=5)
    assert [1 - m["error"][-1] for m in curve.to_dict()["methods"]] == [near] * 3
    frame.to_csv(tmp_path / "t.csv", index=False)
    for method in METHODS:
        assert tally(["fit", str(tmp_path / "t.csv"), "-t", "y", "--model", method, "--json"], False) == 0
        assert json.loads(capsys.readouterr().out)["score"]["measures"]["accuracy"]["value"] == near


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_leave_one_out_and_parts_of_rows_that_repeat_agree(few, method):
    frame, wanted = few
    for folds in ("leave-one-out", (0.7, 0.3), (0.5, 0.2, 0.3)):
        found = ts.cross_validate(METHODS[method](), frame, "y", folds=folds)
        width = 0.02 if folds == "leave-one-out" else 0.05  # 300 rows
        assert found.accuracy == pytest.approx(wanted, abs=width)


@pytest.mark.slow
def test_choices_by_folds_of_rows_that_repeat_agree(few):
    frame, wanted = few
    steps = ts.DecisionTree(pruning=None).fit(frame, "y").pruning_path()
    assert 1 - steps.cv_error.min() == pytest.approx(wanted, abs=0.02)
    assert ts.DecisionTree(pruning=None).fit(frame, "y").prune("cost-complexity").get_n_leaves() == 2
    model = ts.LogisticRegression(l2="cv").fit(frame, "y")
    loss = min(model._chosen.losses) * 5 / len(frame)  # they are sums of a fold
    assert loss == pytest.approx(-wanted * np.log(wanted) - (1 - wanted) * np.log(1 - wanted), abs=0.02)
    plain, calibrated = (ts.NaiveBayes(calibrate=c).fit(frame, "y") for c in (False, True))
    assert 0.9 < calibrated.model_.calibration.slope < 1.1
    assert np.abs(plain.predict_proba(frame) - calibrated.predict_proba(frame)).max() < 0.02


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(200, 1), (400, 1), (200, 3), (1_000, 6), (2_000, 3)])
def test_noise_has_an_area_of_one_half_within_its_interval(shape):
    """Copies of a row that were dealt evenly would teach each fold what it holds: 0.6 at 1,000 rows of 6;
    pairs of rows from two folds would compare what two models say: 0.46 for one column.
    """
    found = [
        ts.cross_validate(ts.NaiveBayes(), booleans(*shape, 0.5, seed), "y").measure("auc")
        for seed in range(100)
    ]
    assert np.mean([m.value for m in found]) == pytest.approx(0.5, abs=0.02)
    assert sum(m.low <= 0.5 <= m.high for m in found) >= 92


# -- names --


def named_anew(frame, target, seed):
    """The same table: other names of columns, another order of columns and rows."""
    rng = np.random.default_rng(seed)
    names = [c for c in frame if c != target]
    called = dict(zip(names, [f"v{i}" for i in rng.permutation(len(names))], strict=True))
    other = frame.rename(columns=called | {target: "answer"})
    return other[list(rng.permutation(other.columns))].sample(frac=1, random_state=seed), called


def alike(rows, seed):
    """Columns of two values that are alike, and one twice; columns of numbers and of levels."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({f"b{i}": np.resize([0, 1], rows)[rng.permutation(rows)] for i in range(4)})
    frame = frame.assign(again=frame["b0"], x=rng.normal(size=rows).round(1), l=rng.choice(list("abc"), rows))
    score = frame["b0"] - frame["b1"] + 0.5 * frame["x"] + rng.logistic(size=rows)
    return frame.assign(y=np.where(score > 0, "yes", "no"), z=score.round(2))


@pytest.mark.slow
@pytest.mark.parametrize("memory", [None, "32MB"])
@pytest.mark.parametrize(
    ("make", "target"), [(ts.LogisticRegression, "y"), (ts.LinearRegression, "z"), (ts.Scorecard, "y")]
)
def test_names_and_order_of_columns_do_not_change_a_prior_chosen_by_folds(make, target, memory):
    for seed in range(3):
        frame = alike(120, seed).drop(columns={"y": "z", "z": "y"}[target])
        other, called = named_anew(frame, target, seed)
        models = make(l2="cv").fit(frame, target), make(l2="cv", memory=memory).fit(other, "answer")
        notes = [[n.text for n in m.notes_ if n.code == "prior-chosen"] for m in models]
        assert notes[0] == notes[1] != []
        rows = other.drop(columns="answer"), frame.drop(columns=target).rename(columns=called)
        answers = [m.predict_proba if target == "y" else m.predict for m in models]
        assert answers[1](rows[1]) == pytest.approx(answers[0](frame.drop(columns=target)), abs=1e-9)
        assert models[0].score(frame.drop(columns=target), frame[target]) == pytest.approx(
            models[1].score(rows[0], other["answer"]), abs=1e-12
        )
        if make is ts.Scorecard:
            continue
        assert models[0].path_.losses == pytest.approx(models[1].path_.losses, rel=1e-12)
        weights = [dict(zip(m.coef_names_, np.ravel(m.coef_), strict=True)) for m in models]
        for name, weight in weights[0].items():
            column, _, level = name.partition(" ")
            assert weights[1][f"{called[column]} {level}".strip()] == pytest.approx(weight, abs=1e-9)


@pytest.mark.slow
def test_columns_that_can_be_traded_for_each_other_do_not_change_a_prior_chosen_by_folds():
    """In a truth table of a symmetric function nothing but names tells the columns apart."""
    cells = list(product([0, 1], repeat=4))
    frame = pd.DataFrame(cells, columns=list("abcd")).assign(y=["no" if sum(c) < 2 else "yes" for c in cells])
    losses = [
        ts.LogisticRegression(l2="cv").fit(table, target).path_.losses
        for table, target in [(frame, "y"), *((named_anew(frame, "y", s)[0], "answer") for s in range(4))]
    ]
    for other in losses[1:]:
        assert other == pytest.approx(losses[0], rel=1e-12)


# -- weights --


def judged(result):
    """What a judgement says, without the points of its curves."""
    out = {k: v for k, v in result.to_dict().items() if k not in ("scores", "measures")}
    return out | {m.name: (m.value, m.low, m.high) for m in result.measures}


@pytest.mark.slow
@pytest.mark.parametrize("folds", [5, "leave-one-out", (0.7, 0.3)])
@pytest.mark.parametrize("method", METHODS)
def test_cross_validation_of_weights_is_that_of_copies(method, folds):
    frame = booleans(40, 2, 0.8, 5)
    weights = np.random.default_rng(1).integers(1, 12, 40)
    copies = frame.iloc[np.repeat(np.arange(40), weights)].reset_index(drop=True)
    more = {"repeats": 2} if folds == 5 else {}
    model = METHODS[method]()
    here = judged(ts.cross_validate(model, frame, "y", folds=folds, by="x0", sample_weight=weights, **more))
    there = judged(ts.cross_validate(model, copies, "y", folds=folds, by="x0", **more))
    assert here.keys() == there.keys()
    groups = [
        [
            [*g["answers"], *g["truth"], *(g[k] for k in ("error", "low", "high", "rows"))]
            for g in r.pop("by")["x0"]
        ]
        for r in (here, there)
    ]
    assert groups[0] == [pytest.approx(g) for g in groups[1]]
    for name, value in there.items():
        assert here[name] == (
            value if isinstance(value, str | list | bool) else pytest.approx(value, nan_ok=True)
        ), name


@pytest.mark.slow
def test_comparisons_curves_and_choices_of_weights_are_those_of_copies():
    frame = booleans(30, 3, 0.8, 6)
    weights = np.random.default_rng(2).integers(1, 9, 30)
    copies = frame.iloc[np.repeat(np.arange(30), weights)].reset_index(drop=True)
    here, there = (
        ts.compare(f, "y", folds=4, sample_weight=w).to_dict() for f, w in ((frame, weights), (copies, None))
    )
    assert here["fold_sizes"] == there["fold_sizes"]
    for a, b in zip(here["entries"], there["entries"], strict=True):
        assert (a["name"], a["setting"]) == (b["name"], b["setting"])
        values = [[m[k] for m in e["measures"] for k in ("value", "low", "high")] for e in (a, b)]
        assert values[0] == pytest.approx(values[1])
    here, there = (
        ts.learning_curve(f, "y", sample_weight=w).to_dict() for f, w in ((frame, weights), (copies, None))
    )
    assert here["sizes"] == there["sizes"]
    for a, b in zip(here["methods"], there["methods"], strict=True):
        assert a["log_loss"] == pytest.approx(b["log_loss"])
    for make in (
        lambda f, w: ts.DecisionTree(pruning=None).fit(f, "y", w).prune("cost-complexity"),
        lambda f, w: ts.LogisticRegression(l2="cv").fit(f, "y", w),
        lambda f, w: ts.NaiveBayes(calibrate=True).fit(f, "y", w),
    ):
        assert make(frame, weights).to_bytes() == make(copies, None).to_bytes()


# -- elsewhere --


@pytest.mark.slow
@pytest.mark.parametrize("values", [2, 40, 3_000])
@pytest.mark.parametrize("most", [cases.MOST, 100])
def test_rows_that_memory_does_not_hold_are_dealt_to_the_same_folds(monkeypatch, values, most):
    rng = np.random.default_rng(values)
    frame = pd.DataFrame({"x": rng.integers(0, values, 3_000), "y": rng.choice(list("pqr"), 3_000)})
    model = ts.NaiveBayes(columns=ts.Columns({"x": "levels"}, keep=["x"]))
    monkeypatch.setattr(cases, "MOST", most)
    whole = model._read(frame, "y")
    wanted = dealt(whole, deal(whole, 7))
    monkeypatch.setattr(large, "ROW_BYTES", 1 << 40)
    monkeypatch.setattr(large, "STEP", 500)
    monkeypatch.setattr(large, "SORTED_BYTES", 1 << 20)
    table = model.set_params(memory="32MB")._read(frame, "y")
    plan = deal(table, 7)
    assert plan.large
    assert dealt(table, plan) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_rows_that_memory_does_not_hold_get_the_same_scores(monkeypatch, method, numbers):
    frame = booleans(900, 3, 0.8, 8)
    if numbers:
        frame["number"] = np.random.default_rng(0).normal(size=900).round(2)
    whole = ts.cross_validate(METHODS[method](), frame, "y")
    monkeypatch.setattr(large, "ROW_BYTES", 1 << 40)
    found = ts.cross_validate(METHODS[method](memory="32MB"), frame, "y")
    assert found.repeats[0].large
    assert found.to_dict()["fold_sizes"] == whole.to_dict()["fold_sizes"]
    for name in ("accuracy", "log-loss"):
        here, there = (r.measure(name) for r in (found, whole))
        assert here == there
    same_scores(found.scores, whole.scores)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_rows_that_repeat_are_judged_the_same_on_disk(tmp_path, method):
    frame = booleans(2_000, 3, 0.8, 8)
    frame.to_csv(tmp_path / "t.csv", index=False)
    whole = ts.cross_validate(METHODS[method](), tmp_path / "t.csv", "y")
    found = ts.cross_validate(METHODS[method](memory="32MB"), tmp_path / "t.csv", "y")
    assert found.to_dict() == whole.to_dict()
    weights = np.random.default_rng(3).integers(1, 20, 2_000)
    whole = ts.cross_validate(METHODS[method](), frame, "y", folds=3, sample_weight=weights)
    found = ts.cross_validate(METHODS[method](memory="32MB"), frame, "y", folds=3, sample_weight=weights)
    assert found.to_dict() == whole.to_dict()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["tree", "bayes"])
def test_rows_that_repeat_are_judged_the_same_on_spark(spark, method):
    rows = pd.concat([booleans(150, 2, 0.8, 9), booleans(20, 4, 0.8, 10)]).astype({"y": str})
    rows = rows.astype(object).where(rows.notna(), None)
    frame = spark.createDataFrame(rows).repartition(3)
    here = ts.cross_validate(METHODS[method](), rows, "y", folds=3)
    there = ts.cross_validate(METHODS[method](), frame, "y", folds=3)
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
