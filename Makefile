# Every target sets up what it needs in .venv. CI and developers use the same targets.
# URLSET_NATIVE=0 does not build the native engine; URLSET_NATIVE=1 makes its absence an error.
# The versions are those of requirements/*.txt; `make LOCK=no` takes the newest that pyproject.toml allows.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo quick-crates test test-all guard lint lock soak fuzz sanitize test-hosts bench release-check tutorial image docs site site-versions site-check clean
MAKEFLAGS += --no-builtin-rules --no-print-directory

# Ignore any environment that the caller has activated.
unexport VIRTUAL_ENV PYTHONHOME PYTHONPATH PYTHONDONTWRITEBYTECODE CONDA_PREFIX PIP_TARGET PIP_PREFIX PIP_USER PIP_REQUIRE_VIRTUALENV

PYTHON := .venv/bin/python
PIP := $(PYTHON) -m pip install --quiet --disable-pip-version-check

# Exact versions with hashes. What they lack, because pyproject.toml is newer, is installed after them.
LOCK := yes
LOCKED = $(if $(filter yes,$(LOCK)),$(PIP) --no-deps --requirement requirements/$(1).txt,:)

# The first interpreter that is new enough and has venv is used; `make PYTHONS=/path/to/python` overrides.
PYTHONS := python3 python3.14 python3.13 python3.12 python3.11
IS_SUITABLE := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))

# Note: rustup's cargo is on PATH even without a toolchain, so it is run to find out.
CARGO_WORKS := $(shell cargo --version >/dev/null 2>&1 && echo yes)
CARGO_FMT := $(and $(CARGO_WORKS),$(shell cargo fmt --version >/dev/null 2>&1 && echo yes))
CARGO_CLIPPY := $(and $(CARGO_WORKS),$(shell cargo clippy --version >/dev/null 2>&1 && echo yes))

# Stamps: the environment depends on pyproject.toml, the native engine on its sources and on cargo.
# base.stamp: urlset with what it requires. tools.stamp: also the libraries of the tests.
# The name of the second one contains the case it was made for, so a later installation of cargo is noticed.
BASE := .venv/base.stamp
TOOLS := .venv/tools.stamp
QUICK := .venv/quick-engine.stamp
SITE := .venv/site.stamp
NATIVE := .venv/native-$(if $(CARGO_WORKS),cargo,alone)-$(or $(URLSET_NATIVE),try).stamp
RUST := $(shell find rust \( -name target -o -name fuzz \) -prune -o \( -name '*.rs' -o -name 'Cargo.*' \) -print 2>/dev/null)

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: $(NATIVE) ## make .venv and build the engine (the other targets do this themselves)

# The demo needs neither the libraries of the tests nor an optimized engine.
demo: ## read, check, build and audit sample sites, without a network
	@$(MAKE) --question $(NATIVE) || { $(MAKE) --jobs=2 $(BASE) quick-crates && $(MAKE) $(QUICK); }
	@.venv/bin/urlset --version
	@$(PYTHON) examples/demo.py

# Without those that are marked slow, or that tests/durations.json has as slow.
test: setup ## run the tests that take little time, of Python
	@.venv/bin/urlset --version
	$(PYTHON) -m pytest --numprocesses auto --dist worksteal -m 'not slow'

# MARKS selects some of them, such as 'not guard' in CI, where `make guard` has run those.
test-all: setup ## run all tests, of Python and of Rust, and those of the engine without the native one
	@.venv/bin/urlset --version
	$(PYTHON) -m pytest --numprocesses auto --dist worksteal $(if $(MARKS),-m '$(MARKS)')
	URLSET_NATIVE=0 $(PYTHON) -m pytest --quiet --numprocesses auto --dist worksteal \
		-m 'not slow' tests/engine tests/writer tests/arrow tests/formats
ifdef CARGO_WORKS
	cargo test --quiet --manifest-path rust/core/Cargo.toml
else
	@echo "Rust tests are skipped: cargo is not installed."
endif

# The ratios run alone: other processes on the machine would share its caches. Each worker of pytest
# collects the tests of the files that it is given, which takes long for all of them.
guard: setup ## compare speed with the best so far; test threads and hostile input
	$(PYTHON) benches/guard.py
	$(PYTHON) -m pytest --quiet --numprocesses auto --dist worksteal -m guard \
		$$(grep -rlF --include='*.py' mark.guard tests)

lint: setup ## check style and types, of Python and of Rust
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	$(PYTHON) docs/generate.py --check
ifdef CARGO_FMT
	cargo fmt --manifest-path rust/Cargo.toml --all --check
	$(if $(wildcard rust/fuzz),cargo fmt --manifest-path rust/fuzz/Cargo.toml --check)
else
	@echo "Rust formatting is not checked: cargo fmt is not installed."
endif
ifdef CARGO_CLIPPY
	cargo clippy --quiet --manifest-path rust/Cargo.toml --workspace --all-targets -- -D warnings
else
	@echo "Rust is not linted: cargo clippy is not installed."
endif

soak: setup ## run the long tests: complexity, attacks, kills, random examples (hours)
	URLSET_SOAK=1 $(PYTHON) -m pytest tests tests/soak -m soak --numprocesses auto --dist worksteal

fuzz: $(BASE) ## run the fuzz targets, a minute each (TARGET=parse, SECONDS=600, RUNS=1000000; HISTORY=1: sums)
	@$(PYTHON) packaging/fuzz.py $(if $(SECONDS),--seconds $(SECONDS)) $(if $(RUNS),--runs $(RUNS)) \
		$(if $(HISTORY),--history) $(TARGET)

