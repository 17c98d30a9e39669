"""The inbox: questions and news of all sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from typing_extensions import override

from acp_tui.conversation.conversation import Conversation
from acp_tui.formatting import inside
from acp_tui.session.entries import UserMessage, line_of
from acp_tui.session.questions import Permission, Question, StaleWrite
from acp_tui.session.session import Session
from acp_tui.ui.entries.tool_call_words import call_sentence
from acp_tui.ui.screens.base.menu import Menu, MenuItem
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen, Key
from acp_tui.ui.session_screen.sessions.session_name import title_of
from acp_tui.ui.widgets.controls import LazySequence
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import shortened

Kind = Literal["permission", "stale write", "form", "link", "login", "ended", "failed", "done", "notice"]

WORDS: Final[dict[Kind, str]] = {
    "permission": "asks",
    "stale write": "asks",
    "form": "asks",
    "link": "asks",
    "login": "needs a login",
    "ended": "has ended",
    "failed": "failed",
    "done": "is done",
    "notice": "has a notice",
}
"""Words for each kind of item."""


class InboxItem(NamedTuple):
    """An item of the inbox."""

    screen: ConversationScreen
    kind: Kind
    what: str
    """Its subject in one line; may be empty."""
    question: Key | None = None
    """Key of the question, for items that are questions."""


def waiting(screens: Iterable[ConversationScreen]) -> list[InboxItem]:
    """Return the items of all sessions: questions first, then in the order of the tabs."""
    found = [one for screen in screens for one in _of(screen)]
    # A question of the agent itself, as in a login, is open in each of its sessions: list it once.
    once: dict[object, InboxItem] = {}
    for one in found:
        asks = (one.screen.conversation.agent, one.question)  # two agents may use the same ids
        once.setdefault(asks if one.question is not None else (one.screen, one.kind), one)
    return sorted(once.values(), key=lambda one: one.question is None)


def _of(screen: ConversationScreen) -> Iterator[InboxItem]:
    conversation = screen.conversation
    for key, question in conversation.questions.items():
        yield InboxItem(screen, _kind(question), about(question, conversation.session), key)
    if conversation.phase == "logging-in":
        yield InboxItem(screen, "login", conversation.agent_name)
    elif conversation.phase in ("failed", "ended"):
        failure = conversation.failure
        yield InboxItem(screen, "ended", failure.reason if failure is not None else "")
    elif screen.has_news and not conversation.questions:
        yield _ended_turn(screen, conversation)
    if screen.notice:
        yield InboxItem(screen, "notice", screen.notice)


def _ended_turn(screen: ConversationScreen, conversation: Conversation) -> InboxItem:
    """Return the item of a turn that has ended unseen."""
    session = conversation.session
    failed = session is not None and bool(session.turns) and session.turns[-1].stop_reason == "failed"
    return InboxItem(screen, "failed" if failed else "done", last_said(session))


def _kind(question: Question) -> Kind:
    if isinstance(question, Permission):
        return "permission"
    if isinstance(question, StaleWrite):
        return "stale write"
    return "form" if question.url is None else "link"


def summaries(questions: Iterable[Question], session: Session | None) -> Sequence[str]:
    """Return a summary of each question, made when it is read."""
    known = tuple(questions)
    return LazySequence(len(known), lambda at: about(known[at], session))


def about(question: Question, session: Session | None) -> str:
    """Summarise a question in one line."""
    if isinstance(question, StaleWrite):
        cwd = session.cwd if session is not None else ""
        return f"write over newer changes in {inside(question.path, cwd)}"
    if not isinstance(question, Permission):
        return question.message
    return call_sentence(question.call, session.cwd if session is not None else "")


class InboxMenu(Menu):
    """The menu of the inbox."""

    def __init__(self, items: Callable[[], Sequence[MenuItem]], current: str | None, styles: Styles) -> None:
        super().__init__("Inbox", items, current, styles)

    @override
    def hints(self) -> Sequence[tuple[str, str]]:
        return [("Enter", "answer it and come back, or go to it"), (key_of(self, "menu.close"), "close")]


class Inbox:
    """Opens the inbox over the current session, and goes to the chosen item."""

    def __init__(self, screen: ConversationScreen, shown: Key | None) -> None:
        """Open it over a screen; `shown` is the question that the user is looking at."""
        self._screen = screen
        self._tabs = screen.tabs
        self._shown = shown

    async def open(self) -> None:
        """Let the user choose an item, and go to it."""
        if not self._items():
            self._screen.notify("Nothing pending.")
            return
        key = await self._screen.ask(InboxMenu(self._items, self._current(), self._screen.theme_styles))
        if key is None:
            return
        one = next((one for one in waiting(self._tabs.screens) if self._key(one) == key), None)
        if one is None:
            self._screen.notify("No longer pending.")
        elif one.question is not None:
            await self._tabs.visit(one.screen, one.question)
        else:
            await self._tabs.go_to(self._tabs.screens.index(one.screen))

    def _items(self) -> list[MenuItem]:
        return [self._item(one) for one in waiting(self._tabs.screens)]

    def _current(self) -> str | None:
        """Return the key of the item that the user is looking at."""
        found = (one for one in waiting([self._screen]) if one.question is not None)
        return next((self._key(one) for one in found if one.question == self._shown), None)

    def _item(self, one: InboxItem) -> MenuItem:
        number = self._tabs.screens.index(one.screen) + 1
        here = ", this session" if self._tabs.is_current(one.screen) else ""
        label = shortened(f"{number} {title_of(one.screen)}", 30)
        about = f"{WORDS[one.kind]}: {one.what}" if one.what else WORDS[one.kind]
        approval = one.screen.conversation.choices.approval
        asks = f"  ({approval.words})" if approval is not None else ""
        return MenuItem(self._key(one), label, f"{about}{here}{asks}")

    def _key(self, one: InboxItem) -> str:
        """Return the key of an item, which does not change while it is pending."""
        return f"{self._tabs.screens.index(one.screen)} {one.kind} {one.question}"


def last_said(session: Session | None) -> str:
    """Return the newest prompt of a session in one line."""
    entries = reversed(session.entries) if session is not None else ()
    said = next((entry for entry in entries if isinstance(entry, UserMessage)), None)
    return line_of(said) if said is not None else ""
