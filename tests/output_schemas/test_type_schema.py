"""Schemas of types: what a typed dict, a named tuple or a union becomes."""

from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict

import pytest

from urlset.output_schemas import schemas
from urlset.output_schemas.type_schema import TypeSchemas


class Leaf(NamedTuple):
    """A leaf; see :class:`urlset.Entry`.

    Attributes:
        size: Its size; ``None`` if it is
            unknown.
    """

    size: float | None
    name: str
    colour: str = "green"


class Base(TypedDict):
    """What all teas have.

    Attributes:
        name: Name of the tea.
    """

    name: str


class Tea(Base):
    """A tea."""

    leaves: list[Annotated[dict[str, Any], Leaf]]
    note: NotRequired[str]


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (str, {"type": "string"}),
        (int | None, {"type": ["integer", "null"]}),
        (Literal["a", "b"], {"enum": ["a", "b"]}),
        (Literal["a"] | None, {"enum": ["a", None]}),
        (tuple[str, ...], {"type": "array", "items": {"type": "string"}}),
        (
            tuple[str, int],
            {
                "type": "array",
                "prefixItems": [{"type": "string"}, {"type": "integer"}],
                "items": False,
                "minItems": 2,
            },
        ),
        (
            dict[Literal["a"], int],
            {
                "type": "object",
                "additionalProperties": {"type": "integer"},
                "propertyNames": {"enum": ["a"]},
            },
        ),
        (Annotated[str, datetime], {"type": "string", "format": "date-time"}),
    ],
)
def test_a_type_has_its_schema(kind, schema):
    assert TypeSchemas().of(kind) == schema


def test_a_class_is_a_definition():
    types = TypeSchemas(bases=[Base])

    schema = types.of(Tea)

    assert schema == {"$ref": "#/$defs/Tea"}
    tea, leaf = types.definitions["Tea"], types.definitions["Leaf"]
    assert tea["required"] == ["name", "leaves"]
    assert tea["properties"]["name"] == {"description": "Name of the tea.", "type": "string"}
    assert leaf["description"] == "A leaf; see `Entry`."
    assert leaf["required"] == ["size", "name", "colour"]
    assert leaf["properties"]["size"] == {
        "description": "Its size; `null` if it is unknown.",
        "type": ["number", "null"],
    }


def test_a_sparse_class_has_only_values():
    types = TypeSchemas(sparse=[Leaf])
    types.of(Leaf)

    leaf = types.definitions["Leaf"]

    assert leaf["required"] == ["name"]
    assert leaf["properties"]["size"]["type"] == "number"


def test_documents_describe_what_the_class_does_not():
    types = TypeSchemas({Tea: [{"note": "a remark.", "name": "Another."}]}, [Base])
    types.of(Tea)

    properties = types.definitions["Tea"]["properties"]

    assert properties["note"]["description"] == "A remark."
    assert properties["name"]["description"] == "Name of the tea."


def test_a_type_that_json_does_not_have_is_refused():
    with pytest.raises(TypeError, match="expected a type of JSON"):
        TypeSchemas().of("Tea")


def test_every_field_of_every_output_is_described():
    without = [
        f"{name}: {kind}.{field}"
        for name, schema in schemas().items()
        for kind, inner in schema["$defs"].items()
        for field, described in inner["properties"].items()
        if not described.get("description")
    ]

    assert without == []
