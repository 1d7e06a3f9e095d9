"""What a fitted model keeps of the rows it was learnt from: their profile, see models/profile.py.

A profile costs more than many a fit, and most models are never written: of rows in memory and on disk it is
taken when somebody first asks for it. Until then the model holds the rows.
Knows tables and model documents. Knows nothing of any learner.
Law: the profile is of the rows of the fit and of the model as it was learnt; a model whose rows are gone or
have changed keeps no more than is still true.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from tallystick.contracts import Engine, Model
from tallystick.errors import warn
from tallystick.models.profile import Profile

if TYPE_CHECKING:
    from tallystick.contracts import Table

VERSION = 2  # of the model file that has a profile


@dataclass(frozen=True)
class Untaken:
    """The rows of a fit and what was learnt from them, as long as nobody has asked for their profile."""

    table: Table
    model: Model  # as it was learnt: a decision that is set later changes no profile

    def taken(self, engine: Engine) -> Profile | None:
        """Return the profile; of rows that were written over since the fit none, with a warning."""
        from tallystick.learners.profile import profile_of

        if not written_over(self.table, engine):
            return profile_of(self.table, self.model, engine)
        warn(
            "the rows were written over after the fit, so that nothing can be said of what they looked like: "
            "the model keeps no profile of them. Save it before the arrays it was fitted to change."
        )
        return None


def written_over(table: Table, engine: Engine) -> bool:
    """Say whether somebody wrote to the arrays of a table since its fingerprint was taken, at the fit."""
    from tallystick.data.table.held import is_own
    from tallystick.stats.fingerprint import Prints

    if is_own(table):
        return False
    return bool(engine.total(table, Prints(table.schema, table.unit)).fingerprint != table.fingerprint)


class WithProfile:
    """The section `profile` of a model file, made, read and written; and what is known of the rows."""

    model_: Model
    _profile: Profile | None = None
    _untaken: Untaken | None = None
    _known_rows: dict[str, Any] | Table  # what is known of the training rows, or the rows that will tell
    _version = VERSION  # of its model file: what was read from version 1 is written as it was

    def _engine(self, table: Table | None = None) -> Engine:
        raise NotImplementedError

    @property
    def rows_(self) -> dict[str, Any]:
        """What is known of the training rows: how many, in which unit, and their fingerprint."""
        if not isinstance(self._known_rows, dict):
            self._known_rows = self._rows_of(self._known_rows)
        return self._known_rows

    def _rows_of(self, table: Table) -> dict[str, Any]:
        """Return what the model file says of the training rows."""
        return rows_of(table)

    @property
    def profile_(self) -> Profile | None:
        """What the training rows looked like; None where nothing is kept of them."""
        if (untaken := self._untaken) is not None:
            self.profile_ = untaken.taken(self._engine(untaken.table))
            self._known_rows = self.rows_  # the rows are held no longer
        return self._profile

    @profile_.setter
    def profile_(self, profile: Profile | None) -> None:
        self._profile, self._untaken = profile, None

    def _profile_section(self, wanted: bool) -> dict[str, Any]:
        """Return the section of the model file, null where it is not wanted; a file of version 1 has none."""
        if self._version < VERSION:
            return {}
        profile = self.profile_ if wanted else None
        return {"profile": None if profile is None else profile.to_dict()}

    def _restore_profile(self, document: Mapping[str, Any]) -> None:
        """Set what a checked document says of the training rows."""
        self._version = VERSION if "profile" in document else 1
        told = document.get("profile")
        self.profile_ = None if told is None else Profile.from_dict(told)

    def _usual_ranges(self) -> dict[str, tuple[float, float]]:
        """Return the 1st and the 99th percentile of each numeric column, where the model knows its rows."""
        if self.profile_ is None:
            return {}
        out = {}
        for column, own in zip(self.model_.schema.used, self.profile_.columns, strict=True):
            low, high = own.quantile(1), own.quantile(99)
            if low is not None and high is not None:
                out[column.name] = low, high
        return out

    def _keep_profile(self, table: Table) -> Self:
        """Keep what the rows of the fit look like, and what the model answers to them: rows that are here
        until their profile is asked for, of others the profile.
        """
        if table.place != "far":
            self._profile, self._untaken = None, Untaken(table, self.model_)
        else:
            from tallystick.learners.profile import profile_of

            self.profile_ = profile_of(table, self.model_, self._engine(table))
        return self

    def _with_profile_of(self, other: WithProfile, table: Table | None) -> Self:
        """Take the profile of another model of the same rows; what this one answers to them is found again
        where the rows are still there.
        """
        if table is not None and (other._untaken is not None or other._profile is not None):
            return self._keep_profile(table)
        self.profile_ = None if other.profile_ is None else other.profile_.without_answers()
        return self

    def _as_much_as(self, known: WithProfile) -> Self:
        """Keep no more of the training rows than a model file has that this one is compared with."""
        self._version = known._version
        if known.profile_ is None:
            self.profile_ = None
        elif self.profile_ is not None and known.profile_.answers is None:
            self.profile_ = self.profile_.without_answers()
        return self


def rows_of(table: Table) -> dict[str, Any]:
    """Return what every model file says of the training rows: how many, in which unit, and their
    fingerprint.
    """
    return {"count": table.weight, "fingerprint": table.fingerprint, "unit": table.unit}
