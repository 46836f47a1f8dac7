# The short way to everything. Each target installs and builds what it needs first.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
.PHONY: build deps test demo demo-s3 acceptance bench bench-s3 bench-signature mutants servers lint lint-quick format layers coverage asan tsan install clean help

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
SIZE ?= small
VENV_PY := .deps/venv/bin/python
# The folders that parse foreign bytes or write what others read.
SANITIZED ?= base schema contract store bucket table parquet signature

build: ## build the program: build/release
	@tools/deps.sh build
	@tools/build.sh release $(JOBS)

deps: ## install what the build needs: Debian packages, and the rest into .deps/
	@tools/deps.sh build
	@echo "Everything in tools/deps.lock is installed."

test: build ## run the tests
	@ctest --preset release -j $(JOBS) -LE acceptance

demo: build ## run the main job on real data and show the result
	@$(VENV_PY) demo/run.py

demo-s3: build ## the same with the bucket and the lake in S3, on a server that it starts
	@$(VENV_PY) demo/run.py --s3

acceptance: build ## run the long tests, with other programs reading what we wrote
	@tools/deps.sh build acceptance
	@ctest --preset release -L acceptance --no-tests=ignore

servers: build ## run the tests on servers that make test does without: versitygw, a Hive Metastore, …
	@tools/deps.sh build servers
	@ctest --preset release -L more-servers

bench: build ## measure ingest beside other tools (SIZE=small|full)
	@$(VENV_PY) bench/ingest.py --size $(SIZE)

bench-s3: build ## measure transfers to and from a bucket beside other tools
	@tools/deps.sh build servers
	@cmake --build --preset release -j $(JOBS) --target tidegate_s3_copy
	@$(VENV_PY) bench/s3.py

bench-signature: build ## measure content signatures beside DuckDB's sum(hash(…)) over the same files
	@cmake --build --preset release -j $(JOBS) --target tidegate_signature_bench
	@build/release/bench/tidegate_signature_bench

mutants: ## plant known mistakes one by one; the tests must turn red
	@tools/deps.sh build
	@$(VENV_PY) tools/mutants.py -j $(JOBS)

lint: ## check format, clang-tidy, layers, left-over markers
	@tools/deps.sh build lint
	@tools/build.sh release --configure-only
	@$(VENV_PY) tools/lint.py -j $(JOBS)

lint-quick: ## the checks of lint that take seconds: all but clang-tidy
	@tools/deps.sh build lint
	@$(VENV_PY) tools/lint.py --without-tidy

format: ## rewrite the C++ files in the house format
	@tools/deps.sh build lint
	@$(VENV_PY) tools/lint.py --fix-format

layers: ## write the table of layers into docs/architecture.md
	@tools/deps.sh build
	@$(VENV_PY) tools/check_layers.py --write docs/architecture.md

asan tsan: ## run the unit tests of SANITIZED folders under a sanitizer
	@tools/deps.sh build
	@tools/sanitized.sh $@ $(JOBS) $(SANITIZED)

coverage: ## show which part of the code the unit tests run
	@tools/deps.sh build coverage
	@tools/build.sh coverage $(JOBS)
	@find build/coverage -name '*.gcda' -delete
	@ctest --preset coverage -j $(JOBS) --quiet
	@$(VENV_PY) tools/coverage.py build/coverage

install: build ## install into PREFIX (default /usr/local)
	@cmake --install build/release --prefix "$(abspath $(PREFIX))" --strip >/dev/null
	@echo "Installed: $(abspath $(PREFIX))/bin/tidegate"

clean: ## remove all build trees; .deps stays
	@rm -rf build

help: ## show this list
	@awk -F ':.*## ' '/^[a-z0-9 -]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile
