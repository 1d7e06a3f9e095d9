"""How good, in a sentence: beside the baseline, and of a rare class what is found comes first."""

from __future__ import annotations

import random
import re

import pytest

import tallystick as ts
from tallystick.reports.page import report_page

pytestmark = pytest.mark.slow


def rare(n=2_000, share=0.02):
    draw, out = random.Random(3), []
    for _ in range(n):
        y = "ill" if draw.random() < share else "well"
        out.append({"x": draw.gauss(3.0 if y == "ill" else 0.0, 1.0), "y": y})
    return out


def test_of_a_rare_class_what_is_found_leads_and_false_alarms_are_counted():
    found = ts.report(rare(), "y", methods=["logistic"], folds=5, repeats=0)
    confusion = found.comparison.chosen.result.scores.confusion  # [truth, answer]; ill is the first
    hits, rows, alarms = int(confusion[0, 0]), int(confusion[0].sum()), int(confusion[1, 0])
    share = 0.1 * found.comparison.chosen.result.scores.curves["top_tenth"]["lift"]
    lead = (
        f"The 10 % of rows with the highest probability of ill hold {100 * share:.0f} % of those that are ill"
    )
    assert found.answer[0].startswith(lead)
    missed = f"the model finds {hits} and misses {rows - hits} ({100 * (rows - hits) / rows:.0f} %)"
    assert found.answer[1].startswith(f"Of the {rows} rows that are ill, {missed}, with {alarms} false alarm")
    assert "right for" in found.answer[-1]
    assert f"<dd>{hits} of {rows}</dd>" in found.html


def test_where_no_class_is_rare_the_score_ends_the_answer(given):
    _, said = report_page(given("tree"))
    accuracy = given("tree").chosen.result.measure("accuracy")
    assert f"the model is right for {round(100 * accuracy.value)} of 100" in said[-2]
    assert "always answering yes is right for" in said[-2]
    assert "and misses" in said[-1]  # of two classes what is missed is always told
    assert "false alarm" not in said[0]


def test_a_rare_class_that_is_never_answered_is_said_to_be_missed():
    rows = [{"x": i % 7, "y": "ill" if i % 50 == 0 else "well"} for i in range(1_000)]
    found = ts.report(rows, "y", methods=["bayes"], folds=5, repeats=0)
    assert any("finds none of the 20 rows that are ill" in s for s in found.answer)
    assert found.answer[0].startswith("No method predicts y clearly better")


def test_the_first_screen_has_one_baseline_and_no_score_outside_its_interval():
    draw = random.Random(1)
    rows = [{"x": i % 2, "z": draw.random(), "y": "pq"[i % 2 or i == 1_000]} for i in range(9_000)]
    found = ts.report(rows, "y", methods=["tree"], repeats=2)
    told = [re.sub("<[^>]+>", "", part) for part in re.findall(r"<dd.*?</dd>", found.html)]
    at = next(i for i, t in enumerate(told) if t.startswith("95"))
    value = float(told[at - 1].split()[0])
    low, high = (float(t) for t in re.findall(r"[\d.]+", told[at])[-2:])
    assert low <= value <= high
    base = found.comparison.chosen.result.baseline
    error = re.search(r"the baseline's error is ([\d.]+)", found.html)
    assert error is not None
    assert float(error[1]) == pytest.approx(100 * (1 - base), abs=0.051)
