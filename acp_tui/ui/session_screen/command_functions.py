"""Command functions: the function of each command, and when it can run."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from typing import Any, Final

from acp_tui.conversation.approval import ASKS
from acp_tui.conversation.conversation import Conversation
from acp_tui.conversation.login import can_log_out, log_out
from acp_tui.session.session import THIS_TURN, Session
from acp_tui.store.folders import places, settings_path
from acp_tui.store.prompts import Prompt
from acp_tui.store.setting_list import DEFAULT, ListedSetting, Override, listed, shown
from acp_tui.store.settings import Policy
from acp_tui.store.toml_check import Problem
from acp_tui.trusted_programs import own_command
from acp_tui.ui.application.app import AcpApp
from acp_tui.ui.application.key_guard import AGAIN, KeyHistory, key_history_of
from acp_tui.ui.application.key_settings import actions_of
from acp_tui.ui.panes.pane import Pane, PaneFrame
from acp_tui.ui.screens import help as help_screen
from acp_tui.ui.screens import palette, settings, theme_menu
from acp_tui.ui.screens.base import menu
from acp_tui.ui.screens.base.unasked_screen import answer_of
from acp_tui.ui.session_screen import unfinished_work
from acp_tui.ui.session_screen.agent import providers
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.session_screen.parts import SessionParts
from acp_tui.ui.session_screen.prompt import queue as queue_menu
from acp_tui.ui.session_screen.prompt.prompt import PromptArea
from acp_tui.ui.session_screen.prompt.shell import choose_what_to_stop
from acp_tui.ui.session_screen.review import blame, restore
from acp_tui.ui.session_screen.review import find as find_bar
from acp_tui.ui.session_screen.review import go_back as going_back
from acp_tui.ui.session_screen.review import notes as note_menus
from acp_tui.ui.session_screen.sessions import hand_over
from acp_tui.ui.session_screen.sessions import inbox as inbox_menu
from acp_tui.ui.session_screen.sessions import search as session_search
from acp_tui.ui.session_screen.sessions import sessions as session_list
from acp_tui.ui.session_screen.sessions.export import export_session
from acp_tui.ui.session_screen.sessions.session_name import ask_for_name, rename
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.textual_internals import withdraw_notices

Run = Callable[[SessionParts], Awaitable[None] | None]


def _in_worker(group: str, run: Callable[[SessionParts], Coroutine[Any, Any, None]]) -> Run:
    """Wrap a coroutine, such as a menu, to run in a worker."""

    def begin(parts: SessionParts) -> None:
        parts.screen.app.run_worker(run(parts), group=group, exclusive=True)

    return begin


def _begin(parts: SessionParts, work: Coroutine[Any, Any, None]) -> None:
    parts.screen.app.run_worker(work, group="review", exclusive=True)


def _in_tabs(run: Callable[[ConversationScreen], Coroutine[Any, Any, object]]) -> Run:
    """Wrap a coroutine that opens, closes or changes tabs to run in a worker."""

    def begin(parts: SessionParts) -> None:
        parts.screen.app.run_worker(run(parts.screen), group="tabs")

    return begin


async def _new_session(screen: ConversationScreen) -> None:
    """Open another session with the same agent, or choose one."""
    running = screen.conversation.running
    usable = running is not None and running.is_running
    await screen.tabs.open(running=running if usable else None)


async def _start_over(screen: ConversationScreen) -> None:
    """Start a new session of the same agent in this tab; the old one stays in the list of sessions."""
    conversation = screen.conversation
    if conversation.is_busy:
        items = [
            menu.MenuItem("keep", "Keep working", "nothing changes"),
            menu.MenuItem("over", "Stop and start over", "the turn ends here; its session can be resumed"),
        ]
        if await menu.choose(screen, "The agent is working", items, "keep") != "over":
            return
    await _new_session(screen)
    await screen.tabs.close(screen)


def _close(parts: SessionParts) -> None:
    """End a session and its tab, after a question if it has unfinished work."""

    async def close() -> None:
        if await unfinished_work.may_end(parts, [parts], "Close"):
            await parts.screen.tabs.close(parts.screen)

    parts.screen.app.run_worker(close(), group="tabs")


async def _continue_newest(parts: SessionParts) -> None:
    """Resume the newest recorded session of this folder; if all of them are open, show the latest one."""
    screen, tabs = parts.screen, parts.screen.tabs
    found = await parts.startup.newest()
    if found is not None:
        await tabs.open(recorded=found, resumes=True)
    elif others := [one for one in tabs.screens if one is not screen and _is_earlier(one, screen)]:
        await tabs.go_to(tabs.screens.index(others[-1]))
    else:
        screen.notify("No earlier session in this folder.", severity="warning")


def _is_earlier(other: ConversationScreen, screen: ConversationScreen) -> bool:
    session = other.conversation.session
    return session is not None and bool(session.turns) and other.conversation.cwd == screen.conversation.cwd


def _go_to(place: int) -> Run:
    """Return a command that shows the tab at an index, from 0."""
    return _in_tabs(lambda screen: screen.tabs.go_to(place))


def _inbox(parts: SessionParts) -> None:
    """Open the inbox, also from over a question."""
    app = parts.screen.app
    if not isinstance(app.screen, inbox_menu.InboxMenu):
        inbox = inbox_menu.Inbox(parts.screen, parts.question_dialogs.shown)
        app.run_worker(inbox.open(), group="inbox", exclusive=True)


async def _theme(parts: SessionParts) -> None:
    """Choose a theme from a menu."""
    app = _app(parts)
    theme, before = app.app_theme, app.app_theme.name
    if isinstance(app.screen, menu.Menu):
        return  # a menu is open already
    name = await answer_of(app, theme_menu.ThemeMenu(theme.names(), before, theme.styles, theme.use))
    if name is not None:
        theme.choose(name)
    elif theme.name != before:
        theme.use(before)


def _help(parts: SessionParts) -> None:
    app = _app(parts)
    if isinstance(app.screen, help_screen.HelpScreen):
        app.screen.dismiss(None)
    else:
        app.push_screen(
            help_screen.HelpScreen(
                app.app_theme.styles, places(), [str(problem) for problem in app.key_problems]
            )
        )


async def _palette(parts: SessionParts) -> None:
    """Let the user choose from every command, the agent's commands and the themes."""
    app, theme = _app(parts), _app(parts).app_theme
    if isinstance(app.screen, menu.Menu):
        return  # a menu is open already
    below = app.screen
    items = palette.palette_items(
        below, lambda name: can_run(parts, name), parts.agent_commands.printable, theme.names()
    )
    key = await answer_of(app, palette.Palette(items, parts.screen.theme_styles))
    match palette.chosen(key or ""):
        case ("command", name):
            await run(parts, name)
        case ("action", name):
            line = next((line for line in actions_of(below) if line.name == name), None)
            if line is not None:
                await app.run_action(line.action, line.node)
        case ("slash", name):
            parts.screen.prompt.replace_all(f"/{name} ")
            parts.pane_layout.leave()
        case ("theme", name):
            theme.choose(name)


