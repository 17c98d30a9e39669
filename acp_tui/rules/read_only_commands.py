"""Read-only commands: finds the parts of a line that surely write no file that they name."""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from tree_sitter import Node

from acp_tui.lazy_regex import regex
from acp_tui.rules.effort import spend
from acp_tui.rules.path_rules import awk_opens, is_plain_sed
from acp_tui.rules.shell import (
    ODD,
    Redirect,
    Word,
    read_redirect,
    read_word,
    source_of,
    text_for_shell,
    tree_of,
)

_MAX_PARSED: Final = 200_000
"""Most characters of a line that is parsed; any part of a longer one may write."""
_MAX_NODES: Final = 20_000
_MAX_DEPTH: Final = 4
"""Most levels of nested shells (`sh -c "sh -c …"`) that are followed."""
_SYSTEM: Final = frozenset({"", "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"})
_UNFORESEEN: Final = regex(
    r"\$\{?!?(?:_(?!\w)|BASH_)|OLDPWD|DIRSTACK|(?<![\w@})])~[-+\d]|>\(|\bfunction\b|\(\s*\)\s*[{(\n]|"
    r"@[PEAKa]\}|\w\[[^\]]*(?:\$\(|`)"  # a text that becomes a command when used as a value or an index
)
"""Words that insert text from elsewhere in the line, or change the meaning of words."""
_REDEFINING: Final = frozenset({"alias", "eval", "trap", "enable", "hash", "bind", "complete", "shopt", "fc"})
_POWERFUL: Final = regex(
    r"(?:PATH|GIT_|LD_|DYLD_|BASH_|ENV$|IFS|PAGER|EDITOR|VISUAL|LESS|\w*PAGER|\w*OPTS)\w*"
)
_HARMLESS_SETTING: Final = regex(
    r"(?:LC_\w+|LANG|TZ|TERM|NO_COLOR|COLUMNS|FORCE_COLOR|CI)=[\w.:/-]*|(?:GIT_)?PAGER=cat|GIT_TERMINAL_PROMPT=0|"
    r"(?:KUBECONFIG|AWS_PROFILE|AWS_REGION|AWS_CONFIG_FILE|AWS_SHARED_CREDENTIALS_FILE)=[\w.:/~-]*"
)
_MORE_PATH: Final = regex(r"""PATH=(?=.*\$\{?PATH\b)(?!.*[`(]).*""", re.DOTALL)
"""An extended search path: no program uses it as a file."""

