"""Naive Bayes by hand: each example gives the numbers that its counts give."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from shared_tables import needs_data, shared

import tallystick as ts

pytestmark = pytest.mark.slow


def table(text, names):
    """Return rows of words as a list of dicts."""
    return [dict(zip(names.split(), line.split(), strict=True)) for line in text.strip().splitlines()]


# -- boolean columns by counting --

TEN = table(
    """
    0 1 1 0 1
    0 0 1 1 1
    1 0 1 0 1
    0 0 1 1 1
    0 0 0 0 1
    1 0 0 1 0
    1 1 0 1 0
    1 0 0 0 0
    1 1 0 1 0
    1 0 1 1 0
    """,
    "f1 f2 f3 f4 y",
)
FEATURES = ("f1", "f2", "f3", "f4")


def of_yes(model, label):
    return [model.shares(f)["1", label] for f in FEATURES]


def test_shares_without_smoothing_are_counts_over_rows():
    model = ts.NaiveBayes(m=0, priors="none").fit(TEN, "y")
    assert of_yes(model, "1") == [1 / 5, 1 / 5, 4 / 5, 2 / 5]
    assert of_yes(model, "0") == [5 / 5, 2 / 5, 1 / 5, 4 / 5]


def test_a_zero_stays_a_zero_without_smoothing():
    model = ts.NaiveBayes(m=0, priors="none").fit(TEN, "y")
    row = [{"f1": 0, "f2": 0, "f3": 1, "f4": 1}]
    zero, one = np.exp(model.predict_joint_log_proba(row)[0])
    assert zero == 0.0
    assert one == pytest.approx(0.2048, abs=1e-12)
    assert model.predict(row).tolist() == ["1"]
    assert model.predict_proba(row).tolist() == [[0.0, 1.0]]


def test_the_laplace_correction_adds_1_to_each_value():
    model = ts.NaiveBayes(priors="none").fit(TEN, "y")
    assert of_yes(model, "1") == pytest.approx([2 / 7, 2 / 7, 5 / 7, 3 / 7], abs=1e-15)
    assert of_yes(model, "0") == pytest.approx([6 / 7, 3 / 7, 2 / 7, 5 / 7], abs=1e-15)
    assert model.shares("f1")["0", "0"] == pytest.approx(1 / 7)
    zero, one = np.exp(model.predict_joint_log_proba([{"f1": 0, "f2": 0, "f3": 1, "f4": 1}])[0])
    assert one == pytest.approx(0.15618, abs=1e-5)
    assert zero == pytest.approx(0.01666, abs=1e-5)


def test_the_vote_of_a_feature_is_the_difference_of_log_odds():
    model = ts.NaiveBayes().fit(TEN, "y")
    for f, a, b in zip(FEATURES, of_yes(model, "1"), of_yes(model, "0"), strict=True):
        expected = math.log(a / (1 - a)) - math.log(b / (1 - b))
        assert model.votes()[f] == pytest.approx(expected, abs=1e-12)


def test_a_declared_class_without_rows_has_shares_of_one_half():
    model = ts.NaiveBayes(columns=ts.Columns(levels={"y": ["0", "1", "2"]})).fit(TEN, "y")
    assert len(model.classes_) == 3
    assert [model.shares(f)["1", "2"] for f in FEATURES] == [0.5] * 4


def test_a_row_that_every_class_gives_0_is_answered_by_the_prior_and_flagged():
    rows = [{"a": "x", "b": "u", "y": 0}, {"a": "z", "b": "v", "y": 1}, {"a": "z", "b": "v", "y": 1}]
    model = ts.NaiveBayes(m=0).fit(rows, "y")
    strange = [{"a": "x", "b": "v"}]
    assert model.predict_proba(strange)[0] == pytest.approx([1 / 3, 2 / 3])
    assert model.explain(strange[0]).only_prior
    assert not model.explain({"a": "x", "b": "u"}).only_prior


# -- three attributes, five rows --

FIVE = table("1 0 0 0\n1 0 1 0\n0 1 0 0\n1 1 1 1\n1 1 0 1", "A1 A2 A3 y")
X6, X7 = {"A1": 0, "A2": 0, "A3": 0}, {"A1": 0, "A2": 1, "A3": 1}


@pytest.mark.parametrize(
    ("options", "row", "scores"),
    [
        ({"m": 0, "priors": "none"}, X6, (4 / 27, 0)),
        ({"m": 0}, X6, (4 / 45, 0)),
        ({"m": 0, "priors": "none"}, X7, (1 / 27, 0)),
        ({"m": 0}, X7, (1 / 45, 0)),
        ({"priors": "none"}, X6, (0.144, 0.03125)),
        ({}, X6, (0.0864, 0.0125)),
        ({"priors": "none"}, X7, (0.064, 0.09375)),
        ({}, X7, (0.0384, 0.0375)),
    ],
)
def test_scores_with_and_without_prior_and_smoothing(options, row, scores):
    model = ts.NaiveBayes(**options).fit(FIVE, "y")
    assert np.exp(model.predict_joint_log_proba([row])[0]) == pytest.approx(scores, abs=1e-12)
    assert model.predict([row])[0] == ("1" if scores[1] > scores[0] else "0")


def test_shares_of_five_rows():
    plain, laplace = ts.NaiveBayes(m=0).fit(FIVE, "y"), ts.NaiveBayes().fit(FIVE, "y")
    columns = ("A1", "A2", "A3")
    assert [plain.shares(c)["1", "1"] for c in columns] == [1, 1, 1 / 2]
    assert [plain.shares(c)["1", "0"] for c in columns] == pytest.approx([2 / 3, 1 / 3, 1 / 3])
    assert [laplace.shares(c)["1", "1"] for c in columns] == [3 / 4, 3 / 4, 2 / 4]
    assert [laplace.shares(c)["1", "0"] for c in columns] == [3 / 5, 2 / 5, 2 / 5]


# -- play tennis --


def test_play_tennis_without_smoothing():
    path = Path(ts.__file__).parent / "examples" / "play-tennis.csv"
    frame = pd.read_csv(path)
    target = frame.columns[-1]
    model = ts.NaiveBayes(m=0).fit(frame, target)
    names = dict(zip([c.lower() for c in frame.columns], frame.columns, strict=True))
    row = {
        names["outlook"]: "Sunny",
        names["temperature"]: "Cool",
        names["humidity"]: "High",
        names["wind"]: "Strong",
    }
    no, yes = np.exp(model.predict_joint_log_proba([row])[0])
    assert (yes, no) == (pytest.approx(0.005291, abs=1e-6), pytest.approx(0.020571, abs=1e-6))
    assert model.predict_proba([row])[0, 0] == pytest.approx(0.7954, abs=1e-4)


# -- exclusive or --


@pytest.mark.parametrize("rows", ["00 01 10 11", "00 00 11 11 01 10"])
def test_exclusive_or_gives_no_basis_to_choose(rows):
    given = [{"a": r[0], "b": r[1], "y": int(r[0] != r[1])} for r in rows.split()]
    model = ts.NaiveBayes().fit(given, "y")
    for column in "ab":
        assert model.shares(column).shares.tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_equal_shares_take_the_first_class():
    rows = [{"a": r[0], "b": r[1], "y": int(r[0] != r[1])} for r in ("00", "01", "10", "11")]
    model = ts.NaiveBayes().fit(rows, "y")
    assert model.predict([{"a": 0, "b": 1}]).tolist() == [0]


# -- enjoy sport, and the m-estimate --

SPORT = table(
    "Sunny Warm Same Yes\nSunny Warm Same No\nRainy Warm Change No\n"
    "Sunny Cool Change Yes\nSunny Cool Same No",
    "Sky Water Forecast Enjoy",
)


def test_enjoy_sport_although_no_row_has_just_these_values():
    model = ts.NaiveBayes(m=0).fit(SPORT, "Enjoy")
    no, yes = np.exp(
        model.predict_joint_log_proba([{"Sky": "Sunny", "Water": "Warm", "Forecast": "Change"}])[0]
    )
    assert yes == pytest.approx(0.1, abs=1e-12)
    assert no == pytest.approx(0.08889, abs=1e-5)


def test_the_m_estimate_adds_m_cases_with_shares_p():
    model = ts.NaiveBayes(m={"Sky": 3}, p={"Sky": {"Rainy": 0.25, "Sunny": 0.75}}).fit(SPORT, "Enjoy")
    assert model.shares("Sky")["Rainy", "Yes"] == pytest.approx((0 + 3 * 0.25) / (2 + 3))
    assert model.shares("Sky")["Sunny", "No"] == pytest.approx((2 + 3 * 0.75) / (3 + 3))
    assert model.shares("Water")["Warm", "Yes"] == pytest.approx((1 + 1) / (2 + 2))


def test_m_equal_k_with_p_1_over_k_is_the_laplace_correction():
    given, default = ts.NaiveBayes(m=2, p=0.5).fit(SPORT, "Enjoy"), ts.NaiveBayes().fit(SPORT, "Enjoy")
    for column in ("Sky", "Water", "Forecast"):
        assert given.shares(column).shares.tolist() == default.shares(column).shares.tolist()


def test_a_declared_level_never_seen_does_not_force_zero_once_m_is_positive():
    rows = [dict(r, Water="Warm") for r in SPORT]
    model = ts.NaiveBayes(columns=ts.Columns(levels={"Water": ["Cool", "Warm"]})).fit(rows, "Enjoy")
    assert "Water" in [c.name for c in model.schema_.used]
    shares = model.predict_proba([{"Sky": "Sunny", "Water": "Cool", "Forecast": "Same"}])[0]
    assert (shares > 0).all()


def test_one_column_alone():
    rows = table("Sunny Yes\nSunny No\nRainy No\nRainy Yes\nSunny No", "Sky Enjoy")
    model = ts.NaiveBayes(m=0).fit(rows, "Enjoy")
    no, yes = np.exp(model.predict_joint_log_proba([{"Sky": "Sunny"}])[0])
    assert (yes, no) == (pytest.approx(0.2), pytest.approx(0.4))
    assert model.predict([{"Sky": "Sunny"}]).tolist() == ["No"]


def test_an_unseen_level_counts_as_one_more_level():
    model = ts.NaiveBayes().fit(SPORT, "Enjoy")
    row = {"Sky": "Foggy", "Water": None, "Forecast": None}
    no, yes = np.exp(model.predict_joint_log_proba([row])[0])
    assert yes == pytest.approx(2 / 5 * 1 / (2 + 3))  # k = 3 with the unseen one, m = 3, p = 1/3
    assert no == pytest.approx(3 / 5 * 1 / (3 + 3))
    unsmoothed = ts.NaiveBayes(m=0).fit(SPORT, "Enjoy")
    assert np.exp(unsmoothed.predict_joint_log_proba([row])[0]) == pytest.approx([3 / 5, 2 / 5])


# -- text by word counts --

DOCUMENTS = [
    {"text": "Chinese Beijing Chinese", "y": "c"},
    {"text": "Chinese Chinese Shanghai", "y": "c"},
    {"text": "Chinese Macao", "y": "c"},
    {"text": "Tokyo Japan Chinese", "y": "j"},
]


@pytest.fixture(scope="module")
def chinese():
    return ts.NaiveBayes(kinds={"text": "text"}).fit(DOCUMENTS, "y")


def test_word_shares_of_four_documents(chinese):
    shares = chinese.shares("text")
    assert shares["chinese", "c"] == pytest.approx(6 / 14)
    assert shares["tokyo", "c"] == shares["japan", "c"] == pytest.approx(1 / 14)
    assert shares["chinese", "j"] == shares["tokyo", "j"] == shares["japan", "j"] == pytest.approx(2 / 9)


@pytest.mark.parametrize(
    ("text", "c", "j", "share"),
    [
        ("Chinese Chinese Chinese Tokyo Japan", 3.0121e-4, 1.3548e-4, 0.6898),
        ("Japan Macao Macao", 1.0933e-3, 6.8587e-4, 0.6145),
    ],
)
def test_documents_by_their_words(chinese, text, c, j, share):
    assert np.exp(chinese.predict_joint_log_proba([{"text": text}])[0]) == pytest.approx([c, j], rel=1e-4)
    assert chinese.predict_proba([{"text": text}])[0, 0] == pytest.approx(share, abs=1e-4)
    assert chinese.predict([{"text": text}]).tolist() == ["c"]


def test_a_document_of_5000_words_has_a_finite_normalised_answer(chinese):
    shares = chinese.predict_proba([{"text": "Chinese Tokyo Japan Macao Beijing " * 1000}])
    assert np.isfinite(chinese.predict_joint_log_proba([{"text": "Chinese Tokyo " * 2500}])).all()
    assert shares.sum() == pytest.approx(1, abs=1e-12)


def test_the_words_for_and_against_are_told(chinese):
    said = chinese.explain({"text": "Chinese Tokyo Japan"})
    words = dict(said.reasons[0].words)
    assert set(words) == {"chinese", "tokyo", "japan"}
    assert words["tokyo"] == pytest.approx((math.log(1 / 14), math.log(2 / 9)))


# -- Gaussian columns --

NUMBERS = pd.DataFrame(
    {
        "u": [1.0, 2, 3, 7, 8, 10, 4, 4.5],
        "v": [0.5, -1, 2, 2, 5, 6, 1, 0],
        "y": ["a", "a", "a", "b", "b", "b", "a", "b"],
    }
)


def test_variances_shared_four_ways_by_ml_and_unbiased():
    groups = {(c, k): NUMBERS.loc[NUMBERS.y == k, c] for c in "uv" for k in "ab"}
    squares = {key: float(((g - g.mean()) ** 2).sum()) for key, g in groups.items()}
    for rule, less in (("ml", 0), ("unbiased", 1)):
        for share in ("none", "classes", "columns", "both"):
            model = ts.NaiveBayes(distributions="gaussian", variance=rule, share=share).fit(NUMBERS, "y")
            for c, k in groups:
                together = [
                    (d, j)
                    for d, j in groups
                    if (d == c or share in ("columns", "both")) and (j == k or share in ("classes", "both"))
                ]
                expected = sum(squares[t] for t in together) / sum(len(groups[t]) - less for t in together)
                assert model.shares(c)["variance", k] == pytest.approx(expected, rel=1e-14)
                assert model.shares(c)["mean", k] == pytest.approx(groups[c, k].mean(), rel=1e-15)


@pytest.mark.parametrize("share", ["classes", "both"])
def test_with_variance_shared_across_classes_the_model_is_logistic(share):
    model = ts.NaiveBayes(distributions="gaussian", share=share).fit(NUMBERS, "y")
    form = model.to_logistic()
    for matched in model._blocks(NUMBERS):
        np.testing.assert_allclose(form.shares(matched.block), model.predict_proba(NUMBERS), atol=1e-12)
    slopes = {w.column: w.weights[0] for w in form.weights if not w.value}
    for c in "uv":
        means = [model.shares(c)["mean", k] for k in "ab"]
        assert slopes[c] == pytest.approx((means[0] - means[1]) / model.shares(c)["variance", "a"])


def test_with_a_variance_per_class_there_is_no_logistic_form():
    model = ts.NaiveBayes(distributions="gaussian").fit(NUMBERS, "y")
    with pytest.raises(ts.errors.OptionError, match="share='classes'"):
        model.to_logistic()


# -- Bayes' rule --


def test_a_test_for_a_disease():
    assert ts.bayes_rule({"ill": 0.008, "well": 0.992}, {"ill": 0.98, "well": 0.03})["ill"] == pytest.approx(
        0.20851, abs=1e-5
    )


def test_headache_and_flu():
    rule = ts.bayes_rule({"flu": Fraction(1, 40)}, {"flu": Fraction(1, 2)}, evidence=Fraction(1, 10))
    assert rule["flu"] == Fraction(1, 8)


def test_two_shooters():
    rule = ts.bayes_rule(
        {"first hits": Fraction(6, 10), "first misses": Fraction(4, 10)},
        {"first hits": 1, "first misses": Fraction(1, 2)},
    )
    assert rule["first hits"] == Fraction(3, 4)
    assert rule.evidence == Fraction(8, 10)


def test_two_coins():
    rule = ts.bayes_rule(
        {"two-headed": Fraction(1, 2), "fair": Fraction(1, 2)}, {"two-headed": 1, "fair": Fraction(1, 2)}
    )
    assert rule.predict({"two-headed": 1, "fair": Fraction(1, 2)}) == Fraction(5, 6)


def test_the_computation_is_shown():
    text = str(ts.bayes_rule({"ill": 0.008, "well": 0.992}, {"ill": 0.98, "well": 0.03}))
    for number in ("0.008", "0.98", "0.00784", "0.0376", "0.208511"):
        assert number in text


def test_priors_that_do_not_sum_to_1_are_refused():
    with pytest.raises(ts.errors.OptionError, match="sum to"):
        ts.bayes_rule({"a": 0.5, "b": 0.4}, {"a": 1, "b": 1})


# -- congressional voting --

PUBLISHED = {
    "physician-fee-freeze": 6.82, "el-salvador-aid": 4.20, "crime": 4.20, "education-spending": 3.56,
    "adoption-of-the-budget-resolution": -3.36, "aid-to-nicaraguan-contras": -3.25, "mx-missile": -3.07,
    "superfund-right-to-sue": 2.51, "duty-free-exports": -2.40, "anti-satellite-test-ban": -2.14,
    "religious-groups-in-schools": 2.07, "export-administration-act-south-africa": -2.01,
    "synfuels-corporation-cutback": -1.66, "handicapped-infants": -1.63, "immigration": 0.17,
    "water-project-cost-sharing": 0.08,
}  # fmt: skip


@pytest.fixture(scope="module")
def congress():
    return pd.read_csv(Path(ts.__file__).parent / "examples" / "votes.csv", na_values="?")


def test_votes_for_republican_of_a_yes_on_complete_rows(congress):
    complete = congress.dropna()
    assert len(complete) == 232
    votes = ts.NaiveBayes().fit(complete, "party").votes("republican")
    assert {v.column: round(v.weight, 2) for v in votes} == pytest.approx(PUBLISHED, abs=0.0051)
    assert next(iter(votes)).column == "physician-fee-freeze"


def test_votes_with_missing_cells_left_out_per_column(congress):
    votes = ts.NaiveBayes().fit(congress, "party").votes()
    assert [round(votes[c], 2) for c in ("physician-fee-freeze", "crime", "el-salvador-aid")] == [
        6.80,
        4.30,
        4.14,
    ]


def test_congress_in_cross_validation_reaches_0_895(congress):
    assert ts.cross_validate(ts.NaiveBayes(), congress, "party").accuracy >= 0.895


# -- text at size --


def newsgroups(name):
    return pd.read_csv(shared(f"20newsgroups/{name}"), keep_default_na=False)


@needs_data
def test_20_newsgroups_by_date():
    train, test = newsgroups("20news-bydate-train"), newsgroups("20news-bydate-test")
    kinds = {"doc_id": "out", "text": "text"}
    plain = ts.NaiveBayes(kinds=kinds, min_letters=2).fit(train, "newsgroup")  # the words that were published
    assert plain.score(test) == pytest.approx(0.7728, abs=0.0005)
    best = ts.NaiveBayes(kinds=kinds, distributions="complement", words="tf-idf").fit(train, "newsgroup")
    assert best.score(test) >= 0.83  # 0.8364


@needs_data
def test_20_newsgroups_two_thirds_without_the_headers_that_tell():
    frame = newsgroups("20news-19997")
    frame = pd.DataFrame({"text": frame["text"].map(without_headers), "newsgroup": frame["newsgroup"]})
    order = np.random.default_rng(1).permutation(len(frame))
    train, test = frame.iloc[order[: 2 * len(frame) // 3]], frame.iloc[order[2 * len(frame) // 3 :]]
    laplace = ts.NaiveBayes(kinds={"text": "text"}).fit(train, "newsgroup")
    assert laplace.score(test) == pytest.approx(0.81, abs=0.01)
    small = ts.NaiveBayes(kinds={"text": "text"}, alpha=0.01).fit(train, "newsgroup")
    assert small.score(test) >= 0.84
    best = ts.NaiveBayes(kinds={"text": "text"}, distributions="complement", words="tf-idf").fit(
        train, "newsgroup"
    )
    assert best.score(test) >= 0.87
    # one newsgroup as "interesting": it is crowded into the top tenth by score
    hockey = best.predict_proba(test)[:, best.classes_.tolist().index("rec.sport.hockey")]
    top = np.argsort(-hockey)[: len(test) // 10]
    assert (test["newsgroup"].to_numpy()[top] == "rec.sport.hockey").mean() > 0.4


def without_headers(article):
    """Keep Subject, From, Organization, Lines and the body: the other headers give the group away."""
    head, _, body = article.partition("\n\n")
    kept = [
        h for h in head.split("\n") if h.lower().startswith(("subject:", "from:", "organization:", "lines:"))
    ]
    return "\n".join(kept) + "\n\n" + body


# -- dependence and independence --


def test_a_square_has_correlation_0_and_tells_about_its_root():
    x = np.arange(-10, 11)
    frame = pd.DataFrame({"x": np.tile(x, 20), "square": np.tile(x * x, 20), "y": np.tile([0, 1], 210)})
    assert abs(np.corrcoef(frame.x, frame.square)[0, 1]) < 1e-12
    (pair,) = ts.NaiveBayes(kinds={"x": "numeric", "square": "numeric"}).independence(frame, "y")
    assert pair.bits > 0.5
    assert pair.excess > 0.5


def test_balls_depend_on_each_other_but_not_given_the_urn():
    # urn y = 1 (6 rows): 1/3 red, 1/2 blue, independent; urn y = 2: other shares, independent too
    rows = [{"r": r, "b": b, "urn": "1"} for r in "011" for b in "01"]
    rows += [{"r": r, "b": b, "urn": "2"} for r in "0001" for b in "0001"]
    from tallystick.bayes.explain import conditional_information

    cells = np.zeros((2, 2, 2))
    for row in rows:
        cells[int(row["r"]), int(row["b"]), int(row["urn"]) - 1] += 1
    assert conditional_information(cells)[0] == pytest.approx(0, abs=1e-12)
    assert conditional_information(cells.sum(axis=2, keepdims=True))[0] > 0.005
    (pair,) = ts.NaiveBayes().independence(rows, "urn")
    assert pair.bits == pytest.approx(0, abs=1e-12)