def _app(parts: SessionParts) -> AcpApp:
    app = parts.screen.app
    assert isinstance(app, AcpApp)
    return app


def _is_on_top(parts: SessionParts) -> bool:
    """Return True if no question, menu or list covers the session; the palette does not count."""
    stack = [one for one in parts.screen.app.screen_stack if not isinstance(one, palette.Palette)]
    return bool(stack) and stack[-1] is parts.screen


def interrupt(parts: SessionParts) -> None:
    """Copy a selection, else clear the focused prompt, else stop the turn, else show the key to quit."""
    if parts.chat_copy.selection():
        return
    screen, history = parts.screen, key_history_of(parts.screen.app)
    if screen.prompt.has_focus and screen.prompt.text:
        screen.prompt.replace_all("")
        _tell(screen, "Prompt cleared. Ctrl+Z in the prompt restores it.")
    elif not _stops_work(parts):
        if history.is_again(AGAIN):
            screen.tabs.leave()
        else:
            history.announce()
            _tell(screen, f"{key_of(screen, 'session.interrupt')} again quits.")


_NEXT: Final = "Keys"
"""The title of notices about a key."""


def _tell(screen: ConversationScreen, what: str) -> None:
    """Show for a moment what a key has done or does next; this replaces an earlier such notice."""
    withdraw_notices(screen.app, _NEXT)
    screen.notify(what, title=_NEXT, timeout=AGAIN)


def stop(parts: SessionParts) -> None:
    """Hide completions, else go back to the prompt from a pane, else stop the turn."""
    if parts.screen.query_one(PromptArea).dismiss():
        return
    screen, history = parts.screen, key_history_of(parts.screen.app)
    if isinstance(screen.focused, Pane):
        parts.pane_layout.leave()
    elif not _stops_work(parts):
        parts.pane_layout.leave()
        _offer_to_go_back(parts, history)


