"""A DuckDB file of urlset that is given in place of another kind of file is refused, unchanged."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

import urlset
from tests.live_sites import sitemap_of
from tests.site_box import SiteBox

BASE = "https://example.com/"
CHANGE = [{"change": "added", "loc": f"{BASE}a"}]
KEY = "0123456789abcdef"


def build(folder: Path, **options: Any) -> urlset.Build:
    known: dict[str, Any] = {"ledger": folder / "ledger.duckdb"}
    rows = [{"loc": f"{BASE}a"}]
    return urlset.build(rows, folder / "public", base_url=BASE, **(known | options))


def submit(folder: Path, updates: Any = CHANGE, **options: Any) -> urlset.Submission:
    known: dict[str, Any] = {"store": folder / "sent.duckdb", "dry_run": True}
    return urlset.submit(updates, keys=KEY, **(known | options))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder with a store, a ledger, a record of announcements, and another file."""
    urlset.read(b"https://example.com/a").to_duckdb(tmp_path / "store.duckdb")
    build(tmp_path)
    duckdb.connect(str(tmp_path / "sent.duckdb")).execute(
        "CREATE TABLE announcements (url VARCHAR); CREATE TABLE settings (version INTEGER)"
    ).close()
    duckdb.connect(str(tmp_path / "other.duckdb")).execute("CREATE TABLE pages (loc TEXT)").close()
    return tmp_path


FOUND = {
    "store": "a urlset store",
    "ledger": "the ledger of `urlset build`",
    "sent": "the record of announcements",
    "other": r"a DuckDB file with other tables \(pages\)",
}


WRITTEN: dict[str, tuple[str, Callable[..., object], str]] = {
    "ledger": ("a ledger of `urlset build`", build, "ledger"),
    "sent": ("a record of announcements", submit, "store"),
}
"""What each file is for messages, the function that writes it, and the parameter for it."""


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize(
    ("wanted", "kind"), [(wanted, kind) for wanted in WRITTEN for kind in FOUND if kind != wanted]
)
def test_a_file_of_another_kind_is_refused_unchanged(
    wanted: str, kind: str, dry_run: bool, files: Path
) -> None:
    path = files / f"{kind}.duckdb"
    before = path.read_bytes()
    noun, function, parameter = WRITTEN[wanted]

    hint = "; a ledger or a store with changes is the first argument" if wanted == "sent" else ""
    expected = rf"expected {noun}, found {FOUND[kind]}: '{path}'; name another file{hint}$"
    with pytest.raises(urlset.StoreError, match=expected):
        function(files, **{parameter: path}, dry_run=dry_run)
    assert path.read_bytes() == before


