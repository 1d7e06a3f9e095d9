"""Every rule of the reader of model files has a file that breaks it, and is told in one line.

The rules are read off the reader's own source (rule_sites.py), the files are in broken_files.py; a new rule
without a file fails here.
"""

from __future__ import annotations

import json

import pytest
from broken_files import BROKEN
from model_files import models, rows, signed
from rule_sites import met, sites

import tallystick as ts
from tallystick.errors import ModelFileError
from tallystick.estimator.base import from_data
from tallystick.model import file

pytestmark = pytest.mark.slow

# rules that no content of a file can break: they speak of other things
OUTSIDE = (
    "cannot read the model file",
    "a model file has at most",
    "a text holds",  # writing
)
FRAMES = [
    (lambda d: b"", "it is empty"),
    (lambda d: b"PK\x03\x04" + d, "does not begin like"),
    (lambda d: d.replace(b'"version":2', b'"version":3'), "format version 3"),
    (lambda d: d.replace(b'"version":2', b'"version":x'), "format version unreadable"),
    (lambda d: d[:-1], "its last line"),
    (lambda d: d.replace(b'"naive-bayes"', b'"knave-bayes"', 1), "its checksum does not fit"),
]


def dated():
    """Rows with a date, and with levels in several spellings."""
    skies = ("sun", "rain", "Rain", "RAIN")
    days = [f"2024-0{1 + i % 9}-{10 + i % 19}" for i in range(90)]
    return [{"d": day, "sky": skies[i % 4], "y": "ab"[i % 9 > 4]} for i, day in enumerate(days)]


@pytest.fixture(scope="module")
def documents():
    whole = {name: json.loads(model.to_bytes()) for name, model in models().items()}
    numbers = [{"temp": r["temp"], "n": r["n"], "y": r["y"]} for r in rows()]
    whole["dated"] = json.loads(ts.DecisionTree(kinds={"d": "date"}).fit(dated(), "y").to_bytes())
    joined = ts.DecisionTree(columns=ts.Columns(merge={"rain": ["Rain", "RAIN"]})).fit(dated(), "y")
    whole["merged"] = json.loads(joined.to_bytes())
    whole["tree-no-levels"] = json.loads(ts.DecisionTree().fit(numbers, "y").to_bytes())
    return whole


def refusal(data: bytes) -> ModelFileError:
    """Load, ask for all that is read late, and return the error."""
    with pytest.raises(ModelFileError) as caught:
        getattr(from_data(data).model_, "all_candidates", None)
    return caught.value


def broken(documents, name, change) -> bytes:
    document = json.loads(json.dumps(documents[name]))
    change(document)
    return signed(document)


@pytest.mark.parametrize("number", range(len(BROKEN)))
def test_a_file_that_breaks_one_rule_is_refused_with_its_line(documents, number):
    name, change, says = BROKEN[number]
    error = str(refusal(broken(documents, name, change)))
    assert any(part in error for part in says.split("|")), error
    assert error.isprintable()


def test_every_rule_of_the_reader_has_a_file_that_breaks_it(documents):
    lines = set()
    for name, change, _ in BROKEN:
        lines |= met(refusal(broken(documents, name, change)))
    good = signed(documents["bayes"])
    for damage, says in FRAMES:
        error = refusal(damage(good))
        assert says in str(error)
        lines |= met(error)
    for data in odd(documents["bayes"]):
        lines |= met(refusal(data))
    lines |= met(refusal(broken(documents, "bayes", lambda d: d["parameters"].update(alpha=1))))
    far = signed(documents["tree"]).replace(b"2,6.325,1,", b"2,1e999,1,", 1)
    assert b"1e999" in far
    lines |= met(refusal(resigned_text(far)))
    without = [
        f"{path}:{first}: {text}"
        for (path, first, last), text in sorted(sites().items())
        if not any((path, line) in lines for line in range(first, last + 1))
        and not any(words in text for words in OUTSIDE)
    ]
    assert without == []


def odd(document):
    """Yield files that are not JSON as we write it, one per rule; test_hardening.py has many more."""
    good = signed(document).decode()
    for old, new in (
        ('"count":24', '"count":24,"count":24'),
        ('"count":24', '"count":NaN'),
        ('"count":24', '"count":24,,'),
        ('"count":24', '"count":' + "[" * 100_000),
        ('"count":24', '"count":1' + "0" * 30),
        ('"count":24', '"count":1' + "0" * 10_000),
        ('"alpha":1.0', '"alpha":1e999'),
        ('"name":"y"', '"name":"\\u0079"'),
    ):
        yield resigned_text(good.replace(old, new, 1).encode())
    yield resigned_text(good.encode().replace(b'"name":"y"', b'"name":"\xff"'))


def resigned_text(data: bytes) -> bytes:
    import hashlib

    body = data[: data.rindex(b'"sha256"')]
    return body + b'"sha256":"' + hashlib.sha256(body).hexdigest().encode() + b'"}\n'


def fields(value, path=()):
    """Yield the path of every field; of a list only its first entry and its last."""
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = [(i, value[i]) for i in sorted({0, len(value) - 1}) if value]
    else:
        return
    for key, inner in items:
        yield (*path, key)
        yield from fields(inner, (*path, key))


@pytest.mark.parametrize("odd_value", [{"odd": [{}]}, [[{}]]], ids=["object", "list"])
def test_every_field_of_every_kind_refuses_a_value_of_another_type(documents, odd_value):
    for name, document in documents.items():
        for path in fields({k: v for k, v in document.items() if k != "format"}):
            changed = json.loads(json.dumps(document))
            place = changed
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = odd_value
            if path != ("sha256",):
                assert "\n" not in str(refusal(signed(changed))), (name, path)


def test_the_files_that_are_broken_are_good(documents):
    for document in documents.values():
        assert file.to_bytes(from_data(signed(document)).to_dict()) == file.to_bytes(
            {k: v for k, v in document.items() if k not in ("format", "sha256")}
        )
