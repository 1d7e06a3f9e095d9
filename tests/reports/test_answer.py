"""What decides the target, in sentences whose numbers are counted from the rows."""

from __future__ import annotations

from tallystick.evaluate.measures import Measure
from tallystick.reports.answer import ValueGroup, alone, alone_sentence, answer, score_sentence, tells

ACCURACY = Measure("accuracy", 0.9, 0.8, 0.95, "wilson", 0.5)


def test_the_last_sentence_sets_the_score_beside_always_answering_one_class(given):
    said = str(score_sentence(given("tree").table, ACCURACY))
    assert said == (
        "Cross-validated, the model is right for 90 of 100 (95 % interval: 80 to 95); "
        "always answering yes is right for 50 of 100."
    )


def test_without_a_model_the_answer_is_that_there_is_none(given):
    first, _ = answer(None, given("tree").table, (), ACCURACY)
    assert str(first) == "No method predicts play better than always answering the most frequent class."


def test_groups_of_one_column_are_its_levels_and_missing(given):
    found = given("tree")
    groups = alone(found.table, found.description["wind"])
    assert [(g.words, g.rows) for g in groups] == [("strong", 27), ("weak", 30), ("missing", 3)]
    sides = alone(found.table, found.description["temp"])
    assert [g.words.split()[0] for g in sides] == ["<", "≥"]
    assert sum(g.rows for g in sides) == 60


def test_one_column_tells_the_target_where_it_gains_most_of_what_the_model_gains():
    sure, unsure = (
        [ValueGroup("a", (9, 1)), ValueGroup("b", (1, 9))],
        [ValueGroup("a", (6, 4)), ValueGroup("b", (5, 5))],
    )
    assert tells(sure, 0.5, 0.9)
    assert not tells(unsure, 0.5, 0.9)
    assert not tells(sure, 0.5, 0.5)
    assert not tells([], 0.5, 0.9)


def test_what_one_column_tells_is_said_with_its_groups(given):
    said = str(
        alone_sentence(
            given("tree").table, "wind", [ValueGroup("weak", (1, 9)), ValueGroup("strong", (10, 0))]
        )
    )
    assert said.startswith("One column, wind, predicts play correctly for about 95 of 100 rows.")


def test_every_method_has_something_to_say(given):
    for method in ("tree", "bayes", "logistic", "card"):
        found = given(method)
        sentences = answer(found.model, found.table, found.description.columns, ACCURACY)
        assert len(sentences) >= 2
        assert "wind" in " ".join(map(str, sentences))
