"""Text columns: distinct texts and codes, parsing as numbers, counts over batches, word counts.

- Distinct texts of cells, sorted, with codes. Entry: `distinct()`; `numbers()` parses them.
- Distinct texts with counts, batch after batch, on disk beyond a limit: `TextCounts`, `RunFile`, `joined()`.
- Word counts: `count_words()` makes the vocabulary, `match_words()` uses one.

run = sorted texts with counts. Law: values and codes depend on the cells alone, not on chunks, Arrow type,
dictionary order or unused entries; surrounding ASCII white space is not part of a cell.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.errors import DataError
from tallystick.io.frames import filled, from_numbers, from_texts, to_numbers
from tallystick.io.scratch import ScratchFile
from tallystick.kernels.text import CellKind, FewTexts, Parsed, WordCounter, WordRows, WordTable
from tallystick.parallel import checkpoint, each_in_order, thread_count
from tallystick.table.block import WordCounts, code_type

SPACES = " \t\n\v\f\r"  # what is stripped: ASCII white space
FEW = 100  # entries of a dictionary, up to which Python merges faster than Arrow
SHARED = 4_096  # bytes of texts cached for all batches; longer ones would stay in memory after reading


@dataclass(frozen=True, slots=True)
class Distinct:
    """The distinct texts of a column, sorted by UTF-8 bytes, and every cell's place among them.

    values[k]: large_string, stripped. codes[row]: 0..k-1, and k = len(values) where the cell is missing;
    8 bits when k + 2 <= 256, 16 when k + 2 <= 65,536, else 32, so that "unseen" (k + 1) fits as well.
    """

    values: pa.LargeStringArray
    codes: NDArray[Any]
    counted: NDArray[np.int64] | None = None
    order: tuple[str, ...] | None = None  # as an ordered dictionary lists them, None without one

    def counts(self) -> NDArray[np.int64]:
        """Return counts[k + 1]: rows of each value, then rows without one."""
        if self.counted is None:
            return kernels.count_classes(self.codes, len(self.values) + 1)
        return self.counted


def is_text(kind: pa.DataType) -> bool:
    """Is this a type of texts?"""
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def distinct(cells: Any, marks: Sequence[str] = ()) -> Distinct:
    """Return the distinct values and codes of a string or dictionary column; null and the marks are missing.

    cells: a string, large_string, string_view or dictionary Array or ChunkedArray, or a list of such arrays
    of one type or several.
    """
    chunks = (
        cells.chunks if isinstance(cells, pa.ChunkedArray) else cells if isinstance(cells, list) else [cells]
    )
    chunks = [c for c in chunks if len(c)]
    coded = [c if pa.types.is_dictionary(c.type) else _plain(c).dictionary_encode() for c in chunks]
    places = [_places(c) for c in coded]
    counts = [kernels.count_classes(at, len(c.dictionary) + 1) for at, c in zip(places, coded, strict=True)]
    used = [rows[:-1] > 0 for rows in counts]
    if len(coded) == 1 and len(used[0]) <= FEW:
        merged, into = _merge_few(coded[0].dictionary.to_pylist(), used[0], marks)
    else:
        merged, into = _merge([_plain(c.dictionary) for c in coded], used, marks)
    kind = code_type(len(merged))
    one = len(coded) == 1 and places[0].dtype == kind
    if one and np.array_equal(into[0], np.arange(len(merged) + 1)):  # sorted, stripped and used already
        return Distinct(merged, places[0], counts[0])
    codes, counted = np.empty(sum(len(c) for c in coded), kind), np.zeros(len(merged) + 1, np.int64)
    start = 0
    for at, place, rows in zip(places, into, counts, strict=True):
        np.take(place.astype(kind), at, out=codes[start : start + len(at)], mode="clip")
        kernels.count_classes(place, len(counted), rows, counted)
        start += len(at)
    return Distinct(merged, codes, counted)


def distinct_few(few: FewTexts, marks: Sequence[str] = ()) -> Distinct:
    """Return few texts, each known once, as `distinct` would; those of many batches share one array."""
    missing = _marks(tuple(marks))
    values = tuple(sorted(set(few.texts) - missing))
    at = {text: i for i, text in enumerate(values)}
    place = np.array([at.get(text, len(values)) for text in few.texts], code_type(len(values)))
    counted = kernels.count_classes(place, len(values) + 1, few.counts)
    array = _shared(values) if sum(map(len, values)) <= SHARED else _as_array(values)
    return Distinct(array, np.take(place, few.codes, mode="clip"), counted)


@lru_cache(maxsize=64)
def _marks(marks: tuple[str, ...]) -> frozenset[bytes]:
    return frozenset(mark.encode() for mark in marks)


def _as_array(values: tuple[bytes, ...]) -> pa.LargeStringArray:
    return from_texts([value.decode() for value in values])


@lru_cache(maxsize=256)
def _shared(values: tuple[bytes, ...]) -> pa.LargeStringArray:
    """Cached, so never written to."""
    return _as_array(values)


def _places(coded: pa.DictionaryArray) -> NDArray[Any]:
    """Return every cell's place in the dictionary, one beyond where it is null."""
    size = len(coded.dictionary)
    found = np.ascontiguousarray(filled(coded.indices, size))
    places = found.view(f"u{found.dtype.itemsize}")
    if places.max(initial=0) > size:
        raise DataError(
            f"a dictionary of {size:,} entries is asked for entry {int(found[places > size][0]):,}. "
            "The data is damaged: write it again, or pass the texts themselves."
        )
    return places if found.dtype.itemsize < 8 else places.astype(np.uint32)


