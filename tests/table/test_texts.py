"""Distinct texts and their counts, in memory and in runs on disk."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tallystick.table.strings import RunFile, TextCounts, joined, written


def run(counts):
    texts = sorted(counts, key=str.encode)
    return pa.array(texts, pa.large_string()), np.array([[counts[t]] for t in texts], np.int64).reshape(-1, 1)


def told(found):
    return dict(zip(found[0].to_pylist(), found[1][:, 0].tolist(), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0, 1, 200])
def test_counts_add_up_whatever_lies_on_disk(limit):
    counts = TextCounts(1, limit)
    expected = {}
    for i in range(60):
        batch = {f"t{(i * 7 + j) % 90}é": j + 1 for j in range(5)}
        counts.add(*run(batch))
        for text, n in batch.items():
            expected[text] = expected.get(text, 0) + n
    found = counts.sorted()
    assert told(found) == expected
    assert found[0].to_pylist() == sorted(expected, key=str.encode)
    assert bool(counts.runs) == bool(limit)


def test_few_batches_wait_however_few_texts_they_have():
    counts = TextCounts(1)
    for _ in range(1_000):
        counts.add(*run({"a": 1, "b": 1}))
        assert len(counts.parts) < 100
    assert counts.sorted()[1].tolist() == [[1_000], [1_000]]


def test_two_counts_merge_into_one():
    one, other = TextCounts(1), TextCounts(1, limit=1)
    one.add(*run({"b": 1}))
    other.add(*run({"a": 2, "b": 3}))
    one.merge(other)
    assert told(one.sorted()) == {"a": 2, "b": 4}


def test_no_texts_are_no_texts():
    texts, counts = TextCounts(2).sorted()
    assert (len(texts), counts.shape) == (0, (0, 2))


def test_a_run_on_disk_is_the_run_and_a_slice_of_an_array_is_no_trouble():
    texts, counts = run({"a": 1, "bb": 2, "": 3})
    assert told(written((texts, counts))) == {"": 3, "a": 1, "bb": 2}
    file = RunFile(1)
    file.add(texts.slice(1), counts[1:])
    file.add(texts.slice(0, 0), counts[:0])
    assert told(file.run()) == {"a": 1, "bb": 2}


def test_runs_are_joined_range_by_range():
    runs = [run({f"{i:03}": 1 for i in range(k, 100, 3)}) for k in range(3)]
    seen = []

    def join(parts):
        seen.append(sum(len(texts) for texts, _ in parts))
        both = {}
        for part in parts:
            both |= told(part)
        return run(both)

    assert told(joined(runs, 200, join)) == {f"{i:03}": 1 for i in range(100)}
    assert len(seen) > 1
    assert sum(seen) == 100
