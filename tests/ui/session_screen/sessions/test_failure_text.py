"""Tests of `ui/session_screen/sessions/failure_text.py`."""

from __future__ import annotations

import pytest

from acp_tui.conversation.failure import Failure
from acp_tui.ui.session_screen.sessions.failure_text import explain
from acp_tui.workspace.processes import ExitStatus


def test_an_agent_that_exits_is_reported_with_its_exit_code() -> None:
    told = explain(Failure("exited", "The agent has ended.", exit=ExitStatus(3, None)))

    assert told.title == "The agent ended with exit code 3 before it answered"
    assert any("gave no reason" in advice for advice in told.advice)


def test_an_agent_killed_from_outside_is_reported_with_the_signal() -> None:
    told = explain(Failure("ended", "", exit=ExitStatus(None, "SIGKILL"), is_resumed_start=True))

    assert told.title == "The agent was ended by SIGKILL"
    assert any("conversation is kept" in advice for advice in told.advice)


def test_of_an_agent_that_cannot_take_a_session_up_it_is_not_promised() -> None:
    told = explain(Failure("ended", "", exit=ExitStatus(0, None), closed_output=True))

    assert "closed its output" in told.reason
    assert any("starts a new session below it" in advice for advice in told.advice)
    assert not any("conversation is kept" in advice for advice in told.advice)


def test_a_program_that_ends_well_without_an_answer_may_need_an_option() -> None:
    told = explain(Failure("exited", "", stderr="bye", exit=ExitStatus(0, None)))

    assert any("option" in advice for advice in told.advice)


@pytest.mark.parametrize(
    ("stderr", "advice"),
    [
        ("error: unknown option '--acp'", "argument"),
        ("Error: Cannot find module 'x'", "runtime"),
        ("HTTP 401 Unauthorized", "login"),
        ("getaddrinfo ENOTFOUND api.example", "network"),
        ("npm error code E404", "package was not found"),
        ("EACCES: permission denied, open '/x'", "Permission"),
    ],
)
def test_what_it_said_leads_to_advice(stderr: str, advice: str) -> None:
    exited = Failure("exited", "", exit=ExitStatus(1, None))
    assert explain(exited._replace(stdout=stderr)).advice == explain(exited._replace(stderr=stderr)).advice
    told = explain(exited._replace(stderr=stderr))

    assert advice in told.advice[0]


def test_whoever_failed_knows_best_what_to_do() -> None:
    told = explain(Failure("spawn", "There is no program 'gemnii'.", advice="Check its name."))

    assert told.advice[0] == "Check its name."
    assert told.reason == "There is no program 'gemnii'."


def test_a_program_that_only_prints_text_is_no_agent() -> None:
    told = explain(Failure("refused", "", no_agent=True))

    assert told.title == "This does not seem to be an ACP agent"


def test_an_agent_that_never_answers_is_reported_with_the_time_waited() -> None:
    told = explain(Failure("refused", ""), waited=31.2)

    assert told.title == "The agent has not answered for 31 s"
    assert any("retry" in advice for advice in told.advice)


def test_a_program_that_prints_text_and_waits_is_not_only_said_to_be_installing() -> None:
    printed = "Open https://example.org/device to log in"
    told = explain(Failure("silent", "", stdout=printed, no_agent=True), waited=30)

    assert "plain text instead of ACP messages" in told.advice[0]
    assert len(told.advice) == 3, "the signs in its text count, too"
    assert "still be installing" in told.advice[-1]


def test_another_version_is_reported_as_the_agent_named_it() -> None:
    told = explain(Failure("version", "The agent offers protocol version 2; acp-tui asked for version 1."))

    assert "version 2" in told.reason
    assert told.title == "The agent speaks another version of the protocol"


def test_a_login_without_methods_points_to_the_shell() -> None:
    failure = Failure("login", "Authentication required")

    assert "shell" in explain(failure).advice[0]
    assert explain(failure, login="run `codex login`").advice == ("In a shell: run `codex login`.",)
    assert "Log in here" in explain(failure, can_log_in=True).advice[0]


def test_a_refused_workspace_points_to_the_folder() -> None:
    told = explain(Failure("refused", "cwd does not exist"))

    assert any("--cwd" in advice for advice in told.advice)


def test_no_advice_is_given_twice() -> None:
    told = explain(Failure("spawn", "x", advice="The disk is full.", stderr="No space left on device"))

    assert told.advice == ("The disk is full.",)
