"""Rules about indexes: their children, where they are, and whether they exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from urlset.checker import check
from urlset.checker.examples import documents_of

PAGE = "<url><loc>https://example.com/</loc></url>"


def index(*locs: str) -> str:
    return "".join(f"<sitemap><loc>{loc}</loc></sitemap>\n" for loc in locs)


def found(code: str, documents: dict[str, str]) -> list[str]:
    """The words of what one rule finds, with the line."""
    findings = check(documents_of(documents), select=[code])
    return [f"{finding.line}: {finding.message}" for finding in findings]


SITE = "https://example.com"


def test_cross_site():
    children = (
        f"{SITE}/a.xml",
        "https://example.com:443/b.xml",
        "HTTPS://Example.com/c.xml",
        "http://example.com/d.xml",
        "https://www.example.com/e.xml",
        "https://example.com:8443/f.xml",
        "https://user@example.com/g.xml",
        "https://cdn.example.net/h.xml",
    )

    words = found("I001", {"i.xml": index(*children)})

    assert [line.partition(" is on ")[0].partition(": ")[2] for line in words] == [
        children[3], children[4], children[5], children[7],
    ]  # fmt: skip
    assert "is on another site than the index (https://example.com)" in words[0]


def test_a_child_of_which_only_the_scheme_is_behind_is_a_warning():
    """As a page is, U030."""
    children = (
        "http://example.com/a.xml",
        "http://www.example.com/b.xml",
        "http://example.com:81/",
    )

    findings = check(documents_of({"i.xml": index(*children)}), select=["I001"])

    assert [finding.level for finding in findings] == ["warning", "error", "error"]


def test_cross_site_is_no_matter_where_a_robots_txt_declares_it():
    child = "https://cdn.example.net/a.xml"
    documents = {"i.xml": index(child), child: PAGE}

    assert len(found("I001", documents)) == 1
    robots = "https://cdn.example.net/robots.txt"
    assert found("I001", documents | {robots: f"Sitemap: {SITE}/i.xml"}) == []
    assert found("I001", documents | {robots: f"Sitemap: {child}"}) == []
    assert len(found("I001", documents | {robots: f"Sitemap: {SITE}/other.xml"})) == 1


def test_above():
    children = (
        "/a/b/c.xml", "/a/b/d/e.xml", "/a/./b/f.xml", "/a/%62/g.xml", "/a/c.xml", "/a/b.xml",
        "/A/b/c.xml", "/",
    )  # fmt: skip
    documents = {"a/b/index.xml": index(*(SITE + child for child in children))}

    words = found("I002", documents)

    assert [line.split()[1].removeprefix(SITE) for line in words] == list(children[4:])
    assert words[0].endswith("is not in or below /a/b/, the folder of the index")
    declared = {"robots.txt": f"Sitemap: {SITE}/a/b/index.xml"}
    assert found("I002", documents | declared) == []
    assert found("I002", {"index.xml?x=/a/": documents["a/b/index.xml"]}) == []


@pytest.mark.parametrize(
    ("loc", "is_told"),
    [
        (f"{SITE}/index.xml", True),
        ("https://EXAMPLE.com:443/index.xml", True),
        (f"{SITE}/./inde%78.xml", True),
        (f"{SITE}/index.xml?page=2", False),
        (f"{SITE}/Index.xml", False),
        (f"{SITE}/index.xml/", False),
    ],
)
def test_self_reference(loc: str, is_told: bool):
    words = found("I003", {"index.xml": index(loc)})

    assert words == ([f"3: The index lists itself: {loc}"] if is_told else [])
    assert found("I502", {"index.xml": index(loc)}) == []
    assert found("I501", {"index.xml": index(loc)}) == []


def test_self_reference_of_a_file_without_a_url(tmp_path: Path):
    file = tmp_path / "index.xml"
    [data] = documents_of(index(f"{SITE}/index.xml")).values()
    file.write_bytes(data)

    assert [finding.code for finding in check(file, select=["I"])] == ["I003"]


def test_duplicate_child():
    twice = index(f"{SITE}/a.xml", f"{SITE}/b.xml", f"{SITE}/a.xml", f"{SITE}/%61.xml")

    assert found("I004", {"i.xml": twice}) == [f"5: {SITE}/a.xml is listed 3 times"]
    single = index(f"{SITE}/a.xml", f"{SITE}/A.xml", f"{SITE}/a.xml?b")
    assert found("I004", {"i.xml": single, "j.xml": single}) == []


def test_not_a_sitemap_by_its_name():
    children = (
        "/", "/robots.txt", "/about.html", "/a.PDF", "/x/logo.svg", "/?sitemap=1", "/sitemap",
        "/sitemap.php", "/html", "/sitemap.xml", "/read.html", "/a.txt", "/a.html?sitemap=1",
    )  # fmt: skip
    documents = {
        "index.xml": index(*(SITE + child for child in children)),
        "read.html": PAGE,  # its content is what counts
    }

    words = found("I006", documents)

    expected = [*children[:5], children[12]]
    assert [line.split()[1] for line in words] == [SITE + child for child in expected]
    missing = found("I503", documents)  # also where the name explains it: a remark is no error
    assert [line.split()[1] for line in missing] == [
        SITE + child for child in children if child != "/read.html"
    ]


def test_nested_index():
    documents = {
        "a.xml": index(f"{SITE}/z.xml"),  # read before the one that lists it
        "z.xml": index(f"{SITE}/a.xml?"),
        "sitemap.xml": index(f"{SITE}/b.xml", f"{SITE}/c.xml", "https://EXAMPLE.com/b.xml"),
        "b.xml": index(f"{SITE}/c.xml"),
        "c.xml": PAGE,
    }

    words = found("I501", documents)

    assert len(words) == 3
    assert words[1:] == [
        f"3: {SITE}/b.xml is an index; an index may only list sitemaps",
        "5: https://EXAMPLE.com/b.xml is an index; an index may only list sitemaps",
    ]


def test_cycles_are_reported_once_each_by_the_entry_that_closes_them():
    documents = {
        "a.xml": index(f"{SITE}/b.xml", f"{SITE}/s.xml"),
        "b.xml": index(f"{SITE}/c.xml"),
        "c.xml": index(f"{SITE}/s.xml", f"{SITE}/a.xml", f"{SITE}/d.xml"),
        "d.xml": index(f"{SITE}/d.xml"),
        "e.xml": index(f"{SITE}/f.xml"),
        "f.xml": index(f"{SITE}/e.xml"),
        "s.xml": PAGE,
    }
    a, b, c, e, f = (f"{SITE}/{name}.xml" for name in "abcef")

    assert found("I502", documents) == [
        f"4: Index cycle: {a} → {b} → {c} → {a}",
        f"3: Index cycle: {e} → {f} → {e}",
    ]
    assert [line.split()[1] for line in found("I501", documents)] == [f"{SITE}/d.xml"]


def test_cycles_among_many_indexes_are_found_in_time():
    names = [f"{SITE}/{number}.xml" for number in range(60)]
    findings = check(documents_of({name: index(*names) for name in names}), select=["I502"])

    assert findings.by_rule == {"I502": 60 * 59 // 2}


def test_missing_children(tmp_path: Path):
    documents = documents_of({"index.xml": index(f"{SITE}/a.xml", f"{SITE}/b.xml")})
    assert found("I503", {"index.xml": index(f"{SITE}/b.xml")}) == [
        f"3: {SITE}/b.xml is listed but missing"
    ]
    (tmp_path / "index.xml").write_bytes(documents[f"{SITE}/index.xml"])
    (tmp_path / "a.xml").write_bytes(documents_of(PAGE)[f"{SITE}/sitemap.xml"])

    [finding] = check(tmp_path / "index.xml", select=["I503"])
    assert (finding.line, finding.loc) == (4, f"{SITE}/b.xml")
    # Where nothing can lie beside, or nobody has looked, nothing is missing.
    assert list(check(documents[f"{SITE}/index.xml"], select=["I503"])) == []
    assert list(check(tmp_path / "index.xml", select=["I503"], follow=False)) == []


def test_not_referenced():
    feed = (
        '<rss version="2.0"><channel><item><link>https://example.com/</link></item></channel></rss>'
    )
    documents = {
        "index.xml": index(f"{SITE}/a.xml", f"{SITE}/b.xml.gz"),
        "a.xml": PAGE,
        "b.xml.gz": PAGE,
        "b.xml": PAGE,  # the same, not compressed
        "c.xml": PAGE,
        "feed.xml": feed,
        "https://other.example/d.xml": PAGE.replace("example.com", "other.example"),
    }

    findings = list(check(documents_of(documents), select=["I504"]))
    assert [(f.source, f.message) for f in findings] == [
        (f"{SITE}/c.xml", "Not listed in an index")
    ]
    robots = {"robots.txt": f"Sitemap: {SITE}/index.xml"}
    assert found("I504", documents | robots) == [
        "None: Not listed in an index, and robots.txt does not declare it"
    ]
    robots = {"robots.txt": f"Sitemap: {SITE}/c.xml"}
    assert found("I504", documents | robots) == []
    assert found("I504", {"a.xml": PAGE, "c.xml": PAGE}) == []
