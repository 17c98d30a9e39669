"""Command rules and the command lines that they cover or deny."""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_tui.rules.command_rules import POWERS, covering, may_run, power_of, runs
from acp_tui.rules.model import Decision, Rule, ToolUse, decide
from tests.tables import each

GIT, GREP, CD = "git status", "grep", "cd"


def decided(command: str, *rules: Rule) -> Decision:
    return decide(rules, ToolUse("a", "execute", command=command)).decision


@pytest.mark.parametrize(
    "command",
    [
        "git status && grep x",
        "git status | grep -v x",
        "cd src; git status\ngrep 'a && b' src/*.py",
        "(cd src && git status) || grep x",
        "git status 2>&1 | grep x 2>/dev/null",
        "cd ~/src && git status \\\n  --short",
    ],
)
def test_rules_together_cover_a_chain(command: str) -> None:
    assert covering([GIT, GREP, CD], command) is not None
    assert decided(command, Rule("allow", command=GIT)) == "ask"
    assert decided(command, *(Rule("allow", command=prefix) for prefix in (GIT, GREP, CD))) == "allow"


def test_the_rules_that_were_needed_are_named() -> None:
    cd, git, grep = (Rule("allow", command=prefix) for prefix in (CD, GIT, GREP))

    verdict = decide([cd, git, grep], ToolUse("a", "execute", command="git status && cd x && git status"))

    assert (verdict.rule, verdict.also) == (git, (cd,))


def test_one_rule_covers_a_chain_of_what_it_allows() -> None:
    assert decided("git status; git status -s", Rule("allow", command=GIT)) == "allow"


@each(
    "command",
    [
        *("git status $(rm x)", "git status `rm x`", 'git status "$(rm x)"', "git status <(rm x)"),
        *("git status $X", "git status ${X@P}", "git status $((a[$(rm x)]))", "git status $'\\n' rm"),
        *("git status > f", "git status >> f", "git status &> f", "git status >| f", "git status >&f"),
        *("git status < f", "git status <<< x", "git status <<E\nrm x\nE", "> f", "git status >/dev/sda"),
        *("git status &", "git status & rm x", "A=1 git status", "GIT_PAGER=rm git status", "A=1"),
        *("git() { rm x; }; git status", "function git { rm x; }\ngit status", "alias git=rm; git status"),
        *(
            "for x in a; do git status; done",
            "if git status; then git status; fi",
            "while git status; do :; done",
        ),
        *("[ -f x ] && git status", "export PATH=.; git status", "unset x; git status", "eval git status"),
        *(
            "git status # ; rm x",
            "git status \\\n# rm",
            "git sta\\\ntus",
            "git status\r rm",
            "git\u00a0status",
        ),
        *("g{it,rm} status", "gi* status", "~/git status", "git st[a]tus", "git {status,x}", "{git,status}"),
        *("sudo git status", "env git status", "xargs git status", "time git status"),
        *(
            "sh -c 'git status; rm x'",
            "sh -c 'git status' &",
            "A=1 sh -c 'git status'",
            "sh -c 'git status' > f",
        ),
        *("bash -ic 'git status'", "bash --rcfile f -c 'git status'", "./bash -c 'git status'"),
        *("sh -c 'git $X'", 'sh -c "git $X"', "sh -c 'git status > f'", "sh -c 'git status' rm", "sh -c"),
        *(
            "env X=1 sh -c 'git status'",
            "zsh -c 'git =status'",
            "zsh -c 'git status *(e:x:)'",
            "fish -c 'git status'",
        ),
        *("git status '", 'git status "', "git status \\", "git status (", "git status )", "git status &&"),
        *("coproc git status", "/bin/git status", "./git status", "git 'status rm'", "'git status'", "git"),
        *("git status\x00", "git status\ud800", "((git status))", "select x in git status; do :; done"),
        *("git status;;", "|| git status", "git status | ", "case git in status) :;; esac", "\\\\git status"),
    ],
)
def test_nothing_else_slips_in_beside_an_allowed_command(command: str) -> None:
    assert decided(command, Rule("allow", command=GIT), Rule("allow", command="grep")) == "ask"


