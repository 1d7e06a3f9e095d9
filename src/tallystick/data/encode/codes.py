"""Codes of levels, ordered and boolean columns, and back.

Knows sorted texts and levels. Law: decode(encode(cells)) gives the same texts; k is missing, k + 1 is unseen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallystick.data.encode.block import code_type
from tallystick.data.schema import ABSENT
from tallystick.data.source.arrays import filled, from_texts


def recode(
    codes: NDArray[Any],
    texts: pa.LargeStringArray,
    levels: Sequence[str],
    *,
    fold: bool = False,
    unseen: bool = False,
) -> NDArray[Any]:
    """Return codes among texts as codes among levels; len(texts) is missing and becomes len(levels), or the
    level ABSENT where there is one.

    fold: letter case means nothing. A text that is no level becomes unseen, or missing if that is not asked.
    """
    k = len(levels)
    if not fold and len(texts) == k and texts.to_pylist() == list(levels):
        return codes
    into = np.full(len(texts) + 1, k, code_type(k))
    found = pc.index_in(pc.utf8_lower(texts) if fold else texts, from_texts(levels))
    into[:-1] = filled(found, k + unseen)
    if ABSENT in levels:
        into[into == k] = levels.index(ABSENT)
    return into[codes]  # type: ignore[no-any-return]


def decode(codes: NDArray[Any], levels: Sequence[str]) -> list[str | None]:
    """Return the texts of codes; missing and unseen are None."""
    texts: list[str | None] = [*(None if t == ABSENT else t for t in levels), None, None]
    return [texts[code] for code in codes.tolist()]
