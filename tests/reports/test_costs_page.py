"""Answers by what they cost, on the page: three classes in a table of costs, fifty in a list."""

from __future__ import annotations

import numpy as np
import pytest
from opened import CHROMIUM, Opened, axe_findings, tells

from tallystick.model.decision import decide

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
    pytest.mark.xdist_group("chromium"),
]


def figure(page, name: str) -> float:
    return float(page.inner_text(name).replace(",", "").replace("%", ""))


def test_costs_of_three_classes_answer_as_python_does(browser, pages):
    from playwright.sync_api import expect

    path, found = pages("three logistic")
    result = found.comparison.chosen.result
    with Opened(browser, path) as opened:
        page = opened.page
        tells(page, "#costs-says", "change no answer")
        assert figure(page, "#costs-cost") == (result.answered != result.truth).sum()
        labels = page.evaluate("report.data.labels")
        prices = 1.0 - np.eye(3)
        prices[2, 0] = 20.0
        page.fill('[data-cost="2 0"]', "20")
        expect(page.locator("#costs-says")).to_contain_text("by the most likely class")
        answers = decide(result.shares, prices)
        cost, own = (prices[result.truth, a].sum() for a in (answers, result.answered))
        assert figure(page, "#costs-cost") == pytest.approx(cost)
        assert figure(page, "#costs-saving") == pytest.approx(own - cost)
        counts = np.zeros((3, 3))
        np.add.at(counts, (result.truth, answers), 1)
        shown = page.eval_on_selector_all("#costs-table td b", "all => all.map((e) => e.textContent)")
        assert [float(t) for t in shown] == counts.ravel().tolist()
        kept = page.inner_text("#costs-kept")
        assert kept == f'model.set_decision(costs={{"{labels[2]}": {{"{labels[0]}": 20}}}})'
        exec(kept, {"model": found.model})
        assert np.array_equal(found.model.model_.decision.table, prices)
        found.model.clear_decision()
        page.click("#costs-plain")
        expect(page.locator("#costs-says")).to_contain_text("change no answer")
        assert axe_findings(page, "section:has(#costs-part)") == []
        opened.quiet()


@pytest.mark.parametrize("width", [1440, 390])
def test_costs_of_many_classes_are_named_one_by_one(browser, pages, width):
    from playwright.sync_api import expect

    with Opened(browser, pages("classes")[0], width) as opened:
        page = opened.page
        page.select_option("#cost-truth", label="class 3")
        page.select_option("#cost-answer", label="class 4")
        page.fill("#cost-of", "30")
        page.click("#cost-add")
        expect(page.locator("#costs-set li")).to_have_count(1)
        tells(page, "#costs-kept", '"class 3": {"class 4": 30}')
        page.click("#costs-set button")
        expect(page.locator("#costs-set li")).to_have_count(0)
        assert opened.fits()
        assert axe_findings(page, "section:has(#costs-part)") == []
        opened.quiet()
