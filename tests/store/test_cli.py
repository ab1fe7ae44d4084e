"""`urlset read` into stores and Parquet, `--sql`, and how each of them ends."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import urlset as library
from tests import site_box
from tests.cli.test_commands import RICH, command
from tests.cli.test_process import posix
from tests.reader.test_site import small_site
from tests.site_box import SiteBox
from urlset.store import Store

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.delenv("URLSET_AUTH", raising=False)
    (tmp_path / "s.xml").write_bytes(RICH)
    return command(capsys, monkeypatch, tmp_path)


def locs_in(path: Path) -> list[str]:
    """The URLs in a file that the command wrote, whatever its form."""
    if path.suffix in (".duckdb", ".parquet"):
        return [entry.loc for entry in library.read(path)]
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".csv":
        return [row["loc"] for row in csv.DictReader(io.StringIO(text))]
    return [json.loads(line)["loc"] if "{" in line else line for line in text.splitlines()]


@pytest.mark.parametrize("ending", ["duckdb", "parquet", "csv", "jsonl", "txt"])
@pytest.mark.parametrize("limit", [None, 3])
def test_site_goes_into_a_file_of_every_form(box: SiteBox, urlset, tmp_path, ending, limit):
    small_site(box)
    options = [] if limit is None else ["--limit", str(limit)]

    ran = urlset("read", box.site, "--output", f"out.{ending}", "--include", "/[12]$", *options)

    found = locs_in(tmp_path / f"out.{ending}")
    expected = {"/a.xml/1", "/a.xml/2", "/b.xml/1"}
    assert {loc.removeprefix(box.site) for loc in found} == expected
    assert (ran.code in (0, 1), ran.out) == (True, "")
    assert not list(tmp_path.glob("*.part")) + list(tmp_path.glob("*.tmp"))
    assert ran.err.splitlines()[-1].startswith("3 entries")


@pytest.mark.parametrize("form", ["duckdb", "parquet"])
def test_tables_lose_nothing_on_the_way(urlset, tmp_path, form, engine):
    ran = urlset("read", "s.xml", "--output", f"o.{form}", "--engine", engine.name)

    assert ran.code == 0
    assert list(library.read(tmp_path / f"o.{form}")) == list(library.read("s.xml"))


def test_query_of_what_was_read_and_of_a_store_give_the_same(urlset):
    query = "SELECT loc, lastmod, priority FROM entries ORDER BY loc"
    urlset("read", "s.xml", "--output", "s.duckdb")

    read = urlset("read", "s.xml", "--sql", query, "--format", "csv")
    kept = urlset("read", "s.duckdb", "--sql", query, "--format", "csv")

    assert (read.code, kept.code) == (0, 0)
    assert read.out == kept.out
    rows = list(csv.reader(io.StringIO(read.out)))
    assert rows[0] == ["loc", "lastmod", "priority"]
    assert ["https://e.com/ä", "2026-01-31T00:00:00Z", "0.0"] in rows
    assert len(rows) == 3
    assert kept.err == "2 rows\n"
    assert read.err.startswith("2 rows of 2 entries from 1 document")


def test_query_as_a_table_and_as_objects(urlset):
    query = "SELECT count(*) AS entries, max(lastmod) AS latest FROM entries"

    table = urlset("read", "s.xml", "--sql", query)
    objects = urlset("read", "s.xml", "--sql", query, "--format", "jsonl")

    assert [line.split() for line in table.out.splitlines()][::2] == [
        ["entries", "latest"],
        ["2", "2026-01-31T00:00:00Z"],
    ]
    assert json.loads(objects.out) == {"entries": 2, "latest": "2026-01-31T00:00:00Z"}


def test_query_about_a_site(box: SiteBox, urlset):
    small_site(box)
    query = "SELECT status, count(*) FROM fetches GROUP BY ALL ORDER BY ALL"

    ran = urlset("read", box.site, "--sql", query, "--format", "csv")

    assert ran.code == 1  # one is gone
    assert ran.out.splitlines()[1:] == ["200,4", "404,2"]
    assert "gone.xml: HTTP 404" in ran.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--sql", "SELEC 1"], "--sql: the query cannot be answered"),
        (["--sql", "SELECT loc FROM pages"], "SHOW TABLES"),
        (["--sql", "DROP TABLE entries"], "expected one query"),
        (["--sql", "SELECT 1, 2", "--format", "txt"], "expected a query for one column"),
        (["--sql", "SELECT 1", "--format", "duckdb", "-o", "x"], "found duckdb"),
        (["--sql", "SELECT 1", "--tree"], "--tree"),
        (["--tree", "--output", "x.duckdb"], "--tree"),
        (["--tree", "--format", "json"], "--tree: expected the format txt or none, and no --sql"),
        (["--tree", "--output", "x.csv"], "found csv"),
        (["--format", "duckdb"], "expected --output"),
    ],
)
def test_misuse_is_reported_in_a_line_before_anything_is_written(
    urlset, tmp_path, arguments, words
):
    ran = urlset("read", "s.xml", *arguments)

    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("urlset: ")
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["s.xml"]


@pytest.mark.parametrize("ending", ["duckdb", "parquet", "csv"])
def test_place_that_cannot_be_written_is_reported(urlset, tmp_path, ending):
    (tmp_path / f"folder.{ending}").mkdir()

    none = urlset("read", "s.xml", "--output", f"none/o.{ending}")
    folder = urlset("read", "s.xml", "--output", f"folder.{ending}")

    assert (none.code, folder.code) == (2, 2)
    assert "does not exist" in none.err
    assert "folder" in folder.err
    assert "Traceback" not in none.err + folder.err


def test_file_that_is_no_store_is_left_alone(urlset, tmp_path):
    (tmp_path / "precious.duckdb").write_text("precious")

    ran = urlset("read", "s.xml", "--output", "precious.duckdb")

    assert ran.code == 2
    assert "expected a store (a DuckDB file), found another kind of file" in ran.err
    assert (tmp_path / "precious.duckdb").read_text() == "precious"


@pytest.mark.parametrize("ending", ["duckdb", "parquet"])
def test_nothing_to_read_leaves_nothing_and_what_was_there(urlset, tmp_path, ending):
    new = urlset("read", "lost.xml", "--output", f"new.{ending}")
    urlset("read", "s.xml", "--output", f"old.{ending}")
    old = urlset("read", "lost.xml", "--output", f"old.{ending}")

    assert (new.code, old.code) == (2, 2)
    assert "lost.xml" in new.err
    assert not (tmp_path / f"new.{ending}").exists()
    assert len(list(library.read(tmp_path / f"old.{ending}"))) == 2


def test_store_in_use_is_reported(urlset, tmp_path):
    with Store.open(tmp_path / "s.duckdb"):
        code = "import sys; from urlset.cli import main; sys.exit(main(sys.argv[1:]))"
        ran = subprocess.run(
            [sys.executable, "-c", code, "read", "s.xml", "-o", "s.duckdb"],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )

    assert ran.returncode == 2
    assert "in use by another process" in ran.stderr


@posix
@pytest.mark.parametrize("ending", ["duckdb", "parquet"])
def test_full_disk_is_reported(tmp_path, ending):
    """A limit on the size of files plays the disk that is full."""
    import resource

    lines = "".join(f"https://e.com/{n * n}/{n * 7919 % 10007}\n" for n in range(200_000))
    (tmp_path / "many.txt").write_text(lines)

    def small() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    ran = subprocess.run(
        [sys.executable, "-m", "urlset", "read", "many.txt", "-o", f"o.{ending}"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        preexec_fn=small,
    )

    assert ran.returncode == 2, ran.stderr
    assert "Traceback" not in ran.stderr
    assert f"o.{ending}" in ran.stderr
    assert not list(tmp_path.glob("*.part"))
    assert ending == "duckdb" or not (tmp_path / f"o.{ending}").exists()


@posix
@pytest.mark.parametrize("ending", ["duckdb", "parquet", "csv"])
def test_ctrl_c_leaves_nothing_half_written(box: SiteBox, tmp_path, ending):
    box.put_index("/s.xml", ["/a.xml", "/b.xml", "/silent.xml"])
    box.put_urlset("/a.xml", 3)
    box.put_urlset("/b.xml", 2)
    box.play("/silent.xml", site_box.silent)
    (tmp_path / "o.csv").write_text("old")
    process = subprocess.Popen(
        [sys.executable, "-m", "urlset", "read", box.url("/s.xml"), "-o", f"o.{ending}"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        env={**os.environ, "no_proxy": "*"},
        text=True,
    )
    while "/silent.xml" not in box.paths:
        assert process.poll() is None
        time.sleep(0.02)
    time.sleep(0.3)

    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)

    assert process.returncode == 130, err
    assert "Traceback" not in err
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"o.csv", *(["o.duckdb"] if ending == "duckdb" else [])}
    assert (tmp_path / "o.csv").read_text() == "old"
    if ending == "duckdb":
        assert "Interrupted: 5 entries" in err
        assert len(locs_in(tmp_path / "o.duckdb")) == 5


def test_parquet_to_a_pipe(tmp_path):
    (tmp_path / "s.xml").write_bytes(RICH)
    ran = subprocess.run(
        [sys.executable, "-m", "urlset", "read", "s.xml", "--format", "parquet"],
        capture_output=True,
        cwd=tmp_path,
        check=True,
    )
    (tmp_path / "o.parquet").write_bytes(ran.stdout)

    assert next(iter(library.read(tmp_path / "o.parquet"))).loc == "https://e.com/ä"


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("ending", ["duckdb", "parquet"])
def test_memory_does_not_grow_with_what_is_read(tmp_path, ending):
    """Four times the entries, two million of them: 280 MB of Arrow that must not be held."""
    lines = "".join(f"https://example.com/{'x' * 60}/{n * 7919}\n" for n in range(50_000))
    code = (
        "import sys; from urlset.cli import main; main(sys.argv[1:]);"
        "print(open('/proc/self/status').read())"
    )

    peaks = []
    for count in (10, 40):
        folder = tmp_path / str(count)
        folder.mkdir()
        for number in range(count):
            (folder / f"{number}.txt").write_text(lines)
        ran = subprocess.run(
            [sys.executable, "-c", code, "read", str(folder), "-o", f"{folder}.{ending}"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert f"{count * 50_000:,} entries" in ran.stderr
        found = re.search(r"VmHWM:\s+(\d+) kB", ran.stdout)
        assert found
        peaks.append(int(found[1]))

    assert peaks[1] < peaks[0] * 1.5
