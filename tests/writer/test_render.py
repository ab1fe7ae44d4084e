"""A sitemap as bytes, for a view, and on stdout."""

import gzip
import subprocess
import sys
from datetime import UTC, datetime

import pytest

import urlset.writer
from urlset import Entry, EntryError, TargetError

ENTRIES = [
    Entry("https://e.com/", lastmod=datetime(2026, 1, 2, tzinfo=UTC)),
    {"loc": "/tea", "images": ["/tea.jpg"]},
]


def test_render_gives_the_bytes_that_write_writes(engine, tmp_path):
    options = {"base_url": "https://e.com/", "stylesheet": "sitemap.css", "engine": engine.name}

    data = urlset.render(ENTRIES, **options)

    urlset.write(ENTRIES, tmp_path, **options)
    assert data == (tmp_path / "sitemap.xml").read_bytes()
    assert [e.loc for e in urlset.parse(data).entries] == ["https://e.com/", "https://e.com/tea"]


def test_render_packs_and_makes_lists(engine):
    options = {"base_url": "https://e.com/", "engine": engine.name}

    assert gzip.decompress(urlset.render(ENTRIES, gzip=True, **options)) == urlset.render(
        ENTRIES, **options
    )
    text = urlset.render(ENTRIES, format="text", **options)
    assert text == b"https://e.com/\nhttps://e.com/tea\n"


def test_render_refuses_what_write_refuses(engine):
    bad = [*ENTRIES, "javascript:alert(1)", "https://e.com/"]
    rejected: list[urlset.writer.Rejection] = []

    with pytest.raises(EntryError, match="row 3, loc"):
        urlset.render(bad, base_url="https://e.com/", engine=engine.name)
    data = urlset.render(
        bad, base_url="https://e.com/", engine=engine.name, on_rejected=rejected.append
    )

    assert [(one.row, one.is_duplicate) for one in rejected] == [(3, False), (4, True)]
    assert len(urlset.parse(data).entries) == 2


def test_render_makes_one_sitemap_or_none(engine):
    urls = [f"https://e.com/{number}" for number in range(3)]

    with pytest.raises(TargetError, match="one sitemap of at most 2 URLs"):
        urlset.render(urls, max_urls=2, engine=engine.name)
    with pytest.raises(TargetError, match="expected entries, found none"):
        urlset.render([], engine=engine.name)
    assert len(urlset.parse(urlset.render([], allow_empty=True)).entries) == 0


@pytest.mark.parametrize(
    "options",
    [{"format": "html"}, {"max_urls": 0}, {"base_url": "e.com"}, {"duplicates": "mark"}],
)
def test_render_refuses_options_out_of_range(options):
    with pytest.raises(ValueError, match="expected"):
        urlset.render(["https://e.com/"], **options)


def build_to_stdout(folder, *options):
    return subprocess.run(
        [sys.executable, "-m", "urlset", "build", "urls.txt", "-o", "-", *options],
        cwd=folder,
        capture_output=True,
        check=False,
    )


def test_build_prints_one_sitemap_and_leaves_nothing_behind(tmp_path):
    (tmp_path / "urls.txt").write_text("https://e.com/a\nhttps://e.com/b\n")

    ran = build_to_stdout(tmp_path)
    packed = build_to_stdout(tmp_path, "--gzip", "--filter", "drop:/b$")

    assert ran.returncode == packed.returncode == 0
    assert [e.loc for e in urlset.parse(ran.stdout).entries] == [
        "https://e.com/a",
        "https://e.com/b",
    ]
    assert b"2 URLs in 1 file" in ran.stderr
    assert [e.loc for e in urlset.parse(packed.stdout).entries] == ["https://e.com/a"]
    assert packed.stdout.startswith(b"\x1f\x8b")
    assert [path.name for path in tmp_path.iterdir()] == ["urls.txt"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--max-urls", "1"], b"expected one file for stdout, found 3"),
        (["--json"], b"--json: cannot be combined with --output -"),
        (["--robots", "robots.txt"], b"--robots: cannot be combined with --output -"),
    ],
)
def test_build_to_stdout_refuses_what_needs_a_folder(options, words, tmp_path):
    (tmp_path / "urls.txt").write_text("https://e.com/a\nhttps://e.com/b\n")

    ran = build_to_stdout(tmp_path, *options)

    assert (ran.returncode, ran.stdout) == (2, b"")
    assert words in ran.stderr
