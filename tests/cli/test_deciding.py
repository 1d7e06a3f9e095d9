"""Costs and thresholds on the command line, and tally decide."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest
from command import call

import tallystick as ts
from tallystick.cli.fit import CHEAPEST, read_costs, read_threshold
from tallystick.errors import OptionError

COSTS = "--costs 'yes→no: 5'"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with rows of two classes, of three, and a model."""
    folder = tmp_path_factory.mktemp("decided")
    rng = np.random.default_rng(7)
    x, sky = rng.normal(0, 1, 200), rng.choice(["sun", "rain"], 200)
    worth = x + (sky == "sun") + rng.normal(0, 1.2, 200)
    rows = pd.DataFrame({"x": np.round(x, 2), "sky": sky})
    rows.assign(y=np.where(worth > 1.2, "yes", "no")).to_csv(folder / "two.csv", index=False)
    rows.assign(y=np.array(["a", "b", "c"])[np.digitize(worth, [0, 1])]).to_csv(
        folder / "three.csv", index=False
    )
    ts.LogisticRegression().fit(str(folder / "two.csv"), "y").save(folder / "two.tally.json")
    return folder


@pytest.fixture
def here(place, monkeypatch):
    monkeypatch.chdir(place)
    return place


def said(capfd, line, code=0):
    assert call(line) == code
    out = capfd.readouterr()
    return out.out if code == 0 else out.err


def test_costs_are_read_with_either_arrow_and_several_of_them():
    want = {"bad": {"good": 5.0}, "good": {"bad": 0.5}}
    assert read_costs(["bad→good: 5", "good->bad:0.5"]) == want
    assert read_costs(["bad → good: 5; good -> bad: .5"]) == want
    assert read_costs(["a: b→c: 2"]) == {"a: b": {"c": 2.0}}
    assert read_costs([]) is None


@pytest.mark.parametrize(
    "text", ["bad: 5", "bad→good", "→good: 5", "bad→good: much", "bad→good: -1", "a→b: nan"]
)
def test_costs_that_make_no_sense_are_refused_with_an_example(text):
    with pytest.raises(OptionError, match="is not 'TRUTH→ANSWER: COST'. Write for example"):  # noqa: RUF043
        read_costs([text])


def test_thresholds_are_read_with_and_without_a_class():
    assert read_threshold("0.3") == ("", 0.3)
    assert read_threshold("bad: 0.3") == ("bad", 0.3)
    assert read_threshold("a: b:.3") == ("a: b", 0.3)
    assert read_threshold("cheapest") == ("", CHEAPEST)
    assert read_threshold("bad: cheapest") == ("bad", CHEAPEST)
    assert read_threshold(None) == ("", None)
    with pytest.raises(OptionError, match="is not 'CLASS: NUMBER'"):
        read_threshold("bad")


@pytest.mark.slow
def test_fit_keeps_costs_with_the_model_and_tells_what_they_save(here, capfd):
    text = " ".join(said(capfd, f"tally fit two.csv -t y --model logistic {COSTS} -o c.tally.json").split())
    assert (
        "answers: the class of least expected cost (no answered yes costs 1, yes answered no costs 5)" in text
    )
    assert "by the largest probability" in text
    assert "▸" in text
    model, plain = ts.load("c.tally.json"), ts.load("two.tally.json")
    assert model.decision_.costs == ((0.0, 1.0), (5.0, 0.0))
    assert (model.predict_proba("two.csv") == plain.predict_proba("two.csv")).all()
    assert (model.predict("two.csv") == "yes").sum() > (plain.predict("two.csv") == "yes").sum()
    assert call("tally verify c.tally.json two.csv") == 0


@pytest.mark.slow
def test_the_cheapest_threshold_is_chosen_on_rows_that_the_models_had_not_seen(here, capfd):
    line = f"tally fit two.csv -t y --model logistic {COSTS} --threshold cheapest --folds 4 -o t.tally.json"
    out = json.loads(said(capfd, f"{line} --json"))
    held = ts.cross_validate(ts.LogisticRegression(), "two.csv", "y", folds=4)
    best = held.scores.thresholds({"yes": {"no": 5}}).best
    assert ts.load("t.tally.json").decision_.threshold == best.threshold == out["decision"]["threshold"]
    assert out["decision"]["of"] == "yes"
    assert out["decision"]["cost"] == pytest.approx(best.cost / 200)
    assert out["decision"]["thresholds"]["best"]["found"] == best.found
    assert out["score"]["measures"]["accuracy"]["value"] == pytest.approx((best.found + best.cleared) / 200)


