"""Text columns to word counts: a vocabulary from all rows, and the counts of its words in each row.

A word is what the pattern (?u)\\b\\w+\\b finds in the lower-cased text, for one fixed Unicode version: a
longest run of letters, digits and underscores, be it one letter.
Knows texts in Arrow arrays. Knows nothing of classes, schemas or models.
Law: the vocabulary and the counts depend on the texts alone, not on chunks, partitions or threads; and
`count_words(texts)` gives the counts that `match_words(texts, vocabulary)` gives with the vocabulary found.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.data.read.strings import layout
from tallystick.data.source.arrays import from_numbers
from tallystick.data.table.block import WordCounts
from tallystick.data.threads import each_in_order, thread_count
from tallystick.kernels import WordCounter, WordRows, WordTable

ALONE = 1 << 16  # bytes of text that are not worth a second thread
Cells = Any  # a string Array or ChunkedArray, or a list of Arrays
Texts = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint8] | None, int]


class Vocabulary:
    """Words ready to be looked up: word number w is words[w]. Build it once for many calls of match_words."""

    def __init__(self, words: Sequence[str]) -> None:
        self.table = WordTable.of(words)
        if self.table.words != len(words):
            raise ValueError(f"words must be distinct; found {self.table.words} among {len(words)}")


def count_words(
    cells: Cells,
    marks: Sequence[str] = (),
    *,
    min_documents: int = 1,
    min_letters: int = 1,
    max_words: int | None = None,
    threads: int | None = None,
) -> tuple[tuple[str, ...], WordCounts]:
    """Return the vocabulary of a text column, sorted by UTF-8 bytes, and the words of each row.

    See `counted_words`, which gives the words as an array.
    """
    words, rows = counted_words(
        cells,
        marks,
        min_documents=min_documents,
        min_letters=min_letters,
        max_words=max_words,
        threads=threads,
    )
    return tuple(words.to_pylist()), rows


def counted_words(
    cells: Cells,
    marks: Sequence[str] = (),
    *,
    min_documents: int = 1,
    min_letters: int = 1,
    max_words: int | None = None,
    threads: int | None = None,
) -> tuple[pa.LargeStringArray, WordCounts]:
    """Return the vocabulary of a text column, sorted by UTF-8 bytes, and the words of each row.

    Words of fewer than `min_documents` rows or `min_letters` characters are left out, then all but the
    `max_words` of most rows (ties: the first by bytes); what is left out counts as unseen. A cell that is
    null or a mark has no words.
    """
    workers = thread_count(threads)
    partitions = _partitions(cells, workers)
    counters = [WordCounter(marks) for _ in partitions]
    chunks = each_in_order(_count, list(zip(counters, partitions, strict=True)), workers)
    table, places, documents = _merged(counters)
    order = table.order()
    if min_letters > 1:
        order = order[[len(word) >= min_letters for word in _texts(table, order).to_pylist()]]
    order = order[_kept(documents[order], min_documents, max_words)]
    number = np.full(table.words, len(order), np.uint32)  # of each word of the merged table
    number[order] = np.arange(len(order), dtype=np.uint32)

    def finish(task: tuple[list[WordRows], NDArray[np.uint32]]) -> None:
        for chunk in task[0]:
            chunk.place(number[task[1]], len(order))

    each_in_order(finish, list(zip(chunks, places, strict=True)), workers)
    words = _texts(table, order)
    del counters, table, places  # so that the joined rows can have their memory
    return words, _joined(chunks, workers)


def match_words(
    cells: Cells, vocabulary: Vocabulary, marks: Sequence[str] = (), *, threads: int | None = None
) -> WordCounts:
    """Return the words of each row; words not in the vocabulary count as the number after its last."""
    workers = thread_count(threads)

    def match(part: list[Texts]) -> list[WordRows]:
        chunks = _count((WordCounter(marks, vocabulary.table), part))
        for chunk in chunks:
            chunk.place(None, vocabulary.table.words)
        return chunks

    return _joined(each_in_order(match, _partitions(cells, workers), workers), workers)


def _count(task: tuple[WordCounter, list[Texts]]) -> list[WordRows]:
    """Return the rows of one partition, counted by its counter."""
    counter, partition = task
    return [chunk for texts in partition for chunk in counter.count(*texts)]


def _partitions(cells: Cells, workers: int) -> list[list[Texts]]:
    """Cut the rows into at most `workers` runs of about as many bytes each, as views."""
    chunks = (
        cells.chunks if isinstance(cells, pa.ChunkedArray) else cells if isinstance(cells, list) else [cells]
    )
    columns = [layout(chunk) for chunk in chunks if len(chunk)]
    total = sum(int(offsets[-1] - offsets[0]) for _, offsets, _, _ in columns)
    share = max(ALONE, -(-total // workers))
    parts: list[list[Texts]] = [[]]
    room = share
    for data, offsets, validity, bit in columns:
        offsets = offsets.astype(np.int64, copy=False)
        row, rows = 0, len(offsets) - 1
        while row < rows:
            stop = max(row + 1, int(np.searchsorted(offsets, offsets[row] + room, side="right")) - 1)
            parts[-1].append((data, offsets[row : stop + 1], validity, bit + row))
            room -= int(offsets[stop] - offsets[row])
            row = stop
            if (room <= 0 or row < rows) and len(parts) < workers:
                parts.append([])
                room = share
            elif room <= 0 or row < rows:
                room = total
    return [part for part in parts if part]


def _merged(counters: list[WordCounter]) -> tuple[WordTable, list[NDArray[np.uint32]], NDArray[np.int64]]:
    """Return one table of all words, place[counter][word] in it, and documents[word] over all counters."""
    table = counters[0].table if counters else WordTable()
    found = [counter.table.documents.copy() for counter in counters]
    places = [np.arange(table.words, dtype=np.uint32)] if counters else []
    places += [table.add(counter.table) for counter in counters[1:]]
    documents = np.zeros(table.words, np.int64)
    for place, rows in zip(places, found, strict=True):
        documents[place] += rows  # the words of one table have different places
    return table, places, documents


def _kept(documents: NDArray[np.int64], least: int, most: int | None) -> NDArray[np.bool_]:
    """Return which words stay, given documents[word] of all words sorted by bytes."""
    kept = documents >= max(1, least)  # a word of no row was met only in a row that was begun again
    if most is not None and kept.sum() > most:
        best = np.argsort(np.where(kept, -documents, 1), kind="stable")[:most]
        kept = np.zeros(len(documents), bool)
        kept[best] = True
    return kept


def _texts(table: WordTable, words: NDArray[np.uint32]) -> pa.LargeStringArray:
    """Return these words of a table as texts."""
    starts, data = table.text()
    array = pa.LargeStringArray.from_buffers(table.words, pa.py_buffer(starts), pa.py_buffer(data))
    return array.take(from_numbers(words))


def _joined(parts: list[list[WordRows]], workers: int) -> WordCounts:
    """Return chunks of rows as one, letting each go once it is copied."""
    lengths = [chunk.lengths for part in parts for chunk in part]
    starts = np.zeros(1 + sum(map(len, lengths)), np.int64)
    np.cumsum(np.concatenate(lengths or [np.empty(0, np.uint32)]), out=starts[1:])
    words, counts = np.empty(int(starts[-1]), np.uint32), np.empty(int(starts[-1]), np.uint32)

    def copy(task: tuple[list[WordRows], int]) -> None:
        chunks, end = task
        while chunks:
            last = chunks.pop()
            begin = end - len(last.words)
            words[begin:end], counts[begin:end] = last.words, last.counts
            end = begin

    ends = accumulate(sum(len(chunk.words) for chunk in part) for part in parts)
    each_in_order(copy, list(zip(parts, ends, strict=True)), workers)
    return WordCounts(starts, words, counts)
