import tallystick as ts
from tallystick.teach.document import MOST_SHOWN


def test_the_rows_stand_on_the_page_as_they_were_read():
    rows = [
        {"n": 1.5, "l": "a", "t": "red red blue", "y": "no"},
        {"n": None, "l": None, "t": "red", "y": "yes"},
        {"n": 2, "l": "b", "t": None, "y": "yes"},
    ]
    kinds = {"n": "numeric", "l": "levels", "t": "text"}
    text = ts.work(rows, "y", kinds=kinds, columns=ts.Columns(keep=["n", "l"])).text()
    assert "  row          n  l          t             y\n" in text
    assert "    1        1.5  a          blue, red ×2  no\n" in text
    assert "    2  (missing)  (missing)  red           yes\n" in text


def test_a_large_table_is_counted_not_shown():
    rows = [{"a": i % 2, "b": i % 3, "y": i % 2} for i in range(MOST_SHOWN + 1)]
    text = ts.work(rows, "y").text()
    assert f"{MOST_SHOWN + 1} rows, 2 columns and the target y." in text


def test_what_was_done_to_the_table_is_said():
    rows = [{"a": i % 2, "b": 7, "y": i % 2} for i in range(8)]
    assert "Note: column 'b'" in ts.work(rows, "y").text()
