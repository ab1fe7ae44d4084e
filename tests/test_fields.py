"""The field table of urlset.fields: everything that is written out by hand equals it."""

import re
from datetime import datetime
from typing import Any, get_type_hints

import pytest

from urlset import model
from urlset.engine import Engine, available
from urlset.engine.reference import names
from urlset.fields import (
    CONTENT,
    ENTRY,
    EXTENSIONS,
    PROBLEM,
    RECORDS,
    SITEMAP,
    Field,
    RecordSchema,
    container_elements,
    is_leaf,
    place_of,
)
from urlset.protocol import PREFIXES, URIS, Ns
from urlset.sources import EVIDENCE, Candidate

TYPES = {
    "string": str,
    "instant": datetime,
    "number": float,
    "uint64": int,
    "uint32": int,
}
ALL = [ENTRY, SITEMAP, PROBLEM, *RECORDS.values()]


def class_of(field: Field) -> Any:
    kind: Any = TYPES[field.type] if is_leaf(field.type) else getattr(model, field.type)
    return tuple[kind, ...] if field.is_list else kind


@pytest.mark.parametrize("record", ALL, ids=lambda record: record.name)
def test_classes_have_the_fields_of_the_table(record: RecordSchema):
    kind = getattr(model, record.name)
    hints = get_type_hints(kind)
    fields = [name for name in kind._fields if name != "detail"]

    assert fields == [field.name for field in record.fields]
    for field in record.fields:
        stated = class_of(field)
        is_required = field.name not in kind._field_defaults
        if record is PROBLEM and field.name == "level":
            stated = model.Level
        assert hints[field.name] in ((stated,) if field.is_list else (stated, stated | None))
        if not is_required:
            assert kind._field_defaults[field.name] == (() if field.is_list else None)


def test_candidates_begin_with_the_fields_of_entries():
    assert Candidate._fields == (*(field.name for field in ENTRY.fields), *EVIDENCE)


def test_content_comes_first_and_ends_with_the_extensions():
    assert ENTRY.fields[: len(CONTENT)] == CONTENT
    assert CONTENT[-len(EXTENSIONS) :] == EXTENSIONS


def test_fields_have_a_meaning_and_elements_a_prefix_with_a_namespace():
    for record in ALL:
        for field in record.fields:
            assert field.meaning, field
            for element in re.findall(r"(\w+):", field.element):
                assert element in PREFIXES, field


def test_native_columns_have_the_fields_of_the_table(native_tables: Any):
    fields, _, _ = native_tables

    assert dict(fields) == {
        record.name: [field.name for field in record.fields]
        for record in (ENTRY, *RECORDS.values())
    }


def test_native_containers_hold_the_elements_of_the_table(native_tables: Any):
    _, containers, _ = native_tables

    assert {name: set(elements) for name, elements in containers} == {
        name: set(elements) for name, elements in container_elements().items()
    }


def test_native_namespaces_have_the_elements_of_the_reference_engine(native_tables: Any):
    _, _, namespaces = native_tables
    expected = {URIS[ns]: set(elements) for ns, elements in names._KNOWN.items()}

    assert {uri: set(elements) for uri, elements in namespaces} == expected
    assert expected[URIS[Ns.XHTML]] == {"link"}


@pytest.fixture
def native_tables() -> Any:
    if "native" not in available():
        pytest.skip("the native engine is not built")
    from urlset.engine import _native

    return _native.field_tables()


def value_of(record: RecordSchema, field: Field) -> Any:
    """A text that no other field has, or a record of such texts; twice for a list."""
    if is_leaf(field.type):
        item: Any = f"{record.name} {field.name}"
    else:
        inner = RECORDS[field.type]
        item = getattr(model, field.type)(*(value_of(inner, part) for part in inner.fields))
    return (item, item) if field.is_list else item


def test_every_field_is_written_to_its_element_and_read_back(engine: Engine):
    content = {field.name: value_of(ENTRY, field) for field in EXTENSIONS if field.prefix}
    entry = model.Entry("https://example.com/", **content)

    document = engine.renderer("urlset", 10, 1 << 20, 10)
    document.add(engine.columns([entry]), 0)
    written = document.finish()

    (read,) = engine.parse(written, None, None, []).entries
    assert read._replace(offset=None, line=None) == entry
    for record in RECORDS.values():
        for field in record.fields:
            place = place_of(field)
            assert not place.attribute or f' {place.attribute}="'.encode() in written
            for element in place.elements:
                assert f":{element}>".encode() in written or f":{element} ".encode() in written
