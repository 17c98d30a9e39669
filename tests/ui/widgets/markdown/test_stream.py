"""However a text is cut into chunks, its rows are the same in the end."""

from __future__ import annotations

import random

import pytest
from rich.segment import Segment

from acp_tui.ui.widgets.markdown import parser as markdown_parser
from acp_tui.ui.widgets.markdown.markdown import MarkdownPage
from acp_tui.ui.widgets.markdown.parser import parse
from acp_tui.ui.widgets.markdown.stream import MarkdownBlock
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import row_cells, row_text, safe, safe_line
from tests.tables import each

STYLES = Styles()

TEXTS = {
    "nested lists": (
        "- a\n\n  - b\n    - c\n\n      para of c\n- d\n  1. one\n  1. two\n     more\n\n  1. three\n\nend\n"
    ),
    "fences in lists": (
        "1. do\n   ```python\n   x = 1\n\n   y = '''\n   ```\n2. then\n\n"
        "   ~~~\n   raw\n   ~~~\n   after\n3. last"
    ),
    "tables": (
        "before\n| a | b |\n|---|--:|\n| 1 | **x** |\n| `p|q` | 2 | 3 |\nafter\n\n| no\n\n| h |\n| - |\n| c |"
    ),
    "setext": "Title\n===\n\nText\nmore\n---\n\n- x\n---\ny\n-\n- z\n\npara\n- list\n# head\n#nohead\n",
    "links": (
        "See [one] and [two][2] and [gone].\n\n[one]: https://example.org\n\n"
        "- [one]\n\n[2]: <b c> 'title\nlong'\ntext\n"
    ),
    "broken link title": "[a]\n\n[a]: /x\n'title\nnever closed\n\nend [a]",
    "html": "<div>\n<b>bold</b> *em*\n\n</div>\n<!-- c\n\n-->\n<script>x</script>\n",
    "crlf": "one\r\ntwo  \r\nthree\r\n\r\n```py\r\nx\r\n```\r\n- a\r\n- b\r\nlone \r cr\r",
    "backticks": "a ` b `` c\n\n``x`y``\n\n```\n``\n````x\n```\nafter ` end\n\n`` ` ``\n\n```inline``` x",
    "indented code": "    code\n\n      more\n\n    end\ntext\n\n\tTab\n\n- item\n\n      code in item\n",
    "loose lists": "- a\n- b\n\n- c\n\n\n- d\n  e\nlazy\n\n* other\n* list\n1) p\n2) q\n5. r\n",
    "quotes": "> a\nlazy\n> - b\n>   c\n>\n> > d\n\n> e\n>\n>\n\ntext\n>f\n",
    "emoji": (
        "👩‍👩‍👧‍👦 family **flag 🇩🇪** ❤️ 漢字かな交じり文がここに続きます、もっと長く。\n\n"
        "| 漢字 | é |\n|:-:|-|\n| 👍🏽 | ⚠️ x |\n"
    ),
    "emphasis": (
        "**bold *both* bold** ~~gone~~ un*finish **ed\n\n"
        '*a\nb* __c__ [t](http://x.y/(z) and [l](u "t") ![alt](i.png)\\*\\*'
    ),
    "empty fences": "a\n\n```\n```\n\nb\n```py\n\n```\n```",
    "rules": "a\n***\n- - -\n_ _ _\n* * *\n\n+ x\n+\n+ y\n-\n",
    "tasks": "- [ ] open\n- [x] done **b**\n- [X]\n- [ ]not\n\n1. [x] one\n",
    "footnotes": (
        "a[^1] b[^no] x\n[^1]: one\nlazy **on\nto** here\n[^2]: two\n\n    [^3]: code\n"
        "[^4]:\n[^5]: > no quote\n- list\n  [^6]: in it\n\n> [^7]: quoted\n> on\n\n[^8]: https://e.org\n#\n"
    ),
    "entities": "&lt;x&gt; &#10; &#12; &#x202e; &copy; &nope;\n",
    "empty lines": "\n\n\n\na\n\n\n\n\n",
    "controls": "a\x1b[31mred\x07 \x9b2J\u202eback\n\n```\n\x1b]52;c;x\x07\n```\n",
}
LONG = {
    "long fence": "```python\n"
    + "".join(f"def f{n}(a):\n    return '''x\n" for n in range(150))
    + "```\nafter\n",
    "long table": "| n | word |\n|--:|---|\n"
    + "".join(f"| {n} | {'w' * (n % 40)} |\n" for n in range(70))
    + "\nafter",
    "long list": "".join(f"{n}. item {'x ' * (n % 50)}\n{'   more' * (n % 3)}\n" for n in range(7, 120))
    + "\nafter",
    "long paragraph": "word " * 7_000 + "\n\nafter",
    "long output": "".join(f"{' ' * (n % 6)}line {n} of *text\n" for n in range(900)) + "\nafter",
    "long line": "x" * 70_000 + "\n\n```\n" + "y" * 70_000 + "\n```\n",
}


