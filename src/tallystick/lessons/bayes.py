"""Lessons on Bayes' rule and naive Bayes: counting, smoothing, words, numbers.

Data only; how a lesson is told: `telling.py`.
"""

from __future__ import annotations

from fractions import Fraction

from tallystick.lessons.telling import Find, Lesson, Typed, Worked

PLAIN = {"m": 0}
NO_PRIOR = {"m": 0, "priors": "none"}


def _disease(find: Find) -> object:
    from tallystick.explain.rule import bayes_rule

    return bayes_rule({"ill": 0.008, "well": 0.992}, {"ill": 0.98, "well": 0.03})


def _headache(find: Find) -> object:
    from tallystick.explain.rule import bayes_rule

    return bayes_rule({"flu": Fraction(1, 40)}, {"flu": Fraction(1, 2)}, evidence=Fraction(1, 10))["flu"]


def _shooters(find: Find) -> object:
    from tallystick.explain.rule import bayes_rule

    hit = Fraction(8, 10)  # 1 - 4/10 * 5/10: not both miss
    return bayes_rule({"first hits": Fraction(6, 10)}, {"first hits": 1}, evidence=hit)["first hits"]


def _coins(find: Find) -> object:
    from tallystick.explain.rule import bayes_rule

    after = bayes_rule(
        {"fair": Fraction(1, 2), "two heads": Fraction(1, 2)}, {"fair": Fraction(1, 2), "two heads": 1}
    )
    return after.predict({"fair": Fraction(1, 2), "two heads": 1})


RULE = Lesson(
    name="bayes-rule",
    title="Bayes' rule, four times",
    question="A test finds 98 of 100 who are ill and wrongly 3 of 100 who are well; 8 of 1,000 are "
    "ill. The test says ill. How probable is it? Guess before you read on.",
    tables=(),
    steps=(
        Typed(
            """
            import tallystick as ts
            print(ts.bayes_rule({"ill": 0.008, "well": 0.992}, {"ill": 0.98, "well": 0.03}))
            """,
            _disease,
        ),
        Typed(
            """
            from fractions import Fraction as F
            print(ts.bayes_rule({"flu": F(1, 40)}, {"flu": F(1, 2)}, evidence=F(1, 10))["flu"])
            """,
            _headache,
            "One in ten has a headache, one in forty the flu, and half of those a headache. You have a "
            "headache: how probable is the flu?",
        ),
        Typed(
            """
            print(ts.bayes_rule({"first hits": F(6, 10)}, {"first hits": 1}, evidence=F(8, 10))["first hits"])
            """,
            _shooters,
            "Two shooters hit with 0.6 and 0.5. The target is hit, which happens with 1 − 0.4 · 0.5 = "
            "0.8. Did the first one hit it?",
        ),
        Typed(
            """
            half = {"fair": F(1, 2), "two heads": F(1, 2)}
            head = {"fair": F(1, 2), "two heads": 1}
            print(ts.bayes_rule(half, head).predict(head))
            """,
            _coins,
            "One of two coins has heads on both sides. You take one, and it shows a head. How probable "
            "is a second head? (Of the fair coin it would be 1/2.)",
        ),
    ),
    notice=(
        "The test is right 98 times in 100, and yet P(ill | it says so) is 0.2085: nearly all who are "
        "tested are well, and 3 of 100 of those are many more than 98 of 100 of the few.",
        "With fractions in, fractions come out: 1/8, 3/4 and 5/6 are exact.",
        "The first head changes what is believed of the coin, from 1/2 to 2/3 for the false one, and "
        "so what is expected of the next throw: 2/3 · 1 + 1/3 · 1/2 = 5/6.",
    ),
    change="Test twice, the second test not depending on the first: the posterior of the first is the "
    "prior of the second. How probable is it to be ill when both say so?",
)

COUNTING = Lesson(
    name="counting",
    title="Naive Bayes by counting",
    question="Ten rows, four yes-or-no columns, and a class. Count in each class how often each column "
    "is 1. Which class would you say a row 0 0 1 1 has, and why? What if something was never "
    "seen?",
    tables=("ten-rows.csv",),
    steps=(
        Worked(
            "ten-rows.csv",
            "y",
            method="bayes",
            row={"f1": "0", "f2": "0", "f3": "1", "f4": "1"},
            settings=NO_PRIOR,
        ),
        Worked("ten-rows.csv", "y", only=("Node 0",), words="A tree on the same rows begins with f1:"),
    ),
    notice=(
        "R_j(1, 1) is 1/5, 1/5, 4/5, 2/5 and R_j(1, 0) is 5/5, 2/5, 1/5, 4/5: everything that naive "
        "Bayes learns.",
        "The product for class 1 is 0.2048. For class 0 it is 0, exactly: no row of class 0 has f1 = "
        "0, and one zero silences all that the other columns say.",
        "The Laplace correction counts every value once more: R_1(0, 0) is 1/7 instead of 0. Then it "
        "is 0.15618 against 0.01666, still class 1, but no longer beyond doubt.",
        "A column votes by the logarithm of its odds: the sign says for which class, the size how much.",
    ),
    change="Leave the correction on and take the shares of the classes into account. Does the answer change?",
    then="tally work ten-rows.csv --target y --model bayes --row f1=0 --row f2=0 --row f3=1 --row f4=1",
    picture=("shares", {"table": "ten-rows.csv", "target": "y"}),
    pictured="the R table, with the Laplace correction",
)

