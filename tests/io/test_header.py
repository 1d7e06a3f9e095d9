"""Is the first row a header? Told by the rows below it."""

from __future__ import annotations

import csv
import gzip
import io
import random

import pytest
from shared_tables import every_shared, needs_data

from tallystick.io.csv_head import First, judged
from tallystick.io.open import open_source

IRIS = "5.1,3.5,1.4,0.2,Iris-setosa\n4.9,3.0,1.4,0.2,Iris-setosa\n7.0,3.2,4.7,1.4,Iris-versicolor\n"


def opened(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    source = open_source(path)
    rows = [tuple(row.values()) for batch in source.batches() for row in batch.to_pylist()]
    return source.columns, len(rows), {note.code for note in source.notes}


def test_a_first_row_like_those_below_is_data_with_a_note(tmp_path):
    for text, width in ((IRIS, 5), ("republican,n,y\n" + "democrat,y,n\nrepublican,y,y\n" * 2, 3)):
        names, rows, notes = opened(tmp_path, text)
        assert (names[0], len(names), rows) == ("column_1", width, text.count("\n"))
        assert "no-header" in notes


def test_a_date_over_dates_is_data_and_a_name_over_dates_is_not(tmp_path):
    days = "".join(f"2020-01-{d:02},{'Rose' if d % 3 else 'Iris'}\n" for d in range(1, 31))
    assert opened(tmp_path, days)[:2] == (("column_1", "column_2"), 30)
    assert opened(tmp_path, "day,flower\n" + days)[:2] == (("day", "flower"), 30)


@pytest.mark.parametrize(
    "text",
    [
        "a,b,c,d,class\n" + IRIS,  # a name over numbers
        "country,2019,2020\nFrance,2715.5,2630.3\nSpain,1393.0,1281.4\nItaly,2005.1,1888.7\n",  # years
        "sample,400.5,401.0,401.5,kind\n1,.5,.2,.3,a\n2,.1,.7,.1,b\n3,.9,.2,.4,a\n4,.2,.4,.9,b\n",  # a scale
        "vote,party\ny,a\nn,b\ny,b\nn,a\n",
    ],
)
def test_a_header_stays_one(tmp_path, text):
    names, rows, notes = opened(tmp_path, text)
    assert names == tuple(text.split("\n")[0].split(","))
    assert rows == text.count("\n") - 1
    assert not notes & {"no-header", "header-or-data"}


def test_where_it_cannot_be_told_a_note_asks(tmp_path):
    text = "ham,see you at nine\nspam,you have won\nham,so late already\nspam,call now\nham,fine\n"
    names, rows, notes = opened(tmp_path, text)
    assert (names, rows) == (("ham", "see you at nine"), 4)
    assert "header-or-data" in notes


@pytest.mark.slow
@needs_data
def test_no_header_of_the_shared_sets_is_taken_for_data_and_their_first_rows_are_data_or_doubted():
    rng = random.Random(0)
    for path in every_shared():
        with gzip.open(path, "rt", newline="") as file:
            text = file.read(1 << 20)
        head, *body = list(csv.reader(io.StringIO(text[: text.rfind("\n")], newline="")))[:1_000]
        for rows in (2, 3, 10, 99):
            below = rng.sample(body, min(rows, len(body)))
            assert judged(head, below) is First.HEADER, (path, rows)
        assert judged(body[0], body[1:100]) is not First.HEADER, path
