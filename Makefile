# The commands of every day. README.md and .ci/run do the same things; .ci/run does everything.

BIN := .venv/bin

.PHONY: setup run test fast check map

setup:  # a virtual environment with all that tests and checks need
	python3 -m venv .venv
	$(BIN)/pip install -q -e '.[test,check,pictures]'

run:  # the interface, with the bundled demo agent
	$(BIN)/acp-tui --demo

test:  # all tests
	$(BIN)/pytest -n auto

fast:  # those that take less than a fifth of a second each: for the inner loop
	$(BIN)/pytest -n auto -m "not slow"

check:  # style, types and import contracts
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

map:  # every module with the first line of its docstring
	@git ls-files 'acp_tui/*.py' | xargs grep -m1 '^"""'
