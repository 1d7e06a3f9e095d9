"""Where to draw the line, on the page: the slider moves the table, prices find the cheapest threshold."""

from __future__ import annotations

import json
import random
import re

import numpy as np
import pytest
from opened import CHROMIUM, Opened, axe_findings, soon, tells
from pages import QUICK, people

import tallystick as ts
from tallystick.description.text import describe_table
from tallystick.reports import quality as thresholds
from tallystick.reports.context import PageData
from tallystick.reports.quality import costs_section

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    rows = people(300)
    path = tmp_path_factory.mktemp("line") / "page.html"
    ts.report(rows, "income", methods=("logistic",), tuned=False, **QUICK).save(path)
    found = ts.compare(rows, "income", methods=["logistic"], tuned=False, folds=3)["logistic regression"]
    return path, found.result.scores


def given(path):
    text = path.read_text()
    return json.loads(re.search(r'id="given">(.*?)</script>', text, re.S)[1])


def test_the_page_counts_what_the_scores_count(made):
    path, scores = made
    part = given(path)["threshold"]
    label = scores.classes[part["of"]]
    assert label == scores.positive
    table = scores.thresholds(at=part["steps"])
    assert part["found"] == [p.found for p in table.points]
    assert part["alarms"] == [p.alarms for p in table.points]
    assert 0.5 in part["steps"]
    cost = [part["all"][0] - f + a for f, a in zip(part["found"], part["alarms"], strict=True)]
    assert min(cost) == table.best.cost
    assert len(part["steps"]) < 320


def test_three_classes_have_no_line_to_draw():
    rows = [{"x": k % 9, "y": "abc"[k % 9 // 3]} for k in range(120)]
    made = ts.report(rows, "y", methods=("tree",), tuned=False, **QUICK)
    assert 'id="threshold-part"' not in made.html


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.xdist_group("chromium")
@pytest.mark.parametrize("width", [1440, 390])
def test_the_slider_and_the_prices_move_the_table_and_axe_finds_nothing(browser, made, width):
    pytest.importorskip("axe_playwright_python", reason="axe is not installed")
    path, scores = made
    table = scores.thresholds({scores.positive: {next(c for c in scores.classes if c != scores.positive): 5}})
    with Opened(browser, path, width) as opened:
        page = opened.page
        own = page.inner_text("#threshold-table .confusion tbody")
        soon(lambda: page.inner_text("#threshold-saving"), "0")
        assert axe_findings(page, "section:has(#threshold-part)") == []
        page.fill("#price-missed", "5")
        tells(page, "#threshold-cheapest", f"Cheapest: {table.best.threshold:.6g}")
        page.click("#take-cheapest")
        soon(lambda: page.inner_text("#threshold-cost"), f"{table.best.cost:,.0f}")
        soon(lambda: page.inner_text("#threshold-saving"), f"{table.best.saving:,.0f}")
        soon(lambda: page.inner_text("#threshold-table .confusion tbody") != own, True)
        tells(page, "#threshold-kept", f"threshold={table.best.threshold:.6g}")
        page.focus("#threshold")
        page.keyboard.press("ArrowRight")
        page.click("#take-half")
        soon(lambda: page.inner_text("#threshold-table .confusion tbody"), own)
        box = page.locator("#threshold-table table").bounding_box()
        assert box["x"] + box["width"] <= width
        opened.quiet()


def three(n=300):
    draw = random.Random(2)
    return [{"x": round(draw.gauss(i % 3, 0.9), 2), "y": "abc"[i % 3]} for i in range(n)]


def test_costs_of_three_classes_bring_the_shares_of_rows_and_two_bring_none(given):
    assert costs_section(given("bayes")) is None
    found = ts.report(three(), "y", methods=["bayes"], folds=3, repeats=0)
    table = ts.NaiveBayes()._read(three(), "y")
    made = PageData("t", table, describe_table("t", table), found.comparison, folds=3)
    told = costs_section(made)
    result = found.comparison.chosen.result
    shares = np.array(told["data"]["shares"]).reshape(-1, 3)
    assert (told["rows"], told["some"], told["table"]) == ("300", "", True)
    assert np.abs(shares / told["data"]["parts"] - result.shares).max() < 1e-5
    assert told["data"]["truth"] == result.truth.tolist()
    assert (shares.argmax(axis=1) == result.answered).all()


def test_of_many_rows_some_stand_for_all_and_it_is_said(monkeypatch):
    monkeypatch.setattr(thresholds, "MOST_CELLS", 90)
    monkeypatch.setattr(thresholds, "MOST_TYPED", 2)
    html = ts.report(three(), "y", methods=["bayes"], folds=3, repeats=0).html
    assert "Counted on 30 of the 300 rows, evenly chosen" in html
