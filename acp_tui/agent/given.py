"""Who gave an answer to a question of the agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

By = Literal["person", "rule", "policy", "cancelled", "withdrawn", "agent ended", "nobody"]
"""The person; a rule or the policy of theirs; the end of the turn; the agent itself, by not wanting it
any more or by its end; and nobody, for what cannot be put to a person."""


@dataclass(frozen=True, slots=True)
class Given:
    """Where an answer came from."""

    by: By
    detail: str = ""
    """The key that the person pressed, the rule, the policy, or what ended the question."""

    def __str__(self) -> str:
        """Return who it was, as the transcript and the journal say it."""
        match self.by:
            case "person":
                return "you"
            case "cancelled":
                return self.detail
            case "withdrawn":
                return "the agent"
            case _:
                return f"{self.by}: {self.detail}" if self.detail else self.by


PERSON: Final = Given("person")
