"""A model as PMML 4.4: a TreeModel, a RegressionModel or a Scorecard.

Knows forms. Law: the file is data alone, without extensions: any evaluator of PMML 4 reads it.
"""

from __future__ import annotations

from tallystick import __version__
from tallystick.export.form import Form
from tallystick.export.heading import heading
from tallystick.export.limits import LanguageLimits
from tallystick.export.pmml.branches import tree_model
from tallystick.export.pmml.card import scorecard
from tallystick.export.pmml.elements import document, element
from tallystick.export.pmml.fields import Fields
from tallystick.export.pmml.terms import regression_model

USE = (
    "Levels are text, numbers are numbers, dates are days since 1970-01-01. What is not given is missing.",
)
LIMITS = LanguageLimits(
    "PMML",
    "evaluators cut text into words in other ways",
    "evaluators differ in what they make of it",
    "a regression has no weight of -infinity",
)


def pmml(form: Form) -> str:
    """Return the model as PMML."""
    LIMITS.refuse(form)
    added = bool(form.base)
    fields = Fields(form, apart=added)
    if not added:
        model = tree_model(form, fields)
    elif form.has_reasons and len(form.labels) == 2:
        model = scorecard(form, fields)
    else:
        model = regression_model(form, fields)
    made = element("Application", name="Tallystick", version=__version__)
    told = element("Annotation")
    told.text = "\n".join(["", *heading(form), *USE, ""])
    header = element("Header", made, told, description=heading(form)[0])
    return document(header, fields.dictionary(), model)
