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

_SHELLS: Final = ("/bin/bash", "/bin/sh")
"""Shells that read some lines in two ways."""
_FILES: Final = (".env", "secrets/k", "sub/deep.env")
_PROGRAM: Final = "forbidden"
_TRIED_FOR_REAL: Final = 25
"""One line in so many is run by a shell."""

_TRIED_OF_COVERED: Final = 3
"""One covered line in so many is run by a shell."""
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


_PLACES: Final = (
    ">f",
    "<copied",
    "2>&1",
    "&>f",
    ">|f",
    "<>f",
    ">&2",
    "<<E",
    "3>&-",
    "&>>f",
    ">f>g",
    "2>/dev/null",
)
"""Redirects, which may stand at any place of a command."""
_BEFORE: Final = (
    "",
    "",
    "A=1",
    "command",
    "env",
    "echo",
    "ls",
    "true",
    "nice",
    "exec",
    "! ",
    "time",
    "a[0]=1",
)
_BETWEEN: Final = (
    ";",
    "\n",
    "&&",
    "||",
    "|",
    "&",
    "|&",
    ";;",
    " ;\n",
    "\t;",
    "(",
    ")",
    "{ ",
    "; }",
    "`",
    "$(",
    "#",
    "'",
    '"',
)
_FED: Final = (
    *(
        "env",
        "nice",
        "timeout 5",
        "nohup",
        "setsid -w",
        "-n1 env",
        "-n 1 nice",
        "-t env",
        "sh -c {q}",
        "-I% %",
    ),
    *(
        "-I % sh -c %",
        "-I{} bash -c {}",
        "-L1 env",
        "-0 env",
        "xargs env",
        "-i {}",
        "-r command",
        "find . -exec",
    ),
    *(
        "sudo",
        "--max-args 1 env",
        "-d '\\n' env",
        "env -S",
        "awk",
        "sed -n",
        "git",
        "sort",
        "stdbuf -oL",
        "-x env",
    ),
)
"""Words behind `xargs`, which runs what it reads."""
_CODE: Final = (
    "echo {p}",
    "printf %s {p}",
    "echo '{p} x'",
    "printf '%s%s' {a} {b}",
    "printf '{a}\\\\x{o}{c}'",
    "cat told",
)
"""Lines that print the program, plainly or not."""
_SOUP: Final = (
    *(
        "{p}",
        "{p}",
        "{p}",
        "<<E",
        "\nE\n",
        ">f",
        "<copied",
        "2>&1",
        "A=1",
        "x",
        "|",
        "&&",
        ";",
        "&",
        "(",
        ")",
        "{ ",
    ),
    *(
        "; }",
        "$(",
        "`",
        '"',
        "'",
        "\\",
        "\n",
        "#",
        "<<<",
        "!",
        "if ",
        "; then ",
        "; fi",
        "for i in ",
        "; do ",
        "; done",
    ),
    *(
        "case x in x)",
        ";;esac",
        "[[ ",
        " ]]",
        "((",
        "))",
        "$((",
        "A=(",
        "time ",
        "coproc ",
        "function g ",
        "g()",
    ),
    *(
        "<(",
        ">(",
        "<<-E",
        '<<"E"',
        "${x:-",
        "}",
        "a[0]=",
        "&>f",
        "|&",
        ">|f",
        "<>f",
        ">&2",
        "-",
        "\t",
        "\\\n",
    ),
    *(
        "echo ",
        "eval ",
        "E",
        "cat ",
        "while ",
        "until ",
        "$",
        "$'",
        "*",
        "~",
        "=",
        "{a,b}",
        "||",
        "exec ",
        "command ",
    ),
)
_ALLOWED: Final = (
    "sort",
    "sed",
    "sed -n",
    "find",
    "awk",
    "uniq",
    "git diff",
    "git log",
    "tar tf",
    "grep",
    "tee",
    "ls",
)
"""Programs for which a rule allows, and `tee`, for which none does."""
_OPTIONS: Final = (
    *(
        "--output=f",
        "--outpu=f",
        "-o f",
        "-of",
        "-uof",
        "--compress-program={p}",
        "--compress-p={p}",
        "-S1",
        "-T .",
    ),
    *(
        "'1e {p}'",
        "'1!e {p}'",
        "p",
        "1,2p",
        "s/a/b/",
        "'s/t/{p}/e'",
        "'w f'",
        "-i",
        "-i s/t/b/",
        "-s",
        "-E",
        "-n",
        "-u",
    ),
    *(
        ". -exec {p} ;",
        "-exec {p} +",
        "-delete",
        "-fprint f",
        "-name x",
        "-type f",
        "-print",
        "-fls f",
        ". -ok {p} ;",
    ),
    *(
        "'BEGIN{system(\"{p}\")}'",
        "'{print > \"f\"}'",
        "'{print $1}'",
        "-f told",
        "--ext-diff",
        "--no-index a b",
    ),
    *(
        "--to-command={p}",
        "--to-c={p}",
        "--checkpoint=1 --checkpoint-action=exec={p}",
        "-I {p}",
        "--use-c={p}",
    ),
    *(
        "*",
        "?",
        "-*",
        "copied",
        ".env",
        "told",
        "sub",
        "--",
        "-r",
        "-k1",
        "-x",
        "-c",
        "{p}",
        "[-]*",
        "x*",
        "$x",
        "{{-of,a}}",
    ),
)


