"""The command as a process: pipes, full disks, Ctrl-C, memory, locales."""

import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from tests.cli.test_commands import SITE
from urlset.cli import GC_THRESHOLDS

URLSET = (sys.executable, "-m", "urlset")
INDEX = str(SITE / "sitemap.xml")

posix = pytest.mark.skipif(os.name == "nt", reason="signals and devices of POSIX")


def run(*arguments: str, **options):
    return subprocess.run(
        [*URLSET, *arguments], capture_output=True, check=False, timeout=60, **options
    )


@pytest.fixture(scope="module")
def many(tmp_path_factory) -> Path:
    """A list that fills any pipe."""
    path: Path = tmp_path_factory.mktemp("many") / "many.txt"
    path.write_text("".join(f"https://example.com/{n}\n" for n in range(40_000)))
    return path


@posix
@pytest.mark.parametrize(
    "arguments",
    [
        ("read", "--format", "jsonl"),
        ("read", "--format", "csv"),
        ("read", "--format", "txt"),
        ("read",),
        ("check", "--format", "json"),
    ],
)
def test_closed_pipe_ends_quietly(arguments, many, tmp_path):
    if arguments[0] == "check":
        (tmp_path / "bad.txt").write_text("https://e.com/\n" + "x\n" * 5_000)
        many = tmp_path / "bad.txt"
    with subprocess.Popen(
        [*URLSET, *arguments, str(many)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.read(10)
        process.stdout.close()
        said = process.stderr.read()
        code = process.wait(timeout=60)

    # As a shell counts what SIGPIPE ended: 128 + 13.
    assert (code, said) == (141, b"")


@posix
def test_closed_pipe_before_the_first_byte_ends_quietly():
    reading, writing = os.pipe()
    os.close(reading)

    ran = subprocess.run([*URLSET, "read", INDEX], stdout=writing, stderr=subprocess.PIPE)

    os.close(writing)
    assert (ran.returncode, ran.stderr) == (141, b"")


@posix
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("--version", 0),
        ("read SITE --output out.csv", 0),
        ("read SITE", 0),
        ("read -", 2),  # empty, or without a stdin
        ("read missing.xml", 2),
        ("check SITE", 0),
        ("build SITE --output maps", 0),
        ("", 2),
    ],
)
def test_closed_standard_streams_are_the_null_device(arguments, expected, closed, tmp_path):
    # The messages are those of a process that has the streams; a crash would have the code 1.
    (tmp_path / "list.txt").write_text("https://example.com/\n")
    line = f"{URLSET[0]} -m urlset {arguments.replace('SITE', 'list.txt')} {closed}"

    ran = subprocess.run(
        line, shell=True, cwd=tmp_path, capture_output=True, stdin=subprocess.DEVNULL, timeout=60
    )

    assert (ran.returncode, b"internal error" in ran.stderr) == (expected, False)
    assert (tmp_path / "out.csv").exists() is ("out.csv" in arguments)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full disk at hand")
@pytest.mark.parametrize(
    "arguments", [("read", INDEX), ("check", str(SITE / "broken.xml")), ("rules",)]
)
def test_full_disk_is_reported(arguments):
    with open("/dev/full", "wb") as full:
        ran = subprocess.run([*URLSET, *arguments], stdout=full, stderr=subprocess.PIPE)

    assert ran.returncode == 2
    assert ran.stderr == b"urlset: cannot write 'stdout': No space left on device\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full disk at hand")
@pytest.mark.parametrize(
    ("arguments", "is_published"),
    [
        (("--output", "maps"), True),
        (("--output", "maps", "--json"), True),
        (("--output", "maps", "--dry-run"), False),
        (("--output", "-"), False),
    ],
)
def test_a_build_whose_result_cannot_be_printed_reports_what_is_published(
    arguments, is_published, tmp_path
):
    (tmp_path / "u.txt").write_text("https://example.com/\n")
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            [*URLSET, "build", "u.txt", *arguments],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
        )

    published = "; the sitemaps are published" if is_published else ""
    message = f"urlset: cannot write 'stdout': No space left on device{published}\n"
    assert (ran.returncode, ran.stderr.decode()) == (2, message)
    assert (tmp_path / "maps" / "sitemap.xml").exists() is is_published


