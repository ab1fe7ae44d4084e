"""Document cache on disk: conditional requests, damaged files, concurrent processes."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import urlset
from tests import site_box
from tests.http_walks import quick
from tests.site_box import Hit, Player, SiteBox, Wire, index_of, page, urlset_of
from urlset.errors import TargetError


def kept(body: bytes, etag: str) -> Player:
    """A page that answers 304 to whoever has it."""

    async def play(hit: Hit, wire: Wire) -> bool:
        has_it = hit.headers.get("if-none-match") == etag
        player = page(b"", 304, etag=etag) if has_it else page(body, etag=etag)
        return await player(hit, wire)

    return play


def site(box: SiteBox, count: int = 20) -> None:
    box.play("/s.xml", kept(index_of([f"{box.site}/{n}.xml" for n in range(count)]), '"s"'))
    for n in range(count):
        body = urlset_of(box.url(f"/{n}.xml"), 100)
        box.play(f"/{n}.xml", kept(body, f'"{n}"'))


def read(box: SiteBox, folder: Path) -> tuple[list[urlset.Entry], int]:
    """The entries, and the bytes that came over the wire for them."""
    entries = urlset.read(box.url("/s.xml"), policy=quick(), cache=folder)
    rows = sorted(entries)
    assert not any(record.error for record in entries.documents)
    return rows, sum(record.fetched.wire_size for record in entries.documents if record.fetched)


def test_unchanged_site_costs_nothing_and_gives_the_same(box: SiteBox, tmp_path):
    site(box)

    first, bytes_first = read(box, tmp_path / "new" / "cache")
    second, bytes_second = read(box, tmp_path / "new" / "cache")

    assert len(first) == 2_000
    assert first == second
    assert bytes_first > 50_000
    assert bytes_second == 0


def test_what_changed_is_fetched(box: SiteBox, tmp_path):
    site(box)
    read(box, tmp_path)
    box.play("/3.xml", kept(urlset_of("http://e.com", 7), '"new"'))

    rows, wire = read(box, tmp_path)

    assert (len(rows), wire) == (1_907, len(urlset_of("http://e.com", 7)))
    assert read(box, tmp_path) == (rows, 0)


def test_a_document_that_redirects_is_that_of_its_target(box: SiteBox, tmp_path):
    body, other = urlset_of("http://e.com/a", 1), urlset_of("http://e.com/b", 2)
    box.play("/s.xml", kept(body, '"1"'))
    read(box, tmp_path)
    box.play("/s.xml", site_box.redirect(box.play("/other.xml", kept(other, '"1"'))))

    redirected, _ = read(box, tmp_path)
    box.play("/s.xml", kept(body, '"1"'))
    direct, _ = read(box, tmp_path)

    assert (len(redirected), len(direct)) == (2, 1)


def test_an_answer_304_to_a_request_without_conditions_ends_the_read(box: SiteBox, tmp_path):
    url = box.play("/s.xml", page(b"", 304))

    with pytest.raises(urlset.SourceError, match="304"):
        list(urlset.read(url, policy=quick(), cache=tmp_path))

    assert len(box.hits) < 5


def test_damaged_and_foreign_files_are_fetched_again(box: SiteBox, tmp_path):
    site(box)
    rows, wire = read(box, tmp_path)
    for number, path in enumerate(sorted(tmp_path.iterdir())):
        data = path.read_bytes()
        path.write_bytes([data[:-1], data[:20], b"", b"[]\n", data + b"x"][number % 5])

    assert read(box, tmp_path) == (rows, wire)
    assert read(box, tmp_path) == (rows, 0)


@pytest.mark.parametrize(
    "player",
    [
        page(urlset_of("http://e.com", 1)),  # without a word by which to ask for changes
        site_box.cut(urlset_of("http://e.com", 9), 300, etag='"cut"'),
        page(b"gone", 404, etag='"gone"'),
    ],
)
def test_what_is_not_whole_is_not_kept(box: SiteBox, tmp_path, player):
    url = box.play("/s.xml", player)

    with contextlib.suppress(urlset.SourceError):
        list(urlset.read(url, policy=quick(), cache=tmp_path))

    assert not list(tmp_path.iterdir())


def test_several_readings_at_once_share_a_folder(box: SiteBox, tmp_path):
    site(box)
    results: list[tuple[list[urlset.Entry], int]] = []

    def run() -> None:
        for _ in range(3):
            results.append(read(box, tmp_path))  # noqa: PERF401 - as they come

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(results) == 12
    assert all(rows == results[0][0] for rows, _ in results)
    assert len(list(tmp_path.iterdir())) == 21  # and nothing half written


def test_two_processes_share_a_folder(box: SiteBox, tmp_path):
    """Each reads the site again and again, while a document changes under both."""
    site(box)
    code = (
        "import sys, urlset\n"
        "from tests.http_walks import quick\n"
        "for _ in range(4):\n"
        "    entries = urlset.read(sys.argv[1], policy=quick(), cache=sys.argv[2])\n"
        "    rows = sorted(entry.loc for entry in entries)\n"
        "    errors = [record.error for record in entries.documents if record.error]\n"
        "    print(len(rows), len(set(rows)), *errors, flush=True)\n"
    )
    command = [sys.executable, "-c", code, box.url("/s.xml"), str(tmp_path / "kept")]
    root = str(Path(__file__).parents[2])
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    options: Any = {"stdout": subprocess.PIPE, "text": True}
    processes = [
        subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}, **options)
        for _ in range(2)
    ]
    version = 0
    while any(process.poll() is None for process in processes):
        version += 1
        body = urlset_of(box.url("/3.xml"), 100) + b"<!-- %d -->" % version
        box.play("/3.xml", kept(body, f'"{version}"'))
        time.sleep(0.01)

    for process in processes:
        out, _ = process.communicate()
        assert (process.returncode, out) == (0, "2000 2000\n" * 4)
    files = list((tmp_path / "kept").iterdir())
    assert len(files) == 21
    assert not [path.name for path in files if path.name.startswith(".part")]
    assert len(read(box, tmp_path / "kept")[0]) == 2_000


def test_folder_that_cannot_be_is_reported(box: SiteBox, tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(TargetError, match="cannot cache documents in"):
        list(urlset.read(box.put_urlset("/s.xml"), cache=tmp_path / "file"))