_READERS: Final = {
    **dict.fromkeys(
        (
            *("cat", "ls", "head", "tail", "wc", "grep", "egrep", "fgrep", "diff", "cmp", "comm"),
            *("stat", "test", "[", "echo", "true", "false", ":", "pwd", "cd", "pushd", "popd"),
            *("chdir", "basename", "dirname", "realpath", "readlink", "du", "df", "cut", "tr"),
            *("nl", "tac", "rev", "od", "hexdump", "strings", "md5sum", "sha1sum", "sha256sum"),
            *("sha512sum", "cksum", "which", "type", "jq", "column", "fold", "join", "paste"),
            *("sleep", "wait", "exit", "return", "break", "continue", "id", "ps", "mkdir", "rmdir"),
            *("sha224sum", "sha384sum", "b2sum", "md5", "zcat", "zgrep", "eza", "exa", "lsd"),
            *("yamllint", "shellcheck", "hadolint"),
        ),
        "",
    ),
    "ack": r"--(?:pa|ou).*",
    "actionlint": r"--?(?:shellcheck|pyflakes|init).*",
    "ag": r"--pa.*",
    "base64": r"-[a-zA-Z]*o.*|--o.*",
    **dict.fromkeys(("bat", "batcat"), r"--p(?!lain$).*|cache"),
    "crontab": r"(?!-l$).*",
    "eslint": r"-o.*|--(?:fix|output|cache|init|supp|prune).*",
    "fd": r"-\w*[xX].*|--exec.*",
    "fdfind": r"-\w*[xX].*|--exec.*",
    "file": r"-\w*C.*|--compile",
    "less": r"\+.*|-(?![eEFiIMmNnRrSX]+$).*",
    "more": r"[-+].*",
    "prettier": r"-\w*w.*|--w.*|--cache.*",
    "printf": r"-v.*",
    "rg": r"--pre.*|--hostname-bin.*",
    "sort": r"-[a-zA-Z]*o.*|--o.*|--co.*",
    "tree": r"-\w*o.*|--output.*",
    "yq": r"-\w*[is].*|--in.*|--split.*",
    "zizmor": r"--fix.*|--cache.*",
}
"""Programs that only read, with a pattern for the arguments with which they may do more."""
_NAMING: Final = frozenset({"read", "mapfile", "readarray", "shift", "set"})
"""Programs that write no file, but read into variables for the rest of the line."""
_CURL: Final = regex(r"-[fsSLIikv]+|--(?:silent|fail|location|head|show-error|compressed)|[^-].*", re.DOTALL)
_GIT_GLOBAL: Final = regex(r"--no-pager|-P|--no-optional-locks|--(?:git-dir|work-tree)=.*")
_GIT_SAFE: Final = regex(
    r"(?:user\.\w+|color\.\w+|commit\.gpgsign|core\.quotepath)=[\w@. -]*|core\.pager=cat"
)
_GIT_SUBCOMMANDS: Final = frozenset(
    (
        *("status", "diff", "log", "show", "add", "commit", "blame", "grep", "ls-files"),
        *("ls-tree", "rev-parse", "rev-list", "cat-file", "check-ignore", "describe"),
        *("shortlog", "diff-tree", "diff-index", "diff-files", "name-rev", "show-ref"),
        *("for-each-ref", "merge-base", "check-attr", "whatchanged", "range-diff", "cherry"),
        *("count-objects", "check-mailmap"),
    )
)
"""Subcommands of git that write no file of the workspace; its index and objects are git's own."""
_GIT_MORE: Final = regex(r"--ou(?:t.*)?|--op.*|--ext-diff|--edit.*", re.DOTALL)
_GIT_READ_FORMS: Final = {
    "remote": r"show|get-url",
    "stash": r"list|show",
    "worktree": r"list",
    "tag": r"-l|--list",
    "rm": r"--cached",
}
"""Subcommands of git that only read if followed by one of these words."""
_GIT_CONFIG_GETTERS: Final = regex(r"--get(?:-all|-regexp|-urlmatch)?|--list|-l")
_GIT_CONFIG_OPTIONS: Final = regex(
    r"--(?:global|system|local|worktree|null|name-only|show-origin|show-scope|(?:no-)?includes|bool|int|path)|-z|"
    r"--(?:type|file|default|blob)(?:=.*)?|-f"
)
"""Options of `git config` that change nothing."""
_GH: Final = frozenset(["create", "comment", "edit", "view", "list", "diff", "status", "checks", "review"])
_GH_OF: Final = {
    **dict.fromkeys(("pr", "issue"), _GH),
    **dict.fromkeys(("run", "workflow"), frozenset(["view", "list"])),
}
_KUBECTL: Final = regex(
    r"get|describe|logs?|top|version|explain|api-resources|api-versions|cluster-info(?! dump)|"
    r"config (?:view|get-\w+|current-context)"
)
_KUBECTL_WRITES: Final = regex(r"--?(?:prof|log|cache|alsolog|v).*")
_AWS: Final = regex(r"s3 ls|sts get-caller-identity|[\w-]+ (?:describe|list)-[\w-]+")
_TAR_LISTS: Final = regex(r"-?[vzjJf]*t[vzjJf]*")
_FIND_WRITES: Final = regex(r"-delete|-fprint.*|-fls")
_FIND_STARTS: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_XARGS: Final = regex(r"-[0rt]+|-[nPL]\d+|-I\S+|--null|--no-run-if-empty")
_WRAPPERS: Final = frozenset(
    (
        *("sudo", "doas", "env", "command", "builtin", "nohup", "time", "nice", "setsid"),
        *("npx", "pnpx", "bunx", "uvx"),
    )
)
"""Programs that run the command after them."""
_EXCLUDES: Final = regex(r"--(?:extend-)?exclude(?:-dir)?|--ignore(?:-pattern)?")
_EXCLUDING: Final = frozenset(
    (
        *("tar", "gtar", "bsdtar", "rsync", "find", "fd", "fdfind", "rg", "grep", "egrep"),
        *("fgrep", "tree", "du", "diff", "zip", "black", "ruff", "flake8", "mypy", "eslint"),
        *("prettier", "cloc", "codespell"),
    )
)
"""Programs with an option for files that they leave alone."""


