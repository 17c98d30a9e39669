"""The host, which gives sessions files and terminals."""

from __future__ import annotations

from pathlib import Path

from acp_tui.agent.permissions.host import Host
from acp_tui.workspace.terminals import Terminals


async def test_a_path_is_lent_when_it_lies_in_a_folder_of_a_session_that_is_there(tmp_path: Path) -> None:
    host = Host(Terminals())
    assert not host.grants("one", str(tmp_path / "a"))

    host.grant("one", [str(tmp_path)])

    assert host.grants("one", str(tmp_path / "a"))
    assert not host.grants("one", "/etc/passwd")
    assert not host.grants("two", str(tmp_path / "a"))

    await host.take_back("one")

    assert not host.grants("one", str(tmp_path / "a"))


async def test_a_folder_that_became_a_link_after_it_was_granted_leads_nowhere(tmp_path: Path) -> None:
    own, listed, secret = tmp_path / "own", tmp_path / "listed", tmp_path / "secret"
    secret.mkdir()
    own.symlink_to(secret)
    listed.symlink_to(secret)
    host = Host(Terminals(), own=[str(own)])

    host.grant("one", [str(listed)])
    assert not host.grants("one", str(secret / "key"))
    assert not host.grants("one", str(listed / "key"))

    host.grant("two", [str(own)])
    assert host.grants("two", str(own / "key")), "the user named this link"


async def test_a_session_that_the_user_opens_has_its_own_policy_though_a_subagent_had_its_id(
    tmp_path: Path,
) -> None:
    host = Host(Terminals())
    host.grant("one", [str(tmp_path)])
    host.set_policy("one", "allow-everything")
    host.grant_to_child("two", "one", str(tmp_path))
    assert host.policy_of("two") == "allow-everything"

    host.grant("two", [str(tmp_path)])
    await host.take_back("one")

    assert host.policy_of("two") == "ask"
    assert host.grants("two", str(tmp_path / "a"))
