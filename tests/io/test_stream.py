"""Pipes, FIFOs, standard input, queries, and one row out for each row in."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
import subprocess
import sys
import threading

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from command import good, tally

import tallystick as ts
from tallystick.errors import DataError, OptionError
from tallystick.io.csv_file import CsvFile
from tallystick.io.open import open_source

pytestmark = pytest.mark.slow

ROWS = 4_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streams")
    lines = [f"{i % 97 / 7:.6f},{'abc'[i * i % 3]},{'pq'[(i % 97 > 50) ^ (i % 5 == 0)]}" for i in range(ROWS)]
    (folder / "t.csv").write_text("x,w,y\n" + "\n".join(lines) + "\n")
    subprocess.run(["gzip", "-k", "t.csv"], cwd=folder, check=True)
    pq.write_table(pacsv.read_csv(folder / "t.csv"), folder / "t.parquet")
    good("fit", "--model", "bayes", "t.csv", "-t", "y", "-o", "m.json", "--folds", "0", cwd=folder)
    return folder


COMMANDS = (
    ("describe",),
    ("fit", "-t", "y", "--folds", "2"),
    ("predict", "m.json"),
    ("explain", "m.json", "--row", "3999"),
    ("compare", "-t", "y", "--folds", "2"),
    ("curve", "-t", "y", "--repeats", "1"),
    ("verify", "m.json"),
)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c[0])
def test_every_command_reads_standard_input_as_it_reads_the_file(folder, command):
    from_file = tally(*command, "t.csv", cwd=folder)
    assert from_file.returncode == 0, from_file.stderr
    data = (folder / "t.csv").read_bytes()
    for path in ("-", "/dev/stdin"):
        piped = tally(*command, path, given=data, cwd=folder)
        assert piped.returncode == 0, piped.stderr
        shown = piped.stdout.replace(b"standard input", b"t.csv")
        if command[0] == "verify":  # which repeats the path
            shown = shown.replace(b" %s " % path.encode(), b" t.csv ")
        assert shown == from_file.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_a_pipe_of_any_format_is_read_once_and_whole(folder, name):
    data = (folder / name).read_bytes()
    piped = tally("describe", "-", given=data, cwd=folder)
    assert f"{ROWS:,} rows" in piped.stdout.decode()
    with open(folder / name, "rb") as file:  # a file as standard input
        assert tally("describe", "-", source=file).stdout == piped.stdout
    script = f"{sys.executable} -m tallystick.cli describe <(cat {name})"
    shell = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, check=False)
    assert f"{ROWS:,} rows" in shell.stdout.decode(), shell.stderr


def test_a_fifo_is_read_once_however_often_the_table_is_walked(folder, tmp_path):
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    data = (folder / "t.csv").read_bytes()
    writer = threading.Thread(target=fifo.write_bytes, args=(data,))
    writer.start()
    model = ts.load(folder / "m.json")
    found = model.score(fifo)
    writer.join()
    assert found == model.score(folder / "t.csv")


@pytest.mark.slow
def test_streams_without_a_table_are_named(folder):
    assert b"standard input is empty (0 bytes)" in tally("describe", "-").stderr
    assert b"'/dev/zero' is a device" in tally("describe", "/dev/zero").stderr
    assert b"mem cannot be read: 'Input/output error'" in tally("describe", "/proc/self/mem").stderr
    closed = [sys.executable, "-c", "import os; os.close(0); import tallystick as ts; ts.read('-')"]
    told = subprocess.run(closed, capture_output=True, check=False).stderr.decode()
    assert "standard input" in told.splitlines()[-1]


@pytest.mark.slow
def test_a_path_that_the_system_refuses_is_told_in_one_line_that_moves_no_cursor():
    with pytest.raises(DataError, match=r"^\\x07x+… cannot be read: 'File name too long'") as told:
        ts.describe("\x07" + "x" * 300)
    assert str(told.value).isprintable()


def test_a_full_disk_under_a_stream_is_said_in_one_line(folder):
    pytest.importorskip("resource")
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); import signal; "
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); from tallystick.cli.main import main; "
        "main(['describe', '-'])"
    )
    run = [sys.executable, "-c", code]
    told = subprocess.run(run, input=(folder / "t.csv").read_bytes(), capture_output=True, check=False)
    assert told.returncode == 2
    assert b"is full: no room for scratch files" in told.stderr


# -- one row out for each row in --

NEW = b"x,w,y\n1.5,a,p\nTotal,,\n2.5\n3.5,b,q,extra,more\n4.5,c,p\nEnd of report\n"


@pytest.mark.slow
def test_predict_answers_every_row_in_its_place_and_says_why_it_cannot(folder, tmp_path):
    new = tmp_path / "new.csv"
    new.write_bytes(NEW)
    told = tally("predict", folder / "m.json", new, "--lenient", "--strict")
    assert told.returncode == 2
    assert b"has 3 rows that do not have 3 cells (lines 4, 5, 7; the first has 1)" in told.stderr
    told = tally("predict", folder / "m.json", new, "--lenient", "--bad-rows", "skip", "--keep-columns")
    assert told.returncode == 0, told.stderr
    rows = list(csv.DictReader(told.stdout.decode().splitlines()))
    assert [row["x"] for row in rows] == ["1.5", "Total", "", "", "4.5", ""]
    assert [row["prediction"] != "" for row in rows] == [True, True, False, False, True, False]
    assert [row["unread"] for row in rows] == [
        "",
        "",
        "line 4 has 1 cell, not 3",
        "line 5 has 5 cells, not 3",
        "",
        "line 7 has 1 cell, not 3",
    ]
    assert b"not read: 3 rows (line 4 has 1 cell, not 3; line 5 has 5 cells, not 3;" in told.stderr
    told = tally("predict", folder / "m.json", new, "--lenient", "--bad-rows", "skip", "--json")
    found = json.loads(told.stdout)
    assert len(found["predictions"]) == 6
    assert "rows-unread" in [note["code"] for note in found["notes"]]


@pytest.mark.parametrize("kind", ["DecisionTree", "NaiveBayes", "LogisticRegression", "Scorecard"])
def test_answers_in_python_have_every_row_too(folder, tmp_path, kind):
    model = getattr(ts, kind)().fit(folder / "t.csv", "y")
    new = tmp_path / "new.csv"
    new.write_bytes(NEW.replace(b"Total,,", b",,"))
    source = ts.read(new, bad_rows="skip")
    shares, labels = model.predict_proba(source), model.predict(source)
    assert np.isnan(shares).all(axis=1).tolist() == [False, False, True, True, False, True]
    assert [label is None for label in labels] == [False, False, True, True, False, True]
    assert 0 <= model.score(source) <= 1
    with pytest.raises(DataError, match=r"row 3 of new.csv cannot be read \(line 4 has 1 cell, not 3\)"):
        model.outside_range(source)


@pytest.mark.slow
def test_notes_on_how_a_file_was_read_are_said_by_predict(folder, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text("a title\nx,w\n1.5,a\n")
    told = tally("predict", folder / "m.json", new)
    assert b"line 1 before the table is left out" in told.stderr


# -- law 1 --


@pytest.mark.slow
@pytest.mark.parametrize("row", ["Total,,p", "End,,", "\ufeffa,b,q", "\ufeff,,p"])
def test_a_row_counts_the_same_wherever_it_stands_and_however_blocks_are_cut(tmp_path, row):
    body = [f"{'abc'[i % 3]},{'xyz'[i * i % 3]},{'pq'[i % 2]}" for i in range(30)]
    fits = set()
    for place in (0, 1, 15, 29, 30):
        path = tmp_path / "t.csv"
        path.write_text("\n".join(["v,w,y", *body[:place], row, *body[place:]]) + "\n")
        for memory in (None, "64MB"):
            fits.add(ts.DecisionTree(memory=memory).fit(path, "y").to_bytes())
    for size in range(1, 60):
        source = open_source(path)
        assert isinstance(source, CsvFile)
        fits.add(ts.DecisionTree().fit(source.within(size), "y").to_bytes())
    assert len(fits) == 1


def test_a_short_line_skipped_leaves_one_model_wherever_it_stands(tmp_path):
    body = [f"{'abc'[i % 3]},{'xyz'[i * i % 3]},{'pq'[i % 2]}" for i in range(30)]
    fits = set()
    for place in (0, 1, 15, 30):
        path = tmp_path / "t.csv"
        path.write_text("\n".join(["v,w,y", *body[:place], "Total,5", *body[place:]]) + "\n")
        fits.add(ts.DecisionTree().fit(ts.read(path, bad_rows="skip"), "y").to_bytes())
    assert len(fits) == 1


# -- queries --


def test_a_query_is_one_statement_that_only_reads(folder, tmp_path, monkeypatch):
    pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    data = folder / "t.csv"
    whole = ts.read(data)
    assert ts.NaiveBayes().fit(ts.read(sql=f"SELECT * FROM '{data}'"), "y").to_bytes() == (
        ts.NaiveBayes().fit(whole, "y").to_bytes()
    )
    for query, what in (
        (f"select * from '{data}'; copy (select 1) to 'out.csv'", "has 2 statements"),
        (f"with x as (copy (from '{data}') to 'out.csv') select * from x", "COPY_TO_FILE|CTE"),
        ("copy (select 1) to 'out.csv'", "COPY"),
        ("attach 'out.db'", "ATTACH"),
        ("install httpfs", "LOAD"),
        ("pragma version", "PRAGMA"),
        ("set threads = 1", "SET"),
        ("create table t (i int)", "CREATE"),
        ("select * from whole", "whole"),  # no variable of Python
    ):
        with pytest.raises(DataError, match=what):
            ts.read(sql=query)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OptionError, match="a path or sql="):
        ts.read()


def test_a_file_called_as_a_query_begins_is_a_file(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("from here.csv", "select a from b.csv", "with x as y.csv"):
        (tmp_path / name).write_bytes((folder / "t.csv").read_bytes())
        assert open_source(name).columns == ("x", "w", "y")
    assert open_source("select a fro? b.csv").columns == ("x", "w", "y")
    with pytest.raises(DataError, match=r"there is no file 'select this\.csv'"):
        open_source("select this.csv")
    with pytest.raises(DataError, match="there is no such file, and the query cannot be run"):
        open_source("from nowhere at all.csv")


# -- files that change, large lines --


def test_a_file_rewritten_with_its_old_time_is_a_changed_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "1,p\n2,q\n" * 20)
    source = open_source(path)
    before = os.stat(path)
    path.write_text("x,y\n" + "3,p\n4,q\n" * 20)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(DataError, match="changed while it was read"):
        ts.NaiveBayes().fit(source, "y")


def test_a_parquet_file_cut_short_while_read_is_an_error(tmp_path):
    path = tmp_path / "t.parquet"
    numbers = np.random.default_rng(0).normal(size=400_000)
    table = pa.table({"x": numbers, "y": np.where(numbers > 0, "p", "q")})
    pq.write_table(table, path, row_group_size=20_000, use_dictionary=False)
    for way in (lambda source: source, lambda source: source.within(1 << 18)):
        pq.write_table(table, path, row_group_size=20_000, use_dictionary=False)
        walk = way(open_source(path)).batches()
        first = next(walk)
        os.truncate(path, 4096)
        rows = first.num_rows
        with contextlib.suppress(DataError):  # else all of it was read before the cut
            rows += sum(batch.num_rows for batch in walk)
            assert rows == table.num_rows


def test_a_header_of_any_length_up_to_the_limit_of_a_line_is_read(tmp_path):
    limit = csv.field_size_limit()
    path = tmp_path / "t.csv"
    names = [f"a_gene_with_a_long_name_{i}" for i in range(9_000)]
    path.write_text(",".join(names) + "\n" + (",".join("1" * 9_000) + "\n") * 5)
    assert open_source(path).columns == tuple(names)
    long = "n" * 200_000
    path.write_text(f'{long},"{long}2"\n1,2\n3,4\n')
    source = open_source(path)
    assert [len(name) for name in source.columns] == [200_000, 200_001]
    assert sum(batch.num_rows for batch in source.batches()) == 2
    path.write_text(f"a,b\n1,{long}\n2,3,4\n")
    with pytest.raises(DataError, match=r"line 3; the first has 3"):
        list(ts.read(path, strict=True).batches())
    assert csv.field_size_limit() == limit


def test_encodings_of_other_things_than_text_are_refused(folder):
    of_names, of_code = ("idna", "punycode"), ("unicode_escape", "raw_unicode_escape")
    for name in ("zlib", "rot13", "base64", "bz2", "hex", "undefined", *of_names, *of_code):
        with pytest.raises(OptionError, match=f"encoding '{name}' is not a known text encoding"):
            ts.read(folder / "t.csv", encoding=name)


def test_a_name_that_repeats_lists_few_positions(tmp_path):
    (tmp_path / "t.csv").write_text(",".join(["x"] * 5_000) + "\n" + ",".join(["1"] * 5_000) + "\n")
    with pytest.raises(DataError, match=r"5,000 columns called .x., at positions 1, 2, 3, 4, 5 and 4,995"):
        ts.read(tmp_path / "t.csv")


# -- memory and time in proportion to the bytes --


def test_json_lines_have_the_limit_of_lines_and_of_empty_cells(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps({f"k{i}": 1}) + "\n" for i in range(4_000)))
    with pytest.raises(DataError, match=r"4,000 different keys in 4,000 records, which share few"):
        open_source(path)
    with open(path, "w") as file:
        file.write('{"x": 1}\n{"x": "')
        for _ in range(66):
            file.write("x" * (1 << 20))
    with pytest.raises(DataError, match="a line of more than 64 MiB, line 2"):
        open_source(path)
    long = "y" * (3 << 20)
    path.write_text(json.dumps({"x": long}) + "\n" + json.dumps({"x": "z"}))
    assert [r["x"] for b in open_source(path).batches() for r in b.to_pylist()] == [long, "z"]
    path.write_text('{"x": ' + "[" * 100_000 + "\n")
    with pytest.raises(DataError, match="line 1 is nested too deeply"):
        open_source(path)


@pytest.mark.slow
def test_a_query_reads_a_pipe_once(folder):
    want = tally("predict", "m.json", "t.csv", cwd=folder).stdout
    query = "from read_csv('/dev/stdin') select *"
    data = (folder / "t.csv").read_bytes()
    told = tally("predict", "m.json", "--sql", query, given=data, cwd=folder)
    assert (told.stdout, told.returncode) == (want, 0)
    os.mkfifo(pipe := folder / "query.fifo")
    writing = threading.Thread(target=pipe.write_bytes, args=(data,))
    writing.start()
    rows = ts.read(sql=f"from read_csv('{pipe}') where x > 1")
    writing.join()
    assert sum(batch.num_rows for batch in rows.batches()) == sum(i % 97 / 7 > 1 for i in range(ROWS))


GROWTH = """
import sys
import pyarrow.compute, pyarrow.csv
import tallystick as ts
import tallystick.table.disk, tallystick.io.containers
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
before = peak()
try:
    ts.NaiveBayes(memory="64MB").fit(sys.argv[1], "y")
