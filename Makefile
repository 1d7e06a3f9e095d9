# Everything a contributor runs, by name. `make` alone prints this list.
PYTHON ?= python

.PHONY: help check fast lint format lowest sanitize bench night docs site man wheels

CPP = $(shell find src tests -name '*.[ch]pp' ! -name unicode_tables.hpp)

help: ## print this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

check: lint ## all that must hold before a commit goes in: style, types, imports, every test
	$(PYTHON) -m pytest

fast: lint ## the same without the slow tests: under a minute
	$(PYTHON) -m pytest -m "not slow and not night" -x

lint: ## ruff, mypy --strict, the import contract, the style of the kernels
	$(PYTHON) -m ruff check .
	clang-format --dry-run -Werror $(CPP)
	$(PYTHON) -m mypy
	lint-imports --no-logo

format: ## write the kernels in their style, .clang-format
	clang-format -i $(CPP)

sanitize: ## the kernels under AddressSanitizer and UndefinedBehaviorSanitizer, without Python
	@bash tests/sanitize/run.sh

bench: ## our figures beside the peers', with target and verdict
	$(PYTHON) benchmarks/run.py

lowest: ## every test with the oldest releases that pyproject.toml allows, in a virtual environment of its own
	rm -rf build/lowest && $(PYTHON) -m venv build/lowest && build/lowest/bin/python -m pip install -q uv
	build/lowest/bin/uv pip install -q --python build/lowest/bin/python --resolution lowest-direct '.[test]'
	build/lowest/bin/python -m pytest

night: ## the long runs: many more examples of every law, large tables
	HYPOTHESIS_PROFILE=night $(PYTHON) -m pytest -m "night or not night"
	@if [ -n "$$TALLYSTICK_DATA" ]; then $(PYTHON) tools/make_gallery.py --check; fi

docs: ## make the pages of the lessons, then run every command and example in README.md and docs/, and compare
	$(PYTHON) tools/make_lessons.py
	$(PYTHON) tools/run_docs.py

man: ## manual pages of the commands, build/man
	$(PYTHON) tools/make_man_pages.py

wheels: ## a wheel that runs on other machines, build/wheels, tried in a new environment; needs the extra wheels
	$(PYTHON) tools/make_wheels.py

site: ## the documentation as a site, build/site; python tools/make_site.py --serve shows it
	$(PYTHON) tools/make_site.py
