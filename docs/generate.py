"""Generate the reference pages of docs/ from the code: API, commands, rules, tables.

Also the manual page and the completion scripts in packaging/share, which wheels install.

`make docs` writes them. With `--check`, stale pages are reported and the exit code is 1.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, get_args

from api_text import describe, markdown, signature
from figures import with_figures
from installation import with_installation
from manpage import man_page
from option_pages import commands, options
from signatures import generated_modules
from table_pages import ledger, tables

import urlset
from urlset import builder, sources
from urlset.checker import CATALOGUE, Rule
from urlset.cli.completion_scripts import completion_script
from urlset.live import crawl as crawls
from urlset.model import ContentSegment, Price, TvShow, VideoId
from urlset.option_schema import options_of
from urlset.output_schemas import OUTPUTS, Output, schemas
from urlset.reporter.rule_page import rule_page, rule_table
from urlset.terminal_text import template_text

DOCS = Path(__file__).parent
SHARE = "../packaging/share"
SCRIPTS = {"bash": "bash/urlset", "zsh": "zsh/_urlset", "fish": "fish/urlset.fish"}
OUTPUTS_INTRO = """\
# Schemas of JSON

Commands write JSON and JSON lines for programs. Each form has a JSON Schema (draft 2020-12):

```sh
urlset schema               # list the schemas
urlset schema check         # print one
```

`urlset.schemas()` returns all of them, by name. A schema of JSON lines describes one line.

Validate a report with the package `jsonschema`:

```python
import jsonschema
import urlset

findings = urlset.check(b"https://example.com/ https://example.com/a")
jsonschema.validate(findings.to_dict(), urlset.schemas()["check"])
```

