"""What one agent is lent: files by session, terminals, and the person's rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from acp_tui.rules.model import Policy, Rule
from acp_tui.workspace.files import Backups, Files
from acp_tui.workspace.terminals import DEFAULT_LIMIT, Terminals

StaleWrites = Literal["ask", "write", "keep"]
"""What becomes of a write over a file that the agent has not seen as it is: a question, or always this."""


class NotLent(Exception):
    """The agent names a session that we lend nothing to."""


@dataclass
class Host:
    """Everything of ours that the agent can reach, for one connection."""

    terminals: Terminals
    rules: Iterable[Rule] = ()
    """Gone through anew for each question: files of rules may have changed."""
    entered: Callable[[str], None] | None = None
    """Told of each working directory that is lent."""
    missing_file_reads_empty: bool = False
    """For agents that cannot create a file when reading it first fails."""
    policy: Policy = "ask"
    """What is allowed where no rule matches, in sessions for which the person has said nothing else."""
    output_limit: int = DEFAULT_LIMIT
    """Bytes of a terminal's output that are kept when the agent names no limit."""
    stale_writes: StaleWrites = "ask"
    backups: Backups | None = None
    """Where files with several names are kept while they are written."""
    _files: dict[str, Files] = field(default_factory=dict)
    _policies: dict[str, Policy] = field(default_factory=dict)

    def lend(self, session_id: str, roots: Sequence[str]) -> None:
        """Open the folders of a session to it: its working directory first."""
        if self.backups is not None:
            self.backups.restore()
        self._files[session_id] = Files(roots, backups=self.backups)
        if self.entered is not None:
            self.entered(roots[0])

    def files(self, session_id: str) -> Files:
        """Return what a session may reach.

        Raises:
            NotLent: there is no such session.
        """
        try:
            return self._files[session_id]
        except KeyError:
            raise NotLent(f"unknown session: {session_id}") from None

    def lends(self, session_id: str, path: str) -> bool:
        """Whether a path lies in a folder that a session may use; no session, no path."""
        files = self._files.get(session_id)
        return files is not None and files.contains(path)

    def policy_of(self, session_id: str) -> Policy:
        """Return what is allowed in a session where no rule matches."""
        return self._policies.get(session_id, self.policy)

    def set_policy(self, session_id: str, policy: Policy) -> None:
        """Let this count in a session from now on; what was asked before stays a question."""
        self._policies[session_id] = policy

    async def take_back(self, session_id: str) -> None:
        """Close a session's folders and kill its terminals."""
        self._files.pop(session_id, None)
        self._policies.pop(session_id, None)
        await self.terminals.close(session_id)
