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
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from api_text import describe, markdown, signature
from figures import with_figures
from installation import with_installation
from manpage import man_page
from signatures import generated_modules

import urlset
from urlset import builder, sources
from urlset.builder.ledger import TABLES as LEDGER_TABLES
from urlset.checker import CATALOGUE, Rule
from urlset.cli.app import COMMANDS
from urlset.cli.completion_scripts import completion_script
from urlset.fields import RECORDS, RecordSchema
from urlset.live import crawl as crawls
from urlset.live.schemas import (
    HISTORY_TABLES,
    INSPECTION_TABLES,
    LIVE_TABLES,
    LIVE_VIEWS,
    SYNC_TABLES,
)
from urlset.live.submit.announcement_tables import TABLES as ANNOUNCEMENT_TABLES
from urlset.model import ContentSegment, Price, TvShow, VideoId
from urlset.option_schema import Option, options_of
from urlset.option_schema.glossary import MEANINGS, Term, glossary
from urlset.output_schemas import OUTPUTS, Output, schemas
from urlset.reporter.rule_page import rule_page, rule_table
from urlset.store import MACROS, TABLES, VIEWS, TableSchema
from urlset.terminal_text import template_text

DOCS = Path(__file__).parent
SHARE = "../packaging/share"
SCRIPTS = {"bash": "bash/urlset", "zsh": "zsh/_urlset", "fish": "fish/urlset.fish"}
RECORDS_INTRO = """\
The structs in `images`, `videos`, `news` and `alternates` have these fields, all text as written.
`@name` is an attribute of the element, `.` its text.
"""
TABLES_INTRO = """\
A store is a DuckDB file with these tables. `urlset read SOURCE --output site.duckdb`,
`urlset.read(source).to_duckdb(path)` and `urlset.Store.fill` write one. `urlset.Store.query`,
`urlset read site.duckdb --sql QUERY` and DuckDB itself query it. In Python, `fetchall()` of DuckDB
needs `pip install pytz` for columns with times; `urlset.Store.query` does not.

`documents.document` identifies a document, `document` and `entry` together an entry. `"offset"`,
`"end"` and `"column"` are SQL keywords: write them in quotes.
"""
LEDGER_INTRO = """\
The ledger is the DuckDB file `.urlset/ledger.duckdb`, or the file of `--ledger`, in which
`urlset build` records a set. Each set has these tables in its own schema, whose name begins with
`set_`. Read it, but do not write to it: the next build relies on it. [Building
sitemaps](building.md#the-ledger) explains how it is used.
"""
LIVE_INTRO = """
# Tables of crawls and audits

`urlset crawl SITE --store site.duckdb` and `urlset audit SITE --store site.duckdb` add these tables
to a store, next to the tables of its sitemaps; those from `probes` on are of an audit. A store is a
file of DuckDB: `duckdb.connect("site.duckdb", read_only=True)` opens it. `links` is a table there,
not a view: the hreflang links of sitemaps are `entries.alternates`. URLs are normalized:
`pages.url`, `links.target` and `frontier.url` of one page are the same text.
"""
HISTORY_INTRO = """
# Tables of the history

`urlset watch SITE --store site.duckdb` adds these tables to a store. Snapshots are stored as
changes: `history` has a row for each interval in which a URL did not change.
"""
SUBMIT_INTRO = """
# Tables of submissions

`urlset submit` records in `.urlset/announcements.duckdb` what it announced, in the tables
`announcements` and `settings`. `urlset submit --to google --inspect N --inspect-store site.duckdb`
adds the table `inspections` to a store.
"""
SYNC_INTRO = """
# Table of a synchronization

`urlset sync SITE --store index.duckdb` adds this table to a store, and those of the history.
"""
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
SCHEMAS = ("build", "check", "diff", "submit", "read", "crawl", "audit", "watch", "sync", "report")
"""Commands whose functions have options."""

