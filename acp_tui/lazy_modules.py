"""Lazy modules: loaded when one of their names is first used, not when they are imported.

Import such a module as a module (`from acp_tui.ui.screens import help`), at the top like all others.
`from acp_tui.ui.screens.help import HelpScreen` also works, but loads it at once.
`importlib.util.LazyLoader` is no alternative: with it, a second `import` of a module loads it, and early
releases of Python 3.11 do not protect that from other threads.
"""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:  # for annotations only: this module runs first at every start
    from importlib.abc import Loader

LAZY: Final = frozenset(
    (
        *(
            f"acp_tui.{name}"
            for name in (
                "agent.replay",
                "changes.merge",
                "changes.snapshot_log",
                "changes.snapshots",
                "changes.tracker",
                "changes.untracked",
                "conversation.attachments",
                "conversation.clipboard_images",
                "conversation.failure",
                "conversation.login",
                "conversation.typed_paths",
                "protocol.git_patch",
                "rules.command_rules",
                "rules.harmless_options",
                "rules.path_rules",
                "rules.protected_files",
                "rules.protected_writes",
                "rules.shell",
                "sandbox.refusals",
                "sandbox.sandbox",
                "session.briefs",
                "session.decided_calls",
                "session.line_notes",
                "session.notices",
                "session.remarks",
                "session.snippets",
                "store.disk_space",
                "ui.application.key_settings",
                "ui.entries.compaction",
                "ui.entries.output",
                "ui.entries.subagent",
                "ui.entries.thought",
                "ui.entries.tool_call",
                "ui.entries.unknown",
                "ui.entries.user_command",
                "ui.screens.base.answer_dialog",
                "ui.screens.base.dialog",
                "ui.screens.base.editor",
                "ui.screens.base.menu",
                "ui.screens.base.text_screens",
                "ui.screens.help",
                "ui.screens.palette",
                "ui.screens.prompt_history",
                "ui.screens.protocol",
                "ui.screens.questions.address",
                "ui.screens.questions.form",
                "ui.screens.questions.login",
                "ui.screens.questions.permission",
                "ui.screens.questions.permission_details",
                "ui.screens.questions.proposals",
                "ui.screens.questions.stale_write",
                "ui.screens.review.blame",
                "ui.screens.review.changes",
                "ui.screens.review.notes",
                "ui.screens.review.plan_step",
                "ui.screens.review.subagent",
                "ui.screens.review.tool_call",
                "ui.screens.rules.decisions",
                "ui.screens.rules.rule_editor",
                "ui.screens.rules.rule_list",
                "ui.screens.rules.rules",
                "ui.screens.rules.trust",
                "ui.screens.search",
                "ui.screens.session_details",
                "ui.screens.settings",
                "ui.screens.start",
                "ui.screens.theme_menu",
                "ui.session_screen.agent.providers",
                "ui.session_screen.command_functions",
                "ui.session_screen.prompt.queue",
                "ui.session_screen.review.blame",
                "ui.session_screen.review.find",
                "ui.session_screen.review.go_back",
                "ui.session_screen.review.links",
                "ui.session_screen.review.notes",
                "ui.session_screen.review.restore",
                "ui.session_screen.sessions.failure_text",
                "ui.session_screen.sessions.folder_choice",
                "ui.session_screen.sessions.hand_over",
                "ui.session_screen.sessions.inbox",
                "ui.session_screen.sessions.search",
                "ui.session_screen.sessions.sessions",
                "ui.session_screen.slash_commands",
                "ui.session_screen.unfinished_work",
                "ui.widgets.diff.paint",
                "ui.widgets.markdown.embedded",
                "ui.widgets.markdown.links",
                "ui.widgets.markdown.parser",
                "ui.widgets.terminal.log",
            )
        ),
        "frizbee",
        "ignore",
        "mdurl",
        "pygments.lexer",
        "pygments.lexers",
        "pygments.util",
        "rapidfuzz",
        "rapidfuzz.distance",
        "tomlkit",
        "tomlkit.exceptions",
        "tomlkit.items",
        "tree_sitter_bash",
        "watchfiles",
    )
)
"""Modules that a new session does not need."""

_OURS: Final = "acp_tui."
"""The package whose modules are there for certain."""

_waking: Final = threading.Lock()


def install() -> None:
    """Load the modules of the table on first use from now on; further calls change nothing."""
    # A second finder would not know the modules that this one has left empty.
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder:
    """Finds an empty module at the first import, and its content at the second."""

    def __init__(self) -> None:
        self._found: dict[str, _LazyModule] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in LAZY:
            return None
        module = self._found.get(fullname)
        if module is None and fullname.startswith(_OURS):  # a search takes longer than the rest
            module = self._found[fullname] = _LazyModule(fullname)
            return ModuleSpec(fullname, cast("Loader", _Nothing(module)))
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return None
        if module is None:
            module = self._found[fullname] = _LazyModule(fullname)
            spec.loader = cast("Loader", _Nothing(module))
        else:
            spec.loader = cast("Loader", _Content(module, spec.loader))
        return spec


class _LazyModule(ModuleType):
    """A module that is loaded at the first access to one of its names."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # read by the import system itself
            raise AttributeError(name)
        with _waking:
            if isinstance(self.__loader__, _Nothing):
                self.__loader__ = None
                del sys.modules[self.__name__]
        importlib.import_module(self.__name__)  # this waits for a thread that is already loading it
        if name not in vars(self):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)
        return vars(self)[name]


class _Nothing:
    """Leaves a module empty."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        pass


class _Content:
    """Fills a module, which is then an ordinary one."""

    def __init__(self, module: ModuleType, loader: Loader) -> None:
        self._module = module
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__class__ = ModuleType
