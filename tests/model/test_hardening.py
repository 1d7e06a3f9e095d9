"""A model file from a stranger: damaged, odd, or made to harm. It is refused, or it is a model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from model_files import models, resigned

from tallystick import methods
from tallystick.errors import ModelFileError
from tallystick.estimator.base import from_data
from tallystick.model.file import from_bytes

pytestmark = pytest.mark.slow

DRIVER = Path(__file__).resolve().parents[1] / "support" / "mutations.py"


@pytest.fixture(scope="module")
def files():
    return {name: model.to_bytes() for name, model in models().items()}


def refused(data: bytes) -> bool:
    try:
        from_bytes(data)
    except ModelFileError:
        return True
    return False


# -- damage --

KINDS = (
    *("bayes", "tree", "logistic", "linear", "tree-numbers"),
    *("card-3", "rules", "rule-set", "density", "optimal"),
)


def test_the_kinds_tested_here_are_all_kinds(files):
    kinds = {json.loads(files[name])["kind"] for name in KINDS}
    assert kinds == set(methods.KINDS)


@pytest.mark.parametrize("name", KINDS)
def test_every_flipped_bit_is_refused(files, name):
    data = bytearray(files[name])
    for bit in range(len(data) * 8):
        data[bit // 8] ^= 1 << bit % 8
        assert refused(bytes(data)), bit
        data[bit // 8] ^= 1 << bit % 8
    assert not refused(bytes(data))


@pytest.mark.parametrize("name", KINDS)
def test_every_truncation_is_refused(files, name):
    data = files[name]
    for size in range(len(data)):
        assert refused(data[:size]), size
        assert refused(data[size + 1 :]), size


# -- mutations with a checksum that fits --


def mutated(seed, count, place):
    """Run mutated files in a process with a limit on memory and on the time of each."""
    done = subprocess.run(
        [sys.executable, str(DRIVER), str(seed), str(count), str(place)], capture_output=True, check=False
    )
    at = Path(place).read_text() if Path(place).exists() else "none"
    assert done.returncode == 0, f"case {at.strip()} ended the process: {done.stderr.decode()[-500:]}"
    return json.loads(done.stdout)


def test_mutated_files_are_refused_or_give_finite_shares_that_sum_to_1(tmp_path):
    found = mutated(0, 10_050, tmp_path / "place")
    assert found["wrong"] == []
    assert found["tally"]["refused"] + found["tally"]["answered"] >= 10_000
    assert found["tally"]["answered"] > 500  # mutations that go all the way are tried too


def test_a_file_that_loads_is_the_file_that_is_written(files):
    for data in files.values():
        assert from_data(data).to_bytes() == data


@pytest.mark.night
@pytest.mark.parametrize("part", range(20))
def test_two_million_mutated_files_are_refused_or_give_finite_shares(tmp_path, part):
    seed = int(os.environ.get("TALLYSTICK_SEED", "1"))  # another night, other files
    found = mutated((seed * 100 + part + 2) * 10**9, 100_500, tmp_path / "place")
    assert found["wrong"] == []
    assert found["tally"]["refused"] + found["tally"]["answered"] >= 100_000


# -- odd JSON with a checksum that fits: each has its own line --

ODD = {
    "a key twice": ('"kind":"naive-bayes"', '"kind":"naive-bayes","kind":"naive-bayes"', "is there twice"),
    "a key twice, deep": ('"code":"c"', '"code":"c","code":"c"', "the key 'code' is there twice"),
    "NaN": ('"count":24', '"count":NaN', "NaN is not a number a model can hold"),
    "Infinity": ('"count":24', '"count":Infinity', "Infinity is not a number a model can hold"),
    "-Infinity": ('"count":24', '"count":-Infinity', "-Infinity is not a number a model can hold"),
    "nan": ('"count":24', '"count":nan', "is not JSON"),
    "beyond doubles": ('"alpha":1.0', '"alpha":1e999', "1e999 is beyond all doubles"),
    "below doubles": ('"alpha":1.0', '"alpha":-1e999', "-1e999 is beyond all doubles"),
    "a huge integer": (
        '"count":24',
        '"count":1' + "0" * 30,
        "whole number 10000000000000000000… is too large",
    ),
    "an endless integer": ('"count":24', '"count":1' + "0" * 10_000, "too large"),
    "a huge negative": ('"count":24', '"count":-1' + "0" * 30, "too large"),
    "deep lists": ('"count":24', '"count":' + "[" * 100_000 + "]" * 100_000, "nested too deep"),
    "deep objects": ('"count":24', '"count":' + '{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deep"),
    "an open list": ('"count":24', '"count":' + "[" * 100_000, "nested too deep"),
    "a lone surrogate": ('"name":"y"', '"name":"\\ud800"', "half of a character pair"),
    "a low surrogate": ('"name":"y"', '"name":"\\uDFFF"', "half of a character pair"),
    "an escaped pair": ('"name":"y"', '"name":"\\ud83d\\ude00"', "half of a character pair"),
    "an escaped letter": ('"name":"y"', '"name":"\\u0079"', "an escape a model file never writes"),
    "an escaped key": ('"count":24', '"c\\u006funt":24', "an escape a model file never writes"),
    "an unknown escape": ('"name":"y"', '"name":"\\x79"', "is not JSON (Invalid \\escape"),
    "a control character": ('"name":"y"', '"name":"y\n"', "is not JSON (Invalid control character"),
    "a zero byte": ('"name":"y"', '"name":"y\x00"', "is not JSON (Invalid control character"),
    "a comma at the end": ('"count":24', '"count":24,}', "is not JSON"),
    "a comma in a list": ('"notes":[', '"notes":[,', "is not JSON"),
    "two commas": ('"count":24', '"count":24,,"a":1', "is not JSON"),
    "no comma": ('"count":24,', '"count":24 ', "is not JSON"),
    "a comment": ('"count":24', '"count":24 /* rows */', "is not JSON"),
    "a line comment": ('"count":24', '"count":24 // rows\n', "is not JSON"),
    "a hash comment": ('"count":24', '"count":24 # rows\n', "is not JSON"),
    "a byte order mark inside": ('"count":24', '\ufeff"count":24', "is not JSON"),
    "single quotes": ('"name":"y"', "'name':'y'", "is not JSON"),
    "a bare key": ('"count":24', "count:24", "is not JSON"),
    "a hex number": ('"count":24', '"count":0x18', "is not JSON"),
    "an octal number": ('"count":24', '"count":024', "is not JSON"),
    "a plus": ('"count":24', '"count":+24', "is not JSON"),
    "a bare point": ('"alpha":1.0', '"alpha":1.', "is not JSON"),
    "a leading point": ('"alpha":1.0', '"alpha":.5', "is not JSON"),
    "an underscore": ('"count":24', '"count":2_4', "is not JSON"),
    "True": ('"calibrate":false', '"calibrate":False', "is not JSON"),
    "another alphabet's digits": ('"count":24', '"count":٢٤', "is not JSON"),
    "a second value": ('"kind":"naive-bayes"', '"kind":"naive-bayes"}{"a":1', "is not JSON"),
    "an open string": ('"kind":"naive-bayes"', '"kind":"naive-bayes', "is not JSON"),
    "a number with an exponent": ('"count":24', '"count":24e0', "must be a whole number"),
    "a whole number as a real": ('"count":24', '"count":24.0', "must be a whole number"),
    "a number as text": ('"count":24', '"count":"24"', "must be a whole number"),
    "true for one": ('"unit":1', '"unit":true', "must be a whole number"),
    "null": ('"count":24', '"count":null', "must be a whole number"),
    "an empty key": ('"count":24', '"":0,"count":24', "unknown key ''"),
    "a hostile key": ('"count":24', '"\u202ekey":0,"count":24', r"unknown key '\u202ekey'"),
    "a real as a whole number": ('"alpha":1.0', '"alpha":1', "is not as its model is written"),
    "a longer real": ('"alpha":1.0', '"alpha":1.00', "is not as its model is written"),
    "an exponent": ('"alpha":1.0', '"alpha":10e-1', "is not as its model is written"),
    "a space": ('"count":24', '"count": 24', "is not as its model is written"),
    "a line end": ('"count":24', '\n"count":24', "is not as its model is written"),
    "an escaped slash": ('"name":"y"', '"name":"\\/y"', "is not as its model is written"),
    "a missing key": ('"count":24,', "", "lacks the key 'count'"),
}


@pytest.fixture(scope="module")
def text(files):
    """The members of a small naive Bayes file, after its format and before its checksum."""
    whole = files["bayes"].decode()
    return whole[whole.index('"kind"') : whole.index(',\n"sha256"')].replace(
        '"notes":[]', '"notes":[{"code":"c","column":"","count":0,"text":"t"}]'
    )


def test_the_file_that_is_made_odd_is_good(text):
    assert not refused(resigned(text))


@pytest.mark.parametrize("name", ODD)
def test_odd_json_is_refused_with_its_own_line(text, name):
    old, new, says = ODD[name]
    assert old in text
    with pytest.raises(ModelFileError) as caught:
        from_data(resigned(text.replace(old, new, 1)))
    assert says in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (b"\xff", "is not UTF-8"),
        (b"\xed\xa0\x80", "is not UTF-8"),  # a surrogate
        (b"\xc0\xaf", "is not UTF-8"),  # a slash in two bytes
        (b"\xf4\x90\x80\x80", "is not UTF-8"),  # beyond Unicode
    ],
)
def test_bytes_that_are_not_utf8_are_refused(text, bad, says):
    import hashlib

    body = resigned(text.replace('"name":"y"', '"name":"yyyy"', 1)).replace(b"yyyy", bad)
    body = body[: body.rindex(b'"sha256"')]
    with pytest.raises(ModelFileError, match=says):
        from_data(body + b'"sha256":"' + hashlib.sha256(body).hexdigest().encode() + b'"}\n')


def test_a_byte_order_mark_is_refused(files):
    with pytest.raises(ModelFileError, match="does not begin like"):
        from_data(b"\xef\xbb\xbf" + files["bayes"])
