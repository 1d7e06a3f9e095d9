"""Tables on disk: the same models, descriptions and judgements in a stated amount of memory."""

from __future__ import annotations

import gzip
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wide_files import anonymous, peak_of, write_wide

import tallystick as ts
from tallystick.cli.main import run as tally
from tallystick.errors import DataError
from tallystick.estimator.base import rows_of
from tallystick.files import Stamp
from tallystick.io.open import open_source
from tallystick.table.ranks import _run, _values_at, codes_within, few_or_cuts, quantile_cuts, wanted_rows
from tallystick.table.reader import read_to_disk
from tallystick.table.strings import TextCounts
from tallystick.tree.growth import GROWING

pytestmark = pytest.mark.slow

LEAST = "32MB"
MODELS = {
    "tree": lambda **given: ts.DecisionTree(max_bins=255, **given),
    "pruned": lambda **given: ts.DecisionTree(max_bins=20, pruning="pessimistic", **given),
    "c45": lambda **given: ts.DecisionTree.c45(**given),
    "bayes": lambda **given: ts.NaiveBayes(**given),
    "words": lambda **given: ts.NaiveBayes(words="tf-idf", min_count=2, **given),
    "logistic": lambda **given: ts.LogisticRegression(**given),
    "card": lambda **given: ts.Scorecard(**given),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A table with every kind of column, gaps and rows without a label, as CSV and Parquet."""
    rng, rows = np.random.default_rng(5), 30_000
    x = rng.normal(size=rows)
    words = np.array(["calm", "sea", "storm", "wind", "rain", "sun", "fog"])
    texts = [" ".join(words[rng.integers(0, 7, rng.integers(5, 9))]) + f" n{i}" for i in range(rows)]
    columns = {
        "unique": np.where(rng.random(rows) < 0.02, None, np.round(x, 9)),
        "few": rng.integers(0, 9, rows).astype(float) / 4,
        "flag": rng.integers(0, 2, rows),
        "level": np.where(rng.random(rows) < 0.05, None, words[rng.integers(0, 7, rows)]),
        "day": [str(np.datetime64("2020-01-01") + int(i)) for i in rng.integers(0, 900, rows)],
        "text": texts,
        "id": [f"row-{i}" for i in range(rows)],
        "y": np.where(rng.random(rows) < 0.01, None, np.where(x + rng.normal(size=rows) > 0, "up", "down")),
    }
    table = pa.table({name: pa.array(cells) for name, cells in columns.items()})
    folder = tmp_path_factory.mktemp("files")
    pacsv.write_csv(table, folder / "t.csv")
    pq.write_table(table, folder / "t.parquet", row_group_size=7_000)
    return folder


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("method", sorted(MODELS))
def test_a_model_learned_from_rows_on_disk_is_the_model_byte_for_byte(files, method, ending):
    path = files / f"t.{ending}"
    whole = MODELS[method]().fit(path, "y")
    assert MODELS[method](memory=LEAST).fit(path, "y").to_bytes() == whole.to_bytes()


def test_labels_and_weights_may_come_as_arrays(files):
    frame = ts.read(files / "t.csv")
    rng = np.random.default_rng(1)
    labels = rng.choice(["a", "b"], 30_000)
    weights = rng.choice([0.0, 1.0, 2.5], 30_000)
    whole = ts.NaiveBayes().fit(frame, labels, weights)
    assert ts.NaiveBayes(memory=LEAST).fit(frame, labels, weights).to_bytes() == whole.to_bytes()
    with pytest.raises(DataError, match="has 29,999 values for 30,000 rows"):
        ts.NaiveBayes(memory=LEAST).fit(frame, labels[1:])


def test_a_regression_tree_learns_from_rows_on_disk(files):
    wishes = {"kinds": {"y": "out"}, "max_bins": 50, "max_depth": 5}
    whole = ts.RegressionTree(**wishes).fit(files / "t.csv", "few")
    assert (
        ts.RegressionTree(memory=LEAST, **wishes).fit(files / "t.csv", "few").to_bytes() == whole.to_bytes()
    )


@pytest.mark.parametrize("method", ["tree", "bayes", "logistic"])
def test_cross_validation_of_rows_on_disk_gives_the_same_answers(files, method):
    whole = ts.cross_validate(MODELS[method](), files / "t.csv", "y", folds=3)
    found = ts.cross_validate(MODELS[method](memory=LEAST), files / "t.csv", "y", folds=3)
    assert found.to_dict() == whole.to_dict()


def test_the_description_of_rows_on_disk_is_the_same(files):
    whole = ts.describe(files / "t.csv", "y")
    assert ts.describe(files / "t.csv", "y", memory=LEAST).to_dict() == whole.to_dict()


def test_predictions_in_little_memory_are_the_same(files, tmp_path):
    model = ts.DecisionTree(max_bins=255).fit(files / "t.parquet", "y")
    whole = model.predict_proba(files / "t.parquet")
    assert np.array_equal(model.set_params(memory=LEAST).predict_proba(files / "t.parquet"), whole)


def test_the_command_line_takes_memory(files, tmp_path, capsys):
    small, whole = tmp_path / "small.tally.json", tmp_path / "whole.tally.json"
    fit = ["fit", "--model", "bayes", str(files / "t.csv"), "-t", "y", "--folds", "0", "-o"]
    assert tally([*fit, str(small), "--memory", "40 MB"], False) == 0
    assert tally([*fit, str(whole)], False) == 0
    assert small.read_bytes() == whole.read_bytes()
    rows = ["predict", str(small), str(files / "t.csv"), "-o"]
    assert tally([*rows, str(tmp_path / "a.csv"), "--memory", "32MB"], False) == 0
    assert tally([*rows, str(tmp_path / "b.csv")], False) == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    capsys.readouterr()


def test_a_tree_on_disk_tells_all_numbers_apart(tmp_path):
    rows = 70_000
    x = np.random.default_rng(3).permutation(rows) / 3
    pacsv.write_csv(pa.table({"x": x, "y": np.where(x % 5 < 2, "a", "b")}), tmp_path / "t.csv")
    found = ts.DecisionTree(max_depth=4, memory=LEAST).fit(tmp_path / "t.csv", "y")
    assert found.notes_ == ()
    assert found.to_bytes() == ts.DecisionTree(max_depth=4).fit(tmp_path / "t.csv", "y").to_bytes()


@given(
    st.lists(
        st.sampled_from([0.0, -1.5, 2.0, 3.25, 1e300, -1e-300, np.nan]) | st.floats(allow_infinity=False)
    ),
    st.integers(2, 4),  # at most as many as values are told apart by
    st.none() | st.integers(0, 3),
)
def test_cuts_from_sorted_runs_are_those_of_all_values_at_once(values, bins, seed):
    column = np.array(values * 3, float) + 0.0  # tables have no -0.0
    weights = None if seed is None else np.random.default_rng(seed).integers(1, 4, len(column))
    known = ~np.isnan(column)
    distinct, places = np.unique(column[known], return_inverse=True)
    counts = np.bincount(places, None if weights is None else weights[known], minlength=len(distinct))
    found, binned = few_or_cuts(column, weights, 4, bins, 0)
    assert binned == (len(distinct) > 4)
    wanted = quantile_cuts(distinct, counts.astype(np.int64), bins) if binned else distinct
    assert found.tobytes() == wanted.tobytes()
    codes = codes_within(column, found, binned, 0)
    side = np.searchsorted(found, column, side="right" if binned else "left")
    assert codes.tolist() == np.where(known, side, len(found) + binned).tolist()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=40), st.integers(2, 6))
def test_rows_are_found_in_several_runs_as_in_one(values, bins):
    column = np.array(values) + 0.0
    weights = np.arange(1, len(column) + 1)
    for some in (None, weights):
        cut = [None if some is None else some[i::3] for i in range(3)]
        three = [_run(column[i::3], cut[i], np.empty) for i in range(3)]
        whole = _run(column, some, np.empty)
        wanted = wanted_rows(len(column) if some is None else int(weights.sum()), bins)
        assert _values_at(three, wanted).tolist() == whole.value_at(wanted).tolist()  # -0.0 is 0.0


def test_a_packed_file_is_told_by_what_it_holds(tmp_path):
    text = b"a,b,y\n" + b"1.5,2.5,p\n2.5,3.5,q\n" * 50_000
    plain, packed, parts = tmp_path / "t.csv", tmp_path / "t.csv.gz", tmp_path / "parts.csv.gz"
    plain.write_bytes(text)
    packed.write_bytes(gzip.compress(text))
    parts.write_bytes(gzip.compress(text[: 6 + 20 * 40_000]) + gzip.compress(text[6 + 20 * 40_000 :]))
    assert open_source(packed).needed == open_source(plain).needed
    assert 0.5 < open_source(parts).needed / open_source(plain).needed < 2  # its end tells of its last part
    assert open_source(packed).block == open_source(plain).block


def test_a_tree_that_memory_does_not_hold_grows_level_by_level_to_the_same_bytes(tmp_path):
    rows = 430_000
    rng = np.random.default_rng(4)
    x, level = rng.integers(0, 100, rows) / 8, rng.integers(0, 3, rows)
    label = np.where(x + level + rng.integers(0, 6, rows) > 8, "up", "down")
    table = pa.table({"x": x, "level": np.array(["a", "b", "c"])[level], "y": label})
    pacsv.write_csv(table, tmp_path / "t.csv")
    small = ts.DecisionTree(max_bins=20, max_depth=3, memory=LEAST)
    assert not small._read(tmp_path / "t.csv", "y").holds(GROWING)
    whole = ts.DecisionTree(max_bins=20, max_depth=3).fit(tmp_path / "t.csv", "y")
    assert small.fit(tmp_path / "t.csv", "y").to_bytes() == whole.to_bytes()


def test_texts_that_all_differ_and_are_more_than_memory_stay_on_disk(tmp_path):
    rng, rows = np.random.default_rng(6), 60_000
    names = [rng.bytes(700).hex() for _ in range(rows)]  # 84 MB
    x = rng.normal(size=rows)
    table = pa.table({"x": x, "name": names, "y": np.where(x > 0, "a", "b")})
    pacsv.write_csv(table, tmp_path / "t.csv")
    del names, table
    found, grown = peak_of(tmp_path / "t.csv", "96MB", ["gaussian"], tmp_path)
    assert grown <= 112, f"{grown:.0f} MB"  # what the system's allocator holds back differs from run to run
    whole, more = peak_of(tmp_path / "t.csv", None, ["gaussian"], tmp_path)
    assert found == whole
    assert more > 112  # so that this could have failed


@pytest.mark.slow
def test_words_of_free_text_that_are_more_than_memory_are_counted_on_disk(tmp_path):
    rng = np.random.default_rng(0)
    with open(tmp_path / "t.csv", "w") as file:  # 1.8 million words, all but 400 of them once
        file.write("text,y\n")
        for rare in rng.integers(0, 1 << 40, (60_000, 30)):
            common = rng.integers(0, 400, 8).tolist()
            words = [f"w{x:x}" for x in rare.tolist()] + [f"common{x}" for x in common]
            file.write(f"{' '.join(words)},{'yes' if common[0] > 200 else 'no'}\n")
    found, grown = peak_of(tmp_path / "t.csv", "96MB", ["frequent words"], tmp_path)
    assert grown <= 112, f"{grown:.0f} MB"  # what the system's allocator holds back differs from run to run
    whole, more = peak_of(tmp_path / "t.csv", None, ["frequent words"], tmp_path)
    assert found == whole
    assert more > 112  # so that this could have failed


@given(st.lists(st.lists(st.text(max_size=3), max_size=12), max_size=12), st.integers(1, 200))
def test_distinct_texts_do_not_depend_on_what_lies_on_disk(batches, limit):
    small, whole = TextCounts(1, limit), TextCounts(1)
    for batch in batches:
        texts = pa.array(sorted(set(batch)), pa.large_string())
        counts = np.array([[batch.count(t.as_py())] for t in texts], np.int64).reshape(-1, 1)
        small.add(texts, counts)
        whole.add(texts, counts)
    for _ in range(2):
        found, wanted = small.sorted(), whole.sorted()
        assert found[0].to_pylist() == wanted[0].to_pylist()
        assert found[1].tolist() == wanted[1].tolist()


def test_a_file_that_changes_while_it_is_read_is_an_error(tmp_path):
    path = tmp_path / "t.csv"
    lines = "".join(f"{i / 7:.5f},{'pq'[i % 2]}\n" for i in range(200_000))
    path.write_text("x,y\n" + lines)
    source = open_source(path)

    def more(rows, total, what):
        if rows:
            with open(path, "a", encoding="utf-8") as file:
                file.write("1.5,p\n")

    with pytest.raises(
        DataError, match=r"t\.csv changed while it was read \(it had .* bytes, now .*\)\. Read it"
    ):
        read_to_disk(source, 32 << 20, None, "y", progress=more)
    with pytest.raises(DataError, match=r"t\.csv changed while it was read"):
        ts.NaiveBayes().fit(source, "y")  # opened before
    path.unlink()
    with pytest.raises(DataError, match="was removed while it was read"):
        Stamp(str(path), "t.csv", (0, 0, 0, 0)).check()


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """A file of some seconds' work."""
    path = tmp_path_factory.mktemp("wide") / "wide.csv"
    write_wide(path, 20 << 20)
    return path


@pytest.fixture
def large(wide, tmp_path):
    """A folder with that file, and an empty folder for scratch files."""
    (tmp_path / "wide.csv").symlink_to(wide)
    (tmp_path / "scratch").mkdir()
    return tmp_path


CHILD = """
import sys, threading
import tallystick as ts
from tallystick.io.scratch import ScratchFile
plain, told = ScratchFile.write, threading.Lock()
def write(self, buffer, at):
    done = plain(self, buffer, at)
    if told.acquire(blocking=False):  # the first of all threads
        print("writing", flush=True)
    return done
ScratchFile.write = write
try:
    for _ in range(int(sys.argv[2])):
        ts.NaiveBayes(memory="32MB").fit(sys.argv[1], "y")
except KeyboardInterrupt:
    print("interrupted", threading.active_count() - 1 < 3, flush=True)
"""


def begun(large: Path, times: int = 1) -> subprocess.Popen:
    """So many fits in a process of its own that has begun to write scratch files."""
    environment = {**os.environ, "TMPDIR": str(large / "scratch")}
    command = [sys.executable, "-c", CHILD, str(large / "wide.csv"), str(times)]
    job = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert job.stdout is not None
    assert job.stdout.readline() == "writing\n"
    return job


def test_an_interrupt_ends_the_work_and_leaves_no_scratch_file(large):
    job = begun(large, 1_000_000)  # it does not end while this process waits for its turn
    job.send_signal(signal.SIGINT)
    output, _ = job.communicate()
    assert output.startswith("interrupted")
    assert list((large / "scratch").iterdir()) == []


def test_a_killed_run_leaves_no_scratch_file_and_the_next_one_works(large):
    job = begun(large)
    job.kill()
    job.communicate()
    assert list((large / "scratch").iterdir()) == []
    again = begun(large)
    again.communicate()
    assert again.returncode == 0
    assert list((large / "scratch").iterdir()) == []


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize(("call", "when"), [("pwrite64", 1), ("pwrite64", 900), ("fallocate", 1)])
def test_a_full_scratch_disk_is_one_line_and_nothing_is_left(large, call, when):
    output = large / "m.tally.json"
    strace = ["strace", "-f", "-qq", "-o", "/dev/null", "--seccomp-bpf", f"--trace={call}"]
    work = [
        sys.executable,
        "-m",
        "tallystick.cli",
        "fit",
        "--model",
        "bayes",
        str(large / "wide.csv"),
        "-t",
        "y",
        "--folds",
        "0",
    ]
    done = subprocess.run(
        [*strace, f"--inject={call}:error=ENOSPC:when={when}+", *work, "--memory", "32MB", "-o", str(output)],
        env={**os.environ, "TMPDIR": str(large / "scratch")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert "is full: no room for scratch files" in done.stderr
    assert list((large / "scratch").iterdir()) == []
    assert not output.exists()


def test_a_file_size_limit_is_told_as_a_full_disk(large):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
    try:
        with pytest.raises(DataError, match="is full: no room for scratch files"):
            ts.NaiveBayes(memory=LEAST).fit(large / "wide.csv", "y")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def check_budget(folder: Path, megabytes: int, budget: int, *names: str) -> None:
    """Some learners, on a file that many times the budget: the same models within it."""
    path, scratch = folder / "wide.csv", folder / "scratch"
    scratch.mkdir()
    write_wide(path, megabytes << 20)
    found, grown = peak_of(path, f"{budget}MB", [*names], scratch)
    assert grown <= budget, f"{grown:.0f} MB of {budget} MB"
    whole, more = peak_of(path, None, [*names], scratch)
    assert found == whole
    assert more > budget  # so that this could have failed
    assert list(scratch.iterdir()) == []


def test_300_mb_are_learned_in_64_mb(tmp_path):
    check_budget(tmp_path, 300, 64, "tree", "gaussian", "logistic")


def test_100_mb_in_small_batches_are_learned_in_32_mb(tmp_path):
    check_budget(tmp_path, 100, 32, "gaussian")


@pytest.mark.night
def test_6_gb_are_learned_in_1_gb(tmp_path):
    check_budget(tmp_path, 6 * 1024, 1024, "tree", "gaussian", "logistic")


def test_what_the_model_file_says_of_the_rows_is_the_same_on_disk(files):
    model = ts.NaiveBayes()
    whole = model._read(files / "t.csv", "y")
    assert rows_of(model.set_params(memory=LEAST)._read(files / "t.csv", "y")) == rows_of(whole)


SCORED = """
import sys
import tallystick as ts
from pathlib import Path
votes = Path(ts.__file__).parent / "examples" / "votes.csv"
makes = {"bayes": ts.NaiveBayes, "tree": ts.DecisionTree}
for make in makes.values():
    ts.cross_validate(make(), votes, "party").measure("log-loss")  # all that is loaded is loaded now
print("ready", flush=True)
sys.stdin.readline()
model = makes[sys.argv[2]](memory=sys.argv[3])
found = ts.cross_validate(model, model._read(sys.argv[1], "y"))
print(found.measure("accuracy").value, found.measure("log-loss").value)
"""


@pytest.mark.parametrize("method", ["bayes", "tree"])
def test_the_score_of_a_fit_stays_within_the_budget(tmp_path, method):
    """800,000 rows: 120 bytes a row would be 96 MB."""
    rows, rng = 800_000, np.random.default_rng(2)
    x = rng.integers(0, 2, rows)
    y = np.where(rng.random(rows) < 0.8, x, 1 - x)
    names = pa.array(["no", "yes"])
    table = pa.table({"x": names.take(pa.array(x)), "y": names.take(pa.array(y))})
    pacsv.write_csv(table, tmp_path / "t.csv")
    command = [sys.executable, "-c", SCORED, str(tmp_path / "t.csv"), method, "32MB"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as job:
        assert job.stdout is not None
        assert job.stdin is not None
        assert job.stdout.readline() == "ready\n"
        before = peak = anonymous(job.pid)
        job.stdin.write("go\n")
        job.stdin.flush()
        while job.poll() is None:
            peak = max(peak, anonymous(job.pid))
            time.sleep(0.002)
        accuracy, _ = map(float, job.stdout.read().split())
    assert accuracy == pytest.approx((x == y).mean(), abs=1e-3)
    assert (peak - before) / 1024 <= 32, f"{(peak - before) / 1024:.0f} MB"