def _plain(array: pa.Array) -> pa.LargeStringArray:
    """Return any string array as large_string (no copy when it is one)."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    return array if pa.types.is_large_string(array.type) else array.cast(pa.large_string())


def _merge_few(
    entries: list[str | None], used: NDArray[np.bool_], marks: Sequence[str]
) -> tuple[pa.LargeStringArray, list[NDArray[np.uint32]]]:
    """As _merge, for one small dictionary: Python is done before Arrow's functions are set up."""
    texts = [None if t is None else t.strip(SPACES) for t in entries]
    there = {text for text, some in zip(texts, used.tolist(), strict=True) if some and text is not None}
    values = sorted(there.difference(marks))
    at: dict[str | None, int] = {text: i for i, text in enumerate(values)}
    place = np.array([*(at.get(t, len(values)) for t in texts), len(values)], np.uint32)
    return from_texts(values), [place]


def _merge(
    texts: list[pa.LargeStringArray], used: list[NDArray[np.bool_]], marks: Sequence[str]
) -> tuple[pa.LargeStringArray, list[NDArray[np.uint32]]]:
    """Return the sorted values over all dictionaries and place[entry] of each; its last number is "missing".

    Only entries that some row uses make a value: a category nobody has is not there.
    """
    stripped = [pc.ascii_trim(t, SPACES) for t in texts]
    there = [
        t if some.all() else t.filter(from_numbers(some)) for t, some in zip(stripped, used, strict=True)
    ]
    everything = pc.unique(pa.chunked_array(there, pa.large_string())).drop_null()
    if marks:
        marked = pc.is_in(everything, from_texts(marks))
        everything = everything.filter(pc.invert(marked)) if pc.any(marked).as_py() else everything
    order = pc.sort_indices(everything)
    values, missing = everything.take(order), len(order)
    if len(texts) == 1 and len(texts[0]) == missing:  # each entry is a value, so that they need not be found
        place = np.full(missing + 1, missing, np.uint32)
        place[to_numbers(order)] = np.arange(missing)
        return values, [place]
    places = []
    for text in stripped:
        place = np.full(len(text) + 1, missing, np.uint32)
        place[:-1] = filled(pc.index_in(text, values), missing)
        places.append(place)
    return values, places


def numbers(
    cells: pa.Array | pa.ChunkedArray, marks: Sequence[str], decimal: str = ".", *, dates: bool = False
) -> Parsed:
    """Read a string column as numbers: see kernels.parse_numbers. Rows run through all chunks."""
    chunks = cells.chunks if isinstance(cells, pa.ChunkedArray) else [cells]
    parts = [
        kernels.parse_numbers(data, offsets, validity, marks, decimal, bit_offset=bit, dates=dates)
        for data, offsets, validity, bit in map(layout, chunks)
    ]
    if len(parts) == 1:
        return parts[0]
    counts = np.zeros(len(kernels.CellKind), np.int64)
    first = np.full(len(counts), -1, np.int64)
    start = 0
    for part in parts:
        first = np.where((first < 0) & (part.first >= 0), part.first + start, first)
        counts += part.counts
        start += len(part.values)
    values = np.concatenate([p.values for p in parts] or [np.empty(0)])
    kinds = np.concatenate([p.kinds for p in parts] or [np.empty(0, np.uint8)])
    return Parsed(values, kinds, counts, first)


def numbers_of(texts: pa.LargeStringArray, decimal: str) -> Parsed:
    """Read distinct texts as numbers. Wide tables have the same few levels in many columns: read once."""
    if len(texts) > FEW:
        return numbers(texts, (), decimal, dates=True)
    return _few_numbers(tuple(texts.to_pylist()), decimal)


