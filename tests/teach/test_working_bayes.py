import pytest

import tallystick as ts

TEXTS = [{"t": t, "y": y} for t, y in (("red blue", 0), ("blue", 1), ("green red", 1), ("red", 0))]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"calibrate": True}, "Leave calibrate= out"),
        ({"words": "tf-idf"}, "reads tf-idf weights"),
        ({"distributions": "complement"}, "reads the other classes' words"),
    ],
)
@pytest.mark.filterwarnings("ignore::tallystick.TallyWarning")
def test_what_is_not_counted_is_refused(settings, words):
    with pytest.raises(ts.TallyError, match=words):
        ts.work(TEXTS * 3, "y", method="bayes", kinds={"t": "text"}, **settings)


def test_the_correction_is_told_as_it_is(tennis):
    assert (
        "Corrected: (count + 1)/(rows + 3), one case more for each"
        in ts.work(tennis, "Play", method="bayes").text()
    )
    assert "(count + 0.5)/(rows + 1.5)" in ts.work(tennis, "Play", method="bayes", alpha=0.5).text()


def test_poisson_columns_have_a_rate():
    rows = [{"n": n, "y": y} for n, y in ((0, 0), (1, 0), (5, 1), (7, 1))]
    text = ts.work(rows, "y", method="bayes", distributions={"n": "poisson"}, row={"n": 3}).text()
    assert "probability of x = (rate^x·e^(−rate))/x!" in text


def test_missing_values_are_counted():
    rows = [{"a": a, "y": y} for a, y in (("x", 0), (None, 0), ("z", 1), ("x", 1))]
    assert "Without a value, and not counted, 0: 1, 1: 0." in ts.work(rows, "y", method="bayes").text()
