"""The parts of a session screen, for its commands and its events."""

from __future__ import annotations

from acp_tui.conversation.start_options import Start
from acp_tui.store.folders import state_folder
from acp_tui.ui.session_screen.agent.agent_commands import AgentCommands
from acp_tui.ui.session_screen.agent.agent_menus import OptionMenus, UnresponsiveAgent
from acp_tui.ui.session_screen.agent.rules import SessionRules
from acp_tui.ui.session_screen.agent.sandbox import SessionSandbox
from acp_tui.ui.session_screen.agent.workspace_prompt import PromptOfWorkspace
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.session_screen.base.pane_layout import PaneLayout
from acp_tui.ui.session_screen.prompt.shell import UserShell
from acp_tui.ui.session_screen.questions import QuestionDialogs
from acp_tui.ui.session_screen.review.details import DetailScreens
from acp_tui.ui.session_screen.review.second_opinion import SecondOpinion
from acp_tui.ui.session_screen.sessions.export import ChatCopy
from acp_tui.ui.session_screen.sessions.start import Startup


class SessionParts:
    """A session screen and its parts; each part is given here what it needs from the others."""

    def __init__(self, screen: ConversationScreen, start: Start) -> None:
        self.screen = screen
        self.start = start
        self.sandbox = SessionSandbox(screen, start)
        self.startup = Startup(screen, start, self.sandbox)
        self.pane_layout = PaneLayout(screen, state_folder() / "layout.json", start.settings.layout)
        self.shell = UserShell(screen, start)
        self.rules = SessionRules(screen, start)
        self.workspace_prompt = PromptOfWorkspace(screen)
        self.question_dialogs = QuestionDialogs(screen, self.rules)
        self.details = DetailScreens(screen, start, self.shell.terminal)
        self.chat_copy = ChatCopy(screen)
        self.second_opinion = SecondOpinion(screen, start)
        self.option_menus = OptionMenus(screen)
        self.agent_commands = AgentCommands(screen)
        self.unresponsive_agent = UnresponsiveAgent(screen, self.startup.again)
