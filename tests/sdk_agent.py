"""An agent built on the official SDK, as a true process: nothing in it knows our client."""

from __future__ import annotations

import asyncio
from typing import Any

import acp
from acp.schema import AgentCapabilities, EnvVariable, PermissionOption, ToolCallUpdate

OPTIONS = [
    PermissionOption(option_id="go", name="Go on", kind="allow_once"),
    PermissionOption(option_id="stop", name="Stop", kind="reject_once"),
]


class SdkAgent(acp.Agent):
    """Does everything an agent can ask for; how it went is what it says."""

    def __init__(self) -> None:
        self.cwd = ""
        self.cancelled = asyncio.Event()

    def on_connect(self, conn: acp.Client) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, *args: Any, **kwargs: Any) -> acp.InitializeResponse:
        return acp.InitializeResponse(
            protocol_version=protocol_version, agent_capabilities=AgentCapabilities(load_session=True)
        )

    async def new_session(self, cwd: str, *args: Any, **kwargs: Any) -> acp.NewSessionResponse:
        self.cwd = cwd
        return acp.NewSessionResponse(session_id="sdk-1")

    async def load_session(
        self, cwd: str, session_id: str, *args: Any, **kwargs: Any
    ) -> acp.LoadSessionResponse:
        self.cwd = cwd
        await self.say(session_id, "replayed")
        return acp.LoadSessionResponse()

    async def prompt(self, session_id: str, prompt: list[Any], **kwargs: Any) -> acp.PromptResponse:
        self.cancelled.clear()
        act = getattr(self, f"act_{prompt[0].text}")
        return acp.PromptResponse(stop_reason=await act(session_id) or "end_turn")

    async def cancel(self, session_id: str, **kwargs: Any) -> None:
        self.cancelled.set()

    async def say(self, session_id: str, text: str) -> None:
        await self.client.session_update(session_id, acp.update_agent_message_text(text))

    # ------------------------------------------------------------------ what a prompt names

    async def act_updates(self, session_id: str) -> None:
        tell = self.client.session_update
        await tell(session_id, acp.update_agent_thought_text("hm"))
        await tell(session_id, acp.update_plan([acp.plan_entry("look", priority="high", status="completed")]))
        diff = acp.tool_diff_content("a.txt", "new", "old")
        call = acp.start_tool_call("t1", "Edit a", kind="edit", content=[diff])
        await tell(session_id, call)
        await tell(session_id, acp.update_tool_call("t1", status="completed"))
        await self.say(session_id, "done")

    async def act_ask(self, session_id: str) -> None:
        call = ToolCallUpdate(tool_call_id="t2", title="Run it", kind="execute", status="pending")
        answer = await self.client.request_permission(session_id, call, OPTIONS)
        await self.say(session_id, repr(getattr(answer.outcome, "option_id", answer.outcome.outcome)))

    async def act_files(self, session_id: str) -> None:
        path = f"{self.cwd}/made/by-sdk.txt"
        await self.client.write_text_file(session_id, path, "one\ntwo\nthree\n")
        read = await self.client.read_text_file(session_id, path, line=2, limit=1)
        await self.say(session_id, read.content)
        for wrong in (f"{self.cwd}/missing", "/etc/hostname"):
            try:
                await self.client.read_text_file(session_id, wrong)
            except acp.RequestError as error:
                await self.say(session_id, f"{error.code} ")

    async def act_terminal(self, session_id: str) -> None:
        env = [EnvVariable(name="WORD", value="héllo")]
        made = await self.client.create_terminal(session_id, "sh", ["-c", "echo $WORD; pwd; exit 3"], env)
        ended = await self.client.wait_for_terminal_exit(session_id, made.terminal_id)
        output = await self.client.terminal_output(session_id, made.terminal_id)
        await self.client.kill_terminal(session_id, made.terminal_id)
        await self.client.release_terminal(session_id, made.terminal_id)
        await self.say(session_id, f"{ended.exit_code} {output.truncated} {output.output.split()}")
        try:
            await self.client.terminal_output(session_id, made.terminal_id)
        except acp.RequestError as error:
            await self.say(session_id, f" {error.code}")

    async def act_wait(self, session_id: str) -> str:
        await self.say(session_id, "waiting")
        await self.cancelled.wait()
        return "cancelled"


if __name__ == "__main__":
    asyncio.run(acp.run_agent(SdkAgent()))  # type: ignore[abstract]  # what it has not, it does not offer
