"""The address dialog: asks before opening a page that the agent wants the user to visit."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import unicodedata
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final
from urllib.parse import SplitResult, urlsplit

from rich.style import Style
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static
from typing_extensions import override

from acp_tui.lazy_regex import regex
from acp_tui.session.questions import Elicitation
from acp_tui.trusted_programs import own_path, own_program
from acp_tui.ui.screens.base.answer_dialog import AnswerDialog, answer_keys
from acp_tui.ui.screens.base.dialog import Details, Hint, message_block
from acp_tui.ui.screens.questions.form import ElicitationAnswer
from acp_tui.ui.widgets.controls import Answer, AnswerList, as_bound
from acp_tui.ui.widgets.delay import draws
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.transcript.blocks import TextBlock

OPENED: Final = ("https", "http")
"""Schemes that may be opened."""

_STRANGE: Final = regex(r"[\s\x00-\x20\x7f-\xa0\\\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ud800-\udfff]")
"""Characters that no address contains and that programs interpret differently."""
_NUMERIC: Final = regex(r"[\d.]+|0x[0-9a-f.x]+|\[.*\]|.*:.*", re.IGNORECASE)


@dataclass(frozen=True)
class Address:
    """An address in three parts, the host in the middle, with warnings."""

    url: str
    before: str
    host: str
    after: str
    warnings: tuple[str, ...]
    can_open: bool
    """True if a browser may open it."""


def read_address(url: str) -> Address:
    """Split an address, and collect warnings about it."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return Address(url, url, "", "", ("Not a valid address; it will not be opened.",), False)
    if _STRANGE.search(url):
        warning = "It contains characters that are invalid in an address; it will not be opened."
        return Address(url, url, "", "", (warning,), False)
    if "%" in host:
        warning = "Its host has a percent sign, which no host has; it will not be opened."
        return Address(url, url, "", "", (warning,), False)
    if parts.scheme not in OPENED or not host:
        warning = "Not a web address (http or https); it will not be opened."
        return Address(url, url, "", "", (warning,), False)
    start = _host_start(url, parts)
    shown = url[start : start + len(host)]
    return Address(url, url[:start], shown, url[start + len(host) :], tuple(_warnings(parts, host)), True)


def _host_start(url: str, parts: SplitResult) -> int:
    start = len(parts.scheme) + 3
    return start + parts.netloc.rfind("@") + 1 + parts.netloc.rpartition("@")[2].startswith("[")


def _warnings(parts: SplitResult, host: str) -> Iterator[str]:
    if parts.scheme != "https":
        yield "Not encrypted (http): others on the network can read and change it."
    if "@" in parts.netloc:
        yield f"It has a name before an @ sign. The page is on {host}, whatever comes before."
    readable = _readable(host)
    if "xn--" in host:
        yield f"Its host is written in punycode; it reads “{readable}”. Letters may imitate others."
    elif not host.isascii():
        yield "Its host has letters beyond ASCII, which may imitate others."
    for label in readable.split("."):
        scripts = sorted(_scripts(label))
        if len(scripts) > 1:
            yield f"“{label}” mixes letters of several scripts: {', '.join(scripts)}."
    if _NUMERIC.fullmatch(host):
        yield "Its host is a number, not a name."


def _readable(host: str) -> str:
    """Return a host with its valid punycode labels decoded."""
    return ".".join(_decoded(label) for label in host.split("."))


def _decoded(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except (UnicodeError, ValueError):
        return label


def _scripts(label: str) -> set[str]:
    """Return the scripts of a label's letters; Chinese and Japanese count as one, since names mix them."""
    names = {unicodedata.name(letter, "UNKNOWN").split()[0].title() for letter in label if letter.isalpha()}
    east = {"Cjk", "Hiragana", "Katakana", "Katakana-Hiragana", "Ideographic"}
    return (names - east) | ({"East Asian"} if names & east else set())


def open_in_browser(url: str) -> bool:
    """Open an address in a browser with a window, without a shell; return False if there is none.

    A browser that would draw in this terminal is not used. Blocking: call it in a thread.
    """
    has_windows = sys.platform == "darwin" or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME")
    )
    # webbrowser replaces `%s`; upper and lower case digits of an escape are equal
    plain = url.replace("%action", "%ACtion")
    if not has_windows or own_path() == os.environ.get("PATH", os.defpath):
        return has_windows and webbrowser.open(plain)
    # `webbrowser` would also run a program that an agent has put on PATH.
    program = own_program("open" if sys.platform == "darwin" else "xdg-open")
    if program is None:
        return False
    nothing = subprocess.DEVNULL
    subprocess.Popen([program, plain], stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)
    return True


