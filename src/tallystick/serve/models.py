"""The models that are served, by name and version; they are loaded again when their files change.

Entry: `Shelf`. Laws: a request is answered by one model from its beginning to its end; a file that cannot be
read is refused and logged, and the model before it stays in service.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from tallystick.errors import ModelFileError, OptionError, TallyError, nearest, shown, some, with_article
from tallystick.files import Stamp
from tallystick.model.file import read_file
from tallystick.serve.requests import OneRow, Refused

if TYPE_CHECKING:
    from tallystick.estimator.classifier import Classifier
    from tallystick.serve.guards import Log, Metrics


ENDINGS = (".tally.json", ".json")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
SHORTEST = 8  # hex digits of a version that name it


@dataclass(frozen=True)
class Served:
    """A model that answers. version: the sha256 of its file; labels: in the type that they had."""

    name: str
    version: str
    estimator: Classifier
    labels: tuple[Any, ...]
    one: OneRow


class Place:
    """A file, and the model that was last read from it."""

    def __init__(self, name: str, path: str) -> None:
        self.name, self.path = name, path
        self.stamp = Stamp.of(path, name) if os.path.exists(path) else None
        self.served = load(name, path)

    def changed(self) -> bool:
        """Say whether the file is another one, and remember it as it is now; a lost file is not a change."""
        try:
            now = Stamp.of(self.path, self.name)
        except OSError:
            return False
        changed, self.stamp = now != self.stamp, now
        return changed


class Shelf:
    """All models that are served. Those of one name are versions; the first of them answers if none is
    asked for.
    """

    def __init__(self, files: Sequence[tuple[str, str]]) -> None:
        self.places = [Place(name, path) for name, path in files]
        self._arrange()

    def _arrange(self) -> None:
        found: dict[str, list[Served]] = {}
        for place in self.places:
            found.setdefault(place.name, []).append(place.served)
        self.models = found
        self.first = self.places[0].served

    def __iter__(self) -> Iterator[Served]:
        return (served for versions in self.models.values() for served in versions)

    def find(self, name: str | None = None, version: str | None = None) -> Served:
        """Return the model of a name, or the only one; a version may be cut to 8 digits or more."""
        if name is None:
            if len(self.models) > 1:
                raise Refused(404, f"several models are served. Name one: {some(self.models)}.")
            name = self.first.name
        versions = self.models.get(name)
        if versions is None:
            near = nearest(name, list(self.models))
            raise Refused(404, f"there is no model {shown(name)}.{near} GET /v1/models lists them.")
        if version is None:
            return versions[0]
        for served in versions:
            if len(version) >= SHORTEST and served.version.startswith(version.lower()):
                return served
        raise Refused(404, f"there is no version {shown(version)} of {name}. GET /v1/models lists them.")

    def look(self, log: Log, metrics: Metrics) -> None:
        """Take over the files that have changed; meant to be called every second or so, by any thread."""
        for place in self.places:
            if place.changed():
                self._take_over(place, log, metrics)

    def _take_over(self, place: Place, log: Log, metrics: Metrics) -> None:
        before = place.served.version
        try:
            served = load(place.name, place.path)
        except TallyError as error:
            metrics.reloaded(broken=True)
            log.say("model refused", model=place.name, reason=str(error), serving=before)
            return
        if served.version != before:
            place.served = served
            self._arrange()
            metrics.reloaded(broken=False)
            log.say("model taken over", model=place.name, version=served.version, before=before)


def load(name: str, path: str) -> Served:
    """Return the model of a file, ready to answer; one that predicts no classes is refused."""
    from tallystick.estimator.base import from_data

    if os.path.exists(path) and not os.path.isfile(path):  # a pipe would be waited for, for ever
        name = shown(os.path.basename(path))
        raise ModelFileError(f"{name} is not a file. A model that is served is read again when it changes.")
    data = read_file(path)
    try:
        estimator = from_data(data)
    except ModelFileError as error:
        raise ModelFileError(f"{shown(os.path.basename(path))}: {error}") from None
    if not estimator._predicts or estimator._regression:
        kind = with_article(estimator.model_.kind)
        raise OptionError(f"{shown(os.path.basename(path))} is {kind}, which does not predict classes.")
    known = cast("Classifier", estimator)
    known.threads = 1  # requests run beside each other
    target = known.schema_.predicted
    return Served(name, hashlib.sha256(data).hexdigest(), known, tuple(target.values()), OneRow(known))


def named(given: str) -> tuple[str, str]:
    """Return the name and the path of `NAME=PATH`, or of a path alone: the name of its file."""
    name, equals, path = given.partition("=")
    if not equals or not NAME.fullmatch(name):
        path = given
        name = os.path.basename(given)
        for ending in ENDINGS:
            name = name.removesuffix(ending)
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", name).lstrip("-._")[:100] or "model"
    return name, path