@each(
    "command",
    [
        *("for x in a; do rm x; done", "if a; then rm x; fi", "while rm x; do a; done", "f() { rm x; }; f"),
        *(
            "case x in y) rm x;; esac",
            "a <<E | rm x\nhi\nE",
            "a <<E\n$(rm x)\nE",
            "a ${X:-$(rm x)}",
            "! rm x",
        ),
        *("r\\\nm x", "A=1 B=2 rm x", "A=$(rm x)", "export A=$(rm x)", "[[ $(rm x) ]]", "r''m x", "> f rm x"),
        *("sh -c 'for f in x; do rm x; done'", "sudo sh -c \"sh -c 'if a; then rm x; fi'\"", "a & rm x &"),
    ],
)
def test_a_denied_command_is_found_in_any_part_of_the_language(command: str) -> None:
    assert runs("rm", command)
    assert decided(command, Rule("deny", command="rm"), Rule("allow")) == "deny"


@each(
    "command",
    [
        "$X x",
        "r$X x",
        "{rm,x}",
        "$'\\x72m' x",
        "r? x",
        "sudo $X",
        'eval "$X"',
        'sh -c "$X"',
        "a; $(b) x",
        "a 'x",
        "ed x <<< '!rm x'",
        "echo '!rm x' | ex x",
        "mail <<< '~!rm x'",
    ],
)
def test_what_may_turn_out_to_be_denied_is_asked(command: str) -> None:
    deny = Rule("deny", command="rm")

    assert may_run("rm", command)
    assert decide([deny, Rule("allow")], ToolUse("a", "execute", command=command)).rule is deny
    assert decided(command, deny, Rule("allow")) == "ask"


@each(
    "command",
    [
        *("find . -exec rm {} +", "A=1 find . -name x -execdir /bin/rm {} \\;", "fd -x rm", "busybox rm x"),
        *("watch rm x", "strace -f rm x", "flock f rm x", "pkexec rm x", "ssh h rm x", "coproc rm x"),
        *("git bisect run rm x", "git submodule foreach rm x", "uv run rm x", "npm exec -- rm x"),
        *("docker exec c rm x", "find . -exec sh -c 'rm x' \\;", "sudo find . -ok rm {} \\;"),
    ],
)
def test_a_denied_command_is_found_behind_the_program_that_starts_it(command: str) -> None:
    assert decided(command, Rule("deny", command="rm"), Rule("allow")) == "deny"


@each(
    "command",
    [
        *(
            "screen -dm rm x",
            "screen -dmS a rm x",
            "less +'!rm x' f",
            "less '+!/bin/rm x' f",
            "valgrind rm x",
        ),
        *("valgrind --tool=none rm x", "faketime '1 day ago' rm x", "perf stat rm x", "perf record -- rm x"),
        *("ip netns exec a rm x", "xterm -e rm x", "xterm -e 'rm x'", "gnome-terminal -- rm x", "kitty rm x"),
        *(
            "kitty sh -c 'rm x'",
            "asdf exec rm x",
            "pipx run rm x",
            "adb shell rm x",
            "adb shell 'cd a; rm x'",
        ),
        *("sort --compress-program=rm f", "sort --compress-program rm f", "wget --use-askpass=rm u"),
        *("guile -c '(system \"rm x\")'", "guile -e rm f", "ocaml -e 'Sys.command \"rm x\"'"),
        *('clojure -e \'(sh "rm" "x")\'', "new-program rm x", "new-program --run=/bin/rm", "a --with 'x|rm'"),
        *(
            "less +'!r''m x' f",
            "git difftool --extcmd=rm",
            "man -P rm x",
            "tar --to-command=rm -xf f",
            "a @rm",
        ),
    ],
)
def test_a_denied_command_among_the_words_of_any_program_is_not_allowed(command: str) -> None:
    assert decided(command, Rule("deny", command="rm"), Rule("allow")) in ("ask", "deny")


