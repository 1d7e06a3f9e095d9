"""`tally predict --top 10%`: the rows with the highest probability of a class, and how many hits to expect.

Knows answers to rows, batch by batch. Knows nothing of models.
Law: of equal probabilities the first rows of the file are taken, so that the same file gives the same rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import OptionError, nearest, shown, some

if TYPE_CHECKING:
    import pyarrow as pa

    from tallystick.contracts import Source
    from tallystick.data.schema import Target
    from tallystick.estimators import Classifier
    from tallystick.estimators.answers import Wanted

ROW = "row"  # the column with the number of each row in the file, from 1


@dataclass(frozen=True)
class TopWish:
    """How many rows, as a share of all or as a number, by the probability of which class ("": not named)."""

    of: str
    share: float | None = None
    rows: int = 0

    @classmethod
    def read(cls, text: str) -> TopWish:
        """Read 'bad: 10%', '10%', 'bad: 100' or '100'."""
        of, _, many = text.rpartition(":")
        many = many.strip()
        try:
            if many.endswith("%"):
                share = float(many[:-1]) / 100
                if 0 < share <= 1:
                    return cls(of.strip(), share=share)
            elif int(many) > 0:
                return cls(of.strip(), rows=int(many))
        except ValueError:
            pass
        raise OptionError(
            f"--top {shown(text)} is not a part of the rows. Write --top 10%, 100 or 'bad: 10%'."
        )

    def place(self, target: Target, decided: str, counts: Sequence[int] = ()) -> int:
        """Return the place of the class. decided: that of the threshold in force, if there is one; counts: of
        the training rows by class, if they are known: of two classes the rarer is looked for.
        """
        labels = target.labels
        if not self.of and not decided and len(labels) == len(counts) == 2:
            return int(counts[1] <= counts[0])
        if not self.of and not decided:
            raise OptionError(f"--top by the probability of which class? Write --top '{labels[0]}: 10%'.")
        label = target.label_of(self.of or decided)
        if label not in labels:
            raise OptionError(
                f"--top names {shown(self.of)}, which is not a class.{nearest(self.of, labels)} "
                f"The classes are {some(labels)}."
            )
        return labels.index(label)

    def many(self, rows: int) -> int:
        """Return how many of so many rows."""
        return min(rows, self.rows) if self.share is None else min(rows, max(1, round(self.share * rows)))


@dataclass(frozen=True)
class TopRows:
    """The rows taken, the most probable first: rows[taken] are numbers in the file from 0; shares[taken]."""

    label: str
    rows: NDArray[np.int64]
    shares: NDArray[np.float64]
    all_rows: int
    base: float  # the mean probability of all rows
    tied: int  # rows that are as probable as the last one taken, and were not
    calibrated: bool = True  # the probabilities are meant to be counted by
    found: tuple[int, int, int, int] | None = None  # hits and known answers of those taken, and of all rows

    @property
    def hits(self) -> float:
        """The sum of the probabilities of the rows taken: the hits to expect, if they are calibrated."""
        return math.fsum(self.shares.tolist())

    @property
    def lift(self) -> float | None:
        """How many times as many hits as in rows taken at random: counted where the answers are known."""
        if self.found is not None:
            hits, known, all_hits, all_known = self.found
            return hits / known / (all_hits / all_known) if known and all_hits else None
        taken = len(self.rows)
        return self.hits / taken / self.base if taken and self.base and self.calibrated else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        taken = len(self.rows)
        return {
            "class": self.label,
            "rows": taken,
            "of": self.all_rows,
            "expected_hits": self.hits if self.calibrated else None,
            "expected_at_random": self.base * taken if self.calibrated else None,
            "sum_of_probabilities": self.hits,
            "hits": None if self.found is None else self.found[0],
            "hits_known_of": None if self.found is None else self.found[1],
            "lift": self.lift,
            "tied": self.tied,
        }

    def __str__(self) -> str:
        taken = len(self.rows)
        lift = "" if self.lift is None else f": lift {self.lift:.2f}"
        tied = f" {self.tied:,} more are as probable as the last." if self.tied else ""
        each = f"{self.hits:,.1f} ({self.hits / max(taken, 1):.1%})"
        if self.found is not None:
            hits, known, all_hits, all_known = self.found
            some = "" if known == taken else f" whose answer is in the file ({taken - known:,} have none)"
            at_random = known * all_hits / max(all_known, 1)
            said = (
                f"Hits, by the answers in the file: {hits:,} of {known:,}{some} "
                f"({hits / max(known, 1):.1%}), against {at_random:,.1f} in as many rows taken at "
                f"random{lift}. The model's probabilities add up to {each}."
            )
        elif self.calibrated:
            said = (
                f"Expected hits by the model's probabilities: {each}, against {self.base * taken:,.1f} in as "
                f"many rows taken at random{lift}."
            )
        else:
            said = (
                f"The model's probabilities add up to {each}, but those of naive Bayes are not calibrated "
                "and usually too sure: expect fewer hits. To expect a number, fit with --set calibrate=true."
            )
        return f"{taken:,} of {self.all_rows:,} rows, the most probable {self.label} first. {said}{tied}"


def top_rows(estimator: Classifier, source: Source, wanted: Wanted, wish: TopWish) -> TopRows:
    """Walk the rows once and return those with the highest probabilities."""
    from tallystick.estimators.answers import MetRows, answers
    from tallystick.evaluate.labels import MISSING, labels_of

    target, decision = estimator.schema_.predicted, estimator.decision_
    profile = estimator.profile_
    counts = () if profile is None or profile.target is None else profile.target.counts.tolist()
    place = wish.place(target, "" if decision is None else decision.of, counts)
    parts = []
    for found in answers(estimator, source, MetRows(), wanted):
        shares = found.shares[:, place].copy()
        shares[list(found.matched.unread)] = np.nan
        parts.append(shares)
    shares = np.concatenate(parts) if parts else np.zeros(0)
    known = np.flatnonzero(~np.isnan(shares))
    order = known[np.argsort(-shares[known], kind="stable")]
    taken = order[: wish.many(len(known))]
    last = shares[taken[-1]] if len(taken) else np.nan
    tied = int((shares == last).sum() - (shares[taken] == last).sum())
    base = math.fsum(shares[known].tolist()) / max(len(known), 1)
    model: Any = estimator.model_
    calibrated = model.kind != "naive-bayes" or model.calibration is not None
    found_there: tuple[int, int, int, int] | None = None
    if target.name in source.columns:
        truth = labels_of(source, target.name, estimator.schema_)
        answered = [int((truth[some] != MISSING).sum()) for some in (taken, known)]
        hits = [int((truth[some] == place).sum()) for some in (taken, known)]
        found_there = (hits[0], answered[0], hits[1], answered[1]) if answered[1] else None
    of = target.labels[place]
    return TopRows(of, taken, shares[taken], len(known), base, tied, calibrated, found_there)


def of_top(parts: Iterator[pa.Table], top: TopRows, class_column: bool) -> Iterator[pa.Table]:
    """Yield the answers to the rows taken, the most probable first, as one table after the empty first one;
    with the number of each row, and the probability of the class where it is not there already.
    """
    import pyarrow as pa

    rank = np.full(int(top.rows.max()) + 1 if len(top.rows) else 0, -1, np.int64)
    rank[top.rows] = np.arange(len(top.rows))
    kept, ranks, start = [], list[NDArray[np.int64]](), 0
    for part in parts:
        own = rank[start : start + part.num_rows]
        own = np.concatenate([own, np.full(part.num_rows - len(own), -1, np.int64)])
        kept.append(part.filter(pa.array(own >= 0)))
        ranks.append(own[own >= 0])
        start += part.num_rows
    whole = pa.concat_tables(kept)
    whole = whole.take(pa.array(np.argsort(np.concatenate(ranks), kind="stable")))
    whole = whole.add_column(0, ROW, pa.array(top.rows + 1, pa.int64()))
    name = f"P({top.label})"
    if class_column and name not in whole.column_names:
        whole = whole.append_column(name, pa.array(top.shares, pa.float64()))
    yield whole