def _offer_to_go_back(parts: SessionParts, history: KeyHistory) -> None:
    """Offer to go back to an earlier prompt by a second press, if the prompt is empty."""
    screen, session = parts.screen, parts.screen.conversation.session
    if screen.prompt.text or session is None or not session.turns:
        return
    if history.is_again(AGAIN):
        withdraw_notices(screen.app, _NEXT)
        screen.app.run_worker(going_back.go_back(screen), group="restore", exclusive=True)
    else:
        history.announce()
        _tell(screen, f"{key_of(screen, 'session.stop')} again goes back to an earlier prompt.")


def _stops_work(parts: SessionParts) -> bool:
    """End the user's shell command, else the turn, and answer its open questions `cancelled`."""
    return parts.shell.kill() or parts.screen.conversation.stop()


def _send_now(parts: SessionParts) -> None:
    """Send the draft and the queue into the turn if possible; else stop the turn, then send them."""
    conversation = parts.screen.conversation
    if conversation.accepts_text:
        conversation.prompts.steer_all()
        parts.screen.prompt.action_send(steers=True)
        return
    if conversation.can_steer:
        parts.screen.prompt.action_send()
        parts.screen.notify("Queued: the agent is waiting for your answer.", title="Queue")
        return
    if not conversation.cancel():
        conversation.stop()  # a prompt that is about to be sent goes with the draft
    parts.screen.prompt.action_send()


def _edit_queue(parts: SessionParts) -> None:
    """Move the last queued prompt back into the prompt box."""
    conversation = parts.screen.conversation
    if conversation.prompts.queue:
        parts.screen.prompt.give_back(conversation.prompts.take(len(conversation.prompts.queue) - 1))


_DOCTOR: Final = shlex.join(own_command("doctor"))
COMPACTS: Final = ("compact", "compress", "summarize")
"""Names of the agents' own command."""


def _compact(parts: SessionParts) -> None:
    """Send the agent's own command to compact the context."""
    theirs = {command.name for command in parts.agent_commands.printable}
    name = next((name for name in COMPACTS if name in theirs), None)
    screen = parts.screen
    if name is not None:
        screen.conversation.say(Prompt(f"/{name}"))
    else:
        agent = screen.conversation.agent_name
        screen.notify(
            f"{agent} has no command to compact the context. /clear starts over.", severity="warning"
        )


def _settings(parts: SessionParts) -> None:
    """Open the settings screen, with values that were chosen elsewhere."""
    start, styles = parts.start, parts.screen.theme_styles
    file = start.settings_file or settings_path()

    def read() -> tuple[list[ListedSetting], list[Problem]]:
        return listed(file, start.settings, dict(_overridden(parts)))

    _app(parts).push_screen(settings.SettingsScreen(file, read, styles, parts.rules.show))


def _overridden(parts: SessionParts) -> Iterator[tuple[str, Override]]:
    """Yield (name of the setting, the value that overrides it)."""
    screen, start, theme = parts.screen, parts.start, _app(parts).app_theme.name
    saved = start.settings
    if theme != saved.theme:
        source = "--theme" if theme == start.theme else f"chosen with {key_of(screen, 'app.theme')}"
        yield "theme", Override(shown(theme), source)
    frames = screen.query(PaneFrame)
    panes = tuple(frame.pane.NAME for frame in frames if not frame.has_class("-hidden"))
    if set(panes) != set(saved.layout):
        yield "layout", Override(shown(panes), f"chosen with {key_of(screen, 'session.hide-pane')}")
    if saved.ascii is None:
        is_ascii = screen.theme_styles.ascii
        yield "ascii", Override(shown(is_ascii), "locale" if is_ascii else DEFAULT)


async def _log_out(parts: SessionParts) -> None:
    await log_out(parts.screen.conversation.agent, parts.screen.conversation.session)


