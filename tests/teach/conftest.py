from pathlib import Path

import pytest

import tallystick

EXAMPLES = Path(tallystick.__file__).parent / "examples"


@pytest.fixture
def tennis():
    return str(EXAMPLES / "play-tennis.csv")
