"""Cells to codes and codes to cells: levels, ordered and boolean columns.

Knows texts and levels. Law: decode(encode(cells)) gives the same texts; k is missing, k + 1 is unseen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick.data.encode.ranks import code_type

if TYPE_CHECKING:
    from numpy.typing import NDArray


def code_map(texts: Sequence[str], levels: Sequence[str], unseen: int | None = None) -> NDArray[Any]:
    """Return into[text] with one more entry at the end, for missing: the code of each text among the levels.

    A text that is no level gets `unseen`, or missing when that is None.
    """
    k = len(levels)
    at = {level: code for code, level in enumerate(levels)}
    other = k if unseen is None else unseen
    return np.array([at.get(text, other) for text in texts] + [k], dtype=code_type(k + 2))


def decode(codes: NDArray[Any], levels: Sequence[str]) -> list[str | None]:
    """Return the texts of codes; missing and unseen are None."""
    texts: list[str | None] = [*levels, None, None]
    return [texts[code] for code in codes.tolist()]
