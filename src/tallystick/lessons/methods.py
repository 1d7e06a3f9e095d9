"""Lessons on methods side by side: logistic regression, averaging, votes, curves, text, independence.

Data only; how a lesson is told: `telling.py`.
"""

from __future__ import annotations

import csv

from tallystick.lessons.telling import Find, Lesson, Typed, Worked


def _solvers(find: Find) -> str:
    from tallystick.estimators import LogisticRegression

    lines = []
    for solver in ("gradient", "conjugate-gradient", "newton"):
        model = LogisticRegression(l2=0, solver=solver).fit(find("hours.csv"), "passed")
        lines.append(f"{solver} {model.intercept_[0]:.6f} {model.coef_[0, 0]:.6f}")
    return "\n".join(lines)


def _separable(find: Find) -> object:
    from tallystick.explain.separating_plane import separable

    rows = [{"hours": h, "passed": h > 2} for h in range(5)]
    return separable(rows, "passed")


LOGISTIC = Lesson(
    name="logistic",
    title="Logistic regression: climbing to the likelihood's top",
    question="Ten students, how many hours each studied, and who passed. What is the probability of "
    "passing after two hours? Nobody can count it: only one student studied two hours.",
    tables=("hours.csv",),
    steps=(
        Worked("hours.csv", "passed", method="logistic-ml", row={"hours": "2"}),
        Typed(
            """
            import tallystick as ts
            for solver in ("gradient", "conjugate-gradient", "newton"):
                model = ts.LogisticRegression(l2=0, solver=solver).fit("hours.csv", "passed")
                print(f"{solver} {model.intercept_[0]:.6f} {model.coef_[0, 0]:.6f}")
            """,
            _solvers,
            "Three ways up the same hill:",
        ),
        Typed(
            """
            print(ts.separable([{"hours": h, "passed": h > 2} for h in range(5)], "passed"))
            """,
            _separable,
            "If everybody below some hour failed and everybody above it passed, there is no top:",
        ),
    ),
    notice=(
        "The score is a straight line, w0 + w·hours; the probability is that line bent into an S.",
        "The gradient is a sum over the rows of what was missed, y − P(1 | x), times x. At the top all of it "
        "cancels out.",
        "The log-likelihood has one top, so every way up ends in the same place: gradient ascent in "
        "many small steps, conjugate gradients in fewer, Newton's in a handful.",
        "Classes that a line separates have no best weights: the steeper the S, the likelier the rows, "
        "without an end. That is said, and a prior (λ = 1/κ², on all weights but w0) gives an end.",
        "n + 1 numbers for n columns and two classes; for more classes as many for each of them but "
        "the last.",
    ),
    change="Add a prior. What happens to the weight, and to the probability of passing after two hours?",
    then="tally fit hours.csv --target passed --model logistic --set l2=1 --folds 0",
    picture=("likelihood", {"table": "hours.csv", "target": "passed"}),
    pictured="the likelihood over the two weights, and the steps of gradient ascent",
)

DAY = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}


def _averaged(find: Find) -> object:
    from tallystick.estimators import DecisionTree
    from tallystick.lessons.prunings import all_prunings

    tree = DecisionTree(level_splits="each").fit(find("play-tennis.csv"), "Play")
    return all_prunings(tree, DAY, "No")


OPTIMAL_BAYES = Lesson(
    name="optimal-bayes",
    title="The most probable answer is not that of the most probable tree",
    question="Fourteen days do not prove any one tree. Instead of choosing one, ask all prunings of "
    "the grown tree, each weighted by how probable the rows make it. What do they say "
    "together?",
    tables=("play-tennis.csv",),
    steps=(
        Typed(
            """
            import tallystick as ts
            from tallystick.lessons.prunings import all_prunings
            tree = ts.DecisionTree(level_splits="each").fit("play-tennis.csv", "Play")
            day = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
            print(all_prunings(tree, day, "No"))
            """,
            _averaged,
        ),
    ),
    notice=(
        "A pruning's probability is its prior times its evidence, over the sum of all: Bayes' rule, "
        "with trees for hypotheses.",
        "The answer is the sum over prunings of probability times share, and no single pruning gives it.",
        "There may be more prunings than atoms in the universe. A recursion that weighs each node "
        "against the leaf that would replace it finds the same sum in one pass: the two last lines "
        "agree.",
    ),
    change="Print the tree. It shows the most probable pruning, and says how probable that is.",
    then="tally fit play-tennis.csv --target Play --model tree --set level_splits=each",
)


def _complete(find: Find) -> str:
    from tallystick.estimators import NaiveBayes

    with open(find("votes.csv"), encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if "?" not in row.values()]
    return f"{len(rows)}\n{NaiveBayes().fit(rows, 'party').votes('republican')}"


def _judged(find: Find) -> str:
    from tallystick.estimators import DecisionTree, NaiveBayes
    from tallystick.evaluate import cross_validate

    models = DecisionTree(min_samples_split=20), NaiveBayes()
    judged = [(model, cross_validate(model, find("votes.csv"), "party")) for model in models]
    return "\n".join(f"{model} {found.accuracy:.2f}" for model, found in judged)


