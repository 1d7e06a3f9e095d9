"""The best tree of a depth beside the peers that search for it: errors, and processor seconds.

    TALLYSTICK_DATA=... python benchmarks/optimal.py [depth ...] [set ...]

Numeric columns with 0 for missing, since that is all the peers take; the same objective, fewest training
errors. ConTree (pycontree) and its Rust form (pytrees-rs) cut numbers as we do; STreeD (pystreed) and DL8.5
(pytrees-rs) take yes-or-no columns, so they get one for every cut, where there are at most 500. Each search
has a limit of seconds; one that was cut off counts with the time it took. Ours tells besides what is proven.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from turns import ROUNDS, Figure

import tallystick as ts

SETS = {  # file, and its target where that is not the last column
    "iris": ("iris/iris", None),
    "wine": ("wine/wine", "class"),
    "glass": ("glass/glass", None),
    "ecoli": ("ecoli/ecoli", None),
    "haberman": ("haberman/haberman", None),
    "liver": ("liver-disorders/bupa", None),
    "balance": ("balance-scale/balance.scale", None),
    "wisconsin": ("breast-cancer-wisconsin/breast.w", None),
    "pima": ("pima-diabetes/diabetes", None),
    "ionosphere": ("ionosphere/ionosphere", None),
    "sonar": ("sonar/sonar", None),
    "vehicle": ("vehicle/vehicle", None),
    "segment": ("segment/segment", None),
    "page-blocks": ("page-blocks/page.blocks", None),
    "spambase": ("spambase/spambase", None),
    "covertype": ("covertype/covtype", None),
}
LARGE = {"page-blocks", "spambase", "covertype", "segment", "vehicle", "ionosphere", "sonar", "pima"}
LIMIT = float(os.environ.get("SECONDS", "60"))
MOST_CUTS = 500  # yes-or-no columns: more take the binary peers hours

Numbers = tuple[pd.DataFrame, np.ndarray]
Peer = Callable[[pd.DataFrame, np.ndarray, int], int]  # errors


def read(name: str) -> Numbers:
    """Return the numeric columns and the classes of a set."""
    file, target = SETS[name]
    frame = pd.read_csv(Path(os.environ["TALLYSTICK_DATA"], f"{file}.csv.gz"), na_values=["?"])
    classes = frame.pop(target or frame.columns[-1]).astype(str)
    return frame.select_dtypes("number").fillna(0), pd.factorize(classes, sort=True)[0]


def ours(frame: pd.DataFrame, classes: np.ndarray, depth: int) -> tuple[int, bool]:
    """Return the errors of our tree, and whether they are proven."""
    kinds = dict.fromkeys(frame, "numeric")
    tree = ts.OptimalTree(max_depth=depth, max_work=None, seconds=LIMIT, kinds=kinds)
    proof = tree.fit(frame, classes).certificate_
    return int(proof.loss), proof.proven


def contree(frame: pd.DataFrame, classes: np.ndarray, depth: int) -> int:
    """ConTree, in C++."""
    from pycontree import ConTree

    model = ConTree(max_depth=depth, time_limit=LIMIT)
    model.fit(frame.to_numpy(float), classes)
    return int((np.asarray(model.predict(frame.to_numpy(float))) != classes).sum())


def contree_rust(frame: pd.DataFrame, classes: np.ndarray, depth: int) -> int:
    """ConTree, in Rust."""
    from pytrees import ConTreeClassifier

    model = ConTreeClassifier(max_depth=depth, max_time=LIMIT)
    model.fit(frame.to_numpy(float), classes)
    return int((np.asarray(model.predict(frame.to_numpy(float))) != classes).sum())


def cuts_of(frame: pd.DataFrame) -> np.ndarray:
    """Return a yes-or-no column for every cut of every number."""
    out = []
    for name in frame:
        values = np.unique(frame[name])
        out += [frame[name].to_numpy() < cut for cut in (values[1:] + values[:-1]) / 2]
    return np.array(out).T.astype(np.int32)


def streed(frame: pd.DataFrame, classes: np.ndarray, depth: int) -> int:
    """STreeD on yes-or-no columns."""
    from pystreed import STreeDClassifier

    cells = cuts_of(frame)
    model = STreeDClassifier(max_depth=depth, time_limit=LIMIT, max_num_binary_features=None)
    model.fit(cells, classes)
    return int((np.asarray(model.predict(cells)) != classes).sum())


def dl85(frame: pd.DataFrame, classes: np.ndarray, depth: int) -> int:
    """DL8.5 on yes-or-no columns."""
    from pytrees import DL85Classifier

    cells = cuts_of(frame)
    model = DL85Classifier(max_depth=depth, max_time=LIMIT)
    model.fit(cells, classes)
    return int((np.asarray(model.predict(cells)) != classes).sum())


PEERS: dict[str, Peer] = {"ConTree": contree, "ConTree, Rust": contree_rust, "STreeD": streed, "DL8.5": dl85}
BINARY = {"STreeD", "DL8.5"}


def measured(name: str, depth: int) -> Iterator[tuple[str, int | None, float, bool]]:
    """Yield who searched, the errors, the processor seconds, and whether the errors are proven."""
    frame, classes = read(name)
    cuts = sum(frame[c].nunique() - 1 for c in frame)
    started = time.process_time()
    errors, proven = ours(frame, classes, depth)
    yield "Tallystick", errors, time.process_time() - started, proven
    for peer, run in PEERS.items():
        if peer in BINARY and cuts > MOST_CUTS:
            continue
        started = time.process_time()
        try:
            found: int | None = run(frame, classes, depth)
        except Exception as error:
            print(f"{name}: {peer}: {type(error).__name__}: {error}", flush=True)
            found = None
        seconds = time.process_time() - started
        yield peer, found, seconds, found is not None and seconds < LIMIT


def compared(depths: list[int], names: list[str]) -> dict[str, Any]:
    """Print a line a search; return the sums over the searches that a peer did too, and the differences."""
    total: dict[str, tuple[float, float]] = {}
    differ = 0
    list(measured("iris", 1))  # whatever is loaded when it is first used
    for depth in depths:
        for name in names:
            ours_at: tuple[int, float, bool] | None = None
            for who, errors, seconds, sure in measured(name, depth):
                line = f"depth {depth}  {name:12} {who:14} {errors!s:>7} {seconds:8.2f} s"
                print(line if sure else f"{line}  cut off", flush=True)
                if ours_at is None:
                    ours_at = (errors or 0, seconds, sure)
                    continue
                mine, theirs = total.get(who, (0.0, 0.0))
                total[who] = (mine + ours_at[1], theirs + seconds)
                differ += sure and errors is not None and ours_at[2] and errors < ours_at[0]
    return {"total": total, "differ": differ}


def figures() -> list[tuple[str, float]]:
    """Return the figures of `make bench`: depths 2 and 3 of all sets but Covertype, 4 of the small ones."""
    warnings.simplefilter("ignore")
    rounds = [one_round() for _ in range(ROUNDS)]
    return [
        ("depths 2 to 4: x faster than the fastest peer", Figure(fastest for fastest, _ in rounds)),
        ("peers with fewer errors than are proven", float(max(lower for _, lower in rounds))),
    ]


def one_round() -> tuple[float, int]:
    """Return the time of the fastest peer in ours, and how many found fewer errors than are proven."""
    every = [name for name in SETS if name != "covertype"]
    found = [compared([2, 3], every), compared([4], [name for name in every if name not in LARGE])]
    times: dict[str, tuple[float, float]] = {}
    for part in found:
        for who, (mine, theirs) in part["total"].items():
            a, b = times.get(who, (0.0, 0.0))
            times[who] = (a + mine, b + theirs)
    fastest = min(theirs / mine for who, (mine, theirs) in times.items() if who not in BINARY)
    return fastest, sum(part["differ"] for part in found)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    given = sys.argv[1:]
    wanted = [int(a) for a in given if a.isdigit()] or [2, 3]
    print(compared(wanted, [a for a in given if not a.isdigit()] or list(SETS)))
