"""Mentioned files become content blocks."""

from __future__ import annotations

import base64
import os
import shlex
from pathlib import Path

import pytest

from acp_tui.conversation import attachments
from acp_tui.conversation.attachments import (
    MAX_MEDIA,
    MentionedFiles,
    audio_type,
    block,
    blocks,
    dropped_media,
    find,
)
from acp_tui.conversation.mentions import (
    names_outside,
)
from acp_tui.protocol.schema import (
    AudioContent,
    EmbeddedResource,
    ImageContent,
    PromptCapabilities,
    ResourceLink,
    TextContent,
)
from acp_tui.store.prompts import Prompt, prompt_with_piped

ALL = PromptCapabilities(image=True, embedded_context=True)
NONE = PromptCapabilities()
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


def found(text: str, folder: Path, *more: Path) -> MentionedFiles:
    return find(text, [str(folder), *map(str, more)])


def test_a_text_travels_where_the_agent_takes_it_and_is_linked_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "größe 1.py"
    path.write_text("print(1)\r\nprint(2)\n", newline="")
    (attachment,) = found('see @"größe 1.py"', tmp_path).attachments

    embedded, problem = block(attachment, ALL)
    link, _ = block(attachment, NONE)

    assert isinstance(embedded, EmbeddedResource)
    assert embedded.resource.uri == f"{tmp_path.as_uri()}/gr%C3%B6%C3%9Fe%201.py"
    assert embedded.resource.text == "print(1)\r\nprint(2)\n"
    assert embedded.resource.mime_type == "text/x-python"
    assert problem == ""
    assert isinstance(link, ResourceLink)
    assert (link.uri, link.name, link.size) == (embedded.resource.uri, "größe 1.py", 19)


def test_of_a_range_only_these_lines_travel(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one\ntwo\nthree\nfour\n")
    (attachment,) = found("@a.py:2-3", tmp_path).attachments

    embedded, _ = block(attachment, ALL)
    link, _ = block(attachment, NONE)

    assert isinstance(embedded, EmbeddedResource)
    assert embedded.resource.text == "two\nthree\n"
    assert embedded.resource.uri.endswith("/a.py#L2-3")
    assert isinstance(link, ResourceLink)
    assert link.uri.endswith("/a.py")
    assert link.description == "lines 2-3"


def test_lines_that_are_not_there_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one\n")
    (attachment,) = found("@a.py:7-9", tmp_path).attachments

    linked, problem = block(attachment, ALL)

    assert isinstance(linked, ResourceLink)
    assert problem == "a.py is sent as a link: it has no line 7."


def test_an_image_travels_by_what_it_holds_not_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "shot.jpg").write_bytes(PNG)
    (attachment,) = found("@shot.jpg", tmp_path).attachments

    image, _ = block(attachment, ALL)
    link, problem = block(attachment, PromptCapabilities(embedded_context=True))

    assert isinstance(image, ImageContent)
    assert (image.mime_type, base64.b64decode(image.data)) == ("image/png", PNG)
    assert isinstance(link, ResourceLink)
    assert problem == "shot.jpg is sent as a link: this agent does not accept images."


def test_folders_binary_and_huge_files_are_linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attachments, "MAX_EMBEDDED", 10)
    (tmp_path / "src").mkdir()
    (tmp_path / "data.bin").write_bytes(b"\0\1\2")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9 " * 10)
    (tmp_path / "long.txt").write_text("x" * 11)

    blocks = [
        block(one, ALL)[0] for one in found("@src/ @data.bin @latin.txt @long.txt", tmp_path).attachments
    ]

    assert all(isinstance(one, ResourceLink) for one in blocks)
    assert [one.uri.rpartition("/")[2] for one in blocks if isinstance(one, ResourceLink)] == [
        "",
        "data.bin",
        "latin.txt",
        "long.txt",
    ]


def test_lines_of_a_huge_file_travel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attachments, "MAX_EMBEDDED", 10)
    (tmp_path / "long.txt").write_text("12345\n" * 10)
    (attachment,) = found("@long.txt:3", tmp_path).attachments

    embedded, _ = block(attachment, ALL)

    assert isinstance(embedded, EmbeddedResource)
    assert embedded.resource.text == "12345\n"


def test_a_character_cut_at_the_end_of_the_head_is_still_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * 8191 + "ä" * 10)

    assert found("@a.txt", tmp_path).attachments[0].kind == "text"


def test_what_is_not_there_is_just_text_and_punctuation_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")

    result = found("ask @alice about @a.py, and (@a.py:1).", tmp_path)

    assert [one.name for one in result.attachments] == ["a.py", "a.py"]
    assert result.problems == ()


