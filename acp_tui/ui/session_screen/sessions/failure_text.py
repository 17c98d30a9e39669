"""Texts about failures of an agent: a title, and the advice that its output leads to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from acp_tui.conversation.failure import Failure
from acp_tui.lazy_regex import regex


@dataclass(frozen=True)
class Explanation:
    """The text about a failure, the most helpful advice first."""

    title: str
    """The event, and the end of the process."""
    reason: str
    """Further facts; may be empty."""
    advice: tuple[str, ...]


_RUNTIME: Final = "Its runtime may be too old or incomplete: update it, or install the agent again."
_SIGNS: Final = (
    (r"unknown (option|argument|flag)|unrecognized (option|argument)|no such option|unexpected argument",
     "It rejected an argument. This version may use another option for ACP, or not support it."),
    (r"cannot find module|modulenotfounderror|importerror|no module named|err_module_not_found", _RUNTIME),
    (r"syntaxerror|unsupported engine|requires? (node|python)|node version|glibc", _RUNTIME),
    (r"\bE?40[13]\b|unauthorized|not logged in|log ?in|sign in|api[_ ]key|authenticat|credential",
     "It seems to need a login or an API key: log in, or set the variable it names."),
    (r"enotfound|econnrefused|etimedout|econnreset|\bnetwork\b|getaddrinfo|\bproxy\b|certificate",
     "It could not reach its service: check network, proxy and certificates."),
    (r"E404|404 not found|no matching (version|distribution)",
     "Its package was not found: check the name in the command."),
    (r"eacces|permission denied", "Permission denied: check the files it names."),
    (r"enospc|no space left", "The disk is full."),
    (r"out of memory|heap limit|\boom\b|oom-?kill", "It ran out of memory."),
)  # fmt: skip
"""(Pattern of the output, advice); the first match is shown."""

_TAIL: Final = 16_384
"""Characters of each output that are searched."""

_WORKSPACE: Final = regex(r"\bcwd\b|workspace|working directory|directory|folder|trust", re.I)


def explain(
    failure: Failure, *, login: str = "", can_log_in: bool = False, waited: float | None = None
) -> Explanation:
    """Return the text about a failure.

    Args:
        failure: the facts.
        login: one line of advice on logging in outside acp-tui, if known.
        can_log_in: True if the agent offers a login from here.
        waited: seconds without an answer, if that is the failure.
    """
    advice = dict.fromkeys(_advice(failure, login, can_log_in, waited))
    # The title has the end of the process; the reason would only repeat it.
    reason = "" if failure.kind in ("exited", "ended") else failure.reason
    if failure.closed_output:
        reason = "It closed its output, so it was killed."
    return Explanation(_title(failure, waited), reason, tuple(advice))


_TAKES_UP: Final = "The conversation is kept: retry restarts the agent and resumes it."
_BEGINS_ANEW: Final = (
    "The conversation stays on the screen: retry starts a new session below it. "
    "This agent cannot resume the old one; /hand-over adds it to your next prompt."
)


def _title(failure: Failure, waited: float | None) -> str:
    ended = failure.exit.as_verb if failure.exit is not None else "ended"
    if failure.no_agent:
        return "This does not seem to be an ACP agent"
    if waited is not None:
        return f"The agent has not answered for {waited:.0f} s"
    match failure.kind:
        case "spawn":
            return "The agent could not be started"
        case "exited":
            return f"The agent {ended} before it answered"
        case "version":
            return "The agent speaks another version of the protocol"
        case "login":
            return "The agent needs a login"
        case "not_taken_up":
            return "The agent could not resume this session"
        case "ended":
            return f"The agent {ended}"
        case _:
            return "The agent refused to open a session"


_INSTALLING: Final = (
    "It may still be installing, or waiting for a login elsewhere: retry, or run it in a shell."
)


def _advice(failure: Failure, login: str, can_log_in: bool, waited: float | None) -> Iterator[str]:
    if failure.advice:
        yield failure.advice
    if failure.no_agent:
        yield "It prints plain text instead of ACP messages: it may need an option such as --acp."
        yield from _signs(failure)
        yield _INSTALLING if waited is not None else "Run the command in a shell to see what it does."
        return
    if failure.kind == "login":
        yield from _login_advice(login, can_log_in)
        return
    if failure.kind == "version":
        yield "Update the agent or acp-tui, whichever is older."
        return
    if failure.kind != "not_taken_up":
        yield from _signs(failure)
    if waited is not None:
        yield _INSTALLING
    if failure.kind == "exited":
        yield from _exit_advice(failure)
    if failure.kind == "refused" and _WORKSPACE.search(failure.reason):
        yield "Check that the workspace exists and that the agent may use it (--cwd chooses another one)."
    if failure.kind == "not_taken_up":
        yield "Start a new session: the agent may no longer have this one."
        yield "If it was recorded here, you can still read it from the list of sessions."
        return
    if failure.kind == "ended":
        yield _TAKES_UP if failure.is_resumed_start else _BEGINS_ANEW


def _login_advice(login: str, can_log_in: bool) -> Iterator[str]:
    if can_log_in:
        yield "Log in here with one of the agent's methods."
    if login:
        yield f"In a shell: {login}."
    if not can_log_in and not login:
        yield "It cannot log in from here: run it in a shell once and log in there."


def _exit_advice(failure: Failure) -> Iterator[str]:
    status = failure.exit
    if status is not None and status.exit_code == 0:
        yield "It exited normally (code 0): it may need an option to speak ACP."
    elif status is not None and status.exit_code in (126, 127):
        yield "A program it runs is missing or not executable."
    elif not failure.stderr.strip() and not failure.stdout.strip():
        yield "It gave no reason: run the command in a shell to see more."


def _signs(failure: Failure) -> Iterator[str]:
    printed = f"{failure.stdout[-_TAIL:]}\n{failure.stderr[-_TAIL:]}"
    for pattern, advice in _SIGNS:
        if re.search(pattern, printed, re.I):
            yield advice
            return
