"""Answers to rows: labels, shares, reasons and explanations, as JSON, CSV or an Arrow stream.

Law: answers are those of `predict`, `predict_proba`, `explain` and `reasons`, bit for bit.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tallystick.errors import OptionError, shown
from tallystick.methods import of_kind
from tallystick.predict.answers import (
    UNREAD,
    AnsweredRows,
    MetRows,
    Wanted,
    answer_tables,
    answers,
    reasons_of,
)
from tallystick.serve.models import Served
from tallystick.serve.requests import ARROW, CSV, JSON, Refused, Reply, flag

if TYPE_CHECKING:
    from tallystick.contracts import Source
    from tallystick.serve.guards import Limits
    from tallystick.serve.requests import OneAnswer


MOST_REASONS = 50
OPTIONS = frozenset(
    {
        *("model", "version", "explain", "reasons", "reasons_against", "reasons_for", "lenient"),
        *("missing_columns", "encoding", "sep", "header", "decimal", "strict", "bad_rows", "inf", "missing"),
        *("day_first",),
    }
)
LONGEST_NOTES = 4_000  # bytes of a header

dumps = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


@dataclass(frozen=True)
class AskedFor:
    """What a request wants beside labels and shares."""

    wanted: Wanted
    explain: bool = False


PLAIN = AskedFor(Wanted(proba=True, outside=True))


def asked(query: dict[str, str]) -> AskedFor:
    """Return what the query of an address wants; a name that means nothing is refused."""
    if not query.keys() - {"model", "version"}:
        return PLAIN
    if unknown := query.keys() - OPTIONS:
        raise Refused(
            400, f"{shown(min(unknown))} is nothing to ask for. Known: {', '.join(sorted(OPTIONS))}."
        )
    against = query.get("reasons_against", "best")
    if against not in ("best", "average"):
        raise Refused(400, f"reasons_against is {shown(against)}. Use best or average.")
    reasons = query.get("reasons")
    if reasons is not None and not (
        re.fullmatch("[0-9]{1,2}", reasons) and 1 <= int(reasons) <= MOST_REASONS
    ):
        raise Refused(400, f"reasons is {shown(reasons)}. Use a number from 1 to {MOST_REASONS}.")
    wanted = Wanted(
        proba=True,
        outside=True,
        reasons=None if reasons is None else int(reasons),
        against=against,
        towards=query.get("reasons_for"),
        lenient=flag(query, "lenient") or False,
        missing_columns=query.get("missing_columns", "error"),
    )
    return AskedFor(wanted, flag(query, "explain") or False)


def one_reply(served: Served, found: OneAnswer) -> Reply:
    """Return the answer to a row that was given by itself and needed no table."""
    notes: dict[str, Any] = {}
    if found.missing:
        notes["missing_cells"] = dict.fromkeys(found.missing, 1)
    if found.outside:
        notes["outside_range"] = dict.fromkeys(found.outside, 1)
    fields = {"model": served.name, "version": served.version} | _row(served, found.best, found.shares)
    return Reply(200, dumps(fields | {"notes": notes}).encode())


def _row(served: Served, best: int, shares: list[float]) -> dict[str, Any]:
    return {
        "label": served.labels[best],
        "probability": shares[best],
        "probabilities": dict(zip(served.estimator.schema_.predicted.labels, shares, strict=True)),
    }


def plain_texts(served: Served, found: AnsweredRows) -> list[str]:
    """Return what `_row` says of each row as JSON; in a third of the time."""
    names = served.estimator.schema_.predicted.labels
    listed = ",".join(dumps(name).replace("%", "%%") + ":%s" for name in names)
    heads = [f'{{"label":{dumps(label)},"probability":' for label in served.labels]
    numbers, width = list(map(repr, found.shares.ravel().tolist())), len(names)
    out = []
    for row, best in enumerate(found.best.tolist()):
        own = tuple(numbers[row * width : row * width + width])
        out.append(f'{heads[best]}{own[best]},"probabilities":{{{listed % own}}}}}')
    return out


def json_reply(
    served: Served, source: Source, ask: AskedFor, single: bool, limits: Limits
) -> tuple[Reply, int]:
    """Return the answers to all rows as JSON, and how many rows there are; single: the row was given by
    itself.
    """
    met = MetRows()
    rows: list[str] = []
    result = reasons_of(served.estimator, ask.wanted)
    plain = ask.wanted.reasons is None and not ask.explain
    for found in answers(served.estimator, source, met, ask.wanted):
        check_rows(len(rows) + len(found.best), ask, limits)
        if plain and not found.matched.unread:
            rows += plain_texts(served, found)
        else:
            rows += map(dumps, _rows(served, found, ask, result))
    head = dumps({"model": served.name, "version": served.version})[:-1]
    body = rows[0][1:-1] if single else f'"predictions":[{",".join(rows)}]'
    return Reply(200, f'{head},{body},"notes":{dumps(notes_of(met, source))}}}'.encode()), len(rows)


def check_rows(rows: int, ask: AskedFor, limits: Limits) -> None:
    """Refuse more rows than one request may have."""
    if rows > limits.rows:
        raise Refused(413, f"a request may have {limits.rows:,} rows. Send fewer at once.")
    if ask.explain and rows > limits.explained:
        raise Refused(413, f"at most {limits.explained:,} rows are explained at once. Send fewer.")


def _rows(served: Served, found: AnsweredRows, ask: AskedFor, given: Any) -> list[dict[str, Any]]:
    shares, unread = found.shares.tolist(), found.matched.unread
    rows = [_row(served, best, own) for best, own in zip(found.best.tolist(), shares, strict=True)]
    for place, reason in unread.items():
        rows[place] = {"label": None, "probability": None, "probabilities": None, UNREAD: reason}
    block = found.matched.block
    if ask.wanted.reasons is not None:
        for row, codes in zip(rows, given(block), strict=True):
            row["reasons"] = [code.to_dict() for code in codes]
    if ask.explain:
        model = served.estimator.model_
        explain = of_kind(model.kind).load("explain")
        for at, row in enumerate(rows):
            if at not in unread:
                row["explain"] = explain(model, block, at).to_dict()
    return rows


def notes_of(met: MetRows, source: Source) -> dict[str, Any]:
    """Return what was met in the rows, without what was not."""
    return {name: found for name, found in met.to_dict(source.notes).items() if found}


def table_reply(
    served: Served, source: Source, ask: AskedFor, kind: str, limits: Limits
) -> tuple[Reply, int]:
    """Return the answers as CSV or as an Arrow stream, as `tally predict --proba` writes them, and how many
    rows there are.
    """
    import pyarrow as pa

    from tallystick.predict.answers import csv_header, csv_lines

    if ask.explain:
        raise OptionError(
            f"explanations are told as JSON, not as {kind}. Accept {JSON}, or leave out explain."
        )
    met, parts, rows = MetRows(), [], 0
    for part in answer_tables(served.estimator, source, met, ask.wanted):
        rows += part.num_rows
        check_rows(rows, ask, limits)
        parts.append(part)
    table = pa.concat_tables(parts)
    if table.column(UNREAD).null_count == table.num_rows:
        table = table.drop_columns([UNREAD])
    found = dumps(notes_of(met, source))
    if len(found) > LONGEST_NOTES:
        found = dumps({"too_long_for_a_header": True})
    headers = [
        (b"tally-model", served.name.encode()),
        (b"tally-version", served.version.encode()),
        (b"tally-notes", found.encode()),
    ]
    if kind == CSV:
        text = csv_header(table.column_names, False) + csv_lines(table, False)
        return Reply(200, text, b"text/csv; charset=utf-8", headers), rows
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return Reply(200, sink.getvalue().to_pybytes(), ARROW.encode(), headers), rows
