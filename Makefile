# On a fresh machine with Rust, `make run` and `make test` install everything else that they need.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

CARGO ?= cargo
# Further flags of `askfirst serve`: make run ARGS="--port 9000 --open"
ARGS ?=

.PHONY: help run test check bench gate real-apps widgets truth small-model doctor picture

help: ## List these targets.
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 10

run: ## Install what is missing, build, serve on http://127.0.0.1:8787.
	@scripts/need.sh chromium
	@scripts/need.sh sandbox || true # Only agents with code or commands need it.
	$(CARGO) build --profile quick --no-default-features
	@exec env MALLOC_ARENA_MAX=$${MALLOC_ARENA_MAX:-2} ./target/quick/askfirst serve $(ARGS)

test: ## Run every test, those in a real Chromium and those of the page included.
	@scripts/need.sh chromium sandbox node
	@# Tests that need what cannot be installed fail, and say how to install it.
	@scripts/need.sh nginx || true
	@scripts/need.sh postgres || true
	@scripts/test-apps.sh
	@scripts/test-packages.sh
	@scripts/page-libraries.sh || true # Without them, cases with component libraries are left out.
	export TMPDIR="$$(scripts/test-tmp.sh)"; \
	if $(CARGO) nextest --version >/dev/null 2>&1; \
	then $(CARGO) nextest run --no-fail-fast --run-ignored all; \
	else $(CARGO) test --no-fail-fast -- --include-ignored; \
	fi; \
	scripts/ui_tests.sh

check: ## Formatting, lints, licences, house rules, modules of the page.
	$(CARGO) fmt --check
	$(CARGO) clippy --all-targets --quiet -- -D warnings
	@if $(CARGO) deny --version >/dev/null 2>&1; \
	then $(CARGO) deny --log-level warn check bans licenses sources; \
	else echo "note: licences and sources were not checked; cargo install --locked cargo-deny"; \
	fi
	$(CARGO) test --quiet --test it tidy::
	scripts/ui_tests.sh

bench: ## Measure, each row beside its limit.
	@scripts/need.sh chromium
	@scripts/need.sh postgres || true # Without it, the rows of PostgreSQL are left out.
	$(CARGO) bench --quiet --bench floors

gate: ## Count silent effects and needless questions over the table of the gate; GATE=part chooses cases.
	@scripts/need.sh chromium
	@scripts/gate-libraries.sh || true # Without them, cases with component libraries are left out.
	GATE="$${GATE-}" $(CARGO) test --quiet --test it gate_table::effects -- --ignored --nocapture

real-apps: ## Count silent effects and needless questions in applications that others wrote; APPS=part chooses chores.
	@scripts/need.sh chromium
	@APPS="$${APPS-}" scripts/real-apps.sh
	APPS="$${APPS-}" $(CARGO) test --quiet --test it app_chores::each -- --ignored --nocapture

widgets: ## Count widgets of component libraries that are seen and operated.
	@scripts/need.sh chromium
	@scripts/page-libraries.sh
	$(CARGO) test --quiet --test it page_cases::widgets -- --ignored --nocapture

truth: ## Compare roles, names and states with pages of others that state them; TRUTH=part chooses pages.
	@scripts/need.sh chromium
	@scripts/truth-sources.sh
	@scripts/page-libraries.sh || true # Without them, pages of component libraries are left out.
	TRUTH="$${TRUTH-}" $(CARGO) test --quiet --test it page_truth:: -- --ignored --nocapture --test-threads 1

small-model: ## Try a real small model behind llama.cpp's server; compiles the server once, which takes long.
	@scripts/small-model.sh
	SMALL_MODEL=1 $(CARGO) test --quiet --test it small_model:: -- --ignored --nocapture --test-threads 1

doctor: ## Say what this machine lacks.
	$(CARGO) run --quiet -- doctor

picture: ## Take the README's picture again, from the real page.
	@scripts/need.sh chromium
	$(CARGO) build --release
	scripts/picture.sh docs/ui.png
