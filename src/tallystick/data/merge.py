"""Spellings that are one, as the user says: `merge={"yes": ["Yes", "YES", "Y"]}`, for all columns or for one.

Knows texts. Knows nothing of rows, files or kinds.
Laws: a spelling is merged into one text, which is not merged any further; the order in which they are listed
means nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallystick.data.text import cell_text
from tallystick.errors import OptionError, shown

Merge = Mapping[str, Any]  # {text: (spellings)}, or {column: {text: (spellings)}}
SPACES = " \t\n\v\f\r"
EXAMPLE = "merge={'yes': ['Yes', 'YES']}, or of one column merge={'answer': {'yes': ['Yes', 'YES']}}"


def merges(given: Any) -> dict[str, Any]:
    """Return what was given in one form: spellings are texts, sorted, without the text that they become."""
    if not given:
        return {}
    if not isinstance(given, Mapping):
        raise OptionError(f"merge must say which spellings are one: {EXAMPLE}, not {shown(given)}.")
    out: dict[str, Any] = {}
    for key in sorted(given, key=str):
        value = given[key]
        if isinstance(value, Mapping):
            out[str(key)] = {_text(t): _spellings(t, value[t]) for t in sorted(value, key=str)}
        else:
            out[_text(key)] = _spellings(key, value)
    for name in (None, *(key for key, value in out.items() if isinstance(value, dict))):
        spellings(out, name)  # refuse what contradicts itself
    return out


def _spellings(text: Any, given: Any) -> tuple[str, ...]:
    try:
        listed = [given] if isinstance(given, str | bytes) else list(given)
    except TypeError:
        raise OptionError(
            f"merge lists the spellings of {shown(text)}: {EXAMPLE}, not {shown(given)}."
        ) from None
    return tuple(sorted({_text(one) for one in listed} - {_text(text)}))


def _text(given: Any) -> str:
    text = (cell_text(given, "merge") or "").strip(SPACES)
    if not text:
        raise OptionError(
            f"merge joins spellings that are there, and {shown(given)} is none. What stands for missing is "
            "said by missing=."
        )
    return text


def of_all(merge: Merge) -> dict[str, tuple[str, ...]]:
    """Return what is merged in every column."""
    return {text: spelt for text, spelt in merge.items() if not isinstance(spelt, Mapping)}


def spellings(merge: Merge, name: str | None) -> dict[str, str]:
    """Return the text that each spelling becomes in a column; None: in all of them."""
    own = merge.get(name) if name is not None else None
    out: dict[str, str] = {}
    for text, spelt in (*of_all(merge).items(), *(own.items() if isinstance(own, Mapping) else ())):
        for one in spelt:
            if out.setdefault(one, text) != text:
                raise OptionError(
                    f"merge makes {shown(one)} both {shown(out[one])} and {shown(text)}. Name it once."
                )
    for text in sorted(set(out.values())):
        if text in out:
            raise OptionError(
                f"merge makes {shown(text)} {shown(out[text])}, but makes others {shown(text)}. Merge all of "
                f"them into {shown(out[text])}."
            )
    return out


def plain_merges(merge: Merge) -> dict[str, Any]:
    """Return it as plain data."""
    return {k: plain_merges(v) if isinstance(v, Mapping) else list(v) for k, v in merge.items()}


def typed_merges(merge: Merge) -> list[str]:
    """Return what the command line takes for it: `yes=YES,Yes`, `answer: yes=YES,Yes`."""
    out = [f"{text}={','.join(spelt)}" for text, spelt in of_all(merge).items()]
    for name, own in merge.items():
        if isinstance(own, Mapping):
            out += [f"{name}: {text}={','.join(spelt)}" for text, spelt in own.items()]
    return out


def read_merges(given: tuple[str, ...]) -> dict[str, Any]:
    """Return what the command line was given, as Python takes it."""
    out: dict[str, Any] = {}
    for line in given:
        left, equals, right = line.partition("=")
        column, colon, text = left.rpartition(": ")
        spelt = [one for one in right.split(",") if one.strip()]
        if not equals or not text.strip() or not spelt or (colon and not column):
            raise OptionError(
                f"--merge {shown(line)} is not TEXT=SPELLING,... Write for example --merge 'yes=Yes,YES', or "
                "of one column --merge 'answer: yes=Yes,YES'."
            )
        place = out.setdefault(column, {}) if colon else out
        if not isinstance(place, dict) or isinstance(place.get(text), Mapping):
            raise OptionError(f"--merge names {shown(column or text)} as a column and as a text.")
        place[text] = [*place.get(text, ()), *spelt]
    return out
