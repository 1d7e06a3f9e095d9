"""Law 8: whoever asks gets one answer: by shares(block), decide(shares) or shares_of_row(dict)."""

from __future__ import annotations

import inspect
import io

import numpy as np
import pandas as pd
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallystick as ts
from tallystick.cli.main import run
from tallystick.errors import DataError, OptionError

CLASSIFIERS = {
    "tree": lambda **own: ts.DecisionTree(**own),
    "tree with costs": lambda **own: ts.DecisionTree(costs={"no": {"yes": 9}}, **own),
    "tree, fractions": lambda **own: ts.DecisionTree.c45(**own),
    "naive Bayes": lambda **own: ts.NaiveBayes(**own),
    "naive Bayes, Gaussian": lambda **own: ts.NaiveBayes(distributions="gaussian", **own),
    "naive Bayes, no smoothing": lambda **own: ts.NaiveBayes(alpha=0, **own),
    "logistic regression": lambda **own: ts.LogisticRegression(**own),
    "scorecard": lambda **own: ts.Scorecard(**own),
}
every = pytest.mark.parametrize("make", CLASSIFIERS.values(), ids=list(CLASSIFIERS))
LARGE = 2**53 + 2  # a whole number that is a double, beside others that are none


def training(rows=300):
    rng = np.random.default_rng(5)
    sky = rng.choice(["sun", "rain", "fog"], rows)
    code = rng.choice([LARGE, LARGE + 1, 3], rows)
    x = np.round(rng.normal(0, 1, rows), 2)
    seen = rng.random(rows) < 0.5
    score = x + 1.5 * (sky == "sun") + 2.0 * (code == LARGE) + 0.7 * seen + rng.normal(0, 1, rows)
    table = pd.DataFrame({"sky": sky, "code": code, "x": x, "seen": seen})
    table.loc[::17, "x"] = np.nan
    table["y"] = np.where(score > 1.2, "yes", "no")
    return table


@pytest.fixture(scope="module")
def fitted():
    made = {}

    def fit(make):
        if make not in made:
            made[make] = make(kinds={"code": "levels"}, threads=1).fit(training(), "y")
        return made[make]

    return fit


def same(model, row, want):
    """Every way to ask about one row gives the bits of a table of one row."""
    label = model.classes_[model._decide(want[None, :])[0]]
    found = {
        "predict_proba(dict)": model.predict_proba(row)[0],
        "predict_proba_one": model.predict_proba_one(row),
        "shares(block)": model.model_.shares(next(model._blocks([row])).block)[0],
    }
    record = model.model_.shares_of_row(row)
    if record is not None:
        found["record"] = record
    for name, shares in found.items():
        assert shares.tobytes() == want.tobytes(), name
    assert model.predict(row).tolist() == [label]
    assert model.predict([row]).tolist() == [label]
    assert model.predict_one(row) == label


cells = st.fixed_dictionaries(
    {
        "sky": st.sampled_from(["sun", "rain", "fog", "hail", "", " sun ", None]),
        "code": st.sampled_from([LARGE, float(LARGE), LARGE + 1, str(LARGE), 3, 3.0, "3", "3.0", None, True]),
        "x": st.one_of(st.none(), st.floats(-1e300, 1e300), st.integers(-5, 5), st.just(float("nan"))),
        "seen": st.sampled_from([True, False, "true", "no", 1, 0, None]),
    }
)


@pytest.mark.slow
@every
@settings(max_examples=40, deadline=None)
@given(row=cells)
def test_one_row_has_one_answer_whoever_asks(fitted, make, row):
    model = fitted(make)
    same(model, row, model.predict_proba([row])[0])


@pytest.mark.slow
@every
def test_a_whole_float_is_the_level_of_the_whole_number(fitted, make):
    model = fitted(make)
    row = {"sky": "sun", "code": float(LARGE), "x": 0.1, "seen": True}
    table = pd.DataFrame([row | {"code": LARGE}])
    want = model.predict_proba(table)[0]
    same(model, row, want)
    why = model.explain(row)
    assert np.array(why.shares).tobytes() == want.tobytes()
    assert why.answer == model.predict_one(row)
    assert want.max() > 0.6  # the level is known, and says something


