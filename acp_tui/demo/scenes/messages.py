"""Scenes of messages only: Markdown, long answers, thoughts, a picture."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Final

from acp_tui.demo.turn import DemoTurn

_MARKDOWN: Final = """\
# Heading one

A paragraph with **strong**, *emphasised*, ~~struck~~ and `code` words, a [link](https://example.com/tally),
an address <https://example.com>, and a line break\\
right here.

## Lists

- a bullet
  - a nested one, with `code`
    1. and numbers inside
    2. two of them
- [x] done
- [ ] still to do

### A quotation

> Counting words is easy.
>
> > Deciding what a word is, is not.

## A table

| word | number | where |
|:-----|-------:|:-----:|
| naïve | 3 | `a.txt` |
| 日本語 | 12 | `b.txt` |
| 👩‍💻 or 🇩🇪 | 1 | a \\| b |

## Code

```python
from collections import Counter

def count(text: str) -> Counter[str]:
    \"\"\"Count the words of a text.\"\"\"
    return Counter(text.lower().split())  # good enough
```

```diff
-    print(report(counts))
+    print(report(counts, options.json))
```

```sh
tally --json < README.md | head -n 3
```

    an indented block, without a language

---

#### What must stay as it is

Markup of others: [bold]not bold[/bold], <b>not HTML</b>, a lone * star, snake_case_words, 2 * 3 * 4.

A line that is far too long to fit: /home/somebody/projects/tally/src/tally/formats/json/very/deep/folder/in/which/a/file/lives.py

##### Small headings end here
"""  # noqa: E501 (one line is meant to be too long)

_PARAGRAPHS: Final = (
    "A word counter looks like an afternoon's work, and it is, until somebody counts the words of a language "
    "that puts no spaces between them.",
    "The first version of `tally` split at spaces. The second split at everything that was not a letter, and "
    "lost every *don't* it met.",
    "1. Read the input as a stream.\n2. Cut it into words.\n3. Count, and forget the text.",
    "> Measure before you guess: nearly all of the time went into lower-casing, not into counting.",
    "```python\nfor word in words(stream):\n    counts[word] += 1\n```",
    "After a week the table of counts was larger than the text it came from, so the rare words had to go.",
)


def markdown(turn: DemoTurn, rest: str) -> None:
    """Show everything that Markdown has."""
    turn.say(_MARKDOWN)


def long(turn: DemoTurn, rest: str) -> None:
    """Give a long answer with the requested number of paragraphs."""
    count = int(rest) if rest.isdecimal() else 40
    parts = []
    for number in range(count):
        heading = f"## Chapter {number // len(_PARAGRAPHS) + 1}\n\n" if number % len(_PARAGRAPHS) == 0 else ""
        parts.append(heading + _PARAGRAPHS[number % len(_PARAGRAPHS)])
    turn.say("\n\n".join(parts) + "\n")


def think(turn: DemoTurn, rest: str) -> None:
    """Think, answer, and think again."""
    turn.think(
        "What is a word? Letters with something else around them. But *don't* is one, so is `snake_case`. "
        "A regular expression will do for now:\n\n- letters and digits,\n- an apostrophe between letters.\n"
    )
    turn.say("I take a word to be letters, with an apostrophe allowed inside.\n")
    turn.think("And Japanese? There the spaces are missing. Say so, rather than pretending.")
    turn.say("That does not work for every language; for those without spaces `tally` needs a dictionary.")


def image(turn: DemoTurn, rest: str) -> None:
    """Show a small picture, which is made now."""
    turn.say("A picture, 96 by 48 pixels:\n")
    data = base64.b64encode(_picture(96, 48)).decode()
    turn.show({"type": "image", "mimeType": "image/png", "data": data})
    turn.say("It shows a sunset, with some imagination.")


def _picture(width: int, height: int) -> bytes:
    """Return a PNG of a sunset."""
    rows = bytearray()
    for y in range(height):
        rows.append(0)  # this line is not filtered
        for x in range(width):
            near = (x - width // 2) ** 2 + (y - height * 2 // 3) ** 2 < (height // 5) ** 2
            share = y * 255 // height
            rows += bytes((255, 220, 90) if near else (share, 60 + share // 3, 200 - share // 2))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
