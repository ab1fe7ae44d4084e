"""Options of ``urlset.diff`` and ``urlset diff``."""

from __future__ import annotations

from urlset.option_schema.option import (
    AUTH,
    ENGINE,
    NOT_IN_FILE,
    NOT_IN_PYTHON,
    POLICY,
    PROGRESS,
    Option,
)

_LIMIT = "Exit with 1 if more URLs are {}: a number, or a share of the URLs of A, such as 5%."

DIFF_OPTIONS: tuple[Option, ...] = (
    Option(
        name="moves",
        type=bool,
        help="Search moved URLs among those that were added and removed; the default.",
        default=True,
    ),
    Option(
        name="live",
        type=bool,
        help="Request removed URLs, and follow their redirects to find moves.",
        default=False,
        allowed=NOT_IN_FILE,
    ),
    Option(
        name="max_requests",
        type=int,
        help="Limit of requests with --live (1,000).",
        default=1_000,
        metavar="N",
        minimum=1,
    ),
    Option(
        name="min_confidence",
        type=float,
        help="Least confidence of a move, from 0 to 1 (0.7).",
        default=0.7,
        metavar="X",
        minimum=0,
        maximum=1,
    ),
    Option(
        name="base_url",
        help="URL at which a folder or a file is published. One that ends with / is the folder "
        "that contains the file.",
        metavar="URL",
    ),
    ENGINE,
    *(
        Option(
            name=f"max_{kind}",
            type=str,
            help=_LIMIT.format(kind),
            metavar="N|N%",
            allowed=NOT_IN_PYTHON,
            is_number_text=True,
        )
        for kind in ("removed", "added", "changed")
    ),
    POLICY,
    AUTH,
    PROGRESS,
)
"""Options of :func:`urlset.diff` and ``urlset diff``, in the order of the help."""
