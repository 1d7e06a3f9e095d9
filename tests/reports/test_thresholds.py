"""Where to draw the line, on the page: the slider moves the table, prices find the cheapest threshold."""

from __future__ import annotations

import json
import re

import pytest
from opened import CHROMIUM, axe_findings, opened
from pages import QUICK, people

import tallystick as ts

browser = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
    pytest.mark.xdist_group("chromium"),
]


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


@pytest.mark.parametrize("width", [1440, 390])
class TestBrowser:
    """In a real browser."""

    pytestmark = browser

    def test_the_slider_and_the_prices_move_the_table(self, made, width):
        path, scores = made
        table = scores.thresholds(
            {scores.positive: {next(c for c in scores.classes if c != scores.positive): 5}}
        )
        with opened(path, width) as (page, said):
            own = page.inner_text("#threshold-table .confusion tbody")
            assert page.inner_text("#threshold-saving") == "0"
            page.fill("#price-missed", "5")
            assert f"Cheapest: {table.best.threshold:.6g}" in page.inner_text("#threshold-cheapest")
            page.click("#take-cheapest")
            assert page.inner_text("#threshold-cost") == f"{table.best.cost:,.0f}"
            assert page.inner_text("#threshold-saving") == f"{table.best.saving:,.0f}"
            assert page.inner_text("#threshold-table .confusion tbody") != own
            assert f"threshold={table.best.threshold:.6g}" in page.inner_text("#threshold-kept")
            page.focus("#threshold")
            page.keyboard.press("ArrowRight")
            page.click("#take-half")
            assert page.inner_text("#threshold-table .confusion tbody") == own
            box = page.locator("#threshold-table table").bounding_box()
            assert box["x"] + box["width"] <= width
            assert said == []

    def test_axe_finds_nothing(self, made, width):
        pytest.importorskip("axe_playwright_python", reason="axe is not installed")
        with opened(made[0], width) as (page, _):
            assert axe_findings(page) == []
