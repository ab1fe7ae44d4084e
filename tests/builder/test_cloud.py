"""Builds into a bucket, on an S3 server on loopback."""

import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.s3 import ask
from urlset.builder import Build, build
from urlset.errors import TargetError
from urlset.sources import Candidate, CandidateRows

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def publish(s3, tmp_path):
    def run(*numbers: int, hour: int = 0, **options: Any) -> Build:
        rows = CandidateRows([Candidate(f"/p{number}") for number in numbers])
        chosen: dict[str, Any] = {"max_urls": 2, "now": NOON.replace(hour=12 + hour)} | options
        base = "https://example.com/maps/"
        return build(rows, s3, base_url=base, ledger=tmp_path / "ledger.duckdb", **chosen)

    return run


def test_a_set_is_published_with_its_headers(publish, s3_server):
    made = publish(1, 2, 3, gzip=True, stylesheet="sitemap.css", cache_control="max-age=60")

    assert [file.name for file in made.files] == ["sitemap-1.xml.gz", "sitemap-2.xml.gz"]
    headers, data = ask(f"{s3_server}/shop/maps/sitemap-1.xml.gz")
    assert headers["Content-Type"] == "application/gzip"
    assert headers["Content-Encoding"] is None
    assert headers["Cache-Control"] == "max-age=60"
    assert data.startswith(b"\x1f\x8b")
    assert ask(f"{s3_server}/shop/maps/sitemap.css")[0]["Content-Type"].startswith("text/css")


def test_only_what_changed_is_put_again(publish, s3_server):
    publish(1, 2, 3)
    etags = {n: ask(f"{s3_server}/shop/maps/sitemap-{n}.xml")[0]["Last-Modified"] for n in (1, 2)}

    made = publish(1, 2, 3, 4, hour=1)

    assert [file.name for file in made.changed_files] == ["sitemap-2.xml", "sitemap.xml"]
    headers = ask(f"{s3_server}/shop/maps/sitemap-1.xml")[0]
    assert headers["Last-Modified"] == etags[1]
    assert b"https://example.com/maps/sitemap-2.xml" in ask(f"{s3_server}/shop/maps/sitemap.xml")[1]
    assert publish(1, 2, 3, 4, hour=2).changed_files == ()


def test_files_go_when_their_urls_are_gone(publish):
    publish(1, 2, 3, 4, 5)

    made = publish(1, 2, 5, hour=1)

    assert made.removed_files == ("sitemap-2.xml",)


def test_a_lost_ledger_is_rebuilt_from_the_bucket(publish, tmp_path):
    publish(1, 2, 3)
    (tmp_path / "ledger.duckdb").unlink()

    made = publish(1, 2, 3, hour=1)

    assert (made.added, made.changed_files) == (0, ())


def test_a_bucket_that_is_not_there(publish, s3_server, tmp_path):
    with pytest.raises(TargetError):
        build(
            CandidateRows(["/a"]),
            "s3://nowhere/maps",
            base_url="https://example.com/",
            ledger=tmp_path / "other.duckdb",
        )


_KILLED = """
import os, pathlib, sys
from urlset.builder import build
from urlset.object_store import ObjectStore
from urlset.sources import CandidateRows

put, left = ObjectStore.put, [int(sys.argv[2])]

def put_or_die(*arguments):
    if not left[0]:
        os._exit(9)
    left[0] -= 1
    put(*arguments)

ObjectStore.put = put_or_die
rows = CandidateRows([f"/p{number}" for number in map(int, sys.argv[3].split(","))])
base = "https://example.com/maps/"
build(rows, "s3://shop/maps", base_url=base, ledger=pathlib.Path(sys.argv[1]), max_urls=2)
"""


def _names(s3_server):
    listed = ask(f"{s3_server}/shop?list-type=2&prefix=maps/")[1].decode()
    return sorted(re.findall(r"<Key>maps/([^<]+)</Key>", listed))


@pytest.mark.parametrize("puts", [0, 1, 3, 4])
@pytest.mark.parametrize("is_first", [True, False])
def test_what_a_killed_publication_has_put_is_swept_by_the_next(
    puts, is_first, publish, s3_server, tmp_path, monkeypatch
):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("TMPDIR", str(temporary))
    if not is_first:
        publish(1, 2)
    numbers = "1,2,3,4,5,6,7"

    arguments = [str(tmp_path / "ledger.duckdb"), str(puts), numbers]
    ran = subprocess.run([sys.executable, "-c", _KILLED, *arguments], check=False)
    orphans = [name for name in _names(s3_server) if name != "sitemap.xml"]
    made = publish(1, 2, 3, hour=1, force={"shrunk"})

    assert ran.returncode == 9
    assert len(orphans) == puts
    assert (made.urls, len(made.files)) == (3, 2)
    assert _names(s3_server) == ["sitemap-1.xml", "sitemap-2.xml", "sitemap.xml"]
    assert not list(temporary.iterdir()), "what the killed one had staged on this machine"
