"""The permissions that were given, so that what was shown and allowed is not asked about again."""

from __future__ import annotations

from acp_tui.agent.coverage import Shown, concerns, covers, real, shown_of, use_up
from acp_tui.agent.wish import Wish
from acp_tui.protocol.schema import PermissionOption
from acp_tui.session.entries import ToolCall
from acp_tui.session.questions import Permission, doubt_of
from acp_tui.session.session import Session


class Allowed:
    """The permissions given in the sessions of one connection, and what of them is left."""

    def __init__(self) -> None:
        self._given: dict[str, list[Shown]] = {}
        """By session, what was shown with each, the oldest first."""

    def add(
        self, session: Session, asked: Permission, option: PermissionOption, *, by_user: bool = True
    ) -> None:
        """Take in that a permission was answered; an option counts if it allows and nothing of it is odd.

        Where a rule or the policy has answered, nobody has seen variables and folders, which they do not
        speak of: then the act itself is held against them.
        """
        if option.kind not in ("allow_once", "allow_always") or doubt_of(option, asked.options):
            return
        shown = shown_of(asked.call, session.cwd, asked.old_texts)
        shown.by_user = by_user
        if session.turn_state == "idle":
            entry = session.entries[asked.place] if asked.place is not None else None
            shown.entry = entry if isinstance(entry, ToolCall) else asked.call
        if not by_user and (shown.env or shown.folder != real(session.cwd)):
            shown.commands = ()
        self._given.setdefault(session.id, []).append(shown)

    def end_turn(self, session_id: str) -> None:
        """Forget what was given: a permission is for its turn."""
        self._given.pop(session_id, None)

    def knows(self, session: Session, wish: Wish) -> bool:
        """Return whether a change of the file of a wish was allowed: then its text is needed to compare."""
        path = real(wish.path)
        return any(path in shown.writes for shown in self._left(session))

    def use(
        self,
        session: Session,
        wish: Wish,
        before: str | None = None,
        *,
        is_read: bool = True,
        is_protected: bool = False,
    ) -> bool:
        """Return whether a permission covers a wish, which uses it up.

        So does a wish that no permission covers, but one is about: an agent that does something else with
        the same file or command has had its one act.

        Args:
            session: where it was given.
            wish: what the agent has us do.
            before: the text of the file that is to be written; None where there is none.
            is_read: False where a file is there whose text is not known.
            is_protected: only what the user has seen counts.
        """
        path = real(wish.path) if wish.path else ""
        given = [one for one in self._left(session) if one.by_user or not is_protected]
        covering = (one for one in given if covers(one, wish, path, session.cwd, before, is_read=is_read))
        found = next(covering, None)
        spent = found or next((shown for shown in given if concerns(shown, wish, path)), None)
        if spent is not None:
            use_up(spent, wish, path)
        return found is not None

    def _left(self, session: Session) -> list[Shown]:
        """Return what has not ended; what was given while no turn ran ends with its call."""
        given = self._given.get(session.id, [])
        given[:] = [one for one in given if one.entry is None or not one.entry.is_final]
        return given
