"""The log: one JSON object per line, on standard error; requests, and what happens to models and workers.

Knows lines. Law: no cell, no token and no query of an address is written; a line is never cut in two.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any

PIECE = 4096  # bytes that a pipe takes whole, whoever else writes to it
HELD = 64  # lines that wait for each other at most

_write = json.JSONEncoder(separators=(",", ":")).encode


class Log:
    """Lines on their way to a file; requests wait a little, so that many are written at once."""

    def __init__(self, file: int = 2, requests: bool = True) -> None:
        self.file, self.requests = file, requests
        self.lines: list[bytes] = []

    def say(self, event: str, **more: Any) -> None:
        """Write that something happened, at once."""
        self._put({"time": _now(), "event": event, **more})
        self.flush()

    def request(self, **told: Any) -> None:
        """Keep a line of a request, if requests are logged at all."""
        if self.requests:
            self._put({"time": _now(), "event": "request", **told})
            if len(self.lines) >= HELD:
                self.flush()

    def _put(self, told: dict[str, Any]) -> None:
        self.lines.append(_write(told).encode() + b"\n")

    def flush(self) -> None:
        """Write what waits; where nobody reads, it is lost and the service goes on."""
        lines, self.lines = self.lines, []
        piece = b""
        for line in [*lines, None]:
            if line is None or len(piece) + len(line) > PIECE:
                try:
                    os.write(self.file, piece)
                except OSError:
                    return
                piece = b""
            piece += line or b""


def _now() -> str:
    now = time.time()
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(now))}.{int(now % 1 * 1000):03}Z"
