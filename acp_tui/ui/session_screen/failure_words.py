"""Why an agent could not be used, in words: what happened, and what the person can try."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from acp_tui.conversation.failures import Failure


@dataclass(frozen=True)
class Explanation:
    """A failure in words; the advice that is most likely to help comes first."""

    title: str
    """What happened, and how the process ended."""
    reason: str
    """What else is known; may be empty."""
    advice: tuple[str, ...]


_RUNTIME: Final = "Its runtime may be too old or incomplete: update it, or install the agent again."
_SIGNS: Final = (
    (r"unknown (option|argument|flag)|unrecognized (option|argument)|no such option|unexpected argument",
     "It does not know one of its arguments: other versions speak the protocol by another option, or not."),
    (r"cannot find module|modulenotfounderror|importerror|no module named|err_module_not_found", _RUNTIME),
    (r"syntaxerror|unsupported engine|requires? (node|python)|node version|glibc", _RUNTIME),
    (r"\bE?40[13]\b|unauthorized|not logged in|log ?in|sign in|api[_ ]key|authenticat|credential",
     "It seems to miss a login or a key: log in, or set the variable that it names."),
    (r"enotfound|econnrefused|etimedout|econnreset|network|getaddrinfo|proxy|certificate",
     "It could not reach its service: check the network, the proxy and the certificates."),
    (r"E404|404 not found|no matching (version|distribution)",
     "Its package was not found: check the name in the command."),
    (r"eacces|permission denied", "Something may not be read or written: check the permissions it names."),
    (r"enospc|no space left", "The disk is full."),
    (r"out of memory|heap limit|oom", "It ran out of memory."),
)  # fmt: skip
"""What agents say on stderr when they fail, and what helps; the first that is found is told."""

_WORKSPACE: Final = re.compile(r"\bcwd\b|workspace|working directory|directory|folder|trust", re.I)


def explain(
    failure: Failure, *, login: str = "", can_log_in: bool = False, waited: float | None = None
) -> Explanation:
    """Return the words for a failure.

    Args:
        failure: the facts.
        login: how to log in to this agent outside acp-tui, one line, as far as we know it.
        can_log_in: whether it offers a way to log in from here.
        waited: seconds that it has not answered, if that is why.
    """
    advice = dict.fromkeys(_advice(failure, login, can_log_in, waited))
    # How it ended is in the title; the reason would only repeat it.
    reason = "" if failure.kind in ("exited", "ended") else failure.reason
    if failure.closed_output:
        reason = "It had closed its output, so nothing could be heard of it any more, and it was ended."
    return Explanation(_title(failure, waited), reason, tuple(advice))


_TAKES_UP: Final = "The conversation is kept: retry starts the agent again and takes it up."
_BEGINS_ANEW: Final = (
    "What was said stays here: retry starts the agent again with a new session below it. "
    "This agent cannot take the earlier one up; /hand-over puts it into your next prompt."
)


def _title(failure: Failure, waited: float | None) -> str:
    ended = failure.exit.told if failure.exit is not None else "ended"
    if failure.strange:
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
            return "The agent wants you to log in"
        case "not_taken_up":
            return "The agent could not take this session up"
        case "ended":
            return f"The agent {ended}"
        case _:
            return "The agent refused to open a session"


def _advice(failure: Failure, login: str, can_log_in: bool, waited: float | None) -> Iterator[str]:
    if failure.advice:
        yield failure.advice
    if failure.strange:
        yield "It prints text where the protocol belongs: it may need an option such as --acp."
        yield "Run the command in a shell to see what it does by itself."
        return
    if failure.kind == "login":
        yield from _login_advice(login, can_log_in)
        return
    if failure.kind == "version":
        yield "Update the agent or acp-tui, whichever is older."
        return
    if failure.kind != "not_taken_up":
        yield from _signs(failure.stderr)
    if waited is not None:
        yield "It may still be installing, or waiting for a login elsewhere: retry, or run it in a shell."
    if failure.kind == "exited":
        yield from _exit_advice(failure)
    if failure.kind == "refused" and _WORKSPACE.search(failure.reason):
        yield "Check that the workspace exists, and that the agent may use it (--cwd names another one)."
    if failure.kind == "not_taken_up":
        yield "Begin a new session: the agent may not know this one any more."
        yield "If it was recorded here, it can still be read: it is in the list of sessions."
        return
    if failure.kind == "ended":
        yield _TAKES_UP if failure.takes_up else _BEGINS_ANEW


def _login_advice(login: str, can_log_in: bool) -> Iterator[str]:
    if can_log_in:
        yield "Log in here with one of the ways that the agent offers."
    if login:
        yield f"In a shell: {login}."
    if not can_log_in and not login:
        yield "It offers no way to log in from here: run it once in a shell and log in there."


def _exit_advice(failure: Failure) -> Iterator[str]:
    status = failure.exit
    if status is not None and status.exit_code == 0:
        yield "It ended as if all were done: it may need an option that makes it speak the protocol."
    elif status is not None and status.exit_code in (126, 127):
        yield "A program that it calls is missing or may not be run."
    elif not failure.stderr.strip():
        yield "It gave no reason: run the command in a shell to see more."


def _signs(stderr: str) -> Iterator[str]:
    tail = stderr[-16_384:]
    for pattern, advice in _SIGNS:
        if re.search(pattern, tail, re.I):
            yield advice
            return
