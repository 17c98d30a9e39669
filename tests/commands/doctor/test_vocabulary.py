"""Findings about an agent's vocabulary, for a violating and a correct agent each."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from acp_tui.commands.doctor.doctor import examine
from acp_tui.commands.doctor.findings import Finding
from acp_tui.store.agents import Launch

SCRIPTED = str(Path(__file__).parents[2] / "agent" / "scripted_agent.py")


class Case(NamedTuple):
    """A violating agent, a correct one, and the finding."""

    check: str
    said: str
    bad: dict[str, Any]
    good: dict[str, Any]
    fallback: str = ""
    verdict: str = "broken"


def offers(**capabilities: Any) -> dict[str, Any]:
    return {"initialize": {"agentCapabilities": capabilities}}


def says(news: str, **fields: Any) -> dict[str, Any]:
    return {"updates": [{"sessionUpdate": news, **fields}]}


def calls(**fields: Any) -> dict[str, Any]:
    return says("tool_call", **{"toolCallId": "c", "title": "Look", **fields})


def asks(method: str, **params: Any) -> dict[str, Any]:
    return {"requests": [[method, {"sessionId": "s", **params}]]}


def permission(*kinds: str) -> dict[str, Any]:
    options = [{"optionId": kind, "name": kind, "kind": kind} for kind in kinds]
    return asks("session/request_permission", toolCall={"toolCallId": "c", "title": "Look"}, options=options)


def step(**fields: Any) -> dict[str, Any]:
    return says("plan", entries=[{"content": "x", "status": "pending", "priority": "low", **fields}])


def option(**fields: Any) -> dict[str, Any]:
    values = [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}]
    whole = {"id": "o", "name": "O", "type": "select", "currentValue": "a", "options": values, **fields}
    return {"new": {"configOptions": [whole]}}


def modes(current: str) -> dict[str, Any]:
    return {"new": {"modes": {"currentModeId": current, "availableModes": [{"id": "ask", "name": "Ask"}]}}}


def diff(path: str) -> dict[str, Any]:
    return calls(kind="edit", content=[{"type": "diff", "path": path, "newText": "x"}])


IN = "{cwd}/a.txt"
HIDDEN = "not shown in the chat, only in the protocol log"
REFUSED = "refused with -32602"

CASES = [
    Case(
        "initialize",
        "agentCapabilities should be an object",
        {"initialize": {"agentCapabilities": "all"}},
        offers(),
    ),
    Case(
        "initialize",
        "loadSession should be a valid boolean",
        offers(loadSession="yes"),
        offers(loadSession=True),
    ),
    Case(
        "initialize",
        "agentCapabilities.promptCapabilities.image should be a valid boolean",
        offers(promptCapabilities={"image": {}}),
        offers(promptCapabilities={"image": True}),
    ),
    Case(
        "initialize",
        "promptCapabilities should be an object",
        offers(promptCapabilities=[]),
        offers(promptCapabilities={}),
    ),
    Case(
        "capabilities",
        "true or false where an object belongs: sessionCapabilities.close",
        offers(sessionCapabilities={"close": False}),
        offers(sessionCapabilities={"close": {}}),
    ),
    Case(
        "capabilities",
        "not in the protocol: auth.magic",
        offers(auth={"magic": {}}),
        offers(auth={"status": {}}, providers={}, sessionCapabilities={"systemPrompt": {}, "title": {}}),
        verdict="note",
    ),
    Case(
        "capabilities",
        "not in the protocol: teleport",
        offers(teleport=True),
        offers(_meta={}),
        "not used",
        "note",
    ),
    Case(
        "initialize",
        "authMethods should be a valid array",
        {"initialize": {"authMethods": {}}},
        {"initialize": {"authMethods": []}},
    ),
    Case("identity", "agentInfo is invalid", {"initialize": {"agentInfo": "me"}}, {}),
    Case("identity", "has no version", {"initialize": {"agentInfo": {"name": "x"}}}, {}),
    Case("identity", "no agentInfo", {"initialize": {"agentInfo": None}}, {}, verdict="note"),
    Case(
        "session/new",
        "modes.currentModeId is missing",
        {"new": {"modes": {"availableModes": []}}},
        modes("ask"),
    ),
    Case(
        "options",
        "set to what is not offered: currentModeId = fast",
        modes("fast"),
        modes("ask"),
        "shown as it is named",
    ),
    Case("options", "set to what is not offered: o = z", option(currentValue="z"), option()),
    Case(
        "options",
        "categories not in the protocol: colour",
        option(category="colour"),
        option(category="_colour"),
        verdict="note",
    ),
    Case(
        "options",
        "goes to modes that are not offered: fast",
        {**modes("ask"), **says("current_mode_update", currentModeId="fast")},
        {**modes("ask"), **says("current_mode_update", currentModeId="ask")},
    ),
    Case(
        "stop reason",
        "not in the protocol: tired",
        {"end": {"stopReason": "tired"}},
        {"end": {"stopReason": "max_tokens"}},
    ),
    Case("stop reason", "a turn ends without one", {"end": {"stopReason": None}}, {}, "read as end_turn"),
    Case(
        "dialect", "stop reasons with older names: done", {"end": {"stopReason": "done"}}, {}, verdict="note"
    ),
    Case(
        "tool calls",
        "kinds not in the protocol: paint",
        calls(kind="paint"),
        calls(kind="edit"),
        "shown as “tool”",
    ),
    Case(
        "tool calls",
        "statuses not in the protocol: odd",
        calls(status="odd"),
        calls(status="completed"),
        "the status before stays",
    ),
    Case(
        "dialect",
        "with other names: running",
        calls(status="running"),
        calls(status="in_progress"),
        verdict="note",
    ),
    Case("tool calls", "announced without a title: ", calls(title=None), calls()),
    Case("tool calls", "announced without a title: ", calls(title=""), calls()),
    Case(
        "tool calls",
        "updates of calls that were not announced: c",
        says("tool_call_update", toolCallId="c", status="completed"),
        {"updates": [*calls()["updates"], *says("tool_call_update", toolCallId="c")["updates"]]},
        verdict="note",
    ),
    Case("session/update", "tool_call: toolCallId should be a valid string", calls(toolCallId=None), calls()),
    Case("session/update", "tool_call: content should be a valid array", calls(content=7), calls(content=[])),
    Case(
        "session/update",
        "is of the unknown kind “scent”",
        calls(content=[{"type": "scent"}]),
        calls(content=[]),
    ),
    Case("session/update", "plan: entries is missing", says("plan"), step()),
    Case(
        "plan",
        "statuses not in the protocol: stuck",
        step(status="stuck"),
        step(status="completed"),
        "shown as pending",
    ),
    Case("plan", "statuses not in the protocol: failed", step(status="failed"), step(), "understood"),
    Case("plan", "priorities not in the protocol: urgent", step(priority="urgent"), step(priority="high")),
    Case("plan", "steps without status and priority", says("plan", entries=[{"content": "x"}]), step()),
    Case(
        "permissions",
        "kinds of answers not in the protocol: maybe",
        permission("maybe"),
        permission("allow_once"),
    ),
    Case("permissions", "requested without options", permission(), permission("reject_once")),
    Case(
        "updates",
        "of unknown kinds: tomorrow",
        says("tomorrow"),
        says("session_info_update", title="x"),
        HIDDEN,
        "note",
    ),
    Case(
        "paths",
        "relative in places of tool calls: a.txt",
        calls(locations=[{"path": "a.txt"}]),
        calls(locations=[{"path": IN}]),
    ),
    Case("paths", "relative in differences: a.txt", diff("a.txt"), diff(IN)),
    Case("paths", "reports changes outside the workspace: /o/a", diff("/o/a"), diff(IN), verdict="note"),
    Case(
        "paths",
        "relative in fs/read_text_file: a",
        asks("fs/read_text_file", path="a"),
        asks("fs/read_text_file", path=IN),
        REFUSED,
    ),
    Case(
        "paths",
        "relative in fs/write_text_file: a",
        asks("fs/write_text_file", path="a", content=""),
        asks("fs/write_text_file", path=IN, content=""),
        REFUSED,
    ),
    Case(
        "paths",
        "writes outside the workspace: {cwd}/../a",
        asks("fs/write_text_file", path="{cwd}/../a", content=""),
        asks("fs/write_text_file", path=IN, content=""),
        REFUSED,
    ),
    Case(
        "paths",
        "reads outside the workspace: /o/a",
        asks("fs/read_text_file", path="/o/a"),
        asks("fs/read_text_file", path=IN),
        REFUSED,
        "note",
    ),
    Case(
        "paths",
        "relative in terminal/create: here",
        asks("terminal/create", command="true", cwd="here"),
        asks("terminal/create", command="true", cwd="{cwd}"),
    ),
    Case(
        "paths",
        "runs commands outside the workspace: /",
        asks("terminal/create", command="true", cwd="/"),
        asks("terminal/create", command="true", cwd="{cwd}"),
        verdict="note",
    ),
    Case(
        "fs/write_text_file",
        "content is missing",
        asks("fs/write_text_file", path=IN),
        asks("fs/write_text_file", path=IN, content=""),
    ),
    Case(
        "methods",
        "without sessionId: fs/read_text_file",
        {"requests": [["fs/read_text_file", {"path": IN}]]},
        asks("fs/read_text_file", path=IN),
    ),
    Case(
        "methods",
        "without sessionId: session/update",
        {"asks": [{"method": "session/update", "params": {"update": calls()["updates"][0]}}]},
        calls(),
    ),
    Case("methods", "asks for what is not offered: fs/delete", asks("fs/delete"), {}, "refused with -32601"),
    Case("methods", "asks for what is not offered: _mine", asks("_mine"), {}, "refused with -32601", "note"),
    Case("methods", "notifications not in the protocol: hello", {"asks": [{"method": "hello"}]}, {}, HIDDEN),
    Case("stdout", "the first: Ready", {"prints": "Ready\n"}, {}, "skipped, and shown in the protocol log"),
    Case("stdout", "other bytes on the line of a message: ", {"prints": "\x1b]0;x\x07"}, {"prints": "\n"}),
    Case("stdout", "responses without a request", {"asks": [{"id": 999, "result": {}}]}, {}, "ignored"),
    Case("large line", "is refused with error -32700", {"large": -32700}, {}),
    Case(
        "cancel",
        "the turn ends with end_turn",
        {"cancelled": {"stopReason": "end_turn"}},
        {},
        "shown as cancelled",
    ),
    Case(
        "cancel when idle", "the next prompt fails: ", {"after_cancel": {"code": -32603, "message": "no"}}, {}
    ),
    Case("cancel when idle", "the next prompt ends as cancelled", {"after_cancel": "cancelled"}, {}),
]


async def examined(script: dict[str, Any], cwd: Path) -> list[Finding]:
    text = json.dumps(script).replace("{cwd}", str(cwd))
    launch = Launch("scripted", "Scripted", (sys.executable, "-S", SCRIPTED, text))
    return (await examine(launch, str(cwd), patience=20, prompt="hello")).findings


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.check}: {case.said}"[:60])
async def test_a_line_is_said_of_an_agent_that_does_it_and_not_of_one_that_does_the_opposite(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_tui.commands.doctor.doctor.PING_TIME", 20)
    monkeypatch.setattr("acp_tui.commands.doctor.doctor.CROSSED", 0)
    (tmp_path / "a.txt").write_text("x")
    said = case.said.replace("{cwd}", str(tmp_path))

    bad, good = await examined(case.bad, tmp_path), await examined(case.good, tmp_path)

    found = [finding for finding in bad if finding.check == case.check and said in finding.text]
    assert [finding.verdict for finding in found] == [case.verdict], bad
    assert case.fallback in found[0].fallback
    assert not [finding for finding in good if finding.check == case.check and said in finding.text]
    assert not [finding for finding in good if finding.verdict == "broken"]


async def test_a_prompt_that_fails_after_an_idle_cancel_is_not_blamed(tmp_path: Path) -> None:
    found = await examined({"after_cancel": {"code": -32603, "message": "no"}}, tmp_path)

    verdicts = {finding.check: finding.verdict for finding in found}
    assert verdicts["prompt"] == "well"
    assert verdicts["cancel"] == "well", "it was tried once more"
    assert verdicts["cancel when idle"] == "broken"


async def test_a_prompt_that_always_fails_is_blamed_and_the_cancel_is_not(tmp_path: Path) -> None:
    found = await examined({"fails": {"code": -32603, "message": "no"}}, tmp_path)

    verdicts = {finding.check: finding.verdict for finding in found}
    assert verdicts["prompt"] == "broken"
    assert verdicts["cancel"] == "note", "nothing ran that could be cancelled"
    assert verdicts["cancel when idle"] == "well"


async def test_a_folder_named_by_a_link_is_the_same_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    found = await examined(diff(f"{tmp_path.resolve()}/real/a.txt"), tmp_path / "link")

    assert "paths" not in [finding.check for finding in found]