@pytest.mark.parametrize(
    "command", ["screen -dm ls", "kitty ls", "less '+!ls' f", "new-program --run=/bin/ls", "perf stat ls"]
)
def test_another_command_among_the_words_is_allowed(command: str) -> None:
    assert decided(command, Rule("deny", command="rm"), Rule("allow")) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        *(
            "xterm -e 'gi\"\"t push'",
            "echo git push | tool",
            "screen -dm git push",
            "less '+!git push' f",
            "valgrind git -C a push",
            "a 'git -c b push'",
        ),
        *("git -C a push", "git --no-pager push", "git -c a=b push origin"),
    ],
)
def test_denied_words_are_found_in_their_order(command: str) -> None:
    assert decided(command, Rule("deny", command="git push"), Rule("allow")) in ("ask", "deny")


@pytest.mark.parametrize(
    "command",
    [
        *(
            "git stash push",
            "git status",
            "git log --grep=push",
            "a push git",
            "cat .git/config",
            "a git-push",
        ),
        *("git commit -m 'push it'", "make push", "git"),
    ],
)
def test_words_of_a_denied_command_in_another_order_are_none(command: str) -> None:
    assert decided(command, Rule("deny", command="git push"), Rule("allow")) == "allow"


@each("text", ['(system (string-append "r" "m"))', "x"])
@each("program", ["guile -c", "ocaml -e", "clojure -e", "clj -e", "racket -e", "sbcl --eval"])
def test_a_text_for_an_interpreter_may_run_what_is_denied(program: str, text: str) -> None:
    assert decided(f"{program} '{text}'", Rule("deny", command="rm"), Rule("allow")) == "ask"


@each(
    "command",
    [
        *("""R -e 'system("r" + "m x")'""", """gnuplot -e 'system "echo"'""", """gnuplot -e '!x'"""),
        *(
            """octave --eval "system('x')" """,
            """octave --eval="system('x')" """,
            """mix run -e 'System.cmd("x", [])'""",
        ),
        *(
            """julia -e 'run(`x`)'""",
            """maxima --batch-string='system("x");'""",
            """new-one -c 'spawn {x}'""",
        ),
        *(
            """cling -e'system("x")'""",
            """/opt/bin/scilab -e 'unix("x")'""",
            """iex --eval 'System.halt()'""",
        ),
    ],
)
def test_a_text_of_code_for_any_program_may_run_and_reach_what_is_denied(command: str) -> None:
    assert decided(command, Rule("deny", command="rm"), Rule("allow")) == "ask"
    assert decided(command, Rule("deny", path="/etc/**"), Rule("allow")) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        *(
            "grep -e 'a(b' x",
            "rg -e 'fn x()' src",
            "jq -r '.a | map(.b)' x",
            "ls -r 'a (1)'",
            "tool -c config.toml",
        ),
        *(
            "tool -r 'My notes'",
            "git commit -m 'call f(x); done'",
            "gcc -c a.c",
            "tool --run fast",
            "tool -x 3",
        ),
    ],
)
def test_an_option_with_another_text_runs_no_code(command: str) -> None:
    assert decided(command, Rule("deny", command="rm"), Rule("allow")) == "allow"


@pytest.mark.parametrize(
    "command",
    ["docker run --rm a", "cat rm.txt", "ls src/rm/a", "a form", "a rm-old", "a .rm", "tool confirm"],
)
def test_a_part_of_a_word_is_no_denied_command(command: str) -> None:
    assert decided(command, Rule("deny", command="rm"), Rule("allow")) == "allow"


