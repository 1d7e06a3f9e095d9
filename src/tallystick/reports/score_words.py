"""How good, in a sentence: right of a hundred beside the baseline; of a rare class what is found comes first.

Knows out-of-fold answers. Knows nothing of models or HTML.
Law: where one class is rare, the share of right answers never leads: always answering the other is right too.
What leads is which rows the model puts first; of two classes, what is found and missed is always said.
"""

from __future__ import annotations

from tallystick.draw.text import class_words, measured_percent
from tallystick.evaluate.result import RARE
from tallystick.reports.ingredients import Ingredients
from tallystick.reports.sentences import Name, Said, of_100, percent, say


def is_rare(given: Ingredients) -> bool:
    """Say whether a class is so rare that right answers tell little."""
    classes = given.description.classes
    return min(p.rows for p in classes) < RARE * given.description.rows / len(given.labels)


def score_sentences(given: Ingredients) -> tuple[list[Said], list[Said]]:
    """Return the sentences that lead the answer, and those that end it."""
    right = [_right(given)]
    if len(given.labels) > 2:
        return [], [*right, _found(given)] if is_rare(given) else right
    return ([_ranked(given), _found(given)], right) if is_rare(given) else ([], [*right, _found(given)])


def _ranked(given: Ingredients) -> Said:
    """Return how much of the rarer class stands in the tenth of the rows that the model puts first."""
    scores = given.chosen.result.scores
    lift = scores.curves["top_tenth"]["lift"]
    label = Name(class_words(scores.positive))
    return say(
        "The 10 % of rows with the highest probability of {} hold {} of those that are {}, {} times as "
        "many as 10 % taken at random (cross-validated).",
        label, percent(0.1 * lift, 0), label, f"{lift:.1f}",
    )  # fmt: skip


def _right(given: Ingredients) -> Said:
    accuracy = given.chosen.result.measure("accuracy")
    told, ends = measured_percent(accuracy.value, accuracy.low, accuracy.high, 0)
    return say(
        "Cross-validated, the model is right for {} (95 % interval: {}); always answering {} "
        "is right for {}.",
        f"{told} of 100" if "." in told else of_100(accuracy.value),
        ends,
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
        "missed": f"{scores.confusion[c].sum() - hits:,.0f}",
        "missed_share": percent(1 - hits / max(float(scores.confusion[c].sum()), 1e-300), 0),
        "alarms": f"{answers - hits:,.0f}",
        "answers": f"{answers:,.0f}",
    }


def _found(given: Ingredients) -> Said:
    """Return what is found of the rarest class, with how many false alarms."""
    told = finds(given)
    if told["answers"] == "0":
        return say(
            "The model finds none of the {} rows that are {}: it never gives that answer (cross-validated).",
            told["rows"], Name(told["label"]),
        )  # fmt: skip
    many = "no" if told["alarms"] == "0" else told["alarms"]
    alarms = f"{many} false alarm{'' if told['alarms'] == '1' else 's'}"
    found = "none" if told["found"] == "0" else told["found"]
    return say(
        "Of the {} rows that are {}, the model finds {} and misses {} ({}), with {} (cross-validated).",
        told["rows"], Name(told["label"]), found, told["missed"], told["missed_share"], alarms,
    )  # fmt: skip