WRITERS: dict[str, Callable[[Path, Path], object]] = {
    "changes": lambda folder, path: build(folder, changes=path),
    "excluded": lambda folder, path: build(folder, excluded=path),
    "baseline": lambda _, path: urlset.Baseline().write(path),
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("kind", FOUND)
def test_a_text_does_not_replace_a_store(kind: str, writer: str, files: Path) -> None:
    path = files / f"{kind}.duckdb"
    before = path.read_bytes()

    with pytest.raises(urlset.TargetError, match=r"it is a store \(a DuckDB file\); name another"):
        WRITERS[writer](files / "new", path)
    assert path.read_bytes() == before


def test_updates_are_not_appended_to_a_store(box: SiteBox, files: Path) -> None:
    path = files / "store.duckdb"
    before = path.read_bytes()
    box.put("/sitemap.xml", sitemap_of([box.url("/a")]))

    with (
        urlset.sync(box.url("/sitemap.xml"), files / "sync.duckdb") as run,
        pytest.raises(urlset.TargetError, match="it is a store"),
    ):
        run.to_jsonl(path)
    assert path.read_bytes() == before


def test_a_store_into_which_nothing_was_read_is_no_state_of_a_site(tmp_path: Path) -> None:
    empty = tmp_path / "empty.duckdb"
    urlset.Store.open(empty).close()
    expected = "expected a store with sitemaps.*, found none in "

    with pytest.raises(urlset.SourceError, match=expected):
        urlset.diff(empty, {"a.xml": sitemap_of([f"{BASE}a"]).encode()})
    with pytest.raises(urlset.SourceError, match=expected):
        submit(tmp_path, empty)


def test_a_build_reads_the_latest_snapshot_of_a_store(box: SiteBox, tmp_path: Path) -> None:
    box.put_robots(f"Sitemap: {box.url('/sitemap.xml')}")
    box.put("/sitemap.xml", sitemap_of([box.url("/a"), box.url("/b")]))
    urlset.watch(box.url("/"), tmp_path / "watch.duckdb").close()

    built = urlset.build(tmp_path / "watch.duckdb", tmp_path / "public", base_url=box.url("/"))

    assert built.urls == 2


def test_a_cache_is_a_folder(box: SiteBox, files: Path) -> None:
    box.put("/sitemap.xml", sitemap_of([box.url("/a")]))

    with pytest.raises(urlset.TargetError, match=r"expected a folder, found a file; name another"):
        list(urlset.read(box.url("/sitemap.xml"), cache=files / "store.duckdb"))


def test_a_store_is_not_fixed(files: Path) -> None:
    path = files / "store.duckdb"

    [(_, _, why)] = urlset.fix(path).remaining

    assert why.startswith("it is a store (a DuckDB file)")


def test_a_store_and_a_table_with_the_names_of_sitemaps_are_not_fixed(files: Path) -> None:
    folder = files / "site"
    folder.mkdir()
    (folder / "sitemap.xml").write_bytes((files / "store.duckdb").read_bytes())
    (folder / "sitemap2.xml").write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    (folder / "sitemap3.xml").write_text(sitemap_of([f"{BASE}a"]))

    remaining = urlset.fix(folder).remaining

    assert [(Path(name).name, why[:18]) for _, name, why in remaining] == [
        ("sitemap.xml", "it is a store (a D"),
        ("sitemap2.xml", "it is a table (a P"),
    ]
    assert len(urlset.fix(folder / "sitemap2.xml").remaining) == 1


def test_a_file_that_is_no_database_is_named_as_it_was_given(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("zero.duckdb").write_bytes(b"https://example.com/a")

    with pytest.raises(urlset.QueryError, match=r'The file "duckdb:///zero.duckdb" exists, but'):
        urlset.build("duckdb:///zero.duckdb", "public", query="FROM pages", base_url=BASE)


def test_only_a_command_that_writes_a_store_advises_to_remove_the_file(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_text("<urlset/>")

    with pytest.raises(urlset.StoreError, match=r"sitemap\.xml'; name another one$"):
        urlset.Store.open(path, read_only=True)
    with pytest.raises(urlset.StoreError, match=r"name another one, or remove it$"):
        urlset.Store.open(path)


def test_a_configuration_is_text(files: Path) -> None:
    with pytest.raises(urlset.ConfigurationError, match="found a file that is not text in UTF-8"):
        urlset.load_config(files / "store.duckdb")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize(
    "command",
    [
        "build urls.txt --output public --ledger pipe.duckdb",
        "crawl http://127.0.0.1:9/ --store pipe.duckdb",
        "sync http://127.0.0.1:9/ --store pipe.duckdb",
        "watch http://127.0.0.1:9/ --store pipe.duckdb",
    ],
)
def test_a_pipe_is_refused_and_not_waited_for(command: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.duckdb")
    (tmp_path / "urls.txt").write_text(f"{BASE}a\n")
    ended = subprocess.run(
        [sys.executable, "-m", "urlset", *command.split()],
        capture_output=True, text=True, check=False, cwd=tmp_path, timeout=60,
    )  # fmt: skip
    assert ended.returncode == 2
    assert "found another kind of file" in ended.stderr
