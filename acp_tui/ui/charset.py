"""Whether the terminal around us shows more than ASCII, as far as the locale says."""

from __future__ import annotations

from collections.abc import Mapping


def is_ascii(env: Mapping[str, str]) -> bool:
    """Whether the locale names a character set other than UTF-8; one that names none says nothing."""
    locale = next((value for name in ("LC_ALL", "LC_CTYPE", "LANG") if (value := env.get(name))), "")
    language, _, charset = locale.partition("@")[0].partition(".")
    if not charset:
        return language in ("C", "POSIX")
    return charset.lower().replace("-", "") != "utf8"
