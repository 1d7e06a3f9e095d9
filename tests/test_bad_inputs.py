"""Every row of the front door's list, through Python and the command line; the cases are in bad_inputs.py."""

from __future__ import annotations

import re
import time

import pytest
from bad_inputs import DESCRIBE, FIT, PREDICT, TABLE, Case

import tallystick as ts
from tallystick.cli.main import run
from tallystick.errors import TallyError

NAMES = [f"{case.row}: {case.what}" for case in FIT]


def write(case: Case, tmp_path):
    path = tmp_path / "train.csv"
    path.write_bytes(case.data)
    return path


@pytest.mark.parametrize("case", FIT, ids=NAMES)
def test_fit_in_python_gives_the_stated_outcome(case, tmp_path):
    path = write(case, tmp_path)
    model = ts.NaiveBayes(**case.wishes)
    if case.outcome == "ERROR":
        with pytest.raises(TallyError, match=case.says) as caught:
            model.fit(ts.read(path, **case.options), case.target)
        assert str(caught.value).isprintable()  # one line, no control bytes
        return
    model.fit(ts.read(path, **case.options), case.target)
    notes = " ".join(note.text for note in (*model.source_notes_, *model.notes_))
    assert re.search(case.says, notes), notes
    assert notes.isprintable()


@pytest.mark.parametrize("case", FIT, ids=NAMES)
def test_fit_on_the_command_line_gives_the_same_outcome(case, tmp_path, capsys):
    path, out = write(case, tmp_path), tmp_path / "m.tally.json"
    started = time.perf_counter()
    code = run(["fit", str(path), "--target", case.target, "-o", str(out), *case.flags], debug=False)
    took = time.perf_counter() - started
    said = capsys.readouterr()
    assert took < 30  # a hang, not a speed: speeds are measured elsewhere
    if case.outcome == "ERROR":
        assert code == 2
        assert said.err.startswith("tally: ")
        assert said.err.count("\n") == 1
        assert not out.exists()
    else:
        assert code == 0, said.err
        assert out.exists()
    assert re.search(case.typed or case.says, " ".join(said.err.split())), said.err


@pytest.mark.parametrize("case", DESCRIBE, ids=[f"{case.row}: {case.what}" for case in DESCRIBE])
def test_describe_gives_the_stated_outcome_in_python_and_on_the_command_line(case, tmp_path, capsys):
    path = write(case, tmp_path)
    notes = " ".join(note.text for note in ts.describe(path, case.target).notes)
    assert re.search(case.says, notes), notes
    assert run(["describe", str(path), "--target", case.target, *case.flags], debug=False) == 0
    said = capsys.readouterr().out
    assert re.search(case.typed or case.says, " ".join(said.split())), said
    path.write_bytes(TABLE)
    assert not re.search(case.says, " ".join(note.text for note in ts.describe(path, "y").notes))


@pytest.mark.parametrize("case", PREDICT, ids=[f"{case.row}: {case.what}" for case in PREDICT])
def test_predict_gives_the_stated_outcome(case, tmp_path, capsys):
    train, new, model = tmp_path / "train.csv", tmp_path / "new.csv", tmp_path / "m.tally.json"
    train.write_bytes(TABLE)
    new.write_bytes(case.data)
    assert run(["fit", str(train), "--target", "y", "-o", str(model)], debug=False) == 0
    capsys.readouterr()
    out = tmp_path / "out.csv"
    code = run(["predict", str(model), str(new), "-o", str(out), *case.flags], debug=False)
    said = capsys.readouterr()
    if case.outcome == "ERROR":
        assert code == 2
        assert said.err.count("\n") == 1
        assert not out.exists()
    else:
        assert code == 0, said.err
        rows = len(case.data.decode().splitlines()) - 1
        assert len(out.read_text().splitlines()) == rows + 1
    assert re.search(case.typed or case.says, " ".join(said.err.split())), said.err


def test_files_that_differ_in_form_only_give_the_same_model_bytes(tmp_path):
    plain = tmp_path / "plain.csv"
    plain.write_bytes(TABLE)
    expected = ts.NaiveBayes().fit(plain, "y").to_bytes()
    same = {"UTF-8 byte order mark", "CRLF line ends", "CR line ends", "mixed line ends, no final newline"}
    same |= {"semicolons", "tabs", "pipes", "UTF-16 with its mark", "gz", "lines before the header", "footer"}
    for case in FIT:
        if case.what in same:
            assert ts.NaiveBayes().fit(write(case, tmp_path), "y").to_bytes() == expected, case.what


def test_a_target_column_in_new_rows_changes_no_prediction():  # row 57
    import pandas as pd

    frame = pd.DataFrame({"w": list("abab") * 10, "y": list("ppqq") * 10})
    model = ts.NaiveBayes().fit(frame, "y")
    assert (model.predict_proba(frame) == model.predict_proba(frame.assign(y="other"))).all()


def test_the_page_of_the_docs_tells_the_real_messages():
    import subprocess
    import sys
    from pathlib import Path

    tool = Path(__file__).resolve().parent.parent / "tools" / "make_bad_inputs_page.py"
    assert subprocess.run([sys.executable, str(tool), "--check"], check=False).returncode == 0, (
        f"run {tool.name}"
    )
