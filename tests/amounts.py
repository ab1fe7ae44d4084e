"""How many random examples a test tries: few in a usual run, many in ``make soak``.

``make soak`` sets ``URLSET_SOAK`` and runs the tests with the mark ``soak``, which are those that
try more then.
"""

from __future__ import annotations

import os

IS_SOAK = bool(os.environ.get("URLSET_SOAK"))


def amount(usual: int, soak: int) -> int:
    """Return the number for this run."""
    return soak if IS_SOAK else usual
