"""Shell command lines, parsed by tree-sitter's grammar of bash."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Final

import tree_sitter
import tree_sitter_bash
from tree_sitter import Node

from acp_tui.lazy_regex import regex
from acp_tui.rules.effort import spend


@dataclass(frozen=True)
class Word:
    """One word of a command line."""

    source: str
    """The source text, with quotes."""
    text: str | None
    """The word that the program gets; None if the shell expands it."""
    pattern: bool = False
    """True if it expands only to file names, alternatives or the home folder (`*.py`, `{a,b}`, `~`)."""
    start: int = field(default=0, compare=False)


_SPECIAL: Final = regex(r"[*?\[\]{}~]")
_EXPANSION: Final = regex(r"[$`]")
_ESCAPED: Final = regex(r"\\(.)", re.DOTALL)
_ESCAPED_IN_QUOTES: Final = regex(r'\\(["\\$`])')


def read_word(node: Node) -> Word:
    """Return the word of a node."""
    source = source_of(node)
    pieces = list(_pieces(node))
    expands = any(text is None and not pattern for text, pattern in pieces)
    pattern = not expands and any(pattern for _, pattern in pieces)
    if pattern and not re.search(r"""['"]""", source) and not _SPECIAL.search(source.replace("{}", "")):
        return Word(source, _ESCAPED.sub(r"\1", source), False, node.start_byte)  # no shell expands `{}`
    text = None if expands or pattern else "".join(text or "" for text, _ in pieces)
    return Word(source, text, pattern, node.start_byte)


def _pieces(node: Node) -> Iterator[tuple[str | None, bool]]:
    """Yield (text, whether it is a pattern) for each piece of a word; None for an expansion."""
    source = source_of(node)
    match node.type:
        case "command_name" | "concatenation" if node.children:
            for child in node.children:
                yield from _pieces(child)
        case "raw_string":
            yield source[1:-1], False
        case "string":
            inside = source[1:-1]
            makes = _EXPANSION.search(_ESCAPED.sub("", inside)) is not None
            yield None if makes else _ESCAPED_IN_QUOTES.sub(r"\1", inside), False
        case "word" | "number" | "file_descriptor" | "variable_name" | "{" | "}" | "[" | "]":
            bare = _ESCAPED.sub("", source)
            if _EXPANSION.search(bare):
                yield None, False
            else:
                special = _SPECIAL.search(bare) is not None
                yield None if special else _ESCAPED.sub(r"\1", source), special
        case _ if not node.is_named and not _EXPANSION.search(source):
            yield source, False
        case _:
            yield None, False


def source_of(node: Node) -> str:
    """Return the source text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


ODD: Final = regex(r"[^\S \t\n]|[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]|(?<!\s)\\\n|\\\n(?!\s)")
"""Characters that shells and the parser read differently: unusual blanks, control characters."""
MOVERS: Final = frozenset({"cd", "pushd", "chdir"})
"""Commands that change to the folder they name."""
MAX_LINE: Final = 10_000
"""Most characters of a line that is parsed; a longer one counts as not understood."""
_MAX_COMMANDS: Final = 250
_CONSTANT: Final = regex(
    r"""\$\(\s*(?:/usr)?(?:/bin/)?cat\s+<<\s*(?:'(\w+)'|"(\w+)"|\\(\w+))[ \t]*\n(.*?)\n?[ \t]*\)""", re.DOTALL
)
"""A here-document without expansions, used as a word."""
_REDIRECTS: Final = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})
_GROUPS: Final = frozenset(
    {
        "program",
        "list",
        "pipeline",
        "subshell",
        "compound_statement",
        "negated_command",
        "redirected_statement",
    }
)
_JOINTS: Final = frozenset({"&&", "||", "|", "|&", ";", "&", "\n", "(", ")", "{", "}", "!"})
_RUNNING: Final = frozenset({"command", "declaration_command", "unset_command"})
_TO_NOTHING: Final = regex(r"[0-9]|/dev/null")


@dataclass(frozen=True)
class Redirect:
    """A redirected stream."""

    operator: str
    """`<`, `>`, `>>`, `>&`, `<<` (a here-document), `<<<` and so on."""
    target: Word | None
    """A file or a stream number; None for a here-document."""
    stream: Word | None = None

    @property
    def harmless(self) -> bool:
        """True if it only joins streams or discards one."""
        text = self.target.text if self.target is not None else None
        return (
            text is not None
            and bool(_TO_NOTHING.fullmatch(text))
            and (text == "/dev/null" or self.operator in (">&", "<&"))
        )

    @property
    def writes(self) -> bool:
        """True if it writes to a file."""
        return ">" in self.operator and not self.harmless


@dataclass(frozen=True)
class SimpleCommand:
    """A simple command anywhere in a line."""

    words: tuple[Word, ...]
    assignments: tuple[str, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    """The redirects of the command and of the groups around it."""
    within: frozenset[str] = frozenset()
    """Kinds of the parser's nodes around it: `list`, `pipeline`, `command_substitution` …"""
    background: bool = False


@dataclass(frozen=True)
class CommandLine:
    """A parsed command line."""

    commands: tuple[SimpleCommand, ...]
    understood: bool
    """True if the whole line was parsed."""
    plain: bool
    """True if every shell finds nothing but simple commands in chains, pipes and groups."""


# Allow rules must never be fooled, deny rules as rarely as possible. So a line is judged twice: `understood`
# says that the grammar parsed the whole line, which is enough to deny; `plain` also requires that nothing but
# simple commands, operators and groups are in it, that no other shell reads a character differently, and
# that shlex, an independent reader, finds exactly the same words. Only a plain line can be allowed by a rule.
@lru_cache(maxsize=32)
def parse_line(text: str) -> CommandLine:
    """Parse a line into its simple commands, including those in substitutions, loops and functions."""
    if len(text) > MAX_LINE:
        return CommandLine((), understood=False, plain=False)
    spend(50 + 5 * len(text))
    joined = text.replace("\\\n", "")
    root = tree_of(joined)
    written = _without_constants(root, joined)
    if written != joined:
        joined = written
        root = tree_of(joined)
    reader = _TreeWalker()
    commands = tuple(islice(reader.commands(root), _MAX_COMMANDS))
    understood = not root.has_error and len(commands) < _MAX_COMMANDS
    plain = understood and reader.plain and not ODD.search(text) and reader.agrees_with(joined)
    return CommandLine(commands, understood, plain)


def tree_of(text: str) -> Node:
    """Return the syntax tree of a line."""
    return _parser().parse(text.encode("utf-8", "replace")).root_node


def trimmed(text: str) -> str:
    """Return a command without blanks around it, but with one after a backslash: it is part of a word."""
    bare = text.strip(" \t\n")
    return text if bare.endswith("\\") else bare


def is_too_long(text: str) -> bool:
    """Return whether a line is too long to be parsed."""
    return len(text) > MAX_LINE or len(parse_line(text).commands) >= _MAX_COMMANDS


def _without_constants(root: Node, text: str) -> str:
    """Return a line with each `"$(cat <<'END' …)"` replaced by its quoted text."""
    if "<<" not in text:
        return text
    whole, end, pieces = text.encode("utf-8", "replace"), 0, []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        found = _constant(node) if node.type == "string" else None
        if found is None:
            waiting.extend(reversed(node.children))
        else:
            quoted = "'" + found.replace("'", "'\"'\"'") + "'"
            pieces += [whole[end : node.start_byte], quoted.encode("utf-8", "replace")]
            end = node.end_byte
    return b"".join([*pieces, whole[end:]]).decode("utf-8", "replace")


def _constant(node: Node) -> str | None:
    """Return the text of a string that is one here-document without expansions."""
    if [child.type for child in node.children] != ['"', "command_substitution", '"']:
        return None
    found = _CONSTANT.fullmatch(source_of(node)[1:-1])
    if found is None:
        return None
    lines = found[4].split("\n")
    mark = found[1] or found[2] or found[3]
    if mark not in lines or lines.index(mark) != len(lines) - 1:
        return None
    return "\n".join(lines[:-1]).rstrip("\n")


@lru_cache(maxsize=1)
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


@dataclass(frozen=True)
class _Context:
    """The context of all commands below a node."""

    within: frozenset[str] = frozenset()
    redirects: tuple[Redirect, ...] = ()
    background: bool = False


class _TreeWalker:
    """Walks a syntax tree without recursion: a line may be nested to any depth."""

    def __init__(self) -> None:
        self.plain = True
        """True if every node so far was a simple command, an operator or a group."""
        self._words: list[Word] = []

    def commands(self, root: Node) -> Iterator[SimpleCommand]:
        """Yield the simple commands below a node, in the order of the text."""
        waiting: list[tuple[Node, _Context, bool]] = [(root, _Context(), True)]
        while waiting:
            node, context, is_part = waiting.pop()
            if is_part:
                self.plain = self.plain and self._is_plain(node)
            if node.type in _RUNNING:
                yield self._command(node, context)
            elif node.type == "variable_assignment" and is_part:
                yield SimpleCommand(
                    (), (source_of(node),), context.redirects, context.within, context.background
                )
            inner = self._inside(node, context)
            if (
                node.type == "redirected_statement"
                and inner.redirects
                and node.child_by_field_name("body") is None
            ):
                yield SimpleCommand((), (), inner.redirects, inner.within, inner.background)
            waiting.extend(self._below(node, inner, is_part))

    def agrees_with(self, text: str) -> bool:
        """Return whether `shlex` finds the same words, so that no single bug can allow a command."""
        reader = shlex.shlex(text, posix=True, punctuation_chars=True)
        reader.whitespace_split = True
        reader.commenters = ""
        try:
            found = [word for word in reader if not set(word) <= set("();<>|&") or not word]
        except ValueError:  # a quote is left open
            return False
        words = sorted(self._words, key=lambda word: word.start)
        return found == [word.source if word.text is None else word.text for word in words]

    def _is_plain(self, node: Node) -> bool:
        if node.type in ("{", "}", "!"):
            self._words.append(Word(node.type, node.type, start=node.start_byte))
        return (
            node.type in _GROUPS or node.type in _JOINTS or node.type in _REDIRECTS or node.type == "command"
        )

    def _below(self, node: Node, context: _Context, is_part: bool) -> list[tuple[Node, _Context, bool]]:
        """Return the children, last first; a child is part of the line unless it belongs to a command."""
        part = is_part and node.type in _GROUPS
        found = []
        background = _Context(context.within, context.redirects, True)
        after = ""
        for child in reversed(node.children):
            found.append((child, background if after == "&" else context, part))
            after = child.type
        return found

    def _inside(self, node: Node, context: _Context) -> _Context:
        if not node.is_named or node.type in ("program", "command", "command_name", "word"):
            return context
        redirects = self._redirects(node) if node.type == "redirected_statement" else ()
        if node.type in context.within and not redirects:
            return context
        return _Context(context.within | {node.type}, (*context.redirects, *redirects), context.background)

    def _command(self, node: Node, context: _Context) -> SimpleCommand:
        words: list[Word] = []
        assignments: list[str] = []
        for child in node.children:
            if child.type == "variable_assignment" and node.type == "command":
                assignments.append(source_of(child))
            elif child.type not in _REDIRECTS:
                words.append(read_word(child))
        self._words += words
        redirects = (*context.redirects, *self._redirects(node))
        return SimpleCommand(tuple(words), tuple(assignments), redirects, context.within, context.background)

    def _redirects(self, node: Node) -> tuple[Redirect, ...]:
        found = tuple(read_redirect(child) for child in node.children if child.type in _REDIRECTS)
        self._words += [word for one in found for word in (one.stream, one.target) if word is not None]
        return found


def read_redirect(node: Node) -> Redirect:
    """Return the redirect of a node."""
    operator = "".join(source_of(child) for child in node.children if not child.is_named)
    if node.type == "heredoc_redirect":
        return Redirect("<<", None)
    stream = node.child_by_field_name("descriptor")
    named = [child for child in node.children if child.is_named and child.type != "file_descriptor"]
    target = read_word(named[0]) if len(named) == 1 else None
    return Redirect(operator, target, read_word(stream) if stream is not None else None)


_TOKEN: Final = regex(
    r"""(?P<blank>[ \t\r]+)
    |(?P<redirect>&>>?|(?:\d+|\{\w+\})?(?:<<<|<<-?|<>|>\||>>|[<>]&|[<>](?!\()))
    |(?P<end>[;&|()\n`])
    |(?P<piece>'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s;&|()<>`'"\\]+|.)""",
    re.DOTALL | re.VERBOSE,
)
_LEADING: Final = frozenset(
    {
        *("if", "then", "else", "elif", "while", "until", "do", "{", "}", "!"),
        *("time", "coproc", "fi", "done", "esac"),
    }
)
_SETTING: Final = regex(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")


@lru_cache(maxsize=64)
def rough_commands(text: str) -> tuple[SimpleCommand, ...]:
    """Return the simple commands that some shell may find in a line, for rules that deny.

    It knows only words, separators and redirects, which may be anywhere, also before the program. `&>` is
    read both as in bash and as the end of a command, as in other shells.
    """
    spend(10 + 2 * len(text))
    found = _RoughReader(text.replace("\\\n", "")).commands()
    if "&>" in text:
        found += _RoughReader(text.replace("\\\n", "").replace("&>", "& >")).commands()
    return tuple(dict.fromkeys(found))


class _RoughReader:
    """Splits a line at its separators only."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: list[SimpleCommand] = []
        self._words: list[Word] = []
        self._redirects: list[Redirect] = []
        self._pieces: list[str] = []
        self._operator = ""
        self._marks: list[str] = []
        self._is_rest = self._is_piped = self._has_opened = False

    def commands(self) -> list[SimpleCommand]:
        """Return the parsed line."""
        place = 0
        while place < len(self._text):
            token = _TOKEN.match(self._text, place)
            if token is None:
                break
            place, kind = token.end(), token.lastgroup
            if kind == "piece":
                self._pieces.append(token[0])
                continue
            self._end_word()
            if kind == "redirect":
                self._operator = token[0].lstrip("0123456789")
            elif kind == "end":
                self._end_command(token[0], self._text[place : place + 1])
                if token[0] == "\n":
                    place = self._behind_bodies(place)
        self._end_word()
        self._end_command("", "")
        return self._found

    def _end_word(self) -> None:
        if not self._pieces:
            return
        word = _rough_word(self._pieces)
        self._pieces = []
        if not self._operator:
            self._words.append(word)
            return
        is_body = self._operator.startswith("<<") and self._operator != "<<<"
        if is_body:
            self._marks.append(re.sub(r"""[\'"\\]""", "", word.source))
        self._redirects.append(Redirect("<<", None) if is_body else Redirect(self._operator, word))
        self._operator = ""

    def _end_command(self, separator: str, following: str) -> None:
        words, settings = self._words, []
        while words and (words[0].source in _LEADING or _SETTING.match(words[0].source)):
            if words[0].source not in _LEADING:
                settings.append(words[0].source)
            words = words[1:]
        is_rest = self._is_rest and words[:1] != [] and words[0].text is None
        if (words or settings or self._redirects) and not is_rest:
            within = frozenset({"piped"}) if self._is_piped else frozenset[str]()
            self._found.append(SimpleCommand(tuple(words), tuple(settings), tuple(self._redirects), within))
        self._words, self._redirects, self._operator = [], [], ""
        self._is_piped = separator == "|"
        if separator == "`":
            self._has_opened = not self._has_opened
        ends = separator == ")" or (separator == "`" and not self._has_opened)
        self._is_rest = ends and bool(following.strip()) and following not in ";&|()<>"

    def _behind_bodies(self, place: int) -> int:
        """Return the offset after the here-documents that begin on this line."""
        for mark in self._marks:
            end = re.compile(rf"^\t*{re.escape(mark)}$", re.MULTILINE).search(self._text, place)
            place = end.end() if end is not None else len(self._text)
        self._marks = []
        return place


def _is_pattern(piece: str) -> bool:
    """Return whether an unquoted piece of a word may be a pattern."""
    braced = piece[piece.find("{") : piece.rfind("}") + 1] if "{" in piece else ""
    return (
        "*" in piece
        or "?" in piece
        or piece.startswith("~")
        or 0 <= piece.find("[") < piece.rfind("]") - 1
        or "," in braced
        or ".." in braced
    )


def _rough_word(pieces: Sequence[str]) -> Word:
    source = "".join(pieces)
    texts, is_unknown, is_pattern = [], False, False
    for piece in pieces:
        if piece.startswith("'") and len(piece) > 1:
            texts.append(piece[1:-1])
        elif piece.startswith('"') and len(piece) > 1:
            is_unknown = is_unknown or _EXPANSION.search(_ESCAPED.sub("", piece)) is not None
            texts.append(_ESCAPED_IN_QUOTES.sub(r"\1", piece[1:-1]))
        elif piece.startswith("\\"):
            texts.append(piece[1:])
        else:
            is_unknown = is_unknown or "$" in piece
            is_pattern = is_pattern or _is_pattern(piece)
            texts.append(piece)
    return Word(source, None if is_unknown or is_pattern else "".join(texts), is_pattern and not is_unknown)


SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash"})
_READ_ALIKE: Final = frozenset({"sh", "bash", "dash", "zsh"})
"""Shells that read plain commands as the parser does."""
_FOLDERS: Final = ("", "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
"""Folders in which a program with the name of a shell is that shell."""
_TAKE_A_WORD: Final = frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file"})
_HARMLESS: Final = regex(
    r"(?=.*(?:^| )-\w*c)(?:(?:-[lceux]+|-[lceux]*o pipefail|--login|--posix|--norc|--noprofile)(?: |$))+"
)
"""Options before a text that do not change its effect."""
_SAME_IN_ZSH: Final = regex(r"""(?:[\w./:@%+,-][\w./:@%+,=-]*|'[^']*'|"[^"$`\\!]*")+""")
_MAX_DEPTH: Final = 4
"""Nested shells (`sh -c "sh -c …"`) that are followed."""


def script_of(words: Sequence[str | None]) -> str | None:
    """Return the text that a command passes to a shell, also through `env`, `sudo` or `docker`."""
    spend(len(words))
    for place, word in enumerate(words):
        if posixpath.basename(word or "") in SHELLS:
            found = _behind_options(words[place + 1 :])
            if found is not None:
                return found
    if words[:1] == ["eval"] and len(words) > 1 and None not in words:
        return " ".join(word or "" for word in words[1:])
    return None


def lines_in(text: str) -> Iterator[CommandLine]:
    """Yield a command line, and the lines in its texts for shells."""
    waiting = [(text, 0)]
    while waiting:
        text, depth = waiting.pop()
        line = parse_line(text)
        yield line
        for command in line.commands if depth < _MAX_DEPTH else ():
            script = script_of([word.text for word in command.words])
            if script is not None:
                waiting.append((script, depth + 1))


def shell_line_of(command: SimpleCommand) -> CommandLine | None:
    """Return the line that a command passes to a shell; None if the command may do more."""
    words = [word.text for word in command.words]
    text = text_for_shell(words)
    if text is None or command.assignments or command.background:
        return None
    if not all(redirect.harmless for redirect in command.redirects):
        return None
    line = parse_line(text)
    is_sure = line.plain and bool(line.commands)
    is_zsh = posixpath.basename(words[0] or "") == "zsh"
    return line if is_sure and (not is_zsh or _is_same_in_zsh(line)) else None


def text_for_shell(words: Sequence[str | None]) -> str | None:
    """Return the text passed to a shell, if the options do not change what it runs."""
    if len(words) < 3 or None in words:
        return None
    folder, name = posixpath.split(words[0] or "")
    is_known = name in _READ_ALIKE and folder in _FOLDERS
    return (
        words[-1] if is_known and _HARMLESS.fullmatch(" ".join(word or "" for word in words[1:-1])) else None
    )


def _behind_options(words: Sequence[str | None]) -> str | None:
    has_text, skips = False, False
    for word in words:
        if skips:
            skips = False
        elif word is None:
            return None
        elif word in _TAKE_A_WORD:
            skips = True
        elif word.startswith(("-", "+")) and word not in ("-", "--"):
            is_letters = not word.startswith("--")
            has_text = has_text or (is_letters and "c" in word)
            skips = is_letters and word.endswith("o")
        else:
            return word if has_text else None
    return None


def _is_same_in_zsh(line: CommandLine) -> bool:
    """Return whether zsh reads a line as other shells do: without its own patterns and `=program`."""
    words: list[Word] = [word for command in line.commands for word in command.words]
    return all(_SAME_IN_ZSH.fullmatch(word.source) for word in words)


# ------------------------------------------------------------------ code in options

_CODE_OPTION: Final = regex(
    r"-[a-zA-Z]?[ecrxE]|--?(?:e|eval|evaluate|exec|execute|expr|expression|run|code|cmd|command|script|batch-string|load)"
)
"""Options after which some program takes code."""
_CODE_JOINED: Final = regex(rf"(?:{_CODE_OPTION.pattern})=(.*)|-[eE](.*)", re.DOTALL)
_CODE_TEXT: Final = regex(r"""[\w.!?]\s*\(|\w\s+["']|[;`{|]|=>|->|(?:^|\s)!\w|\bdo\b""")
"""A call, a string after a word, a separator or a block."""
_NO_CODE: Final = frozenset(
    {
        *("echo", "printf", "grep", "egrep", "fgrep", "zgrep", "rg", "ripgrep", "ag"),
        *("ack", "ls", "test", "["),
        *("cp", "mv", "rm", "ln", "chmod", "chown", "cat", "tac", "cut", "sort"),
        *("comm", "join", "diff", "cmp"),
        *("mkdir", "touch", "stat", "wc", "head", "tail", "du", "df", "date", "tr"),
        *("nl", "od", "xxd", "less"),
        *("jq", "yq", "gron", "git", "gh", "glab", "hg", "svn", "sed", "gsed", "awk", "gawk", "find", "fd"),
        *("sh", "bash", "dash", "zsh", "docker", "podman", "kubectl", "zip", "unzip", "tar", "ruff", "mypy"),
        *("pytest", "pip", "pip3", "npm", "pnpm", "yarn", "curl", "wget", "read", "set", "export", "true"),
    }
)
"""Programs whose such options take something else, or whose code is examined elsewhere."""


def takes_code(words: Sequence[str | None]) -> bool:
    """Return whether an unknown program may run the value of an option as code (`R -e 'system("x")'`)."""
    program = posixpath.basename(words[0] or "") if words else ""
    if not program or program in _NO_CODE:
        return False
    for place, word in enumerate(words):
        if word is None or not place or not word.startswith("-"):
            continue
        following = words[place + 1] if place + 1 < len(words) else ""
        if _CODE_OPTION.fullmatch(word) and following is not None and _CODE_TEXT.search(following):
            return True
        joined = _CODE_JOINED.fullmatch(word)
        if joined is not None and _CODE_TEXT.search(joined[1] or joined[2] or ""):
            return True
    return False
