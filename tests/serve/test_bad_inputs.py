"""What people bring, by HTTP: every row of the front door's list that a server can meet.

A fit is not served, so what is brought to one is a model that does not load. Of what is brought to a
prediction, what is an error on the command line is a 4xx of one line here, and what is a note is a note.
"""

from __future__ import annotations

import json
import re

import pyarrow as pa
import pytest
from arrow_bytes import of_rows, packed
from bad_inputs import FIT, TABLE, Case
from bad_inputs_asked import PREDICT
from serving import serving

import tallystick as ts
from tallystick.serve.requests import ARROW

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::tallystick.TallyWarning")]

# how a file is read: what stands for it in the address
OPTIONS = {"strict": "strict", "sep": "sep", "encoding": "encoding", "bad_rows": "bad_rows", "inf": "inf"}
OPTIONS |= {"decimal": "decimal", "header": "header"}
FLAGS = {"--missing-columns": "missing_columns", "--lenient": "lenient"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad")
    (folder / "train.csv").write_bytes(TABLE)
    ts.NaiveBayes().fit(folder / "train.csv", "y").save(folder / "m.tally.json")
    with serving(folder, folder / "m.tally.json") as found:
        yield found


def query(case: Case) -> str:
    given = {
        OPTIONS[k]: str(v).lower() if isinstance(v, bool) else v
        for k, v in case.options.items()
        if k in OPTIONS
    }
    flags = list(case.flags)
    for flag, name in FLAGS.items():
        if flag in flags:
            at = flags.index(flag)
            given[name] = "true" if flag == "--lenient" else flags[at + 1]
    from urllib.parse import urlencode

    return f"?{urlencode(given)}" if given else ""


def one_line(answer) -> str:
    assert 400 <= answer.status < 500, answer.body
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.body.count(b"\n") == 1
    assert b"Traceback" not in answer.body
    assert b"/proc/" not in answer.body
    assert b"/tmp" not in answer.body
    return answer.json()["detail"]


def sent(server, case: Case):
    """A body of CSV is answered as JSON: the notes stand in the answer."""
    return server.ask(
        "POST", f"/v1/predict{query(case)}", case.data, content_type="text/csv", accept="application/json"
    )


@pytest.mark.parametrize("case", PREDICT, ids=lambda case: f"{case.row} {case.what}")
def test_new_rows(server, case):
    answer = sent(server, case)
    if case.outcome == "ERROR":
        said = one_line(answer)
        wanted = case.says.replace("missing_columns='as-missing'", r"\?missing_columns=as-missing")
        assert re.search(wanted.replace("lenient=True", r"\?lenient=true"), said), said
        return
    assert answer.status == 200, answer.body
    notes = answer.json()["notes"]
    met = {55: "notes", 58: "unreadable_cells", 59: "unseen_levels", 60: "outside_range"}
    if case.outcome == "NOTE":
        assert notes[met[case.row]]
    rows = case.data.count(b"\n") - 1
    assert len(answer.json()["predictions"]) == rows


# what is wrong with a file before its rows are looked at; the target is not asked for here
FILES = [case for case in FIT if case.row <= 16 and case.row not in (3,)]


@pytest.mark.parametrize("case", FILES, ids=lambda case: f"{case.row} {case.what}")
def test_files(server, case):
    if len(case.data) > 16 << 20:
        assert "more than 16,777,216 bytes" in one_line(sent(server, case))
        return
    answer = sent(server, case)
    if case.outcome == "ERROR" and case.row != 2 and answer.status != 200:
        one_line(answer)
    elif case.row == 14:
        one_line(answer)  # packed files are not for here
    elif answer.status != 200:
        assert "lacks" in one_line(answer), answer.body  # no header, so no names
    else:
        # rows that cannot be read have their place, and say why
        told = answer.json()
        assert all(one["label"] is not None or one["unread"] for one in told["predictions"])


# cells of every row on values, as JSON and as CSV: a 4xx of one line, or an answer
CELLS = {
    24: ["many", 3, True],
    25: ["", "NA", "N/A", "null", "?", "-"],
    29: ["inf", "-inf", 1e999, "1e999"],
    30: [1e308, 1e-308, 1e39],
    31: [-0.0, "-0.0"],
    32: [2**53 + 1, 2**70, 10**400],
    33: [1, 1.0, "1", True],
    34: ["00123"],
    35: ["3,14", "1,234", "12 %", "$5"],
    36: ["2020-01-31", "03/04/2012"],
    37: [" a", "A"],
    38: ["long text " * 1000],
    39: [[], [1, 2], {}, {"a": 1}, None, [[]]],
    18: ["=cmd()", "\x1b[31m", "\u202e", "<b>", "🙂", "\0", "\ud800"],
}


@pytest.mark.parametrize("row", CELLS)
def test_cells(server, row):
    for value in CELLS[row]:
        for name in ("x", "w"):
            whole = {"x": 1.5, "w": "a"} | {name: value}
            text = json.dumps(whole).replace("Infinity", "1e999")
            for body in (text, f"[{text}]", f"[{text},{text}]"):
                answer = server.predict(body.encode("utf-8", "surrogatepass"))
                if answer.status != 200:
                    one_line(answer)
                else:
                    assert "notes" in answer.json()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b'{"x":1.5,"x":2,"w":"a"}', 400),
        (b'[{"x":1.5,"w":"a"},{"x":1.5,"w":"a","x":3}]', 400),
        (b'{"X":1.5,"w":"a"}', 422),
        (b'{"":1}', 422),
        (json.dumps({f"c{i}": i for i in range(10_000)}).encode(), 422),
        (b"[" * 5_000, 400),
        (b'{"x":' * 5_000, 400),
        (b"\xff\xfe{\0}\0", 400),
        (b'{"x":1.5,"w":"a"}garbage', 400),
    ],
)
def test_bodies(server, body, status):
    answer = server.predict(body)
    one_line(answer)
    assert answer.status == status


@pytest.mark.parametrize("codec", [None, "lz4", "zstd"])
def test_an_arrow_body_is_refused_for_what_it_says_that_it_holds(server, codec):
    bare = of_rows(packed(pa.table({"x": pa.nulls(1), "w": pa.nulls(1)}), None), 10**12)
    large = packed(pa.table({"x": [0.0] * 99_000, "w": ["x" * 2_000] * 99_000}), codec)
    for body in (bare, large):
        answer = server.predict(body, content_type=ARROW)
        one_line(answer)
        assert answer.status == 413
    assert server.predict({"x": 1.5, "w": "a"}).status == 200


def test_a_model_file_that_is_not_one_is_refused_before_the_server_listens(tmp_path):
    from command import bad

    for data in (b"", b"{}", TABLE, b'{\n"format":{"name":"tallystick model","version":2}}\n'):
        (tmp_path / "m.tally.json").write_bytes(data)
        assert "model file" in bad("serve", "m.tally.json", cwd=tmp_path)
