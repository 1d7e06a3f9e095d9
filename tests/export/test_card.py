"""The printed card: every line with every digit, and no name leaves its cell."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import pytest
import small_cards as s

from tallystick.errors import OptionError
from tallystick.export.card import card_rules, export_card, scorecard
from tallystick.model.decision import decision_of, of_threshold

HOSTILE = "<script>alert(1)</script>|a\n# b\x1b[31m"


def tags(page: str) -> set[str]:
    return {tag.lower() for tag in re.findall(r"<\s*([a-zA-Z0-9]+)", page)}


def test_markdown_holds_the_base_the_lines_and_the_scale():
    text = scorecard(s.card(), "abc", "markdown")
    assert text.startswith("# Scorecard for loan\n\nBegin with +11 points")
    assert "| below 25 | -20 | 3 | 0.0% |" in text
    assert "| 25 to below 40.5 | +4 | 4 | 50.0% |" in text
    assert "| below 2000-01-01 | -5 | 4 | 25.0% |" in text
    assert "| 2000-01-01 to below 2000-01-01 12:00:00 | 0 | 2 | 50.0% |" in text
    assert "| free or rent | -7 | 4 | 25.0% |" in text
    assert "| contains late | -12 | 4 | 0.0% |" in text
    assert "| +20 | 66.7% |" in text
    assert "No points: shoe size." in text
    assert "Model file sha256: abc." in text


def test_a_pair_is_a_two_way_table():
    lines = scorecard(s.card(), "", "markdown").splitlines()
    start = lines.index("| age \\\\ home | free or rent | own |")
    assert lines[start + 2 : start + 4] == [
        "| \\< 30 | -9 (3) | 0 (2) |",
        "| ≥ 30 | +1 (1) | +2 (4) |",
    ]


def test_of_more_classes_each_has_a_column_of_points():
    text = scorecard(s.three(), "", "markdown")
    assert "| age | cat | dog | fish | rows |" in text
    assert "| below 25 | -20 | +4 | 0 | 4 |" in text
    page = scorecard(s.three(), "", "html")
    assert "<td>begin with</td>" in page
    records = list(csv.reader(io.StringIO(scorecard(s.three(), "", "csv"))))
    assert records[0][:6] == ["section", "line", "points cat", "points dog", "points fish", "rows"]
    assert records[1] == ["", "begin with", "1", "2", "-3"]


def test_the_csv_is_numbers_that_add_up():
    records = list(csv.reader(io.StringIO(scorecard(s.card(), "", "csv"))))
    assert records[0] == ["section", "line", "points", "rows", "share bad", "share good"]
    assert records[1] == ["", "begin with", "11"]
    assert ["age", "below 25", "-20", "3", "1.0", "0.0"] in records
    assert ["age × home", "below 30, free or rent", "-9", "3", "1.0", "0.0"] in records
    assert records[-1] == ["", "points that double the odds", "20"]


def test_the_page_is_for_print_and_loads_nothing():
    page = scorecard(s.card(), "", "html")
    assert tags(page) <= {
        *("html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "section", "table", "thead"),
        *("tbody", "tr", "th", "td", "footer", "br"),
    }
    assert "default-src 'none'" in page
    assert "size: A4" in page
    assert not re.search(r"(?:src|href|url)\s*[=(]", page)
    assert '<td>free or rent</td><td class="points">-7</td>' in page


@pytest.mark.parametrize("format", ["markdown", "html", "csv"])
def test_no_name_leaves_its_cell(format):
    model = s.card(("=cmd()", HOSTILE), HOSTILE)
    text = scorecard(model, "", format)
    assert "\x1b" not in text or format == "csv"
    if format == "html":
        assert "script" not in tags(text)
    elif format == "markdown":
        assert "<script>" not in text.replace("\\<", "")
        assert not any(line.startswith("# b") for line in text.splitlines())
    else:
        assert next(csv.reader(io.StringIO(text)))[4] == "share =cmd()"


def test_rules_of_a_card_are_the_printed_card():
    text = card_rules(s.card(), "abc", "text")
    assert text.startswith("# Tallystick")
    assert "Scorecard for loan" in text
    data = json.loads(card_rules(s.card(), "abc", "json"))
    assert data["base"] == [11]
    assert {line["line"] for line in data["sections"][0]["lines"]} >= {"below 25", "40.5 and more"}
    assert card_rules(s.card(), "abc", "markdown") == scorecard(s.card(), "abc", "markdown")


def test_all_levels_of_a_line_are_named():
    names = tuple(f"level {i:02}" for i in range(30))
    column = s.Column("many", "levels", names)
    axis = s.LevelAxis("many", (0,) * 30)
    part = s.LinePoints(axis, s.whole(3, 0, 0), s.whole([1, 2], [0, 0], [0, 0]))
    model = s.ScorecardModel(
        s.Schema((column,), s.Target("y", ("a", "b"))), s.card().options, 20, s.np.array([0]), (part,), s.FIT
    )
    assert " or ".join(names) in scorecard(model, "", "markdown")


def test_unknown_formats_and_other_models_are_refused():
    with pytest.raises(OptionError, match=r"a card has no format 'pdf'. Use one of markdown, csv, html."):
        export_card(s.card(), "", "pdf")
    import small_models

    with pytest.raises(OptionError, match=r"a model of logistic regression has no card. Fit a scorecard"):
        export_card(small_models.logistic(), "")


@pytest.mark.parametrize("of", ["good", "bad"])
def test_a_card_names_the_decision_that_is_kept_with_the_model(of):
    target = s.card().schema.predicted
    model = replace(s.card(), decision=of_threshold(target, 0.2, of))
    points = "more than -40.0" if of == "good" else "fewer than 40.0"
    other = {"good": "bad", "bad": "good"}[of]
    said = f"Answer {of} where its probability is above 0.2, else {other}: it has {points} points there."
    for text in (
        *(export_card(model, "abc", form) for form in ("markdown", "csv", "html")),
        card_rules(model, "abc", "text").replace("\n", " "),
    ):
        assert said in text
    assert json.loads(card_rules(model, "abc", "json"))["decision"] == {"of": of, "threshold": 0.2}
    assert "Answer " not in export_card(s.card(), "abc", "markdown")
    three = replace(s.three(), decision=decision_of(s.three().schema.predicted, {"cat": {"dog": 5}}))
    assert "Answer the class of least expected cost (cat answered dog costs 5" in export_card(three, "abc")
