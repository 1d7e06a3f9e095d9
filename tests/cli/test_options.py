"""What commands make of the options that they share."""

from __future__ import annotations

from functools import partial

import pytest
from command import good

from tallystick.cli import options
from tallystick.errors import OptionError
from tallystick.schema import Columns

NOTHING = {"kinds": (), "levels": (), "keep": (), "merge": (), "missing": (), "threads": None, "memory": None}


def test_wishes_about_columns_become_the_parameters_of_an_estimator():
    given = NOTHING | {
        "kinds": ("zip=levels", "a=b=numeric"),
        "levels": ("size=S,M,L",),
        "keep": ("id",),
        "merge": ("yes=Yes,Y", "answer: no=N"),
        "missing": ("-999",),
        "threads": 2,
    }
    columns = Columns(
        kinds={"zip": "levels", "a": "b=numeric"},
        levels={"size": ["S", "M", "L"]},
        missing=("-999",),
        keep=("id",),
        merge={"yes": ["Yes", "Y"], "answer": {"no": ["N"]}},
    )
    assert options.column_parameters(given) == {"columns": columns, "threads": 2, "memory": None}


def test_no_wish_leaves_the_marks_of_missing_to_their_default():
    assert options.column_parameters(NOTHING)["columns"] == Columns(
        kinds={}, levels={}, missing=None, keep=()
    )


@pytest.mark.parametrize("text", ["zip", "=levels", "zip=", ""])
def test_half_a_pair_is_refused_with_an_example(text):
    with pytest.raises(OptionError, match=r"^--kind '.*' is not NAME=VALUE\. Write for example --kind age="):
        options.column_parameters(NOTHING | {"kinds": (text,)})


@pytest.mark.parametrize("sep", ["tab", "\\t", "\t"])
def test_a_tab_can_be_named_or_typed(tmp_path, sep):
    (tmp_path / "t.csv").write_text("a\tb\n1,5\tx\n")
    source = options.source(str(tmp_path / "t.csv"), {"sep": sep})
    assert list(source.columns) == ["a", "b"]


def test_a_query_is_not_taken_for_the_name_of_a_file():
    pytest.importorskip("duckdb")
    source = options.source("SELECT 1 AS one, 'x' AS two", {"sql": True})
    assert list(source.columns) == ["one", "two"]


@pytest.mark.parametrize("option", ["--picture", "--save-model"])
def test_a_picture_or_a_second_model_does_not_go_to_the_standard_output(option):
    with pytest.raises(OptionError, match=f"^{option} takes the name of a file"):
        options.keep_apart(["t.csv"], {option: "-"})


def test_what_would_be_written_over_is_refused_before_any_work(tmp_path):
    read = tmp_path / "t.svg"
    read.write_text("mine")
    with pytest.raises(OptionError, match="that this command reads"):
        options.keep_apart([str(read)], {"--picture": str(tmp_path / "." / "t.svg")})
    with pytest.raises(OptionError, match="svg"):
        options.keep_apart([str(read)], {"--picture": str(tmp_path / "t.png")})


def test_no_picture_is_drawn_where_none_is_wanted(tmp_path):
    drawn = []
    options.save_picture(None, lambda: drawn.append("drawn") or "<svg/>")
    assert drawn == []
    options.save_picture(str(tmp_path / "p.svg"), lambda: "<svg>é</svg>")
    assert (tmp_path / "p.svg").read_text(encoding="utf-8").endswith("é</svg>")


@pytest.mark.slow
def test_rows_by_standard_input_and_by_a_pipe_are_those_of_the_file(tmp_path):
    """With what people have in it: a column that numbers the rows with gaps, codes with leading zeros."""
    import json
    import subprocess
    import sys

    numbers = [1000 + i + i // 7 for i in range(60)]
    lines = [f"{n},{i % 7:03d},{'pq'[i % 7 > 3]}" for i, n in enumerate(numbers)]
    text = "id,code,y\n" + "\n".join(lines) + "\n"
    (tmp_path / "t.csv").write_text(text)
    run, given = partial(good, cwd=tmp_path), text.encode()
    found = json.loads(run("describe", "-", "--target", "y", "--json", given=given))
    kinds = {c["name"]: c["kind"] for c in found["columns"]}
    assert kinds == {"id": "out", "code": "levels"}
    fit = ("--target", "y", "--model", "tree", "--folds", "0", "-o")
    run("fit", "t.csv", *fit, "a.tally.json")
    run("fit", "-", *fit, "b.tally.json", given=given)
    assert (tmp_path / "a.tally.json").read_bytes() == (tmp_path / "b.tally.json").read_bytes()
    answers = run("predict", "a.tally.json", "t.csv")
    assert run("predict", "a.tally.json", "-", given=given) == answers
    shell = f"cat t.csv | {sys.executable} -m tallystick.cli predict a.tally.json /dev/stdin"
    done = subprocess.run(["bash", "-c", shell], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == answers
