"""Permissions against acts: an agent shows one thing, is allowed it, and does another, or the same."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.agent.permissions.client_questions import ClientQuestions, ImplicitRequests, Refused
from acp_tui.agent.permissions.decision_records import DecisionRecorder
from acp_tui.agent.permissions.grants import Grants, ImplicitRequest
from acp_tui.protocol.schema import PermissionOption
from acp_tui.rules.model import Rule
from acp_tui.session import events
from acp_tui.session.entries import Diff, Location, ToolCall
from acp_tui.session.questions import OldText, Permission
from acp_tui.session.session import Session
from acp_tui.workspace.terminals import Terminals
from tests.reliability.row import Result, Row


class Way(NamedTuple):
    """A value of something, and whether it is as it was shown."""

    value: Any
    same: bool = False


# The oracle: which values are as shown, and what lets an act go on. It shares nothing with the gate.
_PATHS: Final = (Way("{ws}/a", True), Way("{ws}/sub/../a", True), Way("{ws}/link", True), Way("{ws}/b"))
_THERE: Final = "one\ntwo\n"
"""The text of the files in the workspace."""
_CONTENTS: Final = (Way("one\nTWO\n", True), Way("one\nTWO"), Way("TWO"), Way("evil\n"), Way(_THERE))
_COMMANDS: Final = (
    Way(("ls -l", ()), True),
    Way(("ls", ("-l",)), True),
    Way(("sh", ("-c", "ls -l")), True),
    Way(("/bin/sh", ("-lc", "ls -l")), True),
    Way(("ls", ())),
    Way(("ls -l; rm x", ())),
    Way(("{ws}/sh", ("-c", "ls -l"))),
    Way(("sh", ("-c", "ls -l", "x"))),
)
_ENVS: Final = (
    Way((), True),
    Way((("TERM", "dumb"),), True),
    Way((("PATH", "{ws}"),)),
    Way((("LD_PRELOAD", "{ws}/x.so"),)),
    Way((("BASH_ENV", "{ws}/x"),)),
)
_FOLDERS: Final = (Way(None, True), Way("{ws}", True), Way("{ws}/sub"), Way("/"))
_OPTIONS: Final = (
    Way(("Allow", "allow_once"), True),
    Way(("Always", "allow_always"), True),
    Way(("Reject", "allow_once")),
    Way(("Reject", "reject_once")),
    Way(("Allow", "reject_once")),
    Way(("", "allow_once")),
    Way(("Allow", "allow_tomorrow")),
)
_OLD_TEXTS: Final = (
    Way(None, True),  # a part of the file is shown
    Way({"{ws}/a": OldText("one\ntwo\n")}, True),
    Way({"{ws}/a": OldText("one\n")}),
    Way({"{ws}/a": OldText()}),
    Way({"{ws}/a": OldText(why_not="too long")}),
    Way({}),
)
"""The text of a file that was shown, where the whole of it is to be replaced."""
_PLACES: Final = (Way("named", True), Way("folded"))
_PAIRS: Final = frozenset(
    {("execute", "execute"), ("other", "execute"), ("edit", "edit"), ("other", "edit"), ("read", "read")}
)
"""Kinds that are asked for, and acts that they may cover."""
_KINDS: Final = ("execute", "edit", "read", "other", "think", "search", "delete", "fetch")
_ACTS: Final = ("execute", "edit", "read")
_LETS: Final = {
    "ask": {"read"},
    "ask-edits-and-commands": {"read"},
    "allow-edits": {"read", "edit"},
    "allow-everything": {"read", "edit", "execute"},
}
"""Acts that a policy lets go on, each in the workspace and nowhere protected."""
_RULES: Final = ((), (), (Rule("ask", note="careful"),))


def run(count: int, seed: int) -> Result:
    """Try so many acts."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_run(count, random.Random(seed), Path(folder).resolve()))


async def _run(count: int, dice: random.Random, workspace: Path) -> Result:
    result = Result(unit="acts")
    (workspace / "sub").mkdir()
    (workspace / "link").symlink_to("a")
    access = AgentAccess(Terminals())
    session = Session("s", str(workspace))
    access.grant("s", [str(workspace)])
    grants, asked = Grants(), [False]
    recorder = DecisionRecorder(None, "agent")

    def note(_: str, event: events.Event) -> None:
        if isinstance(event, events.ImplicitlyAsked):
            asked[0] = True
            questions.answer("s", event.question.key, "refuse")

    questions = ClientQuestions(note)
    gate = ImplicitRequests(access, questions, grants, recorder, lambda *_: None, str)
    while result.tried < count:
        case = _Case(dice, workspace)
        access.policy, access.rules = case.policy, case.rules
        for name in ("a", "b"):
            (workspace / name).write_text(_THERE)
        if case.is_given:
            question = case.question()
            grants.add(session, question, question.options[0])
        if case.turn_ended:
            grants.end_turn("s")
        for again in (False, True):
            asked[0] = False
            try:
                await gate.authorize(session, "agent", case.request)
            except Refused:
                pass
            result.tried += 1
            if asked[0] != case.is_asked(again):
                went = "asked" if asked[0] else "not asked"
                result.wrong.append(f"{went}{', the second time' if again else ''}: {case}")
        grants.end_turn("s")
    return result


