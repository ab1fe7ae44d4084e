"""The colours of what is shown on stdout: roles in, escape sequences out."""

from __future__ import annotations

import sys
from collections.abc import Callable

from urlset.cli.console import is_coloured
from urlset.terminal_text import Line

__all__ = ["painter"]

_STYLES = {
    "place": "bold",
    "error": "bold red",
    "warning": "yellow",
    "info": "cyan",
    "rule": "magenta",
    "excerpt": "dim",
    "caret": "bold green",
    "good": "green",
    "heading": "bold",
}


def painter(*, is_shown: bool) -> Callable[[Line], str]:
    """Make the function that turns a line of pieces into text, with colours if they are wanted."""
    if not (is_shown and is_coloured(sys.stdout)):
        return lambda line: "".join(piece.text for piece in line)
    from rich.color import ColorSystem
    from rich.style import Style

    styles = {role: Style.parse(words) for role, words in _STYLES.items()}
    plain = Style.null()

    def paint(line: Line) -> str:
        return "".join(
            styles.get(piece.role, plain).render(piece.text, color_system=ColorSystem.STANDARD)
            for piece in line
        )

    return paint
