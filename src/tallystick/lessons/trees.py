"""Lessons on decision trees: entropy, gain, ID3, cuts, and what a greedy choice does not see.

Data only; how a lesson is told: `telling.py`.
"""

from __future__ import annotations

from tallystick.data.schema import Columns
from tallystick.lessons.telling import Find, Lesson, Typed, Worked


def _optimal(find: Find) -> str:
    from tallystick.estimators import DecisionTree

    greedy = DecisionTree.id3().fit(find("eight-rows.csv"), "y")
    best = DecisionTree.optimal(max_depth=2).fit(find("eight-rows.csv"), "y")
    return f"{greedy.get_n_leaves()} {best.get_n_leaves()}"


def _products(find: Find) -> str:
    from tallystick.estimators import LogisticRegression

    models = [LogisticRegression(l2=0.01, interactions=n).fit(find("xor.csv"), "y") for n in (1, 2)]
    return "\n".join(f"{n} {model.score(find('xor.csv'))}" for n, model in enumerate(models, 1))


TENNIS = Lesson(
    name="id3",
    title="ID3: shall we play tennis?",
    question="Fourteen days, four things known of each, and whether tennis was played. Which question "
    "about a day should be asked first, so that the answer leaves the least doubt? And then?",
    tables=("play-tennis.csv",),
    steps=(
        Worked(
            "play-tennis.csv",
            "Play",
            row={"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"},
            only=("The table", "Node 0", "Node 1", "Node 2", "The tree", "The rules", "A row"),
        ),
    ),
    notice=(
        "Doubt is measured in bits: with 5 No and 9 Yes it is 0.9403, not far from the most there can be, 1.",
        "Outlook wins, 0.2467 bits, because Overcast leaves no doubt at all. Temperature would have "
        "told next to nothing: 0.0292.",
        "The same sum is done again in every branch, with the rows that are there: after Rain it is "
        "Wind that leaves no doubt, after Sunny it is Humidity.",
        "Temperature is in no rule. A tree of 5 leaves answers all 14 days; that it would answer new days so "
        "well, nobody has shown.",
    ),
    change="C4.5 divides the gain by the entropy of the split itself. Does another column win at the root?",
    then="tally work play-tennis.csv --target Play --model c45",
    picture=("entropy", {"share": 9 / 14}),
    pictured="the entropy of two classes; 9 of 14 are Yes",
)

HOUSEHOLDS = Lesson(
    name="households",
    title="A survey of households: rules from a tree",
    question="A letter went to fourteen households. Who answers? Grow the tree by hand, and then write "
    "it as rules that a colleague can use without it.",
    tables=("household-survey.csv",),
    steps=(
        Worked(
            "household-survey.csv",
            "Outcome",
            only=("The table", "Node 0", "Node 2", "Node 5", "The tree", "The rules", "The expression"),
        ),
    ),
    notice=(
        "The class counts are those of the tennis table, 5 and 9, so the entropy is the same: it knows "
        "shares, not what they are shares of.",
        "District gains 0.2467, Income 0.1518, House type 0.0500, Previous customer 0.0481. In the Suburban "
        "branch Income gains 0.9710, all the doubt there is; in the Urban branch Previous customer does.",
        "A way from the root to a leaf is a rule; all ways to one answer, joined by or, are its expression.",
    ),
    change="Would you trust the rule for Urban households? Ask how the tree answers rows that it was "
    "not grown from: the score below the tree is from rows left out.",
    then="tally fit household-survey.csv --target Outcome --model id3",
)

THRESHOLD = Lesson(
    name="threshold",
    title="Choosing a threshold",
    question="Six temperatures and a class. A number can be cut anywhere: how many cuts must be looked "
    "at, and which is the best?",
    tables=("temperatures.csv",),
    steps=(Worked("temperatures.csv", "class", only=("The table", "Node 0", "The tree", "The expression")),),
    notice=(
        "Between two neighbouring values every cut parts the rows alike. Five cuts matter, at the midpoints.",
        "The cut at 54 gains 0.4591, the cut at 85 gains 0.1909. Both lie where the class changes: the best "
        "cut always does.",
        "A row goes left where the value is less than the cut, right where it is the cut or more.",
        "The tree uses the same column twice: below 54 and from 85 on it is N.",
    ),
    change="Turn the N of 90 into a Y in your copy of the table. Which cut is left, and how deep is "
    "the tree?",
    then="tally lesson threshold --tables .",
)

