"""Which engine sums, from what a user said: `engine=`, or the short words `threads=` and `memory=`.

Law: what both say is refused, what one says holds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tallystick.contracts import Engine
from tallystick.engine.local import Local
from tallystick.errors import OptionError, shown
from tallystick.io.scratch import THREAD, budget
from tallystick.parallel import thread_count
from tallystick.sql.engine import Sql

if TYPE_CHECKING:
    from tallystick.io.database import DatabaseTable


PLAIN = Local()  # made once: nearly every fit works so, and asks for it several times


def choose_local(engine: Any, threads: int | None, memory: int | str | None) -> Local:
    """Return how work is done on this machine: also rows that another engine sums are read here."""
    if not isinstance(engine, Local):
        return PLAIN if threads is None and memory is None else _few_enough(Local(threads, memory))
    given: dict[str, Any] = {
        name: value for name, value in (("threads", threads), ("memory", memory)) if value is not None
    }
    for name in given:
        if getattr(engine, name) is not None:
            raise OptionError(f"{name}= and engine=ts.Local({name}=) were both given. Pass one of them.")
    return _few_enough(replace(engine, **given) if given else engine)


def _few_enough(work: Local) -> Local:
    """Return work with no more threads than its memory has room for, unless their number was said."""
    if work.memory is None or work.threads is not None:
        return work
    most = budget(work.memory) // THREAD
    return work if thread_count(None) <= most else replace(work, threads=most)


def choose_engine(engine: Any, threads: int | None, memory: int | str | None) -> Engine:
    """Return the engine that a user's words mean."""
    if engine is None or isinstance(engine, Local):
        return choose_local(engine, threads, memory)
    if not hasattr(engine, "total"):
        raise OptionError(f"engine must be ts.Local(...), ts.Spark(...) or ts.Sql(...), not {shown(engine)}.")
    found: Engine = engine
    return found


def table_of(engine: Any, rows: Any) -> DatabaseTable | None:
    """Return the table of a database that a user's words mean; None where none was asked to sum."""
    if not isinstance(engine, Sql):
        return None
    from tallystick.io.database import is_address, open_table, without_user

    if is_address(rows):
        return open_table(rows)
    if engine.connection is not None and isinstance(rows, str):
        return open_table(engine.connection, rows)
    given = without_user(rows) if isinstance(rows, str) else rows
    raise OptionError(
        f"engine=ts.Sql() sums a table of a database, and X is {shown(given, 60)}. Pass its address, such as "
        "'duckdb:///votes.db?table=votes', or the name of a table and ts.Sql(connection)."
    )
