"""What Spark's Python workers must have, and what is said when they do not.

Knows how Spark reports an error of a worker: the worker's traceback, as text, inside its own. Law: an error
of ours that was raised far away is raised here as what it is, in one line.
"""

from __future__ import annotations

import contextlib
import gc
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from tallystick import errors
from tallystick.errors import DataError, OptionError, shown

T = TypeVar("T")
FEW = 8  # totals that are merged here at once
LEFT = 8  # blocks that are read sooner than a worker is made
OURS = re.compile(r"^(?:tallystick\.errors\.)(\w+): (.*)$", re.MULTILINE)
PYTHON = re.compile(r"^\w*(?:Error|Exception): .+$", re.MULTILINE)
ABSENT = re.compile(r"ModuleNotFoundError: No module named '(tallystick|numpy|pyarrow)")


@contextlib.contextmanager
def plain_errors() -> Iterator[None]:
    """Raise the errors of workers as they were raised there, without the way they came."""
    try:
        yield
    except Exception as error:
        if not type(error).__module__.startswith(("py4j", "pyspark")):
            raise
        found = plain_error(str(error))
        if found is None:  # of the DataFrame, or of Spark itself: one line, with the whole as its cause
            raise DataError(
                f"Spark failed while it worked on the DataFrame: {reason(str(error))} "
                "Run frame.count() to see whether Spark can make its rows."
            ) from error
        raise found from None


def plain_error(text: str) -> errors.TallyError | None:
    """Return the error of ours that a worker's traceback tells of; None when there is none."""
    ours = OURS.search(text)
    kind = vars(errors).get(ours[1]) if ours is not None else None
    if ours is not None and isinstance(kind, type) and issubclass(kind, errors.TallyError):
        return kind(ours[2])
    absent = ABSENT.search(text)
    if absent is not None:
        return OptionError(
            f"Spark's workers have no {absent[1]}: their Python cannot import it. "
            "Install tallystick, the same version as here, where the executors run."
        )
    return None


def reason(text: str) -> str:
    """Return the one line of an error of Spark's that says most: the last error of Python, or the first
    line.
    """
    python = PYTHON.findall(text)
    line = python[-1] if python else text.strip().split("\n")[0]
    return shown(line, 200) + "."


def own_serializer() -> Any:
    """Return the serializer by which Spark itself sends objects between our driver and its workers."""
    from pyspark.serializers import CPickleSerializer

    return CPickleSerializer()


def merged_there(totals: Any, merge: Callable[[T, T], T]) -> T:
    """Return all totals of an RDD as one. They are merged by the workers in a tree until few are left: that
    many of the largest there are, 64 MB each, come here together without passing what Spark lets a driver
    take (`spark.driver.maxResultSize`, 1 GB unless set).
    """
    depth = 1
    while FEW**depth < totals.getNumPartitions():
        depth += 1
    found: T = totals.treeReduce(merge, depth)
    return found


def is_connect(x: Any) -> bool:
    """Say whether a DataFrame or a session is one of Spark Connect: its Spark is behind a server."""
    return ".connect." in type(x).__module__


class Loaded:
    """How many modules a worker had when it was last settled."""

    modules = 0


def settle() -> None:
    """Take what a worker has loaded out of its search for garbage, where it has loaded more than before:
    Spark asks for a whole search after every task, which costs more than a small task itself.
    """
    if len(sys.modules) > Loaded.modules:
        gc.collect()
        gc.freeze()
        Loaded.modules = len(sys.modules)


def read_out(rest: Iterable[Any]) -> None:
    """Read what is left of a partition, where it is little: Spark ends a worker that leaves some unread, and
    the next has to load all modules again.
    """
    deque(islice(rest, LEFT + 1), maxlen=0)  # one more, to come to the end behind that many


def check_version(here: str) -> None:
    """Refuse to work with a driver of another version: its blocks and questions may mean something else."""
    from tallystick import __version__

    if __version__ != here:
        raise OptionError(
            f"tallystick is {shown(here)} here, but {shown(__version__)} where Spark's workers run. "
            "Install the same version on both."
        )
