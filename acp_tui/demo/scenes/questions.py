"""Scenes with questions to the user: permissions, forms, links. Source: ACP, page "elicitation"."""

from __future__ import annotations

from typing import Any, Final

from acp_tui.demo.connection import Params
from acp_tui.demo.services import ask
from acp_tui.demo.turn import DemoTurn

_ANSWERS: Final = (
    {
        "optionId": "proceed/always:1",
        "name": "Yes, and for all of `docs/` from now on",
        "kind": "allow_always",
    },
    {"optionId": "approved", "name": "Yes, move them", "kind": "allow_once"},
    {"optionId": "0", "name": "Yes, but copy instead of moving", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
    {"optionId": "never", "name": "No, and never ask about moving again", "kind": "reject_always"},
)


def ask_scene(turn: DemoTurn, rest: str) -> None:
    """Ask a question with more answers than yes and no."""
    turn.think("I should not move files without asking.")
    tool = turn.tool(
        "Move docs/*.txt to docs/old", "move", raw_input={"from": "docs/*.txt", "to": "docs/old"}
    )
    option = ask(turn, tool, _ANSWERS)
    if option is None:
        tool.finish("The question was dismissed.", failed=True)
        turn.say("You did not answer, so nothing was moved.")
        return
    said_yes = option["kind"].startswith("allow")
    tool.finish("This is a demo: nothing was moved.", failed=not said_yes)
    turn.say(f"You chose **{option['name']}** (`{option['optionId']}`).")


FORM: Final[Params] = {
    "type": "object",
    "title": "A new project",
    "description": "Every kind of field that a form can have.",
    "required": ["name", "licence", "parts"],
    "properties": {
        "name": {
            "type": "string",
            "title": "Name",
            "description": "Lower case letters and dashes",
            "minLength": 2,
            "maxLength": 20,
            "pattern": "^[a-z][a-z-]*$",
            "default": "tally",
        },
        "contact": {"type": "string", "title": "Contact", "format": "email"},
        "homepage": {"type": "string", "title": "Home page", "format": "uri"},
        "release": {"type": "string", "title": "First release", "format": "date"},
        "licence": {
            "type": "string",
            "title": "Licence",
            "enum": ["MIT", "Apache-2.0", "GPL-3.0"],
            "default": "MIT",
        },
        "style": {
            "type": "string",
            "title": "How to work",
            "oneOf": [
                {"const": "small", "title": "In small steps"},
                {"const": "big", "title": "All at once"},
            ],
            "default": "small",
        },
        "width": {"type": "integer", "title": "Line length", "minimum": 60, "maximum": 200, "default": 100},
        "threshold": {
            "type": "number",
            "title": "Coverage wanted",
            "minimum": 0,
            "maximum": 1,
            "default": 0.9,
        },
        "tests": {"type": "boolean", "title": "Write tests", "default": True},
        "parts": {
            "type": "array",
            "title": "Parts",
            "items": {"type": "string", "enum": ["library", "command line", "documentation"]},
            "minItems": 1,
            "default": ["command line"],
        },
        "targets": {
            "type": "array",
            "title": "Runs on",
            "items": {"anyOf": [{"const": "linux", "title": "Linux"}, {"const": "macos", "title": "macOS"}]},
            "maxItems": 2,
        },
    },
}


def form(turn: DemoTurn, rest: str) -> None:
    """Ask the user to fill in a form."""
    if not turn.can("elicitation", "form"):
        turn.say("This client does not support forms.")
        return
    answer = turn.call(
        "elicitation/create", mode="form", message="Before I set up the project:", requestedSchema=FORM
    )
    if answer.get("action") != "accept":
        turn.say(f"No project, then (`{answer.get('action')}`).")
        return
    content: dict[str, Any] = answer.get("content") or {}
    rows = "\n".join(f"| {name} | `{value}` |" for name, value in content.items())
    turn.say(f"You filled in:\n\n| field | value |\n|---|---|\n{rows}\n")


def link(turn: DemoTurn, rest: str) -> None:
    """Ask the user to open a link, and pretend that it was used."""
    if not turn.can("elicitation", "url"):
        turn.say("This client does not support links.")
        return
    elicitation_id = f"{turn.session.session_id}-{turn.session.next_id('link')}"
    answer = turn.call(
        "elicitation/create",
        mode="url",
        message="Connect the demo to your imaginary account",
        elicitationId=elicitation_id,
        url=f"https://example.com/connect?e={elicitation_id}",
    )
    if answer.get("action") != "accept":
        turn.say("No problem: the demo works without an account.")
        return
    turn.pause(3)
    turn.connection.notify("elicitation/complete", {"elicitationId": elicitation_id})
    turn.say("Connected (this is only a demo).")