def drawn(chunks: list[str], width: int = 40, peek: random.Random | None = None) -> list[list[Segment]]:
    block = MarkdownBlock()
    for chunk in chunks:
        block.append(chunk)
        if peek and peek.random() < 0.7:
            painted(block, width)
    block.finish()
    return painted(block, width)


def painted(block: MarkdownBlock, width: int = 40) -> list[list[Segment]]:
    """Lay out what is new, and paint all rows."""
    return [list(block.highlighted(number, row)) for number, row in enumerate(block.rows(width, STYLES))]


def in_one_go(text: str, width: int = 40) -> list[list[Segment]]:
    """Lay a whole text out without anything that has to do with growing."""
    text = safe(text.replace("\r\n", "\n"))
    page = MarkdownPage(width, STYLES)
    for number, index in enumerate(page.read(parse(text, {}), text.split("\n"), text.count("\n"), None)):
        if number:
            page.gap()
        page.add(index)
    codes = [page.code.at(number) for number in range(len(page.rows))]
    highlighted = [
        page.code.highlighted(number, code)[0] if code else page.rows[number]
        for number, code in enumerate(codes)
    ]
    return [list(row) for row in highlighted]


def cut(text: str, dice: random.Random, longest: int) -> list[str]:
    chunks = []
    while text:
        size = dice.randint(1, longest)
        chunks.append(text[:size])
        text = text[size:]
    return chunks


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_any_cut_into_chunks_gives_the_same_rows(name: str) -> None:
    dice = random.Random(name)
    text = TEXTS[name]
    whole = drawn([text])

    for longest in (1, 2, 3, 5, 8, 13, 30):
        for _ in range(4):
            chunks = cut(text, dice, longest)
            assert drawn(chunks, peek=dice) == whole, chunks


@each("name", TEXTS)
def test_a_stream_gives_the_rows_of_the_whole_text(name: str) -> None:
    assert drawn(list(TEXTS[name])) == in_one_go(TEXTS[name])


