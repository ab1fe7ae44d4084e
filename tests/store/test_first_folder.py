"""Sections of one URL have one definition, in SQL, macros and Python: the first folder."""

import duckdb
import pytest

import urlset
from urlset.live.visits.page_urls import section_of
from urlset.store import FIRST_FOLDER

HOST = "https://example.com"
SECTIONS = {
    f"{HOST}/": "/",
    f"{HOST}/a.html": "/",
    f"{HOST}/a": "/",
    f"{HOST}/a/": "/a/",
    f"{HOST}/a/b": "/a/",
    f"{HOST}/a/b/c/": "/a/",
    f"{HOST}/a/?x=/b/c/": "/a/",
    f"{HOST}/a?x=/b/c/": "/",
    f"{HOST}/?next=/a/b/": "/",
    f"{HOST}?next=/a/b/": "/",
    f"{HOST}/#/a/b/": "/",
    f"{HOST}/%C3%A9/b": "/%C3%A9/",
    "https://user@example.com:8443/a/b": "/a/",
}


@pytest.mark.parametrize(("url", "section"), SECTIONS.items())
def test_the_section_of_a_url(url, section):
    with duckdb.connect() as connection:
        rows = connection.execute(f"SELECT {FIRST_FOLDER} FROM (SELECT ? AS loc)", [url]).fetchall()

    with urlset.Store.open() as store:
        [(macro,)] = store.query("SELECT url_section(?)", [url])

    assert rows == [(section,)]
    assert (section_of(url), macro) == (section, section)


def test_a_diff_counts_these_sections(tmp_path):
    (tmp_path / "a.txt").write_text(f"{HOST}/kept\n")
    (tmp_path / "b.txt").write_text("".join(f"{url}\n" for url in [f"{HOST}/kept", *SECTIONS]))

    with urlset.diff(tmp_path / "a.txt", tmp_path / "b.txt") as found:
        sections = {row.section: row.added for row in found.sections}

    assert set(sections) == set(SECTIONS.values())
    assert sum(sections.values()) == found.counts.added
