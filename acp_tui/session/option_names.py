"""Names of answer options: lookalikes, and meanings.

An agent picks names and kinds freely. Two names count as the same if they can be mistaken for each other:
letters of other alphabets, full-width letters, digits for letters, marks and invisible letters.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_READ: Final = 1_000
"""Characters of a name that are compared; a dialog shows no more."""
_LOOKALIKES: Final = str.maketrans(
    "АВЕКМНОРСТУХЅІЈԚԜ" "авеһіјкӏмнопрсԁтуѵѡԝхѕԛгғ" "ɡɑıȷɩøłđŧħ" "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"
    "αβεηικμνορτυχγσω" "օոսհցզա" "ᎪᎬᎫᏟᎢᎡᏚᏞᎳᎠᏴᎻᎷᏢᏙᏃᏀ" "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
    "ABEKMHOPCTYXSIJQW" "abehijklmhonpcdtyvwwxsqrf" "gaijioldth" "ABEZHIKMNOPTYX"
    "abenikuvoptuxyow" "onuhgqw" "AEJCTRSLWDBHMPVZG" "abcdefghijklmnoprstuvwyz",
)  # fmt: skip
"""Latin letters by the letters of other alphabets that look like them."""
_ALPHABETS: Final = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"})
"""Alphabets with lookalikes, not mixed within an honest word."""
_DIGITS: Final = str.maketrans("013457i|$@", "oleastllsa")
"""Letters by the signs that look like them; an I is an l in many fonts."""
_NOT_SEEN: Final = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Invisible letters."""
_APOSTROPHES: Final = re.compile("['’‘ʼʻ`´′‛＇ꞌ]")
_WORD: Final = re.compile(r"[^\W_]+")

_ALLOWS: Final = (
    "allow",
    "accept",
    "approv",
    "proceed",
    "continu",
    "permit",
    "grant",
    "confirm",
    "agree",
    "authori",
)
_REJECTS: Final = (
    *("reject", "deny", "denied", "denies", "cancel", "declin", "refus", "disallow", "disapprov", "block"),
    *(
        "abort",
        "forbid",
        "stop",
        "skip",
        "dismiss",
        "halt",
        "prohibit",
        "prevent",
        "discard",
        "revok",
        "veto",
    ),
)
"""Prefixes of words that allow or reject."""
_YES: Final = frozenset({"yes", "yep", "yeah", "yup", "ok", "okay", "run", "sure", "y"})
_NO: Final = frozenset(
    {
        *("no", "nope", "nah", "never", "none", "n", "not", "dont", "donot", "doesnt", "wont", "cant"),
        *("cannot", "shouldnt", "mustnt", "neither"),
    }
)
_BEFORE: Final = frozenset({"always", "please", "just", "i", "we", "you", "the", "user"})
"""Words skipped at the start of a name."""
_MARKS: Final = {"reject": frozenset("❌✗✘✖🚫⛔🛑👎"), "allow": frozenset("✅✓✔👍")}


def look_of(name: str) -> str:
    """Return the appearance of a name, equal for names that can be mistaken for each other."""
    seen = _seen(name)
    return "".join(map(_letters, _WORD.findall(seen))) or "".join(seen.split())


def is_seen(name: str) -> bool:
    """Return whether a name is visible."""
    return bool(_seen(name).strip())


def mixes_alphabets(name: str) -> bool:
    """Return whether a word of a name mixes alphabets with lookalikes."""
    return not name.isascii() and any(
        len(_ALPHABETS & {unicodedata.name(letter, "").partition(" ")[0] for letter in word}) > 1
        for word in _WORD.findall(unicodedata.normalize("NFKC", name[:_READ]))
    )


def says(name: str) -> frozenset[str]:
    """Return the meanings of a name by its first word and its marks: `allow`, `reject`, both or none."""
    marks = {kind for kind, marks in _MARKS.items() if marks.intersection(name[:_READ])}
    return frozenset(filter(None, (*marks, _says_first(name))))


def _says_first(name: str) -> str:
    words = [word for word in _WORD.findall(_APOSTROPHES.sub("", _seen(name))) if not word.isdigit()]
    if len(words) > 1:
        words = [word for word in words if len(word) > 1 and word not in _BEFORE] or words
    if words[1:2] in (["asking"], ["prompting"]):  # “stop asking me” allows
        return ""
    first = _letters("".join(words[:2]) if words[:2] == ["do", "not"] else words[0] if words else "")
    if first in _letters_of_no or first.startswith(_letters_of_rejects):
        return "reject"
    return "allow" if first in _letters_of_yes or first.startswith(_letters_of_allows) else ""


def _seen(name: str) -> str:
    """Return the visible part of a name in lower-case Latin lookalikes."""
    if name.isascii():
        return name[:_READ].lower()
    parts = unicodedata.normalize("NFKD", name[:_READ].translate(_LOOKALIKES))
    seen = (letter for letter in parts if letter not in _NOT_SEEN)
    kept = (letter for letter in seen if unicodedata.category(letter) not in ("Mn", "Me", "Cf", "Cc", "Cn"))
    return "".join(kept).translate(_LOOKALIKES).casefold()


def _letters(word: str) -> str:
    """Return a word with its lookalikes replaced."""
    return word.translate(_DIGITS).replace("rn", "m").replace("vv", "w")


_letters_of_yes: Final = frozenset(map(_letters, _YES))
_letters_of_no: Final = frozenset(map(_letters, _NO))
_letters_of_allows: Final = tuple(map(_letters, _ALLOWS))
_letters_of_rejects: Final = tuple(map(_letters, _REJECTS))