Later versions may add fields, so a schema allows fields that it does not name: ignore them. A field
keeps its name, its type and its meaning, and one that is required remains so; [a removal is
announced](stability.md#how-something-is-removed) two minor versions before. `$id` is the stable
address of a schema.

The JSON of every result has `summary`, `is_complete`, and `incomplete` with what could not be read
or done; so has a build that failed. The command prints what `to_dict()` returns. Rows have no such
fields: the JSON lines of read, diff and sync, and the rules.

`urlset read --format json` writes an array of what the schema `read` describes; stderr and the exit
code say what could not be read. The columns of
`urlset read --sql QUERY --format jsonl` are those of the query, so they have no schema. `urlset
check --format sarif` follows the schema of SARIF 2.1.0.

| schema | output | a value is |
|---|---|---|
"""
SOURCES_INTRO = """\
[`urlset.build`](api.md#build) takes sources from `urlset.sources`, `CrawledPages` from
`urlset.live.crawl`, and options from `urlset.builder`. `open_source` detects the kind of a source
as the command does.
"""
SOURCES = (
    "open_source SourceOptions HtmlFolder Table Query TextSource Sitemaps AccessLog "
    "CandidateRows Candidate Source"
).split()
BUILDER = ("BuildOptions", "Filter", "Rewrite", "Build", "BuiltFile")
NESTED = (ContentSegment, Price, TvShow, VideoId)
WITH_FIGURES = ("../README.md", "../benches/README.md", "comparison.md", "scale.md")
"""Pages with regions that are filled from the recorded benchmarks."""
ADDED_RULES = re.compile(r"(?<=<!-- added rules -->\n).*?(?=<!-- /added rules -->\n)", re.DOTALL)
"""Region of a page for the table of :func:`with_added_rules`."""
NOTE = "<!-- Generated from the code by `make docs`; edit the docstrings instead. -->\n\n"
OPTIONS_NOTE = NOTE.replace("the docstrings", "src/urlset/option_schema")


def main() -> int:
    """Write the pages, or check them."""
    modules = {p: text for p, text in generated_modules().items() if read(p) != text}
    for path, text in modules.items():
        is_checked = "--check" in sys.argv
        what = "is stale: run `make docs` and commit it" if is_checked else "written"
        print(f"{os.path.relpath(path)} {what}", file=sys.stderr)
        if not is_checked:
            path.write_text(text, encoding="utf-8")
    if modules and "--check" in sys.argv:
        return 1
    if modules:  # the pages show the new signatures
        os.execv(sys.executable, [sys.executable, *sys.argv])
    pages = all_pages()
    stale = [name for name, text in pages.items() if read(DOCS / name) != text]
    if "--check" in sys.argv:
        for name in stale:
            path = os.path.normpath(f"docs/{name}")
            print(f"{path} is stale: run `make docs` and commit it", file=sys.stderr)
        return 1 if stale else 0
    for name in stale:
        (DOCS / name).parent.mkdir(parents=True, exist_ok=True)
        if pages[name]:
            (DOCS / name).write_text(pages[name], encoding="utf-8")
            print(f"{os.path.normpath(f'docs/{name}')} written")
        else:
            (DOCS / name).unlink()
            print(f"docs/{name} removed: nothing has this name")
    return 0


def all_pages() -> dict[str, str]:
    """Return the text of each page, by its path from docs/; that of a page to remove is empty."""
    pages = {"api.md": api(), "rules.md": rules(), "schemas.md": output_table()}
    pages |= {"tables.md": tables(), "ledger.md": ledger(), "sources.md": build_api()}
    pages |= {f"rules/{rule.name}.md": page_of_rule(rule) for rule in CATALOGUE.values()}
    pages = {name: NOTE + text for name, text in pages.items()}
    pages |= {"commands.md": OPTIONS_NOTE + commands(), "options.md": OPTIONS_NOTE + options()}
    filled = {name: with_figures(read(DOCS / name)) for name in WITH_FIGURES}
    filled["../README.md"] = with_installation("../README.md", filled["../README.md"])
    pages |= filled
    pages |= {f"schemas/{name}.json": json_text(schema) for name, schema in schemas().items()}
    pages["performance.md"] = performance(filled["../README.md"], filled["../benches/README.md"])
    pages[f"{SHARE}/man/urlset.1"] = man_page()
    pages |= {f"{SHARE}/{name}": completion_script(shell) for shell, name in SCRIPTS.items()}
    pages["departures.md"] = with_added_rules(read(DOCS / "departures.md"))
    by_hand = {path.name: read(path) for path in DOCS.glob("*.md") if path.name not in pages}
    pages |= {name: with_installation(name, text) for name, text in by_hand.items()}
    written = (*DOCS.glob("rules/*.md"), *DOCS.glob("schemas/*.json"))
    gone = {path.relative_to(DOCS).as_posix(): "" for path in written}
    return gone | pages


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def api() -> str:
    """Return the page of the public names, with signatures and docstrings."""
    parts = [f"# The library\n\n{markdown(inspect.cleandoc(urlset.__doc__ or ''))}\n"]
    named = {name: getattr(urlset, name) for name in urlset.__all__}
    named |= {f"model.{kind.__name__}": kind for kind in NESTED}
    parts += ["".join(describe(name, named[name])) for name in sorted(named, key=str.lower)]
    return "\n".join(parts)


def build_api() -> str:
    """Return the page of the sources and the options of a build."""
    parts = [f"# Sources and options\n\n{SOURCES_INTRO}"]
    for package, names in ((sources, SOURCES), (crawls, ("CrawledPages",)), (builder, BUILDER)):
        for name in names:
            value = getattr(package, name)
            text = options_page(value) if name == "BuildOptions" else "".join(describe(name, value))
            parts.append(made_of(name, value, text))
    return "\n".join(parts)


def output_table() -> str:
    """Return the page of the schemas."""
    return OUTPUTS_INTRO + "".join(map(output_row, OUTPUTS))


def output_row(output: Output) -> str:
    schema = schemas()[output.name]
    kinds = [schema["$defs"][kind.__name__] for kind in get_args(output.kind) or [output.kind]]
    meaning = " Or: ".join(kind["description"] for kind in kinds)
    form = "array: " if output.is_list else ""
    link = f"[{output.name}](schemas/{output.name}.json)"
    return f"| {link} | `{output.source}` | {form}{meaning} |\n"


def json_text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def made_of(name: str, value: object, text: str) -> str:
    """Return the page of a class, with the signature of its constructor if it has one."""
    if (
        not inspect.isclass(value)
        or "__init__" not in vars(value)
        or name in ("Source", "BuildOptions")
    ):
        return text
    heading = f"\n## `{name}`\n\n"
    shown = f"```text\n{name}{signature(value)}\n```\n\n"
    return text.replace(heading, heading + shown, 1)


def options_page(kind: type) -> str:
    """Return the fields of the options of a build as a table."""
    described = {option.name: option.description for option in options_of("build")}
    lines = ["| field | | default |", "|---|---|---|"]
    for field in dataclasses.fields(kind):
        is_made = field.default_factory is not dataclasses.MISSING
        given = "now" if is_made else f"`{field.default!r}`"
        lines.append(f"| `{field.name}` | {markdown(described[field.name])} | {given} |")
    head = markdown(inspect.getdoc(kind) or "")
    return f"\n## `BuildOptions`\n\n{head}\n\n" + "\n".join(lines) + "\n"


def performance(readme: str, benches: str) -> str:
    """Return the page of figures: those of the README, and how they are measured."""
    figures = readme.partition("\n## Speed\n")[2].partition("\n## ")[0].strip()
    method = re.sub(r"^(#+) ", r"#\1 ", benches.strip(), flags=re.MULTILINE)
    note = NOTE.replace("the code", "README.md and benches/README.md").replace(
        "docstrings", "files"
    )
    text = f"{note}# Performance\n\n{figures}\n\n{method}\n"
    return text.replace("](benches/", "](../benches/").replace("](docs/", "](")


def rules() -> str:
    """Return the page with the table of all rules."""
    words = (
        "`urlset check` reports these rules, `urlset rules NAME` shows the page of one. `…` stands "
        "for the value that was found. A rule is on unless the last column says otherwise."
    )
    return f"# The rules\n\n{words}\n\n" + "".join(f"{line}\n" for line in rule_table(CATALOGUE))


def with_added_rules(page: str) -> str:
    """Return a page with the table of the rules that the catalogue does not have."""
    rows = ["| rule | what it reports | why it was added |", "|---|---|---|"]
    rows += [
        f"| {rule.code} `{rule.name}` | {rule.page.heading or template_text(rule.message)} "
        f"| {rule.page.added} |"
        for rule in CATALOGUE.values()
        if rule.page.added
    ]
    table = "".join(f"{row}\n" for row in rows)
    return ADDED_RULES.sub(lambda _: table, page)


def page_of_rule(rule: Rule) -> str:
    """Return the page of one rule."""
    return "".join(f"{line}\n" for line in rule_page(rule))


if __name__ == "__main__":
    sys.exit(main())
