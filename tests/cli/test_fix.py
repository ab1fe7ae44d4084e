"""`urlset check --fix`: written files, backups, diffs and messages."""

from __future__ import annotations

import gzip
import os
import stat
import subprocess

import pytest

from tests.cli.test_commands import NS, command
from urlset import fix, write_fixed
from urlset.errors import TargetError

BAD = f"""<?xml version="1.0" encoding="UTF-8"?>
<urlset {NS}>
<url><loc>https://e.com/?a&b</loc></url>
</urlset>
""".encode()
GOOD = BAD.replace(b"a&b", b"a&amp;b")


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


def test_fix_writes_the_file_and_reports_what_it_did(urlset, tmp_path):
    path = tmp_path / "sitemap.xml"
    path.write_bytes(BAD)
    path.chmod(0o640)

    ran = urlset("check", path, "--fix", "--select", "X,S")

    assert ran.code == 0
    assert path.read_bytes() == GOOD
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert "fixed 1 × X003[unescaped-ampersand]" in ran.err
    assert "1 file changed" in ran.err
    assert "No findings" in ran.out
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["sitemap.xml", "sitemap.xml.bak"]


def test_only_an_unsafe_fix_drops_an_element_and_it_says_so(urlset, tmp_path):
    data = BAD.replace(b"</loc>", b"</loc><lastmod/>")
    path = tmp_path / "sitemap.xml"
    path.write_bytes(data)

    safe = urlset("check", path, "--fix", "--select", "X,S")
    assert path.read_bytes() == data.replace(b"a&b", b"a&amp;b")
    assert "dropped by" not in safe.err

    unsafe = urlset("check", path, "--fix", "--unsafe-fixes", "--select", "X,S")
    assert path.read_bytes() == GOOD
    assert f"dropped by S009[empty-element] {path}:3: <lastmod/>" in unsafe.err


def test_fix_keeps_what_it_replaces_beside_it(urlset, tmp_path):
    path = tmp_path / "sitemap.xml"
    for number, data in enumerate((BAD, BAD.replace(b"?a", b"?c"))):
        path.write_bytes(data)
        path.chmod(0o640)
        ran = urlset("check", path, "--fix", "--select", "X")
        backup = tmp_path / f"sitemap.xml.bak{'' if number == 0 else 2}"
        assert backup.read_bytes() == data
        assert stat.S_IMODE(backup.stat().st_mode) == 0o640
        assert f"backup: {backup}" in ran.err
    assert urlset("check", tmp_path, "--select", "X").code == 0, "no backup counts as a sitemap"


def test_fix_keeps_nothing_when_an_option_says_so(urlset, tmp_path):
    path = tmp_path / "sitemap.xml"
    path.write_bytes(BAD)
    urlset("check", path, "--fix", "--no-backup", "--select", "X")
    assert path.read_bytes() == GOOD
    assert [entry.name for entry in tmp_path.iterdir()] == ["sitemap.xml"]


@pytest.mark.parametrize("state", ["committed", "staged", "changed", "untracked", "ignored"])
def test_fix_keeps_what_git_does_not_have(urlset, tmp_path, state):
    def git(*arguments):
        subprocess.run(["git", "-C", tmp_path, *arguments], check=True, capture_output=True)

    path = tmp_path / "sitemap [1].xml"
    path.write_bytes(BAD)
    git("init", "-q")
    if state == "ignored":
        (tmp_path / ".gitignore").write_text("*.xml\n")
    if state in ("committed", "staged", "changed"):
        git("add", ".")
    if state == "committed":
        git("-c", "user.name=a", "-c", "user.email=a@e.com", "commit", "-qm", "a")
    data = BAD.replace(b"?a", b"?c") if state == "changed" else BAD
    path.write_bytes(data)

    urlset("check", path, "--fix", "--select", "X")

    backup = tmp_path / "sitemap [1].xml.bak"
    assert backup.exists() == (state in ("changed", "untracked", "ignored"))
    assert not backup.exists() or backup.read_bytes() == data
    if state == "committed":
        path.write_bytes(BAD)
        urlset("check", path, "--fix", "--backup", "--select", "X")
        assert backup.read_bytes() == BAD


def test_backup_wants_fix(urlset, tmp_path):
    ran = urlset("check", tmp_path, "--no-backup")
    assert ran.code == 2
    assert "expected --fix" in ran.err


