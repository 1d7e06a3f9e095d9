"""The page of a target of numbers: true sentences, every section, every control, clean for axe."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from opened import CHROMIUM, Opened, axe_findings, becomes

import tallystick as ts
from tallystick.errors import TallyError
from tallystick.reports.page import SECTIONS

pytestmark = pytest.mark.slow

QUICK = {"folds": 3}


def houses(n=300, seed=3):
    """Rents by rooms, part of town and age, with noise."""
    draw, out = random.Random(seed), []
    for _ in range(n):
        rooms, town = draw.randint(1, 6), draw.choice(["north", "south", "<b>east"])
        rent = 200 * rooms + (300 if town == "north" else 0) + draw.gauss(0, 60)
        age = draw.randint(0, 90)
        out.append({"rooms": rooms, "town": None if draw.random() < 0.05 else town, "age": age, "rent": rent})
    return out


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A function: the report by a method, and its file."""
    known, folder = {}, tmp_path_factory.mktemp("numbers")

    def of(method):
        if method not in known:
            found = ts.report(houses(), "rent", methods=[method], by=["town", "age: 30, 60"], **QUICK)
            found.save(folder / f"{method}.html")
            known[method] = found, folder / f"{method}.html"
        return known[method]

    return of


@pytest.mark.parametrize("method", ["regression", "linear"])
def test_the_page_says_how_far_off_it_is_and_has_every_section(made, method):
    found, _ = made(method)
    result = found.comparison.chosen.result
    away = np.abs(result.answers - result.truth)
    half = float(np.quantile(away, 0.5, method="inverted_cdf"))
    assert f"half of the answers are off by at most {half:.4g}, " in found.answer[-1]
    assert f"on average by {result.measure('mae').value:.4g} (95 % interval" in found.answer[-1]
    ids = re.findall(r'<section id="([a-z-]+)"', found.html)
    assert ids == [s.id for s in SECTIONS]
    assert "<b>east" not in found.html.replace("\\u003cb\\u003east", "")
    assert "30 to below 60" in found.html
    assert "always answering the mean is off by" in found.html


def test_a_target_with_few_numbers_is_a_number_where_the_user_says_so(made):
    rows = [{"x": i % 7, "y": i % 7 // 2} for i in range(70)]
    assert "right for" in ts.report(rows, "y", methods=["tree"], folds=2, repeats=0).answer[-1]
    found = ts.report(rows, "y", regression=True, methods=["regression"], folds=2)
    assert "off by at most" in found.answer[-1]
    with pytest.raises(TallyError, match="continuous"):
        ts.report(houses(60), "rent", regression=False)
    with pytest.raises(TallyError, match="'bayes' is for classes; the target is a number"):
        ts.report(houses(60), "rent", methods=["bayes"])


def test_the_same_rows_give_the_same_page_in_any_order(made):
    found, _ = made("regression")
    rows = houses()
    random.Random(1).shuffle(rows)
    again = ts.report(rows, "rent", methods=["regression"], by=["town", "age: 30, 60"], **QUICK)
    assert again.html == found.html


def test_no_raw_row_is_on_a_page_without_rows():
    rows = [{**row, "note": f"secret{i}"} for i, row in enumerate(houses(120))]
    kinds = {"note": "levels"}
    found = ts.report(rows, "rent", methods=["regression"], rows=False, kinds=kinds, **QUICK)
    assert "made without raw rows" in found.html
    assert float(found.model.model_.rows.sum(axis=1).min()) > 1
    assert '"starts":[{"label":"the middle of every column"' in found.html


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.xdist_group("chromium")
def test_the_form_answers_as_the_model_does_and_axe_finds_nothing(browser, made):
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    row = {"rooms": "4", "town": "north", "age": "10"}
    for method, width, scheme in (("regression", 1440, "dark"), ("linear", 390, "light")):
        found, path = made(method)
        with Opened(browser, path, width, color_scheme=scheme) as page:
            page.page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
            for name, value in row.items():
                box = page.page.get_by_label(name, exact=True).first
                box.select_option(value) if name == "town" else box.fill(value)
            right = float(found.model.predict([{**row, "rooms": 4, "age": 10}])[0])
            becomes(page.page, "document.getElementById('says').textContent", f"rent: {right:.5g}")
            assert page.page.locator("#why").inner_text()
            if method == "regression":
                page.page.locator("#tree .node").first.click()
                becomes(page.page, "document.getElementById('node').textContent.includes('on average')")
            if pytest.importorskip("axe_playwright_python", reason="axe is not installed"):
                assert axe_findings(page.page) == []
            assert page.fits()
            page.quiet()