def text_left(command: str) -> list[str]:
    """Return a line without the parts that surely only read, and the rest of its texts for shells."""
    return _Line(command).left()


class _Line:
    """A command line whose parts that surely only read are marked.

    In `cat a | grep b > found`, that is `cat a | grep b`: the redirect writes a file that the line names.
    In `cat a && rm b`, it is `cat a`. In `ls a | xargs rm`, it is nothing: `ls` prints the names of files
    that `rm` deletes, so its output is not inert.
    """

    def __init__(self, text: str, depth: int = 0) -> None:
        text = text.replace("\\\n", "")
        self._text = text.encode("utf-8", "replace")
        self._reads = bytearray(len(self._text))
        self._scripts: list[str] = []
        self._depth = depth
        self._inner: dict[int, _Line] = {}
        """Lines of nested shells, by their nodes."""
        self._writes_piped_names: set[int] = set()
        """Nodes that may write files whose names they read: the `xargs` of `ls | xargs rm`."""
        self.only_reads = False
        """True if nothing in the line writes, except redirects to known files."""
        tree = tree_of(text) if len(text) <= _MAX_PARSED else None
        if tree is not None and self._is_understood(text, tree):
            nodes = list(_nodes(tree))
            spend(40 * len(nodes))
            self.only_reads = all(map(self._is_harmless, nodes))
            for node in reversed(nodes):
                is_harmless = self._is_harmless(node, with_tee=True)
                if not is_harmless or self._may_write_piped_names(node.children):
                    self._writes_piped_names.add(node.id)
            self._set(tree, self.only_reads)
            self._mark(tree)

    def left(self) -> list[str]:
        """Return the text that may write, and the rest of the scripts in it."""
        rest = bytes(
            32 if reads and letter != 10 else letter
            for letter, reads in zip(self._text, self._reads, strict=True)
        )
        return [rest.decode("utf-8", "replace"), *self._scripts]

    def _is_understood(self, text: str, tree: Node) -> bool:
        if tree.has_error or ODD.search(text) or _UNFORESEEN.search(text):
            return False
        for number, node in enumerate(_nodes(tree)):
            if number > _MAX_NODES or node.type == "function_definition" or _loses_words(node):
                return False
            if node.type == "comment" and self._text[node.start_byte - 1 : node.start_byte].strip(
                b" \t\n;&|()"
            ):
                return False
            if node.type == "command" and _program(_words(node)) in _REDEFINING:
                return False
            if node.type == "variable_assignment":
                setting = source_of(node)
                is_known = _HARMLESS_SETTING.fullmatch(setting) or _MORE_PATH.fullmatch(setting)
                if _POWERFUL.match(setting) and not is_known:
                    return False
        return True

    def _set(self, node: Node, reads: bool) -> None:
        self._reads[node.start_byte : node.end_byte] = bytes([reads]) * (node.end_byte - node.start_byte)

    def _mark(self, tree: Node) -> None:
        """Mark the parts that only read, from outside to inside: each part decides about itself."""
        waiting = [(tree, True)]
        while waiting:
            node, output_is_inert = waiting.pop()
            waiting += [(child, inert) for child, inert in reversed(list(self._below(node, output_is_inert)))]

    def _below(self, node: Node, output_is_inert: bool) -> Iterator[tuple[Node, bool]]:
        """Mark a part; yield its (child, whether its output is inert, so names no file to write)."""
        match node.type:
            case "command":
                output_is_inert = self._mark_command(node, output_is_inert)
            case "test_command" | "comment":
                self._set(node, True)
            case "command_substitution" | "process_substitution":
                self._set(node, False)
            case "file_redirect":
                reads = _is_plain_read(read_redirect(node))
                self._set(node, reads)
                # Its output is the name of the file that is written.
                output_is_inert = output_is_inert and reads
            case "variable_assignment" if _MORE_PATH.fullmatch(source_of(node)):
                self._set(node, True)
            case "variable_assignment" | "for_statement" if not self.only_reads:
                for child in node.children:
                    yield child, output_is_inert and child.type == "do_group"
                return
            case "pipeline":
                for child in reversed(node.children):
                    yield child, output_is_inert
                    output_is_inert = output_is_inert and not self._may_write_piped_names([child])
                return
            case "redirected_statement":
                yield from self._below_redirects(node, output_is_inert)
                return
        yield from ((child, output_is_inert) for child in node.children)

    def _below_redirects(self, node: Node, output_is_inert: bool) -> Iterator[tuple[Node, bool]]:
        """Yield a statement with its redirects; a here-document is inert if the statement only reads."""
        body = node.child_by_field_name("body")
        documents = [
            one for child in node.children if child.type == "heredoc_redirect" for one in child.children
        ]
        behind = [one for one in documents if one.is_named and not one.type.startswith("heredoc_")]
        output_is_inert = output_is_inert and not self._may_write_piped_names(behind)
        given = [child for child in node.children if child.type == "herestring_redirect"]
        given += [one for one in documents if one.type == "heredoc_body"]
        for one in given:
            self._set(one, output_is_inert and body is not None and self._reads_surely(body))
        may_write = body is not None and self._may_write_piped_names([body])
        for child in node.children:
            yield child, output_is_inert and not (may_write and child.type == "file_redirect")

    def _reads_surely(self, body: Node) -> bool:
        return body.type == "command" and _only_reads(_words(body)) and not _has_settings(body)

    def _mark_command(self, node: Node, output_is_inert: bool) -> bool:
        """Mark a command that only reads, else its words that are surely not written."""
        words = _words(node)
        inner = self._script_in(node) if not _has_settings(node) else None
        if inner is not None:
            self._scripts += inner.left() if output_is_inert else []
            self._set(node, output_is_inert)
            return output_is_inert and inner.only_reads
        reads = output_is_inert and _only_reads(words) and not _has_settings(node)
        self._set(node, reads)
        if not reads:
            behind = _behind_wrappers(words)
            for word in words[: len(words) - len(behind) + 1]:
                folder = word.source.rpartition("/")[0].encode("utf-8", "replace")  # the program that is run
                self._reads[word.start : word.start + len(folder)] = b"\1" * len(folder)
            named = {word.start for word in _left_alone(behind)}
            for child in _word_nodes(node):
                if child.start_byte in named:
                    self._set(child, True)
        return reads

    def _script_in(self, node: Node) -> _Line | None:
        """Return the line that a command passes to a shell without doing more."""
        if node.id not in self._inner:
            script = text_for_shell([word.text for word in _behind_wrappers(_words(node))])
            if script is None or self._depth >= _MAX_DEPTH:
                return None
            self._inner[node.id] = _Line(script, self._depth + 1)
        return self._inner[node.id]

    def _may_write_piped_names(self, nodes: Iterable[Node]) -> bool:
        """Return whether one of the nodes may write files whose names it reads."""
        return not self._writes_piped_names.isdisjoint(node.id for node in nodes)

    def _is_harmless(self, node: Node, *, with_tee: bool = False) -> bool:
        """Return whether a node itself writes nothing, except by a redirect to a known file."""
        if node.type == "file_redirect":
            redirect = read_redirect(node)
            target = redirect.target
            return _is_plain_read(redirect) or (target is not None and target.text is not None)
        if node.type != "command":
            return True
        words = _words(node)
        inner = self._script_in(node)
        if inner is not None:
            return inner.only_reads and not _has_settings(node)
        program = _program(words)
        is_tee = with_tee and program == "tee" and all(word.text is not None for word in words)
        names = program in _NAMING and (self.only_reads or not with_tee)
        reads = is_tee or names or _only_reads(words)
        return reads and not _has_settings(node)


