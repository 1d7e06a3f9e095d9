"""What columns look like, and which cells fit them."""

from __future__ import annotations

import random

import pyarrow as pa

from tallystick.io.csv_repair import MOST, KnownTexts, Looks, form, is_number, short_form


def looks(*columns):
    known = Looks(len(columns))
    known.add(
        pa.table([pa.array(c, pa.string()) for c in columns], names=[str(j) for j in range(len(columns))])
    )
    return known


def test_a_form_is_kinds_of_characters_and_a_short_one_forgets_their_number():
    assert form("28/01/2018") == "99/99/9999"
    assert form("MG-8769é") == "AA-9999a"
    assert short_form("99/99/9999") == "9/9/9"


def test_numbers_are_told_from_words_that_python_takes_for_numbers():
    assert [is_number(t) for t in ("1", "-2.5", "3,5", "1e5", "inf", "nan", "1_0", "", "x")] == [
        True, True, True, True, False, False, False, False, False,
    ]  # fmt: skip


def test_a_cell_fits_by_its_text_its_form_or_its_ends():
    many = 40
    known = looks(
        ["red", "blue"] * many,
        [f"AB-{i:04d}" for i in range(2 * many)],
        [f"{i / 10:.1f}" for i in range(2 * many)],
        [f"{'Some ' * (i % 7)}text {'of any' * (i % 11)} kind{i}" for i in range(2 * many)],
        ["x", ""] * many,
    )
    texts, codes, numbers, free, holes = known.columns
    assert [texts.fits(t) for t in ("red", "green", "", " red")] == [True, False, False, False]
    assert [codes.fits(t) for t in ("ZZ-1234", "ZZ-123", "zz-1234")] == [True, False, False]
    assert [numbers.fits(t) for t in ("12345", "1,5", "x", "")] == [True, False, False, False]
    assert [numbers.fits(t, exactly=True) for t in ("7.5", "75")] == [True, False]
    assert [free.fits(t) for t in ("Some other thing7", ", and so on5")] == [True, False]
    assert [holes.fits(t) for t in ("", "x", "y")] == [True, True, False]


def test_what_is_known_depends_neither_on_order_nor_on_blocks():
    rng = random.Random(3)
    cells = [rng.choice(["a", "b", f"{i}", f"t {i} x" * (i % 5), ""]) for i in range(300)]
    whole, parts = looks(cells), Looks(1)
    rng.shuffle(cells)
    for start in range(0, 300, 7):
        parts.add(pa.table([pa.array(cells[start : start + 7], pa.string())], names=["0"]))
    for text in ("a", "c", "17", "t 9 x", "", "!"):
        assert whole.fit([text]) == parts.fit([text]), text


def test_a_set_of_too_many_texts_is_open():
    known = KnownTexts()
    known.add([str(i) for i in range(MOST)])
    assert known.closed(10 * MOST, 8) is not None
    known.add(["one more"])
    assert known.closed(10 * MOST, 8) is None
