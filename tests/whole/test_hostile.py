"""Hostile names, levels, labels, texts and file names through every command: see hostile.py."""

from __future__ import annotations

import pytest
from hostile import walk

pytestmark = pytest.mark.slow


def walked(seed: int, tmp_path, capfd) -> list[str]:
    def outputs() -> tuple[str, str]:
        read = capfd.readouterr()
        return read.out, read.err

    return walk(seed, tmp_path, outputs)


@pytest.mark.parametrize("seed", range(6))
def test_hostile_content_is_shown_safely_by_every_command(seed, tmp_path, capfd):
    assert not walked(seed, tmp_path, capfd)


@pytest.mark.night
@pytest.mark.parametrize("seed", range(6, 306))
def test_hostile_content_is_shown_safely_by_every_command_at_length(seed, tmp_path, capfd):
    assert not walked(seed, tmp_path, capfd)
