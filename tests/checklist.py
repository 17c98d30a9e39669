"""Numbered obligations, with the tests of each: from the protocol, from dialects, from faults that users met.

A test says in its name which lines it is about: `test_c58_c60_…`, `test_d16_…`, `test_r5_…`, `test_v4_…`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Final

OBLIGATIONS: Final = """
what we write is one line each
nothing else is written, and two writes do not mix
half characters never go out
a flood on stderr holds nothing up
a line of ten megabytes arrives
a line over the limit is dropped, not the next
a message is read however it is cut and ended
what is no message is passed over
a batch is its items in order
the end of the output ends all that waits
an agent is asked to end, then made to
the agent's environment
ids are ours, theirs are echoed
one answer for every request
what is unknown is answered or ignored
params that cannot be read
no answer to a notification
odd responses break nothing
our id echoed as text
nothing as a result
an open question holds nothing up
ten thousand updates in order
updates before the end of the turn
updates after the end of the turn
updates before the session has a name
two sessions do not mix
words of tomorrow
what is malformed reads as absent
halves of a character
no escape sequence reaches the terminal
extensions are no parameters
initialize comes first, once
another version of the protocol
no capabilities: nothing optional
nothing is called that is not offered
modes of elicitation are named
a login that is needed, and then again
authenticate
login in a terminal
unknown kinds of login
logout
MCP servers in the protocol's form
MCP servers that the agent cannot take
further roots
loading shows the replay, or nothing
loading answered with null
resuming expects no replay
the list of sessions to its end
deleting
closing ends what is open
sessions at once, prompts one by one
blocks that the agent can take
each reason to stop
a refusal
the echo of a prompt
a prompt that fails
session/cancel
cancel answers the open permissions
permissions after a cancel
cancel answers the open forms
cancel settles tool calls
cancel is about one session
an error after a cancel
no answer after a cancel
a request that is taken back
a late answer to what we took back
chunks with an id
chunks without an id
tool calls in any order
absent, null, list and empty list
a plan replaces the plan
commands
title and time
usage
diffs of new files
terminals in tool calls
pictures, sounds and unknown blocks
a permission's tool call
options in order, answers by id
unknown kinds of options
several questions
keys typed before the dialog
a question without options
answers by rule
files that are not offered
files outside the roots
lines of a file
a missing file
writing
files in further roots
terminals that are not offered
programs and shell lines
folder and environment of a terminal
output and status
the limit of the output
waiting for the end
death by signal
kill and release
a command that cannot start
terminals of other sessions
no process is left
modes of elicitation that are not offered
forms
fields of unknown kinds
patterns that never end
decline and cancel
addresses
the end of a visit
forms before any session
options or modes
groups of values
booleans and selects
a set option replaces the list
unknown categories
extension methods
every deviation has a test
valid words stay as they are
capabilities of new entities
absent, null and values of new entities
new updates without their capability
unknown words of new entities
notices in order
notices change no state
notices are told once
the place of a compaction
the summary of a compaction
the end of a compaction
what stands above a compaction
names of tools
plans by id
plans with and without an id
plans in Markdown and in files
a plan in a question
the announcement of a subagent
updates of a subagent
requests of a subagent
what is sent to a subagent
cancelling a subagent
cancelling its parent
idle is no end of a subagent
messages between sessions
loading subagents
the end of the connection of subagents
subagents of subagents
changes of a subagent
links to sessions
usage of a turn
steering needs the capability
steered words stand once
steered words are not lost
no steering without the capability
an agent that asks for queued words
commands in the background
output without a turn
work in the background is shown
unstable methods need their capability
titles come from the agent
accounts are in no recording
""".strip().splitlines()
"""C1, C2, …"""

DEVIATIONS: Final = """
older client capabilities
secrets in initialize
capabilities under another name
names of capabilities
the agent's name in meta
login methods under another name
versions in other types
secrets in authenticate
other codes of a failed login
a session as an object
metadata of a new session
older prompts
words in the answer to a prompt
older reasons to stop
no reason to stop
the name of an update elsewhere
the name of an update twice
older names of updates
content of chunks
fields of tool calls
status of tool calls
kinds of tools
tool calls without a title
bare blocks of tools
older plans
older modes
commands
older permission requests
answers to permissions
older pictures and sounds
flat resources
links without a name
older ends of terminals
other lists of codes
cancel with an answer
MCP servers of other programs
MCP servers of an editor
snake case
models
logins that name a command
logins by key
output of the agent's own terminals
shell lines
updates outside turns
noise
line ends and marks of Windows
half characters
usage without numbers
nothing as a result
ids as text
boolean options unasked
forms under their old name
taking back under another name
agents before version one
all of it at once
""".strip().splitlines()
"""D1, D2, …"""

FIELD: Final = """
words on stdout before the first message
words on stdout between messages
lines of every length
characters cut by a flush
the limit of the output in bytes
news before the answer that names the session
commands without a prompt
updates of a call that nobody announced
a question about a call that nobody announced
a call left open by the end of its turn
a call left open by a cancel
answering and cancelling at once
an agent that wants its answer before it obeys a cancel
a cancel that crosses the end of the turn
an agent killed from outside, and a new start
an agent that says nothing
a grandchild of the agent
a flood on stderr before the first answer
unknown requests and notifications
login methods of an agent that wants no login
several ways to allow once
option ids that look like kinds
rules without an option that fits them
a dialog under typing hands
links that lead out of the workspace
ways around the name of the workspace
locations that are no plain file
line ends, byte order marks and the last newline
lines of a file that are not there
one line of half a megabyte
a difference of very many lines
a question with three differences
colours and carriage returns, cut anywhere
escape sequences wherever text can be
joined chunks and the echo of the prompt
wide and joined characters
changes of width while text comes
answers to loading
usage that cannot be
a list of MCP servers wherever one is wanted
markup in texts and signs in ids
our own sudden death
""".strip().splitlines()
"""R1, R2, …"""

VERSION_2: Final = """
the handshake of a client that speaks both
no word of the other version
no files and no terminals for agents
a prompt stands once, as the agent tells it
what ends a turn
turns without a prompt
words for the state of a session
several prompts at once
absent, null, lists and chunks
a message and a thought with one id
bytes of a terminal
operations on files
permissions about anything
cancelling a call or a terminal
what works in the background
resuming with a replay
selects are set by id
logins
the state of a subagent is told twice
batches, unknown kinds and malformed ones
""".strip().splitlines()
"""V1, V2, …"""

WITHOUT: Final = frozenset({"d37"})
"""Nothing of it reaches a client."""

_TEST: Final = re.compile(r"^\s*(?:async )?def (test_\w+)", re.MULTILINE)
_LINE: Final = re.compile(r"_([cdrv]\d+)(?=_|$)")


def lines() -> dict[str, str]:
    """Return all lines, `c1` to the last `v`, with their words."""
    kinds = (("c", OBLIGATIONS), ("d", DEVIATIONS), ("r", FIELD), ("v", VERSION_2))
    return {f"{kind}{at}": words for kind, all_words in kinds for at, words in enumerate(all_words, 1)}


def line_tests() -> dict[str, list[str]]:
    """Return the tests of each line that has one, as `file::name`."""
    found = defaultdict(list)
    folder = Path(__file__).parent
    for file in sorted(folder.rglob("test_*.py")):
        for name in _TEST.findall(file.read_text("utf-8")):
            for line in _LINE.findall(name):
                found[line].append(f"{file.relative_to(folder)}::{name}")
    return found


def table() -> str:
    """Return every line with its tests, for people."""
    tests = line_tests()
    return "\n".join(
        f"{line.upper():<5} {words}\n" + "".join(f"        {test}\n" for test in tests.get(line, ["–"]))
        for line, words in lines().items()
    )
