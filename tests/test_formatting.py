import pytest

from acp_tui.formatting import clock, exit_words, expand_home, from_home, inside, seconds, size, tokens


@pytest.mark.parametrize(
    ("duration", "said", "running"),
    [
        (0.34, "0.3 s", "0:00"),
        (9.94, "9.9 s", "0:09"),
        (12.4, "12 s", "0:12"),
        (125.0, "2:05", "2:05"),
        (3723.9, "1:02:03", "1:02:03"),
    ],
)
def test_durations_are_short_where_they_are_short(duration: float, said: str, running: str) -> None:
    assert seconds(duration) == said
    assert clock(duration) == running


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1 KB"), (1 << 20, "1.0 MB"), (1_600_000, "1.5 MB")],
)
def test_sizes_are_in_the_unit_that_fits(count: int, said: str) -> None:
    assert size(count) == said


def test_tokens_are_counted_in_thousands() -> None:
    assert (tokens(999), tokens(1_000), tokens(128_400)) == ("999", "1k", "128k")


@pytest.mark.parametrize(
    ("path", "cwd", "said"),
    [
        ("/w/a/b.py", "/w", "a/b.py"),
        ("/w/a/b.py", "/w/", "a/b.py"),
        ("/work/b.py", "/w", "/work/b.py"),
        ("/w", "/w", "/w"),
        ("/w/../etc/passwd", "/w", "/w/../etc/passwd"),
    ],
)
def test_a_path_is_said_from_the_workspace_when_it_lies_in_there(path: str, cwd: str, said: str) -> None:
    assert inside(path, cwd) == said


@pytest.mark.parametrize(
    ("path", "home", "said"),
    [
        ("/home/me/a", "/home/me", "~/a"),
        ("/home/me", "/home/me", "~"),
        ("/home/men/a", "/home/me", "/home/men/a"),
        ("/a", "/", "/a"),
    ],
)
def test_a_path_is_said_from_the_persons_home(
    path: str, home: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", home)
    assert from_home(path) == said


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (0, "exit code 0"),
        (3, "exit code 3"),
        (128, "exit code 128"),
        (139, "exit code 139 (SIGSEGV)"),
        (143, "exit code 143 (SIGTERM)"),
        (145, "exit code 145"),  # 17 tells of a child: it ends nothing
        (255, "exit code 255"),
        (-1, "exit code -1"),
    ],
)
def test_an_exit_code_that_tells_a_signal_names_it(code: int, said: str) -> None:
    assert exit_words(code) == said


def test_a_path_in_a_home_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert expand_home("~/a") == "/home/me/a"


@pytest.mark.parametrize("path", ["~no-such-user/a", "~a\0b", "~\ud800", "a/~", "", "\0"])
def test_a_path_in_no_home_stays_as_it_is(path: str) -> None:
    assert expand_home(path) == path
