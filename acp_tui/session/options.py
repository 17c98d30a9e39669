"""Options of the agent: config options, and the modes and models of agents without them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from acp_tui.lazy_regex import regex
from acp_tui.protocol.schema import (
    BooleanOption,
    ConfigOption,
    OptionValue,
    SelectOption,
    SessionModelState,
    SessionModeState,
    SessionSetup,
    UnknownOption,
)

SetBy = Literal["set_config_option", "set_mode", "set_model"]
Consent = Literal["", "edits", "everything"]
"""The unasked actions that the user accepts with the name of a mode."""


@dataclass(slots=True)
class Option:
    """An option, however the agent offers it."""

    config: SelectOption | BooleanOption
    set_by: SetBy
    """The method that sets it, after `session/`."""
    fixed: bool = False
    """True if the agent offers it but does not know the method that sets it."""

    @property
    def value_name(self) -> str:
        """The display name of the current value."""
        return self.name_of(self.config.current_value)

    def name_of(self, value: str | bool) -> str:
        """Return the display name of a value, even of one not offered."""
        if isinstance(value, bool):
            return "on" if value else "off"
        return next((choice.name for choice in self.config.choices() if choice.value == value), value)

    def offers(self, value: str | bool) -> bool:
        """Return whether the option offers this value."""
        if isinstance(self.config, BooleanOption):
            return isinstance(value, bool)
        return any(choice.value == value for choice in self.config.choices())


class ModeConsent(NamedTuple):
    """The user's consent to unasked actions, given by choosing a mode."""

    value: str | bool
    """The chosen mode."""
    extent: Consent
    names: tuple[str, str]
    """The names that it had then."""


class SessionOptions:
    """The options of one session, with unconfirmed choices."""

    def __init__(self) -> None:
        self.offered: list[Option] = []
        """Modes, models and config options, in the agent's order."""
        self.pending: dict[str, str | bool] = {}
        """Values requested by the user and not yet confirmed, by option id."""
        self.consents: dict[str, ModeConsent] = {}
        """Modes chosen with consent to unasked actions, by option id."""
        self._reached: set[str] = set()
        """Option ids of consents whose value has already been the current one."""
        self._config_options: list[ConfigOption] = []
        self._modes: SessionModeState | None = None
        self._models: SessionModelState | None = None

    def of_category(self, category: str) -> Option | None:
        """Return the main option of a category: the one with its name, else the first.

        Some agents list the model provider before the model, both in the category `model`.
        """
        found = [option for option in self.offered if option.config.category == category]
        # The category is optional.
        found = found or [
            option for option in self.offered if option.config.id == category and not option.config.category
        ]
        named = (option for option in found if category in (option.config.id, option.config.name.lower()))
        return next(named, found[0] if found else None)

    def set_up(self, setup: SessionSetup) -> None:
        """Merge the options of a session setup; absent parts keep their values."""
        self._modes = setup.modes or self._modes
        self._models = setup.models or self._models
        self.take(self._config_options if setup.config_options is None else setup.config_options)

    def take(self, config_options: list[ConfigOption]) -> None:
        """Replace all config options."""
        self._config_options = config_options
        self.offered = _merged(config_options, self._modes, self._models)
        self._drop_left_consents()

    def choose(self, option_id: str, value: str | bool, consent: Consent) -> None:
        """Record a choice; `consent`: the unasked actions that the user accepted, for the mode only."""
        self.consents.pop(option_id, None)
        self._reached.discard(option_id)
        mode = self.of_category("mode")
        if consent and mode is not None and mode.config.id == option_id:
            self.consents[option_id] = ModeConsent(value, consent, _names_of(mode, value))

    def end_consents(self) -> None:
        """Drop all consents: in another process of the agent the modes may mean something else."""
        self.consents.clear()
        self._reached.clear()

    def agreed(self, option_id: str, value: str | bool, config_options: list[ConfigOption] | None) -> None:
        """Record the agent's confirmation of a value."""
        self.pending.pop(option_id, None)
        if config_options is not None:
            self.take(config_options)
        else:
            for option in self._named(option_id):
                self._choose(option, value)

    def refused(self, option_id: str, *, unknown: bool) -> None:
        """Record the agent's refusal of a value."""
        self.pending.pop(option_id, None)
        self.consents.pop(option_id, None)
        for option in self._named(option_id):
            option.fixed = unknown

    def mode_is(self, mode_id: str) -> None:
        """Record the agent's current mode."""
        if self._modes is not None:
            self._modes.current_mode_id = mode_id
        if (option := self.of_category("mode")) is not None:
            self._choose(option, mode_id)

    def _named(self, option_id: str) -> list[Option]:
        return [option for option in self.offered if option.config.id == option_id]

    def _choose(self, option: Option, value: str | bool) -> None:
        config = option.config
        if isinstance(config, BooleanOption):
            config.current_value = bool(value)
        else:
            config.current_value = str(value)
        if option.set_by == "set_mode" and self._modes is not None:
            self._modes.current_mode_id = str(value)
        if option.set_by == "set_model" and self._models is not None:
            self._models.current_model_id = str(value)
        self._drop_left_consents()

    def _drop_left_consents(self) -> None:
        """Drop consent to a mode that the agent has left or renamed, or no longer shows as its mode.

        The agent cannot restore it.
        """
        mode = self.of_category("mode")
        for option_id, given in [*self.consents.items()]:
            if mode is not None and mode.config.id == option_id and not _takes_away(mode, given):
                if mode.config.current_value == given.value:
                    self._reached.add(option_id)
                    continue
                if option_id not in self._reached:
                    continue
            del self.consents[option_id]
            self._reached.discard(option_id)


