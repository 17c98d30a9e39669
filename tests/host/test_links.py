from __future__ import annotations

from pathlib import Path

from acp_tui.host.links import with_targets


def test_a_link_names_also_the_place_it_leads_to(tmp_path: Path) -> None:
    inside, outside = tmp_path / "w", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (inside / "a").symlink_to(outside)

    assert with_targets([f"{inside}/a/x", f"{inside}/b"], str(inside)) == (
        f"{inside}/a/x",
        f"{outside}/x",
        f"{inside}/b",
    )


def test_a_workspace_reached_by_an_alias_is_still_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    alias = tmp_path / "alias"
    alias.symlink_to(tmp_path / "real")

    assert with_targets([f"{alias}/x", f"{tmp_path}/real/x"], str(alias)) == (
        f"{alias}/x",
        f"{tmp_path}/real/x",
    )


def test_a_folder_beside_the_workspace_is_not_in_it_because_its_name_begins_alike(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real-evil").mkdir()
    alias = tmp_path / "alias"
    alias.symlink_to(tmp_path / "real")

    beside = f"{tmp_path}/real-evil/x"
    assert with_targets([beside], str(alias)) == (beside,)


def test_what_is_no_path_is_left_as_it_is() -> None:
    odd = ("/w/../x", "/w/\0", "/w/half a character \ud800")

    assert with_targets(odd, "/w") == odd
