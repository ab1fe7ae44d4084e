"""A real process of `urlset sync` that is killed, and its output."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import urlset
from tests.site_box import SiteBox
from tests.terminals import shown_on_terminal
from urlset.cli import main
from urlset.cli.console import Progress
from urlset.live.sync.update import UpdateFile

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def put(box: SiteBox, texts: dict[str, str]) -> None:
    rows = ""
    for name, text in texts.items():
        rows += f"<url><loc>{box.url(f'/{name}')}</loc></url>"
        box.put(f"/{name}", f"<!doctype html><title>{name}</title><p>{text}</p>", kind="text/html")
    box.put("/sitemap.xml", f"<urlset {NAMESPACE}>{rows}</urlset>")
    box.put_robots("User-agent: *", f"Sitemap: {box.url('/sitemap.xml')}")


def texts_of(output: Path) -> dict[str, str]:
    """Replay the lines of a file; return the texts by name."""
    texts: dict[str, str] = {}
    for line in output.read_text("utf-8").splitlines():
        update = json.loads(line)
        name = update["loc"].rpartition("/")[2]
        if update["change"] == "removed":
            texts.pop(name, None)
        elif update["change"] != "unknown":
            texts[name] = update["text"]
    return texts


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_killed_process_loses_no_update(tmp_path):
    draw = random.Random(7)
    output = tmp_path / "updates.jsonl"
    command = [
        *(sys.executable, "-m", "urlset", "sync"), "", "--store", str(tmp_path / "index.duckdb"),
        *("--output", str(output), "--batch-size", "3", "--max-removed-share", "1", "--quiet"),
    ]  # fmt: skip
    with SiteBox() as box:
        command[4] = box.site
        texts = {f"p{number}": "text" for number in range(40)}
        for _ in range(6):
            for name in draw.sample(sorted(texts), 12):
                texts[name] = f"text {draw.random()}"
            texts.pop(draw.choice(sorted(texts)))
            put(box, texts)
            process = subprocess.Popen(command)
            goal = output.stat().st_size + 2_000 if output.exists() else 1
            deadline = time.monotonic() + 60
            while process.poll() is None and time.monotonic() < deadline:
                if output.exists() and output.stat().st_size >= goal:
                    process.send_signal(signal.SIGKILL)
                time.sleep(0.005)
            process.wait(60)
        assert subprocess.run(command, check=False).returncode == 0

    assert texts_of(output) == texts


def test_a_line_of_a_killed_run_is_removed(tmp_path, capsys):
    output = tmp_path / "updates.jsonl"
    output.write_bytes(b'{"loc": "first"}\n{"loc": "sec')
    with SiteBox() as box:
        put(box, {"one": "text"})
        arguments = ["sync", box.site, "--store", str(tmp_path / "x.duckdb"), "-o", str(output)]
        assert main(arguments) == 0

    lines = [
        json.loads(line)["loc"].rpartition("/")[2]
        for line in output.read_text("utf-8").splitlines()
    ]
    assert lines == ["first", "one"]
    assert capsys.readouterr().err.splitlines()[-1].startswith("1 added, 0 changed")


def test_updates_are_written_to_the_null_device(tmp_path, capsys):
    store = str(tmp_path / "index.duckdb")
    with SiteBox() as box:
        put(box, {"a": "one", "b": "two"})
        first = main(["sync", box.site, "--store", store, "--output", os.devnull])
        out = capsys.readouterr()
        again = main(["sync", box.site, "--store", store, "--output", os.devnull])

    assert (first, again) == (0, 0)
    assert "2 added" in out.err
    assert "2 unchanged" in capsys.readouterr().err


def test_a_full_disk_is_an_error_and_commits_nothing(tmp_path, capsys):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    state = str(tmp_path / "x.duckdb")
    with SiteBox() as box:
        put(box, {"one": "text"})
        assert main(["sync", box.site, "--store", state, "-o", "/dev/full"]) == 2
        assert "cannot write '/dev/full': No space left on device" in capsys.readouterr().err
        assert main(["sync", box.site, "--store", state, "-o", str(tmp_path / "o.jsonl")]) == 0

    assert len((tmp_path / "o.jsonl").read_text().splitlines()) == 1


def test_a_private_address_in_a_sitemap_is_not_requested(tmp_path):
    with SiteBox() as box, SiteBox(host="127.0.0.2") as secret:
        secret.put("/admin", "<!doctype html><title>Secret</title>", kind="text/html")
        put(box, {"one": "text"})
        rows = f"<url><loc>{secret.url('/admin')}</loc></url>"
        box.put("/sitemap.xml", f"<urlset {NAMESPACE}>{rows}</urlset>")
        output = tmp_path / "o.jsonl"
        main(["sync", box.site, "--store", str(tmp_path / "x.duckdb"), "-o", str(output)])

    assert secret.hits == []
    [update] = map(json.loads, output.read_text("utf-8").splitlines())
    assert update["change"] == "unknown"


def test_progress_counts_sitemaps_and_then_pages(tmp_path, monkeypatch):
    shown: list[str] = []
    monkeypatch.setattr(Progress, "update", lambda _self, text: shown.append(text))
    with SiteBox() as box:
        put(box, {"one": "text", "two": "text"})
        main(["sync", box.site, "--store", str(tmp_path / "x.duckdb"), "-o", str(tmp_path / "o")])

        assert shown[0] == f"1 sitemap · {box.url('/sitemap.xml')}"
        assert [text.partition(" · ")[0] for text in shown[1:]] == ["1 page", "2 pages"]


def test_the_state_must_be_named(capsys):
    assert main(["sync", "https://example.com"]) == 2
    assert "expected --store FILE.duckdb" in capsys.readouterr().err


def test_the_command_writes_the_text_of_pages_unless_an_option_says_no(tmp_path):
    with SiteBox() as box:
        put(box, {"p1": "hello"})
        for name, words in (("a", []), ("b", ["--no-text"])):
            store, output = str(tmp_path / f"{name}.duckdb"), tmp_path / f"{name}.jsonl"
            assert main(["sync", box.site, "--store", store, "-o", str(output), *words]) == 0

    assert '"text": "hello"' in (tmp_path / "a.jsonl").read_text("utf-8")
    assert '"hello"' not in (tmp_path / "b.jsonl").read_text("utf-8")


def test_lines_escape_what_harms_a_terminal(tmp_path):
    title = "\x9b31m \u202egpj \u2028 東京"
    output = tmp_path / "updates.jsonl"
    with SiteBox() as box:
        put(box, {"p1": title})
        store = str(tmp_path / "x.duckdb")
        assert main(["sync", box.site, "--store", store, "-o", str(output)]) == 0

    text = output.read_text("utf-8")
    assert not set("\x9b\u202e\u2028") & set(text)
    assert set(json.loads(text)["text"]) >= {"\u202e", "東"}


@pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminal there")
def test_on_a_terminal_lines_are_not_mixed_with_progress(tmp_path):
    with SiteBox() as box:
        put(box, {f"p{number}": "text" for number in range(3)})
        command = ["sync", box.site, "--store", str(tmp_path / "x.duckdb"), "--no-text"]
        shown = shown_on_terminal(
            [sys.executable, "-m", "urlset", *command], streams=["stdin", "stdout", "stderr"]
        )

    *lines, summary = shown.splitlines()
    assert [json.loads(line)["change"] for line in lines] == ["added"] * 3
    assert summary.startswith("3 added")


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need a privilege there")
def test_updates_are_not_written_through_a_planted_link(tmp_path):
    (tmp_path / "clone").mkdir()
    victim = tmp_path / "bashrc"
    victim.write_bytes(b"alias ll=ls\nexport TOKEN=no-newline")
    (tmp_path / "clone" / "updates.jsonl").symlink_to(victim)

    with (
        pytest.raises(urlset.TargetError, match="leads out of its folder"),
        UpdateFile.opened(tmp_path / "clone" / "updates.jsonl"),
    ):
        pass

    assert victim.read_bytes() == b"alias ll=ls\nexport TOKEN=no-newline"


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
def test_updates_that_nobody_gets_are_not_delivered(tmp_path: Path) -> None:
    store = tmp_path / "index.duckdb"
    with SiteBox() as box:
        put(box, {"a": "text"})
        line = f"'{sys.executable}' -m urlset sync {box.site} --store '{store}' >&-"
        ended = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
        assert ended.returncode == 2
        assert "found stdout closed" in ended.stderr
        assert not store.exists()
        dry_run = subprocess.run(
            ["sh", "-c", f"{line} --dry-run"], capture_output=True, text=True, check=False
        )
        assert dry_run.returncode == 0, dry_run.stderr
