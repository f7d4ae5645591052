# make demo and make test each set up what they need; both are quick when run again.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-slow lint lock certificates docs pictures game-pictures clean

demo: $(READY)
	@$(BIN)/python examples/demo.py

test: $(READY)
	@$(BIN)/python -c "import importlib.util as u; (u.find_spec('torch') and u.find_spec('stable_baselines3')) or print('left out: tests that train Stable-Baselines3 and a torch loop (pip install torch stable-baselines3 brings them in)')"
	@$(BIN)/python -c "import importlib.util as u; u.find_spec('ray') or print('left out: the test of Ray (pip install ray fsspec brings it in)')"
	@$(BIN)/python -m pytest -q -n 2 --dist loadfile --durations=10 -m "not slow"

test-slow: $(READY)
	@$(BIN)/python -m pytest -q --durations=10 -m slow

lint: $(READY)
	@$(BIN)/ruff check src tests examples benchmarks tools
	@$(BIN)/ruff format --check src tests examples benchmarks tools
	@$(BIN)/mypy

# The certificates that `assay list` prints "proved" from; needed after any change to core, variations or an env.
certificates: $(READY)
	@$(BIN)/assay check toy platformer gym atari rules --write

# Draws the pictures of docs/axes.md that are missing; `make pictures` draws all of them anew, in minutes.
docs: $(READY)
	@$(BIN)/python -m tools.docs.reference docs/reference
	@$(BIN)/python -m tools.docs.gallery docs
	@$(BIN)/python -m tools.docs.atari_page docs
	@$(BIN)/python -m tools.docs.objects_page docs
	@$(BIN)/python -m tools.docs.game_pages docs/games

pictures: $(READY)
	@$(BIN)/python -m tools.docs.gallery docs --all

# The pages of Atari games with a sheet for every variation, in build/games; some fifteen minutes for all games.
game-pictures: $(READY)
	@$(BIN)/python -m tools.docs.game_pages build/games --pictures $(GAMES)

# Needs uv. The lock it writes names packages and hashes, no host.
lock:
	uv lock --quiet
	uv export --quiet --no-emit-index-url --no-emit-project --no-annotate --no-header --extra dev --extra gym --extra atari --extra web > requirements.lock

# Debian's python3 may lack ensurepip and refuses installs into the system, so its pip installs into a bare venv.
$(READY): requirements.lock pyproject.toml
	@echo "setting up $(VENV) ($$($(PYTHON) --version)); this downloads packages the first time"
	@test -x $(BIN)/python || $(PYTHON) -m venv --without-pip $(VENV)
	@$(PYTHON) -m pip --python $(BIN)/python install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(PYTHON) -m pip --python $(BIN)/python install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

clean:
	rm -rf $(VENV) build dist src/*.egg-info
