"""Run in a process of its own by test_hardening.py: load mutated model files whose checksum fits.

    python mutations.py SEED COUNT PLACE

Each case is refused with one line, or is the file that its model is written to and gives finite shares that
sum to 1 (a mean: finite numbers). More than a second of processor time for one case, or 512 MB more memory
than before the first one, ends the process. The number of the case stands in the file PLACE, so that the one
that ended it can be found. Prints JSON.
"""

from __future__ import annotations

import collections
import copy
import json
import os
import random
import resource
import signal
import sys
import warnings
from typing import Any

import numpy as np
from model_files import models, questions, signed

from tallystick.errors import ModelFileError
from tallystick.estimator.base import from_data

MEMORY = 512 << 20
VALUES = [
    0,
    1,
    -1,
    2,
    3,
    255,
    2**31,
    2**53,
    2**62,
    2**63 - 1,
    2**63,
    10**25,
    0.5,
    -0.0,
    1e-300,
    5e-324,
    1e15,
    1e300,
    -1e300,
    1.7e308,
    "",
    "x",
    "a",
    "0",
    "1",
    "-1",
    "9" * 400,
    "0.5",
    "\x00",
    "é",
    None,
    True,
    False,
    [],
    {},
    [0],
    [[]],
    {"a": 1},
]


def place_in(document: Any, chance: random.Random) -> tuple[Any, Any]:
    """Return a container somewhere inside a document, and a key or position in it."""
    inside: Any = {k: v for k, v in document.items() if k not in ("format", "sha256")}
    key = chance.choice(list(inside))
    inside = document
    while isinstance(inside[key], dict | list) and inside[key] and chance.random() < 0.85:
        inside = inside[key]
        key = chance.choice(list(inside)) if isinstance(inside, dict) else chance.randrange(len(inside))
    return inside, key


def near(value: Any, chance: random.Random) -> Any:
    """Return a value of the same type, close to the old one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + chance.choice([-1, 1, 10, -value, value, value * 10**6, 2**62])
    if isinstance(value, float):
        return value * chance.choice([0, -1, 2, 1e-9, 1e9, 1e150, 1e290]) + chance.choice([0, 1, -1])
    if isinstance(value, str):
        at = chance.randrange(len(value) + 1)
        return value[:at] + chance.choice(["", "0", "x", "-", ".", "9" * 30]) + value[at + 1 :]
    if isinstance(value, list):
        return chance.choice([value[:-1], value[1:], value * 2, value[::-1], sorted(value, key=str), [value]])
    if isinstance(value, dict):
        return dict(list(value.items())[:-1])
    return 0


def mutate(document: Any, others: list[Any], chance: random.Random) -> None:
    """Change one thing, or one thing everywhere in a part."""
    place, key = place_in(document, chance)
    way = chance.random()
    if way < 0.3:
        place[key] = near(place[key], chance)
    elif way < 0.55:
        place[key] = copy.deepcopy(chance.choice(VALUES))  # else a later change would change VALUES
    elif way < 0.65:
        other, far = place_in(document, chance)
        place[key], other[far] = json.loads(json.dumps([other[far], place[key]]))
    elif way < 0.75:
        del place[key]
    elif way < 0.85:
        scale(document, chance.choice([2, 10**9, 10**15, 10**18]))
    elif way < 0.95:
        name = chance.choice(list(document["parameters"]))
        values = [*VALUES, near(document["parameters"][name], chance)]
        document["parameters"][name] = copy.deepcopy(chance.choice(values))
    else:
        section = chance.choice(["model", "schema", "parameters", "rows"])
        document[section] = json.loads(json.dumps(chance.choice(others)[section]))


def scale(value: Any, factor: int) -> None:
    """Multiply the counts of a document: they still add up, so this goes further into the reader."""
    if isinstance(value, dict):
        for key in ("rows", "model"):
            if key in value:
                scale(value[key], factor)
        for key in ("count", "classes", "counts", "missing", "columns", "nodes"):
            if key in value:
                value[key] = scaled(value[key], factor)


def scaled(value: Any, factor: int) -> Any:
    if type(value) is int:
        return value * factor
    if isinstance(value, list):
        return [scaled(v, factor) for v in value]
    if isinstance(value, dict):
        return value | {k: scaled(v, factor) for k, v in value.items() if k in ("counts", "missing")}
    return value


def answers(model: Any, kept: dict[str, Any], schema: str) -> Any:
    """Return the shares or means of the questions; encoded rows are kept while the schema and the columns
    that the model asks for are the same.
    """
    schema += json.dumps([c.name for c in model._asked.used])
    if schema not in kept:
        if len(kept) > 50:
            kept.clear()
        kept[schema] = [m.block for m in model._blocks(questions(model.schema_))]
    if hasattr(model, "classes_"):
        return np.concatenate([model.model_.shares(block) for block in kept[schema]])
    if hasattr(model, "score_samples"):
        return model.score_samples(questions(model.schema_))
    return model.predict(questions(model.schema_))


def verdict(data: bytes, schema: str, kept: dict[str, Any]) -> str:
    """Return `refused`, `answered`, or what is wrong."""
    try:
        model = from_data(data)
        found = answers(model, kept, schema)
        if model.model_.kind == "decision-tree":
            assert model.model_.all_candidates is not None or not model.to_dict()["model"]["candidates"]
    except ModelFileError as error:
        return "refused" if "\n" not in str(error) else f"more than one line: {error}"
    if model.to_bytes() != data:
        return "written otherwise"
    if not np.isfinite(found).all():
        return f"not finite: {found.tolist()}"
    if found.ndim == 2 and ((found < 0).any() or abs(found.sum(axis=1) - 1).max() > 1e-9):
        return f"shares do not sum to 1: {found.tolist()}"
    return "answered"


def main() -> None:
    seed, count, place = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    warnings.simplefilter("ignore")
    originals = [json.loads(model.to_bytes()) for model in models().values()]
    kept: dict[str, Any] = {}
    for document in originals:  # everything is loaded before memory is measured
        assert verdict(signed(document), json.dumps(document["schema"]), kept) == "answered"
    texts = [json.dumps(document) for document in originals]
    size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()  # noqa: SIM115
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    mark = os.open(place, os.O_WRONLY | os.O_CREAT)
    tally: collections.Counter[str] = collections.Counter()
    wrong = []
    for case in range(seed, seed + count):
        os.pwrite(mark, f"{case:>20}".encode(), 0)
        chance = random.Random(case)
        document = json.loads(chance.choice(texts))
        try:
            for _ in range(chance.choice([1, 1, 1, 2, 3])):
                mutate(document, originals, chance)
            data, schema = signed(document), json.dumps(document.get("schema"))
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError):  # nothing left to change
            tally["skipped"] += 1
            continue
        signal.setitimer(signal.ITIMER_PROF, 1.0)  # nobody catches it: the process ends
        try:
            found = verdict(data, schema, kept)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        signal.setitimer(signal.ITIMER_PROF, 0)
        tally[found if found in ("refused", "answered") else "wrong"] += 1
        if found not in ("refused", "answered"):
            wrong.append(f"case {case}: {found[:300]}")
    print(json.dumps({"tally": tally, "wrong": wrong[:20]}))


if __name__ == "__main__":
    main()
