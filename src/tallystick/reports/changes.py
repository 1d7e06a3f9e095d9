"""What changed since a model was fitted, as one HTML page: the verdict, the answers, the columns that changed
most first.

Knows changes as data and the frame of the report. Knows no model and no rows.
Laws: those of `page.py`: all that came from a user is escaped, one style sheet, one script, no request.
"""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from tallystick import __version__
from tallystick.description.against import Changes, ColumnChange
from tallystick.description.show_changes import verdict
from tallystick.draw.pairs import pair_bars
from tallystick.reports.page import environment, policy
from tallystick.reports.sections import asset

STYLES = ("frame", "tables", "changes")
SHOWN = 14  # levels or bins drawn; the rest is one pair
KNOWN = {"total variation": "{:.0%}", "mean in standard deviations": "{:.2f} deviations"}


def change_page(found: Changes, title: str = "", model: str = "") -> str:
    """Return the page; title: what it calls the data, model: what the model's file is called."""
    style = "\n".join(asset(f"{name}.css") for name in STYLES)
    script = f"{asset('theme.js')}\ndocument.documentElement.classList.add('js');\ntallyTheme();"
    return (
        environment()
        .get_template("changes.html")
        .render(
            found=found,
            title=title or found.name,
            model=model or f"a {found.kind}",
            verdict=verdict(found),
            answers=None if found.answers is None else entry(found.answers),
            columns=[entry(column) for column in found.ranked],
            changed=bool(found),
            version=__version__,
            style=Markup(style),
            script=Markup(script),
            policy=policy(style, script),
        )
    )


def entry(column: ColumnChange) -> dict[str, Any]:
    """Return one column as the page tells it."""
    shift = column.shift
    form = "{:.0%}" if shift is None else KNOWN.get(shift.measure, "{:.0%}")
    return {
        "name": column.name,
        "kind": column.kind,
        "changed": bool(column.findings),
        "findings": column.findings,
        "strays": column.strays,
        "untold": column.untold,
        "moved": "" if shift is None else form.format(shift.value),
        "told": shift is not None and shift.beyond,  # among the findings
        "limit": "" if shift is None else form.format(shift.limit),
        "psi": "" if shift is None or shift.psi is None else f"{shift.psi:.2f}",
        "missing": ""
        if column.missing is None or column.missing == (0.0, 0.0)
        else " → ".join(f"{share:.1%}" for share in column.missing),
        "bars": pair_bars(drawn(column), f"{column.name} before and after") if column.parts else "",
    }


def drawn(column: ColumnChange) -> list[tuple[str, float, float]]:
    """Return the parts that are drawn: all of numbers and of a few levels, else those that moved most."""
    if len(column.parts) <= SHOWN or column.kind == "numeric":
        return list(column.parts)
    order = sorted(range(len(column.parts)), key=lambda i: -abs(column.parts[i][2] - column.parts[i][1]))
    kept = sorted(order[:SHOWN])
    rest = [column.parts[i] for i in order[SHOWN:]]
    sums = (sum(p[1] for p in rest), sum(p[2] for p in rest))
    return [*(column.parts[i] for i in kept), (f"{len(rest):,} others", *sums)]