VOTES = Lesson(
    name="votes",
    title="Sixteen votes, two parties",
    question="How 435 members of the House voted on sixteen bills in 1984. Can their party be told "
    "from the votes? Which bill tells it best? 392 votes are missing.",
    tables=("votes.csv",),
    steps=(
        Worked(
            "votes.csv",
            "party",
            only=("All columns",),
            settings={"min_samples_split": 20},
            words="A table of this size is worked out at its root. What every bill tells about the party:",
        ),
        Typed(
            """
            import csv, pathlib, tallystick as ts
            lines = pathlib.Path("votes.csv").read_text().splitlines()
            rows = [row for row in csv.DictReader(lines) if "?" not in row.values()]
            print(len(rows), ts.NaiveBayes().fit(rows, "party").votes("republican"), sep="\\n")
            """,
            _complete,
            "How much a yes speaks for a republican, in log-odds, counted on the rows that miss no vote:",
        ),
        Typed(
            """
            for model in (ts.DecisionTree(min_samples_split=20), ts.NaiveBayes()):
                print(f"{model} {ts.cross_validate(model, 'votes.csv', 'party').accuracy:.2f}")
            """,
            _judged,
            "Ten folds, each answered by a model that has not seen it:",
        ),
    ),
    notice=(
        "One bill, physician-fee-freeze, speaks with +6.82 for a yes: e^6.82 is odds of 900 to 1. A "
        "tree of that one question is right in about 95 of 100 cases.",
        "Naive Bayes uses all sixteen and is right in about 90: the votes hang together within a party "
        "too, and the same evidence is counted many times.",
        "Two bills, immigration (+0.17) and water-project-cost-sharing (+0.08), tell nothing.",
    ),
    change="Let a tree grow until nothing is left to split. Does it do better on rows it has not seen?",
    then="tally draw overfitting votes.csv --target party",
    picture=("overfitting", {"table": "votes.csv", "target": "party"}),
    pictured="errors of every pruning of the full tree",
)


def _curve(find: Find) -> object:
    from tallystick.estimators.judging import learning_curve

    return learning_curve(
        find("votes.csv"), "party", methods=["bayes", "logistic-ml"], sizes=[10, 20, 50, 100, 200], repeats=20
    )


def independent_rows() -> list[dict[str, int]]:
    """Return rows whose columns tell nothing of each other once the class is known: each is the class in 3
    of 4 rows, every combination as often as that says.
    """
    rows = []
    for y in (0, 1):
        for code in range(64):
            bits = [code >> (2 * k) & 3 for k in range(3)]  # 0 of four: the column is wrong
            rows.append({f"x{k + 1}": y if b else 1 - y for k, b in enumerate(bits)} | {"y": y})
    return rows


def _meeting(find: Find) -> object:
    from tallystick.estimators.judging import learning_curve

    return learning_curve(
        independent_rows() * 20, "y", methods=["bayes", "logistic-ml"], sizes=[30, 1600], repeats=20
    )


GENERATIVE = Lesson(
    name="generative",
    title="Generative against discriminative",
    question="Naive Bayes learns how each class looks; logistic regression learns only where one ends "
    "and the other begins. Which needs fewer rows? Which is better in the end?",
    tables=("votes.csv", "iris.csv"),
    steps=(
        Typed(
            """
            import tallystick as ts
            print(ts.learning_curve("votes.csv", "party", methods=["bayes", "logistic-ml"],
                                    sizes=[10, 20, 50, 100, 200], repeats=20))
            """,
            _curve,
        ),
        Typed(
            """
            from tallystick.lessons.methods import independent_rows
            print(ts.learning_curve(independent_rows() * 20, "y", methods=["bayes", "logistic-ml"],
                                    sizes=[30, 1600], repeats=20))
            """,
            _meeting,
            "The same on a table where the naive assumption holds: each column is the class in 3 of 4 "
            "rows, whatever the others are.",
        ),
    ),
    notice=(
        "On the votes logistic regression ends lower: they depend on each other, and it need not "
        "assume that they do not.",
        "The two curves cross on Pima diabetes, 768 rows of eight numbers, one of Ng and Jordan's tables. "
        "Their naive Bayes is Gaussian, with one variance of a column for all classes "
        "(bayes-gaussian-shared). Its error against that of logistic regression: on 10 rows 0.3252 ± 0.0038 "
        "against 0.3528 ± 0.0045, on 512 rows 0.2488 ± 0.0014 against 0.2292 ± 0.0015 (two standard errors; "
        "1,000 random splits).",
        "Where the assumption holds the two meet: both end at the error that nobody can go below, 10 of 64.",
        "Ng and Jordan (2002) found naive Bayes near its own floor with O(log n) rows and logistic "
        "regression with O(n), n columns. The gallery draws this for their fifteen tables, and says "
        "for which of them it shows.",
    ),
    change="Draw the curves of a table of your own.",
    then="tally curve iris.csv --target species --method bayes-gaussian-shared --method logistic "
    "--sizes 10,20,50,100 --picture curve.svg",
)


