"""Runs acp-tui as its command does and reports how far it was at the first frame, and once it has settled.

    python -m tests.ui.start_reporter FOLDER [arguments of acp-tui …]

In FOLDER, `first` and `settled` are JSON objects, written whole.
"""

import gc
import json
import os
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from acp_tui import cli
from acp_tui.agent.process import Process


def report(name: str, **facts: Any) -> None:
    path = Path(sys.argv[1]) / name
    unfinished = path.with_suffix(".new")
    unfinished.write_text(json.dumps(facts))
    unfinished.rename(path)


def main() -> None:
    spawn = Process.spawn
    textual_came_first = False

    def watched_spawn(*args: Any, **options: Any) -> Process:
        nonlocal textual_came_first
        textual_came_first = "textual" in sys.modules
        process = spawn(*args, **options)
        watch_frames()
        return process

    def watch_frames() -> None:
        from acp_tui.conversation.start_options import Start
        from acp_tui.ui.application import app

        def displayed(self: app.AcpApp) -> None:
            if self._batch_count:
                return  # Textual's own start: nothing is shown yet
            del app.AcpApp.post_display_hook  # the first frame only
            report(
                "first",
                modules=sorted(sys.modules),
                textual_came_first=textual_came_first,
                collects=gc.isenabled(),
                compiled=isinstance(vars(Start)["__eq__"], FunctionType),
            )
            self.set_interval(0.02, lambda: settled(self))

        def settled(self: app.AcpApp) -> None:
            if gc.isenabled() and self.is_complete:
                sheets = [
                    os.path.relpath(path, Path(app.__file__).parents[1]) for path, _ in self.stylesheet.source
                ]
                names = sys.modules["acp_tui.lazy_modules"].LAZY
                late = [name for name in sorted(names) if type(sys.modules.get(name)) is ModuleType]
                report("settled", frozen=gc.get_freeze_count(), sheets=sheets, late=late)
                self.exit()

        app.SETTLED = 0.1  # type: ignore[misc]
        app.AcpApp.post_display_hook = displayed  # type: ignore[assignment, method-assign]

    Process.spawn = watched_spawn  # type: ignore[method-assign]
    cli.main(sys.argv[2:])


if __name__ == "__main__":
    main()
