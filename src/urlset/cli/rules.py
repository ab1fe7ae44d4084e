"""``urlset rules``: what is checked, and what each rule means."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Annotated

import typer

from urlset.cli.colour import painter
from urlset.cli.options import misuse
from urlset.cli.sink import Sink
from urlset.reporter import Line, Piece
from urlset.rules import RULES

__all__ = ["rules"]


def rules(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="A rule's name or code, or the beginning of codes.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """List the rules that sitemaps are checked by; with NAME, what one says and what to do.

    \b
    Examples:
      urlset rules
      urlset rules X
      urlset rules unescaped-ampersand
    """  # noqa: D301 - the \b keeps the lines of the examples
    from urlset.checker.selection import rules_named

    with misuse("NAME"):
        codes = rules_named(name or "")
    with Sink(None) as sink:
        paint = painter(is_shown=True)
        width = shutil.get_terminal_size().columns if sink.is_terminal else None
        for code in codes:
            for line in _details(code) if len(codes) == 1 else [_row(code, width)]:
                sink.write(f"{paint(line)}\n", is_markup=True)


def _row(code: str, width: int | None) -> Line:
    """A line of the list, cut to the width of a terminal."""
    rule = RULES[code]
    start = f"{code} ", f"{rule.name:<31}", f"{rule.level:<8}"
    message = _message(code)
    if width is not None:
        message = message[: max(0, width - len("".join(start)))]
    return Piece(start[0]), Piece(start[1], "rule"), Piece(start[2], rule.level), Piece(message)


def _details(code: str) -> Iterator[Line]:
    from urlset.checker import FIXES

    rule = RULES[code]
    yield Piece(f"{code}[{rule.name}]", "rule"), Piece(" "), Piece(rule.level, rule.level)
    for label, text in (("says", _message(code)), ("do", FIXES.get(code))):
        if text:
            yield (Piece(f"  {label + ':':<6}{text}"),)


def _message(code: str) -> str:
    return RULES[code].message.replace("{}", "…")
