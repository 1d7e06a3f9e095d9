"""Of the page, what if: the exported model, a field per column, rows to start from."""

from __future__ import annotations

import datetime
import random

import pytest
from opened import CHROMIUM, Opened, soon, tells
from pages import QUICK, people

import tallystick as ts
from tallystick.reports import rows as page
from tallystick.reports.rows import _field, limited, plain_row, what_if
from tallystick.schema import Column, Schema


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


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("€1,234.5", "€1,234.5 in the file is 1234.5 here"),
        ("1234,5%", "1234,5% in the file is 1234.5 here"),
        ("1.234,5", "1.234,5 in the file is 1234.5 here"),
        ("31.12.2020", "31.12.2020 in the file is 2020-12-31 here"),
        ("23:59", "8:30 in the file is 8.5 here"),
    ],
)
def test_a_field_says_how_it_takes_what_the_file_writes_otherwise(written, said):
    assert _field(Column("n", "numeric", low=1.0, high=9.0, written=written))["form"] == said
    assert "form" not in _field(Column("n", "numeric", low=1.0, high=9.0))


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.xdist_group("chromium")
def test_a_cell_as_the_file_writes_it_is_refused_beside_its_field_with_the_form_it_takes(browser, tmp_path):
    data, target, wishes = office("german", tmp_path / "table.csv")
    path = tmp_path / "page.html"
    ts.report(data, target, tuned=False, **wishes, **QUICK).save(path)
    with Opened(browser, path) as opened:
        page_ = opened.page
        names = page_.evaluate("report.data.ask.fields.map((f) => f.name)")
        for name, typed, plain_, form in (
            ("income", "4.511,49", "4511.49", "Enter a number such as 1771.55, or nothing."),
            ("part", "24,8 %", "24.8", "Enter a number such as 1771.55, or nothing."),
            ("opened", "20.08.2018", "2018-08-20", "Enter a date such as 2020-12-31, or nothing."),
        ):
            field = f"#field-{names.index(name)}"
            tells(page_, f"{field}-form", " in the file is ")
            page_.fill(field, typed)
            tells(page_, f"{field}-wrong", form)
            assert page_.get_attribute(field, "aria-invalid") == "true"
            assert page_.inner_text("#says") == "No answer"
            page_.fill(field, plain_)
            soon(lambda field=field: page_.inner_text(f"{field}-wrong"), "")
            assert page_.get_attribute(field, "aria-invalid") is None
            assert page_.inner_text("#says") != "No answer"
        assert opened.said == []


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


def test_a_row_to_start_from_is_written_as_the_exported_form_reads_it():
    columns = (
        Column("euro", "numeric", written="1.234,5 €", low=0.0, high=9.0),
        Column("comma", "numeric", low=0.0, high=9.0),
        Column("day", "numeric", unit="date", written="31.12.2020", low=0.0, high=9.0),
        Column("paid", "boolean", levels=("false", "true")),
        Column("text", "text", words=("a",)),
    )
    raw = {
        "euro": "6.486,08 €",
        "comma": "1,5",
        "day": "1.2.2021",
        "paid": "TRUE",
        "text": "1,5",
        "else": "1,5",
    }
    plain = {
        "euro": "6486.08",
        "comma": "1.5",
        "day": "2021-02-01",
        "paid": "true",
        "text": "1,5",
        "else": "1,5",
    }
    assert plain_row(Schema(columns), raw, ",") == plain
    gone = dict.fromkeys(raw)
    assert plain_row(Schema(columns), gone, ",") == gone


OFFICE = ("german", "money", "brackets", "percent", "commas")  # tables as offices write them


def office(name, path):
    """Write a table as an office does, and return what is reported of it, its target and its methods."""
    draw = random.Random(name)
    lines = {
        "german": ["customer;income;opened;at;part;late"],
        "money": ["price;sold;kind;paid"],
        "brackets": ["balance;weight;member;left"],
        "percent": ["rate;seen;sum;default"],
        "commas": ["age;salary;since;note;cost"],
    }[name]
    for _ in range(150):
        x, day = (
            draw.uniform(500, 9000),
            datetime.datetime(2015, 1, 1) + datetime.timedelta(hours=draw.randrange(40_000)),
        )
        amount, high = f"{x:,.2f}", x + draw.gauss(0, 1500) > 4000
        continental = amount.translate(str.maketrans(",.", ".,"))
        lines.append(
            {
                "german": f"{draw.choice('AB')};{continental};{day:%d.%m.%Y};{day:%H:%M};"
                f"{f'{x / 100:.1f}'.replace('.', ',')} %;{'nein' if high else 'ja'}",
                "money": f"€{amount};{day:%-m/%-d/%Y};{draw.choice('SML')};{'TRUE' if high else 'FALSE'}",
                "brackets": f"{amount if high else f'({amount})'};{x / 90:.1f} kg;"
                f"{draw.choice(('TRUE', 'FALSE', 'n/a'))};{draw.choice(('yes', 'no'))}",
                "percent": f"{x / 400:.2f}%;{day:%d/%m/%Y %H:%M};{amount[:-3].replace(',', chr(39))} CHF;"
                + ("yes" if high else "no"),
                "commas": f"{day.day + 20};{'n/a' if draw.random() < 0.3 else f'{x:.2f}'};{day:%Y-%m-%d};"
                f"{draw.choice(('paid late twice', 'no word since May'))};{x / 3:.2f}".replace(".", ","),
            }[name]
        )
    path.write_text("\n".join(lines), encoding="utf-8")
    target = lines[0].rpartition(";")[2]
    if name == "commas":
        return ts.read(path, decimal=","), target, {"methods": ("linear",), "regression": True}
    return str(path), target, {"methods": ("logistic",)}


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.xdist_group("chromium")
@pytest.mark.parametrize("name", OFFICE)
def test_every_row_to_start_from_is_answered_in_a_table_as_offices_write_it(name, browser, tmp_path):
    data, target, wishes = office(name, tmp_path / "table.csv")
    path = tmp_path / "page.html"
    ts.report(data, target, tuned=False, **wishes, **QUICK).save(path)
    with Opened(browser, path) as opened:
        page_ = opened.page
        fields = "report.data.ask.fields.map((f, k) => document.getElementById(`field-${k}`).value)"
        starts = page_.evaluate("report.data.ask.starts.map((s) => Object.values(s.row))")
        assert len(starts) > 2
        for k, row in enumerate(starts):
            page_.select_option("#start", str(k))
            assert page_.inner_text("#says") not in ("No answer", "Answer"), (k, page_.inner_text("#shares"))
            shown = page_.evaluate(fields)  # a list of levels, too, shows what the row holds
            assert sorted(shown) == sorted(v or "" for v in row)
        assert opened.said == []
