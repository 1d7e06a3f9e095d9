"""tally bayes: Bayes' rule on a few hypotheses, one test after the other, in exact fractions."""

from __future__ import annotations

from fractions import Fraction

import click

from tallystick.cli import options, screen
from tallystick.errors import OptionError, shown


@click.command()
@click.argument("priors", metavar="NAME=PRIOR...", nargs=-1, required=True)
@click.option(
    "--test",
    "tests",
    multiple=True,
    required=True,
    metavar="NAME=P,NAME=P",
    help="How probable what was seen is under each hypothesis; several are used one after the other.",
)
@click.option("--evidence", metavar="P", help="How probable what was seen is, where hypotheses are left out.")
@click.option("--densities", is_flag=True, help="The numbers of --test are densities, which may be above 1.")
@click.option(
    "--predict", metavar="NAME=P,NAME=P", help="How probable something new is under each hypothesis."
)
@options.common
def bayes(
    priors: tuple[str, ...],
    tests: tuple[str, ...],
    evidence: str | None,
    densities: bool,
    predict: str | None,
    as_json: bool,
) -> None:
    """Work out how probable hypotheses are after one test or several: prior times likelihood over their sum.

    Numbers are decimals or fractions, 0.008 or 1/40, and stay exact. A prior that is left out as NAME= is
    what the others leave of 1.
    """
    import tallystick as ts

    if evidence is not None and len(tests) > 1:
        raise OptionError("--evidence is for one test. Name every hypothesis for several.")
    before, steps = _priors(priors), []
    for text in tests:
        given = _table(text, "--test")
        seen = None if evidence is None else _number(evidence, "--evidence")
        steps.append(ts.bayes_rule(before, given, evidence=seen, densities=densities))
        before = {name: Fraction(value) for name, value in steps[-1].posterior.items()}
    new = None if predict is None else steps[-1].predict(_table(predict, "--predict"))
    if as_json:
        told = {"predicted": None if new is None else float(new)}
        screen.show_json(told | {"steps": [step.to_dict() for step in steps]})
        return
    heads = [f"test {i}" for i in range(1, len(steps) + 1)] if len(steps) > 1 else [""]
    lines = [f"{head}\n{step}".strip() for head, step in zip(heads, steps, strict=True)]
    if new is not None:
        lines.append(f"P(the new thing | what was seen) = {new} = {float(new):.6g}")
    print(screen.cleaned("\n\n".join(lines)))


def _priors(texts: tuple[str, ...]) -> dict[str, Fraction]:
    known = {}
    open_ = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise OptionError(f"{shown(text)} is not NAME=PRIOR. Write for example ill=0.008 well=0.992.")
        if name in known or name in open_:
            raise OptionError(f"{shown(name)} is named twice. Give each hypothesis once.")
        if value:
            known[name] = _number(value, f"the prior of {shown(name)}")
        else:
            open_.append(name)
    if len(open_) > 1:
        raise OptionError(f"the priors of {len(open_)} hypotheses are left out. Leave out one at most.")
    return known | {name: 1 - sum(known.values(), Fraction(0)) for name in open_}


def _table(text: str, option: str) -> dict[str, Fraction]:
    pairs = [options.pair(part, option, "ill=0.98,well=0.03") for part in text.split(",")]
    return {name: _number(value, option) for name, value in pairs}


def _number(text: str, what: str) -> Fraction:
    try:
        return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        raise OptionError(f"{what} has {shown(text)}, which is not a number. Write 0.008 or 1/40.") from None
