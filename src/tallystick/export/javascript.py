"""A model as JavaScript: its data as one JSON text beside a small fixed piece of code, `code/model.js`.

Knows forms. Law: the script runs as a file in node and as an inline script under a strict content security
policy: it loads nothing and evaluates nothing, and no name in it can end the script.
"""

from __future__ import annotations

from importlib import resources

from tallystick.export.form import Form
from tallystick.export.heading import heading

USE = (
    "In node: const model = require('./model.js'); on a page: the script makes the constant `model`.",
    "model.predict({column: value}) gives {label, probabilities}; model.explain(row) says why as well.",
)

CODES = "model.reasons(row, {most: 4, against: 'best'}) says what cost a row most points."


def javascript(form: Form) -> str:
    """Return a script that makes `model`, with `predict` and `explain`."""
    use = [*USE, CODES] if form.has_reasons else USE
    comment = "".join(f"// {line}\n".replace("<", "‹") for line in [*heading(form), *use])
    return (
        f"{comment}const model = (() => {{\n{runtime()}\n"
        f"  return tallystick({form.to_json()});\n}})();\n"
        'if (typeof module === "object" && module.exports) module.exports = model;\n'
    )


def runtime() -> str:
    """Return the fixed code: a function `tallystick(data)`, for pages that hold the data themselves."""
    return resources.files("tallystick.export").joinpath("code/model.js").read_text(encoding="utf-8")
