# make run   serve the app on http://127.0.0.1:7860 (PORT overrides)
# make test  checks of style and types, then all tests in two processes, the slow files first
# make test-llm VERIFIER_LLM=FILE.gguf   an instruct model of your own, for real: answers, deadlines, Stop, memory, attacks
# make screenshots take the README's pictures of the page, into docs/images
# make lock  write requirements.lock: every package with its hashes, for the pins of requirements.txt
# make audit ask a database of known vulnerabilities about every locked package (needs a network)
# make bench measure speed, memory and accuracy, and print the README's table
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CHROMIUM ?= $(firstword $(shell command -v chromium chromium-browser) /usr/bin/chromium)
export CHROMIUM
# Compile of llama.cpp the library alone, which takes half the time: no image models, nothing of its own programs.
export CMAKE_ARGS ?= -DLLAVA_BUILD=OFF "-DCMAKE_PROJECT_llama_cpp_INCLUDE=$(CURDIR)/models/llama_cpp.cmake"

.PHONY: run test test-llm screenshots chromium bench lock audit clean

run: $(VENV)/installed
	$(BIN)/python app.py

test: chromium $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder --ignore=tests/llm_real

test-llm:
	@test -f "$(VERIFIER_LLM)" || { echo "error: there is no model to test; run: make test-llm VERIFIER_LLM=FILE.gguf" >&2; exit 1; }
	$(MAKE) $(VENV)/installed-dev
	OMP_NUM_THREADS=1 VERIFIER_LLM="$(abspath $(VERIFIER_LLM))" $(BIN)/pytest tests/llm_real

screenshots: chromium $(VENV)/installed-dev
	$(BIN)/python -m tests.browser.screenshots

chromium:
	@command -v "$(CHROMIUM)" >/dev/null || { echo "error: no Chromium at $(CHROMIUM): install the package chromium, or name its path in CHROMIUM" >&2; exit 1; }

bench: $(VENV)/installed
	$(BIN)/python -m lab.benchmarks.bench

lock: $(VENV)/tools
	$(BIN)/uv pip compile requirements.txt --universal --generate-hashes --python-version 3.11 --no-header --no-annotate \
		--no-emit-index-url --no-emit-find-links --quiet --upgrade -o requirements.lock

audit: $(VENV)/tools
	$(BIN)/pip-audit --require-hashes --disable-pip -r requirements.lock

$(VENV)/tools:
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install uv==0.13.9 pip-audit==2.10.1
	touch $@

$(VENV)/installed: requirements.txt requirements.lock
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install $$($(BIN)/python -m lab.space_check.lock)
	touch $@

$(VENV)/installed-dev: requirements.txt requirements-dev.txt
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -r requirements-dev.txt
	touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV)
