# Two commands do everything on a machine that has only Python (3.11 or later) and make: `make run` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := run
.PHONY: run deal test soak postgres setup check bench mutate pins clean

run: $(READY) ## serve a table of each built-in sheet, and say where
	@$(BIN)/feltlab serve --open bad-beat-blackjack --open bad-beat-baccarat --open big-slick-blackjack

deal: $(READY) ## deal a few rounds of each built-in sheet and print them
	@for sheet in bad-beat-blackjack bad-beat-baccarat big-slick-blackjack; do \
		$(BIN)/feltlab deal $$sheet --rounds 2 --seed 7 || exit $$?; \
	done

test: check postgres ## lint, types and every test
	$(BIN)/pytest -n 2 --dist worksteal

soak: $(READY) postgres ## the tests with the long random runs in full, of which `make test` takes a part
	FELTLAB_SOAK=1 $(BIN)/pytest -n 2 --dist worksteal tests

postgres: ## PostgreSQL's programs, which tests start a server of their own with
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || { \
		echo "installing PostgreSQL for the tests"; \
		apt-get install -y --no-install-recommends postgresql >/dev/null || apt-get update >/dev/null && \
		apt-get install -y --no-install-recommends postgresql >/dev/null; } || { \
		echo "the tests need PostgreSQL: install it (Debian: apt-get install postgresql)" >&2; exit 2; }

setup: $(READY) ## create .venv with everything in it

check: $(READY) ## lint, types and the import contract, without tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --strict tools
	$(BIN)/lint-imports --no-logo

bench: $(READY) ## measure; never part of the tests
	$(BIN)/pytest bench -o testpaths=bench --benchmark-columns=min,median,ops

mutate: $(READY) ## change each pay, condition, comparison and constant in turn; which tests notice?
	$(BIN)/python tools/mutate.py

pins: $(READY) ## compile requirements/dev.txt again from pyproject.toml (needs uv)
	uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url --no-header --upgrade -o requirements/dev.txt

clean: ## remove what the other targets made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist

# Hash-pinned packages first; then the project itself, built with the pinned hatchling and no network.
$(READY): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "feltlab needs Python 3.11 or later; name one with: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
