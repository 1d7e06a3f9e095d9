"""Texts to word counts: equal to Python's re on the lower-cased text, whatever the partitions."""

from __future__ import annotations

import gzip
import unicodedata
from collections import Counter
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import reference_text as twin
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import csv
from shared_tables import needs_data, shared

import tallystick as ts
from tallystick.kernels import text as door
from tallystick.table import strings as room
from tallystick.table.strings import Vocabulary, count_words, match_words

pytestmark = pytest.mark.slow

# Another Unicode version in Python knows other characters; those of version 3.2 have not changed since.
SAME = unicodedata.unidata_version == door.UNICODE
ANY = st.characters(codec="utf-8")
ANY = ANY if SAME else ANY.filter(lambda c: unicodedata.ucd_3_2_0.category(c) != "Cn")
ODD = "ΣσςİıIßſǅŸȺK'’.:^`\u00ad\u0307\u0345_-— \n\t0²½٣ⅷ Ⓐªºあ漢字😀\ufffd\U0001d7d8"
texts = st.one_of(
    st.text(ANY, max_size=40),
    st.text(alphabet=ODD + "aA", max_size=200),
    st.text(alphabet="abcXYZ09_ ,.", max_size=300),
    st.lists(st.text(ANY, min_size=1, max_size=20), max_size=9).map(" ".join),
)
columns = st.lists(st.none() | texts, max_size=12)


def rows(counts):
    out = []
    for start, stop in pairwise(counts.starts):
        numbers = counts.words[start:stop].tolist()
        assert numbers == sorted(set(numbers))
        out.append(dict(zip(numbers, counts.counts[start:stop].tolist(), strict=True)))
    return out


@settings(deadline=None)
@given(columns)
@example(
    [
        "ΑΣ ΑΣΑ Σ ΑΣ' Α'Σ 'Σ ΑΣ'Α",
        "İstanbul aİb İİ",
        "a" * 70 + " " + "B" * 16 + " " + "Ab" * 9,
        "x" * 63 + "é",
        None,
        "",
    ]
)
@example([" ".join(f"w{i}" for i in range(5000))])
@example(["sameprefix_b sameprefix_ab sameprefix sameprefix_a sameprefix_aaaaaaaaaa sameprefix_aaaaaaaaab"])
def test_words_are_those_of_re_on_the_lower_cased_text(column):
    vocabulary, counts = count_words(pa.array(column, pa.string()), threads=1)
    assert (vocabulary, rows(counts)) == twin.word_counts(column)


@pytest.mark.skipif(
    not SAME, reason=f"Python knows Unicode {unicodedata.unidata_version}, the tables {door.UNICODE}"
)
def test_every_character_is_judged_as_python_judges_it():
    planes = (
        *range(0xD800),
        *range(0xE000, 0x32000),
        *range(0xE0000, 0xE1000),
    )  # all but unassigned and private
    every = [f"x{chr(c)}y a{chr(c)}Σ aΣ{chr(c)}a" for c in planes]
    column = [" | ".join(every[i : i + 500]) for i in range(0, len(every), 500)]
    found = count_words(pa.array(column, pa.large_string()))
    assert (found[0], rows(found[1])) == twin.word_counts(column)


@settings(deadline=None)
@given(
    columns, st.integers(1, 4), st.integers(0, 3), st.none() | st.integers(0, 5), st.lists(st.integers(0, 12))
)
def test_partitions_threads_and_arrow_types_do_not_matter(column, threads, least, most, cuts):
    want = twin.word_counts(column, ["?", "ab"], least, most)
    edges = [0, *sorted(min(c, len(column)) for c in cuts), len(column)]
    kinds = [pa.string(), pa.large_string(), pa.string_view()]
    before, room.ALONE = room.ALONE, 1
    try:
        for kind in kinds:
            chunks = [column[a:b] for a, b in pairwise(edges)]
            cells = pa.chunked_array(chunks, kind)
            vocabulary, counts = count_words(
                cells, ["?", "ab"], min_documents=least, max_words=most, threads=threads
            )
            assert (vocabulary, rows(counts)) == want
            again = match_words(cells, Vocabulary(vocabulary), ["?", "ab"], threads=threads)
            assert rows(again) == rows(counts)
    finally:
        room.ALONE = before


