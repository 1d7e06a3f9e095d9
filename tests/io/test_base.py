"""What a source has without saying so."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tallystick.io.source import BaseSource, Given
from tallystick.schema import Reading

BATCH = pa.record_batch({"x": [1, 2]})


class Two(BaseSource):
    def batches(self):
        yield BATCH
        yield BATCH.slice(1)


def test_a_source_that_says_nothing_has_no_files_no_size_and_typed_text():
    source = Two()
    assert (source.typed, source.needed, source.files, source.stamps) == (True, 0, (), ())
    assert (source.form, source.held) == ("", None)
    assert source.reading == Reading()


def test_its_pieces_are_its_batches_and_no_way_of_reading_changes_it():
    source = Two()
    pieces = list(source.pieces())
    assert [piece().to_pydict() for piece in pieces] == [{"x": [1, 2]}, {"x": [2]}]
    assert all(piece.plain() is None for piece in pieces)
    assert source.within(1) is source.streamed() is source.each_row() is source


def test_a_source_without_rows_of_its_own_says_so():
    with pytest.raises(NotImplementedError):
        BaseSource().batches()
    assert Given(BATCH)() is BATCH
