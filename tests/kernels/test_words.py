"""Texts to word counts: numbers of words, unseen words, marks, and the order that texts cannot change."""

from __future__ import annotations

import itertools

import numpy as np

from tallystick.kernels.text import WordCounter, WordTable, join_texts


def words_of(table):
    starts, data = table.text()
    return [data[a:b].tobytes().decode() for a, b in itertools.pairwise(starts)]


def entries(chunks):
    """Lengths, words and counts of all chunks, one after the other."""
    parts = [(c.lengths, c.words, c.counts) for c in chunks]
    return [np.concatenate(p).tolist() for p in zip(*parts, strict=True)]


def test_words_are_counted_per_row_in_lower_case():
    counter = WordCounter()
    found = entries(counter.count(*join_texts(["Red red pie", "", "pie, blue"]), None, 0))
    assert words_of(counter.table) == ["red", "pie", "blue"]
    assert found == [[2, 0, 2], [0, 1, 1, 2], [2, 1, 1, 1]]
    assert counter.table.documents.tolist() == [1, 2, 1]  # rows that have the word, not how often


def test_a_mark_and_a_missing_cell_have_no_words():
    data, offsets = join_texts(["NA", "tea", "lost"])
    there = np.packbits([1, 1, 0], bitorder="little")
    counter = WordCounter(["NA"])
    assert entries(counter.count(data, offsets, there, 0)) == [[0, 1, 0], [0], [1]]
    assert words_of(counter.table) == ["tea"]


def test_a_given_table_stays_and_has_one_number_for_all_unseen_words():
    table = WordTable.of(["tea", "pie"])
    counter = WordCounter(table=table)
    (rows,) = counter.count(*join_texts(["pie of the sea"]), None, 0)
    rows.place(None, table.words)
    assert (rows.words.tolist(), rows.counts.tolist()) == ([1, 2], [1, 3])
    assert (table.words, counter.table.words) == (2, 2)


def test_order_is_that_of_utf8_bytes_whatever_order_words_came_in():
    for texts in (["é", "b", "a"], ["a", "é", "b"]):
        table = WordTable.of(texts)
        assert [words_of(table)[w] for w in table.order()] == ["a", "b", "é"]


def test_a_word_that_comes_again_is_not_added_and_tables_find_each_others_words():
    table = WordTable.of(["a", "b", "a"])
    assert words_of(table) == ["a", "b"]
    assert table.add(WordTable.of(["b", "c"])).tolist() == [1, 2]
    assert words_of(table) == ["a", "b", "c"]


def test_more_words_than_there_is_room_for_make_the_table_grow():
    texts = [f"w{i}" for i in range(9_000)]
    table = WordTable.of(texts)
    assert words_of(table) == texts
    assert table.add(WordTable.of(texts[:3])).tolist() == [0, 1, 2]


def test_place_renumbers_and_sorts_each_row_alone():
    counter = WordCounter()
    chunks = counter.count(*join_texts(["x y", "y z"]), None, 0)
    for rows in chunks:
        rows.place(np.array([2, 0, 1], np.uint32), 3)
    assert entries(chunks) == [[2, 2], [0, 2, 0, 1], [1, 1, 1, 1]]