@posix
@pytest.mark.parametrize(("sent", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_command_leaves_nothing_half_written(sent, expected, many, tmp_path):
    reading, writing = os.pipe()
    (tmp_path / "out.jsonl").write_text("old")
    sources = [str(many)] * 20 + [f"/dev/fd/{reading}"]  # the last one never ends
    with subprocess.Popen(
        [*URLSET, "read", *sources, "--output", "out.jsonl"],
        cwd=tmp_path,
        pass_fds=[reading],
        stderr=subprocess.PIPE,
    ) as process:
        deadline = time.monotonic() + 50
        while len(os.listdir(tmp_path)) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)  # until it has begun to write
        process.send_signal(sent)
        code = process.wait(timeout=60)
        assert process.stderr
        said = process.stderr.read()

    for end in (reading, writing):
        os.close(end)
    assert (code, said) == (expected, b"")
    assert os.listdir(tmp_path) == ["out.jsonl"]
    assert (tmp_path / "out.jsonl").read_text() == "old"


_INTERRUPTED_FILE = """
import os, signal, sys, tempfile
create = tempfile.mkstemp
def interrupted(**options):
    made = create(**options)
    os.kill(os.getpid(), signal.SIGINT)
    return made
tempfile.mkstemp = interrupted
import urlset.cli
urlset.cli.command()
"""


@posix
def test_ctrl_c_while_the_output_file_is_created_leaves_none(many, tmp_path):
    command = [sys.executable, "-c", _INTERRUPTED_FILE, "read", str(many), "--output", "o.jsonl"]

    ran = subprocess.run(command, cwd=tmp_path, capture_output=True)

    assert (ran.returncode, ran.stderr) == (130, b"")
    assert os.listdir(tmp_path) == []


@posix
def test_a_command_in_python_changes_no_handler_of_signals(capsys):
    from urlset.cli import main

    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    main(["rules", "N131"])

    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


_INTERRUPTED_IMPORT = """
import os, signal, sys
class Finder:
    def find_spec(name, path=None, target=None):
        if name == "duckdb":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder)
try:
    import urlset.store
except KeyboardInterrupt:
    print(hasattr(sys.modules.get("duckdb"), "connect"))
"""
_INTERRUPTED_COMMAND = """
import atexit, sys, urlset.cli
class Last:
    def __del__(self):
        print("finalized", flush=True)
last = Last()
def interrupted():
    print("out", end="")
    atexit.register(print, "cleaned up")
    return 130
urlset.cli.main = interrupted
urlset.cli.command()
"""


@posix
@pytest.mark.parametrize(
    ("script", "expected"),
    [(_INTERRUPTED_IMPORT, (0, "True\n")), (_INTERRUPTED_COMMAND, (130, "outcleaned up\n"))],
    ids=["import of DuckDB", "exit"],
)
def test_ctrl_c_does_not_abort_the_process(script, expected):
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60
    )

    assert (ran.returncode, ran.stdout, ran.stderr) == (*expected, "")


_INTERRUPTED_START = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Finder:
    def find_spec(name, path=None, target=None):
        if name == interrupted:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder)