def _names_of(mode: Option, value: str | bool) -> tuple[str, str]:
    """Return the names that are shown of a mode: its option's and its own."""
    return mode.config.name, mode.name_of(value)


def _takes_away(mode: Option, given: ModeConsent) -> bool:
    """Return whether a mode now has a name that no longer says what the user accepted."""
    is_renamed = _names_of(mode, given.value) != given.names
    return is_renamed and consent_in(mode.config, given.value) != given.extent


def _merged(
    config_options: Sequence[ConfigOption], modes: SessionModeState | None, models: SessionModelState | None
) -> list[Option]:
    """Return config options, plus the modes and models they do not represent.

    Source: ACP, page "session config options".
    """
    options = [
        Option(option, "set_config_option")
        for option in config_options
        if not isinstance(option, UnknownOption)
    ]
    for option in options:  # code below relies on the category
        if _stands_for_modes(option.config, modes):
            option.config.category = "mode"
        elif _stands_for_models(option.config, models):
            option.config.category = "model"
    if modes is not None and not any(option.config.category == "mode" for option in options):
        choices = [
            OptionValue(value=m.id, name=m.name, description=m.description) for m in modes.available_modes
        ]
        options.append(Option(_select("mode", "Mode", modes.current_mode_id, choices), "set_mode"))
    if models is not None and not any(option.config.category == "model" for option in options):
        names = [
            OptionValue(value=m.model_id, name=m.name, description=m.description)
            for m in models.available_models
        ]
        options.append(Option(_select("model", "Model", models.current_model_id, names), "set_model"))
    return options


def _stands_for_modes(config: SelectOption | BooleanOption, modes: SessionModeState | None) -> bool:
    """Return whether a config option represents the modes, which are then hidden.

    The protocol hides modes if there are config options. Some agents have an option only for the model, and
    separate modes: hiding those could leave the user unaware of a mode that acts unasked. A category is only
    a hint, so an option with the id "mode", or with the same values, counts as well.
    """
    offered = modes.available_modes if modes is not None else []
    return config.is_mode or _has_values(config, [mode.id for mode in offered])


def _stands_for_models(config: SelectOption | BooleanOption, models: SessionModelState | None) -> bool:
    """Return whether a config option represents the models."""
    offered = models.available_models if models is not None else []
    is_named_so = config.id == "model" and not config.category
    return is_named_so or _has_values(config, [model.model_id for model in offered])


def _has_values(config: SelectOption | BooleanOption, values: Sequence[str]) -> bool:
    own = {choice.value for choice in config.choices()}
    return bool(own) and own == set(values)


def _select(category: str, name: str, current: str, choices: list[OptionValue]) -> SelectOption:
    return SelectOption(id=category, name=name, category=category, current_value=current, options=[*choices])


