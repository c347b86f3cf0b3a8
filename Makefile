# A fresh machine needs python3 (3.11 or later) and make; every target sets up what it needs.
#
#   make VENV=/path/to/env test         use an environment that exists already, as it is
#   make TF_PYTHON=/path/to/python ...  use a python that has TensorFlow, as it is
#   make PYTHON=python3.12 test         make .venv with another interpreter

PYTHON ?= python3
TF_REQUIREMENTS := tensorflow-cpu==2.21.* tf_keras==2.21.* jax
JOBS ?= auto

# An environment named by the caller is not touched; our own one carries a stamp that is renewed
# whenever pyproject.toml changes.
ifeq ($(origin VENV),undefined)
VENV := .venv
READY := .venv/.installed
DOCS_READY := .venv/.installed-docs
else
READY :=
DOCS_READY :=
endif
ifeq ($(origin TF_PYTHON),undefined)
TF_PYTHON := .venv-tf/bin/python
TF_READY := .venv-tf/.installed
else
TF_READY :=
endif

PY := PYTHONPATH=src $(VENV)/bin/python
DOCS_PY := PYTHONPATH=src:. $(VENV)/bin/python
# The tests use all cores by running side by side: one thread each, or they fight for the cores.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
# Many tests start processes, and each would compile the library again.
CACHED := PYTHONDONTWRITEBYTECODE=
PYTEST := $(CACHED) $(ONE_THREAD) $(PY) -m pytest -n $(JOBS) --dist worksteal -q

.PHONY: help demo test quick-tests test-fast test-all lint types format bench clients parity api stubs docs wheel clean
.DEFAULT_GOAL := help

help:
	@echo 'make demo      train a small Keras model on handwritten digits'
	@echo 'make test      lint, types and tests'
	@echo 'make test-fast one case per test and one law per op, without lint and types'
	@echo 'make test-all  the same with the slow tests'
	@echo 'make bench     measure against TensorFlow, in the same run'
	@echo 'make clients   run real TensorFlow libraries on Tapeflow and on TensorFlow'
	@echo 'make parity    run the same programs under TensorFlow and compare'
	@echo 'make format    format the code and apply safe fixes'
	@echo 'make api       record the public API after a deliberate change'
	@echo 'make stubs     write the stubs of lazily loaded namespaces'
	@echo 'make docs      build the documentation site, with the API reference, into site/'
	@echo 'make wheel     build a wheel, and run the tour with it in clean environments'
	@echo 'make clean     remove environments and caches'

demo: $(READY)
	$(PY) examples/digits.py

# The type checker runs beside the tests: it uses one core only.
test: lint
	@$(MAKE) --no-print-directory -j 2 types quick-tests

quick-tests: $(READY)
	$(PYTEST) -m 'not slow and not peer' --quick-compiler

test-fast: $(READY)
	$(PYTEST) -m 'not slow and not peer' --quick-compiler --fast

test-all: lint types
	$(PYTEST) -m 'not peer'

lint: $(READY)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: $(READY)
	$(PY) -m mypy

format: $(READY)
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

# An installed package comes compiled, as the peer's does.
bench: $(READY) $(TF_READY)
	$(PY) -m compileall -q src/tapeflow
	$(PY) -m benchmarks.run --peer-python '$(TF_PYTHON)' $(BENCH_ARGS)
	$(PY) -m benchmarks.ops --peer-python '$(TF_PYTHON)' $(OPS_ARGS)

# Libraries from the package index, each in a folder of its own under .clients.
clients: $(READY) $(TF_READY)
	$(PY) -m clients.run --peer-python '$(TF_PYTHON)' $(CLIENTS_ARGS)

parity: $(READY) $(TF_READY)
	TAPEFLOW_TF_PYTHON='$(TF_PYTHON)' $(PYTEST) tests/parity

api: $(READY)
	$(PY) -m tests.public_api --update

stubs: $(READY)
	$(PY) -m tests.stubs --update

docs: $(DOCS_READY)
	$(DOCS_PY) -m docsite

# A wheel, and the tour of the README run with it outside of the tree: with the compiler and without.
wheel:
	rm -rf build dist
	$(PYTHON) -m venv .venv-wheel
	.venv-wheel/bin/python -m pip install --quiet --disable-pip-version-check build
	.venv-wheel/bin/python -m build --wheel --outdir dist .
	rm -rf build .venv-wheel
	$(PYTHON) -m tests.wheel dist/*.whl

clean:
	rm -rf .venv .venv-tf .venv-wheel .clients build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	find . -name '*.egg-info' -type d -prune -exec rm -rf {} +

.venv/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "tapeflow needs Python 3.11 or later; try: make PYTHON=python3.12 ..."; exit 1; }
	@test -x .venv/bin/python || $(PYTHON) -m venv .venv
	@echo 'installing tapeflow and its tools into .venv, once ...'
	@.venv/bin/python -m pip install --disable-pip-version-check --editable '.[dev]' 2>&1 | \
	  sed -un 's/^ *Downloading \([^ ]*\) *(\(.*\))/  downloading \1 (\2)/p; s/^Installing collected.*/  unpacking .../p; s/^ERROR/&/p'
	@.venv/bin/python -c 'import tapeflow, jax, pytest'
	@touch $@

.venv/.installed-docs: .venv/.installed
	@echo 'installing the tools of the documentation into .venv ...'
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

# TensorFlow is a peer to measure and compare with, never a dependency. Without it the targets that
# use it say so and stop at what they can do alone.
.venv-tf/.installed:
	@echo 'installing $(TF_REQUIREMENTS) into .venv-tf ...'
	@if $(PYTHON) -m venv .venv-tf && \
	  .venv-tf/bin/python -m pip install --quiet --disable-pip-version-check $(TF_REQUIREMENTS); \
	then touch $@; \
	else echo 'TensorFlow could not be installed: nothing to compare with on this machine.'; fi
