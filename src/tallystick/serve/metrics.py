"""Counts of what was served, as Prometheus reads them; several workers count in shared memory.

Knows routes, statuses and times. Knows nothing of rows or cells.
Law: the counts of all workers are one sum, whichever of them is asked, and none is lost when one dies.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable

from tallystick.files.system import resident
from tallystick.serve.problems import Reply

ROUTES = ("predict", "infer", "models", "health", "metrics", "pages", "other")
STATUSES = (200, 204, 304, 400, 401, 403, 404, 405, 406, 408, 413, 415, 421, 422, 431, 500, 503)
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
TEXT = b"text/plain; version=0.0.4; charset=utf-8"

_PLACE = {
    (route, status): r * len(STATUSES) + s
    for r, route in enumerate(ROUTES)
    for s, status in enumerate(STATUSES)
}
_TIMES = len(_PLACE)  # [route, bucket, and one for all beyond]
_SUMS = _TIMES + len(ROUTES) * (len(SECONDS) + 1)  # [route] nanoseconds
_ROWS = _SUMS + len(ROUTES)
_RELOADED, _BROKEN = _ROWS + 1, _ROWS + 2
_SIZE = _BROKEN + 1


class Metrics:
    """Counters, a row of them for each worker."""

    def __init__(self, workers: int = 1) -> None:
        self.all = memoryview(mmap.mmap(-1, workers * _SIZE * 8)).cast("q")
        self.be(0)

    def be(self, worker: int) -> None:
        """Count as this worker from now on."""
        self.own = self.all[worker * _SIZE : (worker + 1) * _SIZE]

    def answered(self, route: str, status: int, seconds: float, rows: int) -> None:
        """Count a request."""
        own, r = self.own, ROUTES.index(route)
        own[_PLACE.get((route, status), _PLACE[route, 500])] += 1
        bucket = next((i for i, most in enumerate(SECONDS) if seconds <= most), len(SECONDS))
        own[_TIMES + r * (len(SECONDS) + 1) + bucket] += 1
        own[_SUMS + r] += int(seconds * 1e9)
        own[_ROWS] += rows

    def reloaded(self, broken: bool) -> None:
        """Count a model file that was taken over, or refused."""
        self.own[_BROKEN if broken else _RELOADED] += 1

    def _total(self, place: int) -> int:
        return sum(self.all[place::_SIZE])

    def reply(self, models: Iterable[tuple[str, str]]) -> Reply:
        """Return all counts as text; models: names and versions."""
        lines = [
            "# HELP tally_requests_total Requests that were answered.",
            "# TYPE tally_requests_total counter",
        ]
        for (route, status), place in _PLACE.items():
            if count := self._total(place):
                lines.append(f'tally_requests_total{{route="{route}",status="{status}"}} {count}')
        lines += self._times()
        for name, kind, place, words in (
            ("tally_rows_total", "counter", _ROWS, "Rows that were answered."),
            ("tally_model_reloads_total", "counter", _RELOADED, "Model files that were taken over."),
            ("tally_model_refusals_total", "counter", _BROKEN, "New model files that could not be read."),
        ):
            lines += [f"# HELP {name} {words}", f"# TYPE {name} {kind}", f"{name} {self._total(place)}"]
        lines += ["# HELP tally_model_info Models that are served.", "# TYPE tally_model_info gauge"]
        lines += [f'tally_model_info{{model="{_label(m)}",version="{v}"}} 1' for m, v in models]
        lines += [
            "# HELP process_resident_memory_bytes Memory of the worker that was asked.",
            "# TYPE process_resident_memory_bytes gauge",
            f"process_resident_memory_bytes {resident()}",
        ]
        return Reply(200, ("\n".join(lines) + "\n").encode(), TEXT)

    def _times(self) -> list[str]:
        name = "tally_request_seconds"
        lines = [f"# HELP {name} Time from a request's headers to its answer.", f"# TYPE {name} histogram"]
        for r, route in enumerate(ROUTES):
            base = _TIMES + r * (len(SECONDS) + 1)
            counts = [self._total(base + i) for i in range(len(SECONDS) + 1)]
            if not sum(counts):
                continue
            running = 0
            for most, count in zip((*SECONDS, "+Inf"), counts, strict=True):
                running += count
                lines.append(f'{name}_bucket{{route="{route}",le="{most}"}} {running}')
            lines.append(f'{name}_sum{{route="{route}"}} {self._total(_SUMS + r) / 1e9}')
            lines.append(f'{name}_count{{route="{route}"}} {running}')
        return lines


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