sanitize: setup ## run the tests of the engine under AddressSanitizer (THREAD=1: ThreadSanitizer; TESTS=: some)
	@$(PYTHON) packaging/sanitize.py $(if $(THREAD),--thread) $(TESTS)

test-hosts: ## test adapters with the oldest and newest hosts (HOST=django, WHICH=oldest: some of them)
	@$(firstword $(foreach python,$(PYTHONS),$(shell command -v $(python)))) packaging/host_tests.py \
		--only "$(HOST)" $(if $(WHICH),--which $(WHICH))

bench: setup ## measure urlset and its peers, print the tables, and record the results
	@$(PYTHON) benches/run.py --record

lock: ## write requirements/*.txt and the Homebrew formula from pyproject.toml (UPGRADE=1: newest)
	@$(firstword $(foreach python,$(PYTHONS),$(shell command -v $(python)))) packaging/lock.py \
		$(if $(UPGRADE),--upgrade)

release-check: ## build the sdist and the wheels, and check them; nothing is uploaded
	@$(firstword $(foreach python,$(PYTHONS),$(shell command -v $(python)))) packaging/release_check.py

tutorial: setup ## install a wheel without a compiler, and follow the tutorial to its end
	@$(PYTHON) packaging/tutorial_check.py $(WHEEL)

# A registry that is not the public one, or options of the build: BUILD='--build-arg PYTHON=…'.
ENGINE := docker
image: ## build the container images and check them (ENGINE=podman: with that one)
	@for target in '' distroless; do \
		name=urlset$${target:+-$$target}; \
		$(ENGINE) build --tag $$name $${target:+--target $$target} $(BUILD) . || exit; \
		$(firstword $(foreach python,$(PYTHONS),$(shell command -v $(python)))) packaging/image_check.py \
			--engine '$(ENGINE)' $$name || exit; \
	done

docs: setup ## write the generated pages of docs/
	@$(PYTHON) docs/generate.py

site: $(SITE) ## build the documentation site in build/site (SITE_URL=https://…/ is its address)
	@$(PYTHON) docs/build_site.py

site-versions: $(SITE) ## build the sites of all releases and of HEAD in build/versions/site
	@$(PYTHON) docs/build_versions.py

site-check: setup $(SITE) ## build the site for loopback; check its sitemap, pages and links, in Chromium too
	@$(PYTHON) docs/build_site.py --check
	@$(PYTHON) -m pytest -q tests/docs/test_site_browser.py

clean: ## remove everything that these targets made
	rm -rf .venv build dist rust/target src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -f src/urlset/engine/_native*.so src/urlset/engine/_native*.pyd
	find src tests examples benches docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# The native engine belongs to another stamp, which shows the output of cargo: its first build takes a while.
$(BASE): pyproject.toml setup.py $(wildcard requirements/*.txt)
	@found=; for python in $(PYTHONS); do \
		if $$python -c '$(IS_SUITABLE)' >/dev/null 2>&1; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
		echo "urlset needs Python 3.11 or newer, with venv and ensurepip (Debian: python3-venv);" \
			"none of these is suitable: $(PYTHONS)" >&2; \
		exit 1; \
	fi; \
	$(PYTHON) -c '' >/dev/null 2>&1 || { \
		echo "Making .venv with $$($$found --version) …"; $$found -m venv --clear .venv; \
	}
	@echo "Installing urlset into .venv …"
	@$(call LOCKED,base)
	@$(PIP) 'setuptools>=77.0.3' 'setuptools-rust>=1.13'
	@URLSET_NATIVE=0 $(PIP) --no-build-isolation --editable .
	@rm -f .venv/*-*.stamp
	@touch $@

$(TOOLS): $(BASE)
	@echo "Installing the tools of development into .venv …"
	@$(call LOCKED,dev)
	@URLSET_NATIVE=0 $(PIP) --no-build-isolation --editable '.[dev]'
	@touch $@

# In an environment of its own: some of its requirements contradict those of other generators in [dev].
$(SITE): $(BASE)
	@$(PYTHON) -m venv .venv/site
	@$(subst $(PYTHON),.venv/site/bin/python,$(call LOCKED,site))
	@.venv/site/bin/python -m pip install --quiet --disable-pip-version-check $$($(PYTHON) -c \
		"import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['site'])")
	@touch $@

# If cargo fails, no stamp is written, so the next run tries again.
$(NATIVE): $(TOOLS) $(RUST)
	@rm -f .venv/native-*.stamp $(QUICK)
	@$(PYTHON) -W ignore setup.py --quiet build_rust --inplace
	@if [ -z "$(CARGO_WORKS)" ] || [ "$(URLSET_NATIVE)" = 0 ] \
		|| ls src/urlset/engine/_native*.so >/dev/null 2>&1; then touch $@; fi

# An engine that is built in half the time, for the demo. Its crates are compiled while pip runs.
quick-crates:
	@[ -z "$(CARGO_WORKS)" ] || [ "$(URLSET_NATIVE)" = 0 ] || [ -e $(QUICK) ] || { \
		echo "Compiling the native engine, with little optimization …"; \
		cargo build --quiet --profile quick --manifest-path rust/binding/Cargo.toml \
			--features pyo3/extension-module || :; }

$(QUICK): $(BASE) $(RUST)
	@rm -f .venv/native-*.stamp
	@SETUPTOOLS_RUST_CARGO_PROFILE=quick $(PYTHON) -W ignore setup.py --quiet build_rust --inplace
	@touch $@
