"""What a client is told when a request is refused: one line of JSON, as RFC 9457 has it (`problem+json`).

Knows status numbers and words. Law: no path, no traceback and no cell but the one that the message is about.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from http import HTTPStatus
from typing import NamedTuple

from tallystick.errors import Argument, worded

Header = tuple[bytes, bytes]
PROBLEM = b"application/problem+json"
JSON = b"application/json"


class Reply(NamedTuple):
    """An answer, ready to be sent."""

    status: int
    body: bytes
    kind: bytes = JSON
    headers: Sequence[Header] = ()


class Refused(Exception):  # noqa: N818  not an error of anyone here
    """A request that is not answered; the text says what is wrong and what to do."""

    def __init__(self, status: int, text: str, headers: Sequence[Header] = ()) -> None:
        super().__init__(text)
        self.status, self.text, self.headers = status, text, headers

    def reply(self) -> Reply:
        """Return the refusal as an answer."""
        return problem(self.status, self.text, self.headers)


def problem(status: int, text: str, headers: Sequence[Header] = ()) -> Reply:
    """Return one line of JSON that says what is wrong; text may hold arguments as data (`errors.Message`)."""
    told = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": " ".join(worded(text, in_query).split()),
    }
    return Reply(status, json.dumps(told).encode() + b"\n", PROBLEM, headers)


def in_query(given: Argument) -> str:
    """Return an argument that a message names as a client gives it: in the address, after the `?`."""
    if given.value is None or given.value is ...:
        return f"?{given.name}="
    value = given.value[0] if isinstance(given.value, list) else given.value
    return f"?{given.name}={str(value).lower() if isinstance(value, bool) else value}"
