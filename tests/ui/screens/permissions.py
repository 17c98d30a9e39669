"""Permission dialogs to be put before a user."""

from typing import Any

from acp_tui.protocol.schema import PermissionOption
from acp_tui.session.entries import Item, Location, ToolCall
from acp_tui.session.questions import Permission
from acp_tui.ui.screens.questions.permission import PermissionDialog
from acp_tui.ui.screens.questions.permission_details import NOTHING_KNOWN, Background
from tests.ui.screens.dialogs import STYLES

FOUR = [
    ("A", "Always", "allow_always"),
    ("y1", "Yes", "allow_once"),
    ("no", "No", "reject_once"),
    ("never", "Never", "reject_always"),
]


def options(*given: tuple[str, str, str]) -> list[PermissionOption]:
    return [PermissionOption(option_id=one, name=name, kind=kind) for one, name, kind in given]


def dialog(
    *given: tuple[str, str, str],
    title: str = "Run it",
    content: list[Item] | None = None,
    agent: str = "demo",
    counter: tuple[int, int] = (1, 1),
) -> PermissionDialog:
    call = ToolCall("t", title, "edit", content=content or [], locations=[Location(path="/etc/hosts")])
    return PermissionDialog(
        Permission("q", call, options(*(given or FOUR))),
        agent=agent,
        cwd="/w",
        inside=lambda path: path.startswith("/w/"),
        styles=STYLES,
        counter=counter,
    )


def asks(
    call: ToolCall,
    background: Background = NOTHING_KNOWN,
    waiting: tuple[str, ...] = (),
    cwd: str = "/w",
    **more: Any,
) -> PermissionDialog:
    return PermissionDialog(
        Permission("q", call, options(*FOUR)),
        agent="demo",
        cwd=cwd,
        inside=lambda path: path == "/w" or path.startswith("/w/"),
        styles=STYLES,
        background=background,
        waiting=waiting,
        counter=(2, max(2, len(waiting))),
        **more,
    )