def reads_as_number(text: str) -> bool:
    """Is this text a number or a date, plainly written?"""
    plain = (CellKind.NUMBER, CellKind.INTEGER, CellKind.INFINITE, CellKind.DATE)
    return int(_few_numbers((text,), ".").kinds[0]) in plain


@lru_cache(maxsize=256)
def _few_numbers(texts: tuple[str, ...], decimal: str) -> Parsed:
    """Cached, so never written to."""
    data, offsets = kernels.join_texts(texts)
    return kernels.parse_numbers(data, offsets, None, (), decimal, dates=True)


def layout(array: pa.Array) -> tuple[NDArray[np.uint8], NDArray[Any], NDArray[np.uint8] | None, int]:
    """Return (data, offsets[row + 1], validity or None, bit offset) of a string array, without copying.

    A dictionary or string_view array is first written out as large_string.
    """
    if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        array = _plain(array)
    validity, offsets, data = array.buffers()
    kind: type[np.signedinteger[Any]] = np.int32 if pa.types.is_string(array.type) else np.int64
    rows = np.zeros(1, kind)
    if len(array):
        rows = np.frombuffer(offsets, kind, len(array) + 1, array.offset * np.dtype(kind).itemsize)
    present = None if validity is None or array.null_count == 0 else np.frombuffer(validity, np.uint8)
    return np.frombuffer(data or b"", np.uint8), rows, present, array.offset


# ---- distinct texts with counts, batch after batch ----
# Law: texts and counts are those of all batches together, in any order, whatever the limit.

Counts = NDArray[np.int64]
Run = tuple[pa.LargeStringArray, Counts]  # texts, sorted, and counts[text, measure]
FEW_TEXTS = 4_096  # texts buffered before they are merged
MANY = 1 << 17  # the same without a memory limit: merging would cost more than keeping them
APART = 64  # texts whose size equals the overhead of a batch's arrays
RUNS = 16  # runs on disk that are joined at once


