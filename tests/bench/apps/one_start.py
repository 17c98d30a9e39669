"""One start of an agent that says a word at once: prints milliseconds until it is there, and of CPU.

    python -m tests.bench.apps.one_start on|off|strict|without WORKSPACE

`on` and `off` are the network in a sandbox. What a start imports for the sandbox counts.
"""

from __future__ import annotations

import asyncio
import resource
import sys
import time

from acp_tui.conversation.start_options import SandboxOption, Start
from acp_tui.store.agents import Launch
from acp_tui.store.settings import SandboxSettings, Settings
from acp_tui.workspace.guard import Guard


async def main(how: str, workspace: str) -> None:
    guard = Guard()
    guard.start()
    launch = Launch("word", "Word", ("/bin/echo", "word"))
    settings = SandboxSettings(network="off" if how == "off" else "on")
    began, cpu = time.perf_counter(), time.process_time()
    option: SandboxOption = "off" if how == "without" else "strict" if how == "strict" else "on"
    process = Start(workspace, Settings(sandbox=settings), guard, sandbox=option).spawn(launch)
    said = await process.read()
    took, cpu = time.perf_counter() - began, time.process_time() - cpu
    if said != b"word\n":
        sys.exit("it said nothing")
    await process.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(took * 1e3, (cpu + used.ru_utime + used.ru_stime) * 1e3)
    await process.stop()
    if process.sandbox is not None:
        process.sandbox.close()
    guard.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
