"""The clock that went back: nothing that a ledger remembers lies in the future."""

from __future__ import annotations

from urlset.builder.ledger import Ledger
from urlset.builder.options import BuildOptions
from urlset.dates import format_date
from urlset.store import ScratchDatabase, quoted

__all__ = ["clamp_future"]

_INSTANTS = (
    ("urls", "first_seen"),
    ("files", "lastmod"),
    ("indexes", "lastmod"),
    ("gone", "first_seen"),
    ("gone", "last_seen"),
    ("orphans", "since"),
    ("builds", "built_at"),
)


def clamp_future(bench: ScratchDatabase, ledger: Ledger, settings: BuildOptions) -> list[str]:
    """Date what the ledger has from the future with this build; tells so in a sentence, or not.

    One of the two clocks was wrong, and nobody knows which. A moment that is over is never a lie
    to a crawler, and no grace lasts longer for it.
    """
    (last,) = bench.one(
        f"SELECT max(moment) FROM (SELECT built_at AS moment FROM {ledger.table('builds')} "
        f"UNION ALL SELECT since FROM {ledger.table('orphans')})"  # of one that was killed
    )
    if last is None or last <= settings.now:
        return []
    now = format_date(settings.now)
    with bench.transaction():
        for table, column in _INSTANTS:
            moment = f"TIMESTAMPTZ {quoted(now)}"
            where = f"{column} > {moment}"
            bench.run(f"UPDATE {ledger.table(table)} SET {column} = {moment} WHERE {where}")
        where = f"try_cast(content_lastmod AS TIMESTAMPTZ) > TIMESTAMPTZ {quoted(now)}"
        bench.run(
            f"UPDATE {ledger.table('urls')} SET content_lastmod = {quoted(now)} WHERE {where}"
        )
    return [
        f"the clock went back: the last build was at {format_date(last)}, and now it is {now}; "
        "what that build has dated after now is dated now"
    ]