def _topics(find: Find) -> str:
    from tallystick.estimators import NaiveBayes
    from tallystick.evaluate import cross_validate

    out = []
    for alpha in (1.0, 0.1):
        model = NaiveBayes(alpha=alpha, kinds={"text": "text"})
        out.append(
            f"alpha {alpha} {cross_validate(model, find('sentences.csv'), 'topic', folds=8).accuracy:.2f}"
        )
    return "\n".join(out)


TEXT = Lesson(
    name="text",
    title="Text at size: what is published, and a small table",
    question="Twenty newsgroups, 20,000 messages, chance is 0.05. How far does counting words go? The "
    "messages are too many to come with the package; 24 sentences on three topics show the "
    "way.",
    tables=("sentences.csv",),
    steps=(
        Typed(
            """
            import tallystick as ts
            for alpha in (1.0, 0.1):
                model = ts.NaiveBayes(alpha=alpha, kinds={"text": "text"})
                found = ts.cross_validate(model, "sentences.csv", "topic", folds=8)
                print(f"alpha {alpha} {found.accuracy:.2f}")
            """,
            _topics,
        ),
    ),
    notice=(
        "24 sentences of eight words are few; chance is 0.33, and counted words are far beyond it.",
        "On the 19,997 messages with their Subject, From, Organization, Lines and body, 2/3 for "
        "training: 0.8149 with the Laplace correction, 0.8510 with a smaller one (m·p = 0.01), 0.8642 with "
        "the words of the other classes (complement). Published in 1996, with another preparation: "
        "0.89.",
        "Split by date, as news comes, it is harder: 0.7711 on counts, 0.8217 with complement. "
        "The gallery runs it.",
        "A reader wants the best first. Of all articles 16 % were interesting to one reader, of the "
        "tenth with the highest scores 59 %: an order can be useful where an answer is not.",
    ),
    change="Which words speak for a topic?",
    then="tally fit sentences.csv --target topic --model bayes --kind text=text --folds 0",
)


def balls() -> list[dict[str, str]]:
    """Return 49 balls of two urns, Y: of the 36 of the first 1/3 are red and 1/2 striped, whatever their
    colour; of the 13 of the second 4 are red and none is striped.
    """
    counts = {("1", 1, 1): 6, ("1", 1, 0): 6, ("1", 0, 1): 12, ("1", 0, 0): 12}
    counts |= {("2", 1, 0): 4, ("2", 0, 0): 9}
    return [
        {"R": "yes" if r else "no", "B": "yes" if b else "no", "Y": y}
        for (y, r, b), n in counts.items()
        for _ in range(n)
    ]


def _balls(find: Find) -> str:
    from tallystick.learn import independent

    return f"{independent(balls(), 'R', 'B')}\n\n{independent(balls(), 'R', 'B', given='Y')}"


def _square(find: Find) -> object:
    from tallystick.learn import independent

    return independent(find("squares.csv"), "X", "Y")


INDEPENDENCE = Lesson(
    name="independence",
    title="Independent is more than uncorrelated",
    question="Y is the square of X, on −3 to 3. Are they correlated? Does one tell about the other? "
    "And when are two events independent only if a third is known?",
    tables=("squares.csv",),
    steps=(
        Typed(
            """
            import tallystick as ts
            print(ts.learn.independent("squares.csv", "X", "Y"))
            """,
            _square,
        ),
        Worked(
            "squares.csv",
            "Y",
            settings={"kinds": {"X": "levels"}},
            only=("The table", "Node 0"),
            words="And what X tells about Y, in bits:",
        ),
        Typed(
            """
            from tallystick.lessons.methods import balls
            print(ts.learn.independent(balls(), "R", "B"), "",
                  ts.learn.independent(balls(), "R", "B", given="Y"), sep="\\n")
            """,
            _balls,
            "49 balls, red (R) or not, with a blue stripe (B) or not, from two urns (Y). Are R and B "
            "independent? Are they where the urn is known?",
        ),
    ),
    notice=(
        "The correlation is 0, and what X and Y tell about each other is all there is, 1.9502 bits, the "
        "gain of X: X says everything about Y, but not in a straight line. Correlation sees straight lines "
        "only.",
        "6/49 is not 288/2401: R and B are not independent. Given Y they are, 1/6 = 1/3 · 1/2. Naive Bayes "
        "asks for the second, independence given the class, not for the first.",
        "P(R or B) = 16/49 + 18/49 − 6/49 = 4/7: what is in both is counted once.",
    ),
    change="Ask which votes of 1984 depend on each other although the party is known.",
    then="tally compare votes.csv --target party --method bayes --no-tuning",
)

METHODS = (LOGISTIC, OPTIMAL_BAYES, VOTES, GENERATIVE, TEXT, INDEPENDENCE)