class AddressDialog(AnswerDialog[ElicitationAnswer]):
    """Asks whether to visit an address; dismisses with the answer, or None if put aside.

    Accepting is only consent: the agent reports later that the visit is complete.
    """

    KEYS = "address"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "open", "Open in the browser", id="address.open"),
        Binding("c", "copy", "Copy", id="address.copy"),
        Binding("v", "visit", "Open it myself", id="address.visit"),
        Binding("f", "finish", "Done", id="address.finish"),
        Binding("d", "decline", "Decline", id="address.decline"),
        *answer_keys(KEYS),
    ]

    def __init__(
        self,
        elicitation: Elicitation,
        *,
        agent: str,
        styles: Styles,
        counter: tuple[int, int] = (1, 1),
        opener: Callable[[str], bool] = open_in_browser,
    ) -> None:
        """Ask an elicitation.

        Args:
            elicitation: the question, with its address.
            agent: the name of the agent.
            styles: the theme's styles.
            counter: the number of this question, and of all open ones.
            opener: opens an address in a browser, in a thread; returns False if there is none.
        """
        heading = "waits until you are done on a page" if elicitation.visiting else "wants you to open a page"
        super().__init__(f"{agent} {heading}", styles, counter=counter)
        self._elicitation = elicitation
        self._address = read_address(elicitation.url or "")
        self._opener = opener
        self._answers = dict(_while_visiting() if elicitation.visiting else _at_first(self._address))

    @override
    def compose_body(self) -> ComposeResult:
        yield Details(self._about(), self.theme_styles)

    @override
    def compose_answers(self) -> ComposeResult:
        yield Static(id="outcome")
        yield AnswerList(as_bound(self._answers.values(), self))

    @override
    def hints(self) -> Sequence[Hint]:
        return [*self.choose_hints(), *super().hints()]

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("open", "visit", "finish") and action not in self._answers:
            return False
        return super().check_action(action, parameters)

    @override
    def take(self, place: int, how: str) -> None:
        self.call_next(self.run_action, list(self._answers)[place])

    @work(exclusive=True)
    async def action_open(self) -> None:
        """Open the address and accept; without a browser nothing is accepted."""
        is_open = await asyncio.to_thread(self._opener, self._address.url)
        if not draws(self):
            return
        if is_open:
            if self._elicitation.visiting:
                self._say("Opened in your browser again.")
            else:
                self.dismiss(ElicitationAnswer("accept"))
        else:
            visit = key_of(self, "address.visit")
            self._say(f"No browser could be opened. Copy the address, and press {visit} once you open it.")

    def action_copy(self) -> None:
        """Copy the address."""
        self.app.copy_to_clipboard(self._address.url)
        self._say("Copied, if the terminal allows it.")

    def action_visit(self) -> None:
        """Accept; the user opens it elsewhere."""
        self.dismiss(ElicitationAnswer("accept"))

    def action_finish(self) -> None:
        """Close the dialog of a visit that was accepted before."""
        self.dismiss(ElicitationAnswer("cancel"))

    def action_decline(self) -> None:
        """Decline; after an accepted visit it only closes the dialog."""
        self.dismiss(ElicitationAnswer("decline"))

    def _say(self, text: str) -> None:
        outcome = self.query_one("#outcome", Static)
        outcome.update(Content(text))
        outcome.display = True
        self.after_refresh(self.fit)

    def _about(self) -> list[TextBlock]:
        address, mark = self._address, self.theme_styles.symbol("warning")
        host = self.theme_styles["accent"] + self.theme_styles["strong"]
        parts: list[tuple[str | Style, str]] = [
            ("muted", address.before),
            (host, address.host),
            ("muted", address.after),
        ]
        blocks = [TextBlock(parts, first=[("muted", "address   ")], rest=[("muted", " " * 10)])]
        if address.host:
            blocks.append(TextBlock([(host, address.host)], first=[("muted", "host      ")]))
        if self._elicitation.visiting:
            waiting = "You accepted. This closes when the agent reports that you are done."
            blocks.append(TextBlock([("text", waiting)], above=1))
        for number, warning in enumerate(address.warnings):
            blocks.append(
                TextBlock(
                    [("warning", warning)],
                    first=[("warning", f"{mark} ")],
                    rest=[("warning", "  ")],
                    above=not number,
                )
            )
        # Last and apart: its lines could look like the rows above.
        return [*blocks, *message_block(self._elicitation.message, above=1)]


def _at_first(address: Address) -> Iterator[tuple[str, Answer]]:
    """Yield the answers by action."""
    if address.can_open:
        yield "open", Answer("Open it in the browser", "address.open", role="success")
    yield "copy", Answer("Copy the address", "address.copy", role="accent")
    if address.can_open:
        yield (
            "visit",
            Answer("I'll open it myself", "address.visit", "e.g. on another device", role="success"),
        )
    yield "decline", Answer("Decline", "address.decline", role="error")


def _while_visiting() -> Iterator[tuple[str, Answer]]:
    """Yield the answers once the user has accepted, by action."""
    yield "finish", Answer("Done", "address.finish", role="success")
    yield "open", Answer("Open it again", "address.open", role="accent")
    yield "copy", Answer("Copy the address", "address.copy", role="accent")
    yield "decline", Answer("Dismiss", "address.decline", "the agent may keep waiting", role="error")
