# Everything is built in .venv; nothing outside this folder is touched but numba's cache of compiled kernels.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
GAMES ?= 200k

# The first Python that runs and can make environments; a version manager's shim may exist and do neither.
define find_python
for name in python3.13 python3.12 python3.11 python3; do \
  if $$name -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null; then \
    found=$$name; \
    if $$name -c 'import venv, ensurepip' 2>/dev/null; then echo $$name; exit 0; fi; \
  fi; \
done; \
if [ -n "$$found" ]; then \
  version=$$($$found -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
  echo "error: $$found cannot make virtual environments: install the package python$$version-venv (Debian, Ubuntu: apt install python$$version-venv)." >&2; \
else \
  echo "error: no Python 3.11, 3.12 or 3.13 was found: install one (Debian, Ubuntu: apt install python3 python3-venv)." >&2; \
fi; exit 1
endef

.PHONY: help setup sweep test test-slow interpreted lint types contracts format bench bench-cost bench-peers claims examples clean

help:
	@echo "make sweep        set up if need be, then a first sweep: passing variants of My Ship Sails"
	@echo "make test         set up if need be, then the tests"
	@echo "make test-slow    the slow tests: coverage of intervals, thousands of random rule sets"
	@echo "make interpreted  the marked tests without the compiler"
	@echo "make lint types contracts    ruff, mypy, import contracts"
	@echo "make claims       answer the rulebooks' claims anew: docs/claims; takes some minutes"
	@echo "make examples     play the studies in examples/ anew, with their reports and the README's figure; a minute"
	@echo "make bench        speed, as ratios: kernel to C, sweep to kernel, two threads to one; some minutes"
	@echo "make bench-cost   seconds, memory and disk of a sweep against games, players, cells, threads; half an hour"
	@echo "make bench-peers  the same, and RLCard and OpenSpiel, installed into an environment of their own"
	@echo "make clean        remove the environment and what was built"

setup: $(READY)

$(READY): pyproject.toml
	@python=$$($(find_python)) || exit 1; \
	echo "Setting up $(VENV) with $$python ..."; \
	$$python -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(READY)

sweep: $(READY)
	@if [ -d runs/first ]; then \
	  $(BIN)/shipsim sweep --resume runs/first; \
	else \
	  $(BIN)/shipsim sweep my-ship-sails --vary players=4..7 --vary pass_count=1,2 --games $(GAMES) --out runs/first; \
	fi && $(BIN)/shipsim report runs/first

test: $(READY)
	$(BIN)/python -m pytest

test-slow: $(READY)
	$(BIN)/python -m pytest -m slow

interpreted: $(READY)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m interpreted

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

contracts: $(READY)
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

claims: $(READY)
	@for game in ahoi my-ship-sails skull-king; do \
	  $(BIN)/shipsim claims $$game --no-progress --page docs/claims/$$game.md > /dev/null || exit 1; \
	done

examples: $(READY)
	@for study in examples/*.toml; do \
	  name=$$(basename $$study .toml); run=runs/examples/$$name; \
	  rm -rf $$run examples/$$name && mkdir -p examples/$$name && \
	  $(BIN)/shipsim sweep $$study --out $$run --no-progress > /dev/null && \
	  $(BIN)/shipsim report $$run --figures png && \
	  cp -R $$run/report/report.md $$run/report/figures examples/$$name || exit 1; \
	done
	@mkdir -p docs/figures && cp examples/passing/figures/share-half-time-leader-won.png docs/figures/passing.png

bench: $(READY)
	$(BIN)/python -m benchmarks

bench-cost: $(READY)
	$(BIN)/python -m benchmarks.cost

PEERS := build/peers

bench-peers: $(READY) $(PEERS)/.ready
	$(BIN)/python -m benchmarks --peers $(PEERS)/bin/python

$(PEERS)/.ready: benchmarks/peers/requirements.txt
	$(BIN)/python -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
