"""Words that a rule for the beginning of a command allows behind it, and those that it does not."""

from __future__ import annotations

import re

import pytest

from acp_tui.rules.command_rules import covering, unknown_to
from acp_tui.rules.harmless_options import PROGRAMS, options_of
from acp_tui.rules.model import Rule, ToolUse, decide
from tests.tables import each

DAILY = {
    "pytest": (
        *(
            "-q",
            "-x",
            "-q -x",
            "-xq",
            "-k 'a and not b'",
            "-v",
            "-vv",
            "-s",
            "--lf",
            "-n 4",
            "-n auto",
            "-nauto",
        ),
        *("tests", "tests/a_test.py::test_x", "/ws/tests", "-q tests/a --tb=short", "--maxfail=2 -ra"),
        *("--cov=src --cov-report=term-missing", "-p no:cacheprovider", "-m 'not slow' --durations=5"),
    ),
    "python -m pytest": ("-q -x", "tests -k a"),
    "uv run pytest": ("-q", "tests"),
    ".venv/bin/pytest": ("-q tests",),
    "timeout 60 pytest": ("-q",),
    "ls": ("", "-la", "-lah src", "-1 --color=never", "-R a b", "src/*.py", "~/x", "/usr/lib", "-d ./*/"),
    "cat": ("a b", "-n a", "/etc/os-release", "-- -x"),
    "grep": (
        "-rn x src",
        "-rnE 'a|b' --include='*.py' .",
        "-A3 -B 2 x f",
        "-c x f",
        "-il x src/*.py",
        "-e x -5 f",
    ),
    "rg": ("x", "-n x src", "-l -i x", "--files", "-g '*.py' x", "-C3 x", "--hidden -uu x", "-tpy x"),
    "head": ("-5 a", "-n 20 a", "-n20 a", "-c 9 a", "-n -3 a"),
    "tail": ("-f a", "-n +5 a", "-20 a"),
    "wc": ("-l a b", "-lw"),
    "sort": ("-u a", "-k2 -n a", "-t , -k 1,2 a", "--reverse a", "src/*"),
    "find": (". -name '*.py' -type f", "src -maxdepth 2 -not -path './x/*'", ". -mtime -1 -size +5k -print0"),
    "sed": ("-n 1,5p a", "s/a/b/ x", "-n '/def /p' a", "-e 's/a/b/g' x", "'$d' a", "-n '1,$p' a b"),
    "awk": ("'{print $1}' a", "-F: '{print $1, $NF}' a", "'NR<=5' a"),
    "sed -i": ("s/a/b/ x",),
    "printf": ("'%s %d%%\\n' a 5", "new", "'%-10s|%5.2f' a 1"),
    "echo": ("a b", "---", "-n x", "src/*"),
    "git": ("status", "diff --stat", "log -5", "--no-pager log --oneline -3", "show HEAD"),
    "git status": ("-s", "-sb", "--porcelain", "--porcelain=v2 -uno", "-- src"),
    "git diff": (
        "",
        "--stat",
        "HEAD~1 -- a b",
        "--cached",
        "-U5 main...x",
        "--name-only",
        "-w a",
        "src/*.py",
    ),
    "git log": (
        "--oneline -5",
        "-p -n 3 a",
        "-n3",
        "--format='%h %s' main..x",
        "--since='2 days ago'",
        "-S x",
    ),
    "git show": ("HEAD", "--stat HEAD~2", "HEAD:a.py"),
    "git branch": ("-a", "-vv", "--show-current", "--list", "new-branch"),
    "git commit": ("-m 'x y'", "-am x", "--amend --no-edit"),
    "git add": ("a b", "-A", "."),
    "git checkout": ("main", "-b x", "-- a.py"),
    "git push origin": ("main", "-u main"),
    "npm test": ("", "-- a", "a.test.js"),
    "npm run": ("build", "lint --silent", "test:unit"),
    "npm run build": ("",),
    "cargo test": (
        "",
        "--release",
        "-p x name",
        "--workspace -q",
        "-- --nocapture",
        "a::b -- --test-threads=1",
    ),
    "cargo build": ("--release", "--all-targets -v"),
    "cargo clippy": ("--all-targets -- -D warnings",),
    "go test": ("./...", "-v -run X ./pkg", "-race -count=1 ./...", "-run=X .", "-cover ./a ./b"),
    "go build": ("./...", "-v ./cmd/x"),
    "ruff check": (".", "--fix src", "--select E,F a.py"),
    "ruff format": ("--check .", "src"),
    "mypy": ("src", "--strict a.py", "-p pkg", "--ignore-missing-imports ."),
    "make test": ("", "-k", "-j4", "-s"),
    "jq": (".a f", "-r '.a[]' f"),
    "curl": ("-s https://a.b/c", "-sSfL 'https://a/b?c=d'", "-I a.b", "-o /dev/null -w '%{http_code}' a.b"),
    "docker ps": ("-a", "--format '{{.Names}}'"),
    "kubectl get": ("pods -n x", "po/a -o yaml"),
    "new-tool": ("", "a b", "src/a.py", "sub/*"),
    "python script.py": ("a b",),
    "./run.sh": ("a",),
}

