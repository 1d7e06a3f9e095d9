"""Settings for all tests: none depends on the speed of the machine or on luck.

The test command tries the same examples of every law each time; `make night` searches at random, and more.
"""

from __future__ import annotations

import atexit
import gc
import os
import re
import signal
from pathlib import Path

import pytest
from hypothesis import settings

pytest.register_assert_rewrite(*(path.stem for path in (Path(__file__).parent / "support").glob("*.py")))

ALL_SLOW = re.compile(r"^pytestmark = (\[\s*)?pytest\.mark\.slow\b", re.MULTILINE)

settings.register_profile("day", deadline=None, derandomize=True, database=None)
settings.register_profile("night", deadline=None, derandomize=False, max_examples=5000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "day"))


def pytest_configure():
    """Let interrupts reach the tests and what they start: a shell ignores them for work in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("SIGHUP", "SIGQUIT"):  # ignored under nohup, and in the background
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)


def pytest_ignore_collect(collection_path, config):
    """Leave a file unread that marks all of its tests slow, where slow tests are left out."""
    if collection_path.suffix != ".py" or "not slow" not in config.option.markexpr:
        return None
    return bool(ALL_SLOW.search(collection_path.read_text(encoding="utf-8"))) or None


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect without the collector of garbage, and spare it what was loaded: a million objects that stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        atexit.register(gc.unfreeze)  # bindings look for leaks at the very end
        gc.enable()


def pytest_collection_modifyitems(items):
    """Ask first what holds for the whole tree: the first tests go to one process, which parses the source."""
    items.sort(key=lambda item: item.path.parent.name != "whole")


@pytest.fixture(scope="session")
def spark():
    """One session of Spark for all tests of this process that need one."""
    pytest.importorskip("pyspark")
    from databases import spark_session

    session = spark_session()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def postgres():
    """The address of one PostgreSQL server for all tests of this process that need one."""
    import databases
    from sql_tables import postgres_address

    pytest.importorskip("adbc_driver_postgresql")
    if databases.POSTGRES is None:
        pytest.skip("PostgreSQL is not installed")
    with databases.postgres_server() as place:
        yield postgres_address(place)


@pytest.fixture(scope="session")
def duckdb_file(tmp_path_factory):
    """The address of one DuckDB file for all tests of this process that need one."""
    from sql_tables import duckdb_address

    return duckdb_address(tmp_path_factory.mktemp("duckdb"))


@pytest.fixture(scope="session", params=["duckdb_file", pytest.param("postgres", marks=pytest.mark.slow)])
def database(request):
    """The address of each database that sums."""
    return request.getfixturevalue(request.param)
