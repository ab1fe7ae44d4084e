"""Architecture: layers of imports, outside libraries, names and sizes of modules, typed facts."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import urlset

pytestmark = pytest.mark.promise

SRC = Path(__file__).parents[1] / "src"
ADAPTERS = [*(SRC / "urlset" / "integrations").glob("[a-z]*")]

# From the lowest layer to the highest. A module imports from its own layer and from lower ones.
# Packages that are planned may be listed here; every package that exists must be.
LAYERS = {
    "data and engine": "errors protocol result fields model option_schema option_names "
    "engine_rules dates urls url_patterns argument_hints arguments attribute_hints inflight "
    "inflate arrow engine formats document entry_spans folder_walk languages temp_files "
    "terminal_text notebook interrupts object_store pattern_warnings change_limit hidden_fields "
    "own_files registry",
    "services": "http store robots html html_report publisher",
    "readers and writers": "reader writer",
    "operations": "sources builder checker fixer reporter partitioned",
    "visits and history": "live output_schemas",
    "interfaces": "config agents cli integrations __main__",
    "public names": "__init__",
}

# The one module or package that imports each outside library. An adapter has the name of its host.
LIBRARIES = {
    **{path.stem: f"urlset.integrations.{path.stem}" for path in ADAPTERS},
    "adbc_driver_manager": "urlset.sources.tables.query",  # any database, its rows as Arrow
    "aiohttp": "urlset.http",  # HTTP/1.1, TLS, proxies, keep-alive
    "arro3": "urlset.arrow",
    "asgiref": "urlset.integrations.django",  # comes with Django
    "duckdb": "urlset.store",  # tables on the disk, SQL and Parquet, out of core
    "fastwarc": "urlset.reader.warc",  # WARC in gzip, zstd and lz4, in Rust
    "google": "urlset.live.submit.search_console",  # signatures of service accounts, by Google
    "idna": "urlset.http",  # international host names as of 2008; comes with aiohttp
    "langchain_core": "urlset.integrations.langchain",
    "pyspark": "urlset.integrations.spark",
    "mcp": "urlset.agents.server",  # the protocol, by its authors; comes with mcp_types
    "mcp_types": "urlset.agents.server",
    "msgspec": "urlset.config",  # types, choices and limits of configuration values, nested
    "obstore": "urlset.object_store",  # S3, Google Cloud and Azure, with conditional puts
    "pandas": "urlset.arrow",  # what users have; not needed otherwise
    "polars": "urlset.arrow",
    "pyarrow": "urlset.arrow",
    "click": "urlset.cli",
    "rich": "urlset.cli",
    "selectolax": "urlset.html",  # the tree that a browser makes of any soup, at C speed
    "yarl": "urlset.http",  # aiohttp's URLs: the only way to send one as it is
}

# Modules that may look into the text of an error: an outside library leaves no other way.
MESSAGES_OF_OTHERS = {
    "urlset.arrow.streams": "errors of other libraries; only their white space is changed",
    "urlset.inflate": "zlib.error has no code; its number is taken off",
    "urlset.object_store": "obstore has no codes; XML and secrets are taken out",
    "urlset.store.duckdb_errors": "DuckDB has no codes; the one module that maps its messages",
}

MAX_LINES = 500  # a longer file usually holds two concepts

SMALL_MODULE = 100  # lines; a smaller module with one importer is usually a part of that importer

# Modules of under SMALL_MODULE lines with one importer, each with the reason why it is on its own.
SMALL_MODULES = {
    "urlset.agents": "public names of the package",
    "urlset.cli.command_model": "docs/manpage.py reads it, too",
    "urlset.builder.unchanged": "above publish, which imports what decides about each source",
    "urlset.sources.tables.csv_header": "of CSV, which tables of other formats do not have",
    "urlset.sources.html.read_ahead": "threads and their order, which the pages do not know",
    "urlset.partitioned.concurrent_sites": "threads and their end, which the rows do not know",
    "urlset.engine.reference.digests": "counterpart of digests.rs",
    "urlset.engine.reference.lists": "counterpart of lists.rs",
    "urlset.engine.reference.html": "public name of the package, loaded when a page is read",
    "urlset.html.visited": "counterpart of visited.rs",
    "urlset.fixer.fixers": "loads the modules of fixers, one per rule group",
    "urlset.integrations.spark.stream": "a stream, which readers do not need",
    "urlset.integrations.spark.cluster_build": "a build, which the data source does not need",
    "urlset.integrations.django.row_version": "what proves that rows are unchanged, in one place",
    "urlset.reporter": "public names of the package",
    "urlset.sources.git": "public names of the package",
    "urlset.live.submit.announcement_tables": "docs/table_pages.py reads it, too",
}

# Modules whose names end in "ing": terms of the field, not steps of a program.
GERUNDS = {
    "urlset.checker.finding",
    "urlset.formats.encoding",
    "urlset.http.content_encoding",
}


class Import(NamedTuple):
    """Import statement: importing module, imported module, and file with line."""

    module: str
    target: str
    where: str


def sources() -> list[Path]:
    return sorted(path for path in SRC.rglob("*") if path.suffix in {".py", ".pyi"})


def module_name(path: Path) -> str:
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path) for path in sources()}


def imports_of(path: Path) -> Iterator[Import]:
    """Yield the imports of a file, also in functions, under TYPE_CHECKING and by import_module."""
    module = module_name(path)
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    name = path.relative_to(SRC.parent)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Import | ast.ImportFrom | ast.Call):
            continue
        where = f"{name}:{node.lineno}"
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield Import(module, alias.name, where)
            case ast.ImportFrom(module=origin, names=names, level=level):
                parents = package.split(".")[: len(package.split(".")) + 1 - level]
                origin = ".".join([*parents, origin] if origin else parents) if level else origin
                for alias in names:
                    # `from urlset import dates` imports a module, `from urlset import read` a name.
                    inner = f"{origin}.{alias.name}"
                    yield Import(module, inner if inner in MODULES else str(origin), where)
            case ast.Call(
                func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(target)), *_],
            ):
                yield Import(module, target, where)
            case _:
                pass


@cache
def our_imports() -> tuple[Import, ...]:
    """Return the imports of modules of the package."""
    return tuple(found for found in _imports() if found.target.split(".")[0] == "urlset")


def other_imports() -> list[Import]:
    """Return the imports of outside libraries."""
    not_outside = {"urlset", "_urlset_command", "__future__", *sys.stdlib_module_names}
    return [found for found in _imports() if found.target.split(".")[0] not in not_outside]


@cache
def _imports() -> tuple[Import, ...]:
    return tuple(found for path in sources() for found in imports_of(path))


def package_of(module: str) -> str:
    """Return the package: `urlset.cli.read` → `cli`, `urlset.live.crawl.walk` → `live.crawl`."""
    parts = module.split(".")
    return ".".join(parts[1 : 3 if parts[1:2] == ["live"] else 2]) or "__init__"


def layer_of(module: str) -> int:
    """Return the height of a module's layer; above all layers for a package that none lists."""
    for height, packages in enumerate(LAYERS.values()):
        if package_of(module).split(".")[0] in packages.split():
            return height
    return len(LAYERS)