CHOICE = Lesson(
    name="choice",
    title="Which of two columns first?",
    question="Six rows, two columns of true and false. Which is asked first? Then two rows more come in. Is "
    "the answer still right?",
    tables=("two-booleans.csv", "two-booleans-more.csv"),
    steps=(
        Worked("two-booleans.csv", "Y", only=("The table", "Node 0")),
        Worked("two-booleans-more.csv", "Y", only=("Node 0",), words="With the rows FTF and FFF:"),
    ),
    notice=(
        "Six rows: X1 gains 0.3167, X2 gains 0.1909. Whoever looks at the errors alone sees no difference: "
        "either column leaves one row wrong.",
        "Eight rows: the entropy rises to 0.9544, X1 gains 0.5488, X2 only 0.0488.",
        "Gain is about all rows together. A pure branch of many rows is worth more than a pure one of few.",
    ),
    change="CART measures doubt by Gini's index. Does it choose the same column?",
    then="tally work two-booleans-more.csv --target Y --model cart --set min_samples_split=2 --set "
    "min_samples_leaf=1",
)

CENSUS = Lesson(
    name="census",
    title="Information gain on a real census",
    question="Of 48,842 people in a census it is known who earns more than 50,000 a year. How much "
    "does their sex tell about it, in bits?",
    tables=("census-sex.csv.gz",),
    steps=(Worked("census-sex.csv.gz", "income", only=("Node 0",)),),
    notice=(
        "H(income) is 0.7938 bits; among the women 0.4977, among the men 0.8858, on average 0.7572.",
        "The gain is 0.0367 bits, a twentieth of the doubt: little for a prediction, though 11 % of the "
        "women and 30 % of the men earn so much. A small gain is not a small difference.",
        "The working is the same for 14 rows and for 48,842: only the counts differ.",
    ),
    change="Ask every column of a table of your own for its gain at once.",
    then="tally describe play-tennis.csv --target Play",
)

MANY = Lesson(
    name="many-values",
    title="Columns with many values, and why gain is divided",
    question="Every day of the tennis table came in a batch, a letter from a to g. Batch has nothing "
    "to do with tennis. What does it gain? And the number of the day?",
    tables=("tennis-batches.csv", "tennis-days.csv"),
    steps=(
        Worked("tennis-batches.csv", "Play", only=("The table", "Node 0")),
        Worked(
            "tennis-days.csv",
            "Play",
            settings={"columns": Columns(keep=["Day"])},
            only=("Node 0",),
            words="Now a column that is different in every row:",
        ),
        Worked(
            "tennis-days.csv",
            "Play",
            method="c45",
            settings={"columns": Columns(keep=["Day"])},
            only=("Node 0", "The tree"),
            words="C4.5 asks besides that two branches hold two rows each:",
        ),
    ),
    notice=(
        "Batch gains 0.3078, more than Outlook with 0.2467. Many small branches are purer by chance alone.",
        "The gain ratio divides by the entropy of the split: Batch falls to 0.1207, Outlook has 0.1564 "
        "and wins.",
        "Against a column that is unique the ratio does not help: Day gains 0.9403, all there is, and its "
        "ratio 0.2470 is still the largest. C4.5 leaves it out since no two of its branches hold two rows.",
        "A first column that names the rows is left out as an identifier, with a note; --keep Day uses it.",
    ),
    change="Look at the tree that ID3 grows from the days. It answers all 14 rows. What does it answer "
    "on day 15?",
    then="tally fit tennis-days.csv --target Play --keep Day --model id3",
)

