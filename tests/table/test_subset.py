"""Rows of a table taken apart: what a part does not hold, it does not know."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tallystick.io.open import open_source
from tallystick.schema import ColumnOptions
from tallystick.table.reader import read_table

TEXTS = ["the cat sat here", "a dog ran far", "the dog sat down", "rare words only now", "the cat ran home"]


@pytest.fixture
def table():
    frame = {
        "level": ["a", "b", "a", "z", "b"],
        "number": [1.5, 2.0, 3.0, 9.0, 4.0],
        "text": TEXTS,
        "y": ["no", "yes", "no", "maybe", "yes"],
    }
    return read_table(open_source(frame), ColumnOptions(kinds={"text": "text"}), "y")


def test_a_part_drops_levels_words_and_labels_that_it_does_not_hold(table):
    part = table.take(np.array([0, 1, 2]))
    assert part.schema["level"].levels == ("a", "b")
    assert "rare" not in part.schema["text"].words
    assert "home" not in part.schema["text"].words
    assert part.schema.target.labels == ("no", "yes")
    assert part.classes.tolist() == [0, 1, 0]
    assert part.schema["number"].high == 3.0


def test_rows_coded_by_another_part_are_unseen_where_it_does_not_know_them(table):
    taught = table.take(np.array([0, 1, 2]))
    tested = table.take(np.array([3, 4]), taught.schema)
    unseen = len(taught.schema["level"].levels) + 1
    assert tested.column("level").tolist() == [unseen, 1]
    words = taught.schema["text"].words
    starts, word, count = tested.slice(0, 2).words("text")
    rows = [
        dict(zip(word[a:b].tolist(), count[a:b].tolist(), strict=True)) for a, b in pairwise(starts.tolist())
    ]
    assert rows[0] == {len(words): 4}  # every word of "rare words only now" is unseen
    assert rows[1] == {words.index("the"): 1, words.index("cat"): 1, words.index("ran"): 1, len(words): 1}
    for a, b in pairwise(starts.tolist()):
        assert (np.diff(word[a:b].astype(int)) > 0).all()
    assert tested.classes is None  # the labels differ


def test_a_part_equals_the_table_read_from_its_rows_alone(table):
    rows = [0, 1, 4]
    alone = {
        "level": [["a", "b", "a", "z", "b"][i] for i in rows],
        "number": [[1.5, 2.0, 3.0, 9.0, 4.0][i] for i in rows],
        "text": [TEXTS[i] for i in rows],
        "y": [["no", "yes", "no", "maybe", "yes"][i] for i in rows],
    }
    read = read_table(open_source(alone), ColumnOptions(kinds={"text": "text"}), "y")
    part = table.take(np.array(rows))
    assert part.schema.to_dict()["target"] == read.schema.to_dict()["target"]
    assert [c.levels for c in part.schema.columns] == [c.levels for c in read.schema.columns]
    assert [c.words for c in part.schema.columns] == [c.words for c in read.schema.columns]
    assert part.column("level").tolist() == read.column("level").tolist()
