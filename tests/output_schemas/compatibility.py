"""Compare two versions of the schema of an output: what programs rely on remains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any] | bool

_NOTES = {"$id", "$schema", "title", "description", "$defs"}
_SCHEMAS = {"items", "additionalProperties", "propertyNames"}
_LISTS_OF_SCHEMAS = {"anyOf", "prefixItems"}


def breaches(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Return what a program that reads the old output cannot rely on any more; empty if nothing.

    Fields may be added. A field keeps its place and its type with all values that it may have, and
    remains required: a value that is new, or never written again, changes what programs expect.
    """
    return [*_breaches(old, new, old.get("$defs", {}), new.get("$defs", {}), "", frozenset())]


def _breaches(
    old: Schema,
    new: Schema,
    old_names: dict[str, Any],
    new_names: dict[str, Any],
    place: str,
    seen: frozenset[tuple[str, str]],
) -> Iterator[str]:
    old, old_name = _resolved(old, old_names)
    new, new_name = _resolved(new, new_names)
    if (
        isinstance(old, bool)
        or isinstance(new, bool)
        or (old_name and (old_name, new_name) in seen)
    ):
        if isinstance(old, bool) != isinstance(new, bool) or (isinstance(old, bool) and old != new):
            yield f"{place}: {old} became {new}"
        return
    seen |= {(old_name, new_name)}
    inside = (old_names, new_names)
    properties = new.get("properties", {})
    for name, schema in old.get("properties", {}).items():
        if name in properties:
            yield from _breaches(schema, properties[name], *inside, f"{place}/{name}", seen)
        else:
            yield f"{place}/{name}: it is gone"
    for name in set(old.get("required", ())) - set(new.get("required", ())):
        yield f"{place}/{name}: it is not required any more"
    for key in sorted((old.keys() | new.keys()) - _NOTES - {"properties", "required"}):
        before, after = old.get(key), new.get(key)
        if key in _SCHEMAS and before is not None and after is not None:
            yield from _breaches(before, after, *inside, f"{place}/{key}", seen)
        elif key in _LISTS_OF_SCHEMAS and before and after and len(before) == len(after):
            for number, (one, other) in enumerate(zip(before, after, strict=True)):
                yield from _breaches(one, other, *inside, f"{place}/{key}/{number}", seen)
        elif _sorted(before) != _sorted(after):
            yield f"{place}/{key}: {before!r} became {after!r}"


def _resolved(schema: Schema, names: dict[str, Any]) -> tuple[Schema, str]:
    if isinstance(schema, bool) or "$ref" not in schema:
        return schema, ""
    name = schema["$ref"].removeprefix("#/$defs/")
    return {key: value for key, value in schema.items() if key != "$ref"} | names[name], name


def _sorted(value: Any) -> Any:
    return sorted(value, key=repr) if isinstance(value, list) else value
