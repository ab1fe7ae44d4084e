"""`check --fix` under attack: bombs, links, concurrent changes, full disks, Ctrl-C."""

from __future__ import annotations

import gzip
import json
import os
import stat
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.cli.test_commands import NS, command
from urlset import fix, write_fixed
from urlset.errors import SourceError, TargetError
from urlset.fixer import output
from urlset.publisher import journal

BAD = f"<urlset {NS}><url><loc>https://e.com/?a&b</loc></url></urlset>\n".encode()
GOOD = BAD.replace(b"a&b", b"a&amp;b")


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


def index(*names: str) -> str:
    rows = "".join(f"<sitemap><loc>https://e.com/{name}</loc></sitemap>" for name in names)
    return f"<sitemapindex {NS}>{rows}</sitemapindex>"


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_bomb_is_left_as_it_is(tmp_path):
    bomb = gzip.compress(BAD + b" " * 50_000_000)
    (tmp_path / "sitemap.xml.gz").write_bytes(bomb)
    (tmp_path / "twice.xml.gz").write_bytes(gzip.compress(gzip.compress(BAD + b" " * 20_000_000)))
    before = files(tmp_path)

    fixed = fix(tmp_path, unsafe=True, max_bytes=1_000_000, select=["X", "L"])

    assert fixed.documents == []
    assert {why for _, _, why in fixed.remaining} == {"part of the document could not be read"}
    assert files(tmp_path) == before


def test_no_link_leads_a_fix_out_of_the_folder(tmp_path):
    site, outside = tmp_path / "site", tmp_path / "outside"
    site.mkdir()
    outside.mkdir()
    for name in ("sitemap.xml", "a.xml", "robots.txt"):
        (outside / name).write_bytes(BAD if name != "robots.txt" else b"Sitemap: /a.xml\n")
        (site / f"linked-{name}").symlink_to(outside / name)
    (site / "robots.txt").symlink_to(outside / "robots.txt")
    (site / "folder").symlink_to(outside)
    (site / "loop").symlink_to(site)
    (site / "i.xml").write_text(index("linked-a.xml", "folder/a.xml", "../outside/a.xml", "b.xml"))
    (site / "b.xml").write_bytes(BAD)
    before = files(outside)

    fixed = fix(site, unsafe=True, base_url="https://e.com/")
    write_fixed(fixed.documents, site / "robots.txt", backup=False)

    (incomplete,) = fixed.incomplete
    assert f"{site / 'linked-sitemap.xml'}: symbolic link that leads out of" in incomplete
    assert files(outside) == before
    assert (site / "b.xml").read_bytes().count(b"&amp;") == 1


def test_another_name_of_a_file_keeps_what_it_has(tmp_path):
    path, other = tmp_path / "sitemap.xml", tmp_path / "other.bin"
    path.write_bytes(BAD)
    os.link(path, other)

    write_fixed(fix(path, select=["X"]).documents)

    assert (path.read_bytes(), other.read_bytes()) == (GOOD, BAD)
    assert (tmp_path / "sitemap.xml.bak").read_bytes() == BAD


def test_a_read_only_file_stays_read_only_and_is_kept(tmp_path):
    path = tmp_path / "sitemap.xml"
    path.write_bytes(BAD)
    path.chmod(0o444)
    write_fixed(fix(path, select=["X"]).documents)
    assert path.read_bytes() == GOOD
    for each in (path, tmp_path / "sitemap.xml.bak"):
        assert stat.S_IMODE(each.stat().st_mode) == 0o444


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of this kind")
def test_a_disk_that_is_full_leaves_all_as_it_was(tmp_path):
    pages = "".join(f"<url><loc>https://e.com/?{n}&b</loc></url>\n" for n in range(2_000))
    (tmp_path / "sitemap.xml").write_text(f"<urlset {NS}>{pages}</urlset>")
    (tmp_path / "small.xml").write_bytes(BAD)
    before = files(tmp_path)
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))\n"
        "from urlset import fix, write_fixed\n"
        "from urlset.errors import TargetError\n"
        "try: write_fixed(fix(sys.argv[1], select=['X003']).documents)\n"
        "except TargetError as error: print(error); sys.exit(3)\n"
    )

    ran = subprocess.run(
        [sys.executable, "-c", program, tmp_path], capture_output=True, text=True, check=False
    )

    assert ran.returncode == 3, ran.stderr
    assert "File too large" in ran.stdout
    assert files(tmp_path) == before