COMMANDS_INTRO = """\
# The commands

## Exit codes

| command | 0 | 1 |
|---|---|---|
| `read` | every document was read, or `--limit` or `--max-documents` ended the reading | some documents could not be read |
| `build` | published | published, but some input was rejected |
| `check` | no finding of `--fail-level` or worse | there are such findings |
| `audit` | no finding of `--fail-level` or worse | there are such findings, no visit could be judged, or no listed URL is selected |
| `diff` | compared, also if there are changes | a limit is exceeded, a sitemap could not be read, no URL is selected, or there are changes and `--exit-code` is set |
| `crawl` | all was visited, or a limit ended the crawl | some pages could not be visited, or some sitemaps not read |
| `watch` | no new alert | new alerts, the webhook refused them, or some sitemaps could not be read |
| `submit` | all was accepted, or waits for a new key | something was left out or refused |
| `sync` | every page is known | some are unknown, or a limit was reached: the index lacks them |
| `report` | all stores were read | some could not be read |

The exit code does not say whether a result is complete. The summary does:

- The text says `not complete`. `check`, `crawl`, `audit`, `diff`, `watch` and `report` print it on stdout, the other commands on stderr.
- JSON has `is_complete`, and the reasons in `incomplete`: `--format json` of `check`, `crawl`, `audit`, `diff`, `watch`, `submit` and
  `report`, `build --json`, and the results in Python. The rows of `read` and `sync` have no such fields.
- With `--format json`, `crawl` and `watch` print the reasons on stderr, too. `audit` prints its summary there if the format is not
  text, `diff` if it is `json` or `jsonl`; with `--quiet`, both print the reasons.

A limit that ends the work early, such as `--max-requests`, makes a result not complete. It does not change the exit code of `crawl`
and `audit`. `sync` exits with 1, because the index lacks pages. A crawl does not see pages whose links are added by scripts, or
which robots.txt disallows: they do not change its exit code either. A page without a verdict, as after a time-out or a status 503,
makes the result of `audit` not complete. It is the finding N116 of the level info: `--fail-level info` exits with 1.

2 is invalid usage, or nothing could be done. 10 to 15 are the [gates](building.md) of `build`. 130 is an interruption by
Ctrl-C: `crawl`, `sync`, and `audit` with `--store` keep what they have done in the store, and the same command continues;
`watch` begins again. 141 is a pipe whose reader ended. 143 is an interruption by SIGTERM, as of `timeout` and
`docker stop`, which ends a command as Ctrl-C does.
"""  # noqa: E501 - the rows of a table
OPTIONS_INTRO = """\
# Options

Each option has one meaning in Python, in [`urlset.toml`](building.md#urlsettoml) and on the
command line, which overrides the file. The options of reports, of the HTTP client and of messages,
which only the command line has, are those of the [commands](commands.md). A list in `urlset.toml`
is a repeated option on the command line; in Python it may be one text or any iterable. An empty
text or list in the file is like an absent key, for options that take one.

`urlset.load_config` returns the sections of the file as arguments for Python:
`urlset.build(**urlset.load_config().build)`.
"""
SOURCES = (
    "open_source SourceOptions HtmlFolder Table Query TextSource Sitemaps AccessLog "
    "CandidateRows Candidate Source"
).split()
BUILDER = ("BuildOptions", "Filter", "Rewrite", "Build", "BuiltFile")
NESTED = (ContentSegment, Price, TvShow, VideoId)
NAMES_INTRO = """
## Names

A name has the same type, unit, smallest value and meaning in all verbs. "Functions" are the
functions of `urlset` that have the parameter, "commands" the commands that have the option.

Some options of a command are no parameter of its function. The first column says what does the
same in Python:

- Options of the HTTP client are fields of [`urlset.Policy`](api.md), the argument `policy`:
  `urlset.read(site, policy=urlset.Policy(delay_s=2))`. `--ignore-robots` is `obey_robots=False`.
  Both are about sitemaps: pages that robots.txt disallows are never visited. `--concurrency` sets
  `Policy.concurrency` and `Policy.per_host`. A login is no field, but the argument `auth`.
- What a command writes is a method of the result: `.report(path)` or `.to_dict()`; of read,
  diff and sync `.to_jsonl(path)`.

If the column is empty, only the command has the option.
"""
ARGUMENTS = {
    "after": "AFTER",
    "before": "BEFORE",
    "site": "SITE",
    "source": "SOURCE",
    "sources": "SOURCE…",
    "stores": "STORE…",
    "updates": "CHANGES",
}
"""Names of arguments of the command line that are not options."""
LIMIT = re.compile(
    r"limit|sample|preflight_pages|max_(?:pages|depth|minutes|requests|documents|bytes|media|wait_s)"
)
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
    pages = {"api.md": api(), "commands.md": commands(), "rules.md": rules(), "tables.md": tables()}
    filled = {name: with_figures(read(DOCS / name)) for name in WITH_FIGURES}
    filled["../README.md"] = with_installation("../README.md", filled["../README.md"])
    pages |= filled
    pages["schemas.md"] = output_table()
    pages |= {f"schemas/{name}.json": json_text(schema) for name, schema in schemas().items()}
    pages["performance.md"] = performance(filled["../README.md"], filled["../benches/README.md"])
    pages |= {"sources.md": build_api(), "ledger.md": ledger(), "options.md": options()}
    pages[f"{SHARE}/man/urlset.1"] = man_page()
    pages |= {f"{SHARE}/{name}": completion_script(shell) for shell, name in SCRIPTS.items()}
    pages |= {f"rules/{rule.name}.md": page_of_rule(rule) for rule in CATALOGUE.values()}
    pages["departures.md"] = with_added_rules(read(DOCS / "departures.md"))
    by_hand = {path.name: read(path) for path in DOCS.glob("*.md") if path.name not in pages}
    pages |= {name: with_installation(name, text) for name, text in by_hand.items()}
    written = (*DOCS.glob("rules/*.md"), *DOCS.glob("schemas/*.json"))
    gone = {path.relative_to(DOCS).as_posix(): "" for path in written}
    pages = gone | pages
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


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def api() -> str:
    """Return the page of the public names, with signatures and docstrings."""
    parts = [f"{NOTE}# The library\n\n{markdown(inspect.cleandoc(urlset.__doc__ or ''))}\n"]
    named = {name: getattr(urlset, name) for name in urlset.__all__}
    named |= {f"model.{kind.__name__}": kind for kind in NESTED}
    parts += ["".join(describe(name, named[name])) for name in sorted(named, key=str.lower)]
    return "\n".join(parts)