RUN: Final[Mapping[str, Run]] = {
    "app.quit": lambda parts: parts.screen.tabs.leave(),
    "app.help": _help,
    "app.palette": _in_worker("palette", _palette),
    "app.theme": _in_worker("theme", _theme),
    "app.inbox": _inbox,
    "app.suspend": lambda parts: _app(parts).action_suspend_process(),
    "app.next": _in_tabs(lambda screen: screen.tabs.go(1)),
    "app.previous": _in_tabs(lambda screen: screen.tabs.go(-1)),
    **{f"app.go-{number}": _go_to(number - 1) for number in range(1, 10)},
    "session.new": _in_tabs(_new_session),
    "session.clear": _in_tabs(_start_over),
    "session.continue": _in_worker("continue", _continue_newest),
    "session.other-agent": _in_tabs(lambda screen: screen.tabs.open()),
    "session.sessions": _in_worker("sessions", lambda parts: session_list.SessionList(parts.screen).show()),
    "session.search": lambda parts: session_search.search(parts.screen),
    "session.close": _close,
    "session.stop": stop,
    "session.interrupt": interrupt,
    "session.next-mode": lambda parts: parts.option_menus.next_mode(),
    "session.details": lambda parts: parts.details.some_call(),
    "session.plan": lambda parts: parts.pane_layout.go_to("plan"),
    "session.chat": lambda parts: parts.pane_layout.go_to("chat"),
    "session.plan-pane": lambda parts: parts.pane_layout.go_to("plan"),
    "session.tool-calls": lambda parts: parts.pane_layout.go_to("tool-calls"),
    "session.changes": lambda parts: parts.pane_layout.go_to("changes"),
    "session.mode": _in_worker("options", lambda parts: parts.option_menus.choose("mode")),
    "session.model": _in_worker("options", lambda parts: parts.option_menus.choose("model")),
    "session.options": _in_worker("options", lambda parts: parts.option_menus.choose_option()),
    "session.hide-pane": lambda parts: parts.pane_layout.hide(),
    "session.side": lambda parts: parts.pane_layout.toggle_side(),
    "session.zoom": lambda parts: parts.pane_layout.toggle_zoom(),
    "session.answer": lambda parts: parts.question_dialogs.reopen(),
    "session.protocol": lambda parts: parts.details.protocol(),
    "session.send-now": _send_now,
    "session.edit-queue": _edit_queue,
    "session.policy": _in_worker("policy", lambda parts: choose_policy(parts.screen)),
    "session.sandbox": _in_worker("sandbox", lambda parts: parts.sandbox.show()),
    "session.rules": lambda parts: parts.rules.show(),
    "session.decisions": lambda parts: parts.details.decisions(),
    "session.queue": _in_worker("queue", lambda parts: queue_menu.show_queue(parts.screen)),
    "session.about": lambda parts: parts.details.session_details(),
    "session.settings": _settings,
    "session.rename": lambda parts: ask_for_name(parts.screen),
    "session.log-out": _in_worker("log-out", _log_out),
    "session.providers": _in_worker("providers", lambda parts: providers.choose_provider(parts.screen)),
    "session.fork": _in_worker("fork", lambda parts: session_list.fork(parts.screen)),
    "session.hand-over": lambda parts: hand_over.hand_over(parts.screen),
    "session.copy": lambda parts: parts.chat_copy.last_answer(),
    "session.export": _in_worker("export", lambda parts: export_session(parts.screen, parts.shell.terminal)),
    "session.restore": _in_worker("restore", lambda parts: restore.restore_turn(parts.screen)),
    "session.rewind": _in_worker("restore", lambda parts: going_back.go_back(parts.screen)),
    "session.second-opinion": _in_worker("review", lambda parts: parts.second_opinion.review()),
    "session.remarks": _in_worker("review", lambda parts: parts.second_opinion.take_remarks()),
    "session.handoff": _in_worker("review", lambda parts: hand_over.hand_off(parts.screen, parts.start)),
    "session.notes": _in_worker("notes", lambda parts: note_menus.show_notes(parts.screen)),
    "session.drop-note": lambda parts: parts.screen.conversation.rejections.drop(),
    "session.blame": lambda parts: blame.blame_newest(parts.screen),
    "session.review": lambda parts: parts.details.review(),
    "session.compact": _compact,
    "session.doctor": lambda parts: parts.shell.run_for_user(_DOCTOR, "acp-tui doctor"),
    "session.range": _in_worker("range", lambda parts: choose_range(parts.screen)),
    "session.find": lambda parts: find_bar.find(parts.screen, parts.pane_layout),
    "session.restart": lambda parts: parts.startup.restart(),
    "session.ladder": _in_worker("ladder", lambda parts: parts.unresponsive_agent.choose()),
    "session.background": _in_worker(
        "background", lambda parts: choose_what_to_stop(parts.screen, parts.shell)
    ),
    "session.prompt": lambda parts: parts.pane_layout.leave(),
    "chat.copy": lambda parts: parts.chat_copy.block(),
    "chat.copy-code": lambda parts: parts.chat_copy.code(),
    "chat.reply": lambda parts: note_menus.reply(parts.screen),
    "chat.source": lambda parts: parts.chat_copy.show_source(),
    "chat.allow": _in_worker("sandbox", lambda parts: parts.sandbox.allow_at_call()),
    "chat.go-back": lambda parts: going_back.go_back_from_chat(parts.screen),
}
"""The function of each command."""