@settings(deadline=None)
@given(columns, st.sets(texts.map(lambda t: t.lower())))
def test_unseen_words_are_counted_as_the_number_after_the_last(column, words):
    vocabulary = sorted({w for t in words for w in twin.words_of(t)}, key=str.encode)
    found = match_words(pa.array(column, pa.string()), Vocabulary(vocabulary))
    assert rows(found) == twin.matched([Counter(twin.words_of(t or "")) for t in column], vocabulary)


@settings(deadline=None)
@given(st.lists(st.binary(max_size=80), max_size=5))
def test_bytes_that_are_no_utf8_are_no_letters(chunks):
    offsets = np.cumsum([0, *map(len, chunks)])
    array = pa.LargeStringArray.from_buffers(
        len(chunks), pa.py_buffer(offsets.astype(np.int64)), pa.py_buffer(b"".join(chunks))
    )
    vocabulary, counts = count_words(array)
    assert (vocabulary, rows(counts)) == twin.word_counts([c.decode("utf-8", "replace") for c in chunks])


def test_small_memory_grows_until_all_is_counted(monkeypatch):
    monkeypatch.setattr(door, "CHUNK", 3)
    column = [
        "a" * 10_000 + " bb",
        None,
        " ".join(f"w{i % 700}" for i in range(9000)),
        "é" * 5000 + " bb",
        "bb bb",
    ]
    for least in (1, 2):  # a row that is begun again counts once
        vocabulary, counts = count_words(pa.array(column), min_documents=least)
        assert (vocabulary, rows(counts)) == twin.word_counts(column, min_documents=least)


def test_the_same_word_twice_is_refused():
    with pytest.raises(ValueError, match="distinct"):
        Vocabulary(["aa", "bb", "aa"])


REAL = ["20newsgroups/20news-bydate-train", "sms-spam/sms-spam", "tweeteval-hate/hate"]


@needs_data
@pytest.mark.parametrize("name", REAL)
def test_real_texts_have_the_counts_of_count_vectorizer(name):
    text = pytest.importorskip("sklearn.feature_extraction.text")
    vectorizer = text.CountVectorizer(token_pattern=r"(?u)\b\w+\b")  # its default leaves one letter out
    with gzip.open(shared(name)) as file:
        table = csv.read_csv(
            file,
            csv.ReadOptions(block_size=1 << 28),
            csv.ParseOptions(newlines_in_values=True),
        )
    column = max(
        (table[n] for n in table.column_names if table[n].type == pa.string()), key=lambda c: c.nbytes
    )
    matrix = vectorizer.fit_transform(column.to_pylist())
    matrix.sort_indices()
    vocabulary, counts = count_words(column)
    assert vocabulary == tuple(vectorizer.get_feature_names_out())
    for ours, theirs in zip(counts, (matrix.indptr, matrix.indices, matrix.data), strict=True):
        assert np.array_equal(ours, theirs)


def test_long_texts_give_one_model_whether_copies_are_found_or_not(monkeypatch):
    from tallystick.table import cells

    rest = "word of a text that is so long that hardly anybody would write all of it twice"
    long = [f"the {w} {rest}" for w in "abcd"]
    frame = pd.DataFrame({"t": [*long, long[1], None, " NA ", *long], "y": [0, 1] * 5 + [1]})
    given = {"kinds": {"t": "text"}}
    quick = ts.NaiveBayes(**given).fit(frame, "y")
    assert quick.schema_["t"].missing == 2
    weighted = ts.NaiveBayes(**given).fit(frame, "y", sample_weight=[2, 1, 1, 0, 1, 3, 1, 1, 1, 1, 1])
    assert weighted.schema_["t"].missing == 4
    monkeypatch.setattr(cells, "LONG", 10**9)
    assert quick.to_bytes() == ts.NaiveBayes(**given).fit(frame, "y").to_bytes()
