"""Settings for all tests: none depends on the speed of the machine; `make night` tries more examples."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("day", deadline=None)
settings.register_profile("night", deadline=None, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "day"))
