"""Attacks by links, environment and modules of a checkout: nothing leaks, nothing runs."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and scripts of POSIX")

SECRET = "TOPSECRET-0123456789"
BASE = "--base-url https://example.com/"
# Each command reads a link out of the checkout; `target` stands for the link.
READS = {
    "check": "check target",
    "check as JSON": "check target --format json",
    "check for GitHub": "check target --format github",
    "check as SARIF": "check target --format sarif",
    "check for JUnit": "check target --format junit",
    "check of the folder": "check .",
    "check and fix": "check target --fix",
    "check with a diff": "check target --diff",
    "read": "read target",
    "read as lines": "read target --format txt",
    "read as CSV": "read target --format csv",
    "read into a store": "read target --output out.duckdb",
    "diff before": "diff target plain.txt",
    "diff after": "diff plain.txt target",
    "build": f"build target {BASE} --output public",
    "baseline": "check plain.txt --baseline target",
    "configuration": "check plain.txt --config target",
    "robots.txt of a build": f"build plain.txt {BASE} --output public --exclude-by-robots target",
}
# Each command writes to a link out of the checkout.
WRITES = {
    "store": "read plain.txt --output link",
    "report": "check plain.txt --report link",
    "changes": f"build plain.txt {BASE} --output public --changes link",
    "excluded": f"build plain.txt {BASE} --output public --excluded link",
}
MODULES = (
    "select", "ssl", "typing", "dataclasses", "asyncio", "click", "rich", "yarl", "arro3",
    "msgspec",
    "selectolax", "idna", "obstore", "zlib", "html", "urllib", "tomllib", "sqlite3", "csv", "gzip",
)  # fmt: skip


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    (tmp_path / "outside.txt").write_text(f"{SECRET}\n")
    (folder / "plain.txt").write_text("https://example.com/a\n")
    return folder


def run(folder: Path, text: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "urlset", *text.split()],
        cwd=folder, env=os.environ | {"CI": "true"} | environment, stdin=subprocess.DEVNULL,
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    return (done.stdout + done.stderr).decode(errors="replace")


@pytest.mark.parametrize("kind", ["file", "environment"])
@pytest.mark.parametrize("text", READS.values(), ids=READS)
def test_a_link_out_of_the_checkout_shows_nothing(checkout: Path, text: str, kind: str):
    target = "/proc/self/environ" if kind == "environment" else "../outside.txt"
    if not (checkout / target).exists():
        pytest.skip("no /proc on this system")
    (checkout / "target").symlink_to(target)

    shown = run(checkout, text, PLANTED=SECRET)

    assert SECRET not in shown
    assert "internal error" not in shown
    assert "Traceback" not in shown
    made = [path for path in checkout.rglob("*") if path.is_file() and not path.is_symlink()]
    assert [path.name for path in made if SECRET.encode() in path.read_bytes()] == []
    assert (checkout.parent / "outside.txt").read_text() == f"{SECRET}\n"


@pytest.mark.parametrize("text", WRITES.values(), ids=WRITES)
def test_a_link_out_of_the_checkout_is_not_written_through(checkout: Path, text: str):
    (checkout / "link").symlink_to("../outside.txt")

    shown = run(checkout, text)

    assert (checkout.parent / "outside.txt").read_text() == f"{SECRET}\n"
    assert "internal error" not in shown


@pytest.mark.parametrize("module", MODULES)
def test_a_module_of_the_checkout_does_not_run(checkout: Path, module: str):
    sprung = checkout.parent / "sprung"
    text = f"open({str(sprung)!r}, 'a').write('x')\n"
    (checkout / f"{module}.py").write_text(text)
    (checkout / module).mkdir()
    (checkout / module / "__init__.py").write_text(text)

    shown = run(checkout, "check plain.txt")

    assert not sprung.exists()
    assert "1 document" in shown or "no findings" in shown.lower() or shown == ""


@pytest.mark.parametrize("kind", ["file", "environment"])
def test_a_link_out_of_the_checkout_is_not_announced(checkout: Path, kind: str):
    target = "/proc/self/environ" if kind == "environment" else "../outside.txt"
    if not (checkout / target).exists():
        pytest.skip("no /proc on this system")
    (checkout / "target").symlink_to(target)
    key = "0123456789abcdef0123456789abcdef"

    shown = run(checkout, "submit target", PLANTED=SECRET, URLSET_INDEXNOW_KEY=key)

    assert "leads out of the working directory" in shown
    assert SECRET not in shown
    assert key not in shown


def test_a_file_that_has_no_changes_is_not_quoted(checkout: Path):
    key = "0123456789abcdef0123456789abcdef"

    shown = run(checkout, "submit ../outside.txt", URLSET_INDEXNOW_KEY=key)

    assert "expected a JSON object with change and loc, found other text" in shown
    assert SECRET not in shown


def test_a_link_to_an_access_log_or_an_archive_is_not_read(checkout: Path):
    line = '127.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET /secret HTTP/1.1" 200 1 "-" "a"\n'
    (checkout.parent / "access.log").write_text(line)
    (checkout.parent / "a.warc.gz").write_bytes(gzip.compress(b"WARC/1.0\r\n"))
    (checkout / "access.log").symlink_to("../access.log")
    (checkout / "a.warc.gz").symlink_to("../a.warc.gz")

    for text in ("audit http://127.0.0.1:9 --logs access.log", "read a.warc.gz"):
        assert "leads out of the working directory" in run(checkout, text)


def test_a_named_pipe_is_no_archive(checkout: Path):
    os.mkfifo(checkout / "a.warc.gz")

    assert "it is a pipe" in run(checkout, "read a.warc.gz")
