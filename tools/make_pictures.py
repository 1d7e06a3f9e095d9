"""Make docs/pictures/: the pictures of docs/pictures.md, from the bundled tables.

python tools/make_pictures.py
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import tallystick as ts

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
EXAMPLES = resources.files("tallystick.examples")
IRIS, TENNIS, VOTES = (str(EXAMPLES / name) for name in ("iris.csv", "play-tennis.csv", "votes.csv"))


def two_species() -> list[dict[str, str]]:
    """Return the rows of the two species that overlap."""
    names, *lines = Path(IRIS).read_text(encoding="utf-8").splitlines()
    rows = [dict(zip(names.split(","), line.split(","), strict=True)) for line in lines]
    return [row for row in rows if row["species"] != "setosa"]


PICTURES = {
    "regions": lambda: ts.pictures.regions(IRIS, "species", methods=["tree", "bayes-gaussian", "logistic"]),
    "entropy": lambda: ts.pictures.entropy(9 / 14),
    "sigmoid": lambda: ts.pictures.sigmoid(two_species(), "species", "petal length"),
    "likelihood": lambda: ts.pictures.likelihood(two_species(), "species", "petal length", l2=0.5),
    "prior": lambda: ts.pictures.prior(VOTES, "party"),
    "shares": lambda: ts.pictures.shares(TENNIS, "Play"),
    "overfitting": lambda: ts.pictures.overfitting(VOTES, "party", model=ts.DecisionTree.id3()),
}


def main() -> None:
    """Write them all."""
    FOLDER.mkdir(exist_ok=True)
    for name, drawn in PICTURES.items():
        drawn().save(FOLDER / f"{name}.svg")


if __name__ == "__main__":
    main()