@pytest.mark.parametrize(
    "command",
    ["find . -name rm", "docker rm x", "git rm x", "uv add rm", "grep rm x", "find . -name sudo rm"],
)
def test_a_word_that_only_looks_like_a_denied_command_is_none(command: str) -> None:
    assert decided(command, Rule("deny", command="rm"), Rule("allow")) == "allow"


def test_what_a_program_starts_may_turn_out_to_be_denied() -> None:
    assert decided("find . -exec $X {} +", Rule("deny", command="rm"), Rule("allow")) == "ask"


@pytest.mark.parametrize("command", ["echo $X", "git $X", "ls *", "a=$X b", "sudo ls"])
def test_an_expansion_elsewhere_does_not_ask(command: str) -> None:
    assert decided(command, Rule("deny", command="rm"), Rule("allow")) == "allow"


def test_a_denied_second_word_may_come_from_an_expansion() -> None:
    assert decided("git $X", Rule("deny", command="git push"), Rule("allow")) == "ask"


_PIECES = (
    *(
        "ok",
        "ok ",
        " bad",
        "bad ",
        " ",
        "'",
        '"',
        "\\",
        "$",
        "$(",
        ")",
        "(",
        ";",
        "&&",
        "||",
        "|",
        "&",
        "\n",
        "`",
        "<",
    ),
    *(
        ">",
        "<<",
        "<<<",
        "#",
        "{",
        "}",
        "!",
        "*",
        "=",
        "A=1 ",
        "2>&1",
        ">/dev/null",
        "$'",
        "\\\n",
        "then",
        "if",
        "fi",
    ),
    *("do", "done", "for", "case", "function", "[[", "]]", "\t", "time", "{a,b}", "eval", "<("),
)


@pytest.mark.slow
@pytest.mark.parametrize("shell", [one for one in ("sh", "bash", "zsh") if shutil.which(one)])
def test_in_a_real_shell_a_covered_line_runs_nothing_else(shell: str, tmp_path: Path) -> None:
    """Random lines: those that a rule for `ok` covers may not run `bad`, nor leave a file behind."""
    program = shutil.which(shell)
    assert program is not None
    (tmp_path / "bin").mkdir()
    (tmp_path / "work").mkdir()
    for name, does in (("ok", "exit 0"), ("bad", "echo > bad-ran")):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    dice = random.Random(4)
    lines = ["ok " + "".join(dice.choices(_PIECES, k=dice.randint(1, 8))) for _ in range(400)]
    covered = [line for line in lines if covering(["ok"], line) is not None]
    assert len(covered) > 20
    for line in covered:
        subprocess.run(
            [program, "-c", line],
            cwd=tmp_path / "work",
            env={"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
            check=False,
        )
        assert list((tmp_path / "work").iterdir()) == [], line


@pytest.mark.slow
def test_many_rules_decide_about_a_long_chain_in_time() -> None:
    """Rules by lines would be a product: a line is read once for all rules."""
    rules = [Rule(decision, command=f"cmd{n} x") for n in range(200) for decision in ("deny", "ask")]
    chain = "; ".join(f"cm{n} $X" for n in range(1000))
    start = time.process_time()

    assert decided(chain, *rules) == "ask"
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    "command",
    [
        *("sh -c 'git status'", "bash -lc 'git status && grep x'", "zsh -lc 'git status | grep \"a b\"'"),
        *(
            "/bin/bash -l -c 'git status'",
            "bash -euo pipefail -c 'git status'",
            "bash -e -o pipefail -c 'grep x'",
        ),
        *(
            "bash --login -c 'git status'",
            "sh -c \"sh -c 'git status'\"",
            "grep x && sh -c 'git status' 2>&1",
        ),
    ],
)
def test_a_text_for_a_shell_is_allowed_as_what_is_written_in_it(command: str) -> None:
    assert decided(command, Rule("allow", command=GIT), Rule("allow", command="grep")) == "allow"
    assert decided(command, Rule("allow", command="ls")) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        *("bash -lc 'rm x'", "zsh -lc 'a && rm x'", "env X=1 bash -c 'a; rm x'", "bash -l -c 'rm x'"),
        *("bash -euo pipefail -c 'rm x'", "env -i A=1 /usr/bin/zsh -c 'rm x'", "timeout 5 sh -c 'rm x'"),
    ],
)
def test_a_denied_command_is_found_in_a_text_for_a_shell(command: str) -> None:
    assert decided(command, Rule("deny", command="rm"), Rule("allow")) == "deny"


