"""Names of permission options: lookalikes and meanings.

An agent chooses names and kinds freely. Two names count as the same if they can be mistaken for each other:
letters of other alphabets, full-width letters, digits for letters, marks and invisible letters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from acp_tui.lazy_regex import regex

_READ: Final = 1_000
"""Maximum characters of a name that are compared; a dialog shows no more."""
_LOOKALIKES: Final = str.maketrans(
    "АВЕКМНОРСТУХЅІЈԚԜ" "авеһіјкӏмнопрсԁтуѵѡԝхѕԛгғ" "ɡɑıȷɩøłđŧħ" "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"
    "αβεηικμνορτυχγσω" "օոսհցզա" "ᎪᎬᎫᏟᎢᎡᏚᏞᎳᎠᏴᎻᎷᏢᏙᏃᏀ" "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
    "ABEKMHOPCTYXSIJQW" "abehijklmhonpcdtyvwwxsqrf" "gaijioldth" "ABEZHIKMNOPTYX"
    "abenikuvoptuxyow" "onuhgqw" "AEJCTRSLWDBHMPVZG" "abcdefghijklmnoprstuvwyz",
)  # fmt: skip
"""Latin letters, by similar letters of other alphabets."""
_ALPHABETS: Final = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"})
"""Alphabets with lookalikes; an honest word does not mix them."""
_DIGITS: Final = str.maketrans("01345789ij|!$@", "oleastbgllllsa")
"""Letters, by similar signs; an I looks like an l in many fonts, and a J like an I."""
_NOT_SEEN: Final = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Invisible letters."""
_JOINERS: Final = frozenset("\u200c\u200d")
"""Format characters that belong to some scripts and to emoji."""
_CLAUSE: Final = regex(r"[^\w\s]+|\b(?:and|but|then|or|so)\b")
"""Ends of the clauses of a name."""
_QUOTED: Final = regex(r"[:`]|\bagain for\b")
"""Precedes a command or the name of a tool, as in “don't ask again for docker stop commands”."""
_APOSTROPHES: Final = regex("['’‘ʼʻ`´′‛＇ꞌ]")
_WORD: Final = regex(r"[^\W_]+")

_ALLOWS_PLAINLY: Final = ("allow", "accept", "approv", "permit", "grant", "agree", "authori")
_ALLOWS: Final = (*_ALLOWS_PLAINLY, "proceed", "continu", "confirm")
_REJECTS_PLAINLY: Final = (
    *("reject", "deny", "denied", "denies", "cancel", "declin", "refus", "disallow", "disapprov"),
    *("abort", "forbid", "stop", "dismiss", "halt", "prohibit", "veto"),
)
_REJECTS: Final = (
    *_REJECTS_PLAINLY,
    *("block", "skip", "prevent", "discard", "revok", "quit", "ignor"),
)
"""Prefixes of words that allow or reject; the plain ones do so anywhere in a name, not only at its start."""
_YES: Final = frozenset({"yes", "yep", "yeah", "yup", "ok", "okay", "run", "sure", "y"})
_DOES: Final = frozenset(
    {
        *("always", "trust", "apply", "execute", "enable", "implement", "write", "overwrite", "save"),
        *("go", "go on", "go ahead", "do it", "let it"),
    }
)
"""Names, first words and first two words that allow; other names begin with them, too (“Go back”)."""
_NO: Final = frozenset(
    {
        *("no", "nope", "nah", "never", "none", "n", "not", "dont", "donot", "doesnt", "wont", "cant"),
        *("cannot", "shouldnt", "mustnt", "neither", "nothing"),
    }
)
_BEFORE: Final = frozenset({"always", "please", "just", "i", "we", "you", "the", "user", "auto"})
"""Words skipped at the start of a name."""
_STAYS: Final = frozenset({"it", "as", "this", "that", "them", "things", "everything", "all"})
"""Words after “keep” or “leave” that make it a rejection."""
_PLAIN: Final = frozenset(
    """
    a accept accepted access action actions again agree ahead all allow allowed allows always an and
    any apply approve approved apps at authorise authorize auto automatically bash below browser but
    call calls change changes code command commands confirm confirmed conflict conflicts content
    continue copy create current day delete directory do domain during each edit editing edits enable
    entire every everything everywhere exact execute executing execution fetch file files folder for
    forever from git given globally go grant granted hour hours i implement in install it its job last
    let list local location low machine make making marked mcp me medium merged minute minutes modify
    move my network newer npm of ok okay on once one operation operations our overwrite patch pattern
    permanently permission permissions permit plan please prefix proceed project python read reading
    reads remember rename repo repository request requests risk run running runs safe same save search
    send server servers session sessions shell similar site step such sure task terminal text that the
    their them these this those time times to today tool tools trust turn update url use user uses
    using we web website whole with work workspace write writes writing y yeah yep yes you your yup
    """.split()  # noqa: SIM905
)
"""All words that a name may have to be understood as allowing: together they cannot say the opposite.

Words to be wary of (“without”, “nobody”, “undo”, “instead”, “later”) would never be all of them.
"""
_PHRASES: Final = regex(
    r"\b(?:(?:do not|dont|stop) (?:ask|asking|prompt|prompting)(?: me)?(?: again)?"
    r"|bypass permissions|without conflicts|use auto mode|manually approve"
    r"|commands? that starts? with|ask for high risk)\b"
)
"""Phrases that allow by words that alone might not."""
_BEFORE_COMMAND: Final = regex(
    r"`|\bagain for\b|(?<=\buser):|(?<=\bproject):|(?<=\bworkspace):|(?<=\bsession):"
)
"""Precedes a command behind a whole name; “Always allow: …” goes on in words."""
_COUNT: Final = regex("[1-9][0-9]*")
_OVERLAY: Final = 1
"""Combining class of marks that strike a letter through."""
_MARKS: Final = {"reject": frozenset("❌✗✘✖🚫⛔🛑👎"), "allow": frozenset("✅✓✔👍")}


