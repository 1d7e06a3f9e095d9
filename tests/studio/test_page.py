"""The studio in a real browser: the whole job on two tables, by keyboard, narrow, dark, hostile names."""

from __future__ import annotations

import gzip
import re
from contextlib import contextmanager
from pathlib import Path

import pytest
from opened import CHROMIUM, LONG, STILL, becomes, chromium, soon, tells
from pages import hostile
from shared_tables import shared
from studio_server import studio

import tallystick as ts

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
    pytest.mark.xdist_group("chromium"),
]


LATE = """(what) => {
  const ask = window.fetch;
  window.fetch = async (...asked) => {
    if (String(asked[0]).includes(what)) await new Promise((go) => setTimeout(go, 1000));
    return ask(...asked);
  };
}"""  # what is asked for so comes a second later than the rest


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened:
        yield opened


class Desk:
    """A page of a studio, with everything it complained about and asked for."""

    def __init__(self, browser, found, width=1280, **context):
        self.found = found
        size = {"width": width, "height": 900}
        self.context = browser.new_context(viewport=size, **STILL | context)
        self.context.set_default_timeout(1000 * LONG)
        self.said, self.requests = [], []
        self.page = self.tab()
        self.page.goto(found.address)

    def tab(self):
        page = self.context.new_page()
        page.on("console", lambda m: self.said.append(m.text))
        page.on("pageerror", lambda e: self.said.append(str(e)))
        page.on("dialog", lambda d: (self.said.append("dialog"), d.dismiss()))
        page.on("request", lambda r: self.requests.append(r.url))
        return page

    def aim(self, target):
        self.page.select_option("#target", target)
        self.page.wait_for_selector("#columns .legend")

    def compare(self, *methods, folds=3):
        for box in self.page.locator('input[name="method"]').all():
            box.set_checked(box.get_attribute("value") in methods)
        self.page.fill("#folds", str(folds))
        self.page.click("#choose button[type=submit]")
        self.page.wait_for_selector("#save-view pre")
        self.page.wait_for_selector("#status", state="hidden")

    def look(self, name):
        self.page.select_option("#look", name)
        self.page.wait_for_selector(f"#model-name:has-text('{name}')")

    def saved(self, button):
        with self.page.expect_download() as coming:
            self.page.click(button)
        return Path(coming.value.path()).read_bytes()

    def quiet(self):
        assert self.said == []
        assert {url.split("/")[2] for url in self.requests if url.startswith("http")} == {
            f"127.0.0.1:{self.found.port}"
        }

    def fits(self):
        becomes(self.page, "document.documentElement.scrollWidth <= innerWidth")
        return True


@contextmanager
def desk(browser, folder, *given, **how):
    with studio(folder, *given) as found:
        out = Desk(browser, found, **how)
        try:
            yield out
        finally:
            out.context.close()


def serious(page):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    found = axe.Axe().run(page).response["violations"]
    bad = [v for v in found if v["impact"] in ("serious", "critical")]
    return [(v["id"], node["html"][:150]) for v in bad for node in v["nodes"]]


def test_the_whole_job_on_the_votes(browser, tables):
    with desk(browser, tables, "votes.csv") as at:
        page = at.page
        page.wait_for_selector("#target")
        at.aim("party")
        tells(page, "#columns", "physician-fee-freeze")
        at.compare("tree", "bayes")
        tells(page, ".razor", "standard error")
        page.locator("#threshold").fill("10")
        low = page.inner_text("#threshold-table")
        page.locator("#threshold").fill("90")
        soon(lambda: page.inner_text("#threshold-table") != low, True)
        page.fill("#price-missed", "50")
        page.click("#take-cheapest")
        soon(lambda: float(page.inner_text("#threshold-says b")) < 0.5, True)
        page.click("#keep-decision")
        page.wait_for_selector("#kept-decision:has-text('where its probability is above')")
        page.wait_for_selector("#script:has-text('model.set_decision(threshold=')")
        page.click("#drop-decision")
        page.wait_for_selector("#kept-decision:has-text('most probable class')")
        at.look("decision tree")
        page.click('[data-node="0"]')
        tells(page, "#node", "Which question to ask here")
        page.fill("#row-number", "1")
        page.click("#take-row")
        page.wait_for_selector("#says:has-text('republican')")
        page.click("#find-changes")
        page.wait_for_selector("#changes li")
        tells(page, "#changes", "With physician-fee-freeze = n the answer would be democrat")
        own = ts.DecisionTree().fit(str(tables / "votes.csv"), "party").to_bytes()
        assert at.saved('[data-save="model"]') == own
        assert b"SELECT" in at.saved('[data-save="sql"]').upper()
        script = page.inner_text("#script")
        page.reload()
        page.wait_for_selector("#save-view pre")
        soon(lambda: page.inner_text("#script"), script)
        soon(lambda: page.input_value("#target"), "party")
        other = at.tab()
        other.goto(at.found.home)
        other.wait_for_selector("#file option[value='days.csv']", state="attached")
        other.select_option("#file", "days.csv")
        other.wait_for_selector("#columns tr:has-text('sky')")
        tells(page, "#about", "votes.csv")
        soon(lambda: page.inner_text("#script"), script)
        assert serious(page) == []
        at.quiet()