except ts.errors.DataError as error:
    print((peak() - before) // 1024, error)
"""


def refused(path):
    """Return by how many MB a fit in 64 MB grew, and the error in which it ended."""
    done = subprocess.run([sys.executable, "-c", GROWTH, path], capture_output=True, text=True, check=True)
    grown, _, error = done.stdout.partition(" ")
    return int(grown), error


@pytest.mark.slow
@pytest.mark.parametrize("name", ["t.jsonl", "t.json", "t.csv"])
def test_a_line_too_long_for_the_memory_given_is_refused_within_it(tmp_path, name):
    path = tmp_path / name
    rows = [{"t": f"w{i % 5}", "y": "pq"[i % 2]} for i in range(200)] + [{"t": "z" * 30_000_000, "y": "p"}]
    if name == "t.csv":
        path.write_text("t,y\n" + "".join(f"{row['t']},{row['y']}\n" for row in rows))
    else:
        lines = [json.dumps(row) for row in rows]
        path.write_text("\n".join(lines) if name == "t.jsonl" else "[" + ",\n".join(lines) + "]")
    grown, error = refused(path)
    assert re.search(r"a line of more than 5\.33 MB, line 20[12], too long for the memory given", error)
    assert grown < 64, error
    assert tally("describe", path, "--memory", "64MB").stderr.count(b"Pass --memory 512MB") == 1
    source = ts.read(path)  # opened by who knows nothing of the memory
    with pytest.raises(DataError, match=r"a line of more than 5\.33 MB, line 20[12]"):
        ts.NaiveBayes(memory="64MB").fit(source, "y")
    del source


@pytest.mark.slow
def test_more_columns_than_the_memory_given_can_hold_are_refused(tmp_path):
    path = tmp_path / "t.jsonl"
    records = [{f"k{j}": i for j in range(60_000)} | {"y": i} for i in range(2)]
    path.write_text("\n".join(map(json.dumps, records)))
    grown, error = refused(path)
    assert re.search(r"60,001 columns, .* Pass memory='352MB', or take fewer columns", error)
    assert grown < 64, error


@pytest.mark.slow
def test_a_json_array_is_read_record_by_record(tmp_path):
    records = [{"x": i, "w": "é€😀" * (i % 50), "y": "pq"[i % 2]} for i in range(30_000)]
    array, lines = tmp_path / "t.json", tmp_path / "t.jsonl"
    array.write_text(json.dumps(records, ensure_ascii=False, indent=1))
    lines.write_text("\n".join(json.dumps(r, ensure_ascii=False) for r in records))
    one, other = open_source(array), open_source(lines).within(1 << 12)
    assert one.columns == other.columns == ("x", "w", "y")
    assert [r for b in one.batches() for r in b.to_pylist()] == records
    assert [r for b in other.batches() for r in b.to_pylist()] == records
    for text, what in (
        ('[{"x": 1}, 2]', "whose items are not records"),
        ('[{"x": 1} {"x": 2}]', "line 1 is not JSON: .*delimiter"),
        ('[{"x": 1},\n{"x": }]', "line 2 is not JSON"),
        ('[{"x": 1}', "is not JSON"),
        ('[{"x": 1}]\n]', "line 2 is not JSON: 'Extra data'"),
    ):
        array.write_text(text)
        with pytest.raises(DataError, match=what):
            open_source(array)


@pytest.mark.slow
def test_a_text_that_repeats_in_a_parquet_file_is_held_once(tmp_path):
    texts = pa.array(["alpha " * 20_000, "beta " * 20_000])
    path = tmp_path / "t.parquet"
    codes = pa.array([0, 1, 1, 0] * 15_000, pa.int32())
    column = pa.DictionaryArray.from_arrays(codes, texts)
    pq.write_table(pa.table({"x": column, "y": ["p", "q"] * 30_000}), path, compression="zstd")
    code = (  # 6 GB written out
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)); "
        "import tallystick as ts; path = sys.argv[1]; "
        "ts.NaiveBayes().fit(path, 'y'); ts.NaiveBayes(memory='64MB').fit(path, 'y'); "
        "rows = {'x': [1.5, 2.5] * 9, 'y': ['p', 'q'] * 9}; "
        "ts.NaiveBayes().fit(rows, 'y').predict(path, lenient=True)"
    )
    run = [sys.executable, "-c", code, str(path)]
    alone = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    told = subprocess.run(run, capture_output=True, env=alone, check=False)
    assert told.returncode == 0, told.stderr


def test_a_file_that_unpacks_to_far_more_than_tables_do_is_asked_about(tmp_path):
    import gzip
    import zipfile

    text = b"a,y\n" + b"1,p\n2,q\n" * (1 << 25)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text, 6))
    with zipfile.ZipFile(tmp_path / "t.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("t.csv", text)
    for name in ("t.csv.gz", "t.zip"):
        with pytest.raises(DataError, match=r"unpacks to 256 MiB, [0-9,]+ times its size") as caught:
            ts.read(tmp_path / name)
        assert str(caught.value).endswith("If that is meant, pass unpack=True to ts.read.")
        assert ts.read(tmp_path / name, unpack=True).columns == ("a", "y")
    small = b"a,y\n" + b"1,p\n2,q\n" * 100_000
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(small))
    assert ts.read(tmp_path / "t.csv.gz").columns == ("a", "y")
