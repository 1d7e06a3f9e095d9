"""Run the benchmarks and print figure, target and verdict, one line each.

    python benchmarks/run.py [name ...]     all files, or those named

Every file here with `figures() -> list[tuple[str, float]]` takes part. A figure is a ratio or an amount
whose target is in targets.toml as `min` or `max`. Peers run in turn with us, round by round (turns.py): the
median counts, the spread of the rounds stands behind it. Where others took more than a tenth of a core
meanwhile, the figures of the file are marked `busy`. Nothing is compared with yesterday.
"""

from __future__ import annotations

import importlib.util
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

from turns import Figure, Others

BUSY = 0.1  # cores that others may take before figures are marked
HERE = Path(__file__).resolve().parent


def verdict(figure: float, target: dict[str, float] | None) -> tuple[str, str]:
    """Return the target in words, and `met`, `MISSED` or `no target`."""
    if target is None:
        return "-", "no target"
    if "min" in target:
        return f">= {target['min']:g}", "met" if figure >= target["min"] else "MISSED"
    return f"<= {target['max']:g}", "met" if figure <= target["max"] else "MISSED"


def spread(figure: float) -> str:
    """Return the lowest and the highest round of a figure that has several."""
    return f"({figure.low:.3g} to {figure.high:.3g})" if isinstance(figure, Figure) else ""


def measured(path: Path) -> Iterator[tuple[str, float]]:
    """Yield the figures of one benchmark file, if it has any."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    if hasattr(module, "figures"):
        yield from module.figures()


def main(names: list[str]) -> int:
    targets = tomllib.loads((HERE / "targets.toml").read_text(encoding="utf-8"))
    missed = 0
    for path in sorted(HERE.glob("*.py")):
        if path.name == "run.py" or (names and path.stem not in names):
            continue
        started, others = time.perf_counter(), Others()
        try:
            results = list(measured(path))
        except Exception as error:  # one broken benchmark must not hide the others
            print(f"{path.stem:<12} FAILED: {type(error).__name__}: {error}", flush=True)
            missed += 1
            continue
        cores = others.cores() or 0.0
        for name, figure in results:
            target, words = verdict(figure, targets.get(path.stem, {}).get(name))
            missed += words == "MISSED"
            mark = "  busy" if cores > BUSY else ""
            line = f"{path.stem:<12} {name:<52} {figure:10.3g} {spread(figure):<16}"
            print(f"{line}  target {target:<8} {words}{mark}", flush=True)
        if results:
            load = f"; others took {cores:.1f} cores" if cores > BUSY else ""
            print(f"{path.stem:<12} took {time.perf_counter() - started:.1f} s{load}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
