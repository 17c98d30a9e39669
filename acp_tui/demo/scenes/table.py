"""The scenes of the demo agent, by the slash command that plays them.

A new scene is a function `(turn, rest) -> stop reason or None` and a row of `SCENES`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from acp_tui.demo.connection import Params
from acp_tui.demo.scenes import edits, messages, questions, settings, terminals, tour, trouble
from acp_tui.demo.turn import DemoTurn

Play = Callable[[DemoTurn, str], str | None]
"""Plays a scene with the text after its name; returns a stop reason, None for `end_turn`."""


class Scene(NamedTuple):
    """A scene and its slash command."""

    name: str
    description: str
    play: Play
    hint: str = ""
    """Hint for the text after the name."""


def help_scene(turn: DemoTurn, rest: str) -> None:
    """List the scenes."""
    rows = "\n".join(f"| `/{scene.name}` | {scene.description} |" for scene in SCENES)
    turn.say(f"{_HELP}\n\n| scene | what it shows |\n|---|---|\n{rows}\n")


_HELP = """\
I am the **demo agent** of acp-tui, not a model. I play small scenes that show what a coding agent
looks like here, before you install one. Type anything for the tour, or pick a scene:"""

SCENES: Final = (
    Scene("tour", "a whole piece of work: thoughts, a plan, a read, an edit, a command", tour.tour),
    Scene("scenes", "this list", help_scene),
    Scene("markdown", "everything Markdown can do", messages.markdown),
    Scene("long", "a long answer", messages.long, "how many paragraphs"),
    Scene("think", "thoughts before and between answers", messages.think),
    Scene("image", "a small picture", messages.image),
    Scene("plan", "a plan that changes on the way", settings.plan),
    Scene("file", "a new file, with permission", edits.new),
    Scene("edit", "an edit of that file, with its diff", edits.edit),
    Scene("three", "one question about three files", edits.three),
    Scene("clash", "a write to a file that somebody else has changed", edits.clash),
    Scene("run", "a command in a terminal", terminals.run_scene, "command line"),
    Scene("chain", "a chained command, for your rules", terminals.chain, "command line"),
    Scene("unasked", "a command without a permission: you are asked", terminals.unasked, "command line"),
    Scene("parallel", "several tools and two questions at once", terminals.parallel),
    Scene("ask", "a question with unusual answers", questions.ask_scene),
    Scene("form", "a form with every kind of field", questions.form),
    Scene("link", "a link to open in the browser", questions.link),
    Scene("modes", "the agent asks to change its mode", settings.modes),
    Scene("commands", "the list of commands changes", settings.change_commands),
    Scene("fill", "the context fills up", settings.usage),
    Scene("slow", "something that takes a minute, to be cancelled", trouble.slow, "how many seconds"),
    Scene("error", "the turn ends with an error", trouble.error),
    Scene("refuse", "the agent refuses", trouble.refuse),
    Scene("limit", "the answer is cut off at the token limit", trouble.limit),
    Scene("die", "the agent's process dies", trouble.die),
    Scene("hang", "the agent never answers", trouble.hang, "hard, to ignore cancelling too"),
    Scene("noise", "bad behaviour: stray output, unknown kinds, escape sequences", trouble.noise),
)


def commands() -> list[Params]:
    """Return the scenes as the protocol's available commands."""
    return [
        {
            "name": scene.name,
            "description": scene.description,
            **({"input": {"hint": scene.hint}} if scene.hint else {}),
        }
        for scene in SCENES
    ]


def play(turn: DemoTurn) -> str:
    """Play the scene requested by a prompt, and return the stop reason."""
    text = next((str(block.get("text", "")) for block in turn.prompt if block["type"] == "text"), "").strip()
    if not text.startswith("/"):
        tour.tour(turn, text)
        return "end_turn"
    name, _, rest = text[1:].partition(" ")
    scene = next((scene for scene in SCENES if scene.name == name), None)
    if scene is None:
        turn.say(f"I do not know `/{name}`. Type `/scenes` to list the scenes.")
        return "end_turn"
    return scene.play(turn, rest.strip()) or "end_turn"