EXPRESSION = Lesson(
    name="expression",
    title="Trees as expressions, and what greed costs",
    question="Every Boolean function can be said by a tree. Does ID3 find the function? Does it find "
    "the smallest tree that says it?",
    tables=("sixteen-rows.csv", "eight-rows.csv"),
    steps=(
        Worked(
            "sixteen-rows.csv",
            "y",
            row={"f1": "0", "f2": "1", "f3": "1", "f4": "0"},
            only=("All columns", "The tree", "The expression", "A row"),
            words="Sixteen rows whose class is ¬f3∧f2 ∨ f3∧f1∧¬f2:",
        ),
        Worked(
            "eight-rows.csv",
            "y",
            only=("Node 0", "The tree"),
            words="Eight rows of A∧B ∨ ¬A∧C. A alone gains nothing, so the greedy tree does not begin "
            "with it:",
        ),
        Typed(
            """
            import tallystick as ts
            greedy = ts.DecisionTree.id3().fit("eight-rows.csv", "y")
            best = ts.DecisionTree.optimal(max_depth=2).fit("eight-rows.csv", "y")
            print(greedy.get_n_leaves(), best.get_n_leaves())
            """,
            _optimal,
            "The leaves of the greedy tree, and of the smallest one, which begins with A:",
        ),
    ),
    notice=(
        "The tree says the function in its own words: the expression need not look like the one that "
        "made the rows to be the same. The row 0110 is answered 0 by both.",
        "The gains of A, B and C are 0, 0.1887 and 0.1887. Greed takes B, and needs 6 leaves where 4 "
        "are enough: it looks one question ahead, and A is worth its while only with the next one.",
    ),
    change="Print the smallest tree. Its certificate says that none of its depth makes fewer errors.",
    then="tally fit eight-rows.csv --target y --model optimal --set max_depth=2 --folds 0",
)

BITS = Lesson(
    name="bits",
    title="What a bit is, and why branches are weighted",
    question="Half of all letters are a, a quarter b, an eighth each c and d. How many questions does "
    "it take, on average, to name one? And is a branch of one row as good as one of two "
    "hundred?",
    tables=("four-letters.csv", "one-against-many.csv"),
    steps=(
        Worked("four-letters.csv", "letter", only=("The table", "Node 0", "The tree")),
        Worked(
            "one-against-many.csv",
            "class",
            only=("Node 0", "The tree"),
            words="One row in one branch, 100 of each class in the other:",
        ),
    ),
    notice=(
        "The entropy of (1/2, 1/4, 1/8, 1/8) is 1.7500 bits: a is named by one question, b by two, c "
        "and d by three, and 1/2 · 1 + 1/4 · 2 + 1/8 · 3 + 1/8 · 3 = 1.75. Four equal letters would "
        "take 2.",
        "The plain mean of the entropies 1 and 0 would be 0.5; weighted by their rows it is 0.9950. "
        "One pure row proves next to nothing, and the weights say so.",
        "The branch of 100 and 100 is a tie: its answer is the first class, in the order of their names.",
    ),
    change="Give every letter two rows in your copy of the table, and look at the entropy again.",
    then="tally lesson bits --tables .",
    picture=("entropy", {}),
    pictured="doubt about one of two classes: most at equal shares, none at 0 and 1",
)

XOR = Lesson(
    name="xor",
    title="Exclusive or: when no column tells anything alone",
    question="y is 1 where just one of a and b is. What does each column gain? What can a tree, naive "
    "Bayes and logistic regression do with it?",
    tables=("xor.csv", "six-rows.csv"),
    steps=(
        Worked("xor.csv", "y"),
        Worked(
            "six-rows.csv",
            "y",
            only=("Node 0",),
            words="The same with six rows, four of them alike in pairs:",
        ),
        Worked(
            "six-rows.csv",
            "y",
            method="bayes",
            row={"a": "0", "b": "1"},
            only=("Column", "The row"),
            words="Naive Bayes on the six rows:",
        ),
        Typed(
            """
            import tallystick as ts
            for degree in (1, 2):
                model = ts.LogisticRegression(l2=0.01, interactions=degree).fit("xor.csv", "y")
                print(degree, model.score("xor.csv"))
            """,
            _products,
            "Logistic regression, how many of the four rows it has right: alone, and with the product a × b:",
        ),
    ),
    notice=(
        "Both gains are 0: knowing a alone, or b alone, leaves all the doubt there was.",
        "A tree that stops at zero gain is a single leaf. One that goes on splits on a for no reason "
        "that it can see, and then b answers everything: 4 leaves, 4 of 4 rows right.",
        "Naive Bayes counts each column by itself: every share is 1/2, there is nothing to choose by. "
        "Logistic regression draws one straight line, and no line parts these rows; with the product a "
        "× b it does.",
    ),
    change="Give logistic regression the product of the two columns.",
    then="tally fit xor.csv --target y --model logistic --set interactions=2 --folds 0",
    picture=("regions", {"table": "xor.csv", "target": "y", "methods": ("id3", "bayes", "logistic")}),
    pictured="what three methods answer on the four rows",
)

TREES = (TENNIS, HOUSEHOLDS, THRESHOLD, XOR, CHOICE, BITS, CENSUS, MANY, EXPRESSION)