_ASK_NOTHING: Final = frozenset(
    (
        "agentfullaccess", "allowall", "alwaysapprove", "acceptall", "autoapprove", "autopilot", "bypass",
        "bypassall", "bypasspermissions", "dangerfullaccess", "dontask", "fullaccess", "fullauto", "never",
        "noask", "skippermissions", "trustall", "unattended", "unrestricted", "yolo",
    )
)  # fmt: skip
"""Ids and names of values under which the agent asks nothing, in lower case and letters only."""
_ASK_NO_EDITS: Final = frozenset(("acceptedits", "autoedit", "workspacewrite"))
"""Those under which it asks only for commands."""
_NAMES: Final = frozenset(
    (*_ASK_NOTHING, *_ASK_NO_EDITS, "accept", "auto", "autoaccept", "autoreview", "llmapprove")
)
"""All that are known to act unasked."""

_WORDS: Final = regex(
    r"""\byolo\b | \bbypass | \bautopilot | \bautonomous | \bunattended | \bunrestricted | \bdangerously
      | full[\s_-]?(access|auto) | (allow|accepts?|approves?|trusts?)[\s_-]all
      | \bauto(matic(ally)?)?[\s_-]?(accept|approv|allow|edit|run|execut|review|confirm)
      | (with)?out\s+(asking|confirmation|approval|permission|prompt|question)
      | \b(no|never|skips?)\s+(ask|prompt|confirm|approv|permission|question)
      | \bdo(n['’]?t|\s+not)\s+(ask|prompt) | \bonly\s+asks?\b | handles?\s+permission""",
    re.I | re.X,
)
"""Phrases for unasked actions in a name or description."""

_CLAUSE: Final = regex(r"[^.,:;!\n]+")
_NOT: Final = regex(r"(?:\b(?:nothing|never|no|not|none|cannot)|n['’]t)\b", re.I)
_WITHOUT: Final = regex(r"\bwithout\s+(?:asking|confirmation|approval|permission|prompt|question)", re.I)
"""“Without asking”, which means the opposite after a negation in the same clause."""
_LOOKED_AT: Final = 4_000
"""Maximum characters of a name or description that are searched."""

_ABOUT_MODES: Final = regex(r"mode(?!l)|approv|permission|access|autonomy|sandbox|confirm|\bask", re.I)
"""Words in the name of an option that is about asking: `auto` as a thinking level or as a model is not."""

_ABOUT_ASKING: Final = regex(r"approv|permission|confirm|sandbox|\bask|allow[\s_-]?all|trust|yolo", re.I)
"""Phrases for options about asking in general."""

_AGREES_TO_ALL: Final = _ASK_NOTHING | frozenset(
    (
        "actwithoutasking", "alwaysallow", "approveall", "asknothing", "autoaccept", "autoacceptall",
        "autoapproveall",
        "autonomous", "bypassallpermissions", "bypassapprovals", "dangerouslyskippermissions",
        "fullyautonomous",
        "neverask", "neverasks", "nevertoask", "runwithoutasking", "withoutasking",
    )
)  # fmt: skip
_AGREES_TO_EDITS: Final = _ASK_NO_EDITS | frozenset(
    ("acceptalledits", "allowalledits", "allowedits", "autoacceptedits", "autoapproveedits", "autoedits")
)
"""Whole names, in lower-case letters, that mean unasked actions; words within one may say the opposite."""
_ASKS_WHEN_ON: Final = frozenset(("ask", "askfirst", "alwaysask", "confirm", "requireapproval", "approval"))
"""The same of switches that mean no questions at all when off."""

_ONLY_WORDS: Final = regex(r"[A-Za-z]+(?:[ _'’-]+\(?[A-Za-z]+\)?)*+")
"""A name without a sign, a digit or a mark."""

_OFF: Final = frozenset(("off", "no", "false", "disabled", "none"))


def acts_unasked(option: SelectOption | BooleanOption, value: str | bool) -> bool:
    """Return whether the agent may act with fewer questions under a value; True in doubt."""
    if isinstance(option, BooleanOption):
        return _switch_acts_unasked(option, bool(value))
    choice = next((choice for choice in option.choices() if choice.value == value), None)
    name, about = (choice.name, choice.description or "") if choice is not None else ("", "")
    # An id may be a URL or a path; only its last part counts.
    last = re.split("[#/:]", str(value))[-1]
    if {_plain(last), _plain(name)} & _NAMES or any(map(_says_so, (last, name, about))):
        return True
    if option.is_mode or _plain(last) in _OFF:
        return _plain(last) in _OFF and _asks_when_on(option)
    return _is_about_asking(option)