WHEN: Final[Mapping[str, Callable[[SessionParts], bool]]] = {
    **dict.fromkeys(
        (
            "session.new",
            "session.clear",
            "session.continue",
            "session.other-agent",
            "session.sessions",
            "session.search",
            "session.close",
        ),
        _is_on_top,
    ),
    "session.fork": lambda parts: session_list.can_fork(parts.screen.conversation),
    "session.hide-pane": lambda parts: parts.pane_layout.can_hide,
    "session.remarks": lambda parts: parts.second_opinion.is_review,
    "session.hand-over": lambda parts: parts.screen.conversation.above is not None,
    "chat.allow": lambda parts: parts.sandbox.is_on,
    "session.log-out": lambda parts: can_log_out(parts.screen.conversation.agent),
    "session.providers": lambda parts: providers.can_choose_provider(parts.screen.conversation.agent),
}
"""Conditions of commands; all others are always available."""

WITH_ARGUMENT: Final[Mapping[str, Callable[[SessionParts, str], None]]] = {
    "session.rename": lambda parts, name: rename(parts.screen, name),
    "session.search": lambda parts, words: session_search.search(parts.screen, words),
    "session.blame": lambda parts, words: blame.blame_of(parts.screen, words),
    "session.second-opinion": lambda parts, agent: _begin(parts, parts.second_opinion.review(agent.strip())),
    "session.handoff": lambda parts, agent: _begin(
        parts, hand_over.hand_off(parts.screen, parts.start, agent.strip())
    ),
}
"""Functions of slash commands with an argument."""


async def run(parts: SessionParts, name: str) -> None:
    """Run a command; return once its menu can take keys."""
    running = RUN[name](parts)
    if running is not None:
        await running
    await asyncio.sleep(0)  # let a worker open its menu


def can_run(parts: SessionParts, name: str) -> bool:
    """Return False for a command with nothing to act on."""
    return name not in WHEN or WHEN[name](parts)


_OFFERS: Final[dict[Policy, str]] = {
    "ask": "before reads and searches, too",
    "ask-edits-and-commands": "reads and searches in the workspace are allowed",
    "allow-edits": "edits in the workspace are allowed, except in .git",
    "allow-everything": "everything is allowed",
    "read-only": "edits and commands are refused, also those that rules allow",
}


async def choose_policy(screen: ConversationScreen) -> None:
    """Open the menu of policies; the choice applies while this session is open."""
    current = screen.conversation.choices.policy
    if current is None:
        screen.notify("There is no session yet.", severity="warning")
        return
    items = [menu.MenuItem(policy, ASKS[policy], about) for policy, about in _OFFERS.items()]
    policy = await menu.choose(screen, _policy_title(screen.conversation), items, current)
    if policy is not None and policy != screen.conversation.choices.policy:
        screen.conversation.choices.set_policy(policy)  # type: ignore[arg-type]  # one of the offers
        screen.show_status()


def _policy_title(conversation: Conversation) -> str:
    """Return the title of the menu of policies, with the effect of the mode, which a policy cannot change."""
    title, approval = "When no rule matches", conversation.choices.approval
    by_mode = approval is not None and approval.due_to == "mode"
    return f"{title}. Now {approval.words}" if approval is not None and by_mode else title


async def choose_range(screen: ConversationScreen) -> None:
    """Open the menu of baselines for the changes pane."""
    conversation = screen.conversation
    session = conversation.session
    if session is None:
        screen.notify("There is no session yet.", severity="warning")
        return
    baseline = await menu.choose(screen, "Show changes of", choices(session), str(session.since))
    if baseline is None or session is not conversation.session:
        return
    await conversation.show_changes_since(int(baseline))


def choices(session: Session) -> list[menu.MenuItem]:
    """Return the baselines, the newest turn first."""
    return [
        menu.MenuItem("0", "the whole session"),
        menu.MenuItem(str(THIS_TURN), "this turn", "always the newest one"),
        *(
            menu.MenuItem(str(number), f"since turn {number}", session.prompt_of(number), "since a turn")
            for number in range(len(session.turns), 0, -1)
        ),
    ]