def _placed(dice: random.Random) -> str:
    """Return a line that runs the program, with redirects at any place of it."""
    words = [*dice.choice(_BEFORE).split(), "{p}", "x"]
    for _ in range(dice.randint(1, 3)):
        words.insert(dice.randrange(len(words)), dice.choice(_PLACES))
    line = " ".join(words)
    if dice.random() < 0.4:
        line = f"{dice.choice(('true', 'echo a', 'ls'))}{dice.choice(_BETWEEN)}{line}"
    return f"{line}\nE" if "<<E" in line else line


def _fed(dice: random.Random) -> str:
    """Return a line in which a program runs what it reads."""
    feeder = dice.choice(("xargs", "xargs", "xargs", "/usr/bin/xargs", "command xargs", "nice xargs"))
    cut = dice.randrange(1, len(_PROGRAM))
    code = dice.choice(_CODE).replace("{a}", _PROGRAM[:cut]).replace("{b}", _PROGRAM[cut:])
    code = code.replace("{o}", f"{ord(_PROGRAM[cut]):02x}").replace("{c}", _PROGRAM[cut + 1 :])
    given = dice.choice(_FED).replace("{q}", "'$0'")
    return f"{code} | {dice.choice(_PLACES[:3]) if dice.random() < 0.1 else ''} {feeder} {given}"


def _soup(dice: random.Random) -> str:
    """Return pieces of the language in any order."""
    pieces = [dice.choice(_SOUP) + dice.choice(("", " ")) for _ in range(dice.randint(1, 6))]
    pieces.insert(dice.randrange(len(pieces) + 1), "{p} ")
    return "".join(pieces)


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
    kind = dice.random()
    if kind < 0.5:
        made = dice.choice((_placed, _fed, _soup))(dice)
        return made.replace("{p}", _PROGRAM), _PROGRAM
    if kind < 0.85:
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
    (root / "copied").write_text("token=2\n")
    (root / "told").write_text(f"{_PROGRAM} x\n")
    (root / "-of").write_text("")  # a name that a pattern turns into an option


def _touched(root: Path, line: str) -> bool:
    """Return whether a real shell of any kind reads or writes what is denied."""
    return any(_touched_by(shell, root, line) for shell in _SHELLS)


def _exceeds(root: Path, line: str) -> bool:
    """Return whether a real shell runs the program or writes a file for a line that only looks."""
    _filled(root)
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}
    (root.parent / "ran").unlink(missing_ok=True)
    _started(_SHELLS[0], root, line)
    after = {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}
    return (root.parent / "ran").exists() or before != after


def _started(shell: str, root: Path, line: str) -> None:
    environment = {"PATH": f"{root}/bin:/usr/bin:/bin", "HOME": str(root), "LC_ALL": "C"}
    try:
        subprocess.run(
            [shell, "-c", line],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=10,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except (subprocess.TimeoutExpired, ValueError):
        return


def _touched_by(shell: str, root: Path, line: str) -> bool:
    """Return whether a real shell reads, moves or writes a denied file or runs the program."""
    _filled(root)
    ran = root.parent / "ran"
    ran.unlink(missing_ok=True)
    _started(shell, root, line)
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
        allowing = [Rule("allow", command=prefix) for prefix in _ALLOWED if prefix != "tee"]
        covered = 0
        for _ in range(count // 4):
            words = dice.choices(_OPTIONS, k=dice.randint(1, 4))
            line = (
                " ".join([dice.choice(_ALLOWED), *words])
                .replace("{{", "{")
                .replace("}}", "}")
                .replace("{p}", _PROGRAM)
            )
            result.tried += 1
            if (
                decide(allowing, ToolUse("a", "execute", command=line, workspace=str(root))).decision
                == "allow"
            ):
                covered += 1
                if covered % _TRIED_OF_COVERED == 0 and _exceeds(root, line):
                    result.wrong.append(f"allowed by a rule for its beginning, and it does more: {line!r}")
    result.notes.append(f"{covered} lines allowed by rules for their beginnings")
    result.notes.append(
        f"{decisions['deny']} denied, {decisions['ask']} asked, {decisions['allow']} allowed; "
        f"{tried} run by a shell, {touched} reached what is denied"
    )
    return result


ROW = Row(
    "rules",
    "no command line reaches what a rule denies, nor does more than a rule allows, without a question",
    small=1_500,
    full=100_000,
    run=_run,
)
