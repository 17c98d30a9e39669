"""The scenes that are drawn. A new picture is a function that plays its scene and a row of `PICTURES`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, NamedTuple

from acp_tui.store.folders import config_folder
from tests.pictures.stage import Performance

CHAIN: Final = "/run git fetch && make test | tee /tmp/test.log && sudo make install"
_RULES: Final = """\
[[rules]]
decision = "allow"
command = "git status"
note = "looking is free"

[[rules]]
decision = "allow"
command = "pytest"
workspace = "/tmp/tally"
expires = 2099-12-31

[[rules]]
decision = "allow"
tool_kind = "edit"
path = "docs/**"
agent = "gemini"

[[rules]]
decision = "ask"
tool_kind = "fetch"

[[rules]]
decision = "deny"
command = "git push"
note = "I push myself"

[[rules]]
decision = "deny"
path = "*.env"
"""
_THEIR_RULES: Final = """\
[[rules]]
decision = "allow"
command = "make check"

[[rules]]
decision = "ask"
path = "migrations/**"
"""


async def first_screen(play: Performance) -> None:
    await play.ready()


async def start_screen(play: Performance) -> None:
    await play.opened("StartScreen")


async def at_work(play: Performance) -> None:
    await play.ready()
    await play.say("show me around")
    await play.answer("y")
    await play.answer("y")
    await play.until(lambda: "sorts by number" in play.text, "the checks are half done")


async def command_question(play: Performance) -> None:
    await play.ready()
    await play.say("/run git log --oneline --since yesterday | head -n 20")
    await play.asked()


async def new_file(play: Performance) -> None:
    await play.ready()
    await play.say("/file")
    await play.answer("y")
    await play.finished()


async def open_changes(play: Performance) -> None:
    await play.pilot.press("f5", "right_square_bracket", "enter")
    await play.opened("ChangesScreen")


async def edit_question(play: Performance) -> None:
    await new_file(play)
    await play.say("/edit")
    await play.asked()


async def unasked_command(play: Performance) -> None:
    await play.ready()
    await play.say("/unasked env CI=1 bash -lc 'make test && git push origin main'")
    await play.asked()


async def changes(play: Performance) -> None:
    """Show an edit of a file that is kept already."""
    await new_file(play)
    await open_changes(play)
    await play.until(lambda: "new file" in play.text, "the file is shown")
    await play.pilot.press("A")
    await play.until(lambda: "kept (" in play.text, "the file is kept")
    await play.pilot.press("escape", "ctrl+l")
    await play.say("/edit")
    await play.answer("y")
    await play.finished()
    await open_changes(play)
    await play.until(lambda: "open changes" in play.text, "the edit is shown")
    await play.pilot.press("n", "n")


async def notes(play: Performance) -> None:
    """Show a note on two lines of an edit, and the field for another one."""
    await changes(play)
    await play.pilot.press("w", "shift+down")
    await play.pilot.press(*"Sort by word instead?", "enter")
    await play.until(lambda: "1 note" in play.text, "a note is written")
    await play.pilot.press("w", "down", "down", "down", "down")
    await play.pilot.press(*"Why no empty line?")


async def edited(play: Performance) -> None:
    """Show a proposed text that the user has edited, and what the agent will be told."""
    await edit_question(play)
    await play.answer("e")
    await play.finished()
    await play.until(lambda: "sent with your next prompt" in play.text, "what the agent will be told")


async def plan_step(play: Performance) -> None:
    await play.ready()
    await play.say("show me around")
    await play.answer("y")
    await play.answer("y")
    await play.until(lambda: "sorts by number" in play.text, "the checks are half done")
    await play.pilot.press("f3", "down", "enter")
    await play.opened("PlanStepScreen")


async def blame(play: Performance) -> None:
    await edit_question(play)
    await play.answer("y")
    await play.finished()
    await play.say("/blame demo-tally.py")
    await play.opened("BlameScreen")
    await play.until(lambda: "lines written in turns" in play.text, "the journals are read")
    await play.pilot.press("n")


async def search_all(play: Performance) -> None:
    await edit_question(play)
    await play.answer("y")
    await play.finished()
    await play.say("/search word counter")
    await play.opened("SearchScreen")
    await play.until(lambda: "Create the word counter" in play.text, "places are found")


async def handing_off(play: Performance) -> None:
    await at_work(play)
    first = play.app.tabs.current
    await play.say("/handoff demo")
    await play.until(lambda: play.app.tabs.current is not first, "another session")
    await play.ready()
    await play.until(lambda: "Continue this work" in play.app.tabs.current.prompt.text, "the brief")


async def rejecting(play: Performance) -> None:
    await changes(play)
    await play.pilot.press("r")
    await play.until(lambda: "is rejected" in play.text, "a change is rejected")


async def restoring(play: Performance) -> None:
    await edit_question(play)
    await play.answer("y")
    await play.finished()
    await play.pilot.press("alt+u")
    await play.opened("RestoreDialog")
    await play.asked()


async def going_back(play: Performance) -> None:
    await edit_question(play)
    await play.answer("y")
    await play.finished()
    await play.pilot.press("f2", "b")
    await play.opened("GoBackDialog")
    await play.asked()


async def stale_write(play: Performance) -> None:
    await play.ready()
    await play.say("/clash")
    await play.answer("y")
    await play.asked()


async def mode_menu(play: Performance) -> None:
    await play.ready()
    await play.pilot.press("f6")
    await play.opened("Menu")


async def tool_call(play: Performance) -> None:
    await at_work(play)
    await play.pilot.press("ctrl+o")
    await play.opened("ToolCallScreen")


async def form(play: Performance) -> None:
    await play.ready()
    await play.say("/form")
    await play.asked()


async def sessions(play: Performance) -> None:
    await edit_question(play)
    await play.answer("y")
    await play.finished()
    first = play.app.tabs.current
    await play.pilot.press("ctrl+n")
    await play.until(lambda: play.app.tabs.current is not first, "another session")
    await play.ready()
    first.conversation.say("/run make check")
    await play.until(lambda: first.conversation.questions, "a question of the first session")
    await play.say("/think")
    await play.finished()


async def search(play: Performance) -> None:
    await at_work(play)
    await play.pilot.press("ctrl+f", *"tally")
    await play.drawn()


async def chained_command(play: Performance) -> None:
    await play.ready()
    await play.say(CHAIN)
    await play.asked()
    await play.answer("n")
    await play.finished()
    await play.say(CHAIN)
    await play.asked()


async def decisions(play: Performance) -> None:
    await edit_question(play)
    await play.answer("y")
    await play.finished()
    await play.say(CHAIN)
    await play.answer("n")
    await play.finished()
    session = play.app.tabs.current
    session.conversation.choices.set_policy("allow-everything")
    await play.say("/run make check")
    await play.finished()
    await play.pilot.press("alt+d")
    await play.opened("DecisionsScreen")


async def rules(play: Performance) -> None:
    await play.ready()
    config_folder().joinpath("rules.toml").write_text(_RULES, "utf-8")
    theirs = Path(play.app.tabs.current.conversation.session.cwd, ".acp-tui", "rules.toml")
    theirs.parent.mkdir()
    theirs.write_text(_THEIR_RULES, "utf-8")
    await play.pilot.press("alt+l")
    await play.opened("RulesScreen")


async def completion(play: Performance) -> None:
    await at_work(play)
    play.app.tabs.current.prompt.insert("/p")
    await play.drawn()


async def queue(play: Performance) -> None:
    await at_work(play)
    for words in ("Then add a test for an empty file", "Write the new option into README.md"):
        await play.say(words)
    await play.drawn()


async def inbox(play: Performance) -> None:
    await sessions(play)
    play.app.tabs.current.prompt.insert("Meanwhile, let us look at")
    await play.pilot.press("alt+a")
    await play.opened("InboxMenu")


async def refused(play: Performance) -> None:
    await play.ready()
    key = Path.home() / ".ssh" / "id_ed25519"
    key.parent.mkdir()
    key.touch()
    (Path.home() / "notes").mkdir()
    await play.say("/sandbox")
    await play.opened("Menu")
    await play.pilot.press("enter")
    conversation = play.app.tabs.current.conversation
    await play.until(lambda: conversation.phase == "ready" and conversation.sandbox, "the sandbox")
    await play.say("/run cat ~/.ssh/id_ed25519; cp README.md ~/notes/tally.md")
    await play.answer("y")
    await play.finished()
    await play.say("/sandbox")
    await play.opened("Menu")


async def themes(play: Performance) -> None:
    await at_work(play)
    await play.pilot.press("f10")
    await play.opened("ThemeMenu")


class Picture(NamedTuple):
    """One file in screenshots/, or two: SVG and PNG."""

    name: str
    scene: Callable[[Performance], Awaitable[None]]
    size: tuple[int, int] = (130, 38)
    """Columns and rows."""
    theme: str = "acp-dark"
    agent: bool = True


PICTURES: Final = (
    Picture("start", first_screen),
    Picture("start-screen", start_screen, agent=False),
    Picture("chat", at_work),
    Picture("chat-narrow", at_work, size=(80, 24)),
    Picture("chat-large", at_work, size=(200, 50)),
    Picture("chat-light", at_work, theme="acp-light"),
    Picture("chat-high-contrast", at_work, theme="high-contrast"),
    Picture("permission-edit", edit_question),
    Picture("permission-edit-light", edit_question, theme="acp-light"),
    Picture("permission-command", command_question),
    Picture("permission-chain", chained_command, size=(110, 32)),
    Picture("permission-unasked", unasked_command, size=(110, 32)),
    Picture("decisions", decisions, size=(110, 24)),
    Picture("rules", rules),
    Picture("reject", rejecting),
    Picture("notes", notes),
    Picture("edited", edited, size=(110, 32)),
    Picture("plan-step", plan_step, size=(110, 24)),
    Picture("blame", blame, size=(104, 30)),
    Picture("search-all", search_all, size=(110, 24)),
    Picture("handoff", handing_off, size=(110, 32)),
    Picture("restore", restoring, size=(110, 32)),
    Picture("go-back", going_back, size=(110, 32)),
    Picture("stale-write", stale_write, size=(110, 36)),
    Picture("mode-menu", mode_menu),
    Picture("sessions", sessions),
    Picture("search", search),
    Picture("completion", completion),
    Picture("queue", queue),
    Picture("inbox", inbox),
    Picture("sandbox", refused, size=(110, 32)),
    Picture("themes", themes),
    Picture("changes", changes),
    Picture("tool-call", tool_call),
    Picture("form", form, size=(110, 44)),
)