def _nodes(top: Node) -> Iterator[Node]:
    waiting = [top]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def _loses_words(node: Node) -> bool:
    """Return whether the parser separates words after a here-document from their command."""
    known = {"pipeline", "command", "list", "file_redirect", "redirected_statement"}
    return node.type == "heredoc_redirect" and any(
        child.is_named and child.type not in known and not child.type.startswith("heredoc_")
        for child in node.children
    )


def _word_nodes(command: Node) -> list[Node]:
    return [
        child
        for child in command.children
        if child.type != "variable_assignment" and not child.type.endswith("_redirect")
    ]


def _words(command: Node) -> list[Word]:
    return [read_word(child) for child in _word_nodes(command)]


def _has_settings(command: Node) -> bool:
    """Return whether a command gets variables that may change what it does."""
    settings = (source_of(child) for child in command.children if child.type == "variable_assignment")
    return not all(_HARMLESS_SETTING.fullmatch(one) or _MORE_PATH.fullmatch(one) for one in settings)


def _is_plain_read(redirect: Redirect) -> bool:
    """Return whether a redirect writes no file; the parser treats words after it as more targets."""
    return redirect.target is not None and not redirect.writes


def _program(words: Sequence[Word]) -> str:
    """Return the name of a program in a system folder; empty for others."""
    folder, name = posixpath.split((words[0].text or "") if words else "")
    return name if folder in _SYSTEM else ""


