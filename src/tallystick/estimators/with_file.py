"""The model file of an estimator: its content, its bytes, and what it says in other languages.

Knows model documents. Knows nothing of any learner, nor how a file is read.
Law: whoever asks for the file gets the same bytes, whole or piece by piece.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from tallystick.estimators.with_decision import WithDecision
from tallystick.export import file
from tallystick.files.apart import keep_apart


class WithFile(WithDecision):
    """Written, and exported."""

    _kind: ClassVar[str]
    _files: Sequence[str] = ()  # what it read, to learn or to answer: nothing is saved over it

    if TYPE_CHECKING:  # what the classes beside this one bring
        _check_fitted: Callable[[], None]
        _learning: Callable[[], dict[str, Any]]  # the learning parameters, checked

    def to_dict(self) -> dict[str, Any]:
        """Return the model file's content as plain data, without format and checksum."""
        return self._document(True, self._model_part(whole=True))

    def _model_part(self, whole: bool) -> dict[str, Any]:
        """Return the model's own part of the file; whole: no list of it in parts."""
        self._check_fitted()
        return self.model_.to_dict()

    def _document(self, profile: bool, model: dict[str, Any]) -> dict[str, Any]:
        return (
            self._profile_section(profile)
            | self._decision_section()
            | {
                "kind": self._kind,
                "model": model,
                "notes": [n.to_dict() for n in self.notes_],
                "parameters": self._learning(),
                "rows": dict(self.rows_),
                "schema": self.schema_.to_dict(),
            }
        )

    def to_bytes(self, *, profile: bool = True) -> bytes:
        """Return the model file's bytes.

        Parameters
        ----------
        profile : bool, default True
            Whether what the training rows looked like is kept: level counts and some values of each column.

        Returns
        -------
        bytes
            What `save` writes.
        """
        return b"".join(self._pieces(profile))

    def _pieces(self, profile: bool) -> Iterator[bytes]:
        """Yield the model file's bytes bit by bit."""
        self._check_fitted()
        return file.pieces(self._document(profile, self._model_part(whole=False)))

    def save(self, path: str | os.PathLike[str], *, profile: bool = True) -> None:
        """Write the model file, whole or not at all; never over a file whose rows were read.

        Parameters
        ----------
        path : str or path
            Where to write it, e.g. "votes.tally.json".
        profile : bool, default True
            Whether what the training rows looked like is kept: level counts and some values of each column.
            Without it nobody can ask later what has changed since.
        """
        keep_apart([self._files], {"path=": path})
        file.save(path, self._pieces(profile))

    def export(self, kind: str, **options: Any) -> str | bytes:
        """Return the model in another language.

        Parameters
        ----------
        kind : {"rules", "card", "sql", "python", "js", "c", "onnx", "pmml", "excel"}
            The language.
        **options
            rules: format="text", "markdown" or "json". card: format="markdown", "csv" or "html".
            sql: dialect="duckdb", "sqlite", "postgres", "spark", "tsql", "bigquery" or "snowflake",
            table="name", keep=[columns to carry along], unseen=False to leave out the count of unseen
            levels, and reasons=4 for columns that say what cost a row most points of a scorecard.
            c: name="model", what all names begin with.

        Returns
        -------
        str or bytes
            The text; ONNX and Excel are bytes.
        """
        from tallystick.export.targets import export

        self._check_fitted()
        return export(self.model_, kind, sha256=hashlib.sha256(self.to_bytes()).hexdigest(), **options)