@pytest.mark.slow
@every
def test_all_rows_have_the_answers_of_single_rows_and_of_the_command(fitted, make, tmp_path, capfd):
    model, rows = fitted(make), training(60).drop(columns="y")
    shares = model.predict_proba(rows)
    labels = model.classes_[model._decide(shares)].tolist()
    assert model.predict(rows).tolist() == labels
    records = rows.to_dict("records")
    assert [model.predict_one(r) for r in records] == labels
    assert [model.explain(rows, i).answer for i in range(5)] == labels[:5]
    model.save(tmp_path / "m.tally.json")
    rows.to_csv(tmp_path / "new.csv", index=False)
    assert (
        run(["predict", str(tmp_path / "m.tally.json"), str(tmp_path / "new.csv"), "--proba"], debug=True)
        == 0
    )
    told = pyarrow.csv.read_csv(io.BytesIO(capfd.readouterr().out.encode())).to_pydict()
    assert told["prediction"] == labels
    assert np.column_stack([told["P(no)"], told["P(yes)"]]).tobytes() == shares.tobytes()


@pytest.mark.slow
@every
def test_columns_of_floats_are_answered_as_read_rows(make):
    rng = np.random.default_rng(1)
    X = np.round(rng.normal(0, 1, (140_000, 3)), 1)
    X[::7, 1] = np.nan
    y = np.where(X[:, 0] + np.nan_to_num(X[:, 1]) + rng.normal(0, 1, len(X)) > 0, "yes", "no")
    model = make().fit(X[:2000], y[:2000])
    read = [m.block for m in model._blocks(X)]
    want = np.concatenate([model.model_.shares(b) for b in read])
    assert model.predict_proba(X).tobytes() == want.tobytes()
    assert (model.predict(X) == model.classes_[model._decide(want)]).all()
    assert (model.predict(pd.DataFrame(X, columns=["x0", "x1", "x2"])) == model.predict(X)).all()


def test_scores_apart_by_less_than_a_rounding_are_a_tie_for_every_asker():
    X = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]] * 25)
    y = np.array(["a", "b", "a", "b"] * 25)
    model = ts.LogisticRegression(l2=1.0, kinds=dict.fromkeys(("x0", "x1", "x2"), "numeric")).fit(X, y)
    rng = np.random.default_rng(3)
    line = rng.normal(0, 1, (5000, 3))
    normal = model.coef_[0] / (model.coef_[0] @ model.coef_[0])
    line -= (line @ model.coef_[0] + model.intercept_[0])[
        :, None
    ] * normal  # on the border, but for roundings
    assert (model.predict(line) == model.classes_[model._decide(model.predict_proba(line))]).all()
    one = [model.predict_one(dict(zip(("x0", "x1", "x2"), r.tolist(), strict=True))) for r in line[:500]]
    assert one == model.predict(line[:500]).tolist()


def test_a_regression_answers_a_dict_as_a_row():
    table = training().drop(columns="y")
    tree = ts.RegressionTree(min_samples_leaf=20, kinds={"code": "levels"}).fit(
        table[["sky", "code", "seen"]], table["x"].fillna(0).to_numpy()
    )
    row = {"sky": "sun", "code": 3, "seen": True}
    want = tree.predict([row])
    assert tree.predict(row).tobytes() == want.tobytes()
    assert tree.predict_one(row) == want[0]
    assert tree.explain(row).answer == want[0]


@pytest.mark.slow
@every
def test_a_dict_of_columns_is_a_table_and_a_dict_of_values_one_row(fitted, make):
    model = fitted(make)
    rows = training(3).drop(columns="y")
    assert model.predict_proba(rows.to_dict("list")).tobytes() == model.predict_proba(rows).tobytes()
    assert model.predict(rows.iloc[0].to_dict()).tolist() == model.predict(rows)[:1].tolist()


@pytest.mark.slow
@every
def test_what_a_row_lacks_is_told_in_the_same_words(fitted, make):
    model, row = fitted(make), {"sky": "sun", "code": 3, "x": 1.0, "seen": True}
    for wrong in ({n: v for n, v in row.items() if n != "x"}, row | {"x": "warm"}, row | {"x": float("inf")}):
        said = set()
        for ask in (
            model.predict,
            model.predict_proba,
            model.predict_one,
            model.predict_proba_one,
            model.explain,
        ):
            with pytest.raises(DataError) as error:
                ask(wrong)
            said.add(str(error.value))
        with pytest.raises(DataError) as error:
            model.predict([wrong])
        assert said == {str(error.value)}


