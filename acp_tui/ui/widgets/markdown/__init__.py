"""Markdown as blocks of a transcript.

`MarkdownBlock` shows a text that may grow: finished Markdown blocks are frozen, only the end is parsed again.
"""
