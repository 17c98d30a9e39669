"""Links of messages: what they name, where they lead, and how they are opened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_tui.protocol.schema import (
    EmbeddedResource,
    ResourceContents,
    ResourceLink,
    TextContent,
)
from acp_tui.session.entries import AgentMessage
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.session_screen.review import links as browser
from acp_tui.ui.session_screen.review.links import about, file_of, links, open_link, other_host, text_of_file
from acp_tui.workspace.files import FileError
from tests.tables import each
from tests.ui.seats import seat, told


def test_a_message_links_to_what_it_points_at_and_what_it_brings() -> None:
    message = AgentMessage(
        parts=[
            TextContent(text="see"),
            ResourceLink(uri="https://a/b", name="b", title="The B"),
            ResourceLink(uri="https://a/b", name="again"),
            EmbeddedResource(resource=ResourceContents(uri="file:///x/my%20file", text="")),
        ]
    )

    assert links(message) == {"https://a/b": "The B", "file:///x/my%20file": "my file"}


def test_c132_only_files_in_the_folders_of_the_session_are_read(tmp_path: Path) -> None:
    for folder in ("in", "out"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "plan.md").write_text(folder)
    (tmp_path / "in" / "link.md").symlink_to(tmp_path / "out" / "plan.md")
    root = str(tmp_path / "in")

    assert text_of_file(f"file://{root}/plan.md", root, [root]) == "in"
    assert text_of_file("plan.md", root, [root]) == "in"
    for uri in (
        f"file://{tmp_path}/out/plan.md",
        "link.md",
        "../out/plan.md",
        "https://x/plan.md",
        "none.md",
    ):
        with pytest.raises(FileError):
            text_of_file(uri, root, [root])


def test_only_files_that_are_here_are_files(tmp_path: Path) -> None:
    path = tmp_path / "a b.py"
    path.write_text("")

    assert file_of(f"{tmp_path.as_uri()}/a%20b.py", "/") == path
    assert file_of(f"{tmp_path.as_uri()}/a%20b.py#L2-3", "/") == path
    assert file_of("a b.py", str(tmp_path)) == path
    for uri in (
        "file://elsewhere/etc/passwd",
        "https://a/etc/passwd",
        "file:///dev/null",
        "file:///no",
        "",
        "http://[",
    ):
        assert file_of(uri, "/") is None


def test_r27_a_range_a_pattern_and_a_folder_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("")

    assert file_of("src/a.py", str(tmp_path)) is not None
    for place in ("src/a.py:1-220", "src/*.py", "src/**/*", "src", "src/", "."):
        assert file_of(place, str(tmp_path)) is None
        assert file_of(f"{tmp_path}/{place}", "/") is None


@pytest.mark.slow
async def test_a_page_opens_only_when_the_user_has_chosen_its_address(
    tmp_path: Path, opened: list[str]
) -> None:
    link = {"type": "resource_link", "uri": "https://example.org/page", "name": "page"}
    async with seat(tmp_path) as here:
        await here.say(f"updates {json.dumps([{'kind': 'agent_message_chunk', 'content': link}])}")
        await here.sees("[page https://example.org/page]")
        chat = here.session.query_one(ChatPane)
        chat.focus()
        await here.press("shift+up", "enter")
        await here.until(lambda: isinstance(here.app.screen, Menu))
        await here.press("escape")
        await here.until(lambda: here.app.screen is here.session)
        assert opened == []

        await here.press("enter")
        await here.until(lambda: isinstance(here.app.screen, Menu))
        await here.press("enter")

        await here.until(lambda: opened == ["https://example.org/page"])


def test_links_of_an_answer_are_found_in_the_order_of_its_text() -> None:
    text = (
        "See [the *docs*](https://a/b?c=1), <https://d/e> and https://f/g.\n\n- [x](src/a.py) ![pic](p.png)\n"
        "- [ref][1]\n\n| t |\n|---|\n| https://cell |\n\n`https://code` [no](javascript:x)\n\n[1]: https://r\n"
    )

    found = links(AgentMessage(parts=[TextBuffer(text)]))

    assert list(found.items()) == [
        ("https://a/b?c=1", "the docs"),
        ("https://d/e", ""),
        ("https://f/g", ""),
        ("src/a.py", "x"),
        ("p.png", "pic"),
        ("https://r", "ref"),
        ("https://cell", ""),
    ]


@pytest.mark.slow
async def test_a_link_in_an_answer_is_opened_by_key_and_copied_where_there_is_no_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "open_in_browser", lambda url: False)
    content = {"type": "text", "text": "Look at [this](https://example.org/x) and https://example.org/y ."}
    async with seat(tmp_path) as here:
        await here.say(f"updates {json.dumps([{'kind': 'agent_message_chunk', 'content': content}])}")
        await here.sees("Look at this")
        here.session.query_one(ChatPane).focus()
        await here.press("shift+up", "enter")
        await here.is_before(Menu)
        await here.sees("https://example.org/x", "this", "https://example.org/y")
        await here.press("down", "enter")

        await here.until(lambda: here.app.clipboard == "https://example.org/y")
        await here.until(lambda: "No graphical browser found. Address copied." in told(here))


@pytest.mark.slow
async def test_a_click_on_a_link_shows_where_it_leads(tmp_path: Path) -> None:
    content = {"type": "text", "text": "Look at [this](https://example.org/x)."}
    async with seat(tmp_path) as here:
        await here.say(f"updates {json.dumps([{'kind': 'agent_message_chunk', 'content': content}])}")
        await here.sees("Look at this")
        row = next(number for number, row in enumerate(here.text.splitlines()) if "Look at this" in row)
        await here.pilot.click(offset=(here.text.splitlines()[row].index("this") + 1, row))

        await here.is_before(Menu)
        await here.sees("https://example.org/x")


@each(
    ("uri", "name", "host"),
    [
        ("https://evil.example/x", "https://github.com/x", "evil.example"),
        ("https://evil.example", "github.com", "evil.example"),
        ("https://evil.example", "see **github.com** now", "evil.example"),
        ("https://evil.example", "www.github.com/acp", "evil.example"),
        ("https://github.com.evil.example", "github.com", "github.com.evil.example"),
        ("https://github.com@evil.example", "https://github.com", "evil.example"),
        ("https://github.com", "docs.github.com", "github.com"),
        ("https://xn--80ak6aa92e.com", "apple.com", "xn--80ak6aa92e.com"),
        ("http://127.0.0.1:8000/x", "https://bank.example", "127.0.0.1"),
        ("https://www.github.com/a", "github.com", ""),
        ("https://docs.github.com/x", "github.com", ""),
        ("https://github.com", "GitHub", ""),
        ("https://github.com/x/README.md", "README.md", ""),
        ("https://docs.python.org/3", "json.dumps", ""),
        ("https://a.example", "mail me@b.com", ""),
        ("notes.md", "https://good.example", ""),
        ("https://[broken", "github.com", ""),
    ],
)
def test_a_link_whose_words_name_another_host_is_known(uri: str, name: str, host: str) -> None:
    assert other_host(uri, name) == host
    assert about(uri, name) == (f"opens {host}, not “{name}”" if host else name)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "opened"), [(("enter",), []), (("down", "enter"), ["https://evil.example/x"])]
)
async def test_a_link_whose_words_name_another_host_is_opened_when_the_user_says_so_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: tuple[str, ...], opened: list[str]
) -> None:
    visited: list[str] = []

    def visit(uri: str) -> bool:
        visited.append(uri)
        return True

    monkeypatch.setattr(browser, "open_in_browser", visit)
    async with seat(tmp_path) as here:
        found = {"https://evil.example/x": "https://github.com/x"}
        here.app.run_worker(open_link(here.session, found, str(tmp_path)))
        await here.is_before(Menu)
        await here.sees("opens evil.example")
        await here.press("enter")
        await here.sees("This link is labelled “https://github.com/x” but opens evil.example")
        assert visited == []

        await here.press(*keys)

        await here.until(lambda: not isinstance(here.app.screen, Menu))
        await here.until(lambda: not any(one.name == "open_link" for one in here.app.workers))
        assert visited == opened