ASKED = {
    "mypy": ("@args", "src @args"),
    "ruff format": ("@args",),
    "black": ("@args",),
    "eslint": (".?/o",),
    "git diff": (
        *(
            "--output=x",
            "--outpu=x a",
            "--outp x",
            "--ext-d",
            "--textc",
            "--textconv",
            "*",
            "-?utput=x",
            "--no-i a b",
        ),
        *("--no-index a b", "-O x", "-Ox", "--", "?x", "[-]x", "{--output=x,a}", "$x"),
    ),
    "git log": ("--outpu=x", "--output=x", "-Ox"),
    "git fetch": (
        "--upload-p=x .",
        "--upload-pack=x",
        "--upload-pac x",
        "ext::id",
        "-o x",
        "./evil",
        "/evil",
    ),
    "git grep": ("--open-f=x a", "-nOx a", "-lO./x a", "-O a", "--no-index a"),
    "git": (
        *(
            "diff --outpu=x",
            "-c alias.x=!id x",
            "-pc a.b=c log",
            "--exec-p=x",
            "-C / log",
            "push",
            "clone u",
            "x",
        ),
        *("config a.b c", "bisect run x", "rebase -x id", "submodule foreach x", "commit", "--git-dir=x log"),
        *("help -w", "for-each-repo --config=x id", "difftool", "hook run x", "remote add x ext::id"),
    ),
    "git reflog": ("expire --all", "delete x"),
    "git config": ("a.b c", "--get --file x a", "--global a.b c", "-f x a"),
    "git push": ("origin", "--force", "--receive-pack=x", "./evil main"),
    "git push origin": ("--force main", "-f", "+main", ":main"),
    "git checkout": ("-f", "--conflict=x", "*"),
    "sort": (
        *(
            "--outpu=x a",
            "--o=x a",
            "--output=x",
            "--compress-p=x a",
            "-o x",
            "-ox",
            "-no.envrc a",
            "-k1 -bo x",
            "*",
        ),
        *("-T x", "--files0-from=x", "--batch-size=2", "-Sx"),
    ),
    "sed": (
        *(
            "'1!e id' f",
            "'\\,x,e id' f",
            "'/x/Ie id' f",
            "--expression='e id' f",
            "'-ee id' f",
            "-i s/a/b/ f",
        ),
        *(
            "'s/a/b/me' f",
            "'1w x' f",
            "-n '1!w x' f",
            "'y/a/b/;;e id' f",
            "-s --fil=x f",
            "-f x f",
            "-n 1w.envrc f",
        ),
        *(
            "'s/a/id/e' f",
            "'s/a/b/w x' f",
            "'s|a|b|w x' f",
            "'r x' f",
            "--in-p s/a/b/ f",
            "*",
            "'s/a/b/\ne id' f",
        ),
        *("-e p -e '1e id' f", "-n -e p --expression=e f", "-E 's/a/b/ge' f", "--debug p f", "'/a/e' f"),
    ),
    "sed -n": ("'1!e id' f", "-i p f"),
    "sed -e": ("'1e id' f",),
    "awk": (
        "'BEGIN{system(1)}'",
        "'{print > \"x\"}' a",
        "-f x a",
        "-i inplace 1 a",
        "'{print $1}' x=1",
        "-vx=1 1",
    ),
    "tar tf": ("x --to-c=id", "x --checkpoint=1", "x --use-c=x", "x --to-command=id", "h:x", "x -I id"),
    "tar": ("xf a", "cf a b", "-tf a --to-command=id", "tIf id a"),
    "curl": (
        *(
            "-4o x u",
            "-#o x u",
            "--outp x u",
            "-so x u",
            "-T x u",
            "-d @x u",
            "-K x",
            "file:///etc/passwd",
            "-O u",
        ),
        *(
            "-H @x u",
            "-w @f u",
            "-w '%output{x}' u",
            "-X POST u",
            "--conf x",
            "-F a=@x u",
            "-b f u",
            "u -F a=b",
        ),
    ),
    "wget": (
        "-4O x u",
        "--outp=x u",
        "-a x u",
        "--execut=x u",
        "-e x u",
        "--use-ask=x u",
        "-nHP x u",
        "-i y",
    ),
    "make": (
        "test",
        "-sf x",
        "-f x",
        "--fil=x",
        "--eva=x",
        "-sC x",
        "-I x",
        "CC=x",
        "-j8f x",
        "-j x",
        "-E x",
    ),
    "make test": ("-sf evil.mk", "MAKEFLAGS=--eval=x", "RM=x", "clean", "-j 4", "--dir=x"),
    "go test": (
        "--exec=x",
        "-exec x",
        "--toolexec=x",
        "-vet=x",
        "-o=x",
        "-C x",
        "-overlay=x",
        "/evil",
        "../x",
    ),
    "go build": ("-o=x", "-o x", "--o x", "-toolexec=x", "-ldflags=x", "-modfile=x"),
    "go": ("run x", "generate", "env -w A=b", "vet -vettool=x", "install x", "tool x"),
    "cargo test": (
        "--conf x",
        "--config x",
        "--manifest-path x",
        "-Zx",
        "+x",
        "-- -x",
        "--target x.json",
        "-- --x",
    ),
    "cargo": ("run", "install x", "publish"),
    "find": (
        ". -exec id ;",
        ". -delete",
        ". -fprint x",
        "-files0-from x",
        "*",
        ". -fls x",
        ". -ok id ;",
        "$x",
    ),
    "find . -exec": ("id ;", "sh -c x ;"),
    "printf": ("'x%n' PATH", "%5n PATH", "'%s %-3n' a PATH", "-v PATH x"),
    "rg": (
        "--pre x",
        "--pre=x",
        "-z x",
        "-nz x",
        "--hostname-bin=x",
        "--search-zip x",
        "*",
        "-f x",
        "-A3z x",
        "-.z x",
    ),
    "fd": ("x -x id", "-X id", "-Hx id", "--exec id"),
    "tree": ("-o x", "-ao x", "--output x", "-L 2 -ao.envrc", "-ao.envrc", "--fromfile x"),
    "uniq": ("a b", "src/*"),
    "xxd": ("a b", "-r a"),
    "jq": ("--rawf a x .", "-nf x", "-f x", "-L x .", "--slurpfile a b ."),
    "pytest": (
        *(".?/o/test_x.py", ".*/o", ".[.]/o", ".{.,x}/o", "{..,x}/o", "a/.?/o"),
        *(
            "-p x",
            "-px",
            "--rootd=x",
            "-qp x",
            "--junit-xml=x",
            "--log-file=x",
            "--pdbcls=x:y",
            "-qc x",
            "-c x",
        ),
        *(
            "-qo addopts=x",
            "-o x=y",
            "--override-ini=x",
            "--import-mode=x",
            "--debug=x",
            "../evil",
            "/evil",
            "~/x",
        ),
        *(
            "-W error::a.B",
            "--cov-report=html:x",
            "a/../../x",
            "--basetemp=x",
            "--l",
            "--confcut x",
            "@x",
            "*",
        ),
    ),
    "npm test": ("--script-s=x", "--node-options=x", "-C x", "--pref x", "-- --x"),
    "npm run": ("x --userconfig=x", "-C/x", "x --prefix /x"),
    "npm": ("exec x", "install x", "x y", "config set a b"),
    "docker ps": ("--config x", "-H x"),
    "docker": ("run x", "exec a b", "compose up"),
    "kubectl get": ("--kubeconfig=x po", "po -o go-template-file=x"),
    "python": ("x.py", "-c x", "-m x", "-"),
    "python -m": ("x",),
    "python -c": ("x",),
    "python -m pytest": ("-p x", "-c x"),
    "python x.py": ("--x", "-c", "@x"),
    "bash": ("x.sh", "-c x", "-s"),
    "man": ("-P x ls", "--pager=x ls", "-H x ls", "-l x", "./x", "-C x ls"),
    "less": ("-No x", "--log-f=x", "+x", "+!id x"),
    "rm": ("-rf x", "-r x", "--recursive x", "*"),
    "test": ("-v 'a[$(id)]'",),
    "new-tool": ("-x", "--x", "*", "?", "~root", "-", "@x", "+x", "$x", "x > y"),
    "xargs": ("id", "-a x"),
    "xargs grep": ("x",),
    "env": ("id", "A=b", "-S x"),
    "sudo": ("id",),
    "ssh": ("h", "h id"),
    "npx": ("x",),
    "gh": ("alias set a !b", "api x"),
    "gh alias": ("set a !b",),
    "ls": (
        "$(id)",
        "`id`",
        "> x",
        "< x",
        "~root",
        "{a,b}",
        "*",
        "<(id)",
        "& id",
        "&>/dev/null id",
        "--x",
        "=id; x",
    ),
}


