"""Read the JSON-LD scripts of a page as typed objects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

MAX_SCRIPT = 1_048_576
MAX_NODES = 10_000

_BEGIN = re.compile(r"(?://|/\*)?\s*+(?:<!\[CDATA\[|<!--)\s*+(?:\*/)?")
_ENDS = ("]]>", "-->")
_OF_THE_PAGE = ("@graph", "mainEntity", "mainEntityOfPage")


_TEXTS = (
    "@id", "contentUrl", "dateModified", "datePublished", "description", "duration", "embedUrl",
    "headline", "inLanguage", "name", "uploadDate",
)  # fmt: skip


class JsonLdNode(NamedTuple):
    """A JSON-LD object, with the properties that are facts of a page.

    Attributes:
        types: Names of its types, without their namespaces.
        is_of_page: Whether it is the page, or the main subject of the page.
        texts: Texts by the name of the property, such as ``headline``; empty ones are absent.
        images: URLs of ``image``.
        thumbnail: URL of the thumbnail; empty if there is none.
        publisher: Name of the publisher, which may be another object of the page.
    """

    types: frozenset[str]
    is_of_page: bool
    texts: dict[str, str]
    images: list[str]
    thumbnail: str
    publisher: str | None


def read_json_ld(scripts: Sequence[str]) -> list[JsonLdNode]:
    """Return every object in the scripts, in order; skip scripts that are not JSON.

    >>> [sorted(thing.types) for thing in read_json_ld(['{"@graph": [{"@type": "WebPage"}]}', "{"])]
    [[], ['WebPage']]
    """
    objects: list[tuple[dict[str, Any], bool]] = []
    for script in scripts:
        # Note: a stack, because a hostile page could exhaust the recursion limit.
        stack: list[tuple[Any, bool]] = [(_loaded(script), True)]
        while stack and len(objects) < MAX_NODES:
            value, is_of_page = stack.pop()
            if isinstance(value, list):
                stack += [(item, is_of_page) for item in reversed(value)]
            elif isinstance(value, dict):
                objects.append((value, is_of_page))
                stack += [
                    (inner, is_of_page and key in _OF_THE_PAGE)
                    for key, inner in reversed(value.items())
                    if isinstance(inner, dict | list)
                ]
    names: dict[str, str | None] = {}
    nodes: list[JsonLdNode] = []
    for properties, is_of_page in objects:
        texts = {
            key: text
            for key in _TEXTS
            if key in properties and (text := _first_text(properties[key]))
        }
        if "@id" in texts:
            names[texts["@id"]] = texts.get("name")
        thumbnail = properties.get("thumbnailUrl") or properties.get("thumbnail")
        nodes.append(
            JsonLdNode(
                frozenset(_types(properties)),
                is_of_page,
                texts,
                list(_urls(properties.get("image"))),
                next(_urls(thumbnail), ""),
                None,
            )
        )
    return [
        node._replace(publisher=_publisher(properties["publisher"], names))
        if "publisher" in properties
        else node
        for node, (properties, _) in zip(nodes, objects, strict=True)
    ]


def _first_text(value: Any) -> str | None:
    """Return the trimmed text of a JSON-LD value: of the text, its first item, or its ``@value``.

    >>> _first_text([{"@value": " a "}])
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
        return json.loads(_unwrapped(script), strict=False)
    except (ValueError, RecursionError):
        return None


def _unwrapped(script: str) -> str:
    """Return a script without the comment or the CDATA section around it.

    Note: an expression that ends with blanks is tried at each blank of a hostile script.
    """
    text = script.strip()
    if begin := _BEGIN.match(text):
        text = text[begin.end() :]
    body = text.removesuffix("*/").rstrip()
    if not body.endswith(_ENDS):
        return text
    body = body[:-3].rstrip()
    return body[:-2] if body.endswith(("//", "/*")) else body


def _types(properties: dict[str, Any]) -> Iterator[str]:
    named = properties.get("@type")
    for name in named if isinstance(named, list) else [named]:
        if isinstance(name, str):
            yield name.rpartition("/")[2].rpartition(":")[2]


def _urls(value: Any) -> Iterator[str]:
    """Yield the URLs in an ``image`` of JSON-LD: a text, an object with ``url``, or a list."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            item = item.get("url") or item.get("contentUrl")
        if url := _first_text(item):
            yield url


def _publisher(value: Any, names: dict[str, str | None]) -> str | None:
    """Return the name of a publisher: its text, its ``name``, or that of the object it refers to.

    Args:
        value: The property ``publisher``.
        names: Names of the objects of the page, by ``@id``.
    """
    if isinstance(value, list):
        value = value[0] if value else None
    if not isinstance(value, dict):
        return _first_text(value)
    return _first_text(value.get("name")) or names.get(_first_text(value.get("@id")) or "")
