"""What the documentation tells users to import is public."""

import re
from pathlib import Path

import pytest

import urlset

ROOT = Path(__file__).parents[2]
PAGES = [
    path
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if "Generated from the code" not in path.read_text(encoding="utf-8")[:100]
]
MODULES = {
    "agents": "tools for agents, described in docs/agents.md",
    "builder": "options of a build, described in docs/sources.md",
    "integrations": "adapters of frameworks and generators",
    "live.audit": "statistics of a sample",
    "partitioned": "reading in parts",
    "sources": "sources of a build, described in docs/sources.md",
}
"""Modules whose names are public without being in `urlset.__all__`."""

OTHER = {"toml": "a file", "http": "a logger"}
"""Names after `urlset.` that are no objects."""

IMPORT = re.compile(r"from urlset(?:\.([\w.]+))? import ([\w, ]+)")
NAME = re.compile(r"(?<![\w./-])urlset\.([a-zA-Z_]\w*)((?:\.\w+)*)(?=\(|`|:)")


def is_public(module: str) -> bool:
    return any(module == one or module.startswith(f"{one}.") for one in MODULES)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_imports_of_the_documentation_are_public(path: Path):
    text = path.read_text(encoding="utf-8")
    wrong = [
        found[0]
        for found in IMPORT.finditer(text)
        if not (
            is_public(found[1])
            if found[1]
            else set(re.split(r",\s*", found[2].strip())) <= {*urlset.__all__, *MODULES}
        )
    ]
    wrong += [
        found[0]
        for found in NAME.finditer(text)
        if found[1] not in urlset.__all__
        and found[1] not in OTHER
        and not is_public(f"{found[1]}{found[2]}")
    ]

    assert wrong == []


def test_public_names_are_in_the_reference():
    """The page of the library is made of `urlset.__all__`; each name is a heading there."""
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")

    assert [name for name in urlset.__all__ if f"\n## `{name}`\n" not in text] == []
