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
    if {_plain(last), _plain(name)} & _NAMES or any(map(_WORDS.search, (last, name, about))):
        return True
    if option.is_mode or _plain(last) in _OFF:
        return _plain(last) in _OFF and _asks_when_on(option)
    return _is_about_asking(option)


def lets_act(session: Session) -> bool:
    """Whether the person has set an option, such as the mode, so that the agent may act without asking."""
    return any(_lets_act(option.config, session.chosen.get(option.config.id)) for option in session.options)


def _lets_act(option: SelectOption | BooleanOption, chosen: str | bool | None) -> bool:
    is_about = option.is_mode or _is_about_asking(option)
    is_chosen = chosen is not None and chosen == option.current_value
    return is_chosen and is_about and acts_unasked(option, option.current_value)


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
