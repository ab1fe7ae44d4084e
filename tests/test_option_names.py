"""Messages name parameters when Python calls, and flags when the command runs."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

import urlset
from urlset.cli import main
from urlset.option_names import flags_in_messages, option

SRC = Path(__file__).parents[1] / "src" / "urlset"
BASE = "https://example.com/"
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")

# Where texts have flags of the command, each with the reason.
EXCEPTIONS = {
    "cli": "the command itself",
    "option_schema": "declarations and help of the options",
    "reporter/rule_page.py": "the page of a rule shows commands, in `urlset rules` and docs/rules",
    "integrations/django/management": "a command of its own, which declares its flags",
    "output_schemas/outputs.py": "the commands, which docs/schemas is generated from",
    "integrations/spark/executor.py": "--archives is a flag of spark-submit",
    "fields.py": "descriptions of the columns, which docs/tables.md is generated from",
    "store/schema.py": "descriptions of the columns, which docs/tables.md is generated from",
}
OTHER_PROGRAMS = {
    "sources/git": "arguments of git",
    "live/diff/states.py": "arguments of git",
}
COMMANDS = re.compile(
    r"`[^`]*`"  # a whole command in a text
    r"|<code>urlset [^<]*</code>"  # the same in HTML
    r"|urlset submit --new-key FOLDER"
    r"|git (?:config|fetch)(?: --\S+)+"
)


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module and their lines, without docstrings and hints of rules."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):  # a docstring
            skipped.add(id(node.value))
        elif isinstance(node, ast.keyword) and node.arg == "fix_hint":
            # A static text of the catalogue, as docs/rules shows it.
            skipped |= {id(part) for part in ast.walk(node.value)}
        elif isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values if isinstance(part, ast.Constant)}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            yield node.lineno, "".join(map(str, parts))


def is_below(name: str, places: dict[str, str]) -> bool:
    return any(name == place or name.startswith(f"{place}/") for place in places)


def test_no_message_of_the_library_has_a_flag():
    found = []
    for path in sorted(SRC.rglob("*.py")):
        name = path.relative_to(SRC).as_posix()
        if is_below(name, EXCEPTIONS):
            continue
        for line, text in texts(ast.parse(path.read_text(encoding="utf-8"))):
            if text.startswith("--") and is_below(name, OTHER_PROGRAMS):
                continue
            if FLAG.search(COMMANDS.sub("", text)):
                found.append(f"{name}:{line}: {text[:80]!r}")

    assert not found, "use urlset.option_names.option"


@pytest.mark.parametrize("place", [*EXCEPTIONS, *OTHER_PROGRAMS])
def test_each_exception_is_needed(place):
    path = SRC / place
    files = [path] if path.is_file() else path.rglob("*.py")

    assert any(FLAG.search(file.read_text(encoding="utf-8")) for file in files)


@pytest.mark.parametrize(
    ("arguments", "python", "command"),
    [
        (("base_url",), "base_url", "--base-url"),
        (("force", "zero"), 'force="zero"', "--force zero"),
        (("allowed_hosts",), "allowed_hosts", "--allowed-host"),
        (("adopt", True), "adopt=True", "--adopt"),
        (("preflight", False), "preflight=False", "--no-preflight"),
        (("confirm_after_s",), "confirm_after_s", "--confirm-after"),
    ],
)
def test_names_of_python_and_of_the_command(arguments, python, command):
    assert option(*arguments) == python
    with flags_in_messages():
        assert option(*arguments) == command
    assert option(*arguments) == python


def calls() -> dict[tuple[str, str], set[str]]:
    """Return the calls of ``option``: name and ``python``, with the modules."""
    found: dict[tuple[str, str], set[str]] = {}
    for path in SRC.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "option":
                continue
            name = ast.literal_eval(node.args[0])
            instead = next((ast.unparse(k.value) for k in node.keywords if k.arg == "python"), "")
            found.setdefault((name, instead), set()).add(path.name)
    return found


def test_each_option_of_a_message_is_declared():
    from urlset.option_schema import options_of
    from urlset.option_schema.glossary import VERBS

    declared = [each for verb in VERBS for each in options_of(verb)]
    known = {each.name for each in declared if each.is_allowed("python")} | {"delay_s", "backup"}
    for name, instead in calls():
        with flags_in_messages():
            assert option(name).startswith(("--", "[check] "))  # a key of the configuration
        # One of the command only says what Python has for it. Policy has delay_s,
        # urlset.write_fixed has backup. Of the calls, watch alone has report; the other results
        # have a method.
        assert bool(instead) == (name not in known) or name == "report", name


def both(capsys, call, *arguments):
    """Return the message of a call and that of the command."""
    with pytest.raises((ValueError, OSError)) as caught:
        call()
    assert main(arguments) == 2 or arguments[0] == "build"
    return str(caught.value), capsys.readouterr().err


def test_messages_of_a_call_and_of_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("urls.txt").write_text(f"{BASE}a\nhttps://other.example/b\n")
    Path("rows.csv").write_text(f"loc,lastmod\n{BASE}a,yesterday\n")
    Path("paths.txt").write_text("/a\n")

    def build(source, **options):
        return lambda: urlset.build(source, "out", **{"base_url": BASE, **options})

    command = ("build", "--output", "out", "--base-url", BASE)
    for call, arguments, python, flag in [
        (build("urls.txt"), (*command, "urls.txt"),
         'allow the host with allowed_hosts; nothing was published. If this is intended: '
         'force="hosts"',
         "allow the host with --allowed-host; nothing was published. If this is intended: "
         "--force hosts"),
        (build("rows.csv"), (*command, "rows.csv"),
         '(on_error="skip" skips such entries)', "(--on-error skip skips such entries)"),
        (build("rows.csv", delimiter="~~"), (*command, "rows.csv", "--delimiter", "~~"),
         "delimiter: expected one character", "--delimiter: expected one character"),
        (lambda: urlset.check("urls.txt", baseline="none.json"),
         ("check", "urls.txt", "--baseline", "none.json"),
         "; Baseline.write creates one", "; --write-baseline creates one"),
        (build("paths.txt", base_url=None), (*command[:3], "paths.txt"),
         "set base_url, e.g.", "set base_url (--base-url), e.g."),
    ]:  # fmt: skip
        message, printed = both(capsys, call, *arguments)
        assert python in message
        assert "--" not in message
        assert flag in printed


def test_the_threads_of_a_command_name_flags():
    seen = []
    thread = Thread(target=lambda: seen.append(option("confirm_after_s")))
    with flags_in_messages():
        thread.start()
        thread.join()

    assert seen == ["--confirm-after"]


def test_a_command_that_ended_leaves_the_names_of_python(capsys):
    assert main(["check", "none.xml"]) == 2
    capsys.readouterr()

    assert option("unordered", python="ordered=False") == "ordered=False"
    assert option("adopt", True) == "adopt=True"
