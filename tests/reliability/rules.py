"""Rules against commands: what a real shell reads or runs is never allowed unasked when a rule denies it."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from acp_tui.rules.model import Rule, ToolUse, decide
from tests.reliability.row import Result, Row

_SHELL: Final = "/bin/bash"
_FILES: Final = (".env", "secrets/k", "sub/deep.env")
_PROGRAM: Final = "forbidden"
_TRIED_FOR_REAL: Final = 25
"""One line in so many is run by a shell."""

_READERS: Final = (
    *(
        "cat {f}",
        "cat < {f}",
        "cat <{f}",
        "head -1 {f}",
        "tail -n1 {f}",
        "grep . {f}",
        "sed -n p {f}",
        "awk 1 {f}",
    ),
    *(
        "wc -l {f}",
        "cp {f} copy",
        "ln {f} hard; cat hard",
        "ln -s {f} soft; cat soft",
        "mv {f} moved; cat moved",
    ),
    *(
        "dd if={f} 2>/dev/null",
        "sort {f}",
        "tac {f}",
        "od -c {f}",
        "source {f}",
        ". {f}",
        "xargs cat <<< {f}",
    ),
    *(
        "echo {f} | xargs cat",
        "while read x; do echo $x; done < {f}",
        "mapfile a < {f}",
        "exec 3< {f}; cat <&3",
    ),
    *(
        "diff {f} /dev/null",
        "tar cf - {f} | wc -c",
        "cat -- {f}",
        "grep --file={f} /dev/null",
        "grep -f{f} /dev/null",
    ),
    *('for f in {f}; do cat "$f"; done', "x={f}; cat $x", 'f() { cat "$1"; }; f {f}', "cat $(echo {f})"),
    *(
        "cat `echo {f}`",
        "if cat {f}; then :; fi",
        "case a in a) cat {f};; esac",
        "! cat {f}",
        "cat {f} & wait",
    ),
    *("eval cat {f}", "eval 'cat {f}'", "sh -c 'cat {f}'", 'bash -c "cat {f}"', "bash <<E\ncat {f}\nE"),
    *(
        "echo cat {f} | sh",
        "printf 'cat %s' {f} | bash",
        "env cat {f}",
        "command cat {f}",
        "nohup cat {f} 2>&1",
    ),
    *(
        "python3 -c 'print(open(\"{f}\").read())'",
        "perl -ne print {f}",
        "perl -e 'print <>' {f}",
        "cat {{{f},}}",
    ),
    *(
        "grep -r . .",
        "cat * .e* */*",
        "find . -type f -exec cat {{}} +",
        "tar cf - . | wc -c",
        "cp -r . ../copy$$",
    ),
    *(
        'cat "${{PWD}}"/{f}',
        "cat $PWD/{f}",
        "cat ./{f}",
        "cat sub/../{f}",
        "cat ~+/{f}",
        "cat {f}{{,}}",
        "cat ?env",
    ),
    *(
        "[[ $(<{f}) ]]",
        "read x < {f}",
        "cat <(cat {f})",
        "(cat {f})",
        "{{ cat {f}; }}",
        "true && cat {f} || :",
    ),
    *("cd sub && cat ../{f}", "cd secrets; cat ../{f}", "cd secrets; cat k", "pushd sub; cat deep.env; popd"),
    *("(cd secrets && cat k)", "bash -c 'cd secrets; cat *'", "cat /proc/self/cwd/{f}", "tail -q {f} {f}"),
    *('cat <<< "$(cat {f})"', "git diff --no-index /dev/null {f}", "timeout 5 cat {f}", "xargs -a {f} echo"),
)
_RUNS: Final = (
    *(
        "{p} x",
        "./bin/{p}",
        "bin/{p}",
        "$PWD/bin/{p}",
        "env {p}",
        "env A=1 {p}",
        "command {p}",
        "exec {p}",
        "! {p}",
    ),
    *(
        "eval {p}",
        'eval "{p} x"',
        "sh -c {p}",
        "bash -c '{p} x'",
        "echo {p} | sh",
        "bash <<< {p}",
        "bash <<E\n{p}\nE",
    ),
    *(
        "find . -maxdepth 0 -exec {p} {{}} +",
        "xargs {p} < /dev/null",
        "echo a | xargs {p}",
        "nohup {p} 2>&1",
        "time {p}",
    ),
    *(
        "x={p}; $x",
        "$(echo {p})",
        "f() { {p}; }; f",
        "if {p}; then :; fi",
        "for i in 1; do {p}; done",
        "({p})",
    ),
    *("{{ {p}; }}", "true && {p}", "false || {p}", "ls | {p}", "{p} & wait", "echo $({p})", "echo `{p}`"),
    *("source <(echo {p})", "trap {p} EXIT", "cp bin/{p} other; ./other", "ln -s bin/{p} other; ./other"),
    *("awk 'BEGIN{{system(\"{p}\")}}'", "sed '1e {p}' .env", "python3 -c 'import os; os.system(\"{p}\")'"),
    *(
        "perl -e 'system(\"{p}\")'",
        "alias a={p}; eval a",
        "timeout 5 {p}",
        "nice {p}",
        "setsid -w {p}",
        "env -S '{p} x'",
    ),
    *("git -c alias.zz='!{p}' zz", "BASH_ENV=<(echo {p}) bash -c :", "PROMPT_COMMAND={p} bash -i </dev/null"),
    *(
        'bash -c "$(echo {p})"',
        "cat <({p})",
        "case a in a) {p};; esac",
        "coproc {p}; wait",
        "builtin eval {p}",
    ),
)
_WRAPS: Final = (
    *(
        "{c}",
        "{c}",
        "{c}",
        "ls; {c}",
        "true && {c}",
        "{{ {c}; }}",
        "({c})",
        "if true; then {c}; fi",
        "{c} 2>/dev/null",
    ),
    *("echo start\n{c}", "for i in 1; do {c}; done", "{c} | cat", "FOO=1; {c}"),
)


def _quoted(text: str, dice: random.Random) -> str:
    """Return a word as somebody may write it who hides it."""
    place = dice.randrange(len(text) + 1)
    return dice.choice(
        (
            *(text, text, text, f"'{text}'", f'"{text}"', f"{text[:place]}''{text[place:]}"),
            *(f'{text[:place]}""{text[place:]}', "".join(f"\\{c}" for c in text), f"$'{text}'"),
            *(
                f"'{text[:place]}'{text[place:]}",
                f"\"{text[:place]}\"'{text[place:]}'",
                f"{text[:place]}\\\n{text[place:]}",
            ),
            *(
                "".join(f"[{c}]" if c.isalpha() and n == place else c for n, c in enumerate(text)),
                f"{text}$none",
            ),
        )
    )


def _line(dice: random.Random) -> tuple[str, str]:
    """Return a command line and what it is about: a file or the program."""
    if dice.random() < 0.7:
        about = dice.choice(_FILES)
        line = _with(dice.choice(_READERS), "{f}", _quoted(about, dice))
    else:
        about = _PROGRAM
        line = _with(dice.choice(_RUNS), "{p}", _quoted(about, dice))
    return (line if "\n" in line else _with(dice.choice(_WRAPS), "{c}", line)), about


def _with(shape: str, mark: str, text: str) -> str:
    return shape.replace("{{", "{").replace("}}", "}").replace(mark, text)


def _filled(root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    for name in ("secrets", "sub", "bin"):
        (root / name).mkdir(parents=True)
    for name in _FILES:
        (root / name).write_text("token=1\n")
        os.utime(root / name, (1, 1_000_000_000))  # so that reading it moves the time of access
    program = root / "bin" / _PROGRAM
    program.write_text(f"#!/bin/sh\n: > {root.parent}/ran\n")
    program.chmod(0o755)


def _touched(root: Path, line: str) -> bool:
    """Return whether a real shell reads, moves or writes a denied file or runs the program."""
    _filled(root)
    ran = root.parent / "ran"
    ran.unlink(missing_ok=True)
    environment = {"PATH": f"{root}/bin:/usr/bin:/bin", "HOME": str(root), "LC_ALL": "C"}
    try:
        subprocess.run(
            [_SHELL, "-c", line],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=10,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    if ran.exists():
        return True
    for name in _FILES:
        try:
            state = (root / name).stat()
        except OSError:
            return True
        if state.st_atime != 1 or state.st_mtime != 1_000_000_000:
            return True
    return False


def _run(count: int, seed: int) -> Result:
    dice = random.Random(seed)
    result = Result(unit="lines")
    decisions = {"allow": 0, "ask": 0, "deny": 0}
    touched = tried = 0
    with tempfile.TemporaryDirectory(prefix="rules-") as scratch:
        root = Path(scratch).resolve() / "w"
        rules = [
            *(
                Rule("deny", path="*.env"),
                Rule("deny", path=f"{root}/secrets/**"),
                Rule("deny", command=_PROGRAM),
            ),
            Rule("allow"),
        ]
        if not _touched(root, "cat .env") or _touched(root, "ls"):
            result.wrong.append("this file system does not tell what is read, so nothing can be compared")
        _filled(root)
        for number in range(count):
            line, about = _line(dice)
            if number % 500 == 0:
                _filled(root)
            said = decide(rules, ToolUse("a", "execute", command=line, workspace=str(root))).decision
            decisions[said] += 1
            result.tried += 1
            if said == "allow" or number % _TRIED_FOR_REAL == 0:
                tried += 1
                was_touched = _touched(root, line)
                touched += was_touched
                _filled(root)
                if was_touched and said == "allow":
                    result.wrong.append(f"allowed unasked, and it reaches {about}: {line!r}")
    result.notes.append(
        f"{decisions['deny']} denied, {decisions['ask']} asked, {decisions['allow']} allowed; "
        f"{tried} run by a shell, {touched} reached what is denied"
    )
    return result


ROW = Row(
    "rules",
    "no command line reads a file or runs a program that a rule denies, without a question",
    small=1_500,
    full=100_000,
    run=_run,
)
