"""Writes the pages of docs/ that say what the code says: the API, commands, rules, tables.

`make docs` writes them; with `--check` it only tells which ones are stale, and exits with 1.
"""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import urlset
from urlset.checker import CATALOGUE, Rule
from urlset.reporter.pages import page, table
from urlset.store import MACROS, TABLES, VIEWS, Table

DOCS = Path(__file__).parent
COMMANDS = ("read", "build", "check", "rules")
TABLES_INTRO = """\
`urlset read SOURCE --output site.duckdb`, `urlset.read(source).to_duckdb(path)` and
`urlset.Store.fill` fill a store: a file of DuckDB with these tables. `urlset.Store.query`,
`urlset read site.duckdb --sql QUERY` and DuckDB itself ask it.

`documents.document` names a document, `document` and `entry` together an entry. The words
`"offset"`, `"end"` and `"column"` belong to SQL: write them in quotes.
"""
NOTE = "<!-- Generated from the code by `make docs`; edit the docstrings instead. -->\n\n"


def main() -> int:
    """Write the pages, or check them."""
    pages = {"api.md": api(), "commands.md": commands(), "rules.md": rules(), "tables.md": tables()}
    pages |= {f"rules/{rule.name}.md": rule_page(rule) for rule in CATALOGUE.values()}
    gone = {f"rules/{path.name}": "" for path in DOCS.glob("rules/*.md")}
    pages = gone | pages
    stale = [name for name, text in pages.items() if read(DOCS / name) != text]
    if "--check" in sys.argv:
        for name in stale:
            print(f"docs/{name} is stale: run `make docs` and commit it", file=sys.stderr)
        return 1 if stale else 0
    for name in stale:
        (DOCS / name).parent.mkdir(exist_ok=True)
        if pages[name]:
            (DOCS / name).write_text(pages[name], encoding="utf-8")
            print(f"docs/{name} written")
        else:
            (DOCS / name).unlink()
            print(f"docs/{name} removed: there is no such rule")
    return 0


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def api() -> str:
    """The public names of the library, with their signatures and docstrings."""
    parts = [f"{NOTE}# The library\n\n{markdown(inspect.cleandoc(urlset.__doc__ or ''))}\n"]
    names = sorted(urlset.__all__, key=str.lower)
    parts += ["".join(describe(name, getattr(urlset, name))) for name in names]
    return "\n".join(parts)


def describe(name: str, value: object) -> Iterator[str]:
    yield f"\n## `{name}`\n\n"
    if inspect.isfunction(value):
        yield f"```text\n{name}{signature(value)}\n```\n\n"
    yield markdown(inspect.getdoc(value) or "") + "\n"
    if not inspect.isclass(value) or issubclass(value, tuple):
        return
    for key, member in sorted(vars(value).items()):
        member = member.__func__ if isinstance(member, classmethod) else member
        if key.startswith("_") or not (inspect.isfunction(member) or is_property(member)):
            continue
        shown = f"{key}{signature(member)}" if inspect.isfunction(member) else key
        text = markdown(inspect.getdoc(member) or "")
        yield f"\n### `{name}.{shown}`\n\n{text}\n"


def is_property(member: object) -> bool:
    return isinstance(member, property) or type(member).__name__ == "cached_property"


def signature(function: Callable[..., object]) -> str:
    text = str(inspect.signature(function))
    for own, shown in (("self, ", ""), ("(self)", "()"), ("cls, ", "")):
        text = text.replace(own, shown)
    text = re.sub(r"'([^']*)'", r"\1", text) if " -> '" in text else text
    return text if len(text) < 80 else text.replace("(", "(\n    ", 1).replace(", ", ",\n    ")


def markdown(docstring: str) -> str:
    """Docstrings as Markdown: roles as code, literal text in backquotes, examples fenced."""
    text = re.sub(r":\w+:`~?(?:urlset\.)?(?:\w+\.)*?([\w.]+)`", r"`\1`", docstring)
    text = text.replace("``", "`")
    return re.sub(r"(?m)((?:^>>>.*\n?(?:^(?!\n).+\n?)*)+)", fence, text)


def fence(found: re.Match[str]) -> str:
    return f"```pycon\n{found[1].rstrip()}\n```\n"


def commands() -> str:
    """What each command says with --help."""
    parts = [f"{NOTE}# The commands\n"]
    for words in ([], *([command] for command in COMMANDS)):
        shown = " ".join(["urlset", *words, "--help"])
        parts.append(f"\n## `{shown}`\n\n```text\n{help_of(words)}\n```\n")
    return "".join(parts)


def help_of(words: list[str]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "urlset", *words, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"},
    )
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


def rules() -> str:
    """All rules in one table."""
    words = (
        "`urlset check` names them, `urlset rules NAME` shows the page of one. `…` stands for what "
        "was found. A rule is on unless the last column says otherwise."
    )
    return f"{NOTE}# The rules\n\n{words}\n\n" + "".join(f"{line}\n" for line in table(CATALOGUE))


def rule_page(rule: Rule) -> str:
    """The page of one rule."""
    return NOTE + "".join(f"{line}\n" for line in page(rule))


def tables() -> str:
    """The tables of a store."""
    parts = [f"{NOTE}# The tables\n\n{TABLES_INTRO}", *map(table_of, TABLES)]
    parts.append("\n## Views\n\n| view | rows |\n|---|---|\n")
    parts += [f"| `{view.name}` | {view.doc} `{view.query}` |\n" for view in VIEWS]
    parts.append("\n## Functions\n\n| function | gives |\n|---|---|\n")
    parts += [f"| `{macro.head}` | {macro.doc} |\n" for macro in MACROS]
    return "".join(parts)


def table_of(table: Table) -> str:
    head = f"\n## `{table.name}`\n\n{table.doc}\n\n| column | type | meaning |\n|---|---|---|\n"
    rows = (f"| `{name}` | {brief(kind)} | {doc} |\n" for name, kind, doc in table.columns)
    return head + "".join(rows)


def brief(kind: str) -> str:
    """A type as it is, or where it has many fields, their names."""
    if not kind.startswith("STRUCT"):
        return kind
    inner = re.sub(r"STRUCT\((?:[^()]|\([^()]*\))*\)(?=\[\]|[,)])", "VARCHAR", kind[7:])
    names = [field.split()[0] for field in inner.rpartition(")")[0].split(", ")]
    return f"{'list of ' if kind.endswith('[]') else ''}struct: {', '.join(names)}"


if __name__ == "__main__":
    sys.exit(main())
