"""Find moved URLs among those that were added and removed."""

from __future__ import annotations

from urlset.differ.tables import Tables

__all__ = ["find_moves"]


def find_moves(tables: Tables, *, is_wanted: bool, min_confidence: float) -> None:
    """Create ``moves``: hashes of URLs before and after, with the reasons and confidence."""
    db = tables.db
    db.run(
        "CREATE TABLE moves (before UBIGINT, after UBIGINT, confidence DOUBLE, "
        "why STRUCT(reason VARCHAR, detail VARCHAR, confidence DOUBLE)[])"
    )
    if not is_wanted or min_confidence > 0.99:
        return
    unique = (
        "SELECT key, any_value(h) AS h FROM (SELECT duplicate_key(loc) AS key, h "
        "FROM {}_diff ANTI JOIN unread USING (h) WHERE is_only) GROUP BY key HAVING count(*) = 1"
    )
    before, after = unique.format("before"), unique.format("after")
    db.run_long(
        "INSERT INTO moves SELECT b.h, a.h, 0.99, [{'reason': 'same-page', 'detail': NULL, "
        f"'confidence': 0.99}}] FROM ({before}) b JOIN ({after}) a USING (key)"
    )
