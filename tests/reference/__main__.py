"""Writes the generated parts of the pages in docs/.

python -m tests.reference
"""

from __future__ import annotations

from tests.reference.pages import DOCS, PARTS, written


def main() -> None:
    """Write all pages."""
    for page in PARTS:
        path = DOCS / page
        path.write_text(written(page, path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
