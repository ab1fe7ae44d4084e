"""Convert public objects to Markdown: signatures, docstrings, fields and members."""

from __future__ import annotations

import dataclasses
import inspect
import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

SECTIONS = {
    "Args": "Arguments",
    "Attributes": "Attributes",
    "Returns": "Returns",
    "Yields": "Yields",
    "Raises": "Raises",
}
SECTION = re.compile(rf"({'|'.join(SECTIONS)}):")
FIELD = re.compile(r"^ {4}([\w*.]+): ")


def describe(name: str, value: object) -> Iterator[str]:
    yield f"\n## `{name}`\n\n"
    if inspect.isfunction(value):
        yield f"```text\n{name}{signature(value)}\n```\n\n"
    yield markdown(inspect.getdoc(value) or "") + "\n"
    if not inspect.isclass(value):
        return
    yield "".join(fields_of(value))
    for key, member in sorted(members_of(value).items()):
        member = member.__func__ if isinstance(member, classmethod) else member
        if key.startswith("_") or not (inspect.isfunction(member) or is_property(member)):
            continue
        shown = f"{name}.{key}{signature(member) if inspect.isfunction(member) else ''}"
        text = markdown(inspect.getdoc(member) or "")
        if "\n" in shown:  # a heading is one line
            shown, text = f"{name}.{key}", f"```text\n{shown}\n```\n\n{text}"
        yield f"\n### `{shown}`\n\n{text}\n"


def members_of(kind: type) -> dict[str, Any]:
    """Return the members of a class, with those of its base classes in urlset."""
    bases = [base for base in kind.__mro__ if base.__module__.startswith("urlset")]
    return {key: member for base in reversed(bases) for key, member in vars(base).items()}


def fields_of(kind: type) -> Iterator[str]:
    """Yield the fields of a named tuple or a dataclass with types and defaults."""
    if dataclasses.is_dataclass(kind):
        listed = [(field.name, default_of(field)) for field in dataclasses.fields(kind)]
    elif issubclass(kind, tuple) and hasattr(kind, "_fields"):
        given: dict[str, Any] = kind._field_defaults  # type: ignore[attr-defined]  # no type
        listed = [(n, repr(given[n]) if n in given else None) for n in kind._fields]
    else:
        return
    yield "\n| field | type | default |\n|---|---|---|\n"
    for name, default in listed:
        found = (inspect.get_annotations(base).get(name) for base in kind.__mro__)
        given_type = next(filter(None, found), "")
        type_ = plain(getattr(given_type, "__forward_arg__", given_type))
        escaped = type_.replace("|", "\\|")
        shown = "" if default is None else f"`{default}`"
        yield f"| `{name}` | `{escaped}` | {shown} |\n"


def default_of(field: dataclasses.Field[Any]) -> str | None:
    if field.default_factory is not dataclasses.MISSING:
        made = field.default_factory()
        return repr(dict(made) if isinstance(made, Mapping) else made)
    return None if field.default is dataclasses.MISSING else repr(field.default)


def is_property(member: object) -> bool:
    return isinstance(member, property) or type(member).__name__ == "cached_property"


def signature(function: Callable[..., Any]) -> str:
    """Return the parameters and the return type, on one line or with one line per parameter."""
    found = inspect.signature(function)
    parts = list(parameters(found))
    result = "" if inspect.isclass(function) else returned(found)
    text = f"({', '.join(parts)}){result}"
    return text if len(text) < 80 else "(\n    " + ",\n    ".join(parts) + f"){result}"


def returned(found: inspect.Signature) -> str:
    given = found.return_annotation
    return "" if given is inspect.Signature.empty else f" -> {plain(given)}"


def parameters(found: inspect.Signature) -> Iterator[str]:
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    has_star = False
    for name, given in found.parameters.items():
        if name in ("self", "cls"):
            continue
        if given.kind is inspect.Parameter.KEYWORD_ONLY and not has_star:
            yield "*"
        has_star |= given.kind in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_POSITIONAL)
        text = marks.get(given.kind, "") + name
        is_typed = given.annotation is not inspect.Parameter.empty
        text += f": {plain(given.annotation)}" if is_typed else ""
        yield text + default(given.default, is_typed=is_typed)


def default(value: object, *, is_typed: bool) -> str:
    if value is inspect.Parameter.empty:
        return ""
    # Note: the environment of the person who runs this must not appear in the pages.
    shown = "os.environ" if value is os.environ else repr(value)
    shown = "{}" if shown == "<factory>" else shown
    return f" = {shown}" if is_typed else f"={shown}"


def plain(annotation: object) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def markdown(docstring: str) -> str:
    """Convert a docstring to Markdown: roles as code, literals in backquotes, examples fenced."""
    text = re.sub(r":\w+:`~?(?:urlset\.)?(?:\w+\.)*?([\w.]+)`", r"`\1`", docstring)
    text = sections(text.replace("``", "`"))
    return re.sub(r"(?m)((?:^>>>.*\n?(?:^(?!\n).+\n?)*)+)", fence, text)


def sections(text: str) -> str:
    """Convert the sections of a docstring, such as `Args:`, to headings with lists."""
    lines: list[str] = []
    section = None
    for line in text.splitlines():
        if (heading := SECTION.fullmatch(line)) is not None:
            section = heading[1]
            lines += [f"**{SECTIONS[section]}**", ""]
        elif section is None or (line and not line.startswith(" ")):
            section = None
            lines.append(line)
        elif section in ("Returns", "Yields"):
            lines.append(line.removeprefix("    "))
        else:
            lines.append(FIELD.sub(r"- `\1`: ", line).removeprefix("      "))
    return "\n".join(lines)


def fence(found: re.Match[str]) -> str:
    return f"```pycon\n{found[1].rstrip()}\n```\n"