TWO_WAYS = Lesson(
    name="two-ways",
    title="Five rows, two methods",
    question="Five rows of three yes-or-no columns. Grow a tree and fill in the table of naive Bayes. "
    "Do they agree on 0 0 0 and on 0 1 1, two rows that nobody has seen?",
    tables=("five-rows.csv",),
    steps=(
        Worked(
            "five-rows.csv",
            "y",
            row={"A1": "0", "A2": "1", "A3": "1"},
            only=("The table", "Node 0", "Node 2", "The tree", "The expression", "A row"),
        ),
        Worked(
            "five-rows.csv",
            "y",
            method="bayes",
            row={"A1": "0", "A2": "0", "A3": "0"},
            settings=PLAIN,
            words="Naive Bayes, for 0 0 0:",
        ),
        Worked(
            "five-rows.csv",
            "y",
            method="bayes",
            row={"A1": "0", "A2": "1", "A3": "1"},
            settings=PLAIN,
            only=("The row",),
            words="And for 0 1 1:",
        ),
    ),
    notice=(
        "The gains are 0.1710, 0.4200 and 0.0200: A2 first, then A1. The tree says 0 to both rows.",
        "Without the correction class 1 has a zero in both products, 4/27 and 1/27 stand against it "
        "(4/45 and 1/45 with the prior).",
        "With it, 0 1 1 is a close call: 0.09375 against 0.064 speaks for 1, but class 0 has 3 rows of "
        "5, and with the prior it is 0.0375 against 0.0384: class 0. The prior can decide.",
    ),
    change="Leave the prior out. Which of the two rows changes its class?",
    then="tally work five-rows.csv --target y --model bayes --row A1=0 --row A2=1 --row A3=1 --set "
    "priors=none",
)

TENNIS_BAYES = Lesson(
    name="bayes",
    title="Naive Bayes: shall we play tennis?",
    question="Sunny, cool, humid, a strong wind. No day of the table is like that. What do the "
    "fourteen days say about it all the same?",
    tables=("play-tennis.csv",),
    steps=(
        Worked(
            "play-tennis.csv",
            "Play",
            method="bayes",
            row={"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"},
            settings=PLAIN,
        ),
    ),
    notice=(
        "Without correction Yes has 0.005291 and No 0.020571; together they must be 1, so P(No) is 0.7954.",
        "Each column is counted by itself, as if the others told nothing about it. That is naive, and "
        "it is why 14 rows are enough to say something of a day that was never seen.",
        "Overcast never occurs with No: 0 of 5. With a row that is overcast the whole product for No is 0.",
    ),
    change="Ask about an overcast day. What does the correction change?",
    then="tally work play-tennis.csv --target Play --model bayes --row Outlook=Overcast --row "
    "Temperature=Cool --row Humidity=High --row Wind=Strong",
    picture=("shares", {"table": "play-tennis.csv", "target": "Play"}),
    pictured="the R table of the fourteen days, with the Laplace correction",
)

M_ESTIMATE = Lesson(
    name="m-estimate",
    title="Enjoy sport, and the m-estimate",
    question="Five days. No day was sunny, with warm water and a forecast of change, neither one that "
    "was enjoyed nor one that was not. How can there be an answer? And how much should a "
    "count of nothing weigh?",
    tables=("enjoy-sport.csv", "sky.csv"),
    steps=(
        Worked(
            "enjoy-sport.csv",
            "Enjoy",
            method="bayes",
            row={"Sky": "Sunny", "Water": "Warm", "Forecast": "Change"},
            settings=PLAIN,
        ),
        Worked(
            "sky.csv",
            "Enjoy",
            method="bayes",
            row={"Sky": "Sunny"},
            settings=PLAIN,
            words="One column alone, which needs no assumption at all:",
        ),
    ),
    notice=(
        "Counted together both classes have 0 rows: joint counts know nothing. Counted column by "
        "column it is 0.1 for Yes and 0.088889 for No. That is what the assumption of independence "
        "buys.",
        "The m-estimate is (count + m·p) / (rows + m): m imagined rows with the share p. m = 0 is "
        "counting, m = k and p = 1/k for a column of k values is the Laplace correction.",
        "With the correction the answer turns: 0.0864 for No against 0.075 for Yes. Five rows do not say "
        "much, and how much is imagined decides.",
        "Sunny alone: 1/2 · 2/5 = 0.2 for Yes, 2/3 · 3/5 = 0.4 for No.",
    ),
    change="Imagine ten rows in every column. What happens to the answer, and why does it go towards "
    "the prior?",
    then="tally work enjoy-sport.csv --target Enjoy --model bayes --row Sky=Sunny --row Water=Warm "
    "--row Forecast=Change --set m=10",
)