def test_a_click_beside_a_part_that_comes_late_is_not_lost(browser, tables):
    with desk(browser, tables, "votes.csv") as at:
        page = at.page
        page.wait_for_selector("#target")
        at.aim("party")
        at.compare("tree")
        page.click("#keep-decision")
        page.wait_for_selector("#kept-decision:has-text('where its probability is above')")
        page.evaluate(LATE, "name=model")
        page.click("#drop-decision")
        page.wait_for_selector("#kept-decision:has-text('most probable class')")
        page.click('[data-node="0"]')
        tells(page, "#node", "Which question to ask here")
        page.wait_for_selector("#status", state="hidden")
        tells(page, "#node", "Which question to ask here", within=0)


def test_what_would_change_the_answer_is_asked_about_a_row_that_is_on_its_way(browser, tables):
    with desk(browser, tables, "votes.csv") as at:
        page = at.page
        page.wait_for_selector("#target")
        at.aim("party")
        at.compare("tree")
        page.evaluate(LATE, "/api/row")
        page.fill("#row-number", "1")
        page.click("#take-row")
        page.click("#find-changes")
        page.wait_for_selector("#says:has-text('republican')")
        tells(page, "#changes", "With physician-fee-freeze = n the answer would be democrat")
        at.quiet()


def test_a_tree_is_pruned_by_a_slider_and_built_by_hand(browser, tables):
    with desk(browser, tables, "votes.csv") as at:
        page = at.page
        page.wait_for_selector("#target")
        at.aim("party")
        at.compare("tree")
        page.click("#prunings")
        page.wait_for_selector("#prune")
        grown = page.locator("#tree .node").count()
        page.focus("#prune")
        page.keyboard.press("Home")
        page.wait_for_selector("#model-name:has-text('pruned to 1 leaf')")
        assert grown >= 1
        soon(lambda: page.locator("#tree .node").count(), 1)
        tells(page, "#pruned-to", "wrong on rows not seen")
        tells(page, "#scores", "pruned to 1 leaf")
        page.click("#begin-hand")
        page.wait_for_selector("#hand-score")
        page.click('[data-node="0"]')
        page.click('[data-ask="physician-fee-freeze"]')
        page.wait_for_selector("#hand-score:has-text('2 leaves')")
        page.click('[data-node="2"]')
        page.locator("#tests [data-ask]").first.click()
        page.wait_for_selector("#hand-score:has-text('3 leaves')")
        score = page.inner_text("#hand-score")
        page.reload()
        page.wait_for_selector("#hand-score")
        soon(lambda: page.inner_text("#hand-score"), score)
        page.click("#undo")
        page.wait_for_selector("#hand-score:has-text('2 leaves')")
        tells(page, "#script", "tree.split(0, 'physician-fee-freeze')")
        assert serious(page) == []
        at.quiet()