class _Case:
    """One permission and one act, which is done twice."""

    def __init__(self, dice: random.Random, workspace: Path) -> None:
        def pick(ways: Sequence[Way]) -> Way:
            way = ways[0] if dice.random() < 0.6 else dice.choice(ways)
            return Way(_placed(way.value, str(workspace)), way.same)

        self._workspace = str(workspace)
        self.kind, self.act = dice.choice(_KINDS), dice.choice(_ACTS)
        if dice.random() < 0.6:
            self.kind, self.act = dice.choice(sorted(_PAIRS))
        self.policy: Any = dice.choice(("ask", "ask", "ask", *_LETS))
        self.rules = dice.choice(_RULES)
        self.is_given, self.turn_ended = dice.random() < 0.9, dice.random() < 0.1
        self.answer = pick(_OPTIONS)
        self.names_nothing = dice.random() < 0.1
        self.path, self.content, self.command = pick(_PATHS), pick(_CONTENTS), pick(_COMMANDS)
        self.env, self.folder = pick(_ENVS), pick(_FOLDERS)
        self.old_texts, self.place = pick(_OLD_TEXTS), pick(_PLACES)
        protected = dice.random() < 0.1
        if protected and self.act == "edit":
            self.path = Way(f"{workspace}/{dice.choice(('.git/hooks/x', '.acp-tui/rules.toml'))}")
        self._is_protected = protected and self.act == "edit"

    def __repr__(self) -> str:
        parts = (f"{name}={value!r}" for name, value in vars(self).items() if name != "_workspace")
        return ", ".join(parts).replace(self._workspace, "WS")

    @property
    def request(self) -> ImplicitRequest:
        """The act that the agent requests."""
        if self.act == "execute":
            command, args = self.command.value
            return ImplicitRequest(
                "execute", command=command, args=args, cwd=self.folder.value, env=self.env.value
            )
        return ImplicitRequest(self.act, self.path.value, self.content.value if self.act == "edit" else None)

    def question(self) -> Permission:
        """The permission it asked for before."""
        call = ToolCall("t", "Do it", self.kind)
        if not self.names_nothing:
            path = f"{self._workspace}/a"
            # Beside a command, a field that nobody knows lets no command go on.
            call.raw_input = {"command": "ls -l"} if self.act == "execute" else {"path": path}
            whole = self.old_texts.value is not None
            if self.place.same or self.act == "edit":
                call.content = (Diff(path, "one\nTWO\n") if whole else Diff(path, "TWO", "two"),)
                call.locations = (Location(path),)
        name, kind = self.answer.value
        options = [PermissionOption(option_id="o", name=name, kind=kind)]
        return Permission("q", call, options, old_texts=self.old_texts.value or {})

    def is_asked(self, again: bool) -> bool:
        """Return whether the user must be asked, the first or the second time."""
        if self.act == "edit" and self.content.value == _THERE and not self._is_protected:
            return False  # nothing changes
        same = {
            "execute": self.command.same and self.env.same and self.folder.same,
            "edit": self.path.same and self.content.same and self.old_texts.same,
            "read": self.path.same and self.place.same,
        }[self.act]
        shown = same and (self.kind, self.act) in _PAIRS and not self.names_nothing
        if shown and self.is_given and self.answer.same and not self.turn_ended and not again:
            return False
        if self.rules or self._is_protected:
            return True
        return self.act not in _LETS[self.policy]


def _placed(value: Any, workspace: str) -> Any:
    if isinstance(value, tuple):
        return tuple(_placed(one, workspace) for one in value)
    if isinstance(value, dict):
        return {_placed(key, workspace): one for key, one in value.items()}
    return value.replace("{ws}", workspace) if isinstance(value, str) else value


ROW: Final = Row(
    "permissions",
    "what was not shown and allowed is asked about, what was is not, and each permission is used once",
    small=3_000,
    full=100_000,
    run=run,
)