def test_what_the_inner_shell_may_make_a_denied_command_is_asked_about() -> None:
    assert decided("bash -c 'git $X'", Rule("deny", command="git push"), Rule("allow")) == "ask"
    assert decided("env X=push bash -c '$Y'", Rule("deny", command="git push"), Rule("allow")) == "ask"


@each(
    ("prefix", "line"),
    [
        *(
            ("find", "find . -exec x {} +"),
            ("find", "find . -delete"),
            ("find", "find -- . -delete"),
            ("find", "find -- -fls f"),
            ("find", "find . -fprint x"),
        ),
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


@each(
    ("prefix", "line"),
    [
        *(("find", "find . -name x -type f"), ("git log", "git log -p --oneline"), ("sed", "sed -n 1,5p x")),
        *(("sed", "sed s/a/b/ x"), ("tar", "tar tf y"), ("sort", "sort -u x"), ("awk", "awk '{print $1}' x")),
        *(
            ("npm", "npm test"),
            ("python -m pytest", "python -m pytest -q"),
            ("rg", "rg -n x"),
            ("make test", "make test -k"),
        ),
        *(("cargo", "cargo test"), ("pytest", "pytest -q tests"), ("git commit", "git commit -m x")),
        *(("find . -delete", "find . -delete"), ("sed -i", "sed -i s/a/b/ x"), ("env", "env")),
    ],
)
def test_plain_use_and_what_the_rule_names_stay_allowed(prefix: str, line: str) -> None:
    assert covering([prefix], line) is not None


@each(
    "command",
    [
        *("echo &>f rm victim", "echo &>>f rm victim", "ls &>/dev/null rm x", ">f <<E rm victim\nE"),
        *("A=1 <<E rm x\nE", "<<E >f rm x\nE", ">&2 command >f rm victim", ">|f 2>&1 rm >f", ">f>f rm x"),
        *(
            "2>f rm x",
            "<f rm x",
            "{fd}>f rm x",
            "<>f rm x",
            ">f A=1 rm x",
            "A=1 >f B=2 rm x",
            "a[0]=1 >f rm x",
        ),
        *("true | >f rm x", "true && >f <f rm x", "(>f rm x)", "{ >f rm x; }", "if >f rm x; then :; fi"),
        *("! >f rm x", "time >f rm x", "<<< x rm y", "3>&- rm x", ">f <<'E' rm x\na\nE\ntrue", "env >f rm x"),
        *(">f sudo <f rm x", "> f \\rm x", "> 'a b' r''m x", "cat <<E >f; >f rm x\nE", "echo a >f;>f rm x"),
    ],
)
def test_a_redirect_before_a_denied_command_hides_nothing(command: str) -> None:
    assert decided(command, Rule("deny", command="rm"), Rule("allow")) == "deny"


@each(
    ("prefix", "command"),
    [
        *(
            ("git push", f"echo push | {one}")
            for one in ("xargs git", "xargs -t git -C .", "xargs /usr/bin/git")
        ),
        *(
            ("git push", f"echo push | xargs {one}")
            for one in ("-n1 git", "-n 1 git", "--max-args 1 git", "-0r git")
        ),
        *(
            ("git push", f"echo p | xargs {one}")
            for one in ('-I % sh -c "git %"', "-I{} git {}ush", "-i git {}")
        ),
        *(
            ("git push", one)
            for one in ("xargs git < f", "xargs -a f git", "parallel git ::: push", "ls | parallel")
        ),
        *(
            ("git push", one)
            for one in ("find push -exec git {} ;", "sudo xargs git", "timeout 5 xargs git <f")
        ),
        *(
            ("rm", f"echo cm0K | base64 -d | xargs {one}")
            for one in ("env", "nice", "timeout 5", "nohup", "sudo")
        ),
        *(
            ("rm", f"echo x | xargs {one}")
            for one in ("sh -c", "-n1 bash", "-I{} {} x", "-L1 env", "-d '\\n' env")
        ),
        *(
            ("rm", f"echo x | xargs {one}")
            for one in ("find . ", "sed -n", "awk", "sort", "git", "xargs", "tool")
        ),
        *(
            ("rm", f"echo x | xargs {one}")
            for one in ("python -c", "busybox", "tar tf a", "ssh h", "make", "parallel")
        ),
        *(
            ("rm", one)
            for one in ("find . -exec {} ;", "find . -exec env {} +", "fd . -x {}", "parallel < f")
        ),
        *(
            ("rm", one)
            for one in ("echo x | ssh h", "ssh h < f", "echo x | su", "echo x | sudo -s", "su user <<E\nx\nE")
        ),
        *(
            ("rm", one)
            for one in ("ls | parallel echo", "cat f | chroot /x", "echo x | script", "rush x", "env $x")
        ),
    ],
)
def test_what_another_program_runs_and_is_not_known_is_asked(prefix: str, command: str) -> None:
    assert decided(command, Rule("deny", command=prefix), Rule("allow")) in ("ask", "deny")


@each(
    "command",
    [
        *(
            "find . -name x | xargs grep -l y",
            "git ls-files | xargs wc -l",
            "ls | xargs -I{} cp {} x",
            "xargs < f",
        ),
        *(
            "git ls-files | xargs git add",
            "echo x | xargs -0 -n 1 cat",
            "find . -exec grep -l x {} +",
            "ls 2>&1 >f",
        ),
        *(
            "make &> log",
            "cat <<E > f\nx y\nE",
            "echo a | ssh-keygen -l",
            "docker ps | grep x",
            "X=$(date)$Y ls",
        ),
        *(
            "cat <<'E' > f\n$x rm-old\nE",
            "echo ${x:-a} b",
            "for f in *; do echo $f; done",
            "[[ $a = b ]] && ls",
        ),
    ],
)
def test_a_program_that_runs_no_other_one_is_allowed_beside_a_deny_rule(command: str) -> None:
    assert decided(command, Rule("deny", command="rm"), Rule("allow")) == "allow"


@pytest.mark.parametrize("command", ["ls &>/dev/null touch x", "ls &>/dev/null -l; ls", "ls &>>/dev/null x"])
def test_what_ends_a_command_in_some_shells_is_not_covered(command: str) -> None:
    assert covering(["ls"], command) is None
    assert covering(["ls"], "ls -l &>/dev/null") is not None


def test_every_power_has_words() -> None:
    assert all(POWERS.values())
    assert power_of(["/usr/bin/find", "."]) is POWERS["find"]
    assert power_of(["ls"]) is None


@pytest.mark.parametrize(
    ("denied", "command"),
    [
        ("rm -rf", "rm -fr x"),
        ("rm -rf", "rm -r -f x"),
        ("rm -rf", "rm x -rf"),
        ("rm -rf", "rm -Rfv x"),
        ("rm -rf", "rm --recursive --force x"),
        ("rm -rf", "sudo rm --recurs -f x"),
        ("rm --force", "rm -f x"),
        ("git push --force", "git push origin main --force"),
        ("git push --force", "git push -f"),
        ("git push -f", "git push origin --force"),
        ("git commit --no-verify", "git commit -am x --no-verify"),
    ],
)
def test_the_options_of_a_denied_command_may_stand_anywhere(denied: str, command: str) -> None:
    assert runs(denied, command)


@pytest.mark.parametrize(
    ("denied", "command"),
    [
        ("rm -rf", "rm -r x"),
        ("rm -rf", "rm x"),
        ("git push --force", "git push"),
        ("git push -f", "git pull -f"),
    ],
)
def test_a_command_without_the_denied_options_is_another(denied: str, command: str) -> None:
    assert not runs(denied, command)


@pytest.mark.parametrize(
    "command",
    [
        "git commit -m 'rm x'",
        "git commit -am 'rm x' -m \"then; rm y\"",
        "git log --grep 'rm -rf' && git tag -m 'rm' v1",
        "grep -rn 'rm x' src | grep -v 'rm y'",
        "echo 'rm x'",
    ],
)
def test_a_denied_command_in_a_message_or_a_pattern_is_no_command(command: str) -> None:
    assert not runs("rm", command)
    assert not may_run("rm", command)


@each(
    "command",
    [
        "echo 'rm x' | sh",
        "echo 'rm x' > f",
        "echo 'rm x' &",
        "echo 'rm x' &> /dev/null",
        'echo "$(rm x)"',
        "alias echo=sh; echo 'rm x'",
        "echo() { sh -c \"$1\"; }; echo 'rm x'",
        "printf -v 'a[$(rm x)]' y",
        "git -c alias.log='!rm x' log",
        "git grep -O'rm x' y",
        "git commit -m x; rm y",
        "PAGER='rm x' git log",
        "./echo 'rm x'",
    ],
)
def test_a_message_that_something_may_run_counts(command: str) -> None:
    assert runs("rm", command) or may_run("rm", command)


_TOKENS = (
    *("", "A=1", "A=", "echo", "git", "commit", "-m", "rm", "-rf", "grep", "cat", ".env", "cd", ".."),
    *("|", "||", "&&", ";", ";;", "&", ">", "<", ">>", "2>", "<<E", "E", "\n", "(", ")", "{", "}", "[["),
    *("]]", "$(", "`", "'", '"', "$x", "${x}", "!", "if", "then", "fi", "for", "do", "done", "case", "f()"),
    *(
        "esac",
        "env",
        "sudo",
        "sh",
        "-c",
        "*",
        "~",
        "~no-such-user",
        "#",
        "\\",
        "=",
        "-",
        "--",
        "eval",
        "find",
    ),
    *("find", "-exec", "+", "xargs", "\0", "é", "\udcff", "$'", "<<<", "&>", "|&", "<("),
)


@pytest.mark.slow
@settings(max_examples=300)
@given(
    st.builds(str.join, st.sampled_from([" ", ""]), st.lists(st.sampled_from(_TOKENS), max_size=9)),
    st.sampled_from(["read", "edit", "execute"]),
)
def test_any_text_gets_a_decision(text: str, tool_kind: str) -> None:
    rules = [
        *(Rule("deny", path="*.env"), Rule("deny", path="/w/secrets/**"), Rule("deny", command="rm -rf")),
        *(
            Rule("ask", command="git push"),
            Rule("ask", tool_name="x*"),
            Rule("allow", path="/w/**"),
            Rule("allow"),
        ),
    ]
    use = ToolUse("a", tool_kind, workspace="/w")
    for one in (
        replace(use, command=text),
        replace(use, worded=text, tool_name=text),
        replace(use, possible_commands=(text,), inputs=(text,)),
        replace(use, paths=(text,), hints=(text,)),
        replace(use, command="cat .env", env=(("A", text),), folder=text, folders=(text,)),
        replace(use, command="cat .env", workspace=text, roots=(text,), unknown_fields=(text,)),
    ):
        assert decide(rules, one).decision in ("allow", "ask", "deny")
