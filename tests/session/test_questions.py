"""Open questions of a session."""

from __future__ import annotations

from acp_tui.protocol.schema import PermissionOption
from acp_tui.session.entries import ToolCall
from acp_tui.session.questions import Elicitation, Permission, Questions, flaw_of, is_understood
from tests.tables import each


def option(name: str, kind: str, option_id: str = "x") -> PermissionOption:
    return PermissionOption(option_id=option_id, name=name, kind=kind)


NOES = (
    *("Stop", "Skip", "Nope", "Dismiss", "Dismissed", "Denied", "Don't", "Don’t run", "Donʼt", "Don`t allow"),
    *("Dont", "Do Not", "Nah", "Rejected", "Refused", "Declined", "Canceled", "Cancelled", "Aborted", "Halt"),
    *(
        "I do not allow",
        "Just stop",
        "N",
        "🚫 Go",
        "ＳＴＯＰ",
        "Sto\u0336p",
        "D3ny",
        "Won't run",
    ),
)
HIDDEN = (
    "Yes\u202e",
    "\u202ewollA",
    "St\u200bop",
    "No\u2066",
    "All\u00adow",
    "Allow\u3164it",
    "Yes\x07",
    "\u200eAllow",
)
SPACED = (
    "re-ject",
    "R e j e c t",
    "R. E. J. E. C. T.",
    "[y] R e j e c t",
    "Re ject",
    "n o",
    "d-e-n-y",
    "Reiect",
    "Re1ect",
)
LEAVES = ("Leave it", "Keep it as it is", "Keep everything", "Quit", "Ignore", "Nothing")
YESES = ("Approved", "Yep", "A11ow", "AIIow", "ＡＬＬＯＷ", "Y", "✅ Go", "Confirmed", "I agree")
AGREED_TO_NOT = (
    *("Agree to cancel", "Yes, I want to stop", "Allow it to be denied", "OK, please abort", "Go and cancel"),
    *("Accept, then reject", "Allow (cancel)", "Agree to c a n c e l", "Agree to cance1"),
    *("Ａgree to ｃancel", "Yes – refuse", "Confirm that you decline", "Next, cancel"),
)
REJECTED_TO_ALLOW = ("No, allow it", "Reject nothing; allow all", "No problem, approve", "Skip, yes")
WITH_COMMANDS = (
    *("Yes, and don't ask again for docker stop commands", "Always Allow for user: git rebase --abort *"),
    *("Yes, and don't ask again for commands that start with `no`", "Yes, and stop asking"),
)
REJECTED_AND_MORE = (
    *("No, and tell Codex what to do differently", "No, keep planning", "Reject and continue", "Never allow"),
    *("No, do not allow it", "Deny this and proceed without it", "No, I will never allow it"),
)
LIKE_REJECT = (
    *(
        "REJECT",
        "reject ",
        "Reject.",
        "Re\u200bject",
        "Reject\u3164",
        "Reject\u0336",
        "Réject",
        "Ｒｅｊｅｃｔ",
    ),
    *("Re ject", "Rej3ct", "R\u0435ject", "Rej\u0435\u0441t", "𝐑𝐞𝐣𝐞𝐜𝐭", "ʀᴇᴊᴇᴄᴛ", "Re\u0458ect", "Rejeсt!"),
)