def build_api() -> str:
    """Return the page of the sources and the options of a build."""
    parts = [f"{NOTE}# Sources and options\n\n{SOURCES_INTRO}"]
    for package, names in ((sources, SOURCES), (crawls, ("CrawledPages",)), (builder, BUILDER)):
        for name in names:
            value = getattr(package, name)
            text = options_page(value) if name == "BuildOptions" else "".join(describe(name, value))
            parts.append(made_of(name, value, text))
    return "\n".join(parts)


def options() -> str:
    """Return the page of options: names, types, defaults and meaning."""
    parts = [f"{OPTIONS_NOTE}{OPTIONS_INTRO}"]
    for command in SCHEMAS:
        schema = [
            each
            for each in options_of(command)
            if each.allowed != ("command",) or has_parameter(command, parameter_of(each))
        ]
        lines = [f"\n## {command}\n", "| Python | `urlset.toml` | command | type | default | |"]
        lines += ["|---|---|---|---|---|---|", *(option_row(each, command) for each in schema)]
        parts.append("\n".join(lines) + "\n")
    return "".join([*parts, names()])


def names() -> str:
    """Return the glossary of the names that several commands have, or that need a reason."""
    lines = [NAMES_INTRO, "| Python | functions | command | commands | type | meaning |"]
    lines.append("|---|---|---|---|---|---|")
    for term in glossary():
        declared = [
            each for verb in term.verbs for each in options_of(verb) if each.name == term.name
        ]
        flags = {flag for each in declared if each.is_allowed("command") for flag in each.flags}
        flags = {flag for flag in flags if flag.startswith("--") and not flag.startswith("--no-")}
        usual = f"--{term.name.removesuffix('_s').replace('_', '-')}"
        is_other = bool(flags) and usual not in flags
        if len(term.verbs) > 1 or term.name in {**MEANINGS, **ARGUMENTS} or is_other:
            kind = ", ".join(filter(None, (term.kind, term.unit)))
            functions = [verb for verb in term.verbs if has_parameter(verb, term.name)]
            commands = [verb for verb in term.verbs if has_option(verb, term.name)]
            if term.name in ARGUMENTS:
                flags = {ARGUMENTS[term.name]}
            shown = ", ".join(f"`{flag}`" for flag in sorted(flags))
            cells = (python_names(term, functions), ", ".join(functions), shown)
            cells = (*cells, ", ".join(commands), kind, term.meaning)
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, *limits()]) + "\n"


