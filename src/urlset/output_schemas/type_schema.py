"""JSON Schema of a type: of the typed dict, named tuple or dataclass that a writer writes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_SCALARS = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    datetime: {"type": "string", "format": "date-time"},
}
_ROLE = re.compile(r":\w++:`~?(?:urlset\.)?([\w.]++)`")
_ATTRIBUTE = re.compile(r"^ {4}(\w+): ((?:.|\n {8})+)", re.MULTILINE)


class TypeSchemas:
    """Schemas of types. Those of classes are collected in ``definitions``, which refer by name.

    Args:
        documents: What describes the fields that a class does not describe itself, by class: other
            classes, or texts by field.
        bases: Typed dicts that others extend. They are found by their fields, because Python before
            3.12 does not keep the bases of a typed dict.
        sparse: Named tuples whose fields are absent if they have no value.
    """

    def __init__(
        self,
        documents: Mapping[type, Sequence[type | Mapping[str, str]]] = MappingProxyType({}),
        bases: Sequence[type] = (),
        sparse: Collection[type] = (),
    ):
        self.definitions: dict[str, Any] = {}
        self._documents = documents
        self._bases = bases
        self._sparse = sparse

    def of(self, kind: Any) -> dict[str, Any]:
        """Return the schema of a type; one of a class is a reference.

        >>> TypeSchemas().of(list[int | None])
        {'type': 'array', 'items': {'type': ['integer', 'null']}}
        """
        if kind in _SCALARS:
            return dict(_SCALARS[kind])
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Annotated:  # the first type is that in Python, the second what it stands for
            return self.of(arguments[1])
        if origin is NotRequired:
            return self.of(arguments[0])
        if origin is Literal:
            return {"enum": list(arguments)}
        if origin in (Union, UnionType):
            return _union([self.of(each) for each in arguments])
        if origin is list or (origin is tuple and arguments[1:] == (...,)):
            return {"type": "array", "items": self.of(arguments[0])}
        if origin is tuple:
            items = [self.of(each) for each in arguments]
            return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}
        if origin is dict:
            found = {"type": "object", "additionalProperties": self.of(arguments[1])}
            if get_origin(arguments[0]) is Literal:
                found["propertyNames"] = self.of(arguments[0])
            return found
        if not isinstance(kind, type):
            raise TypeError(f"expected a type of JSON, found {kind!r}")
        if kind.__name__ not in self.definitions:
            self.definitions[kind.__name__] = {}  # for a type that contains itself
            self.definitions[kind.__name__] = self._object(kind)
        return {"$ref": f"#/$defs/{kind.__name__}"}

    def _object(self, kind: type) -> dict[str, Any]:
        described = self._described(kind)
        properties, required = {}, []
        for name, hint in get_type_hints(kind, include_extras=True).items():
            # Note: classes do not know NotRequired in annotations that are text.
            is_optional = get_origin(hint) is NotRequired
            is_optional |= name not in getattr(kind, "__required_keys__", (name,))
            if kind in self._sparse:
                is_optional = name in _defaults(kind) or type(None) in get_args(hint)
                hint = _without_none(hint)
            schema = self.of(hint)
            words = {"description": described[name]} if name in described else {}
            properties[name] = words | schema
            required += [] if is_optional else [name]
        return {
            "description": _plain((inspect.getdoc(kind) or "").partition("\n\n")[0]),
            "type": "object",
            "properties": properties,
            "required": required,
        }

    def _described(self, kind: type) -> dict[str, str]:
        """Return the descriptions of the fields of a class, by name."""
        fields = kind.__annotations__.items()
        bases = [base for base in self._bases if base.__annotations__.items() <= fields]
        found: dict[str, str] = {}
        for each in (*self._documents.get(kind, ()), *bases, kind):
            found |= attributes_of(each) if isinstance(each, type) else each
        return {name: _plain(text) for name, text in found.items()}


def attributes_of(kind: type) -> dict[str, str]:
    """Return the descriptions of fields in the docstring of a class, by name."""
    text = inspect.cleandoc(kind.__doc__ or "")
    return dict(_ATTRIBUTE.findall(text.partition("\nAttributes:\n")[2].partition("\n\n")[0]))


def _plain(docstring: str) -> str:
    """Return a description as a sentence in Markdown; None of Python is null in JSON."""
    text = _ROLE.sub(r"`\1`", " ".join(docstring.split())).replace("``", "`")
    text = re.sub(r"\bNone\b", "null", text).rstrip(".")
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _union(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    if all(list(schema) == ["type"] for schema in schemas):
        return {"type": [schema["type"] for schema in schemas]}
    if len(schemas) == 2 and schemas[1] == {"type": "null"} and "enum" in schemas[0]:
        return {"enum": [*schemas[0]["enum"], None]}
    return {"anyOf": schemas}


def _without_none(kind: Any) -> Any:
    if get_origin(kind) not in (Union, UnionType):
        return kind
    return Union[tuple(each for each in get_args(kind) if each is not type(None))]  # noqa: UP007


def _defaults(kind: type) -> Mapping[str, Any]:
    return getattr(kind, "_field_defaults", {})
