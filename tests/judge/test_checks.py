"""Every automatic check fires on a table made to deserve it, is silent on a sound one, and can be ignored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tallystick as ts
from tallystick.draw.svg import between, p_value
from tallystick.judge.checks import CODES, check_result, check_table
from tallystick.table.suspicious_values import variants


def sound(rows=400, seed=0):
    """Return a table without faults: two classes, two helpful columns."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=rows), rng.normal(size=rows)
    y = rng.random(rows) < 1 / (1 + np.exp(-1.5 * a - b))
    return {"a": a, "b": b, "y": np.where(y, "yes", "no").tolist()}


def codes(data, methods=("bayes",), **given):
    found = ts.compare(data, "y", methods=methods, tuned=False, folds=5, **given)
    return {c.code for c in found.checks}


def rare():
    data = sound()
    data["y"] = ["yes" if i % 27 == 0 else "no" for i in range(400)]
    return data


def few():
    data = sound(100)
    data["y"] = ["third" if i < 6 else y for i, y in enumerate(data["y"])]
    return data


def given_away():
    data = sound()
    data["paid"] = ["p" if y == "yes" else "q" for y in data["y"]]
    return data


def copies():
    data = sound(100)
    return {name: [*values, *values[:50]] for name, values in data.items()}


def noise():
    data = sound()
    data["y"] = np.random.default_rng(9).permutation(["yes", "no"] * 200).tolist()
    return data


def marked():
    data = sound()
    data["a"] = [-999.0 if i % 20 == 0 else value for i, value in enumerate(data["a"])]
    return data


def numbered():
    """Rows that were numbered class by class, in ten turns."""
    data = sound()
    turn = np.random.default_rng(3).integers(5, size=400)
    first = 1_000 * (2 * turn + (np.array(data["y"]) == "yes"))
    data["doc"] = (first + np.arange(400)).tolist()
    return data


def unread():
    """A text, and a column from which a tree predicts better."""
    data = sound()
    words = np.random.default_rng(4).choice(["red", "blue", "pie", "tea", "egg", "oil"], (400, 5))
    return data | {"text": [" ".join(w) for w in words]}


def test_the_page_on_judging_names_every_check():
    page = Path(__file__).resolve().parents[2] / "docs" / "judge.md"
    listed = page.read_text(encoding="utf-8").partition("Checks have codes (")[2].partition(")")[0]
    assert {code.strip().strip("`") for code in listed.split(",")} == set(CODES)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "make"),
    [
        ("imbalance", rare),
        ("few-rows", few),
        ("giveaway", given_away),
        ("repeated-rows", copies),
        ("baseline", noise),
        ("sentinel", marked),
        ("identifier", numbered),
    ],
)
def test_a_check_fires_where_it_should_and_can_be_ignored(code, make):
    assert code in codes(make())
    assert code not in codes(make(), ignore=[code])
    assert code not in codes(sound())


@pytest.mark.slow
def test_a_text_that_the_chosen_method_does_not_read_is_a_warning():
    given = {"kinds": {"text": "text"}}
    checks = ts.compare(unread(), "y", methods=["tree"], tuned=False, **given).checks
    (found,) = [c for c in checks if c.column == "text"]
    assert (found.code, found.text) == (
        "text-unread",
        "column 'text' holds text, which the chosen method (decision tree) does not read.",
    )
    assert "text-unread" not in codes(unread(), ignore=["text-unread"], methods=["tree"], **given)
    assert "text-unread" not in codes(unread(), **given)


@pytest.mark.slow
def test_a_number_that_orders_the_rows_by_class_is_named_at_the_first_screen_and_measures_are_not():
    checks = ts.compare(numbered(), "y", methods=["bayes"], tuned=False).checks
    found = [c for c in checks if c.column == "doc"]
    assert [c.code for c in found] == ["identifier"]
    assert "400 different numbers in 400 rows" in found[0].text
    assert "neighbours have the same class in 9" in found[0].text
    page = str(ts.report(numbered(), "y", folds=3).html)
    first = page[page.index('id="answer"') : page.index('id="data"')]
    assert "400 different numbers" in first
    assert "An identifier?" in first
    measured = sound()
    measured["a"] = [round(1e6 * v) for v in measured["a"]]  # whole, and no two are equal
    measured["band"] = [round(1e6 * abs(v)) * (-1) ** i for i, v in enumerate(measured["b"])]
    assert "identifier" not in codes(measured)


