"""Which engine sums, from what a user said."""

from __future__ import annotations

import pytest

from tallystick import engine as choice
from tallystick.engine import Local, choose_engine, choose_local
from tallystick.errors import OptionError
from tallystick.estimator.rows import table_of
from tallystick.sql import Sql


class Other:
    def total(self, table, question):
        return question


def test_short_words_mean_the_engine_of_this_machine():
    assert choose_engine(None, 2, "1GB") == Local(2, "1GB")
    assert choose_local(Other(), 2, None) == Local(2)


def test_an_engine_is_taken_as_it_is():
    own, other = Local(3), Other()
    assert choose_engine(own, None, None) is own
    assert choose_engine(other, 4, None) is other


def test_short_words_add_to_an_engine_that_does_not_say_them():
    assert choose_engine(Local(memory="1GB"), 2, None) == Local(2, "1GB")
    assert choose_engine(Local(2), None, "1GB") == Local(2, "1GB")
    assert choose_local(Local(), 3, "2GB") == Local(3, "2GB")


def test_there_are_no_more_threads_than_the_memory_has_room_for_unless_it_is_said(monkeypatch):
    monkeypatch.setattr(choice, "thread_count", lambda threads: 64)
    assert choose_local(None, None, "32MB") == Local(2, "32MB")
    assert choose_engine(Local(memory="64MB"), None, None) == Local(4, "64MB")
    assert choose_local(None, None, "1GB") == Local(None, "1GB")
    assert choose_local(None, 8, "32MB") == Local(8, "32MB")
    assert choose_local(None, None, None) == Local()


@pytest.mark.parametrize(("threads", "memory", "name"), [(2, None, "threads"), (None, "1GB", "memory")])
def test_what_is_said_twice_is_refused(threads, memory, name):
    with pytest.raises(OptionError, match=rf"{name}= and engine=ts\.Local\({name}=\) were both given"):
        choose_engine(Local(2, "1GB"), threads, memory)


def test_what_cannot_sum_is_not_an_engine():
    with pytest.raises(
        OptionError,
        match=r"engine must be ts\.Local\(\.\.\.\), ts\.Spark\(\.\.\.\) or ts\.Sql",
    ):
        choose_engine("spark", None, None)


def test_only_a_database_that_is_asked_to_sum_is_opened():
    assert table_of(None, "votes.csv") is None
    assert table_of(Local(2), "duckdb:///votes.db?table=votes") is None
    with pytest.raises(
        OptionError, match=r"engine=ts\.Sql\(\) sums a table of a database, and X is 'votes\.csv'"
    ):
        table_of(Sql(), "votes.csv")
