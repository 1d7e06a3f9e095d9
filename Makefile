# Everything a contributor runs, by name. `make` alone prints this list.
PYTHON ?= python
CXX ?= c++
SANITIZE = -std=c++20 -O1 -g -ffp-contract=off -fsanitize=address,undefined -fno-sanitize-recover=all -DTALLY_CHECK

.PHONY: help check fast lint stub sanitize bench night docs

help: ## print this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

check: lint stub ## all that must hold before a commit goes in: style, types, imports, stub, every test
	$(PYTHON) -m pytest

fast: lint ## the same without the slow tests: under a minute
	$(PYTHON) -m pytest -m "not slow and not night" -x

lint: ## ruff, mypy --strict, the import contract
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy
	lint-imports --no-logo

stub: ## the committed types of the compiled module are those it has
	@$(PYTHON) -m nanobind.stubgen -q -m tallystick._kernels -o build/_kernels.pyi.now
	@diff -u src/tallystick/_kernels.pyi build/_kernels.pyi.now && echo "stub: as committed"

sanitize: ## the kernels under AddressSanitizer and UndefinedBehaviorSanitizer, without Python
	@mkdir -p build
	$(CXX) $(SANITIZE) -Isrc tests/sanitize/*.cpp -o build/sanitize
	build/sanitize

bench: ## our figures beside the peers', with target and verdict
	$(PYTHON) benchmarks/run.py

night: ## the long runs: many more examples of every law, large tables
	HYPOTHESIS_PROFILE=night $(PYTHON) -m pytest -m "night or not night"

docs: ## run every command and example in README.md and docs/, and compare with what is printed there
	$(PYTHON) tools/run_docs.py
