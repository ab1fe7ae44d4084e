"""Glossary of the parameters: what each name means, wherever it occurs."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args, get_origin

from urlset.option_schema.option import Option

VERBS = (
    "read", "build", "check", "crawl", "audit", "diff", "watch", "submit", "sync",
    "report", "rules", "schema", "mcp", "completion",
)  # fmt: skip
"""Functions and commands whose options are declared."""

MEANINGS = MappingProxyType(
    {
        "base_url": "URL at which a file or a folder is published; relative URLs refer to it.",
        "max_removed": "Limit of the URLs that disappear: a number, or a share such as 5%.",
        "dry_run": "Write and send nothing, and report what would be.",
        "format": "Format of what is written.",
        "ledger": "Record of what `build` published, a DuckDB file. It is not called store: it is "
        "an input of `submit`, whose own kept file is its store.",
        "max_bytes": "Maximum size of one document, uncompressed. The protocol limits those that "
        "are written.",
        "max_examples": "Examples of each rule or kind of change in a report for people; 0 for "
        "all.",
        "output": "File to write to instead of stdout.",
        "scope": "Which URLs count by where they are; `include`, `exclude` and `hosts` restrict "
        "them further.",
        "site": "URL of a site, or of a sitemap; for `crawl` the URL of the first page.",
        "sources": "What is read: sites, URLs of sitemaps, files, folders, or - for stdin; for "
        "`build` also tables, databases and logs.",
        "store": "DuckDB file that a verb keeps from one run to the next.",
        "stores": "Such files, of several sites.",
        "why": "URL to explain, without writing or visiting anything.",
    }
)
"""Meanings of names whose help says in each verb what is special there, and of two near others."""


class Term(NamedTuple):
    """One name of the glossary.

    Attributes:
        name: The parameter.
        kind: ``text``, ``number``, ``whole number``, ``true or false``, ``choice``, ``path``,
            ``list``, ``table`` or ``object``; a list of words if verbs differ, which a test
            excludes.
        unit: Unit of a number.
        minimum: Smallest number.
        meaning: What it means in all verbs.
        verbs: Where it occurs.
    """

    name: str
    kind: str
    unit: str
    minimum: float | None
    meaning: str
    verbs: tuple[str, ...]


def kind_of(option: Option) -> str:
    """Return the type of an option in words."""
    kind = option.type
    names = {str: "text", int: "whole number", float: "number", bool: "true or false"}
    if option.is_path or kind is Path:
        return "path"
    origin = get_origin(kind)
    if origin is Literal:
        return "choice"
    if origin in (list, dict):
        return "list" if origin is list else "table"
    return "text or table" if get_args(kind) else names.get(kind, "object")


def glossary() -> tuple[Term, ...]:
    """Return the names of all options by name, from the declarations.

    >>> term = {term.name: term for term in glossary()}["confirm_after_s"]
    >>> term.kind, term.unit, term.minimum, term.verbs
    ('number', 'seconds', 0, ('crawl', 'audit'))
    """
    from urlset.option_schema import options_of

    found: dict[str, list[tuple[str, Option]]] = {}
    for verb in VERBS:
        for option in options_of(verb):
            found.setdefault(option.name, []).append((verb, option))
    return tuple(_term(name, found[name]) for name in sorted(found))


def _term(name: str, declared: list[tuple[str, Option]]) -> Term:
    options = [option for _, option in declared]
    first = options[0]
    values: dict[str, Any] = {
        "kind": " or ".join(dict.fromkeys(map(kind_of, options))),
        "unit": " or ".join(dict.fromkeys(option.unit for option in options)),
        "meaning": MEANINGS.get(name, first.help),
    }
    minima = {option.minimum for option in options}
    minimum = first.minimum if len(minima) == 1 else float("nan")
    return Term(name, minimum=minimum, verbs=tuple(verb for verb, _ in declared), **values)
