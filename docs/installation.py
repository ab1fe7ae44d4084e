"""How the pages say that urlset is installed: the one place to switch at the first release."""

from __future__ import annotations

import re

IS_RELEASED = False
"""Whether the package index has urlset. Until then, nobody may be told to install that name."""

CHECKOUT = "."
REPOSITORY = '"git+$URLSET_REPOSITORY"'
"""What pip installs until the release: a checkout, or in the CI of another project the address."""

IN_CI = ("watching.md",)
"""Pages whose commands run in the CI of another project."""

_SPECS = (r"urlset(?![\w/.\[-])", r"\.(?=[ `\n])", re.escape(REPOSITORY))
_COMMAND = re.compile(rf"(pipx?\s+install\s+(?:--?[\w-]+\s+)*)(?:{'|'.join(_SPECS)})")


def with_installation(name: str, page: str) -> str:
    """Return a page in which each command that installs urlset names where it is.

    >>> with_installation("django.md", "`pip install urlset django`")
    '`pip install . django`'
    """
    before_release = REPOSITORY if name in IN_CI else CHECKOUT
    spec = "urlset" if IS_RELEASED else before_release
    return _COMMAND.sub(lambda found: found[1] + spec, page)