Less = Literal["nothing", "no edits", "less"]


def asks_less(option: SelectOption | BooleanOption, value: str | bool) -> Less | None:
    """Return how much less the agent asks under a value of its mode, or of a switch about asking.

    None: it seems to ask as usual. `less`: it asks less, but the amount is unknown.
    """
    about = f"{option.id} {option.name}"
    is_about_it = option.is_mode or _ABOUT_MODES.search(about) or _WORDS.search(about)
    if not is_about_it or not acts_unasked(option, value):
        return None
    if isinstance(option, BooleanOption):
        return "nothing" if _plain(option.name) in _ASK_NOTHING else "less"
    choice = next((choice for choice in option.choices() if choice.value == value), None)
    last = re.split("[#/:]", str(value))[-1]
    names = {_plain(last), _plain(choice.name if choice is not None else "")}
    if names & _ASK_NOTHING or any("yolo" in name or name.startswith("bypass") for name in names):
        return "nothing"
    return "no edits" if names & _ASK_NO_EDITS else "less"


def consent_in(option: SelectOption | BooleanOption, value: str | bool) -> Consent:
    """Return the unasked actions that a mode's visible name says.

    Consent needs a visible name: the id is never shown, and the description may be cut off or, as with the
    key for the next mode, not shown at all. Unlike in warnings, doubt means no.
    """
    if not option.is_mode:
        return ""
    if isinstance(option, BooleanOption):
        if value:
            return consent_named(option.name)
        return "everything" if _letters_of(option.name) in _ASKS_WHEN_ON else ""
    is_about = bool(_ABOUT_MODES.search(option.name))
    # Of two rows with one id nobody knows which one was chosen.
    found = {consent_named(one.name, is_about=is_about) for one in option.choices() if one.value == value}
    return found.pop() if len(found) == 1 else ""


def consent_typed(word: str) -> Consent:
    """Return the unasked actions that a value means as the user has typed it; it may be a URL or a path."""
    return consent_named(re.split("[#/:]", word)[-1])


def consent_named(name: str, *, is_about: bool = True) -> Consent:
    """Return the unasked actions that a whole name means.

    `is_about`: True if the option is about asking, so that “auto” means that.
    """
    letters = _letters_of(name).removesuffix("mode")
    if letters in _AGREES_TO_ALL or (is_about and letters == "auto"):
        return "everything"
    return "edits" if letters in _AGREES_TO_EDITS else ""


def _letters_of(name: str) -> str:
    """Return the letters of a name in lower case; "" if it is more than words: a sign may negate them."""
    return re.sub("[^a-z]", "", name.lower()) if _ONLY_WORDS.fullmatch(name.strip()) else ""


def _says_so(text: str) -> bool:
    return bool(_WORDS.search(_CLAUSE.sub(_affirmed, text[:_LOOKED_AT])))


def _affirmed(clause: re.Match[str]) -> str:
    """Return a clause without the words that it negates by "without asking"."""
    negation = _NOT.search(clause[0])
    if negation is None:
        return clause[0]
    rest = clause[0][negation.end() :]
    if not _WITHOUT.search(rest):
        return clause[0]
    return f"{clause[0][: negation.start()]} {_WITHOUT.split(rest)[-1]}"


def _switch_acts_unasked(option: BooleanOption, value: bool) -> bool:
    if not _is_about_asking(option) and not _WORDS.search(_words(option)):
        return False
    return not value if _asks_when_on(option) else value


def _asks_when_on(option: SelectOption | BooleanOption) -> bool:
    """Return whether an option means more questions when on, such as “require approval”."""
    return _is_about_asking(option) and not _WORDS.search(_words(option))


def _is_about_asking(option: SelectOption | BooleanOption) -> bool:
    return bool(_ABOUT_ASKING.search(f"{option.id} {option.name} {option.category or ''}"))


def _words(option: SelectOption | BooleanOption) -> str:
    return f"{option.id} {option.name} {option.description or ''}"


def _plain(text: str) -> str:
    return re.sub("[^a-z]", "", text.lower())