def test_a_model_that_learned_its_rows_by_heart_or_says_wrong_shares_is_told():
    data = noise()
    data |= {f"n{j}": np.random.default_rng(j).normal(size=400) for j in range(6)}
    by_heart = ts.DecisionTree(average=False, smoothing=0.01)
    result = ts.cross_validate(by_heart, data, "y", folds=5)
    found = {c.code: c for c in check_result(result, 0.01, "tree")}
    assert "on its training rows" in found["overfitting"].text
    assert "observed share" in found["calibration"].text or len(result.scores.curves["calibration"]) < 3
    again = {f"a{j}": sound()["a"] for j in range(12)}  # the same evidence twelve times over
    sure = ts.cross_validate(ts.NaiveBayes(distributions="gaussian"), {**sound(), **again}, "y", folds=5)
    assert "calibration" in {c.code for c in check_result(sure, None, "naive Bayes")}


def test_every_check_has_one_line_of_advice_and_a_known_code():
    for check in check_table(ts.NaiveBayes()._read(few(), "y")):
        assert check.code in CODES
        assert check.advice.endswith(".")
        assert "\n" not in check.text + check.advice


SPELT = ["Yes"] * 130 + ["Yse"] * 2 + ["no"] * 100 + ["No"] * 4


def test_classes_that_differ_by_a_slip_are_pointed_out_instead_of_asking_for_more_rows():
    rng = np.random.default_rng(4)
    data = {"a": rng.normal(size=len(SPELT)), "y": SPELT}
    for note in (*ts.DecisionTree().fit(data, "y").notes_, *ts.describe(data, "y").notes):
        if note.code == "labels-alike":
            assert "'No' (4 rows) may be 'no' (100 rows), 'Yse' (2 rows) may be 'Yes' (130 rows)" in note.text
            break
    else:
        pytest.fail("no note")
    found = ts.compare(data, "y", methods=("bayes",), tuned=False, folds=2).checks
    assert "labels-alike" in {c.code for c in found}
    assert "few-rows" not in {c.code for c in found}
    assert "Collect" not in " ".join(c.advice for c in found)


@pytest.mark.parametrize(
    ("labels", "counts", "pairs"),
    [
        (("Yes", "Yse", "no"), (100, 2, 90), {("Yse", "Yes")}),
        (("yes", "Yes"), (50, 50), {("yes", "Yes")}),
        (("cat", "car"), (50, 50), set()),  # as frequent as each other: two classes
        (("a1", "a2"), (1000, 1), set()),
        (("male", "female"), (1000, 10), set()),
        (("setosa", "setos"), (100, 1), {("setos", "setosa")}),
    ],
)
def test_slips_are_told_from_classes_of_their_own(labels, counts, pairs):
    assert {pair for pair, _ in variants(labels, counts)} == pairs


def test_what_two_columns_tell_is_told_with_and_without_missing():
    rows = [
        {"a": None if i % 3 == 0 else i % 2, "b": None if i % 3 == 0 else (i // 2) % 2} for i in range(240)
    ]
    data = {k: [r[k] for r in rows] for k in "ab"} | {"y": ["p", "q"] * 120}
    (pair,) = ts.NaiveBayes().independence(data, "y")
    assert pair.bits > 0.5  # missing together
    assert pair.both_there < 0.1
    assert "missing counts as a level" in str(ts.NaiveBayes().independence(data, "y"))


def test_a_p_is_never_0_and_different_ends_never_look_alike():
    assert [p_value(p) for p in (0.0, 1e-5, 0.0011, 0.5)] == ["< 0.001", "< 0.001", "0.001", "0.500"]
    assert between(1.0002, 1.0004, ".3g") == "1.0002 to 1.0004"
    assert between(99.2, 99.4, ".0f") == "99.2 to 99.4"
    assert between(91.2, 95.4, ".0f") == "91 to 95"