def _behind_wrappers(words: Sequence[Word]) -> Sequence[Word]:
    """Return the words of the program that wrappers with plain options run."""
    while len(words) > 1:
        program, following = _program(words), words[1].text or "-"
        size = 1
        if program == "timeout" and re.fullmatch(r"[\d.]+[smhd]?", following):
            size = 2
        elif program == "xargs":
            while size < len(words) and _XARGS.fullmatch(words[size].text or ""):
                size += 1
            if size < len(words) and (words[size].text or "-").startswith("-"):
                return words
        elif program not in _WRAPPERS or following.startswith("-"):
            return words
        while program == "env" and size < len(words) and _HARMLESS_SETTING.fullmatch(words[size].text or ""):
            size += 1
        words = words[size:]
    return words


def _plain(word: Word) -> str:
    """Return a word that is known except for the home folder; empty for others."""
    return word.text or (word.source if re.fullmatch(r"~[\w./-]*", word.source) else "")


def _only_reads(words: Sequence[Word]) -> bool:
    """Return whether a command writes no file that it names, whatever its unknown words are."""
    takes_more = any(word.text and posixpath.basename(word.text) == "xargs" for word in words)
    words = _behind_wrappers(words)
    program = _program(words)
    texts = [word.text for word in words[1:]] + [None] * takes_more
    known = [text for text in texts if text is not None]
    refused = _READERS.get(program)
    if refused is not None:
        return not (refused and any(re.fullmatch(refused, text, re.DOTALL) for text in known))
    match program:
        case "uniq":
            operands = [text for text in texts if text is None or text == "-" or not text.startswith("-")]
            return "--" not in texts and len(operands) < 2
        case "xxd":
            return None not in texts and not any(one.startswith("-r") for one in known) and len(known) < 2
        case "command":
            return texts[:1] in (["-v"], ["-V"])
        case "find":
            return _find_reads(words)
        case "sed" | "gsed":
            return (
                None not in texts
                and is_plain_sed(texts)
                and not any(re.match("-[^-]*i|--in", one) for one in known)
            )
        case "awk" | "gawk" | "mawk":
            return None not in texts and not any(
                awk_opens(one) or re.match("-(?![Fv]).", one) for one in known
            )
        case "git":
            return _git_reads(texts)
        case "gh":
            allowed = _GH_OF.get((texts[0] or "") if texts else "")
            return allowed is not None and len(texts) > 1 and texts[1] in allowed
        case "curl":
            return len(known) == len(texts) and all(map(_CURL.fullmatch, known))
        case "kubectl" | "aws":
            looks = _KUBECTL if program == "kubectl" else _AWS
            if any(map(_KUBECTL_WRITES.fullmatch, known)):
                return False
            return re.match(rf"(?:{looks.pattern})(?: |$)", " ".join(_operands(texts))) is not None
        case "tar" | "gtar" | "bsdtar":
            is_plain = bool(texts) and not any(text is None or text.startswith("-") for text in texts[1:])
            return is_plain and _TAR_LISTS.fullmatch(texts[0] or "") is not None
        case "source" | "." | "sh" | "bash" | "dash" | "zsh" | "node" | "python" | "python3" if texts[:1] != [
            "-m"
        ]:
            files = [_plain(word) for word in words[1:]]
            return len(files) == 1 and re.match("-|/dev/|/proc/|$", files[0]) is None
        case "python" | "python3":
            return texts[:2] == ["-m", "json.tool"] and len(texts) < 4
    return False