def test_the_same_file_is_attached_once(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")

    assert len(found("@a.py @./a.py @a.py", tmp_path).attachments) == 1


def test_outside_of_the_workspace_only_whole_paths_count(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    workspace.mkdir()
    secret = tmp_path / "secret"
    secret.write_text("s")
    (workspace / "README").symlink_to(secret)

    assert found("@../secret @README", workspace).attachments == ()
    assert len(found("@../secret @README", workspace).problems) == 2
    assert [one.path for one in found(f"@{secret}", workspace).attachments] == [secret]
    assert found("@README", workspace, tmp_path).attachments != (), "a further root of the session"


@pytest.mark.parametrize(
    ("text", "is_outside"),
    [
        ("see @/etc/passwd, please", True),
        ('look (@"/etc/my file":3)', True),
        ("@~/.ssh/id_rsa", True),
        ("@/w/../etc/passwd", True),
        ("@a.py and @../b and me@/etc/passwd", False),
        ("@/w/a.py:3", False),
    ],
)
def test_a_text_of_somebody_else_is_known_by_the_whole_paths_outside_that_it_mentions(
    text: str, is_outside: bool
) -> None:
    assert names_outside(text, "/w") is is_outside


def test_what_comes_through_a_pipe_attaches_no_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s")
    prompt = prompt_with_piped("Review this", f"+ see @{secret}\n+ x")

    made, _ = blocks(prompt, [str(tmp_path)], ALL)

    assert [one.text for one in made if isinstance(one, TextContent)] == [
        f"Review this\n\n+ see @{secret}\n+ x"
    ]
    assert len(made) == 1


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    result = found("@pipe", tmp_path)

    assert result.attachments == ()
    assert result.problems == ("@pipe is not attached: it is neither a file nor a folder.",)


def test_chips_say_what_goes_and_how(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x" * 2048)
    (tmp_path / "shot.png").write_bytes(PNG)
    text, image = found("@a.py @shot.png", tmp_path).attachments

    assert text.shown(ALL) == "a.py 2 KB"
    assert image.shown(ALL) == "shot.png image 28 B"
    assert image.shown(NONE) == "shot.png image 28 B as a link"
    assert image.shown(None) == "shot.png image 28 B"


def test_a_prompt_begins_with_its_whole_text_and_what_is_pasted_mentions_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a")
    (tmp_path / "b.py").write_text("b")
    chip = "[pasted 20 lines #1]"
    prompt = Prompt(f"/fix @a.py {chip} [pasted 9 lines #2]", {chip: "@b.py and more"})

    made, problems = blocks(prompt, [str(tmp_path)], ALL)

    assert made[0] == TextContent(text="/fix @a.py @b.py and more [pasted 9 lines #2]")
    assert [one.type for one in made] == ["text", "resource"]
    assert problems == []


WAVE = b"RIFF\x24\0\0\0WAVEfmt " + bytes(20)


def test_c52_a_sound_travels_where_the_agent_takes_audio_and_is_a_link_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "song.dat").write_bytes(WAVE)
    (sound,) = found("hear @song.dat", tmp_path).attachments
    hears = PromptCapabilities(audio=True)

    content, problem = block(sound, hears)
    assert isinstance(content, AudioContent)
    assert (content.mime_type, base64.b64decode(content.data), problem) == ("audio/wav", WAVE, "")
    assert sound.shown(hears) == "song.dat audio 36 B"

    content, problem = block(sound, ALL)
    assert isinstance(content, ResourceLink)
    assert problem == "song.dat is sent as a link: this agent does not accept audio."
    assert sound.shown(ALL) == "song.dat audio 36 B as a link"


def test_a_sound_that_is_too_large_is_a_link(tmp_path: Path) -> None:
    (tmp_path / "song.wav").write_bytes(WAVE + bytes(MAX_MEDIA))
    (sound,) = found("@song.wav", tmp_path).attachments

    content, problem = block(sound, PromptCapabilities(audio=True))
    assert isinstance(content, ResourceLink)
    assert problem == "song.wav is sent as a link: it is too large."


@pytest.mark.parametrize(
    ("head", "mime_type"),
    [
        (WAVE, "audio/wav"),
        (b"ID3\x04\0", "audio/mpeg"),
        (b"\xff\xfb\x90\0", "audio/mpeg"),
        (b"fLaC\0\0", "audio/flac"),
        (b"OggS\0\2", "audio/ogg"),
        (b"\0\0\0\x20ftypM4A \0", "audio/mp4"),
        (b"RIFF\0\0\0\0WEBP", None),
        (b"ID", None),
        (b"", None),
    ],
)
def test_sounds_are_known_by_how_they_begin(head: bytes, mime_type: str | None) -> None:
    assert audio_type(head) == mime_type


@pytest.mark.parametrize(
    "quote", [str, shlex.quote, lambda path: path.replace(" ", "\\ "), lambda p: p + "\n"]
)
def test_the_path_of_an_image_is_a_mention_however_it_is_quoted(tmp_path: Path, quote: object) -> None:
    assert callable(quote)
    (tmp_path / "my shot.png").write_bytes(PNG)

    assert dropped_media(quote(f"{tmp_path}/my shot.png"), str(tmp_path)) == '@"my shot.png"'


def test_an_address_of_a_file_and_a_place_elsewhere_count_too(tmp_path: Path) -> None:
    (tmp_path / "a b.png").write_bytes(PNG)

    assert dropped_media(f"{tmp_path.as_uri()}/a%20b.png", "/elsewhere") == f'@"{tmp_path}/a b.png"'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "shot.png",
        "/no/such.png",
        "/etc",
        "/a'b",
        "a\0b",
        "~nobody/x.png",
        "x" * 5000,
        "/dev/zero",
    ],
)
def test_other_texts_are_no_images(text: str) -> None:
    assert dropped_media(text, "/") is None


def test_a_text_file_is_pasted_as_its_path(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("no picture")

    assert dropped_media(f"{tmp_path}/a.png", str(tmp_path)) is None


def test_the_path_of_a_sound_is_a_mention_too(tmp_path: Path) -> None:
    (tmp_path / "song.wav").write_bytes(b"RIFF\0\0\0\0WAVEfmt ")

    assert dropped_media(f"{tmp_path}/song.wav", str(tmp_path)) == "@song.wav"
