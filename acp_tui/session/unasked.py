"""Which values of an agent's options let it act with fewer questions, judged by names and by words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from acp_tui.acp.modes import BooleanOption, SelectOption

if TYPE_CHECKING:
    from acp_tui.session.session import Session

_NAMES: Final = frozenset(
    (
        "accept", "acceptall", "acceptedits", "agentfullaccess", "allowall", "alwaysapprove", "auto",
        "autoaccept", "autoapprove", "autoedit", "autopilot", "autoreview", "bypass", "bypassall",
        "bypasspermissions", "dangerfullaccess", "dontask", "fullaccess", "fullauto", "llmapprove", "never",
        "noask", "skippermissions", "trustall", "unattended", "unrestricted", "workspacewrite", "yolo",
    )
)  # fmt: skip
"""Ids and names of values that are known to act unasked, without capitals and all that is no letter."""

_WORDS: Final = re.compile(
    r"""\byolo\b | \bbypass | \bautopilot | \bautonomous | \bunattended | \bunrestricted | \bdangerously
      | full[\s_-]?(access|auto) | (allow|accepts?|approves?|trusts?)[\s_-]all
      | \bauto(matic(ally)?)?[\s_-]?(accept|approv|allow|edit|run|execut|review|confirm)
      | (with)?out\s+(asking|confirmation|approval|permission|prompt|question)
      | \b(no|never|skips?)\s+(ask|prompt|confirm|approv|permission|question)
      | \bdo(n['’]?t|\s+not)\s+(ask|prompt) | \bonly\s+asks?\b | handles?\s+permission""",
    re.I | re.X,
)
"""Words in a name or a description that say so."""

_NOTHING_WITHOUT: Final = re.compile(
    r"(\b(nothing|never|no|not|none|cannot)|n['’]t)\b[^.,:;!\n]*?\bwithout\s+"
    r"(asking|confirmation|approval|permission|prompt|question)",
    re.I,
)
"""Words that say the opposite: nothing is done without asking."""

_ABOUT_ASKING: Final = re.compile(r"approv|permission|confirm|sandbox|\bask|allow[\s_-]?all|trust|yolo", re.I)
"""Words of an option that is about asking as a whole, whatever its values are called."""

_OFF: Final = frozenset(("off", "no", "false", "disabled", "none"))


def acts_unasked(option: SelectOption | BooleanOption, value: str | bool) -> bool:
    """Whether an agent may act with fewer questions under a value. In doubt it may."""
    if isinstance(option, BooleanOption):
        return _switch_acts_unasked(option, bool(value))
    choice = next((choice for choice in option.choices() if choice.value == value), None)
    name, about = (choice.name, choice.description or "") if choice is not None else ("", "")
    # Ids can be addresses, or end with what matters.
    last = re.split("[#/:]", str(value))[-1]
    if {_plain(last), _plain(name)} & _NAMES or any(map(_says_so, (last, name, about))):
        return True
    if option.is_mode or _plain(last) in _OFF:
        return _plain(last) in _OFF and _asks_when_on(option)
    return _is_about_asking(option)


def lets_act(session: Session) -> bool:
    """Whether the user has chosen the mode that counts, and saw that the agent acts without asking in it.

    What the agent tells of the mode later can only take that away.
    """
    options = (option.config for option in session.options)
    return any(
        session.let.get(option.id) == option.current_value and lets_act_under(option, option.current_value)
        for option in options
    )


def lets_act_under(option: SelectOption | BooleanOption, value: str | bool) -> bool:
    """Whether an option is a mode, and shows of a value that the agent acts without asking under it."""
    return option.is_mode and acts_unasked(option, value)


def says_unasked(word: str) -> bool:
    """Whether a word that the user has written for a value, without seeing it, says so by itself."""
    last = re.split("[#/:]", word)[-1]
    return _plain(last) in _NAMES or _says_so(last)


def _says_so(text: str) -> bool:
    return bool(_WORDS.search(_NOTHING_WITHOUT.sub(" ", text)))


def _switch_acts_unasked(option: BooleanOption, value: bool) -> bool:
    if not _is_about_asking(option) and not _WORDS.search(_words(option)):
        return False
    return not value if _asks_when_on(option) else value


def _asks_when_on(option: SelectOption | BooleanOption) -> bool:
    """Whether it is being off that means fewer questions: “require approval”."""
    return _is_about_asking(option) and not _WORDS.search(_words(option))


def _is_about_asking(option: SelectOption | BooleanOption) -> bool:
    return bool(_ABOUT_ASKING.search(f"{option.id} {option.name} {option.category or ''}"))


def _words(option: SelectOption | BooleanOption) -> str:
    return f"{option.id} {option.name} {option.description or ''}"


def _plain(text: str) -> str:
    return re.sub("[^a-z]", "", text.lower())
