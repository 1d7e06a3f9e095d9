"""The figures of methods side by side, as the lessons print them."""

from __future__ import annotations

import math
import re

import pytest

import tallystick as ts
from tallystick.teach.lessons import independent_rows

pytestmark = pytest.mark.slow

VOTES = {
    "physician-fee-freeze": 6.82,
    "el-salvador-aid": 4.20,
    "crime": 4.20,
    "education-spending": 3.56,
    "adoption-of-the-budget-resolution": -3.36,
    "aid-to-nicaraguan-contras": -3.25,
    "mx-missile": -3.07,
    "superfund-right-to-sue": 2.51,
    "duty-free-exports": -2.40,
    "anti-satellite-test-ban": -2.14,
    "religious-groups-in-schools": 2.07,
    "export-administration-act-south-africa": -2.01,
    "synfuels-corporation-cutback": -1.66,
    "handicapped-infants": -1.63,
    "immigration": 0.17,
    "water-project-cost-sharing": 0.08,
}


def test_votes_of_a_yes_are_the_published_ones():
    _, votes, judged = ts.lesson("votes").printed
    found = {name: float(w) for name, w in re.findall(r"^(\S+) = y +([+-][\d.]+) ", votes, re.MULTILINE)}
    assert votes.startswith("232\n")
    assert found == VOTES
    tree, bayes = (float(line.rsplit(" ", 1)[1]) for line in judged.strip().split("\n"))
    assert tree == pytest.approx(0.95, abs=0.015)
    assert bayes == pytest.approx(0.91, abs=0.015)


def test_logistic_regression_climbs_to_one_top_by_every_way():
    working, ways, separated = ts.lesson("logistic").printed
    steps = re.findall(r"^ +(\d+) +−([\d.]+) +\S+ +\S+ +(\S+) +(\S+)$", working, re.MULTILINE)
    heights = [-float(step[1]) for step in steps]
    assert heights == sorted(heights)
    hours = [0.5 * k for k in range(1, 11)]
    passed = [0, 0, 0, 1, 0, 1, 0, 1, 1, 1]
    w0, w = (float(x.replace("−", "-")) for x in steps[-1][2:])
    missed = [y - 1 / (1 + math.exp(-(w0 + w * x))) for x, y in zip(hours, passed, strict=True)]
    assert sum(missed) == pytest.approx(0, abs=1e-3)
    assert sum(m * x for m, x in zip(missed, hours, strict=True)) == pytest.approx(0, abs=1e-3)
    start = sum(x * (y - 0.5) for x, y in zip(hours, passed, strict=True))
    assert re.search(rf"hours +0 +{start:.4f} +0 +{start:.4f}", working)
    weights = [[float(x) for x in line.split()[1:]] for line in ways.strip().split("\n")]
    assert weights[1] == pytest.approx(weights[0], abs=2e-6)
    assert weights[2] == pytest.approx(weights[0], abs=2e-6)
    assert "separated completely" in separated


def test_the_sum_over_all_prunings_is_the_answer():
    text = ts.lesson("optimal-bayes").printed[0]
    total, own = re.findall(r"(?:products|answer): ([\d.]+)", text)
    assert total == own
    probabilities = [float(line.split()[-3]) for line in text.split("\n")[1:6]]
    assert sum(probabilities) == pytest.approx(1, abs=5e-4)


def errors(text):
    return [[float(e) for e in re.findall(r"([\d.]+) ±", line)] for line in text.split("\n") if "±" in line]


def test_curves_meet_where_the_naive_assumption_holds_and_logistic_regression_ends_lower_where_not():
    votes, meeting = map(errors, ts.lesson("generative").printed)
    assert votes[-1][1] < votes[-1][0]
    assert meeting[-1][0] == pytest.approx(meeting[-1][1], abs=0.005)
    assert meeting[-1][0] == pytest.approx(10 / 64, abs=0.01)


def test_columns_of_the_made_table_tell_nothing_of_each_other_given_the_class():
    rows = independent_rows()
    for y in (0, 1):
        own = [row for row in rows if row["y"] == y]
        both = sum(row["x1"] == row["x2"] == y for row in own) / len(own)
        assert both == (sum(row["x1"] == y for row in own) / len(own)) ** 2 == (3 / 4) ** 2


def test_text_is_far_beyond_chance():
    for line in ts.lesson("text").printed[0].strip().split("\n"):
        assert float(line.split()[-1]) > 0.7


def test_a_square_is_uncorrelated_and_tells_everything():
    pair, gain, balls = ts.lesson("independence").printed
    assert "correlation 0.0000" in pair
    assert "1.9502 bits about each other" in pair  # the gain
    assert "not independent" in pair
    assert "gain = 1.9502 − 0 = 1.9502" in gain
    assert "P(both) = 6/49 ≠ 288/2401 = 16/49 · 18/49 = P(R) · P(B)\n" in balls
    assert "P(R or B) = 16/49 + 18/49 − 6/49 = 4/7\n" in balls
    assert "P(both | Y = 1) = 1/6 = 1/6 = 1/3 · 1/2 = P(R | Y = 1) · P(B | Y = 1)\n" in balls
    assert balls.rstrip().endswith("exactly independent in these rows")
