"""The model file: canonical, atomic, strict. Every rule of the reader has a file that breaks just that
rule.
"""

from __future__ import annotations

import copy
import errno
import hashlib
import json
import os
import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallystick as ts
from tallystick.errors import ModelFileError
from tallystick.estimator.base import from_data
from tallystick.estimator.verify import verify
from tallystick.export.diff import compare
from tallystick.files import whole_file
from tallystick.model import file

PACKAGE = Path(ts.__file__).parent
VOTES = PACKAGE / "examples" / "votes.csv"


@pytest.fixture(scope="module")
def model():
    return ts.NaiveBayes().fit(VOTES, "party")


@pytest.fixture(scope="module")
def mixed():
    rows = [
        {
            "sky": "sun" if i % 3 else "rain",
            "wet": i % 2 == 0,
            "temp": i * 0.37 - 2,
            "n": i % 5,
            "y": "ab"[i % 7 < 3],
        }
        for i in range(40)
    ]
    return ts.NaiveBayes(distributions={"n": "poisson", "temp": "gaussian"}).fit(rows, "y")


def test_file_is_utf8_with_sorted_keys_and_ends_with_the_sha256_of_all_bytes_above(model):
    data = model.to_bytes()
    assert b"\r" not in data
    above, last = data[: data.rindex(b'"sha256"')], data[data.rindex(b'"sha256"') :]
    assert last == b'"sha256":"' + hashlib.sha256(above).hexdigest().encode() + b'"}\n'
    document = json.loads(data)
    assert list(document) == sorted(document)


def test_saved_and_loaded_model_is_the_same_and_predicts_the_same_bits(model, mixed, tmp_path):
    for m, rows in ((model, VOTES), (mixed, [{"sky": "rain", "wet": True, "temp": 1.5, "n": 2}])):
        m.save(tmp_path / "m.tally.json")
        again = ts.load(tmp_path / "m.tally.json")
        assert again.to_bytes() == m.to_bytes()
        assert (again.predict_proba(rows) == m.predict_proba(rows)).all()
        assert again.classes_.tolist() == m.classes_.tolist()


def test_pickle_and_copy_go_through_the_model_file(model, mixed):
    for m in (model, mixed):
        for again in (pickle.loads(pickle.dumps(m)), copy.copy(m), copy.deepcopy(m)):
            assert again.to_bytes() == m.to_bytes()
            assert again.get_params() == m.get_params()
    unfitted = pickle.loads(pickle.dumps(ts.NaiveBayes(alpha=0.5)))
    assert unfitted.alpha == 0.5
    with pytest.raises(ts.errors.NotFitted):
        unfitted.predict(VOTES)


# -- strict loading: frame --


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda d: b"", "empty"),
        (lambda d: b"PK\x03\x04" + d, "does not begin like"),
        (lambda d: d[1:], "does not begin like"),
        (lambda d: d.replace(b'"version":2', b'"version":3'), "version 3"),
        (lambda d: d[:-1], "last line"),
        (lambda d: d[: len(d) // 2], "last line"),
        (lambda d: d + b"\n", "last line"),
        (lambda d: d.replace(b'"kind":"naive', b'"kind":"knave', 1), "checksum"),
    ],
)
def test_damaged_frame_has_its_own_line(model, damage, says):
    with pytest.raises(ModelFileError, match=says) as caught:
        from_data(damage(model.to_bytes()))
    assert "\n" not in str(caught.value)