def test_fix_twice_changes_nothing(urlset, tmp_path):
    path = tmp_path / "sitemap.xml"
    path.write_bytes(BAD)
    urlset("check", path, "--fix", "--select", "X,S")
    before = path.stat()

    ran = urlset("check", path, "--fix", "--select", "X,S")

    assert "nothing to fix" in ran.err
    assert path.stat().st_ino == before.st_ino


def test_diff_shows_and_writes_nothing(urlset, tmp_path):
    path = tmp_path / "sitemap.xml"
    path.write_bytes(BAD)

    ran = urlset("check", path, "--diff", "--select", "X,S")

    assert ran.code == 1
    assert path.read_bytes() == BAD
    assert "-<url><loc>https://e.com/?a&b</loc></url>\n" in ran.out
    assert "+<url><loc>https://e.com/?a&amp;b</loc></url>\n" in ran.out


def test_diff_of_what_is_fine_is_empty(urlset, tmp_path):
    path = tmp_path / "sitemap.xml"
    path.write_bytes(GOOD)
    ran = urlset("check", path, "--diff", "--select", "X,S")
    assert (ran.code, ran.out) == (0, "")


def test_fix_of_stdin_goes_to_stdout(urlset):
    ran = urlset("check", "-", "--fix", "--select", "X,S", stdin=BAD)
    assert ran.code == 0
    assert ran.out == GOOD.decode()


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ((), 1, "1 error remains; run `urlset check` on the output"),
        (("--ignore", "D001"), 0, None),
        (("--ignore", "D001", "--fail-level", "warning"), 1, "1 finding remains; run `urlset"),
    ],
)
def test_what_remains_after_a_fix_of_stdin_is_that_of_the_same_options(
    urlset, options, code, message
):
    entry = b"<loc>https://e.com/</loc><lastmod>yesterday</lastmod><priority>7</priority>"
    data = GOOD[: GOOD.index(b"<url>")] + b"<url>" + entry + b"</url></urlset>"

    ran = urlset("check", "-", "--fix", *options, stdin=data)

    assert (ran.code, ran.out.encode()) == (code, data)
    assert (message or "") in ran.err
    assert ("remain" in ran.err) == (message is not None)


def test_fix_of_stdin_that_is_fine_passes_it_on(urlset):
    ran = urlset("check", "-", "--fix", "--select", "X,S", stdin=GOOD)
    assert ran.out == GOOD.decode()


def test_fix_writes_through_a_link(urlset, tmp_path):
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "a.xml"
    target.write_bytes(BAD)
    link = tmp_path / "sitemap.xml"
    link.symlink_to(target)

    urlset("check", link, "--fix", "--select", "X,S")

    assert link.is_symlink()
    assert target.read_bytes() == GOOD


def test_fix_does_not_write_through_a_link_that_leads_out(urlset, tmp_path):
    (tmp_path / "site").mkdir()
    target = tmp_path / "feed.xml"
    target.write_bytes(BAD)
    link = tmp_path / "site" / "sitemap.xml"
    link.symlink_to(target)

    ran = urlset("check", link, "--fix", "--select", "X,S")
    with pytest.raises(TargetError, match="leads out of its folder"):
        write_fixed(fix(link).documents)

    assert ran.code == 2
    assert f"name the file itself: {target}" in ran.err
    assert target.read_bytes() == BAD


def test_fix_of_a_folder_fixes_each_file_and_keeps_gzip(urlset, tmp_path):
    (tmp_path / "sitemap-a.xml").write_bytes(BAD)
    (tmp_path / "sitemap-b.xml.gz").write_bytes(gzip.compress(BAD))
    (tmp_path / "sitemap-c.xml").write_bytes(GOOD)
    untouched = (tmp_path / "sitemap-c.xml").stat().st_ino

    ran = urlset("check", tmp_path, "--fix", "--select", "X,S")

    assert ran.code == 0
    assert (tmp_path / "sitemap-a.xml").read_bytes() == GOOD
    assert gzip.decompress((tmp_path / "sitemap-b.xml.gz").read_bytes()) == GOOD
    assert (tmp_path / "sitemap-c.xml").stat().st_ino == untouched
    assert "2 files changed" in ran.err


def test_fix_splits_what_is_too_full(urlset, tmp_path):
    pages = "".join(f"<url><loc>https://e.com/{n}</loc></url>\n" for n in range(50_001))
    path = tmp_path / "sitemap.xml"
    path.write_text(f"<urlset {NS}>{pages}</urlset>")
    base = "https://e.com/sitemap.xml"

    ran = urlset("check", path, "--fix", "--select", "L", "--base-url", base)

    assert ran.code == 0
    names = sorted(entry.name for entry in tmp_path.iterdir())
    assert names == ["sitemap-1.xml", "sitemap-2.xml", "sitemap.xml", "sitemap.xml.bak"]
    assert b"<loc>https://e.com/sitemap-2.xml</loc>" in path.read_bytes()


