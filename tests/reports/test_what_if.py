"""Of the page, what if: the exported model, a field per column, rows to start from."""

from __future__ import annotations

import pytest
from opened import CHROMIUM, Opened, soon, tells
from pages import QUICK, people

import tallystick as ts
from tallystick.data.schema import Column
from tallystick.reports import what_if as page
from tallystick.reports.what_if import _field, limited, what_if


def test_every_column_of_the_model_has_a_field_and_a_cell_in_each_start(given):
    found = what_if(given("bayes"), [{"label": "mine", "row": {"wind": "weak"}}])
    names = {c["name"] for c in found["form"]["columns"]}
    assert {f["name"] for f in found["fields"]} == names
    mine, middle = found["starts"]
    assert mine["row"] == {name: "weak" if name == "wind" else None for name in names}
    assert middle["label"] == "the middle of every column"
    assert middle["row"]["wind"] == "weak"


def test_a_model_too_large_for_a_page_has_no_form(given, monkeypatch):
    monkeypatch.setattr(page, "MOST_BYTES", 10)
    assert what_if(given("bayes"), []) is None


def test_a_field_knows_what_may_be_typed():
    assert _field(Column("c", "levels", levels=("u", "v"))) == {
        "name": "c",
        "kind": "levels",
        "levels": ["u", "v"],
    }
    assert _field(Column("c", "levels", levels=tuple(map(str, range(600)))))["kind"] == "typed"
    assert _field(Column("n", "numeric", low=1.0, high=9.0)) == {
        "name": "n",
        "kind": "numeric",
        "low": 1.0,
        "high": 9.0,
    }
    day = _field(Column("d", "numeric", unit="date", low=0.0, high=1e12))
    assert (day["kind"], day["hint"]) == ("date", "1970-01-01 to 1000000000000")  # beyond any calendar


def test_only_the_heaviest_words_are_kept_and_that_is_said(monkeypatch):
    monkeypatch.setattr(page, "MOST_WORDS", 2)
    form = {
        "columns": [{"name": "t", "kind": "text", "words": ["a", "b", "c"]}],
        "terms": [{"column": 0, "words": [[0.0, 3.0], [1.0, 1.0], [None, 0.0]], "idf": [1, 1, 1]}],
    }
    assert limited(form, 0) == {"column": "t", "kept": 2, "all": 3}
    assert form["columns"][0]["words"] == ["a", "c"]
    assert form["terms"][0] == {"column": 0, "words": [[0.0, 3.0], [None, 0.0]], "idf": [1, 1]}
    assert limited(form, 0) is None


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.xdist_group("chromium")
def test_a_slider_moves_a_number_and_values_outside_the_training_rows_are_told(browser, tmp_path):
    path = tmp_path / "page.html"
    ts.report(people(300), "income", methods=("logistic",), tuned=False, **QUICK).save(path)
    with Opened(browser, path) as opened:
        page_ = opened.page
        at = page_.evaluate("report.data.ask.fields.findIndex((f) => f.name === 'hours')")
        high = page_.evaluate("(k) => report.data.ask.fields[k].high", at)
        page_.fill(f"#field-{at}", "20")
        soon(lambda: page_.input_value(f"#field-{at}-range"), "20")
        before = page_.inner_text("#shares")
        page_.focus(f"#field-{at}-range")
        page_.keyboard.press("End")
        soon(lambda: float(page_.input_value(f"#field-{at}")), high)
        soon(lambda: page_.inner_text("#shares") != before, True)
        soon(lambda: page_.inner_text(f"#field-{at}-outside"), "")
        page_.fill(f"#field-{at}", "500")
        tells(page_, f"#field-{at}-outside", "outside the training rows, which go from")
        page_.fill(f"#field-{at}", "")
        soon(lambda: page_.inner_text(f"#field-{at}-outside"), "")
        assert opened.said == []
