"""20 Newsgroups to word counts: ours on two threads beside scikit-learn's CountVectorizer, the same pattern.

    TALLYSTICK_DATA=... python benchmarks/words.py

Texts are given as each side wants them: Arrow strings for us, a list of str for the peer. Memory is what the
process grew by at its peak during our call, in units of the text.
"""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv
from turns import Figure, in_turn, over, repeated, seconds

from tallystick.table.strings import Vocabulary, count_words, match_words

TRAIN = "20newsgroups/20news-bydate-train.csv.gz"
OTHERS = ("sms-spam/sms-spam.csv.gz", "tweeteval-hate/hate.csv.gz")


def texts(name):
    """Return the longest string column of a data set."""
    with gzip.open(Path(os.environ["TALLYSTICK_DATA"]) / name) as file:
        options = csv.ParseOptions(newlines_in_values=True)
        table = csv.read_csv(file, csv.ReadOptions(block_size=1 << 28), options)
    return max((table[n] for n in table.column_names if table[n].type == pa.string()), key=lambda c: c.nbytes)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def peak_growth(work):
    """Return by how many bytes the process grew at most while work ran, looked at every half millisecond."""
    before, peak, done = resident(), [0], threading.Event()

    def watch():
        while not done.wait(0.0005):
            peak[0] = max(peak[0], resident())

    thread = threading.Thread(target=watch)
    thread.start()
    work()
    done.set()
    thread.join()
    return max(peak[0] - before, 0)


def peer(listed):
    """Return the peer's words and its rows of a list of texts."""
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(token_pattern=r"(?u)\b\w+\b")  # its default leaves out words of one letter
    matrix = vectorizer.fit_transform(listed)
    matrix.sort_indices()
    return tuple(vectorizer.get_feature_names_out()), matrix


def different(counts, vocabulary, words, matrix):
    """Return how many documents have other counts than the peer's, and all of them if the words differ."""
    if vocabulary != words:
        return matrix.shape[0]
    ends = zip(counts.starts[:-1], counts.starts[1:], matrix.indptr[:-1], matrix.indptr[1:], strict=True)
    return sum(
        not (
            np.array_equal(counts.words[a:b], matrix.indices[c:d])
            and np.array_equal(counts.counts[a:b], matrix.data[c:d])
        )
        for a, b, c, d in ends
    )


def figures() -> list[tuple[str, float]]:
    column = texts(TRAIN)
    count_words(column[:100], threads=2)  # what the first call loads is no memory of the work
    growth = repeated(lambda: peak_growth(lambda: count_words(column, threads=2)) / column.nbytes)
    listed = column.to_pylist()
    theirs, ours = in_turn(lambda: peer(listed), lambda: count_words(column, threads=2))
    vocabulary, counts = count_words(column, threads=2)
    known = Vocabulary(vocabulary)
    match = seconds(lambda: match_words(column, known, threads=2))
    wrong = different(counts, vocabulary, *peer(listed))
    shown = f"ours {Figure(ours):.3f} s, peer {Figure(theirs):.2f} s; known words {match:.3f} s"
    print(f"20 newsgroups to counts: {shown}")
    for name in OTHERS:
        other = texts(name)
        found = count_words(other, threads=2)
        wrong += different(found[1], found[0], *peer(other.to_pylist()))
    return [
        ("20 newsgroups: x faster than CountVectorizer", over(theirs, ours)),
        ("documents with different counts", float(wrong)),
        ("peak memory beyond the text, in texts", growth),
    ]


if __name__ == "__main__":
    for figure, value in figures():
        print(f"{figure:<60} {value:.2f}")