def inside(path: str) -> bool:
    return path.startswith("/ws/")


def rows(table: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(prefix, f"{prefix} {rest}".strip()) for prefix, all_rest in table.items() for rest in all_rest]


@each(("prefix", "line"), rows(DAILY))
def test_daily_use_needs_no_further_rule(prefix: str, line: str) -> None:
    assert covering([prefix], line, inside) is not None, unknown_to([prefix], line, inside)


@each(("prefix", "line"), [row for row in rows(ASKED) if row != ("git diff", "git diff --")])
def test_what_is_not_known_to_do_no_harm_is_asked(prefix: str, line: str) -> None:
    assert covering([prefix], line, inside) is None


def test_a_word_that_stands_in_the_rule_is_allowed_there_and_no_other_one() -> None:
    for prefix in (
        "sort -o out",
        "make test CC=gcc",
        "find . -delete",
        "bash x.sh",
        "xargs grep x",
        "git -C a log",
    ):
        assert covering([prefix], prefix) is not None
        assert covering([prefix], f"{prefix} --evil") is None


def test_a_second_file_is_not_allowed_where_a_program_writes_it() -> None:
    for line in ("uniq a b", "uniq - b", "xxd a b", "xxd a -u", "xxd a -g=b"):
        first = " ".join(line.split()[:2])
        assert covering([first], first) is not None
        assert covering([first], line) is None
        assert covering([line.split()[0]], line) is None


def test_a_number_that_zsh_would_evaluate_is_not_allowed() -> None:
    assert covering(["printf"], "printf %d '1+1'") is not None
    assert covering(["printf"], "printf %d 'a[$(x)]'") is None


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("sort --outpu=x a", "the rule “sort” does not know --outpu=x"),
        ("sort a && sort *", "the rule “sort” does not know *"),
        ("sh -c 'sort -o x'", "the rule “sort” does not know -o"),
        ("rm x", ""),
        ("sort a", ""),
    ],
)
def test_the_word_that_a_rule_does_not_know_is_named(line: str, why: str) -> None:
    assert unknown_to(["sort"], line) == why
    verdict = decide([Rule("allow", command="sort")], ToolUse("a", "execute", command=line))
    assert verdict.why == why


def test_the_table_can_be_read() -> None:
    for program in PROGRAMS.values():
        for names in (program.names, program.behind):
            for _, pattern in options_of(names).values():
                re.compile(pattern)
        re.compile(program.operands)
        re.compile(program.first)
