"""Commands to copy: for every command, lines that work as they stand, and what they do.

The lines run in a folder with the bundled tables, a model of each kind of `votes.csv` (`votes.tally.json`,
`tree.tally.json`, `card.tally.json`) and some rows without the target, `new.csv`; a test runs them all.
Law: every option of a command is in one of its lines, or in one of the lines of `SHARED`.
"""

from __future__ import annotations

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "demo": (
        ("tally demo", "the whole job once, in the folder tally-demo"),
        ("tally demo --folder try --json", "in another folder, the results as JSON"),
    ),
    "describe": (
        ("tally describe votes.csv", "what the columns are taken for, and why"),
        ("tally describe votes.csv --target party --all", "and what each tells about the party"),
        ("tally describe votes.csv -t party --picture gains.svg", "and the gains as a picture"),
        ("tally describe new.csv --against votes.tally.json", "what changed since the model was fitted"),
        (
            "tally describe votes.csv --against votes.tally.json --fail-on-change",
            "and exit code 1 where a column or the answers changed",
        ),
        ("tally describe votes.csv --json", "every number, for another program"),
    ),
    "fit": (
        ("tally fit votes.csv --target party -o new.tally.json", "choose a method, learn, save the model"),
        ("tally fit votes.csv -t party --model tree", "a decision tree, not saved"),
        ("tally fit votes.csv -t party --model id3", "the tree that ID3 grows; so c45, cart and others"),
        ("tally fit votes.csv -t party --model tree --picture tree.svg", "and the tree as a picture"),
        ("tally fit votes.csv -t party --measure auc --folds 3", "the method that ranks best"),
        (
            "tally fit votes.csv -t party --model bayes --set alpha=0.5 --folds 5",
            "a parameter; fewer folds for the score",
        ),
        (
            "tally fit days.csv -t late --model card --cuts orders=1,3 --monotone orders=rising --pairs 0",
            "a card with given ranges, points that only rise, and no pairs",
        ),
        (
            "tally fit votes.csv -t party --model card --max-columns 4 --max-lines 3 --ranges 8 --l2 1 "
            "--points-to-double 40",
            "a short card, on a finer scale",
        ),
        (
            "tally fit days.csv -t late --model card --class-weight yes=2 --population yes=0.1 "
            "--population no=0.9",
            "what a row counts, and for whom the card is",
        ),
        ("tally fit votes.csv -t party --model bayes --folds 0 --json", "no score; the result as JSON"),
        ("tally fit votes.csv -t party --model bayes -o - > piped.tally.json", "the model file into a pipe"),
        ("tally fit votes.csv -t party --model bayes --memory 64MB", "the same, the rows on disk"),
        (
            "tally fit votes.csv -t party --model tree --no-profile -o bare.tally.json",
            "a file without level counts and quantiles of the training rows",
        ),
        (
            "tally fit votes.csv -t party --model bayes --costs 'republican→democrat: 5' --folds 5",
            "a republican who is taken for a democrat costs 5: answers of least expected cost",
        ),
        (
            "tally fit votes.csv -t party --model bayes --threshold cheapest "
            "--costs 'republican->democrat: 5' -o decided.tally.json",
            "the cheapest threshold on rows not seen, kept with the model",
        ),
        ("tally fit days.csv -t orders --regression --folds 3", "a target of numbers: a method for them"),
        (
            "tally fit votes.csv --formula 'party ~ crime * immigration' --model logistic --l2 0 --inference "
            "--errors HC1",
            "columns and a product by a formula, robust errors, tests of whole columns",
        ),
        (
            "tally fit votes.csv --formula 'party ~ crime + immigration' --model logistic --l2 0 --inference "
            "--clusters duty-free-exports",
            "errors of rows that go together",
        ),
    ),
    "splits": (
        ("tally splits play-tennis.csv --target Play", "the gain of every test at the root"),
        ("tally splits play-tennis.csv -t Play --model cart --node 0 --json", "by Gini, for another program"),
    ),
    "prune": (
        ("tally prune votes.csv --target party --picture path.svg", "errors against leaves, and the curve"),
        ("tally prune votes.csv -t party --model id3 --folds 5 --json", "of ID3's tree, in five folds"),
        ("tally prune votes.csv -t party --parts 0.6,0.2,0.2", "training, validation and test error"),
        ("tally prune votes.csv -t party --held-out votes.csv", "validated on the rows of another file"),
    ),
    "bayes": (
        ("tally bayes ill=0.008 well= --test ill=0.98,well=0.03", "a positive test for a rare disease"),
        (
            "tally bayes ill=0.008 well= --test ill=0.98,well=0.03 --test ill=0.98,well=0.03",
            "a second one, from where the first left off",
        ),
        (
            "tally bayes flu=1/40 --test flu=1/2 --evidence 1/10",
            "one hypothesis, and how frequent headaches are",
        ),
        (
            "tally bayes fair=1/2 double=1/2 --test fair=1/2,double=1 --predict fair=1/2,double=1",
            "what a coin that showed a head shows next",
        ),
        (
            "tally bayes a=1/2 b= --test a=1.2,b=0.3 --densities --json",
            "densities of a number, for another program",
        ),
    ),
    "separable": (
        ("tally separable votes.csv --target party", "whether a plane separates the parties"),
        ("tally separable play-tennis.csv -t Play --json", "the plane, for another program"),
    ),
    "density": (
        ("tally density votes.csv", "groups of rows that are alike, a sentence each"),
        (
            "tally density votes.csv -o groups.tally.json --picture groups.svg --set max_leaf_nodes=4 "
            "--leaves 4",
            "at most four of them, saved and as a picture",
        ),
        (
            "tally density votes.csv --score votes.csv --rows likely.csv",
            "how likely each row is, and its leaf",
        ),
        ("tally density votes.csv --sample 100 --seed 7 --rows drawn.csv", "a hundred rows like them"),
        ("tally density votes.csv --json", "every number, for another program"),
    ),
    "work": (
        ("tally work play-tennis.csv --target Play", "a tree by ID3, every entropy and every gain"),
        ("tally work play-tennis.csv -t Play --model c45 -o tennis.html", "by C4.5, as a page"),
        ("tally work play-tennis.csv -t Play --row 3", "and the way of the third row down the tree"),
        (
            "tally work play-tennis.csv -t Play --model bayes --row Outlook=Sunny --row Temperature=Cool "
            "--row Humidity=High --row Wind=Strong",
            "naive Bayes: the counts, and the product for a new row",
        ),
        (
            "tally work play-tennis.csv -t Play --model logistic --set solver=gradient --set l2=1",
            "plain gradient ascent, with the weights of its steps",
        ),
        ("tally work play-tennis.csv -t Play --blank", "a sheet to be filled in"),
        ("tally work play-tennis.csv -t Play --answers --format latex", "the sheet, then its solution"),
        ("tally work play-tennis.csv -t Play --model tree --set max_depth=2", "a parameter"),
        ("tally work play-tennis.csv -t Play --json", "every number in full, for another program"),
    ),
    "predict": (
        ("tally predict votes.tally.json new.csv", "prediction and probability of every row"),
        ("tally predict votes.tally.json new.csv -o out.parquet --keep-columns", "a file with all columns"),
        ("tally predict votes.tally.json new.csv --proba --with crime --raw", "one column, all classes"),
        (
            "tally predict votes.tally.json new.csv --missing-columns as-missing --lenient",
            "use the columns that are there",
        ),
        ("tally predict votes.tally.json new.csv --threads 1 -o - | head -n 3", "into a pipe"),
        ("tally predict votes.tally.json new.csv --flag-outside", "name values outside the training range"),
        ("tally predict votes.tally.json new.csv --memory 64MB -o out.csv", "in little memory"),
        (
            "tally predict card.tally.json new.csv --reasons 4 --reasons-against average "
            "--reasons-for democrat",
            "the columns that cost a row most points, in words",
        ),
        (
            "tally predict votes.tally.json new.csv --costs 'republican→democrat: 5'",
            "answers of least expected cost, this once",
        ),
        (
            "tally predict votes.tally.json new.csv --threshold 'republican: 0.2'",
            "republican where its probability is above 0.2, this once",
        ),
        (
            "tally predict votes.tally.json new.csv --top 'republican: 10%' --keep-columns",
            "the tenth that is most probably republican, and how many hits to expect",
        ),
        ("tally predict votes.tally.json new.csv --json", "predictions and notes, as JSON"),
    ),
    "explain": (
        ("tally explain tree.tally.json new.csv --row 3", "the path of the third row down the tree"),
        ("tally explain votes.tally.json new.csv --row 3", "the votes of the columns, with the counts"),
        ("tally explain tree.tally.json new.csv --picture way.svg", "the first row's path, as a picture"),
        ("tally explain votes.tally.json new.csv --json", "the first row, as JSON"),
        (
            "tally explain tree.tally.json new.csv --missing-columns as-missing --lenient",
            "what the file lacks and what is not a number count as missing",
        ),
    ),
    "compare": (
        ("tally compare votes.csv --target party --no-tuning", "the methods with default settings"),
        (
            "tally compare votes.csv -t party --method tree --method bayes --no-tuning --measure auc",
            "two of them, by how well they rank",
        ),
        (
            "tally compare votes.csv -t party --no-tuning --ignore dependence --picture compared.svg --json",
            "without one of the checks; a picture and JSON",
        ),
        (
            "tally compare days.csv -t late --groups shop --folds 3 --no-tuning",
            "a shop's rows stay in one fold",
        ),
        ("tally compare days.csv -t late --time day --no-tuning", "trained on earlier days only"),
        (
            "tally compare votes.csv -t party --method tree --method bayes --no-tuning "
            "--costs 'republican→democrat: 5'",
            "what the answers of each method cost",
        ),
        (
            "tally compare votes.csv -t party --method bayes --no-tuning --threshold 'republican: 0.2'",
            "answers by a threshold",
        ),
        ("tally compare days.csv -t late --parts 0.6,0.2,0.2 --no-tuning", "train, validate and test once"),
        (
            "tally compare votes.csv -t party --held-out votes.csv --no-tuning",
            "test on the rows of another file",
        ),
        (
            "tally compare days.csv -t orders --regression --folds 3",
            "a number: the methods for numbers beside the mean",
        ),
        (
            "tally compare days.csv -t late --method bayes --no-tuning --folds 3 --by 'orders: 1, 3'",
            "errors, misses and false alarms of the chosen method by ranges of a number",
        ),
    ),
    "curve": (
        ("tally curve votes.csv --target party --repeats 2", "the error against the training rows"),
        (
            "tally curve votes.csv -t party --method bayes --repeats 2 --picture curve.svg --json",
            "one method; a picture and JSON",
        ),
        (
            "tally curve votes.csv -t party --method bayes --method logistic-ml --repeats 2",
            "naive Bayes beside logistic regression without a prior",
        ),
        ("tally curve votes.csv -t party --sizes 10,50,200 --repeats 2", "trained on so many rows"),
    ),
    "report": (
        ("tally report votes.csv --target party --repeats 0", "one page that says what decides the party"),
        (
            "tally report votes.csv -t party -o votes.html --save-model chosen.tally.json --repeats 0",
            "name the page, and keep the model",
        ),
        (
            "tally report play-tennis.csv -t Play --title 'Tennis?' --by Outlook --no-rows --repeats 0",
            "errors by a column, and no raw rows",
        ),
        (
            "tally report days.csv -t orders --regression --folds 3 -o orders.html",
            "a number: how far off the methods for numbers are, and what moves it",
        ),
        (
            "tally report play-tennis.csv -t Play --method bayes --tuned --folds 3 --repeats 0 --json",
            "one method, tuned; the findings as JSON",
        ),
        (
            "tally report votes.csv --against votes.tally.json -o changed.html --fail-on-change",
            "a page on what changed since the model was fitted; exit code 1 where something did",
        ),
    ),
    "draw": (
        ("tally draw entropy", "the curve of entropy, in entropy.svg"),
        ("tally draw sigmoid --picture s.svg", "the curve of logistic regression"),
        (
            "tally draw regions play-tennis.csv -t Play --column Outlook --column Humidity --method id3 "
            "--method bayes --picture regions.svg",
            "what two methods answer on the plane of two columns",
        ),
        ("tally draw likelihood days.csv -t late --column orders", "the likelihood, and the way up"),
        ("tally draw prior votes.csv --target party", "weights and losses against the spread of the prior"),
        ("tally draw shares play-tennis.csv -t Play", "the R table of naive Bayes as bars"),
        ("tally draw overfitting votes.csv -t party --json", "errors against leaves; the result as JSON"),
    ),
    "lesson": (
        ("tally lesson", "the lessons"),
        ("tally lesson id3", "a question, its working, what to notice, what to try"),
        ("tally lesson threshold --blank", "a sheet to be filled in"),
        ("tally lesson bits --picture entropy.svg --json", "its picture, and all of it as JSON"),
        ("tally lesson many-values --tables tables", "its tables, in the folder tables"),
    ),
    "export": (
        ("tally export tree.tally.json --to rules", "if-then rules with their rows"),
        ("tally export tree.tally.json --to rules --format markdown -o rules.md", "as a table for a wiki"),
        ("tally export votes.tally.json --to sql --dialect postgres --table votes --keep id", "one SELECT"),
        (
            "tally export votes.tally.json --to sql --no-unseen -o votes.sql",
            "without the count of unseen levels",
        ),
        ("tally export votes.tally.json --to python -o model.py", "a module that needs nothing else"),
        ("tally export votes.tally.json --to js -o - > model.js", "a script for a page or node, by a pipe"),
        ("tally export votes.tally.json --to c --name votes -o votes.h", "a C header of functions votes_..."),
        ("tally export card.tally.json --to card -o card.md", "a scorecard to print"),
        ("tally export card.tally.json --to sql --reasons 3 -o card.sql", "with the reasons of each row"),
        ("tally export tree.tally.json --to rules --json", "inside JSON"),
    ),
    "decide": (
        ("tally decide votes.tally.json", "how the model turns probabilities into answers"),
        (
            "tally decide votes.tally.json --threshold 'republican: 0.2' -o cautious.tally.json",
            "a copy that answers republican above 0.2",
        ),
        (
            "tally decide votes.tally.json --costs 'republican→democrat: 5' -o priced.tally.json --json",
            "a copy that answers by costs; the decision as JSON",
        ),
        (
            "tally decide votes.tally.json --clear -o plain.tally.json",
            "a copy that answers by the largest probability",
        ),
    ),
    "verify": (
        ("tally verify votes.tally.json votes.csv", "fit again and compare byte for byte"),
        ("tally verify votes.tally.json votes.csv --threads 1 --json", "with one thread; the answer as JSON"),
        ("tally verify votes.tally.json votes.csv --memory 64MB", "in little memory, the rows on disk"),
    ),
    "diff": (
        ("tally diff votes.tally.json votes.tally.json", "what changed from one model to another"),
        ("tally diff votes.tally.json votes.tally.json --json", "as JSON"),
        ("tally diff votes.tally.json votes.tally.json --on votes.csv", "and which answers to rows differ"),
    ),
    "card": (
        ("tally card votes.tally.json", "data, method, limits and how to verify, as Markdown"),
        (
            "tally card votes.tally.json --on votes.csv --folds 3 --by crime",
            "with scores, and rates by a column",
        ),
        ("tally card tree.tally.json -o card.json", "as JSON, in a file"),
        ("tally card tree.tally.json --json", "as JSON"),
    ),
    "serve": (
        ("tally serve votes.tally.json", "POST rows to http://127.0.0.1:8000/v1/predict"),
        (
            "tally serve votes.tally.json tree=tree.tally.json --port 8080 --workers 2 --no-access-log",
            "two models, two processes, no line for each request",
        ),
        (
            "tally serve votes.tally.json --host 0.0.0.0 --allow-host models.example.com "
            "--allow-origin https://desk.example.com --token-file token.txt",
            "to a network: by this name, for pages of this site, with a token",
        ),
        (
            "tally serve votes.tally.json --max-megabytes 64 --max-rows 500000 --seconds 60 "
            "--max-connections 5000",
            "larger requests, more time to send them, more clients",
        ),
        ("tally serve votes.tally.json --check --json", "what would be served, as JSON; then end"),
    ),
    "studio": (
        ("tally studio", "a page in the browser, with the tables of this folder"),
        ("tally studio votes.csv", "the same, and begin with a file"),
        (
            "tally studio --folder . --port 8123 --no-browser",
            "another folder, a port; print the address only",
        ),
        ("tally studio --check --json", "which tables the page could open, as JSON; then end"),
    ),
}