def test_every_package_has_a_layer():
    unlisted = sorted({package_of(m) for m in MODULES if layer_of(m) == len(LAYERS)})

    assert not unlisted, (
        f"src/urlset has {', '.join(unlisted)}, which no layer lists: add it to LAYERS in "
        "tests/test_architecture.py, in the lowest layer that has all packages it imports"
    )


def test_imports_go_down():
    names = [*LAYERS, "no layer"]

    upward = [
        f"{found.where}: {found.module} ({names[layer_of(found.module)]}) "
        f"imports {found.target} ({names[layer_of(found.target)]})"
        for found in our_imports()
        if layer_of(found.target) > layer_of(found.module)
    ]

    assert not upward, "imports go down the layers of LAYERS, never up:\n" + "\n".join(upward)


def expect_no_cycle(edges: Iterable[tuple[str, str]], kind: str) -> None:
    graph: dict[str, set[str]] = {}
    for importer, imported in edges:
        graph.setdefault(importer, set()).add(imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        # graphlib names the imported one first.
        pytest.fail(f"{kind} import each other in a cycle: " + " → ".join(error.args[1][::-1]))


def test_modules_import_without_cycles():
    expect_no_cycle(((found.module, found.target) for found in our_imports()), "modules")


def test_packages_import_without_cycles():
    pairs = ((package_of(found.module), package_of(found.target)) for found in our_imports())

    expect_no_cycle((pair for pair in pairs if len({*pair, "__init__"}) == 3), "packages")


def test_each_outside_library_is_imported_by_one_package():
    wrong = []
    for found in other_imports():
        library = found.target.split(".")[0]
        importer = LIBRARIES.get(library)
        if importer is None:
            wrong.append(
                f"{found.where}: {library} is new: add the package that imports it to LIBRARIES "
                "(tests/test_architecture.py) and a line to pyproject.toml"
            )
        elif not f"{found.module}.".startswith(f"{importer}."):
            wrong.append(f"{found.where}: only {importer} may import {library}")

    assert not wrong, "\n".join(wrong)


def classes() -> Iterator[tuple[str, str]]:
    """Yield the name of each public class, and the module that defines it."""
    for path in sources():
        if path.suffix == ".py":
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    yield node.name, module_name(path)


def test_no_public_class_name_exists_twice():
    modules: dict[str, list[str]] = {}
    for name, module in classes():
        modules.setdefault(name, []).append(module)

    twice = {name: where for name, where in modules.items() if len(where) > 1}

    assert twice == {}, "give each class a name of its own"


def test_modules_are_named_by_nouns():
    gerunds = {module for module in MODULES if module.endswith("ing")}

    assert gerunds <= GERUNDS, "name a module by a noun: `retry`, not `retrying`"
    assert gerunds >= GERUNDS, f"not there any more: {sorted(GERUNDS - gerunds)}"


def test_references_in_docstrings_lead_somewhere():
    """``:func:`name``` and its like name something of the module, or a path from ``urlset``."""
    stale = [
        f"{path.relative_to(SRC.parent)}: {found[0]}"
        for path in sources()
        if path.suffix == ".py"
        for found in REFERENCE.finditer(path.read_text(encoding="utf-8"))
        if not any(map(is_known, {f"{module_name(path)}.{found[1]}", found[1]}))
    ]

    assert not stale, stale


REFERENCE = re.compile(r":(?:mod|class|func|data|exc|attr|meth):`~?(urlset\.[\w.]+|[A-Za-z]\w+)`")


def is_known(name: str) -> bool:
    """Whether a dotted name is that of a module or of something in it, also a field of a class."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        if (module := ".".join(parts[:length])) not in MODULES:
            continue
        try:
            found: Any = import_module(module)
        except ImportError:  # its requirements are not installed
            return True
        for part in parts[length:]:
            if part not in getattr(found, "__annotations__", {}) and not hasattr(found, part):
                return any(hasattr(one, part) for one in vars(found).values())
            found = getattr(found, part, None)
        return True
    return False


def test_tests_do_not_share_a_connection_of_duckdb():
    """An unfinished result on the default connection makes the next statement of any test fail."""
    uses = [
        f"{path.name}:{node.lineno}"
        for path in sorted(Path(__file__).parent.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr != "connect"
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "duckdb"
    ]

    assert not uses, f"use duckdb.connect() in {uses}"


def test_a_small_module_with_one_importer_has_a_reason():
    importers: dict[str, set[str]] = {}
    for found in our_imports():
        importers.setdefault(found.target, set()).add(found.module)
    small = {  # an adapter is a public module, whatever imports it
        module_name(path)
        for path in sources()
        if path not in ADAPTERS
        and len(path.read_text(encoding="utf-8").splitlines()) < SMALL_MODULE
    }

    alone = {module for module in small if len(importers.get(module, ())) == 1}

    assert alone <= set(SMALL_MODULES), (
        "merge it into its only importer, or give the reason in SMALL_MODULES"
    )
    assert alone >= set(SMALL_MODULES), f"no reason needed: {sorted(set(SMALL_MODULES) - alone)}"


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(SRC)))
def test_file_has_a_docstring_and_is_short(path: Path):
    text = path.read_text(encoding="utf-8")

    assert ast.get_docstring(ast.parse(text)), f"{path} has no docstring"
    lines = len(text.splitlines())
    assert lines <= MAX_LINES, f"{path}: {lines} lines, more than {MAX_LINES}: split it by concept"


def test_all_is_complete_and_sorted():
    tree = ast.parse((SRC / "urlset" / "__init__.py").read_text(encoding="utf-8"))
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and (node.level or str(node.module).startswith("urlset"))
        for alias in node.names
    }
    public = {name for name in imported if not name.startswith("_")}

    missing = public - set(urlset.__all__)
    unknown = [name for name in urlset.__all__ if not hasattr(urlset, name)]

    assert not missing, f"urlset/__init__.py imports {sorted(missing)}, which __all__ lacks"
    assert not unknown, f"urlset.__all__ names {unknown}, which urlset does not have"
    assert len(set(urlset.__all__)) == len(urlset.__all__)
    # As ruff sorts it (RUF022): constants, classes, functions.
    assert list(urlset.__all__) == sorted(
        urlset.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name)
    )


def test_importing_urlset_is_cheap():
    # `import urlset` loads the standard library only.
    code = "import sys, urlset; print(*{name.split('.')[0] for name in sys.modules})"

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    loaded = sorted(set(run.stdout.split()) & set(LIBRARIES))
    assert not loaded, f"`import urlset` loads {', '.join(loaded)}: import inside the function"


def test_no_group_is_repeated_possessively():
    """Python up to 3.11.4 matches `(?:…)*+` wrongly: it keeps what a failed repetition consumed."""
    found = [
        f"{path.relative_to(SRC)}:{number}"
        for path in SRC.rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"\)[*+?]\+(?!,)", line) and not line.lstrip().startswith("#")
    ]
    assert found == [], "write (?>(?:…)*) for (?:…)*+"


# ── one place for each decision about bytes ──

_MAGIC_BYTES = (
    b"\x1f\x8b", b"PK\x03", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"PAR1", b"SQLite format",
    b"DUCK", b"ARROW1", b"\xff\xff\xff\xff", b"<?xml", rb"<\?xml", b"\xef\xbb\xbf",
    rb"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff",
)  # fmt: skip

# Modules that may name such bytes; all others ask urlset.formats.
MAGIC_BYTES_MODULES = {
    "urlset.checker.rules.xml": "example documents of rules",
    "urlset.checker.rules.robots": "example documents of rules",
    "urlset.checker.markup_facts": "version in the XML declaration",
    "urlset.engine.reference.document": "parses the prolog, as prolog.rs does",
    "urlset.engine.reference.prolog": "parses the prolog, as prolog.rs does",
    "urlset.engine.reference.tokens": "parses instructions, as tokens.rs and misc.rs do",
    "urlset.fixer.fixers.xml_syntax": "replaces the XML declaration",
    "urlset.formats.encoding": "byte order marks and the XML declaration",
    "urlset.formats.signatures": "the signatures",
    "urlset.writer.file_set": "writes the XML declaration",
    "urlset.writer.robots_txt": "pattern of a comment after a byte order mark",
}

# Modules that import zlib, each with the reason.
ZLIB_MODULES = {
    "urlset.formats.compression": "its exception, which gzip files raise",
    "urlset.http.response_cache": "packs and unpacks its own files",
    "urlset.inflate": "the only module that decompresses data of others",
    "urlset.writer.robots_txt": "CRC-32",
}


def modules_with_magic_bytes() -> Iterator[tuple[str, str]]:
    """Yield each module and line that names the first bytes of a file format."""
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            where = f"{path.relative_to(SRC)}:{getattr(node, 'lineno', 0)}"
            match node:
                case ast.Constant(value=bytes(value)):
                    if any(magic in value for magic in _MAGIC_BYTES):
                        yield module_name(path), where
                case ast.Attribute(value=ast.Name(id="codecs"), attr=name):
                    if name.startswith("BOM"):
                        yield module_name(path), where
                case _:
                    pass


def test_file_formats_are_detected_in_one_package():
    found = dict(modules_with_magic_bytes())

    strangers = {where for module, where in found.items() if module not in MAGIC_BYTES_MODULES}
    assert not strangers, "ask urlset.formats.detect, .signatures or .encoding instead"
    assert not set(MAGIC_BYTES_MODULES) - set(found), "no reason needed"


def test_data_is_decompressed_in_one_module():
    importers = {
        module_name(path)
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import) and any(alias.name == "zlib" for alias in node.names)
    }

    assert importers == set(ZLIB_MODULES), "decompress with urlset.inflate.InflateStream"


def test_patterns_of_dates_are_in_one_module():
    """Four digits in a pattern are a year, or the offset of a time; or those of a card."""
    year = re.compile(r"(?:\\d|\[0-9\])(?:\{\{?4\}|(?:\\d|\[0-9\]){3})")
    found = set()
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
                text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
                if year.search(text):
                    found.add(module_name(path))

    assert found == {"urlset.dates", "urlset.sources.logs.privacy_filter"}, (
        "use a pattern of urlset.dates"
    )


# ── facts are typed, not parsed out of messages ──

_TEXT_METHODS = frozenset(
    "startswith endswith split rsplit splitlines partition rpartition find rfind index rindex "
    "count replace removeprefix removesuffix".split()
)
_RE_FUNCTIONS = frozenset("match fullmatch search findall finditer split sub subn".split())
_SQL_ON_MESSAGE = re.compile(
    r"\bmessage\s+(?:=|<>|!=|~|(?:NOT\s+)?(?:I?LIKE|IN|SIMILAR|GLOB)\b)"
    r"|\b(?:regexp_\w+|starts_with|ends_with|prefix|suffix|contains|strpos|instr|position|"
    r"split_part|replace|substr|substring)\(\s*(?:\w+\.)?message\b",
    re.IGNORECASE,
)


class MessageUse(ast.NodeVisitor):
    """Finds code that compares, searches or cuts the text of an error or a message.

    Such a text is an attribute ``message``, ``str(error)``, ``f"{error}"`` or ``error.args``, or a
    variable that holds one of these or a part of it, in the same function. An error is what
    ``except`` names, or a parameter that is annotated as one.
    """

    def __init__(self) -> None:
        self.found: list[int] = []
        self._errors: list[set[str]] = [set()]
        self._texts: list[set[str]] = [set()]

    def _is_error(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and any(node.id in names for names in self._errors)

    def _is_text(self, node: ast.AST) -> bool:
        match node:
            case ast.Attribute(attr="message") | ast.Call(func=ast.Attribute(attr="message")):
                return True
            case ast.Call(func=ast.Attribute(attr="format_message")):
                return True
            case ast.Attribute(value=value, attr="args"):
                return self._is_error(value)
            case ast.Name(id=name):
                return any(name in names for names in self._texts)
            case ast.Call(func=ast.Name(id="str" | "repr" | "format"), args=[value, *_]):
                return self._is_error(value) or self._is_text(value)
            case ast.JoinedStr(values=values):
                inner = [v.value for v in values if isinstance(v, ast.FormattedValue)]
                return any(self._is_error(value) or self._is_text(value) for value in inner)
            case ast.Call(func=ast.Attribute(value=value), args=arguments):
                return any(map(self._is_text, [value, *arguments]))
            case ast.Subscript(value=value):
                return self._is_text(value)
            case ast.BoolOp(values=values):
                return any(map(self._is_text, values))
            case ast.BinOp(left=left, right=right):
                return self._is_text(left) or self._is_text(right)
            case ast.IfExp(body=left, orelse=right):
                return self._is_text(left) or self._is_text(right)
            case _:
                return False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        errors = set()
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            words = re.findall(r"\w+", ast.unparse(argument.annotation or ast.Constant("")))
            if any(word.endswith(("Error", "Exception", "Finding", "Problem")) for word in words):
                errors.add(argument.arg)
        self._errors.append(errors)
        self._texts.append(set())
        self.generic_visit(node)
        self._errors.pop()
        self._texts.pop()

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._errors[-1].add(node.name)
        self.generic_visit(node)

    def _assign(self, targets: list[ast.expr], value: ast.AST) -> None:
        if self._is_text(value):
            names = (n for target in targets for n in ast.walk(target) if isinstance(n, ast.Name))
            self._texts[-1].update(name.id for name in names)

    def visit_Assign(self, node: ast.Assign) -> None:
        self._assign(node.targets, node.value)
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._assign([node.target], node.value)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        is_identity = all(isinstance(each, ast.Is | ast.IsNot) for each in node.ops)  # is not None
        if not is_identity and any(map(self._is_text, (node.left, *node.comparators))):
            self.found.append(node.lineno)
        self.generic_visit(node)

    def visit_Match(self, node: ast.Match) -> None:
        if self._is_text(node.subject):
            self.found.append(node.lineno)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute):
            is_cut = node.func.attr in _TEXT_METHODS and self._is_text(node.func.value)
            is_searched = node.func.attr in _RE_FUNCTIONS and any(map(self._is_text, node.args))
            if is_cut or is_searched:
                self.found.append(node.lineno)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and _SQL_ON_MESSAGE.search(node.value):
            self.found.append(node.lineno)


def uses_of_messages(text: str) -> list[int]:
    """Return the lines of a module in which a message is parsed."""
    visitor = MessageUse()
    visitor.visit(ast.parse(text))
    return sorted(set(visitor.found))


@pytest.mark.parametrize(
    "line",
    [
        'found = finding.message == "x"',
        'found = "in use" in str(error)',
        'found = f"{error}".startswith("x")',
        'name = spot.message.split()[1].rstrip(":")',
        'name = str(error).partition(": ")[2]',
        "found = _PATTERN.match(finding.message)",
        'found = re.search("x", str(error))',
        'words = str(error).lower()\n    found = "locked" in words',
        'found = error.args[0] == "x"',
        'raise OSError(str(error).replace("a", "b"))',
        'if (words := str(error)) and words.endswith("x"):\n        pass',
        "sql = \"SELECT * FROM problems WHERE NOT starts_with(message, 'A zlib')\"",
        "sql = f\"SELECT {x} FROM problems p WHERE p.message LIKE 'A%'\"",
        "sql = \"SELECT regexp_extract(p.message, '<(.*)>', 1) FROM problems p\"",
    ],
)
def test_parsing_of_a_message_is_found(line):
    text = f"try:\n    pass\nexcept OSError as error:\n    {line}\n"

    assert uses_of_messages(text) != []


@pytest.mark.parametrize(
    "line",
    [
        'raise ValueError(f"cannot read it: {error}") from error',
        "failures.append(str(error))",
        'found = error.failure == "in-use"',
        "words = error.strerror or str(error)",
        "message = error.message if error.message is not None else str(error)",
        'sql = "SELECT code, message FROM problems ORDER BY message"',
    ],
)
def test_passing_a_message_on_is_allowed(line):
    assert uses_of_messages(f"try:\n    pass\nexcept OSError as error:\n    {line}\n") == []


def test_facts_are_not_parsed_out_of_messages():
    found = {
        module_name(path): lines
        for path in sources()
        if (lines := uses_of_messages(path.read_text(encoding="utf-8")))
    }

    parsed = [
        f"{module}: lines {lines}"
        for module, lines in found.items()
        if module not in MESSAGES_OF_OTHERS
    ]
    assert not parsed, (
        "a message is for people and may be reworded: read a typed field of the finding or the "
        "error (parameters, detail, failure), and add one where there is none:\n"
        + "\n".join(parsed)
    )
    unused = sorted(set(MESSAGES_OF_OTHERS) - set(found))
    assert not unused, f"remove from MESSAGES_OF_OTHERS: {', '.join(unused)}"