def _places(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from _places(inner, (*path, key))


# -- writing --


def test_save_replaces_a_file_whole_and_leaves_nothing_else(model, mixed, tmp_path):
    path = tmp_path / "m.tally.json"
    model.save(path)
    mixed.save(path)
    assert path.read_bytes() == mixed.to_bytes()
    assert os.listdir(tmp_path) == ["m.tally.json"]


@pytest.mark.parametrize(
    ("call", "nameless"),
    [
        ("write", True),
        ("fsync", True),
        ("replace", True),
        ("link", True),
        ("write", False),
        ("fsync", False),
        ("replace", False),
    ],
)
def test_a_fault_while_saving_keeps_the_old_file_and_leaves_no_other(
    model, mixed, tmp_path, monkeypatch, call, nameless
):
    path = tmp_path / "m.tally.json"
    model.save(path)
    if not nameless:
        monkeypatch.setattr(os, "O_TMPFILE", 0, raising=False)

    def fail(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(ModelFileError, match="No space left on device"):
        mixed.save(path)
    monkeypatch.undo()
    assert path.read_bytes() == model.to_bytes()
    assert os.listdir(tmp_path) == ["m.tally.json"]


@pytest.mark.parametrize("nameless", [True, False])
def test_two_writers_at_once_do_not_clear_each_other_away(tmp_path, monkeypatch, nameless):
    if not nameless:
        monkeypatch.setattr(os, "O_TMPFILE", 0, raising=False)
    path = tmp_path / "m"
    (tmp_path / ".m.0123456789ab.part").write_bytes(b"left by a process that was killed")
    with whole_file(path, "file", ModelFileError) as one:
        one.write(b"one")
        with whole_file(path, "file", ModelFileError) as two:
            two.write(b"two")
        assert path.read_bytes() == b"two"
    assert path.read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["m"]


def test_a_device_is_written_to_and_not_replaced():
    with whole_file("/dev/null", "file", ModelFileError) as null:
        null.write(b"gone")
    assert not Path("/dev/null").is_file()


def test_short_writes_are_finished(model, tmp_path, monkeypatch):
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, bytes(data[:100])))
    model.save(tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == model.to_bytes()


def test_saving_through_a_link_writes_the_file_it_points_to(model, tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    model.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == model.to_bytes()


def test_reading_what_is_not_there_is_one_line(tmp_path):
    with pytest.raises(ModelFileError, match="No such file"):
        ts.load(tmp_path / "none")
    with pytest.raises(ModelFileError, match="Is a directory"):
        ts.load(tmp_path)


def test_a_file_beyond_the_limit_is_refused_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(file, "MAX_BYTES", 1000)
    (tmp_path / "big").write_bytes(b"x" * 1001)
    with pytest.raises(ModelFileError, match="1,001 bytes"):
        ts.load(tmp_path / "big")


# -- verify and diff --


def test_verify_says_same_for_the_data_of_the_model(model, tmp_path):
    model.save(tmp_path / "m")
    verdict = verify(tmp_path / "m", VOTES)
    assert verdict.same
    assert "bytes are equal" in str(verdict)


def test_verify_names_the_first_difference(model, tmp_path):
    model.save(tmp_path / "m")
    lines = VOTES.read_text().splitlines()
    (tmp_path / "less.csv").write_text("\n".join(lines[:-1]) + "\n")
    verdict = verify(tmp_path / "m", tmp_path / "less.csv")
    assert not verdict.same
    assert "changed from" in verdict.difference


def test_diff_names_columns_levels_classes_and_parameters(tmp_path):
    rows = [{"sky": s, "y": y} for s, y in [("sun", "a"), ("rain", "b"), ("sun", "b"), ("rain", "a")]]
    ts.NaiveBayes().fit(rows, "y").save(tmp_path / "a")
    ts.NaiveBayes(alpha=0.5).fit([*rows, {"sky": "fog", "y": "b"}], "y").save(tmp_path / "b")
    text = str(ts.diff(tmp_path / "a", tmp_path / "b"))
    assert "parameter, alpha changed from 1.0 to 0.5" in text
    assert "column 'sky', levels: 'fog' was added" in text
    assert "class 'b' changed from 2 to 3 (+1)" in text
    assert str(ts.diff(tmp_path / "a", tmp_path / "a")) == "The two models are the same."


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_diff_is_empty_exactly_when_documents_are_equal(mixed, data):
    a = json.loads(mixed.to_bytes())
    b = copy.deepcopy(a)
    path = data.draw(st.sampled_from([p for p in _places(a) if p[0] not in ("sha256", "format")]))
    assert not compare(a, b)
    place = b
    for step in path[:-1]:
        place = place[step]
    if not isinstance(place[path[-1]], int | str) or path[-1] in ("name", "kind"):
        return
    place[path[-1]] = 10**6 if isinstance(place[path[-1]], int) else place[path[-1]] + "!"
    if a != b:
        assert compare(a, b)
