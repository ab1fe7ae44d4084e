"""Rules of somebody's own, as a configuration declares them: SQL, and what to say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from urlset.checker.rule import Rule, rule
from urlset.config import suggestion

__all__ = ["own_rule"]

_MUST = ("name", "says")
_MAY = ("code", "level", "over", "where", "sql", "at", "why", "instead", "source")
_EXAMPLE = "<url><loc>https://example.com/</loc></url>"


def own_rule(number: int, table: Mapping[str, Any]) -> Rule:
    """Make a rule of a table of texts: ``name``, ``says``, and ``over`` with ``where``, or ``sql``.

    Without a ``code`` it is ``Z001`` and so on; without a ``level`` a warning. Raises
    ``ValueError`` for what is missing or is not known.

    >>> own = {"name": "old-shop", "says": "{loc}", "over": "urls", "where": "host = 'old.example'"}
    >>> own_rule(1, own).code
    'Z001'
    """
    for key, value in table.items():
        if key not in (*_MUST, *_MAY):
            raise ValueError(f"no key {key!r} is known{suggestion(key, (*_MUST, *_MAY))}")
        if not isinstance(value, str):
            raise ValueError(f"{key}: expected a text, found {value!r}")
    for key in _MUST:
        if not table.get(key, "").strip():
            raise ValueError(f"{key} is missing")
    code, name = table.get("code", f"Z{number:03}"), table["name"]
    if " " in name or " " in code:
        raise ValueError(f"expected a name and a code without spaces, found {name!r}, {code!r}")
    asked = f"{table.get('over', '')} {table.get('sql', '')}".lower()
    return rule(
        f"{code} {name} {table.get('level', 'warning')}",
        says=table["says"],
        why=table.get("why", "A rule of this project."),
        instead=table.get("instead", "See the configuration of this project"),
        source=table.get("source", "the configuration"),
        bad=_EXAMPLE,
        good=_EXAMPLE,
        over=table.get("over"),
        where=table.get("where"),
        sql=table.get("sql"),
        at=table.get("at"),
        needs=("markup", "order") if "markup" in asked else (),
    )
