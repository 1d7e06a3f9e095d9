"""The files that the studio may read (one folder, and dropped files), and jobs in the background.

Entry: `Folder`, `Job`. Law: whatever name a page sends, no file outside the folder and the scratch folder is
opened; links are followed before that is judged.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

from tallystick.errors import TallyError, counted, shown
from tallystick.serve.requests import Refused

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
        """Write a body to the scratch folder under a harmless name, and return its path."""
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


# A background job: a thread with its progress, which can be cancelled.
# Law: a job that was cancelled changes nothing any more, even while it still runs.


class Cancelled(Exception):  # noqa: N818  nobody's error
    """Raised inside a job that nobody wants any more."""


class Job:
    """A job in a thread, and its progress for the page."""

    def __init__(self, what: str, work: Callable[[Job], None], ended: Callable[[Job, str], None]) -> None:
        self.what, self.work, self.ended = what, work, ended
        self.done, self.total = 0, 0
        self.live: Any = None  # more to see while it runs
        self.cancelled = False
        self.thread = threading.Thread(target=self._run, name=f"studio: {what}", daemon=True)

    def start(self) -> Job:
        """Begin."""
        self.thread.start()
        return self

    def cancel(self) -> None:
        """Say that nobody wants it: it ends at its next step."""
        self.cancelled = True

    def step(self, done: int, total: int, what: str = "") -> None:
        """Take in how far the work is; the place where a cancelled job ends."""
        if self.cancelled:
            raise Cancelled
        self.done, self.total = done, total

    @property
    def told(self) -> dict[str, Any]:
        """The state that the page shows."""
        return {"what": self.what, "done": self.done, "total": self.total, "live": self.live}

    def _run(self) -> None:
        problem = ""
        try:
            self.work(self)
        except Cancelled:
            return
        except TallyError as error:
            problem = str(error)
        except MemoryError:
            problem = "there is not enough memory for this. Take fewer rows or columns."
        except Exception:
            traceback.print_exc()
            problem = "something went wrong here; the terminal of the studio has the details."
        if not self.cancelled:
            self.ended(self, problem)
