"""The bundled tables, and how they come into a folder of the user.

Law: nothing is written over a file that holds something else.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import resources

from tallystick.errors import OptionError, shown

ENDINGS = (".csv", ".csv.gz")


def bundled() -> dict[str, bytes]:
    """Return the bundled tables by name."""
    files = resources.files("tallystick.examples").iterdir()
    return {f.name: f.read_bytes() for f in sorted(files, key=lambda f: f.name) if f.name.endswith(ENDINGS)}


def deliver(folder: str, names: Sequence[str]) -> list[str]:
    """Put bundled tables into a folder, made if need be; return their paths."""
    from tallystick.export import save

    tables = bundled()
    wanted = {os.path.join(folder, name): tables[name] for name in names}
    try:
        os.makedirs(folder, exist_ok=True)
        for path, content in wanted.items():
            if os.path.exists(path) and _content(path) != content:
                raise OptionError(
                    f"{shown(path, 300)} already exists and holds something else. Give another folder."
                )
    except OSError as error:
        reason = error.strerror or str(error)
        raise OptionError(f"cannot write to the folder {shown(folder)}: {reason}. Give another.") from None
    for path, content in wanted.items():
        save(path, content, "file")
    return list(wanted)


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
