"""Requests and their bodies: one row answered without a table; errors as JSON; rows as JSON, CSV, Arrow.

Entry: `OneRow.answer()`; `problem()`; `json_rows()`, `csv_source()`, `arrow_source()`.
Cells of one row that need parsing (a number written as text, an unknown level) are not read here: the answer
is None, and the caller makes a table. Law: where `OneRow` answers, answer and warnings are those of a table.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

from tallystick.errors import Argument, DataError, OptionError, shown, worded
from tallystick.predict.columns import is_number
from tallystick.schema import ABSENT, CODED, Reading, Schema
from tallystick.text import EXACT, WRITTEN_OUT

if TYPE_CHECKING:
    from tallystick.contracts import Source
    from tallystick.estimator.classifier import Classifier
    from tallystick.serve.guards import Limits


class OneAnswer(NamedTuple):
    """The answer to a row. best: the number of its class; missing, outside: columns."""

    best: int
    shares: list[float]
    missing: list[str]
    outside: list[str]


class OneRow:
    """A classifier, ready for single rows."""

    def __init__(self, estimator: Classifier) -> None:
        self.estimator = estimator
        used = estimator._asked.used
        marked = any(is_number(mark) for mark in estimator._asked.marks)  # such as -999: a table reads it
        self.able = not marked and all(c.kind in CODED or c.kind == "numeric" for c in used)
        self.numbers = [
            (c.name, -EXACT if c.low is None else c.low, EXACT if c.high is None else c.high)
            for c in used
            if c.kind == "numeric"
        ]
        self.levels = [(c.name, frozenset(c.levels), ABSENT in c.levels) for c in used if c.kind in CODED]

    def answer(self, row: Mapping[str, Any]) -> OneAnswer | None:
        """Return the answer to a row; None where only a table can read it, or say what it lacks."""
        found = self._looked_at(row)
        if found is None:
            return None
        estimator = self.estimator
        shares = estimator.model_.shares_of_row(row)
        if shares is None or estimator._may_be_prior(shares):
            return None
        best = int(estimator._decide(shares[None, :])[0])
        return OneAnswer(best, shares.tolist(), *found)

    def _looked_at(self, row: Mapping[str, Any]) -> tuple[list[str], list[str]] | None:
        """Return the columns without a value and those outside the range of the fit."""
        missing: list[str] = []
        outside: list[str] = []
        if not self.able:
            return None
        try:
            for name, low, high in self.numbers:
                cell = row[name]
                if type(cell) is float or type(cell) is int:
                    if not -EXACT <= cell <= EXACT:
                        return None
                    if not low <= cell <= high:
                        outside.append(name)
                elif cell is None:
                    missing.append(name)
                else:
                    return None
            for name, levels, absent in self.levels:
                cell = row[name]
                if type(cell) is int and -WRITTEN_OUT < cell < WRITTEN_OUT:
                    cell = str(cell)
                if cell is None and not absent:
                    missing.append(name)
                elif type(cell) is not str or cell not in levels:
                    return None
        except KeyError:
            return None
        return missing, outside


# Errors for clients: one line of JSON, as RFC 9457 has it (`problem+json`).
# Law: no path, no traceback and no cell but the one that the message is about.

Header = tuple[bytes, bytes]
PROBLEM = b"application/problem+json"
JSON_PROBLEM = b"application/json"


class Reply(NamedTuple):
    """An answer, ready to be sent."""

    status: int
    body: bytes
    kind: bytes = JSON_PROBLEM
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
    fields = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": " ".join(worded(text, in_query).split()),
    }
    return Reply(status, json.dumps(fields).encode() + b"\n", PROBLEM, headers)


def in_query(given: Argument) -> str:
    """Return an argument that a message names as a client gives it: in the address, after the `?`."""
    if given.value is None or given.value is ...:
        return f"?{given.name}="
    value = given.value[0] if isinstance(given.value, list) else given.value
    return f"?{given.name}={str(value).lower() if isinstance(value, bool) else value}"


# Rows as clients send them: JSON, CSV or an Arrow stream, by content type.
# Law: what a body holds is read as `predict` reads it: a JSON row is a dict, CSV is read as a file, Arrow as
# a table.

JSON, CSV, ARROW = "application/json", "text/csv", "application/vnd.apache.arrow.stream"
KINDS = (JSON, CSV, ARROW)
NAME = "the request"  # the name of the rows in messages
DEEPEST = 100  # nested lists and objects of a body
PACKED = (b"\x1f\x8b", b"PK\x03\x04", b"PAR1", b"ARROW1", b"ORC", b"SQLite format 3\0", b"\xd0\xcf\x11\xe0")
TRUE, FALSE = ("true", "1", "yes"), ("false", "0", "no")


def media_type(header: bytes | None) -> str:
    """Return what a body is said to be; nothing said is JSON."""
    text = (header or b"").decode("latin-1").partition(";")[0].strip().lower()
    if text in ("", "application/x-www-form-urlencoded", "text/json"):  # curl's own word for --data
        return JSON
    if text == "application/csv":
        return CSV
    if text not in KINDS:
        raise Refused(415, f"a body of {shown(text)} cannot be read. Send one of: {', '.join(KINDS)}.")
    return text


def wanted_type(header: bytes | None, sent: str) -> str:
    """Return what the client wants: the first that it names and that there is, or what it sent."""
    text = (header or b"").decode("latin-1").lower()
    asked = [part.partition(";")[0].strip() for part in text.split(",")]
    for kind in asked:
        if kind in KINDS:
            return kind
        if kind in ("", "*/*"):
            return sent
        if kind in ("application/*", "text/*"):
            return CSV if kind == "text/*" else JSON
    raise Refused(406, f"answers are not made as {shown(text)}. Accept one of: {', '.join(KINDS)}.")


def from_json(body: bytes, most: int) -> Any:
    """Return the value of a JSON body. most: rows that a request may have, so many objects and lists."""
    if body.count(b"{") + body.count(b"[") > 2 * most + DEEPEST:
        raise Refused(413, f"a request may have {most:,} rows. Send fewer at once.")
    try:
        text = body.decode("utf-8-sig")
        value = _QUICK.decode(text)
        return value if _named_once(body, value) else _CAREFUL.decode(text)
    except UnicodeDecodeError as error:
        raise Refused(400, f"the body is not UTF-8: byte {error.start:,}.") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno:,}, column {error.colno:,}"
        raise Refused(400, f"the body is not JSON: {error.msg} ({place}).") from None
    except RecursionError:
        raise Refused(400, "the body nests lists or objects too deep. A row is a flat object.") from None
    except ValueError:  # more digits than Python reads
        raise Refused(400, "the body holds a whole number of too many digits.") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        seen: set[str] = set()
        double = next(k for k, _ in pairs if k in seen or seen.add(k))  # type: ignore[func-returns-value]
        raise Refused(400, f"the name {shown(double)} is there twice in one object. Name each column once.")
    return out


def _constant(text: str) -> Any:
    raise Refused(400, f"{text} is not JSON. Send null where a value is missing.")


_QUICK = json.JSONDecoder(parse_constant=_constant)
_CAREFUL = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)


def _named_once(body: bytes, value: Any) -> bool:
    """Say whether all names of plain rows are there once, as far as that can be told by counting: each has a
    colon. Where a text has one too, the body has to be read with care, which takes twice as long.
    """
    rows = value if isinstance(value, list) else [value]
    return all(type(row) is dict for row in rows) and sum(map(len, rows)) == body.count(b":")


def json_rows(body: bytes, most: int) -> tuple[list[dict[str, Any]], bool]:
    """Return the rows of a JSON body, and whether it is one row by itself."""
    given = from_json(body, most)
    if isinstance(given, dict):
        return [given], True
    if not isinstance(given, list):
        raise Refused(400, f"the body is {shown(given)}, not a row. Send an object, or a list of objects.")
    if len(given) > most:
        raise Refused(413, f"the request has {len(given):,} rows, at most {most:,}. Send fewer at once.")
    for i, row in enumerate(given):
        if type(row) is not dict:
            raise Refused(400, f"row {i + 1:,} is {shown(row)}, not an object. Send a list of objects.")
    return given, False


def as_source(rows: list[dict[str, Any]]) -> Source:
    """Return rows of JSON as a source."""
    from tallystick.io.open import open_source

    return open_source(rows, name="the row" if len(rows) == 1 else NAME)


def csv_source(body: bytes, query: dict[str, str], encoding: str | None) -> Source:
    """Return a CSV body as a source, read as a file is; query: how, as `ts.read` takes it."""
    from tallystick.io.open import open_source
    from tallystick.io.source import scratch_path

    if body.startswith(PACKED):
        raise Refused(415, "the body is a packed or binary file, not CSV. Send text.")
    return open_source(scratch_path(body), csv_reading(query, encoding), NAME)


def csv_reading(query: dict[str, str], encoding: str | None) -> Reading:
    """Return how a query of an address wants CSV to be read."""
    strict, bad = flag(query, "strict"), query.get("bad_rows")
    if strict and bad not in (None, "error"):
        raise OptionError(f"strict=true and bad_rows={shown(bad)} contradict each other. Pass one of them.")
    return Reading(
        encoding=query.get("encoding", encoding),
        sep=query.get("sep"),
        header=flag(query, "header"),
        decimal=query.get("decimal"),
        bad_rows="error" if strict else bad,  # type: ignore[arg-type]  # looked at there
        inf=query.get("inf", "error"),  # type: ignore[arg-type]
        missing=(query["missing"],) if "missing" in query else None,
        day_first=flag(query, "day_first"),
    )


def flag(query: dict[str, str], name: str) -> bool | None:
    """Return a switch of a query, None where it is not there."""
    given = query.get(name)
    if given is None or given.lower() in TRUE:
        return None if given is None else True
    if given.lower() in FALSE:
        return False
    raise Refused(400, f"{name} is {shown(given)}. Use true or false.")


def arrow_source(body: bytes, limits: Limits) -> Source:
    """Return an Arrow stream as a source; what it says that it holds is counted before it is unpacked."""
    import pyarrow as pa

    from tallystick.io.columnar import in_stream, written
    from tallystick.io.open import open_source

    try:
        rows = size = 0
        for held in in_stream(body):
            rows += held.rows * held.is_batch
            size += held.size if held.is_batch else max(held.size, held.rows)
            check_unpacked(rows, size, limits)
        with pa.ipc.open_stream(body) as stream:
            table = stream.read_all()
            table.validate(full=True)
        size += sum(written(chunk) for column in table.columns for chunk in column.chunks)
    except (pa.ArrowException, OSError, ValueError, LookupError, RecursionError, struct.error) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"the body is not an Arrow stream: {shown(reason, 200)}.") from None
    check_unpacked(rows, size, limits)
    return open_source(table, name=NAME)


def check_unpacked(rows: int, size: int, limits: Limits) -> None:
    """Refuse what holds more rows, or more bytes when it is unpacked, than a request may."""
    if rows > limits.rows:
        raise Refused(413, f"a request may have {limits.rows:,} rows. Send fewer at once.")
    if size > limits.body:
        raise Refused(413, f"the body unpacks to more than {limits.body:,} bytes. Send fewer rows at once.")


def charset(header: bytes | None) -> str | None:
    """Return the character set that a content type names; None is UTF-8."""
    text = (header or b"").decode("latin-1").lower().partition("charset=")[2].strip(' ";')
    return None if text in ("", "utf-8", "utf8", "us-ascii") else text


def no_rows(schema: Schema) -> Source:
    """Return a source of no rows with all columns that a model needs."""
    from tallystick.io.open import open_source

    return open_source({column.name: [] for column in schema.used}, name=NAME)