def has_parameter(verb: str, name: str) -> bool:
    """Return whether the function of a command has a parameter."""
    function = getattr(urlset, verb, None)
    return callable(function) and name in inspect.signature(function).parameters


def is_required(verb: str, name: str) -> bool:
    """Return whether the function of a command has a parameter without a default."""
    function = getattr(urlset, verb, None)
    parameter = inspect.signature(function).parameters.get(name) if callable(function) else None
    return parameter is not None and parameter.default is parameter.empty


def parameter_of(option: Option) -> str:
    """Return the name that an argument or an option has in Python, if it is a parameter there."""
    return option.in_python or option.name if option.is_argument else option.name


def has_option(verb: str, name: str) -> bool:
    """Return whether a command has an option or an argument."""
    return any(each.name == name and each.is_allowed("command") for each in options_of(verb))


def python_names(term: Term, functions: Sequence[str]) -> str:
    """Return the parameter, and what does the same for functions that do not have it."""
    others: dict[str, list[str]] = {}
    for verb in term.verbs:
        if verb not in functions:
            for each in options_of(verb):
                if each.name == term.name and each.in_python:
                    others.setdefault(each.in_python, []).append(verb)
    names = [f"`{term.name}`"] if functions else []
    names += [
        f"`{name}` ({', '.join(verbs)})" if len(others) > 1 else f"`{name}`"
        for name, verbs in others.items()
    ]
    return ", ".join(names)


def limits() -> Iterator[str]:
    """Yield the table of the limits that each verb has."""
    yield "\n## Limits\n"
    yield "A verb without a limit reads everything, or what was chosen by other options. A page can"
    yield "take several requests (redirects, a second visit): `max_pages` counts pages,"
    yield "`max_requests` all of them.\n"
    yield "| verb | limits |"
    yield "|---|---|"
    for command in SCHEMAS:
        found = [
            f"`{each.name}`" if each.is_allowed("command") else f"`{each.name}` (in Python)"
            for each in options_of(command)
            # That of build is the size of a written file.
            if LIMIT.fullmatch(each.name) and (command, each.name) != ("build", "max_bytes")
        ]
        yield f"| {command} | {', '.join(found) or 'none'} |"


def option_row(option: Option, command: str) -> str:
    """Return the line of an option or an argument in the table of its command."""
    name = parameter_of(option)
    names = (
        name if option.is_allowed("python") or has_parameter(command, name) else "",
        option.key if option.is_allowed("file") else "",
        ", ".join(option.flags) if option.is_allowed("command") else "",
    )
    if option.name in ARGUMENTS:
        names = (*names[:2], ARGUMENTS[option.name])
    has_default = option.default not in (None, (), {}) and option.name != "grace"
    meaning = option.help.partition("  [default")[0]
    if not is_required(command, name):
        meaning = meaning.replace("Required: ", "Required by the command: ", 1)
    cells = [*(f"`{name}`" if name else "" for name in names), type_of(option)]
    shown = os.fspath(option.default) if isinstance(option.default, Path) else repr(option.default)
    cells += [f"`{shown}`" if has_default else "", meaning]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def type_of(option: Option) -> str:
    """Return the type of an option in a word or two, with its limits."""
    kind = option.type
    names = {str: "text", int: "number", float: "number", bool: "true or false", Path: "path"}
    if option.is_path:
        text = "path"
    elif get_origin(kind) is Literal:
        text = ", ".join(f"`{choice}`" for choice in option.choices)
    elif get_origin(kind) is Union:
        text = "text or table"
    elif get_origin(kind) in (list, dict):
        text = "list" if get_origin(kind) is list else "table"
        text += " of tables" if get_origin(get_args(kind)[0]) is dict else ""
    else:
        text = names.get(kind, "object")
    if option.unit:
        text = option.unit
    if option.maximum is not None:
        text += f", {option.minimum:,} to {option.maximum:,}"
    elif option.minimum is not None:
        text += f", at least {option.minimum:,}"
    return text


