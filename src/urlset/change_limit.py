"""Limit of the changes of a set of URLs: a number of URLs, or a share of the earlier ones."""

from __future__ import annotations

import re
from typing import NamedTuple

_LIMIT = re.compile(r"(\d+(?:\.\d+)?)(%?)", re.ASCII)


class ChangeLimit(NamedTuple):
    """Limit of the changes of a kind.

    Attributes:
        text: The limit as it was given, such as ``100`` or ``5%``.
        number: Number of URLs, or percentage.
        is_share: Whether it is a percentage of the URLs of the earlier state.
    """

    text: str
    number: float
    is_share: bool

    @classmethod
    def parse(cls, text: str) -> ChangeLimit:
        """Parse ``100`` or ``5%``; raises ``ValueError``.

        >>> ChangeLimit.parse("5%").is_exceeded(6, 100), ChangeLimit.parse("6").is_exceeded(6, 100)
        (True, False)
        """
        found = _LIMIT.fullmatch(text.strip())
        if found is None or ("." in found[1] and not found[2]):
            share = found is not None and 0 < float(found[1]) < 1
            hint = f"; did you mean {100 * float(text):g}%?" if share else ""
            raise ValueError(f"expected a number or a share such as 5%, found {text!r}{hint}")
        return cls(text.strip(), float(found[1]), bool(found[2]))

    def is_exceeded(self, count: int, total: int) -> bool:
        """Return whether a number of changes of ``total`` URLs is above the limit."""
        return count * 100 > self.number * total if self.is_share else count > self.number