@pytest.mark.parametrize("number", [0, 1])
def test_ctrl_c_while_files_are_swapped_leaves_all_as_it_was(tmp_path, monkeypatch, number):
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_bytes(BAD)
    before = files(tmp_path)
    real = journal.apply
    applied: list[object] = []

    def apply(step):
        applied.append(step)
        if len(applied) == number + 1:
            raise KeyboardInterrupt
        real(step)

    fixed = fix(tmp_path, select=["X"])
    monkeypatch.setattr("urlset.publisher.local.apply", apply)
    with pytest.raises(KeyboardInterrupt):
        write_fixed(fixed.documents)

    assert files(tmp_path) == before


@pytest.mark.parametrize("moment", ["before staging", "before the swap", "gone"])
def test_a_file_that_changes_while_it_is_fixed_keeps_the_change(tmp_path, monkeypatch, moment):
    path = tmp_path / "sitemap.xml"
    path.write_bytes(BAD)
    fixed = fix(tmp_path, select=["X"])
    theirs = BAD.replace(b"?a", b"?theirs")
    if moment == "gone":
        path.unlink()
    elif moment == "before staging":
        path.write_bytes(theirs)
    else:
        real = output._backed_up

        def keep(file):
            made = real(file)
            beside = tmp_path / "new"
            beside.write_bytes(theirs)
            beside.replace(path)
            return made

        monkeypatch.setattr(output, "_backed_up", keep)

    with pytest.raises(TargetError, match="was changed since it was read"):
        write_fixed(fixed.documents)

    assert files(tmp_path) == ({} if moment == "gone" else {"sitemap.xml": theirs})


def test_what_is_larger_than_the_limit_is_left_alone(tmp_path):
    path = tmp_path / "sitemap.xml"
    path.write_bytes(BAD * 100)
    assert fix(path, unsafe=True, max_bytes=500).documents == []


def test_a_pipe_or_a_device_in_a_folder_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "sitemap.xml")
    with pytest.raises(SourceError):
        fix(tmp_path)


# Colours and titles of a terminal, a command for GitHub, overrides of the direction of writing.
HOSTILE = "a\x1b]0;x\x07\x1b[31m\r\n::error::forged\u202e\u2066\x9b31m]]>&<.xml"
CONTROLS = {chr(n) for n in range(32)} - {"\n"} | {chr(n) for n in range(127, 160)}
CONTROLS |= set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif", "junit"])
def test_no_name_and_no_url_commands_a_terminal_or_a_program(urlset, tmp_path, form):
    name = HOSTILE.replace("/", "")
    loc = "https://e.com/\x1b[31m\u202e::error::x ]]&gt;\x9b a"
    data = f"<urlset {NS}><url><loc>{loc}</loc><lastmod>\x1b[2J\u202e</lastmod></url></urlset>"
    (tmp_path / name).write_text(data, encoding="utf-8")

    ran = urlset("check", ".", "--format", form, "--base-url", "https://e.com/")
    fixed = urlset("check", ".", "--fix", "--unsafe-fixes", "--format", form)

    for text in (ran.out, ran.err, fixed.out, fixed.err):
        bad = sorted(CONTROLS & set(text))
        assert bad == [], f"{form}: {bad!r} in {text[:400]!r}"
    if form == "github":
        assert all(
            line.startswith(("::error ", "::warning ", "::notice "))
            for line in ran.out.splitlines()
        )
    if form == "json":
        assert json.loads(ran.out)["findings"]
    if form == "sarif":
        assert json.loads(ran.out)
    if form == "junit":
        ET.fromstring(ran.out)


def test_a_diff_with_hostile_lines_says_which_are_ours(urlset, tmp_path):
    data = (
        f"<urlset {NS}>\n<url><loc>https://e.com/?a&b</loc></url>\n<!-- \x1b[31m -->\n</urlset>\n"
    )
    (tmp_path / "sitemap.xml").write_text(data)
    ran = urlset("check", "sitemap.xml", "--diff", "--select", "X003")
    assert all(line.startswith(("-", "+", " ", "@@")) for line in ran.out.splitlines())


@pytest.mark.parametrize("form", ["{}:00:00", "PT{}H", "PT1M{}S", "PT1.{}S"])
def test_a_duration_of_thousands_of_digits_ends_no_fix(form):
    video = "http://www.google.com/schemas/sitemap-video/1.1"
    duration = form.format("1" * 5_000)
    data = (
        f'<urlset {NS} xmlns:v="{video}"><url><loc>https://e.com/a</loc><v:video>'
        f"<v:duration>{duration}</v:duration></v:video></url></urlset>"
    )

    assert fix(data.encode(), unsafe=True).counts["G025"] == (form == "PT1.{}S")
