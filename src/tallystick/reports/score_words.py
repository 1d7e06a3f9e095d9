"""How good, in a sentence: right of a hundred beside the baseline; of a rare class what is found comes first.

Knows out-of-fold answers. Knows nothing of models or HTML.
Law: where one class is rare, the share of right answers never leads: always answering the other is right too.
"""

from __future__ import annotations

from tallystick.draw.text import between, class_words
from tallystick.reports.ingredients import Ingredients
from tallystick.reports.sentences import Name, Said, of_100, say

RARE = 0.2  # of an equal share: a class with less makes accuracy a poor guide


def is_rare(given: Ingredients) -> bool:
    """Say whether a class is so rare that right answers tell little."""
    classes = given.description.classes
    return min(p.rows for p in classes) < RARE * given.description.rows / len(given.labels)


def score_sentences(given: Ingredients) -> tuple[list[Said], list[Said]]:
    """Return the sentences that lead the answer, and those that end it."""
    right = [_right(given)]
    if not is_rare(given):
        return [], right
    return ([_found(given)], right) if len(given.labels) == 2 else ([], [*right, _found(given)])


def _right(given: Ingredients) -> Said:
    accuracy = given.chosen.result.measure("accuracy")
    return say(
        "Cross-validated, the model is right for {} (95 % interval: {}); always answering {} "
        "is right for {}.",
        of_100(accuracy.value),
        between(100 * accuracy.low, 100 * accuracy.high, ".0f"),
        Name(class_words(given.chosen.result.most_frequent)),
        of_100(accuracy.base or 0.0),
    )


def finds(given: Ingredients) -> dict[str, str]:
    """Return of the rarest class how many rows there are, are found, and are false alarms."""
    scores = given.chosen.result.scores
    c = given.labels.index(scores.positive)
    hits, answers = float(scores.confusion[c, c]), float(scores.confusion[:, c].sum())
    return {
        "label": class_words(scores.positive),
        "rows": f"{scores.confusion[c].sum():,.0f}",
        "found": f"{hits:,.0f}",
        "alarms": f"{answers - hits:,.0f}",
        "answers": f"{answers:,.0f}",
    }


def _found(given: Ingredients) -> Said:
    """Return what is found of the rarest class, with how many false alarms."""
    told = finds(given)
    if told["answers"] == "0":
        return say(
            "The model finds none of the {} rows that are {}: it never gives that answer.",
            told["rows"], Name(told["label"]),
        )  # fmt: skip
    many = "no" if told["alarms"] == "0" else told["alarms"]
    alarms = f"{many} false alarm{'' if told['alarms'] == '1' else 's'}"
    return say(
        "Of the {} rows that are {}, the model finds {}, with {} (cross-validated).",
        told["rows"], Name(told["label"]), told["found"], alarms,
    )  # fmt: skip
