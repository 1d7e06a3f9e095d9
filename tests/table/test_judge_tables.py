"""Real tables are taken for what they are: the kind of every column of every data set, written down by hand.

One letter per column: n numeric, l levels, b boolean, t text, - left out. Groups may be counted: 34n.
"""

from __future__ import annotations

import re

import pytest
from shared_tables import every_shared, needs_data, shared

from tallystick.io.open import open_source
from tallystick.table.reader import read_table

pytestmark = pytest.mark.slow

LETTERS = {"numeric": "n", "levels": "l", "boolean": "b", "text": "t", "out": "-", "ordered": "o"}

EXPECTED = {
    "20newsgroups/20news-19997": "lnt",
    "20newsgroups/20news-bydate-test": "lnt",
    "20newsgroups/20news-bydate-train": "lnt",
    "adult/adult-test": "nlnln5l3n2l",
    "adult/adult-train": "nlnln5l3n2l",
    "auto-mpg/auto-mpg": "8nl",
    "balance-scale/balance.scale": "4nl",
    "boston-housing/housing": "3nb10n",
    "breast-cancer-wisconsin/breast.w": "9nl",
    "breast-cancer/breast-cancer": "5ln4l",
    "car/car": "7l",
    "contact-lenses/contact-lenses": "5l",
    "covertype/covtype": "10n44bn",
    "ecoli/ecoli": "7nl",
    "glass/glass": "9nl",
    "haberman/haberman": "4n",
    "house-votes-84/vote": "17l",
    "ionosphere/ionosphere": "b-32nl",
    "iris/iris": "4nl",
    "kyphosis/kyphosis": "l3n",
    "labor/labor": "4nlnl2nln6l",
    "letter/letter": "16nl",
    "liver-disorders/bupa": "7n",
    "lymphography/lymph": "8l2n7lnl",
    "mushroom/mushroom": "15l-7l",
    "nursery/nursery": "9l",
    "optdigits/optdigits": "-23nb7nb6n-16nb8n",
    "page-blocks/page.blocks": "11n",
    "pendigits/pendigits": "17n",
    "pima-diabetes/diabetes": "8nl",
    "promoters/promoters": "-58l",
    "segment/segment": "2n-16nl",
    "sick/sick": "n16lnlnlnlnln--2l",
    "sms-spam/sms-spam": "lt",
    "sonar/sonar": "60nl",
    "soybean/soybean": "36l",
    "spambase/spambase": "57nb",
    "tweeteval-hate/hate": "lbt",
    "vehicle/vehicle": "18nl",
    "weather/weather.nominal": "3lbl",
    "weather/weather.numeric": "l2nbl",
    "wine/wine": "14n",
    "zoo/zoo": "-12bn3bl",
}


def spelt(pattern: str) -> str:
    return re.sub(r"(\d+)(.)", lambda m: m[2] * int(m[1]), pattern)


@needs_data
@pytest.mark.parametrize("name", EXPECTED)
def test_every_column_of_a_real_table_is_taken_for_what_it_is(name):
    schema = read_table(open_source(shared(name))).schema
    assert "".join(LETTERS[column.kind] for column in schema.columns) == spelt(EXPECTED[name])


@needs_data
def test_every_data_set_has_an_expectation():
    found = {f"{p.parent.name}/{p.name.removesuffix('.csv.gz')}" for p in every_shared()}
    assert found == set(EXPECTED)
