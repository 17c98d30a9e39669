"""The base of every word of the protocol."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class Word(BaseModel):
    """One object of the protocol: camelCase on the wire, snake_case here; what it does not know it keeps.

    `model_fields_set` tells an absent field from a null one where that matters.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        # Some agents send snake_case; the protocol's own spelling is tried first.
        validate_by_alias=True,
        validate_by_name=True,
        extra="allow",
        allow_inf_nan=False,
        protected_namespaces=(),
        defer_build=True,
    )

    meta: dict[str, Any] | None = Field(default=None, alias="_meta")
    """Extensions. Never read as parameters. Source: ACP, page "extensibility"."""

    def wire(self) -> dict[str, Any]:
        """Return the object as it goes out: protocol's names, absent instead of null."""
        return self.model_dump(by_alias=True, exclude_none=True)
