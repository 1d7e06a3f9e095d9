"""What would change the answer, on the page: the sentences of Python, by the exported model."""

from __future__ import annotations

import pytest
from opened import CHROMIUM, Opened, axe_findings, becomes

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
    pytest.mark.xdist_group("chromium"),
]
SEARCH = """([row, columns, wanted]) =>
    tallySearch(report.model, report.data.ask.fields, row, columns, wanted).found.map((c) => c.text)"""


@pytest.mark.parametrize("name", ["tree", "bayes", "logistic", "card", "three bayes", "pairs card"])
def test_the_page_finds_the_changes_that_python_finds(browser, pages, name):
    path, found = pages(name)
    with Opened(browser, path) as opened:
        page = opened.page
        ask = page.evaluate("report.data.ask")
        labels, told = page.evaluate("report.data.labels"), 0
        for start in ask["starts"][:6]:
            row = {c.name: start["row"].get(c.name) for c in found.model.schema_.used}
            now = str(found.model.predict([row])[0])
            for wanted in ("", next(label for label in labels if label != now)):
                for columns in (ask["changeable"], ask["changeable"][:2]):
                    own = found.model.counterfactuals(row, wanted or None, columns=columns)
                    becomes(page, SEARCH, [str(c) for c in own.found], [row, columns, wanted])
                    told += len(own.found)
        assert told > 0
        opened.quiet()


def test_only_columns_that_are_allowed_change_and_a_change_can_be_taken(browser, pages):
    from playwright.sync_api import expect

    path, _ = pages("bayes")
    with Opened(browser, path, 390) as opened:
        page = opened.page
        before = page.inner_text("#says")
        page.click("#find-changes")
        first = page.locator("#changes li").first
        expect(first).to_contain_text("the answer would be")
        assert opened.fits()
        page.click(".changes summary")
        page.click("#allow-none")
        page.click("#find-changes")
        expect(page.locator("#changes")).to_contain_text("no change that was tried gives another")
        page.click("#allow-all")
        page.click("#find-changes")
        first.locator("button").click()
        expect(page.locator("#says")).not_to_have_text(before)
        expect(page.locator("#changes")).to_be_empty()
        assert axe_findings(page) == []
        opened.quiet()


def test_a_wanted_answer_is_given_by_every_change(browser, pages):
    with Opened(browser, pages("three bayes")[0]) as opened:
        page = opened.page
        now = page.inner_text("#says")
        wanted = next(label for label in page.evaluate("report.data.labels") if label != now)
        page.select_option("#wanted", wanted)
        page.click("#find-changes")
        page.wait_for_selector("#changes li")
        lines = page.eval_on_selector_all("#changes li", "all => all.map((e) => e.textContent)")
        assert lines
        assert all(f"the answer would be {wanted} (" in line for line in lines)