@each(
    ("name", "kind", "is_odd"),
    [
        ("Allow", "allow_once", False),
        ("Reject", "reject_once", False),
        ("Never allow this tool", "reject_always", False),
        ("Always proceed (don't ask again)", "allow_always", False),
        ("Yes, and don't ask again", "allow_always", False),
        ("No, and tell it what to do", "reject_once", False),
        ("Auto-confirm low risk", "allow_once", False),
        ("Stop asking me", "allow_always", False),
        ("Reject", "allow_always", True),
        ("Deny", "allow_once", True),
        ("No", "allow_once", True),
        ("NO!", "allow_once", True),
        ("1. Reject", "allow_once", True),
        ("[n] No", "allow_once", True),
        ("\u274c Cancel", "allow_always", True),
        ("Don't allow", "allow_once", True),
        ("Do not run it", "allow_once", True),
        ("Always reject", "allow_always", True),
        *((name, "allow_once", True) for name in NOES),
        *((name, "reject_once", True) for name in YESES),
        *((name, "reject_once", False) for name in NOES),
        *((name, "allow_once", False) for name in YESES),
        *((name, "allow_once", True) for name in (*HIDDEN, *SPACED, *LEAVES)),
        *((name, "reject_once", True) for name in HIDDEN),
        *((name, "reject_once", False) for name in (*SPACED, *LEAVES)),
        ("Yes 👨\u200d👩", "allow_once", False),
        ("Keep going", "allow_once", False),
        ("Don't ask again", "allow_always", False),
        ("Run R\u0435ject", "allow_once", True),
        ("🚫 Run", "allow_once", True),
        ("🚫 Run", "reject_once", True),
        ("\u2060\u3164", "allow_always", True),
        ("Разрешить", "allow_once", False),
        ("允许Bash", "allow_once", False),
        ("Ναι", "allow_once", False),
        ("Genehmigen für 5 Minuten", "allow_once", False),
        *((name, "allow_once", True) for name in AGREED_TO_NOT),
        *((name, "allow_always", True) for name in AGREED_TO_NOT),
        *((name, "reject_once", True) for name in REJECTED_TO_ALLOW),
        *((name, "allow_always", False) for name in WITH_COMMANDS),
        *((name, "reject_once", False) for name in REJECTED_AND_MORE),
        ("Allow", "reject_once", True),
        ("Yes", "reject_always", True),
        ("", "allow_once", True),
        (" ", "reject_once", True),
        ("Allow", "", True),
        ("Allow", "allow", True),
        ("Allow", "ALLOW_ONCE", True),
    ],
)
def test_an_option_is_odd_if_its_name_and_kind_do_not_agree(name: str, kind: str, is_odd: bool) -> None:
    one = option(name, kind)
    assert bool(flaw_of(one, [one])) == is_odd


@each(
    "name",
    [
        *(
            "Allow",
            "Allow once",
            "Always Allow This Tool",
            "Always allow",
            "Always",
            "Allow for this session",
        ),
        *("Yes", "Yes, proceed", "Yes, and don't ask again for commands that start with `git`", "1. Yes"),
        *("Always proceed (don't ask again)", "Approve for this session", "Yes, implement this plan"),
        *("Auto-confirm LOW/MEDIUM risk, ask for HIGH risk action", "Yes, and bypass permissions", "Go on"),
        *("Run it", "Write it", "Allow reading", "Trust this folder", "Go", "OK, don't ask again", "Apply"),
    ],
)
def test_a_name_is_understood_that_begins_with_a_word_that_allows(name: str) -> None:
    assert is_understood(option(name, "allow_once"))
    assert is_understood(option(name, "allow_always"))


@each(
    "name",
    [
        *("Continue without running it", "Go on without it", "Proceed without this change", "Run away"),
        *("Yes, without changes", "Approve the denial", "Authorize nobody", "Trust nobody", "Run dry"),
        *("OK, keep my files", "Yes - undo", "Yes, back out", "Okay, undo it", "Yes, avoid it", "OK, close"),
        *("Write to /dev/null instead", "Let it be", "Yes, I object", "Apply later", "Save and exit"),
        *("Allow me to think", "Agree to disagree", "Yes, use plan mode", "Yes, ask me", "Allow 0 files"),
        *("Always allow: nobody", "Allow n", "Un-allow", "A\u0336l\u0336l\u0336o\u0336w\u0336", "¬ Allow"),
    ],
)
def test_a_name_with_a_word_that_is_not_known_to_allow_is_not_understood(name: str) -> None:
    assert not is_understood(option(name, "allow_once"))
    assert not is_understood(option(name, "allow_always"))


def test_a_command_in_a_name_counts_unless_the_answer_has_a_second_step() -> None:
    assert is_understood(option("Always Allow for user: touch *", "allow_always"))
    assert all(is_understood(option(name, "allow_always")) for name in WITH_COMMANDS)
    assert not is_understood(option("Agree to `cancel`", "allow_once"))
    assert not is_understood(option("Yes: I want to cancel", "allow_once"))


