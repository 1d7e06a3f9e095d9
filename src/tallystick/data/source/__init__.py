"""Anything tabular comes in here: frames, Arrow, matrices, records, files. Out come names and Arrow batches.

Knows containers and files. Knows nothing of kinds, levels or codes: cells leave as they came, text as text.
Law: `batches()` can be called again and gives the same rows; the cut into batches means nothing.
"""

from __future__ import annotations

from tallystick.data.source.door import open_source, read

__all__ = ["open_source", "read"]
