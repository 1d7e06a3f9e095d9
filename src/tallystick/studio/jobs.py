"""One piece of work beside the page: in a thread, with its progress, and an end when nobody wants it.

Knows callables. Law: a job that was cancelled changes nothing any more, whatever it is still doing.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from typing import Any

from tallystick.errors import TallyError


class Cancelled(Exception):  # noqa: N818  nobody's error
    """Raised inside a job that nobody wants any more."""


class Job:
    """Work under way. `told`: what the page sees of it."""

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
        """What the page is told."""
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