"""
_RUN_SCRIPT = """
(module, _, name), interrupted = sys.argv[1].partition(":"), sys.argv[2]
sys.argv[1:] = ["rules", "N131"]
getattr(__import__(module, fromlist=[name]), name)()
"""


@posix
@pytest.mark.parametrize("module", ["urlset", "urlset.document", "urlset.cli", "urlset.cli.app"])
def test_ctrl_c_while_the_command_is_imported_shows_no_traceback(module):
    with open(Path(__file__).parents[2] / "pyproject.toml", "rb") as file:
        entry = tomllib.load(file)["project"]["scripts"]["urlset"]

    ran = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED_START + _RUN_SCRIPT, entry, module],
        capture_output=True,
        text=True,
    )

    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "")


@posix
@pytest.mark.parametrize("module", ["urlset.registry", "urlset.cli", "urlset.cli.app", None])
def test_ctrl_c_while_python_m_imports_the_command_shows_no_traceback(module, tmp_path):
    start = f"{_INTERRUPTED_START}\ninterrupted = {module!r}\n"
    (tmp_path / "sitecustomize.py").write_text(start)  # Python imports it before the package
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])

    ran = run("rules", "N131", env={**os.environ, "PYTHONPATH": path})

    expected = 0 if module is None else 130
    assert (ran.returncode, bool(ran.stdout), ran.stderr) == (expected, module is None, b"")


@posix
@pytest.mark.parametrize("options", [["-murlset"], ["-Pm", "urlset"], ["-X", "dev", "-IPmurlset"]])
def test_ctrl_c_is_quiet_however_python_m_is_written(options):
    code = "import sys, _urlset_command; print(_urlset_command.module_that_runs())"
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.orig_argv[1:] = {options!r}; {code}"],
        capture_output=True,
        text=True,
    )

    assert ran.stdout == "urlset\n"


@posix
@pytest.mark.parametrize("arguments", [(), ("-m", "urlset")])
def test_a_program_that_imports_the_library_keeps_its_ctrl_c(arguments, tmp_path):
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").write_text(
        "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\nimport urlset\n"
    )
    (tmp_path / "shop" / "__main__.py").write_text(
        "import signal; assert signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
    )

    subprocess.run([sys.executable, "-m", "shop", *arguments], cwd=tmp_path, check=True)


@posix
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_data_are_utf8_in_any_locale(encoding):
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "LC_ALL": "C"}
    data = "<urlset><url><loc>https://e.com/東京</loc></url></urlset>".encode()

    ran = run("read", "-", "--format", "txt", input=data, env=environment)

    assert ran.stdout == "https://e.com/東京\n".encode()
    assert run("read", "none-東京", env=environment).returncode == 2


def test_name_that_is_no_utf8(tmp_path):
    name = os.fsencode(tmp_path) + b"/\xff.txt"
    try:
        Path(os.fsdecode(name)).write_bytes(b"https://e.com/\n")
    except (OSError, ValueError):
        pytest.skip("names are UTF-8 here")

    for command in ("read", "check"):
        for format_ in ("jsonl", "csv") if command == "read" else ("text", "json", "sarif"):
            ran = subprocess.run(
                [*URLSET, command, "--format", format_, os.fsdecode(name)],
                capture_output=True,
                check=False,
            )
            assert ran.returncode == 0, ran.stderr
            ran.stdout.decode()


@pytest.fixture
def odd(tmp_path):
    """Return a path by its ending: its name is not UTF-8."""

    def path(ending: str, data: bytes | None = None) -> str:
        name = os.fsdecode(os.fsencode(tmp_path) + b"/q\xfe" + ending.encode())
        try:
            if data is not None:
                Path(name).write_bytes(data)
        except (OSError, ValueError):
            pytest.skip("names are UTF-8 here")
        return name

    return path


def test_a_file_whose_name_is_not_utf8_is_stored_queried_and_compared(odd, tmp_path):
    name, plain = odd(".txt", b"https://e.com/\n"), tmp_path / "plain.txt"
    plain.write_text("https://e.com/\n")
    query = ("--sql", "SELECT source, root FROM documents", "--format", "csv")

    for _ in range(2):
        ran = run("read", name, "--output", "q.duckdb", cwd=tmp_path)
        assert ran.returncode == 0, ran.stderr
    for ran in (run("read", "q.duckdb", *query, cwd=tmp_path), run("read", name, *query)):
        assert ran.stdout.decode().split() == [
            "source,root",
            f"{tmp_path}/q\\xfe.txt,{tmp_path}/q\\xfe.txt",
        ]
    for pair in ((name, plain), (plain, name)):
        ran = run("diff", *pair)
        assert ran.stdout == b"0 added, 0 removed, 0 changed; 1 unchanged\n", ran.stderr


@pytest.mark.parametrize(
    ("ending", "data"),
    [(".csv", b"loc,title\nhttps://e.com/,A\n"), (".jsonl", b'{"loc": "https://e.com/"}\n')],
)
def test_a_table_whose_name_is_not_utf8_is_read_and_built(ending, data, odd, tmp_path):
    name = odd(ending, data)

    ran = run("read", name, "--format", "txt")
    built = run("build", name, "--output", odd("-maps"), cwd=tmp_path)

    assert ran.stdout == b"https://e.com/\n", ran.stderr
    assert built.returncode == 0, built.stderr
    assert Path(odd("-maps"), "sitemap.xml").exists()
    again = run("build", name, "--output", odd("-maps"), "--json", cwd=tmp_path)
    assert b'"changed": false' in again.stdout


def test_a_database_whose_path_is_not_utf8_is_refused(odd, tmp_path):
    (tmp_path / "u.txt").write_text("https://e.com/\n")
    run("read", "u.txt", "--output", "u.parquet", cwd=tmp_path)
    parquet = odd("-in.parquet", (tmp_path / "u.parquet").read_bytes())

    for arguments in (
        ("read", "u.txt", "--output", odd(".duckdb")),
        ("read", "u.txt", "--output", odd(".parquet")),
        ("build", "u.txt", "--output", "maps", "--ledger", odd(".duckdb")),
        ("read", parquet),
        ("build", parquet, "--output", "maps"),
    ):
        ran = run(*arguments, cwd=tmp_path)
        assert ran.returncode == 2
        assert b"UTF-8" in ran.stderr
        assert ran.stderr.endswith(b"; rename it\n"), ran.stderr
    assert not (tmp_path / "maps").exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_read_streams_in_bounded_memory(tmp_path):
    for number in range(12):
        urls = "".join(f"https://example.com/{number}/{n}\n" for n in range(20_000))
        (tmp_path / f"{number}.txt").write_text(urls)
    code = (
        "import sys; from urlset.cli import main; main(sys.argv[1:]);"
        "print(open('/proc/self/status').read(), file=sys.stderr)"
    )

    peaks = []
    for count in (2, 12):
        sources = [str(tmp_path / f"{number}.txt") for number in range(count)]
        ran = subprocess.run(
            [sys.executable, "-c", code, "read", *sources, "--format", "jsonl"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=True,
        )
        found = re.search(rb"VmHWM:\s+(\d+) kB", ran.stderr)
        assert found
        peaks.append(int(found[1]))

    assert peaks[1] < peaks[0] * 1.3


def test_progress_is_a_plain_line_now_and_then_without_a_terminal(monkeypatch, capsys):
    from urlset.cli import console

    with console.Progress() as progress:
        progress.update("one")  # too soon
    monkeypatch.setattr(console, "LOG_INTERVAL_S", 0.0)
    monkeypatch.setattr(console, "REFRESH_INTERVAL_S", 3600.0)
    with console.Progress() as progress:
        progress.update("two")
        monkeypatch.setattr(console, "LOG_INTERVAL_S", 3600.0)
        progress.update("three")
        progress.update("four")

    assert capsys.readouterr() == ("", "two\nthree\n")


@posix
def test_progress_and_colours_on_a_terminal(many, tmp_path):
    import pty

    leader, follower = pty.openpty()
    hidden = {"NO_COLOR", "FORCE_COLOR"}
    environment = {k: v for k, v in os.environ.items() if k not in hidden} | {"TERM": "xterm"}
    with subprocess.Popen(
        [*URLSET, "read", str(many), "--output", str(tmp_path / "out.csv")],
        stderr=follower,
        env=environment,
    ) as process:
        os.close(follower)
        said = b""
        while True:
            try:
                piece = os.read(leader, 65_536)
            except OSError:  # as Linux tells the end of a terminal
                break
            if not piece:
                break
            said += piece
    os.close(leader)

    assert process.returncode == 0
    assert b"40,000 entries from 1 document\r\n" in said
    assert b"\x1b[?25h" in said  # the cursor is back


def test_demo(tmp_path):
    demo = Path(__file__).parents[2] / "examples" / "demo.py"
    if not demo.exists():
        pytest.skip("no examples beside the tests")

    ran = subprocess.run(
        [sys.executable, str(demo), str(tmp_path / "out")],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert ran.returncode == 0, ran.stderr
    assert "$ urlset check examples/site/broken.xml" in ran.stdout
    # The site, over HTTP: its robots.txt leads to an index and that to five sitemaps.
    assert "14 entries from 6 documents, including 1 index, " in ran.stderr
    assert "/robots.txt\n└── /sitemap.xml  index · 5 sitemaps · 14 entries\n" in ran.stdout
    # One page of a folder of HTML changes: its sitemap is written again, and the index.
    states = re.findall(r"^  (sitemap\S*) +(as it was|written again)$", ran.stdout, re.MULTILINE)
    assert [name for name, state in states if state == "written again"] == [
        "sitemap-1.xml",
        "sitemap.xml",
    ]
    assert "  lastmod 20" in ran.stdout
    assert " by content\n    first available of given > page" in ran.stdout


PROCESS = """
import atexit, sys
from urlset import cli

