# Needs Python 3.11, git and make; uses uv where it is there.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
LOGS ?= logs

ifdef UV
create = uv venv --quiet --allow-existing --python $(PYTHON) $(VENV)
install = uv pip install --quiet --compile-bytecode --python $(BIN)/python
else
create = $(PYTHON) -m venv $(VENV)
install = $(BIN)/python -m pip install --quiet --disable-pip-version-check
endif

.PHONY: demo observatory test lint types unit validate bench docs clean

demo: $(VENV)/.installed  ## run every task on two simulated models, then write the report
	$(BIN)/inspect-confidence run examples/demo.yaml --log-dir $(LOGS)/demo --display none
	$(BIN)/inspect-confidence report $(LOGS)/demo -o $(LOGS)/demo-report

observatory: $(VENV)/.installed  ## a report and a leaderboard of real models, from recorded answers
	PYTHONPATH=tests $(BIN)/python docs/observatory.py

test: lint  ## lint, types and the whole test suite, the last two at once
	@$(MAKE) --no-print-directory -j2 types unit

lint: $(VENV)/.installed-dev
	$(BIN)/ruff format --check src tests docs benchmarks
	$(BIN)/ruff check src tests docs benchmarks

types: $(VENV)/.installed-dev
	$(BIN)/mypy

unit: $(VENV)/.installed-dev
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow"

validate: $(VENV)/.installed-dev  ## long simulations: recovery of parameters, coverage of intervals
	rm -f docs/coverage.csv docs/levels.csv
	COVERAGE_FIGURES=$(CURDIR)/docs/coverage.csv $(BIN)/pytest -n 2 -m slow tests
	@for file in docs/coverage.csv docs/levels.csv; do \
		(head -n 1 $$file; tail -n +2 $$file | LC_ALL=C sort) > $$file.new && mv $$file.new $$file; \
	done

bench: $(VENV)/.installed-bench  ## speed beside that of other packages: about fifteen minutes
	$(BIN)/python benchmarks

docs: $(VENV)/.installed-docs  ## write the generated pages and the notebook anew, build site/
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/generate_api.py
	$(BIN)/python docs/generate_reading.py
	$(BIN)/python docs/generate_cost.py
	$(BIN)/python docs/execute_notebook.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) dist

$(VENV)/.installed: pyproject.toml
	$(create)
	$(install) --editable .
	touch $@

$(VENV)/.installed-dev: pyproject.toml
	$(create)
	$(install) --editable '.[dev]'
	touch $@ $(VENV)/.installed

$(VENV)/.installed-bench: pyproject.toml
	$(create)
	$(install) --editable '.[bench]'
	touch $@ $(VENV)/.installed

$(VENV)/.installed-docs: pyproject.toml
	$(create)
	$(install) --editable '.[docs]'
	touch $@ $(VENV)/.installed