def styles_of(name: str) -> str:
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


def has_hidden(name: str) -> bool:
    """Return whether a name has invisible characters, or characters that reverse its text."""
    if name.isascii() and name.isprintable():
        return False
    read = name[:_READ].strip()
    return any(
        letter in _NOT_SEEN or (unicodedata.category(letter) in ("Cf", "Cc", "Cn") and letter not in _JOINERS)
        for letter in read
    )


def says(name: str) -> frozenset[str]:
    """Return the meanings of a name: `allow`, `reject`, both or none.

    Its marks count, its first word, and what it plainly says further on (“Agree to cancel”).
    """
    marks = {kind for kind, marks in _MARKS.items() if marks.intersection(name[:_READ])}
    meaning = "reject" if _is_spaced_no(name) else _meaning(_without_start(_words(name)))
    return frozenset(filter(None, (*marks, meaning, *_further(name))))


def allows(name: str, *, is_lasting: bool = False) -> bool:
    """Return whether a name is understood as allowing: all its words are known to say that.

    One that lasts may end with a command.
    """
    words = _without_start(_words(name))
    if "reject" in says(name) or _meaning(words[1:]) == "reject" or not _is_plain(name, is_lasting):
        return False
    first = " ".join(words[:1] if words[:1] != ["go"] else words[:2])
    return "allow" in says(name) or first in _DOES or " ".join(words[:2]) in _DOES


def _is_plain(name: str, is_lasting: bool) -> bool:
    """Return whether a name has nothing but words and signs that allow."""
    said = _BEFORE_COMMAND.split(name, maxsplit=1)[0] if is_lasting else name
    if len(said) > _READ or any(map(_is_crossing, unicodedata.normalize("NFKD", said))):
        return False
    words = " ".join(_WORD.findall(_APOSTROPHES.sub("", _seen(said))))
    return all(word in _PLAIN or _COUNT.fullmatch(word) for word in _PHRASES.sub(" ", words).split())


def _is_crossing(letter: str) -> bool:
    """Return whether a mark strikes its letter through, or a sign means the opposite (“¬”, “≠”)."""
    sign = unicodedata.category(letter)
    return unicodedata.combining(letter) == _OVERLAY or (sign == "Sm" and letter != "+")


def _further(name: str) -> Iterator[str]:
    """Yield what a name plainly says after its first word."""
    for rest in _ends(_words(_unquoted(name))[1:]):
        if _meaning(rest) == "reject" and _letters(rest[0]).startswith(_letters_of_plain_rejects):
            yield "reject"
    for clause in _CLAUSE.split(_APOSTROPHES.sub("", _seen(name)))[1:]:
        first = _letters("".join(_WORD.findall(clause)[:1]))
        if first.startswith(_letters_of_plain_allows) or first == _letters("yes"):
            yield "allow"


def _ends(words: list[str]) -> Iterator[list[str]]:
    """Yield each of the words with those behind it that matter for its meaning."""
    return (words[start : start + 3] for start in range(len(words)))


def _unquoted(name: str) -> str:
    """Return a name without the command or the name of a tool at its end."""
    return _QUOTED.split(name, maxsplit=1)[0]


def _words(name: str) -> list[str]:
    return [word for word in _WORD.findall(_APOSTROPHES.sub("", _seen(name))) if not word.isdigit()]


def _without_start(words: list[str]) -> list[str]:
    """Return the words without leading ones that have no meaning for the permission."""
    if len(words) < 2:
        return words
    return [word for word in words if len(word) > 1 and word not in _BEFORE] or words


def _meaning(words: Sequence[str]) -> str:
    first = _letters("".join(words[:2]) if words[:2] == ["do", "not"] else words[0] if words else "")
    following = words[2:3] if words[:2] == ["do", "not"] else words[1:2]
    if following and following[0] in ("ask", "asking", "prompt", "prompting"):  # “stop asking me” allows
        return ""
    if words and words[0] in ("keep", "leave") and _STAYS.intersection(following):
        return "reject"
    if first in _letters_of_no or first.startswith(_letters_of_rejects):
        return "reject"
    return "allow" if first in _letters_of_yes or first.startswith(_letters_of_allows) else ""


def _is_spaced_no(name: str) -> bool:
    """Return whether a name is a rejecting word with spaces or signs between its letters."""
    words = _WORD.findall(_APOSTROPHES.sub("", _seen(name)))
    alone = _letters("".join(word for word in words if len(word) == 1))
    if any(word in alone for word in _letters_of_rejects):
        return True
    if not words or _letters(words[0]).startswith(_letters_of_rejects):  # a whole word
        return False
    whole = _letters("".join(words))
    return whole in _letters_of_no or whole.startswith(_letters_of_rejects)


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
_letters_of_plain_allows: Final = tuple(map(_letters, _ALLOWS_PLAINLY))
_letters_of_plain_rejects: Final = tuple(map(_letters, _REJECTS_PLAINLY))
