"""The page of `report(new, against=model)`: what changed in the rows since a model was fitted.

Knows sources and fitted models. Knows nothing of pages: the report room makes those from data.
Law: the same rows, model and name of the data give the same bytes.
"""

from __future__ import annotations

import html
import os
from dataclasses import dataclass, field
from typing import Any

from tallystick.data.source import open_source
from tallystick.description.against import Changes, changes
from tallystick.estimators.rows import as_given
from tallystick.export import save
from tallystick.files.apart import as_path, keep_apart
from tallystick.reports.changes import change_page


@dataclass(frozen=True)
class ChangeReport:
    """A finished page on what changed, with the findings it was made from."""

    html: str = field(repr=False)
    changes: Changes = field(repr=False)
    files: tuple[str, ...] = field(default=(), repr=False)  # what it read: the page is not saved over it

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, whole or not at all; never over the data that it is about."""
        keep_apart([self.files], {"path=": path})
        save(path, self.html.encode(), "page")

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as plain data."""
        return self.changes.to_dict()

    def _repr_html_(self) -> str:
        frame = 'sandbox="allow-scripts" width="100%" height="640" title="what changed"'
        return f'<iframe {frame} srcdoc="{html.escape(self.html, quote=True)}"></iframe>'

    def __str__(self) -> str:
        return str(self.changes)

    __repr__ = __str__


def change_report(data: Any, against: Any, title: str = "", threads: int | None = None) -> ChangeReport:
    """Return the page on new rows beside the training rows of a fitted model, or of a model file."""
    from tallystick.estimators import load

    stored = isinstance(against, str | os.PathLike)
    model = load(against) if stored else against
    source = open_source(as_given(data))
    found = changes(source, model, threads)
    name = os.path.basename(as_path(against)) if stored else ""
    files = (*source.files, *((as_path(against),) if stored else ()))
    return ChangeReport(change_page(found, title, name), found, files)