def test_fix_says_what_it_cannot(urlset, tmp_path):
    pages = "".join(f"<url><loc>https://e.com/{n}</loc></url>\n" for n in range(50_001))
    path = tmp_path / "sitemap.xml"
    path.write_text(f"<urlset {NS}>{pages}</urlset>")
    ran = urlset("check", path, "--fix", "--select", "L001")
    assert ran.code == 1
    assert "not fixed: L001[too-many-urls]" in ran.err
    assert "pass --base-url" in ran.err


def test_fix_of_a_url_says_what_to_do(urlset):
    ran = urlset("check", "https://e.com/sitemap.xml", "--fix")
    assert ran.code == 2
    assert "save it as a file" in ran.err


def test_unsafe_fixes_want_fix(urlset, tmp_path):
    ran = urlset("check", tmp_path, "--unsafe-fixes")
    assert ran.code == 2
    assert "--unsafe-fixes" in ran.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_fix_of_a_folder_that_may_not_be_written(urlset, tmp_path):
    path = tmp_path / "sitemap.xml"
    path.write_bytes(BAD)
    tmp_path.chmod(0o500)
    ran = urlset("check", path, "--fix", "--select", "X")
    tmp_path.chmod(0o700)
    assert ran.code == 2
    assert path.read_bytes() == BAD


def test_fix_lists_every_drop_when_asked_for(urlset, tmp_path):
    path = tmp_path / "sitemap.xml"
    page = "<url><loc>https://e.com/{}</loc><lastmod/></url>\n"
    path.write_text(f"<urlset {NS}>" + "".join(page.format(n) for n in range(30)) + "</urlset>")
    options = ("--select", "S009", "--unsafe-fixes")

    path.with_name("b.xml").write_bytes(path.read_bytes())

    some = urlset("check", path, "--fix", *options, "--max-examples", "5")
    listed = urlset("check", "b.xml", "--fix", *options, "--max-examples", "0")

    assert some.err.count("dropped by S009[") == 5
    assert "25 more dropped by S009; --max-examples 0 lists all" in some.err
    assert listed.err.count("dropped by S009[") == 30


def test_fix_of_an_index_and_of_what_it_lists(urlset, tmp_path):
    (tmp_path / "a.xml").write_bytes(BAD)
    child = "<sitemap><loc>https://e.com/a.xml</loc></sitemap>"
    (tmp_path / "i.xml").write_text(f"<sitemapindex {NS}>\n{child}\n</sitemapindex>\n")

    ran = urlset("check", "i.xml", "a.xml", "--fix", "--select", "X,S")

    assert ran.code == 0
    assert (tmp_path / "a.xml").read_bytes() == GOOD
    assert ran.err.count("fixed 1 × X003") == 1


def test_fix_writes_the_dates_of_files_into_their_index(urlset, tmp_path):
    (tmp_path / "a.xml").write_bytes(GOOD)
    os.utime(tmp_path / "a.xml", (1_700_000_000, 1_700_000_000))
    child = "<sitemap><loc>https://e.com/a.xml</loc></sitemap>"
    (tmp_path / "i.xml").write_text(f"<sitemapindex {NS}>\n{child}\n</sitemapindex>\n")

    urlset("check", "i.xml", "--fix", "--select", "D503")

    assert b"</loc><lastmod>2023-11-14T22:13:20Z</lastmod>" in (tmp_path / "i.xml").read_bytes()


@pytest.mark.parametrize("flag", ["--fix", "--diff"])
def test_the_sitemap_of_a_server_is_fixed_as_a_file(flag, urlset):
    ran = urlset("check", "https://e.com/sitemap.xml", flag)

    assert ran.code == 2
    assert flag in ran.err
    assert "expected a file or a folder, found the URL https://e.com/sitemap.xml" in ran.err


def test_a_diff_of_sources_that_cannot_be_read(tmp_path, urlset):
    (tmp_path / "a.xml").write_text(f"<urlset {NS}></urlset>\n")

    assert urlset("check", "none.xml", "--diff").code == 2
    assert urlset("check", "a.xml", "none.xml", "--diff").code == 1
    assert urlset("check", "a.xml", "--diff").code == 0
