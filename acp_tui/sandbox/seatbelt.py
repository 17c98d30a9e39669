"""The profile of `sandbox-exec`, the fence of macOS. Written from its manual, and not tested."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from acp_tui.sandbox.fence import Fence
from acp_tui.trusted_programs import own_program

PROGRAM: Final = "sandbox-exec"
_ALWAYS_WRITTEN: Final = ("/dev",)
_SERVICES: Final = (
    "com.apple.coreservices.appleevents",
    "com.apple.coreservices.launchservicesd",
    "com.apple.coreservices.quarantine-resolver",
)
"""Services that start programs outside for any process."""


def program() -> str | None:
    """Return the path of `sandbox-exec`, or None if it is missing."""
    return own_program(PROGRAM)


def profile(fence: Fence, *, network: bool) -> str:
    """Return the profile; of two lines that match, the later one applies."""
    return "\n".join(_lines(fence, network=network))


def _lines(fence: Fence, *, network: bool) -> Iterator[str]:
    yield "(version 1)"
    yield "(allow default)"
    yield "(deny file-write*)"
    for path in (*_ALWAYS_WRITTEN, fence.temp):
        yield f"(allow file-write* (subpath {_quoted(path)}))"
    rules = {**fence.rules, **fence.opened}
    for path, access in sorted(rules.items(), key=lambda rule: rule[0].count("/")):
        if path == "/":
            continue
        place = f"(subpath {_quoted(path)})"
        match access:
            case "write":
                yield f"(allow file-read* file-write* {place})"
            case "read":
                yield f"(allow file-read* {place})"
                yield f"(deny file-write* {place})"
            case "hide":
                yield f"(deny file-read* file-write* {place})"
    for service in _SERVICES:
        yield f"(deny mach-lookup (global-name {_quoted(service)}))"
    if not network:
        yield "(deny network*)"
    yield from (f"(allow network-outbound (literal {_quoted(path)}))" for path in fence.sockets)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