@pytest.mark.parametrize("name", ["long fence", "long table", "long list"])
def test_a_long_block_cut_up_gives_the_rows_of_the_whole_text(name: str) -> None:
    assert drawn([LONG[name]]) == in_one_go(LONG[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_any_cut_of_a_long_block_gives_the_same_rows(name: str) -> None:
    dice = random.Random(name)
    whole = drawn([LONG[name]])

    for longest in (700, 3_000, 9_000):
        assert drawn(cut(LONG[name], dice, longest), peek=dice) == whole


@pytest.mark.slow
def test_any_order_of_constructs_gives_the_same_rows_in_any_cut() -> None:
    dice = random.Random(5)
    for _ in range(60):
        text = dice.choice(("\n", "", "\n\n")).join(dice.choices(list(TEXTS.values()), k=3))
        chunks = cut(text, dice, 40)
        assert drawn(chunks, peek=dice) == drawn([text]), chunks


@pytest.mark.slow
def test_no_text_is_lost_between_chunks() -> None:
    words = [f"word{n}" for n in range(2_000)]
    dice = random.Random(3)
    text = "".join(word + dice.choice((" ", "\n", "\n\n", "\n- ", "\n> ")) for word in words)

    rows = drawn(cut(text, dice, 60), peek=dice)

    assert [word for row in rows for word in row_text(row).split() if word.startswith("word")] == words


@pytest.mark.slow
def test_another_width_gives_the_same_rows_as_a_fresh_layout() -> None:
    dice = random.Random(4)
    text = "\n\n".join(TEXTS.values())
    block = MarkdownBlock()
    for chunk in cut(text, dice, 50):
        block.append(chunk)
        block.rows(dice.choice((120, 40, 7)), STYLES)
    block.finish()

    for width in (120, 40, 7):
        assert painted(block, width) == drawn([text], width)


@pytest.mark.slow
def test_what_is_kept_is_unchanged() -> None:
    dice = random.Random(6)
    block = MarkdownBlock()
    before: list[list[Segment]] = []
    for chunk in cut("\n\n".join((*TEXTS.values(), LONG["long fence"])), dice, 25):
        block.append(chunk)
        rows = painted(block)
        assert rows[: block.stable_rows] == before[: block.stable_rows]
        before = rows
    assert block.stable_rows > len(before) // 2


SOUP = (
    *(
        "- ",
        "  - ",
        "* ",
        "1. ",
        "10) ",
        "> ",
        ">",
        " ",
        "    ",
        "\n",
        "\n",
        "\n\n",
        "\t",
        "\r\n",
        "\r",
        "\\",
        "!",
    ),
    *(
        "```",
        "```py\n",
        "~~~\n",
        "`",
        "**",
        "*",
        "_",
        "~~",
        "|",
        "|---|---|\n",
        "| a | b |\n",
        "# ",
        "---\n",
        "===\n",
    ),
    *("[a]", "[a]: /x\n", "[x](http://y.z)", "http://a.b/c ", "<b>", "<!-- ", "&amp;", "[ ] ", "\x1b[2J"),
    *("word", "word two ", "漢字", "👩‍👩‍👧"),
)


@pytest.mark.slow
def test_a_soup_of_marks_is_read_alike_in_any_cut_and_stays_within_its_width() -> None:
    dice = random.Random(8)
    for _ in range(150):
        text = "".join(dice.choices(SOUP, k=dice.randint(1, 40)))
        width = dice.choice((12, 25, 40))
        whole = drawn([text], width)
        assert whole == in_one_go(text, width), text
        assert drawn(cut(text, dice, dice.choice((1, 3, 8))), width, peek=dice) == whole, text
        assert all(row_cells(row) <= width for row in whole), text
        assert all(safe_line(row_text(row)) == row_text(row) for row in whole), text


def growing(text: str) -> list[str]:
    """Return what is shown after each character."""
    block = MarkdownBlock()
    shown = []
    for character in text:
        block.append(character)
        shown.append("|".join(row_text(row) for row in block.rows(80, STYLES)))
    return shown


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the number of characters of each call of the parser."""
    lengths: list[int] = []
    real = markdown_parser.parse

    def count(text: str, references: dict[str, object]) -> object:
        lengths.append(len(text))
        return real(text, references)

    monkeypatch.setattr(markdown_parser, "parse", count)
    return lengths


def test_unfinished_emphasis_and_links_do_not_show_their_marks() -> None:
    for text in ("a **bold** b", "a `code` b", "a ~~gone~~ b"):
        assert not any(mark in row for row in growing(text) for mark in "*`~")
    assert not any("](" in row or "http" in row for row in growing("a [b](https://x.org) c"))


def test_an_unfinished_block_is_not_taken_for_another() -> None:
    assert "a|─" not in "".join(growing("a\n\n--- x"))
    assert not any("|---" in row or "| h" in row for row in growing("| h | i |\n|---|---|\n| x | y |\n"))
    assert not any("`" in row for row in growing("```py\nx\n```\n"))


@pytest.mark.slow
def test_only_the_open_block_is_parsed_again(parsed: list[int]) -> None:
    for text in (
        "A paragraph of some words.\n\n" * 300,
        "- an item\n" * 800,
        "```python\n" + "x = f(1)\n" * 900,
        "| a | b |\n|---|---|\n" + "| cell | cell |\n" * 500,
    ):
        block, longest = MarkdownBlock(), 0
        for start in range(0, len(text), 40):
            parsed.clear()
            block.append(text[start : start + 40])
            block.rows(40, STYLES)
            longest = max(longest, sum(parsed))
        assert longest < 1_000


@pytest.mark.slow
def test_a_block_stops_in_time_and_goes_on_where_it_was() -> None:
    block = MarkdownBlock("Some words.\n\n" * 20_000)

    some = len(block.some_rows(40, STYLES, until=0.0))

    assert 0 < some < 2_000
    assert block.waiting > 200_000
    assert len(block.rows(40, STYLES)) == 39_999
    assert block.waiting == 0


def test_a_finished_block_gives_its_memory_back_and_looks_the_same_again() -> None:
    block = MarkdownBlock("a\n\n[b]\n\n[b]: https://b.org")
    block.finish()
    before = list(block.rows(40, STYLES))

    block.forget_rows()

    assert list(block.rows(40, STYLES)) == before
    assert block.stable_rows == 0


def test_a_finished_text_can_be_continued_or_replaced() -> None:
    block = MarkdownBlock("one")
    block.finish()
    block.rows(40, STYLES)
    block.append(" two")

    assert row_text(block.rows(40, STYLES)[0]) == "one two"
    block.replace("three")
    assert [row_text(row) for row in block.rows(40, STYLES)] == ["three"]
    assert block.source() == "three"


@pytest.mark.slow
def test_lines_without_end_are_not_read_again_and_again(parsed: list[int]) -> None:
    text = "".join(f"line {number} of what a program has printed\n" for number in range(2_000))
    block, longest = MarkdownBlock(), 0
    for start in range(0, len(text), 1_000):
        before = len(parsed)
        block.append(text[start : start + 1_000])
        block.rows(80, STYLES)
        longest = max(longest, *parsed[before:])
    assert longest <= 4_096

    parsed.clear()
    whole = MarkdownBlock(text)
    whole.finish()
    whole.rows(80, STYLES)
    assert sum(parsed) <= 2.5 * len(text)


@pytest.mark.parametrize("length", range(4_090, 4_100))
def test_what_follows_a_long_paragraph_is_parted_from_it_wherever_that_is_cut(length: int) -> None:
    paragraph = ("many words " * 400)[: length - 4] + " end"
    block = MarkdownBlock(f"{paragraph}\n\nNext.\n")
    block.finish()

    rows = [row_text(row) for row in block.rows(80, STYLES)]

    assert rows[-2:] == ["", "Next."]
    assert " ".join(rows[:-2]).split() == paragraph.split()


@pytest.mark.parametrize("shift", range(1, 60, 7))
def test_an_indented_line_of_a_long_paragraph_is_no_code(shift: int) -> None:
    block = MarkdownBlock("x" * shift + "\n" + "    at a place in some file (line 1)\n" * 300)
    block.finish()

    rows = [row_text(row) for row in block.rows(80, STYLES)]

    assert len(rows) > 100
    assert not any(row.startswith(" ") for row in rows)
