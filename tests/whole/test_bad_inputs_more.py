"""The rows of the front door's list that are no single small file: frames, weights, size, model files."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bad_inputs import TABLE

import tallystick as ts
from tallystick.cli.main import run
from tallystick.cli.options import as_flags
from tallystick.errors import Argument, DataError, Message, TallyError, read_with

pytestmark = pytest.mark.slow

LEARNERS = [ts.NaiveBayes, ts.DecisionTree, ts.LogisticRegression, ts.Scorecard]


def test_names_that_are_numbers_are_texts_and_mixed_names_an_error():  # row 19
    frame = pd.DataFrame([[1.5, "a"], [2.5, "b"], [3.5, "a"]])
    assert ts.NaiveBayes().fit(frame, ["p", "q", "p"]).feature_names_in_.tolist() == ["0", "1"]
    frame.columns = ["a", 1]
    with pytest.raises(DataError, match=r"mixes text and numbers.*df\.columns\.map\(str\)"):
        ts.NaiveBayes().fit(frame, ["p", "q", "p"])


def test_a_table_of_thousands_of_columns_is_described_and_fitted(tmp_path, capsys):  # row 22
    path = tmp_path / "wide.csv"
    lines = [",".join(str((i * j) % 7 + 0.5) for j in range(1, 2001)) + f",{'pq'[i % 2]}" for i in range(20)]
    path.write_text(",".join(f"c{j}" for j in range(2000)) + ",y\n" + "\n".join(lines) + "\n")
    assert len(ts.describe(path).columns) == 2001
    assert len(ts.DecisionTree(max_depth=2).fit(path, "y").schema_.columns) == 2000
    assert run(["describe", str(path), "-t", "y"], debug=False) == 0
    assert "c1999" not in capsys.readouterr().out  # a page of thousands of lines helps nobody
    assert run(["fit", str(path), "-t", "y", "--model", "tree", "--folds", "0"], debug=False) == 0


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([1, 0, 1, 0], [0, 1]),
        ([1.0, 0.0, 1.0, 0.0], [0, 1]),
        (["1", "0", "1", "0"], ["0", "1"]),
        ([True, False, True, False], [False, True]),
        ([0.5, 1.5, 0.5, 1.5], [0.5, 1.5]),
    ],
)
def test_labels_come_back_in_their_type(labels, classes):  # row 33
    model = ts.NaiveBayes().fit({"w": ["a", "b", "a", "b"]}, labels)
    assert model.classes_.tolist() == classes
    assert model.predict({"w": ["a"]})[0] == labels[0]


def test_labels_of_several_types_are_one_canonical_text_with_a_note():  # row 33
    model = ts.NaiveBayes().fit({"w": ["a", "b", "a", "b"]}, [1, "0", "1", 0])
    assert len(model.classes_) == 2
    assert any(note.code == "mixed-labels" for note in model.notes_)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_invalid_weights_name_the_row(learner, bad):  # row 52
    weights = np.ones(6)
    weights[3] = bad
    with pytest.raises(TallyError, match=r"sample_weight is .* first in row 4"):
        learner().fit({"w": list("ababab")}, list("pqpqpq"), sample_weight=weights)
    with pytest.raises(TallyError, match=r"5 weights for 6 rows"):
        learner().fit({"w": list("ababab")}, list("pqpqpq"), sample_weight=np.ones(5))


def test_weights_of_2_to_the_40_are_exact_and_beyond_2_to_the_63_an_error():  # row 53
    rows, labels = {"w": list("ab") * 3}, list("ppqqpq")
    model = ts.NaiveBayes().fit(rows, labels, sample_weight=[2.0**40] * 6)
    assert model.rows_["count"] == 6 * 2**40
    with pytest.raises(TallyError, match=r"beyond exact counting"):
        ts.NaiveBayes().fit(rows, labels, sample_weight=[2.0**61] * 6)


@pytest.mark.parametrize("command", ["describe", "fit", "compare"])
def test_a_file_larger_than_memory_is_refused_before_the_work(command, tmp_path, capsys):  # row 54
    path = tmp_path / "huge.csv"
    path.write_bytes(TABLE[:6] + TABLE[6:] * 500)
    with open(path, "r+b") as file:
        file.truncate(1 << 43)  # a hole: it takes no room on the disk
    with pytest.raises(DataError, match=r"huge.csv needs about .* of memory, and this machine has .*memory="):
        ts.NaiveBayes().fit(path, "y")
    assert run([command, str(path), "--target", "y"], debug=False) == 2
    said = capsys.readouterr().err
    assert "needs about" in said
    assert said.count("\n") == 1


def test_the_estimate_of_a_parquet_file_comes_from_its_metadata(tmp_path):  # row 54
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": np.arange(1000.0), "n": np.arange(1000), "w": ["a", "b"] * 500}), path)
    assert ts.read(path).needed == 1000 * (2 * 16 + 2)
    assert ts.read([path, path]).needed == 2 * ts.read(path).needed


def test_columns_outside_their_range_are_named_per_row():  # row 60
    model = ts.NaiveBayes().fit({"x": [1.5, 2.5, 3.5, 4.5], "z": [0.5, 9.5, 1.5, 2.5]}, list("pqpq"))
    new = {"x": [1.5, 99.0, None, -1.0], "z": [1.0, 2.0, 3.0, 99.0]}
    assert model.outside_range(new) == [(), ("x",), (), ("x", "z")]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda text: text[: len(text) // 2], "model file"),
        (lambda text: "", "model file"),
        (lambda text: "x,y\n1,2\n", "model file"),
        (lambda text: json.dumps(json.loads(text) | {"kind": "mystery"}), "model file"),
        (lambda text: text.replace('"format"', '"formet"'), "model file"),
    ],
)
def test_a_model_file_that_is_none_is_one_line(change, says, tmp_path, capsys):  # row 62
    data, model = tmp_path / "t.csv", tmp_path / "m.tally.json"
    data.write_bytes(TABLE)
    assert run(["fit", "--model", "bayes", str(data), "-t", "y", "-o", str(model)], debug=False) == 0
    capsys.readouterr()
    model.write_text(change(model.read_text()))
    assert run(["predict", str(model), str(data)], debug=False) == 2
    said = capsys.readouterr().err
    assert said.startswith("tally: ")
    assert said.count("\n") == 1
    assert says in said


@pytest.mark.parametrize(
    ("argument", "python", "typed"),
    [
        (Argument("sep", " "), "sep=' '", "--sep ' '"),
        (read_with("sep", "\t"), "sep='\\t' to ts.read", "--sep tab"),
        (Argument("bad_rows", "skip"), "bad_rows='skip'", "--bad-rows skip"),
        (Argument("keep", ["my id"]), "columns=ts.Columns(keep=['my id'])", "--keep 'my id'"),
        (Argument("kinds", {"a b": "out"}), "kinds={'a b': 'out'}", "--kind 'a b=out'"),
        (Argument("kinds", {"it's": "out"}), "kinds={'it's': 'out'}", "--kind 'it'\"'\"'s=out'"),
        (Argument("kinds", {...: ...}), "kinds={...}", "--kind NAME=KIND"),
        (Argument("levels", {"z": [...]}), "columns=ts.Columns(levels={'z': [...]})", "--levels z=A,B"),
        (Argument("missing", ["n/a"]), "columns=ts.Columns(missing=['n/a'])", "--missing n/a"),
        (Argument("missing", [...]), "columns=ts.Columns(missing=[...])", "--missing MARK"),
        (read_with("encoding", ...), "encoding=... to ts.read", "--encoding NAME"),
        (read_with("header", False), "header=False to ts.read", "--no-header"),
        (Argument("lenient", True), "lenient=True", "--lenient"),
        (Argument("calibrate", False), "calibrate=False", "--set calibrate=false"),
        (Argument("keep"), "keep", "--keep"),
        (Argument("decimal", ","), "decimal=','", "--decimal ,"),
    ],
)
def test_an_argument_in_a_message_is_worded_by_each_surface(argument, python, typed):
    message = Message("do this: ", Message("pass ", argument), ".")
    assert message == f"do this: pass {python}."
    assert as_flags(message) == f"do this: pass {typed}."
    error = pickle.loads(pickle.dumps(DataError(message)))  # ours: errors travel between processes
    assert (str(error), as_flags(error.message)) == (message, f"do this: pass {typed}.")


def test_user_text_that_looks_like_an_argument_is_never_reworded(tmp_path, capsys):
    data = tmp_path / "t.csv"
    data.write_text("keep=['a'],y\n" + "".join(f"v{n},{'yn'[n % 2]}\n" for n in range(60)))
    assert run(["fit", "--model", "bayes", str(data), "-t", "y"], debug=False) == 2
    said = capsys.readouterr().err
    assert "column 'keep=['a']' is left out" in said
    assert "--keep 'keep=['\"'\"'a'\"'\"']' uses it" in said


def test_a_negative_mark_can_be_given_on_the_command_line(tmp_path):
    data = tmp_path / "t.csv"
    data.write_bytes(TABLE)
    assert run(["describe", str(data), "--missing", "-999"], debug=False) == 0
