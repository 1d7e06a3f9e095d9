"""The Python script and the command lines that do what was done in the studio.

Knows estimators by their parameters. Law: run in the folder of the file, they write the same bytes.
"""

from __future__ import annotations

import shlex
from dataclasses import is_dataclass
from typing import Any

from tallystick.data.schema import Columns
from tallystick.reports.usage import EXECUTION, column_flags, fit_line
from tallystick.studio.asked import TableWishes
from tallystick.studio.folder import harmless

IMPORT = "import tallystick as ts\n"


def file_names(target: str) -> tuple[str, str]:
    """Return what the model file and the report are called."""
    stem = harmless(target).replace(" ", "-")
    return f"{stem}.tally.json", f"{stem}.html"


def typed(estimator: Any) -> str:
    """Return an estimator as it is typed, with the variable `columns` for what is known of them."""
    default = type(estimator)().get_params(deep=False)
    parts = []
    for name, value in estimator.get_params(deep=False).items():
        if name in (*EXECUTION, "kinds") or value == default[name]:
            continue
        shown = "columns" if name == "columns" else f"ts.{value!r}" if is_dataclass(value) else repr(value)
        parts.append(f"{name}={shown}")
    return f"ts.{type(estimator).__name__}({', '.join(parts)})"


def python_script(asked: TableWishes, methods: list[str], folds: int, tuned: bool, making: list[str]) -> str:
    """Return the script. making: the lines that make `model`, see `fitting`."""
    file, page = file_names(asked.target)
    data, aim = repr(asked.name), repr(asked.target)
    known = asked.columns != Columns()
    own = ", columns=columns" if known else ""
    lines = [IMPORT]
    if known:
        lines.append(f"columns = ts.{asked.columns!r}")
    lines.append(f"found = ts.compare({data}, {aim}, methods={methods!r}, tuned={tuned}, folds={folds}{own})")
    lines += ["print(found)", "", *making, f"model.save({file!r})", ""]
    more = f"tuned={tuned}, folds={folds}, path={page!r}{own}"
    lines.append(f"ts.report({data}, {aim}, methods={methods!r}, {more})")
    return "\n".join(lines) + "\n"


def fitting(asked: TableWishes, estimator: Any) -> list[str]:
    """Return the line that fits a model."""
    return [f"model = {typed(estimator)}.fit({asked.name!r}, {asked.target!r})"]


def deciding(estimator: Any) -> list[str]:
    """Return the line that keeps a decision with the model; none where answers are by the largest share."""
    decision = estimator.model_.decision
    if decision is None:
        return []
    said = [f"{name}={value!r}" for name, value in sorted(decision.to_dict().items(), reverse=True)]
    return [f"model.set_decision({', '.join(said)})"]


def command_lines(
    asked: TableWishes, methods: list[str], folds: int, tuned: bool, chosen: tuple[str, Any] | None
) -> str:
    """Return the commands: compare, fit, report. chosen: the name of the method, and its estimator;
    None: a tree by hand, which the script alone makes.
    """
    file, page = file_names(asked.target)
    flags = column_flags(asked.columns)
    known = [shlex.quote(asked.name), "--target", shlex.quote(asked.target)]
    ways = [f"--method {shlex.quote(name)}" for name in methods]
    compared = [
        "tally compare",
        *known,
        *ways,
        *([] if tuned else ["--no-tuning"]),
        f"--folds {folds}",
        *flags,
    ]
    fitted = "# the tree by hand is made by the script"
    if chosen is not None:
        fitted = fit_line(chosen[1], chosen[0], asked.name, asked.target, file)
    told = [
        "tally report",
        *known,
        *ways,
        *(["--tuned"] if tuned else []),
        f"--folds {folds}",
        *flags,
        "-o",
        shlex.quote(page),
    ]
    return "\n".join([" ".join(compared), fitted, " ".join(told)]) + "\n"
