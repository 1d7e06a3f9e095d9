"""Naive Bayes: counts that add and subtract, reasons that add up, cuts by the MDL rule."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tallystick as ts
from tallystick import kernels
from tallystick.errors import DataError, OptionError

pytestmark = pytest.mark.slow

VOTES = Path(ts.__file__).parent / "examples" / "votes.csv"
GIVEN = {
    "kinds": {"sky": "levels", "wet": "boolean", "temp": "numeric", "n": "numeric", "say": "text"},
    "columns": ts.Columns(levels={"sky": ["fog", "rain", "sun"]}),
    "distributions": {"temp": "gaussian", "n": "poisson"},
}

cells = st.fixed_dictionaries(
    {
        "sky": st.sampled_from(["fog", "rain", "sun", None]),
        "wet": st.sampled_from(["true", "false", None]),
        "temp": st.none() | st.floats(-1e6, 1e6),
        "n": st.integers(0, 9),
        "say": st.sampled_from(["good food", "bad", "good bad food", "late", "", "new words here"]),
        "y": st.sampled_from(["a", "b", "c"]),
    }
)
BOTH = [
    {"sky": "fog", "wet": "true", "temp": 1.5, "n": 1, "say": "good food", "y": "a"},
    {"sky": "sun", "wet": "false", "temp": -2.25, "n": 4, "say": "bad", "y": "b"},
    {"sky": "sun", "wet": "true", "temp": 0.1, "n": 0, "say": "late", "y": "c"},
]
rows = st.lists(cells, max_size=12).map(lambda r: BOTH + r)


def fit(table, **more):
    return ts.NaiveBayes(**GIVEN, **more).fit(pd.DataFrame(table), "y")


# -- rows that come and go --


@settings(max_examples=30, deadline=None)
@given(rows, rows)
def test_update_and_plus_give_the_bytes_of_a_fit_on_all_rows(first, second):
    whole = fit(first + second).to_bytes(profile=False)
    assert fit(first).update(pd.DataFrame(second)).to_bytes() == whole
    assert (fit(first) + fit(second)).to_bytes() == whole
    assert (fit(second) + fit(first)).to_bytes() == whole


@settings(max_examples=30, deadline=None)
@given(rows, rows)
def test_forget_gives_the_bytes_of_a_fit_without_these_rows(kept, gone):
    assert fit(kept + gone).forget(pd.DataFrame(gone)).to_bytes() == fit(kept).to_bytes(profile=False)


@settings(max_examples=20, deadline=None)
@given(rows, rows)
def test_partial_fit_gives_the_bytes_of_one_fit(first, second):
    model = ts.NaiveBayes(**GIVEN)
    for part in (first, second):
        model.partial_fit(pd.DataFrame(part), "y")
    assert model.to_bytes() == fit(first + second).to_bytes(profile=False)


def test_forgetting_rows_never_learned_is_an_error_and_changes_nothing():
    model = fit(BOTH * 2)
    before = model.to_bytes()
    for strange in (
        BOTH * 3,
        [{**BOTH[0], "temp": 99.0}, BOTH[1], BOTH[2]],
        [{**BOTH[0], "sky": "sun"}, *BOTH[1:]],
    ):
        with pytest.raises(DataError, match="cannot forget"):
            model.forget(pd.DataFrame(strange))
        assert model.to_bytes() == before


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "chosen from all rows"),
        ({"distributions": "binned"}, "chosen from all rows"),
        ({"distributions": "gaussian", "words": "tf-idf"}, "tf-idf"),
        ({"distributions": "gaussian", "calibrate": True}, "calibration"),
    ],
)
def test_choices_that_depend_on_all_rows_are_refused_by_name(options, says):
    frame = pd.DataFrame([{**r, "temp": i * 0.3} for i, r in enumerate(BOTH * 8)])
    model = ts.NaiveBayes(kinds={**GIVEN["kinds"], "n": "out"}, **options).fit(frame, "y")
    before = model.to_bytes()
    for call in (lambda: model.update(frame), lambda: model.forget(frame), lambda: model + model):
        with pytest.raises(OptionError, match=says):
            call()
    assert model.to_bytes() == before


def test_models_of_other_columns_or_parameters_do_not_add():
    frame = pd.DataFrame(BOTH * 3)
    a = fit(BOTH * 3)
    with pytest.raises(DataError, match="same columns"):
        a + ts.NaiveBayes(**{**GIVEN, "kinds": {**GIVEN["kinds"], "say": "out"}}).fit(frame, "y")
    with pytest.raises(OptionError, match="different parameters"):
        a + fit(BOTH * 3, alpha=0.5)


# -- words --


@pytest.mark.parametrize("weights", [None, [1, 2, 1, 1, 3, 1]])
def test_words_of_fewer_rows_than_asked_for_are_unseen(weights):
    texts = ["ann bob", "bob cy cy", "dan ann", "eve bob", "ann fay", "bob ann"]
    frame = pd.DataFrame({"say": texts, "y": list("pqpqpq")})
    model = ts.NaiveBayes(kinds={"say": "text"}, min_count=2)
    model.fit(frame, "y", sample_weight=weights)
    words = model.schema_["say"].words
    assert words == (("ann", "bob") if weights is None else ("ann", "bob", "cy", "fay"))
    copies = frame.loc[np.repeat(range(6), [1] * 6 if weights is None else weights)]
    assert ts.NaiveBayes(kinds={"say": "text"}, min_count=2).fit(copies, "y").to_bytes() == model.to_bytes()
    kept = frame.assign(say=[" ".join(w for w in t.split() if w in words) for t in texts])
    plain = ts.NaiveBayes(kinds={"say": "text"}).fit(kept, "y", sample_weight=weights)
    np.testing.assert_array_equal(plain.predict_proba(kept), model.predict_proba(frame))
    assert "rare-words" in {n.code for n in model.notes_}
    table = model._read(frame, "y")
    part = table.take(np.arange(4))
    assert part.schema["say"].words == ("ann", "bob")
    with pytest.raises(OptionError, match="min_count=1"):
        model.update(frame, "y")
    assert pickle.loads(pickle.dumps(model)).to_bytes() == model.to_bytes()


# -- reasons --


@settings(max_examples=30, deadline=None)
@given(rows)
def test_the_reasons_of_a_row_add_up_to_its_score_to_the_bit(table):
    frame = pd.DataFrame(table)
    model = fit(table)
    joint, shares = model.predict_joint_log_proba(frame), model.predict_proba(frame)
    for i in range(min(len(frame), 4)):
        said = model.explain(frame, i)
        total = np.array(said.base)
        for reason in said.reasons:
            total = total + np.array(reason.parts)
        assert total.tolist() == list(said.scores) == joint[i].tolist()
        assert list(said.shares) == shares[i].tolist()
        assert said.answer == model.predict(frame)[i]
        assert "prior" in str(said)


def test_explaining_a_row_that_is_not_there_is_an_error():
    with pytest.raises(OptionError, match="row 9 is not there"):
        fit(BOTH).explain(pd.DataFrame(BOTH), 9)


def test_hostile_names_are_escaped_in_pictures_and_prints():
    rows_ = [
        {"<b>&": v, "y": c}
        for v, c in (("</text><script>", "a"), ("\x1b[31m", "b"), ("plain", "a"), ("plain", "b"))
    ]
    model = ts.NaiveBayes().fit(rows_, "y")
    svg = model.nomogram().svg
    assert "<script>" not in svg
    assert "&lt;script&gt;" in svg or "&lt;/text&gt;" in svg
    for text in (svg, str(model), str(model.votes()), str(model.explain(rows_[1])), model._repr_html_()):
        assert "\x1b" not in text


@pytest.mark.parametrize("options", [{}, {"calibrate": True}])
def test_the_logistic_form_gives_the_same_shares(options):
    frame = pd.DataFrame([{**r, "temp": i % 7} for i, r in enumerate(BOTH * 9)])
    model = ts.NaiveBayes(
        **{**GIVEN, "distributions": {"temp": "gaussian", "n": "poisson"}}, share="classes", **options
    )
    model.fit(frame, "y")
    form = model.to_logistic()
    for matched in model._blocks(frame):
        np.testing.assert_allclose(form.shares(matched.block), model.predict_proba(frame), atol=1e-12)
    assert "intercept" in str(form)
    assert form.to_dict()["intercepts"][-1] == 0


@settings(max_examples=40, deadline=None)
@given(rows.map(lambda table: [{k: v for k, v in r.items() if k != "say"} for r in table]))
def test_one_row_as_a_dict_gets_the_bits_it_gets_in_a_table(table):
    frame = pd.DataFrame(table)
    given_ = GIVEN | {"kinds": {c: k for c, k in GIVEN["kinds"].items() if c != "say"}}
    for distributions in ({"temp": "gaussian", "n": "binned"}, {"temp": "binned", "n": "gaussian"}):
        model = ts.NaiveBayes(**{**given_, "distributions": distributions}).fit(frame, "y")
        strange = {"sky": "hail", "wet": "TRUE", "temp": " 3.5 ", "n": 2.0}
        for row in [*table[:4], strange, {"sky": None, "wet": True, "temp": float("nan"), "n": "?"}]:
            cells_ = {k: v for k, v in row.items() if k != "y"}
            expected = model.predict_proba([cells_])[0]
            assert model.predict_proba_one(cells_).tolist() == expected.tolist()
    with pytest.raises(DataError, match="the row lacks 3 columns"):
        model.predict_one({"sky": "sun"})
    assert model.predict_one({"sky": "sun"}, missing_columns="as-missing") in model.classes_
    with pytest.raises(DataError, match="was numeric"):
        model.predict_one({**strange, "temp": "warm"})


# -- options --


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"alpha": -1}, "alpha must be"),
        ({"m": float("nan")}, "m must be"),
        ({"p": "half"}, "p must be"),
        ({"priors": "flat"}, "Use one of data, uniform, none"),
        ({"priors": [0.5]}, "3 classes"),
        ({"priors": [0.5, 0.5, 0.5]}, "sum to 1"),
        ({"variance": "sd"}, "Use one of ml"),
        ({"share": "all"}, "Use one of none"),
        ({"words": "counted"}, "Use one of counts"),
        ({"distributions": "gausian"}, "Did you mean 'gaussian'"),
        ({"distributions": {"temp": "levels"}}, "does not fit column 'temp'"),
        ({"distributions": {"tmp": "binned"}}, "Did you mean 'temp'"),
        ({"calibrate": 1}, "calibrate must be"),
    ],
)
def test_a_wrong_option_is_one_line_that_names_it(options, says):
    with pytest.raises(OptionError, match=says) as caught:
        ts.NaiveBayes(**{**GIVEN, **options}).fit(pd.DataFrame(BOTH * 3), "y").predict(pd.DataFrame(BOTH))
    assert "\n" not in str(caught.value)


def test_poisson_counts_below_0_are_refused():
    frame = pd.DataFrame({"n": [-1, 2, 3, 4], "y": [0, 1, 0, 1]})
    with pytest.raises(DataError, match="Poisson"):
        ts.NaiveBayes(distributions="poisson").fit(frame, "y")


def test_poisson_columns_have_the_rates_of_their_classes():
    frame = pd.DataFrame({"n": [0, 1, 2, 5, 6, 9], "y": list("aaabbb")})
    model = ts.NaiveBayes(distributions="poisson", m=0).fit(frame, "y")
    joint = model.predict_joint_log_proba(pd.DataFrame({"n": [4]}))[0]
    rates = 1.0, 20 / 3
    expected = [math.log(0.5) + 4 * math.log(r) - r for r in rates]
    assert joint == pytest.approx(expected)


def test_auto_reads_a_normal_column_as_gaussian_and_a_crooked_one_in_bins_and_says_so():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    ring = np.where(y == 0, rng.normal(0, 1, 300), rng.choice([-4.0, 4.0], 300) + rng.normal(0, 0.1, 300))
    frame = pd.DataFrame({"normal": rng.normal(2 * y, 1.0), "ring": ring, "y": y})
    model = ts.NaiveBayes().fit(frame, "y")
    assert {p.name: p.distribution for p in model.model_.parts} == {"normal": "gaussian", "ring": "binned"}
    assert {n.column for n in model.notes_ if n.code == "distribution-chosen"} == {"normal", "ring"}


def test_calibrated_shares_are_honest_where_columns_repeat_each_other():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 1500)
    x = np.where(rng.random(1500) < 0.75, y, 1 - y)
    frame = pd.DataFrame({f"copy{j}": np.where(x, "yes", "no") for j in range(8)} | {"y": y})
    plain, honest = (
        ts.NaiveBayes(calibrate=c).fit(frame, "y").predict_proba(frame)[:, 1] for c in (False, True)
    )
    assert plain[x == 1].mean() > 0.99
    assert honest[x == 1].mean() == pytest.approx(y[x == 1].mean(), abs=0.02)


# -- kernels --


def mdl_twin(counts):
    """Return the cuts of Fayyad and Irani, by the book."""

    def entropy(c):
        p = c[c > 0] / c.sum()
        return float(-(p * np.log2(p)).sum())

    def cuts(low, high):
        part = counts[low:high]
        total = part.sum(0)
        n = total.sum()
        if high - low < 2 or n < 2:
            return []
        left = np.cumsum(part, 0)[:-1]
        costs = [(a.sum() * entropy(a) + (total - a).sum() * entropy(total - a)) / n for a in left]
        i = int(np.argmin(np.round(costs, 12)))
        a, b = left[i], total - left[i]
        k, k1, k2 = ((c > 0).sum() for c in (total, a, b))
        price = math.log2(3.0**k - 2) - (k * entropy(total) - k1 * entropy(a) - k2 * entropy(b))
        if not entropy(total) - costs[i] > (math.log2(n - 1) + price) / n:
            return []
        return [*cuts(low, low + i + 1), low + i + 1, *cuts(low + i + 1, high)]

    return cuts(0, len(counts))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9), st.integers(2, 40), st.integers(2, 4))
def test_mdl_cuts_equal_the_twin(seed, values, classes):
    rng = np.random.default_rng(seed)
    shift = rng.integers(0, values, classes)
    counts = np.array([[rng.poisson(6 if v >= s else 1) for s in shift] for v in range(values)], np.int64)
    counts[counts.sum(1) == 0, 0] = 1
    assert kernels.mdl_cuts(counts).tolist() == mdl_twin(counts)
    assert kernels.mdl_cuts(counts * 2**20, 2**20).tolist() == mdl_twin(counts)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_words_by_class_equal_the_twin(data):
    n = data.draw(st.integers(0, 8))
    lengths = data.draw(hnp.arrays(np.int64, n, elements=st.integers(0, 4)))
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    words = data.draw(hnp.arrays(np.uint32, int(starts[-1]), elements=st.integers(0, 5)))
    counts = data.draw(hnp.arrays(np.uint32, int(starts[-1]), elements=st.integers(0, 9)))
    classes = data.draw(hnp.arrays(np.uint8, n, elements=st.integers(0, 2)))
    weights = data.draw(st.none() | hnp.arrays(np.int64, n, elements=st.integers(0, 2**40)))
    expected, once = np.zeros((5, 3), np.int64), np.zeros((5, 3), np.int64)
    for row in range(n):
        for e in range(starts[row], starts[row + 1]):
            if words[e] < 5:
                w = 1 if weights is None else weights[row]
                expected[words[e], classes[row]] += w * counts[e]
                once[words[e], classes[row]] += w
    for given_, want in ((counts, expected), (None, once)):
        out = kernels.count_entries(
            starts, words, given_, classes, weights=weights, out=np.zeros((5, 3), np.int64)
        )
        np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("weighted", [False, True])
def test_words_by_class_equal_the_twin_in_a_large_table(weighted):
    rng = np.random.default_rng(3)
    n, vocabulary, classes = 2_000, 30_000, 5  # large enough to be counted class after class
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 100, n))]).astype(np.int64)
    words = rng.integers(0, vocabulary + 5, starts[-1]).astype(np.uint32)  # the last five are beyond
    counts, labels = rng.integers(0, 2**31, starts[-1]).astype(np.uint32), rng.integers(0, classes, n)
    weights = rng.integers(0, 2**20, n) if weighted else None
    row = np.repeat(np.arange(n), np.diff(starts))
    expected = np.zeros((vocabulary + 5, classes), np.int64)
    more = counts.astype(np.int64) * (1 if weights is None else weights[row])
    np.add.at(expected, (words, labels[row]), more)
    out = np.ones((vocabulary, classes), np.int64)
    kernels.count_entries(starts, words, counts, labels.astype(np.uint8), weights=weights, out=out)
    np.testing.assert_array_equal(out - 1, expected[:-5])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(0, 600), st.integers(1, 4))
def test_level_scores_equal_those_of_each_column_to_the_bit(seed, columns, n, classes):
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, 7, n).astype(np.uint8) for _ in range(columns)]
    tables = [rng.normal(size=(7, classes)) for _ in range(columns)]
    together = rng.normal(size=(n, classes))
    alone = together.copy()
    kernels.add_level_scores(together, codes, tables)
    for code, table in zip(codes, tables, strict=True):
        kernels.add_code_scores(alone, code, table)
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("distribution", ["auto", "binned"])
def test_columns_of_many_values_give_the_same_bytes_in_any_order_and_place(distribution):
    rng = np.random.default_rng(5)
    n = 50_000  # more values than a sample has
    y = rng.integers(0, 3, n)
    X = np.stack([rng.normal(size=n) + y, rng.gamma(1 + y), rng.integers(0, 9, n) + 0.5 * y], axis=1)
    X[::11, 1] = np.nan
    other = rng.permutation(n)
    wish = {} if distribution == "auto" else {"distributions": distribution}
    model = ts.NaiveBayes(threads=1, **wish).fit(X, y).to_bytes(profile=False)
    assert ts.NaiveBayes(threads=3, **wish).fit(X[other], y[other]).to_bytes(profile=False) == model
    assert ts.NaiveBayes(memory="64MB", **wish).fit(X, y).to_bytes(profile=False) == model
    weighed = ts.NaiveBayes(**wish).fit(X, y, sample_weight=np.full(n, 2)).to_bytes(profile=False)
    assert weighed == ts.NaiveBayes(**wish).fit(np.repeat(X, 2, 0), np.repeat(y, 2)).to_bytes(profile=False)
