"""Rows that cannot be read, in their places: a batch says which of its rows they are, and why.

Knows Arrow batches. Knows nothing of files. Where an answer is wanted for every row, such a row stays, with
empty cells; the reasons travel with the batch, as metadata of its schema.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import pyarrow as pa

_KEY = b"tallystick: rows that cannot be read"


def marked(batch: pa.RecordBatch, reasons: Mapping[int, str]) -> pa.RecordBatch:
    """Return the batch with the reasons why rows of it, by their places, cannot be read."""
    return batch.replace_schema_metadata({_KEY: json.dumps(list(reasons.items())).encode()})


def unread(batch: pa.RecordBatch) -> dict[int, str]:
    """Return the rows of a batch that could not be read, each with its reason."""
    metadata = batch.schema.metadata or {}
    return dict(json.loads(metadata[_KEY])) if _KEY in metadata else {}


def carried(batch: pa.RecordBatch, source: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch made of another's rows, with what was said of them."""
    reasons = unread(source)
    return marked(batch, reasons) if reasons else batch