def _long(find: Find) -> object:
    from tallystick.estimators import NaiveBayes

    model = NaiveBayes(kinds={"text": "text"}).fit(find("countries.csv"), "class")
    return model.predict_proba([{"text": "Tokyo Beijing Shanghai " * 2000}])[0].round(6).tolist()


WORDS = Lesson(
    name="words",
    title="Text by counting words",
    question="Four short texts, three about China, one about Japan. What is a text about that says "
    "Chinese three times, and Tokyo and Japan once each?",
    tables=("countries.csv",),
    steps=(
        Worked(
            "countries.csv",
            "class",
            method="bayes",
            row={"text": "Chinese Chinese Chinese Tokyo Japan"},
            settings={"kinds": {"text": "text"}},
        ),
        Worked(
            "countries.csv",
            "class",
            method="bayes",
            row={"text": "Japan Macao Macao"},
            settings={"kinds": {"text": "text"}},
            only=("The row",),
            words="And this one?",
        ),
        Typed(
            """
            import tallystick as ts
            model = ts.NaiveBayes(kinds={"text": "text"}).fit("countries.csv", "class")
            print(model.predict_proba([{"text": "Tokyo Beijing Shanghai " * 2000}])[0].round(6).tolist())
            """,
            _long,
            "A text of 6,000 words, whose product is less than any number a computer has:",
        ),
    ),
    notice=(
        "P(Chinese | c) is 6/14 and P(Chinese | j) 2/9: the word is frequent in both, and three of "
        "them still win against one Tokyo and one Japan, 0.00030121 against 0.00013548: c with 0.6898.",
        "The second text is c too, 0.6145: Macao was never seen with j, but with one more of "
        "everything its share there is 1/9, not 0.",
        "The words of a text are multiplied as if they came by themselves. Products of a thousand "
        "shares are 0 to a computer: it adds logarithms.",
    ),
    change="Leave one Chinese out of the first text. Is it still about China?",
    then="tally work countries.csv --target class --model bayes --kind text=text --row 'text=Chinese "
    "Chinese Tokyo Japan'",
)


def _same_shares(find: Find) -> object:
    from tallystick.estimators import NaiveBayes

    model = NaiveBayes(distributions="gaussian", share="classes").fit(find("fish.csv"), "fish")
    return model.to_logistic()


GAUSSIAN = Lesson(
    name="gaussian",
    title="Numbers: Gaussian naive Bayes, and the line inside it",
    question="Ten fish, how long and how heavy. A length of 65 was never measured, so there is nothing "
    "to count. How can naive Bayes answer? And what does its border look like?",
    tables=("fish.csv",),
    steps=(
        Worked("fish.csv", "fish", method="bayes-gaussian", row={"length": "65", "weight": "27"}),
        Typed(
            """
            import tallystick as ts
            model = ts.NaiveBayes(distributions="gaussian", share="classes").fit("fish.csv", "fish")
            print(model.to_logistic())
            """,
            _same_shares,
            "With one variance for both classes the squares cancel, and what is left is a logistic "
            "regression:",
        ),
    ),
    notice=(
        "Two numbers a class and column, mean and variance, stand for all lengths there can be: 4n + 1 "
        "numbers for n columns. With a variance that the classes share it is 3n + 1, in the form of a "
        "logistic regression n + 1.",
        "Variances that differ bend the border (a parabola, an ellipse); a shared one makes it straight.",
        "The logistic form gives the same probabilities to the last digit. Logistic regression itself "
        "would choose other weights: it does not ask how the lengths are distributed.",
    ),
    change="Let both classes share a variance in the working too.",
    then="tally work fish.csv --target fish --model bayes-gaussian-shared --row length=65 --row weight=27",
    picture=(
        "regions",
        {
            "table": "fish.csv",
            "target": "fish",
            "methods": ("bayes-gaussian", "bayes-gaussian-shared", "logistic"),
        },
    ),
    pictured="a bent border, a straight one, and that of logistic regression",
)

BAYES = (RULE, COUNTING, TWO_WAYS, TENNIS_BAYES, M_ESTIMATE, WORDS, GAUSSIAN)
