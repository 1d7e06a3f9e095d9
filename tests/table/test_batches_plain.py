"""Blocks of rows cut into cells and read where they lie: the cells and the parts that the long way gives."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tallystick as ts
from tallystick import kernels
from tallystick.io.csv_bytes import BareRows
from tallystick.io.open import open_source
from tallystick.schema import MISSING_MARKS
from tallystick.table.batches import Plain, loaded
from tallystick.table.cells import Coded, Floats, condense
from tallystick.table.reader import read_table, read_to_disk
from tallystick.table.strings import Distinct, numbers

pytestmark = pytest.mark.slow

SEPARATORS = (",", ";", "\t")
numeric = st.floats(-1e6, 1e6).map(repr) | st.integers(-(10**17), 10**17).map(str)
cells = {
    "numbers": numeric,
    "gaps": numeric | st.sampled_from(["", "NA", "?", " 1.5 ", "1e999", "-0"]),
    "dates": st.dates().map(str) | st.just(""),
    "few": st.integers(0, 5).map(str),
    "texts": st.text(
        st.characters(codec="utf-8", exclude_characters=',;\t\r\n"\0', exclude_categories=("Cs",))
    ),
    "mixed": numeric | st.sampled_from(["2020-01-01", "x", "007", "5%"]),
}


@st.composite
def blocks(draw):
    """Rows of two to four columns as bytes, and their cells column by column."""
    sep, end = draw(st.sampled_from(SEPARATORS)), draw(st.sampled_from(["\n", "\r\n"]))
    kinds = draw(st.lists(st.sampled_from(sorted(cells)), min_size=2, max_size=4))
    rows = draw(st.lists(st.tuples(*(cells[k] for k in kinds)), min_size=1, max_size=40))
    rows = rows * draw(st.integers(1, 4))
    text = end.join(sep.join(row) for row in rows) + draw(st.sampled_from([end, ""]))
    return text.encode(), sep, [list(column) for column in zip(*rows, strict=True)]


def cut(block: bytes, columns: int, sep: str = ",") -> np.ndarray | None:
    return kernels.cut_cells(block, columns, sep)


@pytest.mark.slow
@settings(deadline=None)
@given(blocks())
def test_cells_are_what_stands_between_separators_and_line_ends(made):
    block, sep, columns = made
    ends = cut(block, len(columns), sep)
    if ends is None:  # an empty last row without a line end, or a row that is one carriage return
        assert not block.strip(b"\r\n") or b"\r" in block.replace(b"\r\n", b"")
        return
    batch = Plain(block, ends, [str(j) for j in range(len(columns))])
    found = [[t.strip("\r") for t in batch.column(j).to_pylist()] for j in range(len(columns))]
    assert found == columns


def repeated(end: str, last: str) -> tuple[bytes, str, list[list[str]]]:
    """Twice twelve decimals in the last column: as few as levels may be, however a row ends."""
    columns = [["7"] * 24, [f"{i}.5" for i in range(12)] * 2]
    text = end.join(f"7,{cell}" for cell in columns[1]) + last
    return text.encode(), ",", columns


SPACED = b"7,1.5\n7, 1.5 \n" * 12, ",", [["7"] * 24, ["1.5", " 1.5 "] * 12]


@pytest.mark.slow
@settings(deadline=None)
@given(blocks(), st.sampled_from(["", "0", "1"]))
@example(repeated("\r\n", ""), "")  # the last cell alone ends without a carriage return
@example(repeated("\r\n", "\r\n"), "")
@example(repeated("\n", ""), "")
@example(SPACED, "")
def test_parts_are_those_of_the_columns_as_texts(made, as_text):
    block, sep, columns = made
    names = [str(j) for j in range(len(columns))]
    ends = cut(block, len(columns), sep)
    if ends is None:
        return
    parts = Plain(block, ends, names).parts(names, set(as_text), MISSING_MARKS, ".")
    assert list(parts) == names
    for name, column in zip(names, columns, strict=True):
        want = condense(pa.array(column), name, MISSING_MARKS, ".", name in as_text)
        found = parts[name]
        assert isinstance(found, Floats) == isinstance(want, Floats)
        if isinstance(found, Floats):
            assert found.values.tobytes() == want.values.tobytes()
            assert (found.dated, found.written) == (want.dated, want.written)
            assert found.scan[:6] == kernels.scan(want.values)[:6]
        else:
            same(found if isinstance(found, Distinct) else found.distinct(MISSING_MARKS), want)


def same(found: Distinct, want: Coded) -> None:
    """Are these the distinct texts of those cells?"""
    told = want.distinct(MISSING_MARKS)
    assert found.values.equals(told.values)
    assert (found.codes.dtype, found.codes.tolist()) == (told.codes.dtype, told.codes.tolist())
    assert found.counts().tolist() == told.counts().tolist()


@pytest.mark.parametrize(
    "block",
    [
        b"1,2\n3\n",
        b"1,2\n3,4,5\n",
        b"1,2\n\n3,4\n",
        b"1,2\r3,4\n",
        b"1,2\n3,4\r",
        b"1\r,2\n",
        b"1,2\n3,4\n\n",
    ],
)
def test_rows_that_are_not_plain_are_left_to_the_source(block):
    for before in (b"", b"1,2\n" * 15, b"1,2\n" * 16 + b"12,3\n" * 100):  # also across 64 bytes
        assert cut(before + block, 2) is None


def test_line_ends_of_two_bytes_may_lie_on_both_sides_of_a_step():
    for length in range(1, 140):
        block = b"x" * length + b",1\r\ny,2\r\n"
        ends = cut(block, 2)
        assert ends is not None
        assert [Plain(block, ends, "ab").column(1).to_pylist()] == [["1\r", "2\r"]]


def test_a_quoted_file_a_ragged_file_and_a_plain_one_give_the_same_table(tmp_path):
    rng = np.random.default_rng(2)
    rows = [f"{x!r},{'ab'[i % 2]},{i % 7}" for i, x in enumerate(rng.normal(size=60_000).tolist())]
    plain, quoted = tmp_path / "plain.csv", tmp_path / "quoted.csv"
    plain.write_text("x,y,z\n" + "\n".join(rows) + "\n")
    quoted.write_text("x,y,z\n" + "\n".join(r.replace(",a,", ',"a",') for r in rows) + "\n\n")
    assert any(isinstance(loaded(load, "xyz"), Plain) for load in open_source(plain).pieces())
    whole = ts.NaiveBayes().fit(plain, "y").to_bytes()
    assert ts.NaiveBayes().fit(quoted, "y").to_bytes() == whole
    assert ts.NaiveBayes(memory="32MB").fit(quoted, "y").to_bytes() == whole


@settings(deadline=None)
@given(st.floats(1e-9, 1e9), st.integers(16, 22), st.integers(-1, 1))
@example(1.0, 19, 0)
def test_decimals_beside_the_middle_of_two_doubles_go_to_the_nearer(value, digits, step):
    exact = f"{(value + math.nextafter(value, math.inf)) / 2:.60f}"  # rounds to one of the two
    middle = int(value * 2**80) + int(math.nextafter(value, math.inf) * 2**80)  # twice the middle, exactly
    scale = digits - len(exact.split(".")[0])
    if scale < 0:
        return
    near = middle * 10**scale // 2**81 + step
    text = f"{near // 10**scale}.{near % 10**scale:0{scale}}" if scale else str(near)
    assert numbers(pa.array([text, "-" + text]), ()).values.tolist() == [float(text), -float(text)]


def test_more_texts_than_few_are_coded_as_well():
    rows = [(f"t{i % n}", f" u{i % 7} ") for n in (1000, 5000) for i in range(n * 2)]
    block = "".join(f"{a},{b}\n" for a, b in rows).encode()
    ends = cut(block, 2)
    assert ends is not None
    assert kernels.code_columns(block, ends, [0]) == [None]
    parts = Plain(block, ends, "ab").parts("ab", (), (), ".")
    for name, column in zip("ab", zip(*rows, strict=True), strict=True):
        texts = parts[name].values.to_pylist()
        assert [texts[code] for code in parts[name].codes] == [t.strip() for t in column]


@pytest.mark.parametrize("threads", [1, 3])
def test_batches_that_use_memory_again_give_the_table_of_one_batch(tmp_path, threads):
    rng = np.random.default_rng(3)
    path = tmp_path / "long.csv"
    cells = rng.normal(size=(40_000, 3)).tolist()
    rows = [f"{a!r},{'pqr'[i % 3]},{i % 5},{b!r},{c!r}" for i, (a, b, c) in enumerate(cells)]
    path.write_text("a,y,few,b,c\n" + "\n".join(rows) + "\n")
    source = open_source(path)
    assert sum(isinstance(piece.found, BareRows) for piece in source.pieces()) > 2
    one = read_table(replace(source, block=1 << 30), target="y", threads=1)
    for found in (read_table(source, target="y", threads=threads), read_to_disk(source, 1 << 25, target="y")):
        assert found.schema == one.schema
        assert found.classes.tobytes() == one.classes.tobytes()
        for name, column in one.columns.items():
            assert np.asarray(found.columns[name]).tobytes() == column.tobytes()


def test_wrong_arguments_are_named():
    ends = cut(b"1,2\n", 2)
    assert ends is not None
    with pytest.raises(ValueError, match="separator must be one byte"):
        kernels.cut_cells(b"1,2\n", 2, "é")
    with pytest.raises(ValueError, match="columns must be a whole number"):
        kernels.cut_cells(b"1,2\n", 0, ",")
    with pytest.raises(ValueError, match="ends must lie within the block"):
        kernels.copy_cells(b"1,", ends, 0)
    with pytest.raises(ValueError, match="column must be below 2"):
        kernels.copy_cells(b"1,2\n", ends, 2)
    with pytest.raises(ValueError, match="texts must have shape"):
        kernels.read_columns(b"1,2\n", ends, np.zeros(3, bool), (), ".")
