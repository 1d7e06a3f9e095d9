"""The laws of encoding: containers, order and cuts mean nothing; codes can be read back."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tables import arrow, as_text, containers, csv_bytes, decode, encoded, tables

from tallystick.errors import DataError
from tallystick.io.open import open_source, read
from tallystick.schema import ColumnOptions, Schema
from tallystick.table.new_rows import match
from tallystick.table.ranks import quantile_cuts
from tallystick.table.reader import read_table
from tallystick.text import cell_text

pytestmark = pytest.mark.slow

SLOW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@SLOW
@given(tables())
def test_the_same_cells_in_any_container_give_the_same_table(table):
    with tempfile.TemporaryDirectory() as folder:
        answers = {kind: encoded(x) for kind, x in containers(table, Path(folder)).items()}
    for kind, answer in answers.items():
        assert answer == answers["csv"], kind


@SLOW
@given(tables(), st.randoms(use_true_random=False))
def test_row_order_means_nothing(table, random):
    rows = list(range(len(next(iter(table.values())))))
    random.shuffle(rows)
    before, after = encoded(table), encoded({n: [c[i] for i in rows] for n, c in table.items()})
    if isinstance(before, str):
        assert after == before
        return
    assert after[0] == before[0]
    assert after[2:] == before[2:]
    assert after[1] == {n: [c[i] for i in rows] for n, c in before[1].items()}


@SLOW
@given(tables(), st.data())
def test_the_cut_into_batches_means_nothing(table, data):
    whole = arrow(table)
    cuts = sorted(data.draw(st.lists(st.integers(0, whole.num_rows), max_size=4)))
    parts = [whole.slice(a, b - a) for a, b in zip([0, *cuts], [*cuts, whole.num_rows], strict=True)]
    texts = pa.table({n: [None if x is None else as_text(x) for x in c] for n, c in table.items()})
    text_parts = [texts.slice(a, b - a) for a, b in zip([0, *cuts], [*cuts, whole.num_rows], strict=True)]
    assert encoded(pa.concat_tables(parts)) == encoded(whole)
    assert encoded(pa.concat_tables(text_parts)) == encoded(whole)


@settings(max_examples=40, deadline=None)
@given(tables(max_rows=40), st.integers(1, 200), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_block_size_line_ends_and_a_byte_order_mark_mean_nothing(table, block, end, mark):
    from dataclasses import replace

    with tempfile.TemporaryDirectory() as folder:
        plain, other = Path(folder) / "plain.csv", Path(folder) / "other.csv"
        plain.write_bytes(csv_bytes(table))
        other.write_bytes(b"\xef\xbb\xbf" * mark + csv_bytes(table, end=end))
        source = replace(read(other, sep=","), block=block)
        assert encoded(source) == encoded(read(plain, sep=","))


@SLOW
@given(tables())
def test_codes_can_be_read_back(table):
    try:
        answer = read_table(open_source(table))
    except DataError:
        return
    for column in answer.schema.used:
        cells = table[column.name]
        if column.levels:
            read = decode(answer.column(column.name), column.levels)
            assert [None if t is None else t.lower() for t in read] == [
                None if (text := cell_text(c, "")) is None else text.lower() for c in cells
            ]
        elif not column.unit:
            values = answer.column(column.name)
            expected = [np.nan if c is None else float(c) for c in cells]
            np.testing.assert_array_equal(values, np.array(expected) + 0.0)


@SLOW
@given(tables())
def test_a_table_matched_to_its_own_schema_has_its_own_codes(table):
    try:
        answer = read_table(open_source(table))
    except DataError:
        return
    again = Schema.from_dict(answer.schema.to_dict())
    with tempfile.TemporaryDirectory() as folder:
        for kind, x in containers(table, Path(folder)).items():
            blocks = list(match(open_source(x), again))
            for column in again.used:
                data = np.concatenate([m.block.columns[column.name] for m in blocks])
                np.testing.assert_array_equal(data, answer.column(column.name), err_msg=kind)
                assert sum(m.unseen[column.name] for m in blocks) == 0


@settings(max_examples=40, deadline=None)
@given(tables(), st.lists(st.integers(0, 3), min_size=12, max_size=12))
def test_a_whole_weight_is_that_many_copies_and_0_is_no_row(table, weights):
    rows = len(next(iter(table.values())))
    weights = weights[:rows]
    if sum(weights) == 0:
        return
    copies = {
        n: [c for c, w in zip(cells, weights, strict=True) for _ in range(w)] for n, cells in table.items()
    }
    weighted, copied = encoded(table, weights=weights), encoded(copies)
    if isinstance(weighted, str):
        assert copied == weighted
        return
    assert weighted[0] == copied[0]
    assert weighted[2:] == copied[2:]


def test_levels_are_sorted_by_utf8_bytes_and_codes_are_narrow():
    words = ["b", "ä", "Z", "€", "a", "𝄞"]
    table = read_table(open_source({"w": words * 4, "n": [1.5, 2.5] * 12}))
    column = table.schema["w"]
    assert list(column.levels) == sorted(words, key=str.encode)
    assert table.column("w").dtype == np.uint8
    many = [f"w{i}" for i in range(300)] * 2
    assert read_table(open_source({"w": many})).column("w").dtype == np.uint16


def test_a_matrix_is_not_copied():
    matrix = np.random.default_rng(1).normal(size=(100, 3))
    table = read_table(open_source(matrix))
    assert list(table.columns) == ["x0", "x1", "x2"]
    assert np.shares_memory(table.column("x1"), matrix)


def test_negative_zero_and_any_nan_are_zero_and_missing():
    payload = np.array([0x7FF8000000000123], np.uint64).view(np.float64)[0]
    strange = read_table(open_source({"x": np.array([-0.0, 1.5, payload, 0.0])}))
    plain = read_table(open_source({"x": [0.0, 1.5, None, 0.0]}))
    assert strange.schema == plain.schema
    assert strange.fingerprint == plain.fingerprint
    assert not np.signbit(strange.column("x")[0])


def test_ranks_are_exact_and_missing_comes_last():
    values = np.array([3.0, np.nan, 1e308, 1e-308, 3.0, -5.0])
    codes, distinct = read_table(open_source({"x": values})).ranks("x")
    assert distinct.tolist() == [-5.0, 1e-308, 3.0, 1e308]
    assert codes.tolist() == [2, 4, 3, 1, 2, 0]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=200), st.integers(1, 12))
def test_quantile_bins_are_few_even_and_order_free(values, most):
    distinct, counts = np.unique(np.array(values, float), return_counts=True)
    cuts = quantile_cuts(distinct, counts, most)
    assert len(cuts) < max(most, 1) or len(cuts) == 0
    assert (np.diff(cuts) > 0).all()
    bins = np.bincount(np.searchsorted(cuts, values, side="right"), minlength=len(cuts) + 1)
    assert (bins > 0).all()
    if len(distinct) > most:
        assert bins.max() <= len(values) / most + counts.max()
    else:
        assert len(bins) == len(distinct)


def test_neighbouring_doubles_get_a_cut_between_them():
    low = 1.0
    high = np.nextafter(low, 2)
    cuts = quantile_cuts(np.array([low, high]), np.array([1, 1]), 2)
    assert cuts.tolist() == [high]


def test_a_subset_knows_nothing_of_other_rows():
    frame = pd.DataFrame({"w": ["a", "b", "c"] * 8, "x": np.arange(24) * 1.5, "y": ["p", "q"] * 12})
    table = read_table(open_source(frame), target="y")
    rows = np.flatnonzero(frame["w"] != "c")
    part, alone = table.take(rows), read_table(open_source(frame.iloc[rows]), target="y")
    assert part.schema == alone.schema
    assert part.fingerprint == alone.fingerprint
    np.testing.assert_array_equal(part.column("w"), alone.column("w"))


def test_row_hashes_are_equal_exactly_for_equal_rows():
    frame = pd.DataFrame({"w": ["a", "b", "a", "a"], "x": [1.5, 2.5, 1.5, 1.5], "y": ["p", "q", "p", "q"]})
    hashes = read_table(open_source(frame), target="y").row_hashes()
    assert hashes[0] == hashes[2]
    assert len(set(hashes.tolist())) == 3


def test_blocks_are_views_of_all_rows():
    matrix = np.random.default_rng(0).normal(size=(70_000, 2))
    table = read_table(open_source(matrix), target=np.arange(70_000) % 3)
    blocks = list(table.blocks())
    assert [b.rows for b in blocks] == [65_536, 4_464]
    assert np.shares_memory(blocks[1].values("x0"), matrix)
    assert blocks[1].classes.tolist() == (np.arange(65_536, 70_000) % 3).tolist()


def test_progress_is_told_for_every_column():
    told = []
    read_table(open_source({"a": [1.5, 2.5], "b": ["x", "y"]}), progress=lambda *args: told.append(args))
    assert told == [(1, 2, "a"), (2, 2, "b")]


def test_threads_mean_nothing():
    frame = pd.DataFrame(
        {f"c{j}": np.random.default_rng(j).integers(0, 50, 500).astype(str) for j in range(9)}
    )
    assert encoded(frame, threads=1) == encoded(frame, threads=2) == encoded(frame, threads=8)


def test_text_columns_become_word_counts():
    texts = [f"the quick brown fox number n{i} jumps over dogs" for i in range(30)]
    table = read_table(open_source({"t": texts, "y": ["a", "b"] * 15}), target="y")
    column = table.schema["t"]
    assert column.kind == "text"
    assert "quick" in column.words
    starts, _, counts = table.column("t")
    assert len(starts) == 31
    assert counts.sum() == 30 * 9
    block = next(match(open_source({"t": ["quick zebra zebra", None]}), table.schema))
    assert block.unseen["t"] == 2
    assert block.missing["t"] == 1


def test_wishes_go_before_what_is_inferred():
    frame = pd.DataFrame({"x": [1, 2, 3, 2] * 6, "id": range(24), "s": ["low", "high", "mid", "low"] * 6})
    wishes = ColumnOptions(
        kinds={"x": "levels", "s": "ordered"}, levels={"s": ["low", "mid", "high"]}, keep=("id",)
    )
    schema = read_table(open_source(frame), wishes).schema
    assert schema["x"].levels == ("1", "2", "3")
    assert schema["s"].kind == "ordered"
    assert schema["s"].levels == ("low", "mid", "high")
    assert schema["id"].kind == "numeric"
    assert read_table(open_source(frame), ColumnOptions(kinds={"x": "out"})).schema["x"].kind == "out"


@pytest.mark.parametrize("kind", ["csv", "pandas", "list of dicts"])
def test_declared_numbers_are_the_same_levels_everywhere(kind, tmp_path):
    table = {"x": [1.0, 2.5, 1.0, 10.0], "y": ["a", "b", "a", "b"]}
    answer = read_table(open_source(containers(table, tmp_path)[kind]), ColumnOptions(kinds={"x": "levels"}))
    assert answer.schema["x"].levels == ("1", "10", "2.5")


def test_an_interrupt_ends_encoding_within_moments(tmp_path):
    import signal
    import subprocess
    import sys
    import time

    script = """
import numpy as np, pandas as pd, sys, time
from tallystick.table.reader import read_table
from tallystick.io.open import open_source, read
from tallystick.text import cell_text
rng = np.random.default_rng(0)
words = np.array([f"level {i}" for i in range(1000)], dtype=object)
frame = pd.DataFrame({f"c{j}": words[rng.integers(0, 1000, 3_000_000)] for j in range(8)})
try:
    print("ready", flush=True)
    while True:
        read_table(open_source(frame))
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "stopped\n"
        assert process.wait(timeout=300) == 0


def test_ranks_of_all_columns_are_those_of_each():
    matrix = np.random.default_rng(3).integers(0, 50, size=(5_000, 11)) / 4
    matrix[::7, 3] = np.nan
    for x in (matrix, np.asfortranarray(matrix)):
        table, alone = read_table(open_source(x)), read_table(open_source(x))
        table.rank_all(threads=2)
        for name in table.columns:
            for found, expected in zip(table.ranks(name), alone.ranks(name), strict=True):
                np.testing.assert_array_equal(found, expected)
