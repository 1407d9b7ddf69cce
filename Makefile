# The commands of this project. They need Python 3.11 or newer, and make what else they need.
#   make run       serve REST and MCP on this machine, and say how to use them
#   make demo      show what hindsight does
#   make test      lint, types, and the suite against the built and installed wheel
#   make test-all  the same with the slow tests
#   make lint | types | format | docs | clean

PYTHON ?= $(shell for name in python3 python python3.13 python3.12 python3.11; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$name" && break; done)
ifeq ($(strip $(PYTHON)),)
$(error No Python 3.11 or newer was found as python3 or python; install one, or name it: make PYTHON=/path/to/python3)
endif

# A home, a configuration or a colour setting of the caller's own must not reach the tests.
unexport FORCE_COLOR
# Embedding in two workers at once must not fight over the cores.
export OMP_NUM_THREADS ?= 1
export PIP_DISABLE_PIP_VERSION_CHECK ?= 1

SCRIPTS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := .venv/$(SCRIPTS)
TEST_BIN := build/wheel-env/$(SCRIPTS)
PIP := -m pip install -qq
WORKERS ?= 2
PYTEST_ARGS ?=
SOURCES := $(shell find src -type f -not -path '*/__pycache__/*')
PACKAGED := $(SOURCES) pyproject.toml README.md README.zh-CN.md CHANGELOG.md LICENSE

.PHONY: run demo test test-all lint types format docs clean help
.DEFAULT_GOAL := help

help:
	@sed -n '2,6s/^# *//p' Makefile

run: .venv/.runtime
	@$(BIN)/hindsight serve

demo: .venv/.runtime
	@$(BIN)/hindsight demo

test: lint types build/wheel-env/.installed
	@SUITE_AGAINST=wheel $(TEST_BIN)/pytest -n $(WORKERS) -m "not slow" $(PYTEST_ARGS)

test-all: lint types build/wheel-env/.installed
	@SUITE_AGAINST=wheel $(TEST_BIN)/pytest -n $(WORKERS) $(PYTEST_ARGS)

lint: .venv/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: build/.typed

format: .venv/.dev
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

docs: .venv/.dev
	@$(BIN)/python docs/generate.py
	@$(BIN)/python docs/outputs.py

clean:
	rm -rf .venv build dist .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment to run and develop in: the source tree, editable.
.venv/.created:
	@"$(PYTHON)" -c 'import sys; sys.exit("hindsight needs Python 3.11 or newer, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	@echo "Making .venv ..."
	@"$(PYTHON)" -m venv .venv
	@touch $@

.venv/.runtime: .venv/.created pyproject.toml
	@echo "Installing hindsight and what it needs ..."
	@$(BIN)/python $(PIP) --editable .
	@touch $@

# Dependency groups need a newer pip than Python brings along.
.venv/.dev: .venv/.runtime
	@echo "Installing the development tools ..."
	@$(BIN)/python $(PIP) --upgrade "pip>=25.1"
	@$(BIN)/python $(PIP) --group dev
	@touch $@

build/.typed: .venv/.dev $(SOURCES) pyproject.toml
	@$(BIN)/basedpyright
	@mkdir -p build && touch $@

# What users get: the wheel, built from the source archive, in an environment that never saw the tree.
dist/.built: .venv/.dev $(PACKAGED)
	@echo "Building the source archive and, from it, the wheel ..."
	@rm -rf dist && $(BIN)/python -m build --outdir dist . > build.log 2>&1 || { cat build.log; exit 1; }
	@rm -f build.log && touch $@

build/wheel-env/.created: pyproject.toml
	@echo "Making a fresh environment for the wheel ..."
	@rm -rf build/wheel-env && "$(PYTHON)" -m venv build/wheel-env
	@$(TEST_BIN)/python $(PIP) --upgrade "pip>=25.1"
	@touch $@

build/wheel-env/.installed: build/wheel-env/.created dist/.built
	@echo "Installing the wheel ..."
	@$(TEST_BIN)/python -m pip uninstall --quiet --yes hindsight-agent-memory 2>/dev/null
	@$(TEST_BIN)/python $(PIP) dist/*.whl
	@$(TEST_BIN)/python $(PIP) --group test
	@touch $@
