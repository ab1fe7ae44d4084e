"""Lines of access logs in the common and combined formats: what was given, tallied."""

from __future__ import annotations

import re

from urlset.engine import LogHit

__all__ = ["aggregate_log", "lines"]

# Possessive throughout: a line that does not fit costs one pass. The host is one where an address
# stands behind it, and three more words: `example.com:443 192.0.2.1 - - [`.
_LINE = re.compile(
    rb"^(?:([^ \n]++) (?:- [^ \n\[]++ |([^ \n-][^ \n]*+) [^ \n]++ [^ \n\[]++ )"
    rb'\[(.{20}(?: .{5})?)\] "([A-Z]++) (/[!$&-.0-9:=@A-Z_a-z~/]*+)([^ "\\\n]*+) HTTP/[0-9.]++" '
    rb"(\d\d\d)\b.*+\n|(.*+)\n)",
    re.MULTILINE,
)
Line = tuple[bytes, ...]
"""Host, marker, time, method, path, tail, status, and all of a line that is none of these.

The host counts only where the marker is not empty. The target is path and tail, which begins with
the first character that is not ordinary (``?``, ``;``, ``%``, a byte over 127).
"""


def lines(block: bytes) -> list[Line]:
    """Give each line of a block as its parts."""
    return _LINE.findall(block)


def aggregate_log(
    block: bytes,
    keeps_queries: bool,  # noqa: ARG001 - of the contract
) -> tuple[list[LogHit], list[tuple[int, None, Line]]]:
    """Give the lines of a block; see :meth:`urlset.engine.Engine.aggregate_log`.

    None are put together into hits: in Python that takes longer than it saves.
    """
    asked = (b"GET", b"")
    found = _LINE.findall(block)
    return [], [(number, None, line) for number, line in enumerate(found) if line[3] in asked]
