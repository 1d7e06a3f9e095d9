"""Which engine sums, from what a user said: `engine=`, or the short words `threads=` and `memory=`.

Knows the engines by name. Knows nothing of tables. Law: what both say is refused, what one says holds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tallystick.contracts import Engine
from tallystick.engines.local import Local
from tallystick.errors import OptionError, shown


def choose_local(engine: Any, threads: int | None, memory: int | str | None) -> Local:
    """Return how work is done on this machine: also rows that another engine sums are read here."""
    if not isinstance(engine, Local):
        return Local(threads, memory)
    given: dict[str, Any] = {
        name: value for name, value in (("threads", threads), ("memory", memory)) if value is not None
    }
    for name in given:
        if getattr(engine, name) is not None:
            raise OptionError(f"{name}= and engine=ts.Local({name}=) were both given. Pass one of them.")
    return replace(engine, **given) if given else engine


def choose_engine(engine: Any, threads: int | None, memory: int | str | None) -> Engine:
    """Return the engine that a user's words mean."""
    if engine is None or isinstance(engine, Local):
        return choose_local(engine, threads, memory)
    if not hasattr(engine, "total"):
        raise OptionError(f"engine must be ts.Local(...) or ts.Spark(...), not {shown(engine)}.")
    found: Engine = engine
    return found
