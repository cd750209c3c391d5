# The commands of this repository; `make` alone lists them. CONTRIBUTING.md says more about each.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules

# Of `make local`: the policies, the two ports, and any other argument of stepbreaker-local.
CIRCUITS ?= statemachine/circuits
PORT ?= 8080
AWS_PORT ?= 4566
ARGS ?=

# Every build is of the whole workspace in the one development profile: other packages or another profile would mean
# other features, and the heavy crates twice.
CARGO ?= cargo
BINARIES := target/debug
VENV := .venv
LINT := statemachine/lint
DIFFERENTIAL := local/states-language/differential
INFRA := infra

# Of `make lambdas`: whose architecture they are for.
ARCH ?= $(shell uname -m)

.PHONY: help demo local test test-infra velocity stack test-aws teststate model mutants lint lint-infra fmt lambdas tools clean build needs-rust needs-node needs-python

help: ## Lists these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: build ## Shows an outage of a partner, and checks it against the partner's own log (ARGS=--fail-first-probe, --stray-request)
	@exec $(BINARIES)/demo $(ARGS)

local: build ## Runs the whole system here, until Ctrl-C (CIRCUITS=dir, PORT=, AWS_PORT=, ARGS=)
	@exec $(BINARIES)/stepbreaker-local --circuits '$(CIRCUITS)' --port $(PORT) --aws-port $(AWS_PORT) $(ARGS)

test: lint build test-infra $(VENV)/installed $(DIFFERENTIAL)/node_modules/.installed ## Runs every test; needs no network once everything is installed, and no Docker
	STATES_LANGUAGE_DIFFERENTIAL=required $(CARGO) test --workspace --locked --no-fail-fast
	@cat target/definition-coverage.txt target/fault-matrix.txt target/partner-*.txt target/mock-cases.txt target/tmp/differential.txt
	bash tests/scripts/front_door.sh
	$(VENV)/bin/python tests/scripts/sdk.py

test-infra: build $(INFRA)/node_modules/.installed ## Runs the tests of the CDK app alone
	npm test --prefix $(INFRA)
	@cat target/permissions.txt

velocity: build $(INFRA)/node_modules/.installed ## Renders the API's templates with Apache Velocity too, and compares (needs Java 17 and Velocity)
	@bash $(INFRA)/scripts/velocity.sh

stack: build lambdas $(INFRA)/node_modules/.installed ## Deploys the CDK app to a second engine here, plays tests/cases there, destroys it (Python 3.12+; CASES=, STACK_PORT=, KEEP=1)
	@exec bash infra/scripts/stack.sh

test-aws: build ## Plays tests/cases on AWS, with the table and the functions of a deployed stack (STACK=, PARTNER_HOST=)
	@exec bash infra/scripts/test-aws.sh '$(STACK)'

teststate: build ## Puts each state of the definition to the TestState API of AWS_ENDPOINT_URL, or of the system here
	@$(CARGO) test --quiet --workspace --locked --test teststate -- --nocapture

mutants: needs-rust ## Changes the breaker in every small way and tells which changes no test notices (a quarter of an hour; JOBS=2)
	bash tests/scripts/mutants.sh

model: needs-rust ## Explores the protocol with larger bounds than `make test` does (long, and some GB of memory)
	$(CARGO) run --locked -p model --example deep

lint: needs-rust lint-infra $(LINT)/node_modules/.installed ## Checks formatting, Rust, the definition and the CDK app
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(LINT)/node_modules/.bin/asl-validator --json-path statemachine/circuit-breaker.asl.json

# W3005: CDK says of a function that it depends on its role, which names it anyway.
lint-infra: build $(INFRA)/node_modules/.installed $(VENV)/installed
	npm run check --prefix $(INFRA)
	npm run synth --prefix $(INFRA) -- -c placeholders=true --output ../target/infra
	$(VENV)/bin/cfn-lint --ignore-checks W3005 -- target/infra/*.template.json

fmt: needs-rust ## Formats the Rust code
	$(CARGO) fmt --all

lambdas: needs-rust ## Builds the Lambdas as they are shipped into dist/lambdas, and tells their sizes (ARCH=arm64 or x86_64; by default this machine's)
	@ARCH='$(ARCH)' CARGO='$(CARGO)' bash $(INFRA)/scripts/lambdas.sh

tools: $(VENV)/installed $(LINT)/node_modules/.installed $(DIFFERENTIAL)/node_modules/.installed $(INFRA)/node_modules/.installed ## Installs what tests and lint need beside Rust: the one step with a network

clean: ## Removes everything that was built or installed here
	$(CARGO) clean
	rm -rf $(VENV) $(LINT)/node_modules $(DIFFERENTIAL)/node_modules $(INFRA)/node_modules $(INFRA)/.venv $(INFRA)/cdk.out dist

build: needs-rust
	@echo 'Building (the first time some minutes: it includes SQLite and the AWS SDK) …' >&2
	@$(CARGO) build --workspace --bins --locked

$(VENV)/installed: tests/scripts/requirements.txt $(INFRA)/lint/requirements.txt | needs-python
	python3 -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes $(^:%=-r %)
	@touch $@

$(LINT)/node_modules/.installed $(DIFFERENTIAL)/node_modules/.installed $(INFRA)/node_modules/.installed: %/node_modules/.installed: %/package-lock.json | needs-node
	npm ci --prefix $* --ignore-scripts --no-audit --no-fund
	@touch $@

# Tells what is missing and how to get it, all at once rather than one error after another.
needs-rust:
	@missing=0; \
	command -v $(CARGO) > /dev/null || { missing=1; \
	  echo 'Missing: cargo, of Rust 1.95 or later.  Get it with rustup: https://rustup.rs' >&2; }; \
	command -v cc > /dev/null || { missing=1; \
	  echo 'Missing: cc, a C compiler.  Debian, Ubuntu: sudo apt-get install build-essential   macOS: xcode-select --install' >&2; }; \
	exit $$missing

needs-node:
	@command -v npm > /dev/null || { \
	  echo 'Missing: npm, of Node.js 20 or later.  Debian, Ubuntu: sudo apt-get install nodejs npm   macOS: brew install node' >&2; exit 1; }

needs-python:
	@missing=0; \
	python3 -c 'import ensurepip, venv' 2> /dev/null || { missing=1; \
	  echo 'Missing: python3 with venv.  Debian, Ubuntu: sudo apt-get install python3-venv   macOS: brew install python' >&2; }; \
	command -v curl > /dev/null || { missing=1; \
	  echo 'Missing: curl.  Debian, Ubuntu: sudo apt-get install curl' >&2; }; \
	exit $$missing
