"""What stops a build is reported when it is found, with its true cause."""

import os

import pytest

import urlset
from tests.builder.test_build import BASE, Site, pages
from urlset.builder import build
from urlset.errors import EntryError, TargetError
from urlset.publisher import journal
from urlset.sources import Candidate, CandidateRows


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path, None)


@pytest.mark.parametrize("is_known", [False, True])
def test_an_invalid_row_ends_the_reading_after_its_batch(site, is_known):
    if is_known:
        site.build(pages(1))
    read = []

    class Slow(CandidateRows):
        def batches(self):
            for number, batch in enumerate(super().batches()):
                read.append(number)
                yield batch

    bad = Candidate("/bad", lastmod_text="never")
    rows = [bad._replace(images=(urlset.Image("/i.png"),)), *pages(*range(30_000))]

    with pytest.raises(EntryError, match=r"rows, row 1: lastmod"):
        build(Slow(rows), site.out, base_url=BASE, ledger=site.ledger)

    assert len(read) < 30_000 / 8_192


def test_a_folder_that_may_not_be_written_is_a_matter_of_permission(tmp_path, monkeypatch):
    real = os.open

    def refuse(path, flags, mode=0o777, **options):
        if os.fspath(path).endswith(journal.LOCK_NAME) and flags & os.O_CREAT:
            raise PermissionError(13, "Permission denied", path)
        return real(path, flags, mode, **options)

    monkeypatch.setattr(os, "open", refuse)

    with pytest.raises(TargetError, match="Permission denied"):
        build([{"loc": "/a"}], tmp_path / "o", base_url=BASE, ledger=tmp_path / "l.duckdb")


@pytest.mark.parametrize(
    ("loc", "asked"),
    [
        ("/p/unicode-é-ü-2", "/p/unicode-é-ü-2"),
        ("/p/unicode-é-ü-2", "/p/unicode-%C3%A9-%C3%BC-2"),
        ("/p/100%-3", "/p/100%-3"),
        ("/p/100%-3", "/p/100%25-3"),
        ("/p/a b", f"{BASE}p/a%20b"),
    ],
)
def test_why_finds_a_url_in_any_form_of_its_source(site, loc, asked):
    made = site.build([Candidate(loc.replace(" ", "%20"))], why=asked, dry_run=True)

    assert not any("not in any source" in line for line in made.why)
    assert any("included by" in line for line in made.why)