def output_table() -> str:
    """Return the page of the schemas."""
    return NOTE + OUTPUTS_INTRO + "".join(map(output_row, OUTPUTS))


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


def ledger() -> str:
    """Return the page of the tables of a ledger."""
    return "".join([f"{NOTE}# The ledger\n\n{LEDGER_INTRO}", *map(table_of, LEDGER_TABLES)])


def commands() -> str:
    """Return the output of --help of each command."""
    parts = [f"{OPTIONS_NOTE}{COMMANDS_INTRO}"]
    for words in ([], *([command] for command in COMMANDS)):
        shown = " ".join(["urlset", *words, "--help"])
        parts.append(f"\n## `{shown}`\n\n```text\n{help_of(words)}\n```\n")
    return "".join(parts)


def help_of(words: list[str]) -> str:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "urlset", *words, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"},
    )
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


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
    return f"{NOTE}# The rules\n\n{words}\n\n" + "".join(
        f"{line}\n" for line in rule_table(CATALOGUE)
    )


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
    return NOTE + "".join(f"{line}\n" for line in rule_page(rule))


def tables() -> str:
    """Return the page of the tables of a store."""
    parts = [f"{NOTE}# The tables\n\n{TABLES_INTRO}", *map(table_of, TABLES)]
    parts.append("\n## Records in `entries`\n\n" + RECORDS_INTRO)
    parts += map(record_table, RECORDS.values())
    parts.append("\n## Views\n\n| view | rows |\n|---|---|\n")
    parts += [f"| `{view.name}` | {view.doc} `{view.query}` |\n" for view in VIEWS]
    parts.append("\n## Functions\n\n| function | returns |\n|---|---|\n")
    parts += [f"| `{macro.head}` | {macro.doc} |\n" for macro in MACROS]
    parts += [LIVE_INTRO, *map(table_of, LIVE_TABLES)]
    parts.append("\n## Views of these tables\n\n| view | rows |\n|---|---|\n")
    parts += [f"| `{view.name}` | {view.doc} `{view.query}` |\n" for view in LIVE_VIEWS]
    parts += [HISTORY_INTRO, *map(table_of, HISTORY_TABLES)]
    parts += [SUBMIT_INTRO, *map(table_of, (*ANNOUNCEMENT_TABLES, *INSPECTION_TABLES))]
    parts += [SYNC_INTRO, *map(table_of, SYNC_TABLES)]
    return "".join(parts)


def table_of(table: TableSchema) -> str:
    head = f"\n## `{table.name}`\n\n{table.doc}\n\n| column | type | meaning |\n|---|---|---|\n"
    rows = (f"| `{name}` | {brief(kind)} | {doc} |\n" for name, kind, doc in table.columns)
    return head + "".join(rows)


def record_table(record: RecordSchema) -> str:
    """Return a table of the fields of a record with their elements."""
    head = f"\n### `{record.name}`\n\n| field | element | meaning |\n|---|---|---|\n"
    rows = (
        f"| `{field.name}` | `{field.element}` | {field.meaning}"
        f"{f', in {field.unit}' if field.unit else ''} |\n"
        for field in record.fields
    )
    return head + "".join(rows)


def brief(kind: str) -> str:
    """Return a SQL type, or for a struct with many fields the names of the fields."""
    if not kind.startswith("STRUCT"):
        return kind
    inner = re.sub(r"STRUCT\((?:[^()]|\([^()]*\))*\)(?=\[\]|[,)])", "VARCHAR", kind[7:])
    names = [field.split()[0] for field in inner.rpartition(")")[0].split(", ")]
    return f"{'list of ' if kind.endswith('[]') else ''}struct: {', '.join(names)}"


if __name__ == "__main__":
    sys.exit(main())