@pytest.mark.slow
@every
def test_what_is_lacking_can_be_taken_as_missing_by_every_asker(fitted, make):
    model, row = fitted(make), {"sky": "sun", "code": 3, "seen": True, "x": "warm"}
    for reading, whole in (({"lenient": True}, row), ({"missing_columns": "as-missing"}, {"sky": "sun"})):
        want = model.predict_proba([dict.fromkeys(row) | whole | {"x": None}])[0]
        assert model.predict_proba(whole, **reading)[0].tobytes() == want.tobytes()
        assert model.predict_proba_one(whole, **reading).tobytes() == want.tobytes()
        assert model.predict_one(whole, **reading) == model.predict(whole, **reading)[0]


def test_explain_has_one_signature():
    classes = (ts.DecisionTree, ts.RegressionTree, ts.NaiveBayes, ts.LogisticRegression)
    assert len({str(inspect.signature(c.explain)) for c in classes}) == 1
    assert list(inspect.signature(ts.NaiveBayes.explain).parameters)[:3] == ["self", "X", "row"]


@every
def test_a_row_that_is_not_there_is_refused_in_the_same_words(fitted, make):
    model, rows = fitted(make), training(3).drop(columns="y")
    with pytest.raises(OptionError, match=r"^row 3 is not there: the data has 3 rows, counted from 0\.$"):
        model.explain(rows, 3)
    with pytest.raises(OptionError, match=r"^row must be a whole number of at least 0, not -1\.$"):
        model.explain(rows, -1)


WORDS = "threads must be a whole number of at least 1, not {}. Leave it out for all cores."
ESTIMATORS = (ts.DecisionTree, ts.NaiveBayes, ts.LogisticRegression)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [-3, 0, True, 1.5, "2"])
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_threads_that_are_none_are_refused_by_all_in_the_same_words(kind, threads):
    table = training(40)
    said = WORDS.format(repr(threads))
    with pytest.raises(OptionError) as error:
        kind(threads=threads).fit(table, "y")
    assert str(error.value) == said
    model = kind().fit(table, "y")
    model.threads = threads
    for ask in (model.predict, model.predict_proba, model.explain, model.outside_range):
        with pytest.raises(OptionError) as error:
            ask(table)
        assert str(error.value) == said
    for ask in (
        model.predict,
        model.predict_proba,
        model.predict_one,
        model.predict_proba_one,
        model.explain,
    ):
        with pytest.raises(OptionError) as error:
            ask(table.iloc[0].to_dict())
        assert str(error.value) == said
    for judge in (ts.compare, ts.learning_curve, ts.describe):
        with pytest.raises(OptionError) as error:
            judge(table, "y", threads=threads)
        assert str(error.value) == said


def test_a_regression_refuses_threads_in_the_same_words():
    table = training(40).drop(columns="y")
    with pytest.raises(OptionError) as error:
        ts.RegressionTree(threads=-3).fit(table[["sky"]], table["x"].fillna(0).to_numpy())
    assert str(error.value) == WORDS.format(-3)


@pytest.mark.slow
@pytest.mark.parametrize("method", [ts.DecisionTree, ts.NaiveBayes, ts.LogisticRegression])
@pytest.mark.parametrize("classes", [2, 3])
def test_columns_of_floats_are_decided_as_their_shares_are(method, classes):
    random = np.random.default_rng(classes)
    X = random.normal(size=(70_000, 3)).round(1)
    X[::11, 1] = np.nan
    y = np.array(["p", "q", "r"])[
        (np.nan_to_num(X[:, 0] + X[:, 1]) > 0).astype(int) + (random.random(70_000) > 0.8)
    ]
    y = np.where(y == "r", "q", y) if classes == 2 else y
    costs = {"costs": {"p": {"q": 5.0, "r": 1.0}}} if method is ts.DecisionTree and classes == 3 else {}
    model = method(threads=2, **costs).fit(X[:2_000], y[:2_000])
    want = model.classes_[model.model_.decide(model.predict_proba(X))]
    assert (model.predict(X) == want).all()
    assert (
        model.predict([dict(zip(("x0", "x1", "x2"), row, strict=True)) for row in X[:50].tolist()])
        == want[:50]
    ).all()
