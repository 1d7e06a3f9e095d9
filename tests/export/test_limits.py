"""What a language cannot say of a model is refused with its reason, and nothing else is."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tallystick.errors import OptionError
from tallystick.export.heading import LanguageLimits

LIMITS = LanguageLimits("music", "notes are not words", "one row takes many paths", "music has no -infinity")


def form(texts=(), spreads=False, parts=(1.0, -1.0)):
    return SimpleNamespace(texts=texts, spreads=spreads, terms=[{"table": [parts]}, {"slope": 1.0}])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (form(texts=("note",)), "reads the words of text ('note') has no music: notes are not words. Export"),
        (form(spreads=True), "has no music: one row takes many paths. Export it to python, js or c, or fit"),
        (form(parts=(0.0, None)), "has no music: music has no -infinity. Export it to python, js or c, or"),
    ],
)
def test_a_refusal_has_its_reason_and_what_to_do(given, said):
    with pytest.raises(OptionError) as told:
        LIMITS.refuse(given)
    assert said in str(told.value)


def test_what_can_be_said_is_not_refused():
    LIMITS.refuse(form())
    LanguageLimits("music", "", "").refuse(form(parts=(0.0, None)))
