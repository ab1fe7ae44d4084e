"""Writes the pages of docs/ that say what the code says: the API, the commands, the rules.

`make docs` writes them; with `--check` it only tells which ones are stale, and exits with 1.
"""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import urlset
from urlset.checker import CATALOGUE, Rule
from urlset.reporter.pages import page, table

DOCS = Path(__file__).parent
COMMANDS = ("read", "build", "check", "rules")
NOTE = "<!-- Generated from the code by `make docs`; edit the docstrings instead. -->\n\n"


def main() -> int:
    """Write the pages, or check them."""
    pages = {"api.md": api(), "commands.md": commands(), "rules.md": rules()}
    pages |= {f"rules/{rule.name}.md": rule_page(rule) for rule in CATALOGUE.values()}
    pages |= {str(path.relative_to(DOCS)): "" for path in DOCS.glob("rules/*.md") if f"rules/{path.name}" not in pages}
    stale = [name for name, text in pages.items() if read(DOCS / name) != text]
    if "--check" in sys.argv:
        for name in stale:
            print(f"docs/{name} is stale: run `make docs` and commit it", file=sys.stderr)
        return 1 if stale else 0
    for name in stale:
        (DOCS / name).parent.mkdir(exist_ok=True)
        (DOCS / name).write_text(pages[name], encoding="utf-8")
        print(f"docs/{name} written")
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
        if key.startswith("_") or not (inspect.isfunction(member) or is_property(member)):
            continue
        shown = f"{key}{signature(member)}" if inspect.isfunction(member) else key
        text = markdown(inspect.getdoc(member) or "")
        yield f"\n### `{name}.{shown}`\n\n{text}\n"


def is_property(member: object) -> bool:
    return isinstance(member, property) or type(member).__name__ == "cached_property"


def signature(function: object) -> str:
    text = str(inspect.signature(function)).replace("self, ", "").replace("(self)", "()")  # type: ignore[arg-type]
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


if __name__ == "__main__":
    sys.exit(main())