def _operands(texts: Sequence[str | None]) -> list[str]:
    """Return the words of a command without its options and their possible values."""
    found = []
    for before, text in pairwise(["", *texts]):
        if not (text or "-").startswith("-") and not (
            (before or "").startswith("-") and "=" not in (before or "")
        ):
            found.append(text or "")
    return found


def _find_reads(words: Sequence[Word]) -> bool:
    texts = [word.text or "" for word in words]
    for place, text in enumerate(texts):
        if _FIND_WRITES.fullmatch(text):
            return False
        if text in _FIND_STARTS:
            given = itertools.takewhile(lambda word: word.text not in (";", "+"), words[place + 1 :])
            if not _only_reads(list(given)):
                return False
    return True


def _git_reads(texts: Sequence[str | None]) -> bool:
    rest = [text or "" for text in texts]
    while rest and rest[0].startswith("-"):
        if rest[0] == "-C" or (rest[0] == "-c" and rest[1:] and _GIT_SAFE.fullmatch(rest[1])):
            rest = rest[2:]
        elif _GIT_GLOBAL.fullmatch(rest[0]):
            rest = rest[1:]
        else:
            return False
    name, rest = (rest[0], rest[1:]) if rest else ("status", [])
    if name == "remote":
        rest = [one for one in rest if one not in ("-v", "--verbose")]
    if any(map(_GIT_MORE.fullmatch, rest)) or (name == "grep" and any(one.startswith("-O") for one in rest)):
        return False
    if name == "config":
        return _reads_settings(rest)
    asks = _GIT_READ_FORMS.get(name)
    options = list(itertools.takewhile(lambda one: one != "--" and one.startswith("-"), rest))
    is_asking = asks is not None and any(re.fullmatch(asks, one) for one in {*options, *rest[:1]} - {"--"})
    return name in _GIT_SUBCOMMANDS or is_asking or (name in ("remote", "tag") and not rest)


def _reads_settings(rest: Sequence[str]) -> bool:
    """Return whether `git config` only reads; it takes no options after its first operand."""
    rest, gets = list(rest), False
    while rest and rest[0].startswith("-"):
        gets = gets or _GIT_CONFIG_GETTERS.fullmatch(rest[0]) is not None
        if not (_GIT_CONFIG_GETTERS.fullmatch(rest[0]) or _GIT_CONFIG_OPTIONS.fullmatch(rest[0])):
            return False
        del rest[: 2 if rest[0] in ("-f", "--file", "--type", "--default", "--blob") else 1]
    return gets or rest[:1] in (["get"], ["list"]) or (len(rest) == 1 and "." in rest[0])


def _left_alone(words: Sequence[Word]) -> Iterator[Word]:
    """Yield the words of a command for files that it leaves alone or only reads."""
    program = _program(words)
    texts = [word.text or "" for word in words]
    for place, (text, following) in enumerate(pairwise([*texts, ""])):
        if program == "find":
            if text in _FIND_STARTS:
                return
            is_test = text in ("-path", "-name", "-wholename")
            if is_test and (texts[place - 1] in ("-not", "!") or texts[place + 2 : place + 3] == ["-prune"]):
                yield words[place + 1]
        elif program in _EXCLUDING:
            if _EXCLUDES.fullmatch(text) and following:
                yield words[place + 1]
            elif (_EXCLUDES.fullmatch(text.partition("=")[0]) and "=" in text) or (
                program in ("rg", "fd") and re.match("!|-g!|--glob=!", text)
            ):
                yield words[place]
        elif program in ("ssh", "scp", "sftp") and text in ("-i", "-F") and place + 1 < len(words):
            yield words[place + 1]
