"""Rules for the source of the native engine."""

import pkgutil
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

RUST = Path(__file__).parents[1] / "rust"

# `crate::name`, or the first names inside `crate::{a::x, b}`.
CRATE_PATH = re.compile(r"\bcrate::(?:(\w+)|\{([^;]*)\})")
GROUP_HEAD = re.compile(r"(?:^|,)\s*(\w+)")
RE_EXPORT = re.compile(r"^pub use (\w+)::(?:(\w+)|\{([^}]*)\});", re.MULTILINE)


def module_graph(source: Path) -> dict[str, set[str]]:
    """Return the top-level modules of a crate, each with the modules that it names.

    A name that ``lib.rs`` re-exports counts as its module.
    """
    exports: dict[str, str] = {}
    for module, name, names in RE_EXPORT.findall((source / "lib.rs").read_text(encoding="utf-8")):
        exports.update(dict.fromkeys(re.findall(r"\w+", name or names), module))
    graph: dict[str, set[str]] = {}
    for path in sorted(source.rglob("*.rs")):
        module = path.relative_to(source).with_suffix("").parts[0]
        if module != "lib":
            used = {exports.get(name, name) for name in crate_names(path)}
            graph.setdefault(module, set()).update(used - {module})
    return graph


def crate_names(path: Path) -> set[str]:
    """Return the names that follow ``crate::`` in a file, without its tests and comments."""
    text = path.read_text(encoding="utf-8").partition("#[cfg(test)]")[0]
    text = re.sub(r"//.*", "", text)
    names: set[str] = set()
    for name, group in CRATE_PATH.findall(text):
        without_inner = re.sub(r"\{[^{}]*\}", "", group)
        names.update([name] if name else GROUP_HEAD.findall(without_inner))
    return names


@pytest.mark.parametrize(
    ("crate", "modules"),
    [
        ("core", {"columns", "context", "document", "tree"}),
        ("binding", {"columns", "from_rows", "to_arrow"}),
    ],
)
def test_modules_of_a_crate_form_no_cycle(crate, modules):
    graph = module_graph(RUST / crate / "src")

    assert modules <= graph.keys()
    assert set().union(*graph.values()) <= graph.keys()
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        # graphlib lists each module after the one it needs.
        cycle = " → ".join(error.args[1][::-1])
        pytest.fail(f"expected no cycle among the modules of rust/{crate}, found {cycle}")


def test_crate_paths_of_a_group_are_found(tmp_path):
    (tmp_path / "lib.rs").write_text("pub use low::{Item, Other};\npub use base::Thing;\n")
    (tmp_path / "high").mkdir()
    (tmp_path / "high" / "mod.rs").write_text(
        "use crate::{Item, middle::{a, b}};\n"
        "fn f() { crate::base::g() } // crate::comment\n"
        "#[cfg(test)]\nmod tests { use crate::tested; }\n"
    )

    assert module_graph(tmp_path) == {"high": {"low", "middle", "base"}}


def test_python_files_named_in_rust_comments_exist():
    named = {
        (name, str(path.relative_to(RUST)))
        for path in RUST.glob("*/src/**/*.rs")
        for name in re.findall(r"\bsrc/urlset/[\w./]+", path.read_text(encoding="utf-8"))
    }

    stale = sorted(f"{where}: {name}" for name, where in named if not (RUST.parent / name).exists())

    assert {"src/urlset/dates.py", "src/urlset/protocol.py"} <= {name for name, _ in named}
    assert not stale, "Rust comments name files that do not exist:\n" + "\n".join(stale)


def test_python_names_in_rust_comments_exist():
    named = {
        (name, str(path.relative_to(RUST)))
        for path in RUST.glob("*/src/**/*.rs")
        for name in re.findall(r"//.*`(urlset(?:\.\w+)+)`", path.read_text(encoding="utf-8"))
    }

    stale = sorted(f"{where}: {name}" for name, where in named if not is_importable(name))

    assert {"urlset.model.Entry", "urlset.engine.Diagnostic"} <= {name for name, _ in named}
    assert not stale, "Rust comments name Python objects that do not exist:\n" + "\n".join(stale)


def is_importable(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (AttributeError, ImportError):
        return False
    return True


def test_rust_files_named_in_python_and_docs_exist():
    root = RUST.parent
    files = [*root.glob("src/**/*.py"), *root.glob("*.md"), *root.glob("*.toml"), root / "setup.py"]
    named = {
        (name, str(path.relative_to(root)))
        for path in files
        for name in re.findall(
            r"\brust/(?:core|binding)[\w./-]*\w", path.read_text(encoding="utf-8")
        )
    }

    stale = sorted(f"{where}: {name}" for name, where in named if not (root / name).exists())

    assert "rust/core/src/codes.rs" in {name for name, _ in named}
    assert not stale, "files of rust/ that do not exist are named:\n" + "\n".join(stale)
