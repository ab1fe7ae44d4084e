"""Parse lines of access logs in the common and combined formats."""

from __future__ import annotations

import re

from urlset.engine import LogHit

# Possessive throughout: a line that does not match costs one pass. The first word is a host if an
# address and three more words follow: `example.com:443 192.0.2.1 - - [`.
_LINE = re.compile(
    rb"^(?:([^ \n]++) (?:- [^ \n\[]++ |([^ \n-][^ \n]*+) [^ \n]++ [^ \n\[]++ )"
    rb'\[(.{20}(?: .{5})?)\] "([A-Z]++) (/[!$&-.0-9:=@A-Z_a-z~/]*+)([^ "\\\n]*+) HTTP/[0-9.]++" '
    rb"(\d\d\d)\b.*+\n|(.*+)\n)",
    re.MULTILINE,
)
Line = tuple[bytes, ...]
"""Host, marker, time, method, path, tail, status; or, last, a whole line in another format.

The host is valid only if the marker is not empty. Path and tail are the request target; the tail
begins with the first special character (``?``, ``;``, ``%``, a byte over 127).
"""


def lines(block: bytes) -> list[Line]:
    """Split each line of a block into its parts."""
    return _LINE.findall(block)


class LineAggregator:
    """Aggregator that counts no hits; see :class:`urlset.engine.LogAggregator`.

    In Python that takes longer than it saves.
    """

    def __init__(self, keeps_queries: bool):
        """Create an aggregator, for which queries make no difference."""

    def add(self, block: bytes) -> tuple[list[LogHit], list[tuple[int, None, int, Line]], int]:
        """Parse the lines of a block."""
        methods = (b"GET", b"")
        found = _LINE.findall(block)
        rows = [(number, None, 1, line) for number, line in enumerate(found) if line[3] in methods]
        return [], rows, len(found)

    def finish(self) -> list[LogHit]:
        """Return no hits."""
        return []
