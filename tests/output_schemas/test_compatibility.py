"""The schemas allow what programs that were written for the last release expect."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.output_schemas.compatibility import breaches
from urlset.output_schemas import schemas

RELEASED = sorted(Path(__file__).with_name("released").glob("*.json"))
"""Schemas by release. `urlset.schemas()` as JSON is stored here when a version is released."""

OLD: dict[str, Any] = {
    "title": "Old",
    "$ref": "#/$defs/Tea",
    "$defs": {
        "Tea": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "kind": {"enum": ["green", "black"]},
                "year": {"type": ["integer", "null"]},
                "cups": {"type": "array", "items": {"$ref": "#/$defs/Cup"}},
                "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
                "parent": {"anyOf": [{"$ref": "#/$defs/Tea"}, {"type": "null"}]},
                "pair": {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
            },
            "required": ["name", "kind"],
        },
        "Cup": {"type": "object", "properties": {"size": {"type": "number"}}, "required": ["size"]},
    },
}


def changed(*path: str | int, to: Any) -> dict[str, Any]:
    """Return the schema with another value at a path below `$defs`; None removes it."""
    schema = copy.deepcopy(OLD)
    place: Any = schema["$defs"]
    for step in path[:-1]:
        place = place[step]
    if to is None:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return schema


def test_the_same_schema_is_compatible():
    assert breaches(OLD, OLD) == []


@pytest.mark.parametrize(
    "new",
    [
        changed("Tea", "properties", "price", to={"type": "number"}),
        changed("Tea", "required", to=["kind", "name", "year"]),
        changed("Tea", "properties", "name", to={"type": "string", "description": "Its name."}),
        changed("Tea", "properties", "year", to={"type": ["null", "integer"]}),
        changed("Cup", "properties", "colour", to={"type": "string"}),
    ],
)
def test_an_addition_is_compatible(new):
    assert breaches(OLD, new) == []


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (changed("Tea", "properties", "year", to=None), "/year: it is gone"),
        (changed("Tea", "required", to=["name"]), "/kind: it is not required any more"),
        (
            changed("Tea", "properties", "name", "type", to="integer"),
            "/name/type: 'string' became 'integer'",
        ),
        (
            changed("Tea", "properties", "year", "type", to="integer"),
            "/year/type: ['integer', 'null'] became 'integer'",
        ),
        (
            changed("Tea", "properties", "name", "type", to=["string", "null"]),
            "/name/type: 'string' became ['string', 'null']",
        ),
        (
            changed("Tea", "properties", "kind", "enum", to=["green"]),
            "/kind/enum: ['green', 'black'] became ['green']",
        ),
        (changed("Cup", "properties", "size", to=None), "/cups/items/size: it is gone"),
        (
            changed("Tea", "properties", "counts", "additionalProperties", "type", to="string"),
            "/counts/additionalProperties/type: 'integer' became 'string'",
        ),
        (
            changed("Tea", "properties", "parent", "anyOf", to=[{"type": "null"}]),
            "/parent/anyOf: [{'$ref': '#/$defs/Tea'}, {'type': 'null'}] became [{'type': 'null'}]",
        ),
        (changed("Tea", "properties", "pair", "items", to=True), "/pair/items: False became True"),
    ],
)
def test_a_removal_or_another_type_is_not_compatible(new, message):
    assert message in breaches(OLD, new)


def test_a_class_may_have_another_name():
    renamed = json.loads(json.dumps(OLD).replace("Cup", "Mug"))

    assert breaches(OLD, renamed) == []


@pytest.mark.parametrize("path", RELEASED, ids=lambda path: path.stem)
def test_schemas_are_compatible_with_those_of_the_release(path):
    released = json.loads(path.read_text("utf-8"))
    now = schemas()

    gone = released.keys() - now.keys()
    found = {name: breaches(old, now[name]) for name, old in released.items() if name in now}

    assert not gone
    assert {name: texts for name, texts in found.items() if texts} == {}


def test_a_release_is_stored():
    assert "0.1.0" in {path.stem for path in RELEASED}
