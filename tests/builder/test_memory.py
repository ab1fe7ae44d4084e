"""What a build does right that producers of sitemaps were seen to do wrong: memory and work."""

import pytest

from tests.builder.test_build import BASE, Site
from urlset import engine as engines
from urlset import write
from urlset.sources import Candidate
from urlset.sources.candidates import BATCH_ROWS


class Alive(str):
    """A URL that is counted while it lives, and when it is compared."""

    __slots__ = ()
    now = most = compared = 0

    def __new__(cls, text):
        Alive.now += 1
        Alive.most = max(Alive.most, Alive.now)
        return super().__new__(cls, text)

    def __del__(self):
        Alive.now -= 1

    def __eq__(self, other):
        Alive.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__

    def strip(self, *_):
        return self


@pytest.fixture(autouse=True)
def _count_anew():
    Alive.now = Alive.most = Alive.compared = 0


# laravel-sitemap's, python-sitemap's, hugesitemap's: all URLs, or all files, at once.
def test_a_build_holds_some_batches_and_not_all_entries(tmp_path):
    count = 12 * BATCH_ROWS

    site = Site(tmp_path, None)
    made = site.build((Candidate(Alive(f"{BASE}{n:06}")) for n in range(count)), max_urls=20_000)

    assert made.urls == count
    assert 0 < Alive.most <= 3 * BATCH_ROWS


def test_write_that_need_not_look_for_duplicates_holds_some_batches(tmp_path):
    count = 6 * BATCH_ROWS

    made = write(
        (Alive(f"{BASE}{n:06}") for n in range(count)),
        tmp_path, base_url=BASE, duplicates="keep", max_urls=20_000,
    )  # fmt: skip

    assert made.urls == count
    assert 0 < Alive.most <= 3 * BATCH_ROWS


# laravel-sitemap's: each is compared with all that were there before.
@pytest.mark.parametrize("engine", engines.available())
def test_duplicates_are_found_without_comparing_all_with_all(tmp_path, engine):
    urls = [Alive(f"{BASE}{n % 1_500:04}") for n in range(3_000)]

    made = write(urls, tmp_path, engine=engine)

    assert (made.urls, made.duplicates) == (1_500, 1_500)
    assert Alive.compared < 4 * len(urls)