def test_a_threshold_without_a_class_is_of_the_rarer_and_without_folds_nothing_is_told(here, capfd):
    text = said(capfd, "tally fit two.csv -t y --model bayes --threshold 0.2 --folds 0 -o b.tally.json")
    assert "answers: yes where its probability is above 0.2, else no" in text
    assert "found" not in text
    assert ts.load("b.tally.json").decision_.of == "yes"
    wrong = said(capfd, "tally fit two.csv -t y --model bayes --threshold cheapest --folds 0", 2)
    assert "--threshold cheapest is chosen on cross-validated answers" in wrong


def test_three_classes_are_answered_by_costs(here, capfd):
    text = said(
        capfd, "tally fit three.csv -t y --model bayes --folds 3 --costs 'c→a: 9' -o three.tally.json"
    )
    assert "(c answered a costs 9, every other error 1)" in " ".join(text.split())
    assert "cost: " in text
    assert "threshold" not in text
    assert "a threshold is for two classes" in said(
        capfd, "tally fit three.csv -t y --model bayes --folds 3 --threshold 'a: 0.2'", 2
    )


def test_predict_answers_by_the_model_and_by_what_is_typed_this_once(here, capfd):
    call("tally decide two.tally.json --threshold 'yes: 0.2' -o low.tally.json")
    capfd.readouterr()

    def answers(line):
        rows = list(csv.DictReader(io.StringIO(said(capfd, line))))
        return [row["prediction"] for row in rows]

    low = answers("tally predict low.tally.json two.csv")
    shares = ts.load("two.tally.json").predict_proba("two.csv")[:, 1]
    assert low == np.where(shares > 0.2, "yes", "no").tolist()
    assert answers("tally predict two.tally.json two.csv --threshold 'yes: 0.2'") == low
    assert (
        answers("tally predict low.tally.json two.csv --threshold 0.7")
        == np.where(shares > 0.7, "yes", "no").tolist()
    )
    by_costs = answers(f"tally predict two.tally.json two.csv {COSTS}")
    assert by_costs == np.where(5 * shares > 1 - shares, "yes", "no").tolist()
    assert ts.load("two.tally.json").decision_ is None


def test_decide_shows_sets_and_removes_a_decision(here, capfd):
    assert "answers: the class of the largest probability" in said(capfd, "tally decide two.tally.json")
    text = said(capfd, "tally decide two.tally.json --costs 'yes->no: 5' -o d.tally.json")
    assert "least expected cost" in text
    kept = json.loads(said(capfd, "tally decide d.tally.json --json"))["decision"]
    assert kept["costs"] == [[0.0, 1.0], [5.0, 0.0]]
    said(capfd, "tally decide d.tally.json --clear -o e.tally.json")
    assert (here / "e.tally.json").read_bytes() == (here / "two.tally.json").read_bytes()
    wrong = said(capfd, "tally decide two.tally.json --threshold 0.3 -o f.tally.json", 2)
    assert "--threshold 0.3 of which class? Write --threshold 'no: 0.3' or 'yes: 0.3'." in wrong
    for line in ("--clear", "-o g.tally.json", f"--clear {COSTS} -o g.tally.json", "--threshold cheapest"):
        assert call(f"tally decide two.tally.json {line}") == 2
    for line in (f"{COSTS} --threshold 'yes: 0.1'", "--threshold 'maybe: 0.3'", "--costs 'maybe→no: 3'"):
        assert call(f"tally decide two.tally.json {line} -o g.tally.json") == 2
    assert not (here / "g.tally.json").exists()


@pytest.mark.slow
def test_compare_tells_what_the_answers_of_each_method_cost(here, capfd):
    line = "tally compare two.csv -t y --method bayes --method logistic --no-tuning --folds 4"
    text = said(capfd, f"{line} {COSTS}")
    assert "cost of a row" in text
    assert "at 0.5" in text
    assert "cheapest: by threshold of yes" in " ".join(text.split())
    assert "cost of a row" not in said(capfd, f"{line} --threshold 'yes: 0.2'")
    held = ts.compare("two.csv", "y", methods=["logistic"], tuned=False, folds=4, cost={"yes": {"no": 5}})[
        "logistic regression"
    ]
    assert f"{held.result.measure('cost').value:.4f}" in text
    assert call(f"{line} --threshold cheapest {COSTS}") == 2
