import json

import pytest

import tallystick as ts
from tallystick.teach.document import (
    Drawing,
    Formula,
    Headline,
    Listing,
    Lowered,
    Over,
    Quoted,
    Raised,
    Ratio,
    Root,
    Sentence,
    Space,
    Value,
    Working,
    without_answers,
    worked_out,
)

PARTS = (
    Headline(("Title",), 1),
    Sentence(("Do it.",), "question"),
    Space(2),
    Formula(("H(", Ratio(1, 2), ")"), ((Value(0.123456789),),)),
    Listing((("a",), ("b",)), (((Quoted("x"),), (Value(7),)),), frozenset({1}), marked=0),
    Formula(("p",), ((Over(("1",), (Root(("2",)),)), Raised(("3",)), Lowered(("4",))),), "answer"),
    Drawing(("├─ leaf",)),
    Sentence(("Because.",), "answer"),
)


def test_a_sheet_holds_nothing_that_was_worked_out():
    sheet = without_answers(PARTS)
    assert [type(p).__name__ for p in sheet] == ["Headline", "Sentence", "Space", "Formula", "Listing"]
    text = Working(PARTS, blank=True).text()
    for answer in ("0.1235", "7", "Because", "leaf", "→"):
        assert answer not in text
    assert "H(1/2) = ____" in text
    assert "Do it." in text


def test_the_working_holds_no_question():
    text = Working(PARTS).text()
    assert len(worked_out(PARTS)) == 6
    assert "Do it." not in text
    assert "0.1235" in text
    assert "Because." in text


def test_answers_come_after_the_sheet():
    text = Working(PARTS, answers=True).text()
    sheet, _, solution = text.partition("Solution")
    assert sheet.strip() == Working(PARTS, blank=True).text().strip()
    assert "Because." in solution
    assert "Title" not in solution


def test_a_working_is_written_by_the_ending_of_its_file(tmp_path):
    working = Working(PARTS)
    ways = {".txt": working.text, ".md": working.markdown, ".tex": working.latex, ".html": working.html}
    for ending, way in ways.items():
        working.save(tmp_path / f"w{ending}")
        assert (tmp_path / f"w{ending}").read_text() == way()


def test_a_file_of_another_kind_is_refused_in_one_line():
    with pytest.raises(
        ts.TallyError, match=r"^a working is written to .*not to 'w.docx'. Name such a file\.$"
    ):
        Working(PARTS).save("w.docx")


def test_plain_data_keeps_numbers_in_full():
    data = json.loads(json.dumps(Working(PARTS).to_dict(), allow_nan=False))
    assert data["parts"][1]["formula"][1] == [{"shown": "0.1235", "value": 0.123456789}]
    assert data["parts"][1]["formula"][0][1] == {"shown": "1/2", "value": "1/2"}
    assert data["parts"][2]["chosen"] == 0


def test_a_notebook_shows_it():
    assert "0.1235" in Working(PARTS)._repr_html_()