@each(
    "name",
    [
        *(
            "Nein",
            "拒否",
            "Отклонить",
            "Não",
            "Lehne ab",
            "Go back",
            "Always ask",
            "Once",
            "No",
            "Reject",
            "✗",
        ),
        *(
            "Allow nothing",
            "Yes, cancel",
            "OK, abort",
            "Run nothing",
            "Let me think",
            "Exit",
            "Keep",
            "",
            "…",
        ),
        *("Yes, do not run it", "A l l o w", "Later", "Skip"),
        *("Agree not to run it", "Agree to not run it", "Yes, and skip it", "Allow, but run nothing"),
        *AGREED_TO_NOT,
    ],
)
def test_any_other_name_is_not_understood_as_one_that_allows(name: str) -> None:
    assert not is_understood(option(name, "allow_always"))
    assert is_understood(option(name, "reject_once"))


@each(
    ("first", "second", "is_odd"),
    [
        (option("Yes", "allow_once", "a"), option("No", "reject_once", "b"), False),
        (option("Yes", "allow_once", "a"), option("Sure", "allow_once", "b"), False),
        (option("Yes", "allow_once", "a"), option("No", "reject_once", "a"), True),
        (option("Go", "allow_once", "a"), option("go ", "reject_once", "b"), True),
        (option("Go", "allow_once", "a"), option("Go", "allow_once", "a"), True),
        *(
            (option("Reject", "reject_once", "a"), option(name, "allow_once", "b"), True)
            for name in LIKE_REJECT
        ),
        (option("Allow 1", "allow_once", "a"), option("Allow 2", "allow_once", "b"), False),
        (option("Да", "allow_once", "a"), option("Нет", "reject_once", "b"), False),
        (option("是", "allow_once", "a"), option("否", "reject_once", "b"), False),
        (option("✓", "allow_once", "a"), option("✗", "reject_once", "b"), False),
    ],
)
def test_two_options_that_cannot_be_told_apart_are_both_odd(
    first: PermissionOption, second: PermissionOption, is_odd: bool
) -> None:
    options = [first, second]
    assert [bool(flaw_of(one, options)) for one in options] == [is_odd, is_odd]


def test_a_question_waits_until_it_has_its_answer() -> None:
    questions, asked = Questions(), Permission("q", ToolCall("t1"), [])

    questions.ask(asked, 3.0)
    assert (questions.open, asked.at) == ({"q": asked}, 3.0)

    assert questions.answered("q", waiting=False) is asked
    assert questions.answered("q", waiting=False) is None
    assert questions.open == {}


def test_a_visit_that_was_agreed_to_waits_for_the_agent_also_beyond_the_turn() -> None:
    questions, visit = (
        Questions(),
        Elicitation("v", "Log in", url="https://a.example", elicitation_id="e1"),
    )
    questions.ask(visit, 0.0)
    questions.ask(Elicitation("f", "Which?", schema={}), 0.0)

    assert questions.answered("v", waiting=True) is visit
    questions.end_turn()
    assert questions.open == {"v": visit}

    assert not questions.completed("another")
    assert questions.completed("e1")
    assert questions.open == {}


def test_a_permission_is_found_by_its_call_until_it_is_closed() -> None:
    questions = Questions()
    first, second = (Permission(key, ToolCall("t1"), [], place=place) for key, place in (("p", 0), ("q", 1)))
    questions.ask(first, 0.0)
    questions.ask(second, 0.0)
    assert list(questions.of_call("t1")) == [first, second]
    assert list(questions.of_call("t2")) == []

    assert questions.update_call(1, ToolCall("t1", "another title"))
    assert (first.later, second.later) == (None, ToolCall("t1", "another title"))
    questions.answered("q", waiting=False)
    assert list(questions.of_call("t1")) == [first]
    assert not questions.update_call(1, ToolCall("t1", "a third title"))

    questions.clear()
    assert list(questions.of_call("t1")) == []
    assert not questions.update_call(0, ToolCall("t1", "a third title"))


def test_a_question_under_the_key_of_another_takes_its_place() -> None:
    questions = Questions()
    questions.ask(Permission("p", ToolCall("t1"), [], place=0), 0.0)
    questions.ask(second := Permission("p", ToolCall("t2"), [], place=1), 0.0)

    assert questions.open == {"p": second}
    assert list(questions.of_call("t1")) == []
    questions.end_turn()
    assert list(questions.of_call("t2")) == []
