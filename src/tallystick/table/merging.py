"""Merging of spellings: the distinct texts of a column after the user's `merge`, with counts and a note.

Entry: `merged()`, which returns `Merged`. Law: texts, counts and note depend on the multiset of cells alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.errors import counted, shown
from tallystick.io.frames import filled, from_numbers, from_texts
from tallystick.schema import Note

SHOWN = 5  # texts listed in a note


@dataclass(frozen=True)
class Merged:
    """Texts, sorted, and counts[text, measure]; became: the text of each spelling that was there, with
    its counts[measure].
    """

    texts: pa.LargeStringArray
    counts: NDArray[np.int64]
    became: Mapping[str, tuple[str, NDArray[np.int64]]]

    def note(self, what: str, name: str, m: int) -> tuple[Note, ...]:
        """Return what was merged, counted by measure m; what: "column" or "target"."""
        ways: dict[str, list[str]] = {}
        for spelling, (text, _) in sorted(self.became.items()):
            ways.setdefault(text, []).append(spelling)
        if not ways:
            return ()
        cells = sum(int(counts[m]) for _, counts in self.became.values())
        said = [f"{_listed(spelt)} as {shown(text)}" for text, spelt in list(ways.items())[:SHOWN]]
        more = f" and {len(ways) - SHOWN:,} more" if len(ways) > SHOWN else ""
        text = f"{what} {shown(name)}: {'; '.join(said)}{more}, as asked ({counted(cells, 'cell')})."
        return (Note("spellings-merged", text, name, cells),)


def _listed(texts: list[str]) -> str:
    more = f" and {len(texts) - SHOWN:,} more" if len(texts) > SHOWN else ""
    return f"{', '.join(map(shown, texts[:SHOWN]))}{more}"


def merged(texts: pa.LargeStringArray, counts: NDArray[np.int64], merge: Mapping[str, str]) -> Merged:
    """Return distinct texts with those made one that are. counts[text, measure]; merge: by spelling."""
    import pyarrow.compute as pc

    if not merge or not len(texts):
        return Merged(texts, counts, {})
    asked = sorted(merge)
    at = filled(pc.index_in(from_texts(asked), texts), -1)
    there = {spelling: int(place) for spelling, place in zip(asked, at.tolist(), strict=True) if place >= 0}
    if not there:
        return Merged(texts, counts, {})
    stays = np.ones(len(texts), bool)
    stays[list(there.values())] = False
    left = texts.filter(from_numbers(stays))
    new = sorted({merge[spelling] for spelling in there}.difference(left.to_pylist()))
    every = pa.concat_arrays([left, from_texts(new)])
    totals = np.concatenate([counts[stays], np.zeros((len(new), counts.shape[1]), np.int64)])
    places = dict(zip(every.to_pylist(), range(len(every)), strict=True))
    for spelling, place in there.items():
        totals[places[merge[spelling]]] += counts[place]
    order = pc.sort_indices(every)
    became = {s: (merge[s], counts[place]) for s, place in there.items()}
    return Merged(every.take(order), totals[order.to_numpy()], became)


def unused_merges(spelt: frozenset[str], there: frozenset[str]) -> tuple[Note, ...]:
    """Return a note on spellings that no column has."""
    if not (lacking := sorted(spelt - there)):
        return ()
    verb = "is" if len(lacking) == 1 else "are"
    cure = "in no column. Compare the spelling."
    return (Note("merge-unused", f"merge names {_listed(lacking)}, which {verb} {cure}", count=len(lacking)),)


def kept(merge: Mapping[str, str], levels: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return (spelling, level) of all spellings of levels: what a model knows of them."""
    known = set(levels)
    return tuple(sorted((one, text) for one, text in merge.items() if text in known and one not in known))


def in_order(order: tuple[str, ...], merge: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the order that a column brought, of what its texts became."""
    return tuple(dict.fromkeys(merge.get(text, text) for text in order))
