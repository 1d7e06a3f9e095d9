"""Python and JavaScript exports answer what the model answers, run by `python -I` and by node."""

from __future__ import annotations

import shutil
import subprocess
import sys

import exports as e
import numpy as np
import pytest

import tallystick as ts

pytestmark = pytest.mark.slow

NODE = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
RUN = {"python": e.run_python, "js": e.run_node}
TARGETS = ["python", pytest.param("js", marks=NODE)]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", [*e.MODELS, *e.TEXT_MODELS])
def test_the_code_answers_what_the_model_answers(name, target, tmp_path):
    found = RUN[target](e.fitted(name).export(target), e.records(e.new_rows(name)), tmp_path)
    e.same(found, name, 1e-12)
    if name.startswith(("tree", "bayes")):
        assert (found[1] == e.expected(name)[1]).all()  # to the last bit


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["tree", "tree id3", "bayes", "bayes gaussian", "logistic"])
def test_a_cell_is_read_however_it_is_written(name, target, tmp_path):
    model = e.fitted(name)
    rows = [row | {"income (€)": None, "size": "high"} for row in e.CELLS]
    found = RUN[target](model.export(target), rows, tmp_path)
    assert found[0] == [model.predict([row]).tolist()[0] for row in rows]
    assert np.abs(found[1] - np.concatenate([model.predict_proba([row]) for row in rows])).max() < 1e-12


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["tree", "tree observed", "bayes"])
def test_a_number_at_a_cut_goes_where_the_model_sends_it(name, target, tmp_path):
    model, table = e.fitted(name), e.at_cuts(name)
    found = RUN[target](model.export(target), e.records(table), tmp_path)
    assert (found[1] == model.predict_proba(table)).all()


@pytest.mark.parametrize("cell", ["abc", True, "inf", "1e999"])
def test_what_cannot_be_read_is_a_value_error(cell, tmp_path):
    row = dict.fromkeys(e.new_rows("bayes")) | {e.EVIL: cell}
    code = f"import runpy; runpy.run_path('model.py')['predict']({row!r})"
    (tmp_path / "model.py").write_text(e.fitted("bayes").export("python"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1].startswith(
        f"ValueError: column {e.EVIL!r} needs a number such as 1771.55, "
    )


def test_the_module_is_a_command_that_reads_csv(tmp_path):
    model = ts.DecisionTree().fit({"a'b": ["x", "y"] * 20, "class": ["it's", "no"] * 20}, "class")
    (tmp_path / "model.py").write_text(model.export("python"), encoding="utf-8")
    (tmp_path / "new.csv").write_text("a'b\nx\ny\n?\n")
    command = [sys.executable, "-I", "-S", "model.py", "new.csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[0] == "prediction,P(it's),P(no)"
    assert [line.split(",")[0] for line in lines[1:]] == ["it's", "no", "it's"]


def test_the_command_writes_no_label_that_a_spreadsheet_would_run(tmp_path):
    labels = ["=1+1", "\u00a0@sum", "\uff1dcmd", "-5"]
    model = ts.NaiveBayes().fit({"a": ["p", "q", "r", "s"] * 9, "y": labels * 9}, "y")
    (tmp_path / "model.py").write_text(model.export("python"), encoding="utf-8")
    (tmp_path / "new.csv").write_text("a\np\nq\nr\ns\n")
    command = [sys.executable, "-I", "-S", "-X", "utf8", "model.py", "new.csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=True)
    answers = [line.split(",")[0] for line in done.stdout.splitlines()[1:]]
    assert answers == ["'=1+1", "'\u00a0@sum", "'\uff1dcmd", "-5"]


def test_no_name_can_leave_the_text_it_stands_in(tmp_path):
    name = "'''; raise\nSystemExit('out') #\\"  # white space around a name is not part of it
    rows = {name: ["a'''", "b\\"] * 10, "y": ["p", "q"] * 10}
    model = ts.NaiveBayes().fit(rows, "y")
    found = e.run_python(model.export("python"), [{name: "a'''"}, {name: "b\\"}], tmp_path)
    assert found[0] == ["p", "q"]


def test_the_module_is_a_command_with_usage_and_errors_of_one_line(tmp_path):
    rows = [{"x": i % 7, "y": "=1+1" if i % 2 else "q"} for i in range(40)]
    (tmp_path / "m.py").write_text(ts.NaiveBayes().fit(rows, "y").export("python"))
    (tmp_path / "t.csv").write_text("x\n3\n")
    (tmp_path / "z.csv").write_text("z\n3\n")

    def module(*args):
        command = [sys.executable, "m.py", *args]
        return subprocess.run(command, input="x\n3\n", capture_output=True, text=True, cwd=tmp_path)

    for flag in ("--help", "-h"):
        done = module(flag)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("usage: python model.py [FILE.csv]\n")
    for args in (("--what",), ("t.csv", "z.csv")):
        assert (module(*args).returncode, module(*args).stderr[:6]) == (2, "usage:")
    want = module("t.csv").stdout
    assert want.startswith("prediction,P(=1+1),P(q)\n'=1+1,")  # P( begins no formula
    assert want == module().stdout == module("-").stdout
    for name, words in (("none.csv", "No such file"), ("z.csv", "the row lacks the column 'x'")):
        done = module(name)
        assert done.returncode == 2
        assert done.stderr.startswith("error: ")
        assert words in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("x,x\n1,2\n", "twice"),
        ("x,z\n1,2,3\n", "line 2 has 3 cells"),
        ("x,z\n1\n", "line 2 has 1 cells"),
        ('x,z\n"1,2\n', "unexpected end"),
        ("x,z\n1,a\0b\n", "NUL"),
    ],
)
def test_the_command_refuses_what_no_table_holds_in_one_line(text, why, tmp_path):
    rows = [{"x": i % 7, "y": "p" if i % 2 else "q"} for i in range(40)]
    (tmp_path / "m.py").write_text(ts.NaiveBayes().fit(rows, "y").export("python"))
    (tmp_path / "t.csv").write_text(text)
    command = [sys.executable, "m.py", "t.csv"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert why in done.stderr


def test_the_command_loses_no_answer_in_silence(tmp_path):
    rows = [{"x": i % 7, "y": "p" if i % 2 else "q"} for i in range(40)]
    (tmp_path / "m.py").write_text(ts.NaiveBayes().fit(rows, "y").export("python"))
    (tmp_path / "t.csv").write_text("x,long\n" + f"1,{'a' * 200_000}\n" + "1,b\n" * 20_000)

    def shell(line):
        line = line.replace("python", sys.executable)
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=tmp_path)
        return done.returncode, done.stdout, done.stderr

    assert shell("python m.py t.csv | wc -l")[1].strip() == "20002"
    assert shell("python m.py t.csv > /dev/full")[::2] == (2, "error: [Errno 28] No space left on device\n")
    assert shell("python m.py t.csv >&-")[::2] == (2, "error: standard output is closed.\n")
    assert shell("python m.py t.csv | head -1 > /dev/null; echo ${PIPESTATUS[0]}")[1:] == ("141\n", "")
