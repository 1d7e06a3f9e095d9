"""What is written never replaces what is read: by any name, for every command, before any work."""

from __future__ import annotations

import copy
import os
import pickle
import shlex
import subprocess
import sys
from importlib import resources

import pytest

import tallystick as ts
from tallystick.cli.main import run
from tallystick.errors import DataError, OptionError, TallyError
from tallystick.files import files_of

pytestmark = pytest.mark.slow

VOTES = (resources.files("tallystick.examples") / "votes.csv").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.json"
    rows = tmp_path_factory.mktemp("rows") / "votes.csv"
    rows.write_text(VOTES)
    ts.DecisionTree().fit(rows, "party").save(path)
    return path.read_bytes()


@pytest.fixture
def folder(tmp_path, monkeypatch, model):
    """A table and a model, each under several names."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_text(VOTES)
    (tmp_path / "m.json").write_bytes(model)
    os.symlink("in.csv", "soft.csv")
    os.link("in.csv", "hard.csv")
    os.symlink(tmp_path, "again")
    (tmp_path / "part-1.csv").write_text(VOTES)
    (tmp_path / "part-2.csv").write_text(VOTES)
    return tmp_path


def state(folder):
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir()) if p.is_file()}


LINES = [
    "tally predict m.json in.csv -o in.csv",
    "tally predict m.json in.csv -o ./again/in.csv",
    "tally predict m.json in.csv -o soft.csv",
    "tally predict m.json in.csv -o hard.csv",
    "tally predict m.json soft.csv -o in.csv",
    "tally predict m.json 'part-*.csv' -o part-2.csv",
    "tally predict again/m.json in.csv -o m.json",
    "tally fit --model bayes in.csv -t party -o in.csv",
    "tally fit --model bayes 'part-?.csv' -t party -o part-1.csv",
    "tally fit --model bayes in.csv -t party --picture hard.csv",
    "tally fit --model bayes in.csv -t party -o x.json --picture x.json",
    "tally fit --model bayes in.csv -t party -o x.json --picture again/x.json",
    "tally describe in.csv --picture in.csv",
    "tally describe in.csv --against m.json --picture m.json",
    "tally explain m.json in.csv --picture m.json",
    "tally compare in.csv -t party --picture soft.csv",
    "tally compare part-1.csv -t party --held-out in.csv --picture in.csv",
    "tally curve in.csv -t party --picture in.csv",
    "tally report in.csv -t party -o in.csv",
    "tally report in.csv -t party --save-model in.csv",
    "tally report in.csv -t party -o x.html --save-model again/x.html",
    "tally export m.json --to python -o m.json",
    "tally export m.json --to rules -o again/m.json",
]


@pytest.mark.parametrize("line", LINES)
def test_no_command_writes_over_what_it_reads_or_twice_into_one_file(folder, line, capfd):
    before = state(folder)
    assert run(shlex.split(line)[1:], debug=False) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "another name" in said.err
    assert state(folder) == before


DETOURS = [
    "nodir/../in.csv",
    "./nodir/./../in.csv",
    "nodir/none/../../in.csv",
    "in.csv/",
    "in.csv/.",
    "m.json/../in.csv",
    "nodir/../soft.csv",
    "nodir/../again/in.csv",
    "again/nodir/../hard.csv",
]


@pytest.mark.parametrize("name", DETOURS)
def test_a_name_that_leads_nowhere_before_it_leads_to_the_input_is_the_input(folder, name, capfd):
    """The file is written where the name leads once its `..` are gone; the folder before them need not be."""
    before = state(folder)
    assert run(["predict", "m.json", "in.csv", "-o", name], debug=False) == 2
    assert "another name" in capfd.readouterr().err
    assert state(folder) == before


@pytest.mark.parametrize("line", [line for line in LINES if "x.json" not in line and "x.html" not in line])
def test_no_command_follows_such_a_name_to_what_it_reads(folder, line, capfd):
    *words, last = shlex.split(line)
    before = state(folder)
    assert run([*words[1:], f"nodir/../{last}"], debug=False) == 2
    assert "another name" in capfd.readouterr().err
    assert state(folder) == before


@pytest.mark.parametrize("address", ["duckdb:///in.db?table=t", "DuckDB:///{folder}/in%2Edb?table=t"])
def test_the_file_of_a_database_that_is_read_is_not_written_over(folder, address, capfd):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect("in.db") as base:
        base.execute("create table t as from 'in.csv'")
    before = state(folder)
    line = ["fit", "--model", "bayes", address.format(folder=folder), "-t", "party", "-o"]
    for name in ("in.db", "nodir/../again/in.db"):
        assert run([*line, name], debug=False) == 2
        assert "another name" in capfd.readouterr().err
    assert state(folder) == before


def test_two_results_never_share_a_file_that_is_named_by_a_detour(folder, capfd):
    line = "fit --model bayes in.csv -t party -o nodir/../x.svg --picture x.svg"
    assert run(shlex.split(line), debug=False) == 2
    assert "another name" in capfd.readouterr().err


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM 'in.csv'",
        "select * from read_csv('part-*.csv') union all select * from read_csv(['in.csv'])",
        'FROM "again/in.csv" LIMIT 3',
        "FROM hard.csv",
        "SELECT * /* isn't */ -- it's\nFROM 'in.csv'",
        "FROM '~/in.csv'",
        "FROM 'file:{folder}/in.csv'",
        "FROM 'file://{folder}/in.csv'",
        "FROM 'file://localhost{folder}/i?.csv'",
    ],
)
def test_files_named_in_a_query_are_read(folder, query, capfd, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))
    before, query = state(folder), query.format(folder=folder)
    assert ts.read(sql=query).columns == ts.read("in.csv").columns
    assert run(["predict", "m.json", query, "--sql", "-o", "in.csv"], debug=False) == 2
    assert "this command reads" in capfd.readouterr().err
    assert state(folder) == before


@pytest.mark.parametrize(
    "query",
    [
        "FROM read_csv('i' || 'n.csv')",
        "FROM read_csv(concat('in', '.csv'))",
        "FROM read_csv(E'\\x69n.csv')",
        "FROM read_csv($$in.csv$$)",
        "FROM read_csv(['part-1.csv', 'i' || 'n.csv'])",
        "FROM read_csv(replace('in-csv', '-', '.'))",
        "FROM read_csv('i' || '?.csv')",
        "FROM (SELECT 1) WHERE (SELECT count(*) FROM read_csv('i' || 'n.csv')) > 0",
    ],
)
def test_a_query_reads_no_file_that_it_does_not_name(folder, query, capfd):
    before = state(folder)
    assert run(["predict", "m.json", query, "--sql", "-o", "in.csv"], debug=False) == 2
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert "is not a file that it names" in said
    assert "Give each file its name in quotes" in said
    assert state(folder) == before


def test_a_query_may_be_run_again_into_the_same_file(folder, capfd):
    line = [
        "predict",
        "m.json",
        "SELECT * FROM 'part-*.csv' WHERE party <> '/' AND party <> '.'",
        "-o",
        "out.csv",
    ]
    assert [run(line, debug=False) for _ in range(2)] == [0, 0], capfd.readouterr().err
    assert len((folder / "out.csv").read_text().splitlines()) == 2 * len(VOTES.splitlines()) - 1


def test_standard_output_that_is_the_input_is_refused(folder):
    command = [sys.executable, "-m", "tallystick.cli", "predict", "m.json", "in.csv"]
    before = state(folder)
    with open("in.csv", "ab") as out:
        done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert b"standard output goes to 'in.csv', which this command reads" in done.stderr
    assert state(folder) == before


@pytest.mark.parametrize(
    "line",
    [
        "tally predict m.json in.csv -o /dev/null",
        "tally predict m.json in.csv -o out.csv",
        "tally predict m.json in.csv -o part-1.csv",
        "tally fit --model bayes in.csv -t party --folds 0 -o m.json",
        "tally fit --model bayes in.csv -t party --folds 0 -o /dev/null --picture /dev/null",
    ],
)
def test_other_files_may_be_replaced_and_devices_take_anything(folder, line, capfd):
    assert run(shlex.split(line)[1:], debug=False) == 0, capfd.readouterr().err
    assert (folder / "in.csv").read_text() == VOTES


@pytest.mark.parametrize(
    ("place", "why"),
    [("none/x.json", "No such file or directory"), ("again", "Is a directory")],
)
def test_a_place_that_takes_no_file_is_refused_before_the_work(folder, place, why, capfd):
    assert run(["fit", "--model", "bayes", "nothing.csv", "-t", "party", "-o", place], debug=False) == 2
    assert capfd.readouterr().err == f"tally: -o '{place}' cannot be written: {why}. Nothing was changed.\n"


@pytest.mark.parametrize(
    "line",
    [
        "tally describe in.csv --picture -",
        "tally fit --model bayes in.csv -t party --picture -",
        "tally report in.csv -t party --save-model -",
    ],
)
def test_standard_output_is_for_the_answer(folder, line, capfd):
    before = state(folder)
    assert run(shlex.split(line)[1:], debug=False) == 2
    assert "takes the name of a file: standard output is for the answer" in capfd.readouterr().err
    assert state(folder) == before


def test_a_report_may_go_to_standard_output(folder, capfd):
    before = state(folder)
    assert (
        run(["report", "in.csv", "-t", "party", "--method", "bayes", "--repeats", "0", "-o", "-"], False) == 0
    )
    said = capfd.readouterr()
    assert said.out.startswith("<!doctype html>")
    assert said.out.rstrip().endswith("</html>")
    assert "saved standard output" in said.err
    assert state(folder) == before


def test_python_saves_no_model_and_no_page_over_the_rows(folder):
    fitted = ts.NaiveBayes().fit("in.csv", "party")
    with pytest.raises(OptionError, match=r"path='soft\.csv' is the file 'in\.csv', which"):
        fitted.save("soft.csv")
    with pytest.raises(OptionError, match=r"path='part-1\.csv'"):
        ts.NaiveBayes().fit(["part-1.csv", "part-2.csv"], "party").save("part-1.csv")
    with pytest.raises(OptionError, match=r"path='hard\.csv'"):
        ts.NaiveBayes().fit(ts.read("in.csv"), "party").save("hard.csv")
    with pytest.raises(OptionError, match=r"path='in\.csv'"):
        ts.report("in.csv", "party", path="in.csv")
    fitted.save("m.json")
    assert (folder / "in.csv").read_text() == VOTES


@pytest.mark.slow
@pytest.mark.parametrize("door", ["path", "list", "source", "query", "text"])
def test_python_knows_the_files_behind_whatever_it_saves(folder, door):
    query = "SELECT * FROM 'in.csv'"
    doors = {
        "path": "in.csv",
        "list": ["in.csv"],
        "source": ts.read("in.csv"),
        "query": ts.read(sql=query),
        "text": query,
    }
    data = doors[door]
    tree = ts.DecisionTree()
    page = ts.report(data, "party", methods=["tree"], folds=2, repeats=0)
    for thing in (
        tree.fit(data, "party"),
        ts.DecisionTree(memory="1GB").fit(data, "party"),
        ts.DecisionTree()._fit_table(tree._read(data, "party")),
        ts.NaiveBayes().fit("part-1.csv", "party").update(data, "party"),
        ts.NaiveBayes().fit("part-1.csv", "party") + ts.NaiveBayes().fit(data, "party"),
        page,
        page.model,
        ts.compare(data, "party", methods=["tree"], tuned=False, folds=2).model,
    ):
        with pytest.raises(OptionError, match=r"path='(again/)?(in|soft|hard)\.csv' is (a|the) file"):
            thing.save("soft.csv")
    assert (folder / "in.csv").read_text() == VOTES


def test_what_was_read_is_known_wherever_the_process_goes_and_by_every_copy(folder, monkeypatch):
    fitted = ts.NaiveBayes().fit("in.csv", "party")
    asked = ts.load("m.json")
    asked.predict("in.csv")
    again = ts.NaiveBayes().fit("in.csv", "party").fit("part-1.csv", "party")
    page = ts.report("in.csv", "party", methods=["tree"], folds=2, repeats=0)
    query = ts.NaiveBayes().fit("SELECT * FROM 'again/in.csv'", "party")
    copies = copy.copy(fitted), copy.deepcopy(fitted), pickle.loads(pickle.dumps(fitted))
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    for thing in (fitted, asked, again, page, page.model, query, *copies):
        with pytest.raises(OptionError, match=r"^path='\.\./in\.csv' is the file '.*in\.csv', which"):
            thing.save("../in.csv")
    assert (folder / "in.csv").read_text() == VOTES


def test_a_model_of_a_stream_can_be_copied(folder):
    os.mkfifo("pipe")
    with subprocess.Popen(["cp", "in.csv", "pipe"]):
        fitted = ts.NaiveBayes().fit("pipe", "party")
    assert copy.deepcopy(fitted).to_bytes() == fitted.to_bytes()


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 1_000_000, b"x.svg", 5])
def test_what_can_be_no_name_of_a_file_is_one_short_error(folder, name):
    tree = ts.DecisionTree().fit("in.csv", "party")
    jobs = [
        lambda: ts.NaiveBayes().fit(name, "party"),
        lambda: tree.predict(name),
        lambda: tree.save(name),
        lambda: tree.picture().save(name),
        lambda: ts.load(name),
        lambda: ts.read(name),
    ]
    for job in jobs:
        with pytest.raises(TallyError) as refused:
            job()
        assert len(str(refused.value)) < 500
        assert "\n" not in str(refused.value)


def test_a_picture_is_written_whole_and_over_no_other_file(folder, monkeypatch):
    picture = ts.DecisionTree().fit("in.csv", "party").picture()
    picture.save("tree.svg")
    picture.save("tree.svg")  # an older picture gives way
    os.rename("part-1.csv", "rows.svg")
    with pytest.raises(OptionError, match=r"^'rows\.svg' holds no picture\. Give the picture another name\."):
        picture.save("rows.svg")
    assert (folder / "rows.svg").read_text() == VOTES

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(
        OptionError, match=r"cannot write the picture 'tree\.svg': No space left on device\. Nothing was"
    ):
        picture.save("tree.svg")
    monkeypatch.undo()
    assert (folder / "tree.svg").read_text() == picture.with_own_colours()


def test_a_folder_or_a_file_that_is_not_there_is_told(folder):
    for query, why in (
        ("FROM read_csv('again/')", "is not a file that it names"),
        ("FROM 'none.csv'", "No files found"),
        ("FROM 'none-*.csv'", "No files found"),
    ):
        with pytest.raises(DataError, match=f"^the query cannot be run: .*{why}"):
            ts.read(sql=query)


def test_rows_in_memory_have_no_file():
    assert files_of({"a": [1]}) == []
    assert files_of([{"a": 1}]) == []
