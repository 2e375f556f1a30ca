# make run   serve the app on http://127.0.0.1:7860 (PORT overrides)
# make test  checks of style and types, then all tests
# make screenshots take the README's pictures of the page, into docs/images
# make bench measure speed, memory and accuracy, and print the README's table
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CHROMIUM ?= $(firstword $(shell command -v chromium chromium-browser) /usr/bin/chromium)
export CHROMIUM

.PHONY: run test screenshots chromium bench clean

run: $(VENV)/installed
	$(BIN)/python app.py

test: chromium $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest

screenshots: chromium $(VENV)/installed-dev
	$(BIN)/python -m tests.browser.screenshots

chromium:
	@command -v "$(CHROMIUM)" >/dev/null || { echo "error: no Chromium at $(CHROMIUM): install the package chromium, or name its path in CHROMIUM" >&2; exit 1; }

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
