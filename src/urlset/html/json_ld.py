"""Read the objects in the JSON-LD scripts of a page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["JsonLdNode", "first_text", "read_json_ld"]

MAX_SCRIPT = 1_048_576
MAX_NODES = 10_000

_WRAPPING = re.compile(
    r"^\s*+(?:(?://|/\*)?\s*+(?:<!\[CDATA\[|<!--)\s*+(?:\*/)?)?|"
    r"(?:(?://|/\*)?\s*+(?:\]\]>|-->)\s*+(?:\*/)?)?\s*+$"
)
_OF_THE_PAGE = ("@graph", "mainEntity", "mainEntityOfPage")


class JsonLdNode(NamedTuple):
    """A JSON-LD object; ``is_of_page`` if it is the page, or the main subject of the page."""

    types: frozenset[str]
    properties: dict[str, Any]
    is_of_page: bool


def read_json_ld(scripts: list[str]) -> list[JsonLdNode]:
    """Return every object in the scripts, in order; skip scripts that are not JSON.

    >>> [sorted(thing.types) for thing in read_json_ld(['{"@graph": [{"@type": "WebPage"}]}', "{"])]
    [[], ['WebPage']]
    """
    found: list[JsonLdNode] = []
    for script in scripts:
        # Note: a stack, because a hostile page could exhaust the recursion limit.
        stack: list[tuple[Any, bool]] = [(_loaded(script), True)]
        while stack and len(found) < MAX_NODES:
            value, is_of_page = stack.pop()
            if isinstance(value, list):
                stack += [(item, is_of_page) for item in reversed(value)]
            elif isinstance(value, dict):
                found.append(JsonLdNode(frozenset(_types(value)), value, is_of_page))
                stack += [
                    (inner, is_of_page and key in _OF_THE_PAGE)
                    for key, inner in reversed(value.items())
                    if isinstance(inner, dict | list)
                ]
    return found


def first_text(value: Any) -> str | None:
    """Return the text of a value, of its first item, or of its ``@value``, trimmed.

    >>> first_text([{"@value": " a "}])
    'a'
    """
    for _ in range(4):
        if isinstance(value, list):
            value = value[0] if value else None
        elif isinstance(value, dict):
            value = value.get("@value")
        else:
            break
    if not isinstance(value, str):
        return None
    # Note: JSON can escape half of a character ("\\ud800"), which is invalid in UTF-8.
    return value.strip().encode(errors="replace").decode() or None


def _loaded(script: str) -> Any:
    if len(script) > MAX_SCRIPT:
        return None
    try:
        return json.loads(_WRAPPING.sub("", script), strict=False)
    except (ValueError, RecursionError):
        return None


def _types(properties: dict[str, Any]) -> Iterator[str]:
    named = properties.get("@type")
    for name in named if isinstance(named, list) else [named]:
        if isinstance(name, str):
            yield name.rpartition("/")[2].rpartition(":")[2]
