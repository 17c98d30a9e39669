"""Tests of `agent/permissions/access.py`."""

from __future__ import annotations

from pathlib import Path

from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.workspace.terminals import Terminals


async def test_a_path_is_lent_when_it_lies_in_a_folder_of_a_session_that_is_there(tmp_path: Path) -> None:
    access = AgentAccess(Terminals())
    assert not access.grants("one", str(tmp_path / "a"))

    access.grant("one", [str(tmp_path)])

    assert access.grants("one", str(tmp_path / "a"))
    assert not access.grants("one", "/etc/passwd")
    assert not access.grants("two", str(tmp_path / "a"))

    await access.take_back("one")

    assert not access.grants("one", str(tmp_path / "a"))


async def test_a_folder_that_became_a_link_after_it_was_granted_leads_nowhere(tmp_path: Path) -> None:
    own, listed, secret = tmp_path / "own", tmp_path / "listed", tmp_path / "secret"
    secret.mkdir()
    own.symlink_to(secret)
    listed.symlink_to(secret)
    access = AgentAccess(Terminals(), own=[str(own)])

    access.grant("one", [str(listed)])
    assert not access.grants("one", str(secret / "key"))
    assert not access.grants("one", str(listed / "key"))

    access.grant("two", [str(own)])
    assert access.grants("two", str(own / "key")), "the user named this link"


async def test_a_session_that_the_user_opens_has_its_own_policy_though_a_subagent_had_its_id(
    tmp_path: Path,
) -> None:
    access = AgentAccess(Terminals())
    access.grant("one", [str(tmp_path)])
    access.set_policy("one", "allow-everything")
    access.grant_to_child("two", "one", str(tmp_path))
    assert access.policy_of("two") == "allow-everything"

    access.grant("two", [str(tmp_path)])
    await access.take_back("one")

    assert access.policy_of("two") == "ask"
    assert access.grants("two", str(tmp_path / "a"))