@dataclass
class TextCounts:
    """texts with counts[text, measure]; those of batches wait until they are as many as the joined.

    limit: bytes of texts that may lie in memory, the others go to runs on disk; 0: all.
    """

    measures: int
    limit: int = 0
    parts: list[Run] = field(default_factory=list)  # the first: joined ones
    joined: bool = False  # the first part is not sorted any more
    waiting: int = 0
    held: int = 0  # bytes of all parts
    runs: list[Run] = field(default_factory=list)  # on disk
    times: list[int] = field(default_factory=list)  # how often each run was joined

    def add(self, texts: pa.LargeStringArray, counts: Counts) -> None:
        """Add the distinct texts of a batch, sorted."""
        if self.parts and self.parts[-1][0] is texts:  # as in the batch before
            self.parts[-1] = texts, self.parts[-1][1] + counts
            return
        self.parts.append((texts, counts))
        if self.limit:
            self.held += texts.nbytes + counts.nbytes
        few = FEW_TEXTS if self.limit else MANY
        if len(self.parts) > 1:
            self.waiting += len(texts) + APART * (few // FEW_TEXTS)  # as many batches may wait either way
        if self.waiting > max(few, len(self.parts[0][0])) or 0 < self.limit < self.held:
            self._join()
        if 0 < self.limit < 2 * self.held:
            self._spill()

    def merge(self, other: TextCounts) -> None:
        """Add the texts of other batches."""
        for texts, counts in (*other.runs, *other.parts):
            self.add(texts, counts)
        self.joined = self.joined or other.joined

    def _join(self) -> None:
        if len(self.parts) > 1:
            self.parts, self.joined = [self._joined(self.parts)], True
        self.waiting, self.held = 0, sum(t.nbytes + c.nbytes for t, c in self.parts)

    def _joined(self, parts: Sequence[Run]) -> Run:
        coded = pa.chunked_array([t for t, _ in parts], pa.large_string()).combine_chunks()
        coded = coded.dictionary_encode()
        codes = to_numbers(coded.indices).astype(np.uint32)
        size, counts = len(coded.dictionary), np.concatenate([c for _, c in parts])
        joined = np.empty((size, self.measures), np.int64)
        for m in range(self.measures):
            joined[:, m] = kernels.count_classes(codes, max(size, 1), np.ascontiguousarray(counts[:, m]))[
                :size
            ]
        return coded.dictionary, joined

    def _spill(self) -> None:
        if self.parts:
            self._join()
            self.runs.append(written(_sorted(self.parts[0])))
            self.times.append(0)
            self.parts, self.held, self.joined = [], 0, False
            pa.default_memory_pool().release_unused()  # the sorted texts are on disk now
        while self.times[-RUNS:].count(self.times[-1]) == RUNS:  # each text is joined again few times
            self._join_runs(RUNS, self.times[-1] + 1)

    def _join_runs(self, count: int, times: int) -> None:
        """Make the last runs one, and say how many times its texts were joined."""
        run = joined(self.runs[-count:], self.limit, lambda parts: _sorted(self._joined(parts)))
        self.runs[-count:], self.times[-count:] = [run], [times]
        pa.default_memory_pool().release_unused()

    def sorted(self) -> Run:
        """Return all texts, sorted by UTF-8 bytes, and their counts."""
        if self.runs:
            self._spill()
            if len(self.runs) > 1:
                self._join_runs(len(self.runs), max(self.times) + 1)
            return self.runs[0]
        if not self.parts:
            return from_texts([]), np.zeros((0, self.measures), np.int64)
        if len(self.parts) == 1 and not self.joined:
            return self.parts[0]
        self._join()
        return _sorted(self.parts[0])


def _sorted(run: Run) -> Run:
    order = pc.sort_indices(run[0])
    return run[0].take(order), run[1][to_numbers(order)]


# ---- sorted runs on disk, joined range by range, for texts that exceed memory ----


class RunFile:
    """A run being written, text after text; it is read from the file, in pages that the system may drop."""

    def __init__(self, measures: int) -> None:
        self.measures, self.size = measures, 0
        self.ends, self.data, self.counts = ScratchFile(), ScratchFile(), ScratchFile()
        self.ends.append(np.zeros(1, np.int64))

    def add(self, texts: pa.LargeStringArray, counts: Counts) -> None:
        """Add texts behind those there are."""
        _, offsets, data = texts.buffers()
        if not len(texts):
            return
        places = np.frombuffer(offsets, np.int64, len(texts) + 1, 8 * texts.offset)
        self.ends.append(places[1:] - places[0] + self.data.size)
        self.data.append(memoryview(data or b"")[int(places[0]) : int(places[-1])])
        self.counts.append(np.ascontiguousarray(counts))
        self.size += len(texts)

    def run(self) -> Run:
        """Return all that was written."""
        ends, data, counts = (file.view() for file in (self.ends, self.data, self.counts))
        for file in (self.ends, self.data, self.counts):
            file.close()  # the arrays hold them now
        buffers = [None, pa.py_buffer(ends), pa.py_buffer(data)]
        texts = pa.Array.from_buffers(pa.large_string(), self.size, buffers)
        return texts, np.frombuffer(counts, np.int64, self.size * self.measures).reshape(-1, self.measures)


def written(run: Run) -> Run:
    """Return a run on disk."""
    file = RunFile(run[1].shape[1])
    file.add(*run)
    return file.run()


@dataclass(frozen=True)
class _Texts(Sequence[str]):
    """Texts as Python's bisection wants them: str sorts as UTF-8 does."""

    array: pa.LargeStringArray

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, at: Any) -> Any:
        return self.array[at].as_py()


def joined(runs: Sequence[Run], limit: int, join: Callable[[Sequence[Run]], Run]) -> Run:
    """Return all runs as one on disk. join: gives runs as one, sorted; it sees some `limit` bytes at once."""
    size = sum(texts.nbytes + counts.nbytes for texts, counts in runs)
    bounds = _bounds(runs, max(1, 2 * size // limit))
    cuts = [[0, *(bisect_left(_Texts(texts), b) for b in bounds), len(texts)] for texts, _ in runs]
    file = RunFile(runs[0][1].shape[1])
    for i in range(len(bounds) + 1):
        checkpoint()
        some = [
            (texts.slice(at[i], at[i + 1] - at[i]), counts[at[i] : at[i + 1]])
            for (texts, counts), at in zip(runs, cuts, strict=True)
        ]
        file.add(*join(some))
    return file.run()


def _bounds(runs: Sequence[Run], ranges: int) -> list[str]:
    """Return rising texts that cut all runs into ranges of about as many texts."""
    found = list[str]()
    for texts, _ in runs:
        found += (texts[at].as_py() for at in range(0, len(texts), max(1, len(texts) // ranges)))
    found.sort()
    return sorted({found[len(found) * i // ranges] for i in range(1, ranges)})


# ---- a vocabulary from all rows, and the counts of its words in each row ----
# A word is a match of (?u)\b\w+\b in the lower-cased text, for one fixed Unicode version: a longest run of
# letters, digits and underscores, be it one letter. Law: vocabulary and counts depend on the texts alone, not
# on chunks, partitions or threads; `count_words(texts)` counts as `match_words(texts, vocabulary)` does.

ALONE = 1 << 16  # bytes of text below which one thread is faster
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