def test_the_whole_job_on_adult(browser, tmp_path):
    source = shared("adult/adult-train")
    folder = tmp_path / "adult"
    folder.mkdir()
    with gzip.open(source, "rt") as rows:
        (folder / "adult.csv").write_text("".join(rows.readlines()[:8_001]))
    with desk(browser, folder, "adult.csv") as at:
        page = at.page
        page.wait_for_selector("#target")
        target = page.locator("#target option").last.get_attribute("value")
        at.aim(target)
        page.select_option('select[data-column="fnlwgt"]', "out")
        page.wait_for_selector('tr.out:has-text("fnlwgt")')
        at.compare("tree", "logistic")
        at.look("logistic regression")
        knob = page.locator(".knob").first
        before = page.inner_text("#shares")
        knob.focus()
        page.keyboard.press("End")
        page.keyboard.press("Home")
        soon(lambda: bool(page.inner_text("#shares") != before or page.inner_text("#says")), True)
        page.fill("#row-number", "8")
        page.click("#take-row")
        page.click("#find-changes")
        page.wait_for_selector("#changes p")
        soon(lambda: bool(re.search(r"With .+ the answer would be", page.inner_text("#changes"))), True)
        tells(page, "#script", "kinds={'fnlwgt': 'out'}")
        columns = ts.Columns(kinds={"fnlwgt": "out"})
        own = ts.LogisticRegression(columns=columns).fit(str(folder / "adult.csv"), target).to_bytes()
        assert at.saved('[data-save="model"]') == own
        at.quiet()


def test_cancel_ends_the_work_and_the_page_goes_on(browser, tables):
    with desk(browser, tables, "votes.csv") as at:
        page = at.page
        page.wait_for_selector("#target")
        at.aim("party")
        page.fill("#folds", "100")
        page.check("#tuned")
        page.click("#choose button[type=submit]")
        page.wait_for_selector("#live table")
        page.click("#cancel")
        page.wait_for_selector("#status", state="hidden")
        page.uncheck("#tuned")
        at.compare("bayes")
        tells(page, "#scores", "naive Bayes")
        at.quiet()


def test_the_job_by_keyboard_alone(browser, tables):
    with desk(browser, tables) as at:
        page = at.page
        page.wait_for_selector("#file option[value='days.csv']", state="attached")

        def reach(selector):
            for _ in range(200):
                page.keyboard.press("Tab")
                if page.evaluate("(s) => document.activeElement.matches(s)", selector):
                    return
            raise AssertionError(f"{selector} is not reached")

        reach("#file")
        page.keyboard.type("days")
        page.wait_for_selector("#target")
        reach("#target")
        page.keyboard.type("play")
        page.wait_for_selector("#columns .legend")
        reach("#folds")
        page.keyboard.press("Control+A")
        page.keyboard.type("2")
        reach("#choose button[type=submit]")
        page.keyboard.press("Enter")
        page.wait_for_selector("#save-view pre")
        page.wait_for_selector("#status", state="hidden")
        reach("#threshold")
        before = page.inner_text("#threshold-says")
        page.keyboard.press("ArrowLeft")
        soon(lambda: page.inner_text("#threshold-says") != before, True)
        reach("#find-changes")
        page.keyboard.press("Enter")
        page.wait_for_selector("#changes p")
        reach('[data-save="model"]')
        with page.expect_download() as coming:
            page.keyboard.press("Enter")
        assert coming.value.suggested_filename == "play.tally.json"
        at.quiet()


def test_narrow_and_dark(browser, tables):
    with desk(browser, tables, "days.csv", width=390, color_scheme="dark") as at:
        page = at.page
        page.wait_for_selector("#target")
        at.aim("play")
        at.compare("tree", "bayes")
        soon(lambda: page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(20, 24, 28)")
        assert at.fits()
        assert serious(page) == []
        page.click("#theme")
        soon(lambda: page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        at.quiet()


def test_hostile_names_run_nothing(browser, tmp_path):
    import csv

    folder = tmp_path / "evil"
    folder.mkdir()
    strings = [s.replace("\r", " ") for s in hostile()]
    with (folder / "<img src=x onerror=document.title=1>.csv").open("w", newline="") as file:
        write = csv.writer(file)
        write.writerow([*strings[:8], strings[9]])
        for i in range(120):
            cells = [strings[40 + 4 * j + (i + i // 7) % 4] for j in range(8)]
            write.writerow([*cells, strings[100 + i % 2]])
    with desk(browser, folder) as at:
        page = at.page
        page.wait_for_selector("#file option:nth-child(2)", state="attached")
        page.select_option("#file", index=1)
        page.wait_for_selector("#target")
        page.select_option("#target", index=9)
        page.wait_for_selector("#columns .legend")
        at.compare("tree", "bayes")
        page.click("#find-changes")
        page.wait_for_selector("#changes p")
        assert "hit" not in page.title()
        assert page.query_selector("main img") is None
        soon(lambda: page.evaluate("document.scripts.length"), 2)
        at.quiet()
