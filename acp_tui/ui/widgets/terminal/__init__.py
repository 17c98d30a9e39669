"""Output of terminals: a log of what was printed, the screen of a full-screen program, and their widget.

`TerminalLog` and `TerminalScreen` take bytes and give rows; `TerminalView` draws either and sends keys back.
"""
