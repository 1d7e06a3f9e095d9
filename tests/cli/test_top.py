"""tally predict --top: the most probable rows, and how many hits to expect."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pandas as pd
import pytest
from command import call

import tallystick as ts
from tallystick.cli.predict import TopWish
from tallystick.errors import OptionError
from tallystick.schema import Target


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("top")
    rng = np.random.default_rng(2)
    x = np.round(rng.normal(0, 1, 120), 1)
    y = np.where(x + rng.normal(0, 1, 120) > 1, "hit", "not")
    pd.DataFrame({"x": x, "id": np.arange(120) + 1000, "y": y}).to_csv(folder / "t.csv", index=False)
    ts.LogisticRegression(kinds={"id": "out"}).fit(str(folder / "t.csv"), "y").save(folder / "t.tally.json")
    return folder


@pytest.fixture
def here(place, monkeypatch):
    monkeypatch.chdir(place)


def test_the_most_probable_rows_come_first_with_their_numbers(here, capfd):
    assert call("tally predict t.tally.json t.csv --top 'hit: 10%' --with id") == 0
    out = capfd.readouterr()
    rows = list(csv.DictReader(io.StringIO(out.out)))
    shares = ts.load("t.tally.json").predict_proba("t.csv")[:, 0]
    want = np.argsort(-shares, kind="stable")[:12]
    assert [int(r["row"]) for r in rows] == (want + 1).tolist()
    assert [int(r["id"]) for r in rows] == (want + 1000).tolist()
    assert [float(r["P(hit)"]) for r in rows] == shares[want].tolist()
    truth = pd.read_csv("t.csv").y == "hit"
    told = " ".join(out.err.split())
    assert "12 of 120 rows, the most probable hit first" in told
    assert f"Hits, by the answers in the file: {truth[want].sum()} of 12" in told  # they are there: counted
    assert f"lift {truth[want].mean() / truth.mean():.2f}" in told


def test_hits_are_expected_by_probabilities_where_the_answers_are_not_known(here, capfd):
    pd.read_csv("t.csv").drop(columns="y").to_csv("n.csv", index=False)
    assert call("tally predict t.tally.json n.csv --top 'hit: 10%'") == 0
    shares = ts.load("t.tally.json").predict_proba("n.csv")[:, 0]
    hits = math.fsum(np.sort(shares)[-12:].tolist())
    told = " ".join(capfd.readouterr().err.split())
    assert f"Expected hits by the model's probabilities: {hits:,.1f}" in told
    assert f"lift {hits / 12 / shares.mean():.2f}" in told


def test_no_hits_are_promised_by_probabilities_that_are_not_calibrated(here, capfd):
    pd.read_csv("t.csv").drop(columns="y").to_csv("n.csv", index=False)
    for calibrate, promised in ((False, False), (True, True)):
        ts.NaiveBayes(calibrate=calibrate, kinds={"id": "out"}).fit("t.csv", "y").save("b.tally.json")
        assert call("tally predict b.tally.json n.csv --top 'hit: 10%'") == 0
        assert ("Expected hits" in " ".join(capfd.readouterr().err.split())) == promised


def test_a_number_of_rows_and_json(here, capfd):
    assert call("tally predict t.tally.json t.csv --top 'hit: 3' --proba --json") == 0
    out = json.loads(capfd.readouterr().out)
    assert len(out["predictions"]) == 3
    assert out["top"]["rows"] == 3
    assert out["top"]["of"] == 120
    assert out["top"]["expected_hits"] == pytest.approx(sum(r["P(hit)"] for r in out["predictions"]))
    assert list(out["predictions"][0]) == ["row", "prediction", "probability", "P(hit)", "P(not)"]


def test_rows_as_probable_as_the_last_are_counted(here, capfd, tmp_path):
    (tmp_path / "same.csv").write_text("x,id\n1,1\n1,2\n1,3\n0,4\n")
    assert call(f"tally predict t.tally.json {tmp_path / 'same.csv'} --top 'hit: 2'") == 0
    out = capfd.readouterr()
    assert [r["row"] for r in csv.DictReader(io.StringIO(out.out))] == ["1", "2"]
    assert "1 more are as probable as the last" in " ".join(out.err.split())


def test_the_class_of_the_threshold_or_the_rarer_of_two_is_meant_where_none_is_named(here, capfd):
    assert call("tally predict t.tally.json t.csv --top 5%") == 0
    assert "the most probable hit first" in " ".join(capfd.readouterr().err.split())
    with pytest.raises(OptionError, match=r"by the probability of which class\? Write --top 'a: 10%'"):
        TopWish.read("10%").place(Target("y", ("a", "b", "c")), "", [5, 2, 9])
    assert call("tally predict t.tally.json t.csv --top 5% --threshold 'not: 0.4'") == 0
    assert "the most probable not first" in " ".join(capfd.readouterr().err.split())
    assert call("tally predict t.tally.json t.csv --top 'hti: 5%'") == 2
    assert "'hti', which is not a class. Did you mean 'hit'?" in capfd.readouterr().err


@pytest.mark.parametrize("text", ["0%", "101%", "-3", "0", "many", "hit: ", "hit: 1.5", "nan%"])
def test_parts_that_make_no_sense_are_refused(text):
    with pytest.raises(OptionError, match="is not a part of the rows"):
        TopWish.read(text)


def test_parts_are_read():
    assert TopWish.read("10%") == TopWish("", share=0.1)
    assert TopWish.read("a: b: 2.5%") == TopWish("a: b", share=0.025)
    assert TopWish.read("hit: 100") == TopWish("hit", rows=100)
    assert [TopWish("", share=0.1).many(n) for n in (3, 15, 25)] == [1, 2, 2]
    assert TopWish("", rows=9).many(4) == 4


def test_new_words_of_a_text_are_words_and_not_levels(here, capfd):
    pd.DataFrame({"w": ["good day all", "bad luck to you"] * 30, "y": ["p", "q"] * 30}).to_csv(
        "w.csv", index=False
    )
    ts.NaiveBayes(kinds={"w": "text"}).fit("w.csv", "y").save("w.tally.json")
    pd.DataFrame({"w": ["good zebra", "bad quagga day"]}).to_csv("v.csv", index=False)
    assert call("tally predict w.tally.json v.csv") == 0
    told = " ".join(capfd.readouterr().err.split())
    assert "words the model has never seen: 2 (w 2)" in told
    assert "levels" not in told
