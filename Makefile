# make run   serve the app on http://127.0.0.1:7860 (PORT overrides)
# make test  checks of style and types, then all tests
# make bench measure speed, memory and accuracy, and print the README's table
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test bench clean

run: $(VENV)/installed
	$(BIN)/python app.py

test: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest

bench: $(VENV)/installed
	$(BIN)/python -m benchmarks.bench

$(VENV)/installed: requirements.txt
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -r requirements.txt
	touch $@

$(VENV)/installed-dev: requirements.txt requirements-dev.txt
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -r requirements-dev.txt
	touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV)
