# Two commands do everything: `make demo` and `make test`. Python 3.11+, Node 20.19+ and make suffice.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet -c constraints.txt
EXTENSION := vscode-client

# Those that need no repository, corpus or candidates.
BENCHMARKS := $(addprefix speed/,editor load memory project_memory suggest) suggestions/scenarios
.PHONY: demo test check audit bench bundled calibrated graphs soak docs lock vsix package sbom clean python node

demo: $(VENV)/.runtime
	$(BIN)/editcast demo

# Most tests wait more than they compute: two files at once, each on one thread, since the threads of several
# processes wait for each other's. A workbench wants the machine for itself.
TEST_PROCESSES := 2

test: $(VENV)/.all vsix
	@mkdir -p .cache
	EDITCAST_NOT_RUN=.cache/not-run OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder --ignore tests/e2e
	EDITCAST_NOT_RUN=.cache/not-run-e2e $(BIN)/python -m pytest tests/e2e
	cd $(EXTENSION) && EDITCAST_TEST_PYTHON=$(CURDIR)/$(BIN)/python npm test --silent
	@cat .cache/not-run .cache/not-run-e2e

# Tests and benchmarks may hand on what libraries do not type.
OF_TESTS := --implicit-reexport --no-warn-return-any --allow-untyped-calls --no-strict-equality \
	--follow-imports silent

check: docs $(VENV)/.all $(EXTENSION)/node_modules/.complete
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	for each in $(addprefix tests/,docs editors model server supply training '*.py') $(addprefix benchmarks/,speed suggestions); do \
	  MYPYPATH=tests/server:tests/adversarial:tests/e2e:tests:benchmarks/suggestions:benchmarks/speed \
	    $(BIN)/mypy $(OF_TESTS) $$each || exit 1; done
	$(BIN)/lint-imports --no-cache
	cd $(EXTENSION) && npm run --silent check && npm run --silent lint
	@$(BIN)/python tools/audit.py

# The documentation, into build/docs.
docs: $(VENV)/.all
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: $(VENV)/.all
	for each in $(BENCHMARKS:%=benchmarks/%.py); do echo "== $$each"; $(BIN)/python $$each || exit 1; done

# The bundled model, from MIRROR, a folder of the repositories of training/bundled.toml, and SAVES, recorded
# histories. Every step goes on where it was; the same steps and seed make the same model.
RECIPE := training/bundled.toml
WORK := build/bundled
# What the model is called.
NAME := editcast-eighth
BUNDLE := model/editcast_model/bundled
LENGTH := --steps 40000
# FURTHER=1 trains the present one on, with its vocabulary, instead of beginning anew.
ifdef FURTHER
BEGIN := --from $(BUNDLE) --further
VOCABULARY := --tokenizer $(BUNDLE)/tokenizer.json
else
BEGIN := --scratch
endif
SOURCES = --repositories $(RECIPE) --mirror $(MIRROR) $(addprefix --saves ,$(SAVES))
SEED := 0
bundled: $(VENV)/.all
	@test -n "$(MIRROR)" || { echo "Name the folder of the repositories: make bundled MIRROR=FOLDER" >&2; exit 2; }
	$(BIN)/editcast corpus $(WORK)/corpus $(VOCABULARY) $(SOURCES) --seed 0
	$(BIN)/editcast train $(WORK)/$(NAME) $(BEGIN) --corpus $(WORK)/corpus $(LENGTH) $(SOURCES) --seed $(SEED)
	cp -R $(WORK)/$(NAME)/bundle/. $(BUNDLE)/

# The bundled model with its ranker fitted anew, from MIRROR, a folder of the repositories of training/calibration.toml.
CALIBRATED := training/calibration.toml
calibrated: $(VENV)/.all
	@test -n "$(MIRROR)" || { echo "Name the folder of the repositories: make calibrated MIRROR=FOLDER" >&2; exit 2; }
	$(BIN)/editcast calibrate $(BUNDLE) --out $(BUNDLE) --repositories $(CALIBRATED) --mirror $(MIRROR) \
		$(addprefix --saves ,$(SAVES)) --commits 16 --seed 0 --keep continuations --keep next-tokens \
		--candidates $(WORK)/candidates.jsonl

# The bundled model with its graphs exported again.
graphs: $(VENV)/.all
	$(BIN)/python tools/export_graphs.py

# What the extension installs, by hash: on a machine without an NVIDIA driver, and (-gpu) on one with it. uv asks
# the index for all platforms' files.
LOCK := $(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-annotate --custom-compile-command "make lock" -c constraints.txt pyproject.toml
CPU := --override tools/locks/cpu.txt

lock: $(VENV)/.all
	$(LOCK) -o requirements-gpu.lock
	$(LOCK) --extra train -c requirements-gpu.lock -o requirements-train-gpu.lock
	$(LOCK) $(CPU) -c requirements-train-gpu.lock -o requirements.lock
	$(LOCK) tools/locks/torch.in --extra train $(CPU) -c requirements-train-gpu.lock -o requirements-train.lock

# An hour of attacks, or as many minutes as SOAK_MINUTES says; without a wheel of atheris no fuzzing.
soak: $(VENV)/.all
	-$(PIP) -e '.[soak]'
	$(BIN)/python tests/adversarial/soak.py

# One file that installs: the extension, with the server's wheel in it; beside it, what is in both.
vsix: $(VENV)/.build $(EXTENSION)/node_modules/.complete
	@$(MAKE) --no-print-directory package sbom

# What is built says when its sources were committed, never when, where or by whom it was built.
package sbom: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 946684800)
package: export TZ := UTC
package:
	rm -rf $(EXTENSION)/server && mkdir -p $(EXTENSION)/server
	umask 022 && $(BIN)/python -m pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation \
	  -w $(EXTENSION)/server .
	umask 022 && cd $(EXTENSION) && npm run --silent build && npm run --silent package

sbom:
	$(BIN)/python tools/sbom.py $(EXTENSION)

clean:
	rm -rf $(VENV) $(EXTENSION)/node_modules $(EXTENSION)/out $(EXTENSION)/server $(EXTENSION)/*.vsix $(EXTENSION)/*.cdx.json

python:
	@$(PYTHON) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Editcast needs Python 3.11 or newer with venv; install it (Debian: apt install python3-venv)," \
	       "or name one: make PYTHON=/path/to/python3" >&2; exit 2; }

node:
	@node -e 'const [a, b] = process.versions.node.split("."); process.exit(a - 20 + b / 100 < 0.19 ? 1 : 0)' 2>/dev/null || { \
	  echo "Building the extension needs Node.js 20.19 or newer with npm; install it and try again." >&2; \
	  exit 2; }

$(BIN)/python: | python
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e .
	@touch $@

# torch first and by its exact version: asked for more loosely it brings gigabytes of CUDA along.
$(VENV)/.all: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) torch==2.13.0
	$(PIP) -e '.[train,papers,vocabulary,cluster,dev]'
	@touch $@ $(VENV)/.runtime $(VENV)/.build

# What builds the wheel and the lists of what is in it: whoever only wants the extension needs no PyTorch.
$(VENV)/.build: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) hatchling cyclonedx-bom
	@touch $@

$(EXTENSION)/node_modules/.complete: $(EXTENSION)/package.json $(EXTENSION)/package-lock.json | node
	cd $(EXTENSION) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@
