"""A folder with tables, and a studio of it."""

from __future__ import annotations

import shutil
from importlib import resources

import pytest
from studio_server import studio


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """A folder with the votes and with two hundred days, and a secret beside it."""
    folder = tmp_path_factory.mktemp("tables")
    shutil.copy(str(resources.files("tallystick.examples") / "votes.csv"), folder / "votes.csv")
    lines = ["sky,wind,play"]
    for i in range(200):
        wind = -999 if i % 10 == 3 else i * 7 % 23
        lines.append(
            f"{'sun' if i % 3 else 'rain'},{wind},{'yes' if (i * 7 % 23 > 11) != (i % 9 == 0) else 'no'}"
        )
    (folder / "days.csv").write_text("\n".join(lines) + "\n")
    (folder.parent / "secret.csv").write_text("a,b\n1,2\n")
    return folder


@pytest.fixture(scope="module")
def opened(tables):
    """A studio whose token is spent, for tests that leave it as it is."""
    with studio(tables) as found:
        yield found.enter()
