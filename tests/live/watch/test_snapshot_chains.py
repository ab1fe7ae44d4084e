"""Diffs of snapshots: a chain of them composes to the diff of its ends, and equals the watch."""

import itertools

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

import urlset
from tests.amounts import amount
from tests.live.watch.simulated_site import SITE, SimulatedSite
from urlset.errors import SourceError

CHILDREN = ("/a.xml", "/b.xml", "/c.xml")
URLS = tuple(f"/page-{n}" for n in range(6))
DATES = (None, "2026-01-01", "2026-01-02")

child = st.one_of(
    st.just(503),
    st.dictionaries(st.sampled_from(URLS), st.sampled_from(DATES), min_size=1, max_size=5),
)
step = st.fixed_dictionaries(dict.fromkeys(CHILDREN, child))


# URLs that move to another sitemap with another date, while sitemaps cannot be read.
MOVED_AND_CHANGED = [
    {
        "/b.xml": {"/5": DATES[1], "/3": DATES[1], "/0": DATES[1], "/1": None, "/4": None},
        "/c.xml": {"/0": DATES[1]},
        "/a.xml": 503,
    },
    {
        "/c.xml": {"/2": None},
        "/b.xml": 503,
        "/a.xml": {"/3": DATES[1], "/0": DATES[2], "/2": None, "/1": DATES[1], "/5": DATES[1]},
    },
    {"/a.xml": {"/3": None}, "/c.xml": {"/5": None, "/3": DATES[1]}, "/b.xml": 503},
    {
        "/b.xml": {"/1": DATES[1], "/2": DATES[2], "/4": None, "/3": DATES[1]},
        "/c.xml": 503,
        "/a.xml": {"/0": None, "/3": DATES[2]},
    },
]


def changes(path, before, after):
    """Return the changes of a diff by URL, as (before, after), and the unknown URLs."""
    with urlset.diff(f"{path}@{before}", f"{path}@{after}", moves=False) as found:
        counts = found.counts
        rows = list(found)
    known = {
        row.loc: (
            row.before and (row.before.lastmod,),
            row.after and (row.after.lastmod,),
        )
        for row in rows
        if row.change != "unknown"
    }
    unknown = {
        row.loc: (
            row.before and (row.before.lastmod,),
            row.after and (row.after.lastmod,),
        )
        for row in rows
        if row.change == "unknown"
    }
    assert not known.keys() & unknown.keys()
    assert counts.before == counts.removed + counts.changed + counts.unchanged + sum(
        1 for before, _ in unknown.values() if before
    )
    assert counts.after == counts.added + counts.changed + counts.unchanged + sum(
        1 for _, after in unknown.values() if after
    )
    return known, unknown


def compose(first, second):
    """Return the changes of two diffs in turn, unknown URLs included."""
    found = {}
    for loc in first.keys() | second.keys():
        before = first[loc][0] if loc in first else second[loc][0]
        after = second[loc][1] if loc in second else first[loc][1]
        if before != after:
            found[loc] = (before, after)
    return found


@settings(max_examples=amount(3, 200), phases=[Phase.explicit, Phase.generate])
@example([{"/a.xml": {"/1": None}}, {"/a.xml": 503}, {"/a.xml": {"/1": "2026-01-01"}}])
@example(MOVED_AND_CHANGED)
@given(st.lists(step, min_size=3, max_size=4))
def test_chain_of_diffs_composes_to_the_diff_of_its_ends(tmp_path_factory, history):
    site = SimulatedSite(tmp_path_factory.mktemp("watch") / "site.duckdb")
    watched = []
    for documents in history:
        site.put_index("/sitemap.xml", [(path, None) for path in documents])
        for path, rows in documents.items():
            site.documents[path] = rows if isinstance(rows, int) else ""
            if not isinstance(rows, int):
                site.put(path, rows.items())
        try:
            watched.append(site.step())
        except SourceError:
            return  # nothing could be read in the first step

    last = len(watched)
    chained: dict[str, tuple[object, object]] = {}
    for before, after in itertools.pairwise(range(1, last + 1)):
        known, unknown = changes(site.path, before, after)
        result = watched[after - 1]
        kinds = [
            "added" if b is None else "removed" if a is None else "changed"
            for b, a in known.values()
        ]
        assert (result.added, result.removed, result.changed) == tuple(
            kinds.count(kind) for kind in ("added", "removed", "changed")
        )
        chained = compose(chained, known | unknown)
    known, unknown = changes(site.path, 1, last)
    assert chained == compose({}, known | unknown)


@pytest.fixture
def site(tmp_path):
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.put_index("/sitemap.xml", [("/a.xml", None), ("/b.xml", None)])
    site.put("/a.xml", [("/1", "2026-01-01"), ("/2", "2026-01-01"), ("/3", "2026-01-01")])
    site.put("/b.xml", [("/4", "2026-01-01"), ("/5", "2026-01-01")])
    site.step()
    return site


def test_url_that_is_gone_beside_an_unread_sitemap_is_unknown_not_unchanged(site):
    site.put("/a.xml", [("/1", "2026-01-01"), ("/2", "2026-01-02")])
    site.documents["/b.xml"] = 500
    site.step()

    known, unknown = changes(site.path, 1, 2)

    assert {loc.removeprefix(SITE) for loc in known} == {"/2"}
    assert {loc.removeprefix(SITE) for loc in unknown} == {"/3", "/4", "/5"}


def test_changes_of_an_unread_sitemap_are_in_the_diff_after_it(site):
    site.documents["/b.xml"] = 500
    site.step()
    site.put("/b.xml", [("/4", "2026-01-03"), ("/6", "2026-01-03")])
    result = site.step()

    with urlset.diff(f"{site.path}@2", f"{site.path}@3") as found:
        assert found.counts[:4] == (1, 1, 1, 0)
    assert (result.added, result.removed, result.changed) == (1, 1, 1)
