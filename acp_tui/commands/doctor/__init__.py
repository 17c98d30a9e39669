"""`acp-tui doctor`: examine this machine and an agent.

`doctor` runs an agent and prints the report. `messages` keeps what the agent sends. `conformance` checks the
order of messages and the answers, `vocabulary` the values, `agent_files` the places that the agent writes.
`machine` examines the system. `findings` has the rows of the report.
"""
