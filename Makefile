# make figures [PROFILE=quick] [NAMES="xval/planets ..."]    make gallery    make test    make lab    make app    make bench    make attack
# Each target sets up .venv first, which costs nothing while requirements.lock is unchanged.

PROFILE ?= quick
NAMES ?=
VENV := .venv
BIN := $(VENV)/bin
# The lock names every package (a test), so pip resolves nothing, and several installs run at once.
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile --no-deps
# The first Python of at least 3.11 on the path.
PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

# Without bytecode, each notebook's process would compile torch and pandas again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: figures gallery test lab app bench attack setup
.DEFAULT_GOAL := figures

figures: setup
	@$(BIN)/numlab figures $(NAMES) --profile $(PROFILE)

gallery: setup
	@$(BIN)/numlab gallery

test: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@# two workers of two threads each would wait for each other's cores
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder --ignore=tests/benchmarks --ignore=tests/attacks

bench: setup
	$(BIN)/python -m pytest -q tests/benchmarks --benchmark-enable --benchmark-columns=min,median,rounds

# Hours; kills, damage, races, hostile input. ATTACKS="kills=20 races=5" for some of them.
ATTACKS ?=
attack: setup
	@PYTHONPATH=tests $(BIN)/python -m attacks $(ATTACKS)

# OPTIONS="--no-browser --allow-root" for JupyterLab, and likewise for voila.
OPTIONS ?=
lab: setup
	@$(BIN)/numlab lab $(OPTIONS)

app: setup
	@$(BIN)/numlab app $(OPTIONS)

# Compares what was installed by content, because a fresh checkout changes the files' dates.
setup:
	@cat requirements.lock pyproject.toml | cmp -s - $(VENV)/installed || $(MAKE) --no-print-directory $(VENV)/installed

.PHONY: $(VENV)/installed
$(VENV)/installed:
	@test -n "$(PYTHON)" || { echo "numlab needs Python 3.11 or newer; none is on the path (make PYTHON=...)" >&2; exit 1; }
	@echo "setting up $(VENV) (a few minutes, once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@grep -v '^#' requirements.lock | xargs -n 24 -P 4 $(PIP)
	@$(PIP) --no-build-isolation -e .
	@cat requirements.lock pyproject.toml > $@