atexit.register(print, "registered before the command")
main = cli.main

def run():
    atexit.register(print, "registered by the command")
    return main(["rules", "P001", "--unknown"])

cli.main = run
OBSERVE
cli.command()
"""


MONITORING = """
if hasattr(sys, "monitoring"):
    sys.monitoring.use_tool_id(sys.monitoring.COVERAGE_ID, "a coverage tool")
else:  # before Python 3.12
    from types import SimpleNamespace
    sys.monitoring = SimpleNamespace(get_tool={1: "a coverage tool"}.get)
"""


@pytest.mark.parametrize(
    "observe",
    [
        "",
        "sys.settrace(lambda *event: None)",
        "sys.setprofile(lambda *event: None)",
        MONITORING,
    ],
    ids=["no tool", "trace", "profile", "monitoring"],
)
def test_process_ends_without_finalization_unless_observed(observe):
    code = PROCESS.replace("OBSERVE", observe)

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)

    expected = ["registered by the command"]
    if observe:
        expected.append("registered before the command")
    assert (ran.returncode, ran.stdout.splitlines()) == (2, expected)


def test_process_collects_garbage_less_often() -> None:
    script = (
        "import gc\nfrom urlset import cli\n"
        "cli.main = lambda: print(*gc.get_threshold()) or 0\ncli.command()"
    )

    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert tuple(map(int, ran.stdout.split())) == GC_THRESHOLDS


@pytest.mark.parametrize("package", ["click", "duckdb"])
def test_missing_package_is_named(package, tmp_path) -> None:
    (tmp_path / "a.txt").write_text("https://example.com/\n")
    script = (
        "import sys\n"
        f"sys.modules[{package!r}] = None\n"  # an import of it fails, as if it were not installed
        "from urlset.cli import main\n"
        "sys.exit(main(['check', 'a.txt']))"
    )

    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path
    )

    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == (
        f"urlset: expected the package '{package}', which urlset needs, found that it is not "
        "installed; install urlset with its dependencies: pip install urlset, or pip install . in "
        "a checkout\n"
    )


def test_missing_package_is_named_in_python() -> None:
    script = (
        "import sys\n"
        "sys.modules['duckdb'] = None\n"
        "import urlset\n"
        "try:\n"
        "    urlset.check\n"
        "except ModuleNotFoundError as error:\n"
        "    print(error.name, error, sep='; ')"
    )

    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert ran.stdout == (
        "duckdb; expected the package 'duckdb', which urlset needs, found that it is not "
        "installed; install urlset with its dependencies: pip install urlset, or pip install . in "
        "a checkout\n"
    )
