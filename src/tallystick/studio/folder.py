"""The files that the studio may read: those of one folder, and those that were dropped on the page.

Knows paths. Law: whatever name a page sends, no file outside the folder and the scratch folder is opened;
links are followed before that is judged.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

from tallystick.errors import counted, shown
from tallystick.serve.problems import Refused

TABLES = (
    ".csv", ".tsv", ".tab", ".txt", ".data", ".parquet", ".json", ".jsonl", ".ndjson", ".arrow", ".feather",
    ".xlsx", ".xls", ".ods", ".sqlite", ".sqlite3", ".db", ".gz", ".bz2", ".xz", ".zst", ".zip",
)  # fmt: skip
MOST = 500  # files listed
LONGEST = 120  # bytes of a name that was dropped


class Folder:
    """The chosen folder, and a scratch folder for what is dropped on the page."""

    def __init__(self, path: str | os.PathLike[str], scratch: str | os.PathLike[str]) -> None:
        self.path, self.scratch = Path(path).resolve(), Path(scratch).resolve()

    def names(self) -> list[str]:
        """Return the names of the tables in the folder, in the order of the alphabet."""
        try:
            found = sorted(p.name for p in self.path.iterdir() if _is_table(p))
        except OSError:
            return []
        return found[:MOST]

    def find(self, name: str) -> Path:
        """Return the file of a name in the folder; anything that leads elsewhere is refused."""
        try:
            path = (self.path / name).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            raise Refused(404, f"there is no file {shown(name)} in the folder of the studio.") from None
        if not path.is_relative_to(self.path) or not path.is_file():
            raise Refused(403, f"{shown(name)} is not a file in the folder of the studio. Choose another.")
        return path

    async def take(
        self, name: str, receive: Callable[[], Awaitable[MutableMapping[str, Any]]], most: int
    ) -> Path:
        """Write a body to the scratch folder under a harmless name, and return where it lies."""
        folder = self.scratch / os.urandom(8).hex()
        path, size = folder / harmless(name), 0
        try:
            folder.mkdir(parents=True)
            with path.open("xb") as file:
                more = True
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refused(400, "the connection was closed before the file had arrived.")
                    size += len(message.get("body", b""))
                    if size > most:
                        raise Refused(
                            413, f"the file has more than {counted(most, 'byte')}. Use `tally studio FILE`."
                        )
                    file.write(message.get("body", b""))
                    more = message.get("more_body", False)
            return path
        except BaseException as error:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OSError):
                raise Refused(507, f"the file cannot be kept here: {error.strerror}.") from None
            raise


def harmless(name: str) -> str:
    """Return a name that is a name and no way to anywhere: what it ends with stays, odd letters go."""
    last = re.split(r"[/\\]", name)[-1]
    kept = re.sub(r"[^\w.+ -]", "_", last).strip(" .")
    return kept.encode()[-LONGEST:].decode(errors="ignore").strip(" .") or "table.csv"


def _is_table(path: Path) -> bool:
    known = path.suffix.lower() in TABLES and not path.name.endswith(".tally.json")
    return known and not path.name.startswith(".") and path.is_file()
