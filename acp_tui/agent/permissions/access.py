"""Access of one agent: the folders of its sessions, terminals, rules, policies and its sandbox."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from acp_tui.rules.model import Rule
from acp_tui.sandbox import sandbox as sandboxes
from acp_tui.store.settings import Policy, StaleWriteSetting
from acp_tui.trusted_programs import expose
from acp_tui.workspace.backups import Backups
from acp_tui.workspace.files import Files, OutsideRoots
from acp_tui.workspace.real_paths import followed
from acp_tui.workspace.terminals import DEFAULT_LIMIT, Terminals


class OutsideSandbox(Exception):
    """The sandbox hides a file or makes it read-only; the message is for the agent."""


class NotGranted(Exception):
    """The session has no folders here: it is unknown or closed."""


@dataclass
class AgentAccess:
    """Folders, terminals, rules and policies of the sessions of one connection."""

    terminals: Terminals
    rules: Iterable[Rule] = ()
    """Iterated for each question, since rule files may have changed."""
    entered: Callable[[str], None] | None = None
    """Called with each working directory that is granted, or about to be."""
    closed: Callable[[str], None] | None = None
    """Called with the id of each closed session: the agent may use it again for another one."""
    missing_file_reads_empty: bool = False
    """True for agents that cannot create a file if reading it first fails."""
    policy: Policy = "ask"
    """The policy of sessions for which the user has chosen no other."""
    output_limit: int = DEFAULT_LIMIT
    """Bytes of terminal output to keep if the agent names no limit."""
    stale_writes: StaleWriteSetting = "ask"
    """The answer when a file is newer than the text that the agent has read, or "ask"."""
    backups: Backups | None = None
    """Copies of files with hard links, kept while they are written."""
    sandbox: sandboxes.Sandbox | None = None
    """The fence around the agent and its commands, or None."""
    own: Collection[str] | None = None
    """The folders that the user named, which may be links; None: all are such.

    Others were decided about with their links followed, and lead nowhere else afterwards.
    """
    _files: dict[str, Files] = field(default_factory=dict)
    _parents: dict[str, str] = field(default_factory=dict)
    """The parent of each subagent's session."""
    _folders: dict[str, str] = field(default_factory=dict)
    """The folder that each of these works in."""
    _policies: dict[str, Policy] = field(default_factory=dict)

    def grant(self, session_id: str, roots: Sequence[str]) -> None:
        """Grant a session its folders, the working directory first."""
        if self.backups is not None:
            self.backups.restore()
        self._parents.pop(session_id, None)
        self._folders.pop(session_id, None)
        is_own = [self.own is None or root in self.own for root in roots]
        real = [followed(root) if own else root for root, own in zip(roots, is_own, strict=True)]
        self._files[session_id] = Files(real, backups=self.backups, follows=False)
        expose(self._files[session_id].roots)
        self.enter(roots[0])

    def grant_to_child(self, session_id: str, parent: str, cwd: str) -> None:
        """Grant a subagent's session the folders of its parent, and no more; a `cwd` outside is ignored."""
        files = self._files.get(parent)
        if files is not None:
            self._files[session_id], self._parents[session_id] = files, parent
            self._folders[session_id] = cwd

    def folder(self, session_id: str) -> str:
        """Return the folder that the commands of a session start in.

        Raises:
            NotGranted: there is no such session.
            OutsideRoots: it is a subagent's, which works elsewhere: another folder could be harmed.
        """
        files, wanted = self.files(session_id), self._folders.get(session_id, "")
        if not wanted:
            return files.roots[0]
        if not files.contains(wanted):
            raise OutsideRoots(f"“{wanted}” lies outside the workspace.")
        return wanted

    def enter(self, folder: str) -> None:
        """Apply the rules of a folder, also before a session in it has its id."""
        if self.entered is not None:
            self.entered(folder)

    def files(self, session_id: str) -> Files:
        """Return the files that a session may reach.

        Raises:
            NotGranted: there is no such session.
        """
        try:
            return self._files[session_id]
        except KeyError:
            raise NotGranted(f"unknown session: {session_id}") from None

    def check_granted(self, session_id: str, files: Files) -> None:
        """Raise unless a session still has the folders in which a request was decided.

        Raises:
            NotGranted: the session was closed meanwhile, or has other folders.
        """
        if self.files(session_id) is not files:
            raise NotGranted(f"the folders of this session have changed: {session_id}")

    def grants(self, session_id: str, path: str) -> bool:
        """Return whether a path lies in a folder of a session; False without a session."""
        files = self._files.get(session_id)
        return files is not None and files.contains(path)

    def check_inside(self, path: str, *, writes: bool) -> None:
        """Raise if the sandbox would keep the agent itself from a file.

        Args:
            path: absolute, links followed.
            writes: True to write it, False to read it.

        Raises:
            OutsideSandbox.
        """
        way = self.sandbox.fence.access(path) if self.sandbox is not None else "write"
        if way == "hide":
            raise OutsideSandbox(f"The sandbox hides {path}.")
        if writes and way == "read":
            raise OutsideSandbox(f"The sandbox keeps {path} read-only.")

    def outside(self, path: str) -> str:
        """Translate a path as the agent sees it to the path outside the sandbox."""
        return path if self.sandbox is None else self.sandbox.outside(path)

    def policy_of(self, session_id: str) -> Policy:
        """Return the policy of a session, for requests that no rule matches."""
        while session_id in self._parents:
            session_id = self._parents[session_id]
        return self._policies.get(session_id, self.policy)

    def set_policy(self, session_id: str, policy: Policy) -> None:
        """Set the policy of a session; open questions stay open."""
        self._policies[session_id] = policy

    async def close(self, session_id: str) -> None:
        """End the terminals, folders and rules of a session."""
        await self.take_back(session_id)
        if self.closed is not None:
            self.closed(session_id)

    async def take_back(self, session_id: str) -> None:
        """Remove a session's access to its folders and kill its terminals."""
        for child in [child for child, parent in self._parents.items() if parent == session_id]:
            await self.take_back(child)
        self._files.pop(session_id, None)
        self._policies.pop(session_id, None)
        self._parents.pop(session_id, None)
        self._folders.pop(session_id, None)
        await self.terminals.close(session_id)
