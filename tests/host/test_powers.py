from __future__ import annotations

import re

import pytest

from acp_tui.host.command_rules import covering
from acp_tui.host.powers import POWERS, power_of


@pytest.mark.parametrize(
    ("prefix", "line"),
    [
        *(("find", "find . -exec x {} +"), ("find", "find . -delete"), ("find", "find . -fprint x")),
        *(
            ("git log", "git log --output=x"),
            ("git", "git -c a.b=c status"),
            ("git diff", "git diff --ext-diff"),
        ),
        *(
            ("sed", "sed -i s/a/b/ x"),
            ("sed", "sed 1e x"),
            ("sed", "sed 's/a/b/w x' y"),
            ("sed", "sed 'w x' y"),
        ),
        *(
            ("tar", "tar --to-command=x -tf y"),
            ("tar", "tar xf y"),
            ("sort", "sort -o x y"),
            ("sort", "sort -uo x y"),
        ),
        *(("awk", "awk '{print > \"x\"}' y"), ("awk", "awk 'BEGIN{system(1)}'"), ("fd", "fd -x rm")),
        *(("npm", "npm exec x"), ("python", "python -c x"), ("rg", "rg --pre x y"), ("curl", "curl -o x y")),
        *(("make", "make --eval=x"), ("yq", "yq -i x y"), ("tree", "tree -o x")),
    ],
)
def test_an_option_that_runs_or_writes_makes_an_allow_rule_ask(prefix: str, line: str) -> None:
    assert covering([prefix], line) is None


@pytest.mark.parametrize(
    ("prefix", "line"),
    [
        *(("find", "find . -name x -type f"), ("git log", "git log -p --oneline"), ("sed", "sed -n 1,5p x")),
        *(("sed", "sed s/a/b/ x"), ("tar", "tar tf y"), ("sort", "sort -u x"), ("awk", "awk '{print $1}' x")),
        *(("npm", "npm test"), ("python", "python -m pytest -q"), ("rg", "rg -n x"), ("make", "make test")),
        *(("cargo", "cargo test"), ("pytest", "pytest -q tests"), ("git commit", "git commit -m x")),
        *(("find . -delete", "find . -delete"), ("sed -i", "sed -i s/a/b/ x"), ("env", "env")),
    ],
)
def test_plain_use_and_what_the_rule_names_stay_allowed(prefix: str, line: str) -> None:
    assert covering([prefix], line) is not None


def test_every_power_has_words_and_a_pattern_that_compiles() -> None:
    for power in POWERS.values():
        assert power.does
        re.compile(power.options)
    assert power_of(["/usr/bin/find", "."]) is POWERS["find"]
    assert power_of(["ls"]) is None