# options that several commands take: one line for each
SHARED: tuple[tuple[str, str], ...] = (
    ("tally describe semicolon.csv --sep ';' --decimal ','", "cells between semicolons, decimal commas"),
    ("tally describe bare.csv --no-header", "a file without names"),
    ("tally describe votes.csv --header", "the first row holds names, whatever it looks like"),
    ("tally describe latin.csv --encoding cp1252", "a file of another encoding"),
    ("tally describe ragged.csv --bad-rows skip", "leave out rows of another length, counted"),
    ("tally describe --sql \"SELECT * FROM 'votes.csv'\"", "the rows of a query, by DuckDB"),
    ("tally describe shop.db --table orders", "a table of an SQLite file, or a sheet of a workbook"),
    ("tally describe votes.csv --strict", "refuse what would be repaired or set aside"),
    ("tally describe days.csv --day-first", "3/4/2012 is a day in April"),
    ("tally describe infinite.csv --inf missing", "infinite numbers are missing"),
    ("tally describe votes.csv --kind crime=out --missing '?'", "leave a column out; what means missing"),
    ("tally describe sizes.csv --kind size=ordered --levels size=S,M,L", "levels with an order"),
    ("tally describe sizes.csv --keep code --threads 1", "use a column that would be left out"),
    ("tally describe alike.csv.gz --unpack", "a packed file that is far larger unpacked is meant so"),
    ("tally describe votes.csv --memory 64MB", "rows on disk: for files larger than memory"),
    ("tally describe votes.csv --all", "every line, also those that a page leaves out"),
    ("tally describe votes.csv --merge 'yes=y,Y'", "spellings that are one"),
    ("tally describe votes.csv --debug", "a traceback when something fails"),
)


def epilog(command: str) -> str:
    """Return the lines of a command for the end of its help."""
    lines = [f"  # {what}\n  {line}" for line, what in EXAMPLES.get(command, ())]
    return "\b\nExamples:\n" + "\n".join(lines) if lines else ""
