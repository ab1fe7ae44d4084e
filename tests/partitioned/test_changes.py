"""What changed since an earlier state of a source: files, and sitemaps of a site."""

from pathlib import Path

from tests.http_walks import quick
from tests.partitioned.test_partitioned import rows, write_tree
from tests.site_box import SiteBox, index_of, urlset_of
from urlset.partitioned.changes import plan_documents, validators

HOST = "https://example.com"


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    return {name for name, validator in after.items() if before.get(name) != validator}


def test_files_that_are_new_or_changed_are_planned(tmp_path: Path):
    tree = {f"{name}.xml": urlset_of(f"{HOST}/{name}", 2) for name in "abc"}
    write_tree(
        {"index.xml": index_of(f"{HOST}/{n}" for n in [*tree, "gone.xml"]), **tree}, tmp_path
    )
    before = validators(tmp_path, {})
    assert len(before) == 5
    assert validators(tmp_path, before) == before

    (tmp_path / "b.xml").write_bytes(urlset_of(f"{HOST}/b", 3))
    (tmp_path / "d.xml").write_bytes(urlset_of(f"{HOST}/d", 1))
    (tmp_path / "a.xml").unlink()
    after = validators(tmp_path, before)

    new = changed(before, after)
    assert {Path(name).name for name in new} == {"b.xml", "d.xml", "a.xml"}
    parts = plan_documents(tmp_path, new)
    assert len(rows(parts)) == 4
    errors = {row["source"]: row["error"] for row in rows(parts, "documents") if row["error"]}
    assert [*errors] == [f"{HOST}/a.xml"]


def dated(box: SiteBox, days: dict[str, str | None]) -> None:
    children = [
        f"<sitemap><loc>{box.url(path)}</loc>{f'<lastmod>{day}</lastmod>' if day else ''}</sitemap>"
        for path, day in days.items()
    ]
    body = f"<sitemapindex>{''.join(children)}</sitemapindex>".encode()
    box.put("/i.xml", body)


def test_sitemaps_of_a_site_are_read_again_if_their_date_or_content_changed(box: SiteBox):
    paths = ["/a.xml", "/b.xml", "/undated.xml"]
    for number, path in enumerate(paths, 1):
        box.put_urlset(path, number)
    dated(box, {"/a.xml": "2026-01-01", "/b.xml": "2026-01-01", "/undated.xml": None})
    source, policy = box.url("/i.xml"), quick()
    before = validators(source, {}, policy=policy)
    assert validators(source, before, policy=policy) == before
    assert [*before] == [box.url(path) for path in paths]
    assert box.paths.count("/a.xml") == 0  # the index has its date

    dated(box, {"/a.xml": "2026-01-01", "/b.xml": "2026-02-01", "/undated.xml": None})
    box.put_urlset("/undated.xml", 5)
    new = changed(before, validators(source, before, policy=policy))

    assert new == {box.url("/b.xml"), box.url("/undated.xml")}
    assert len(rows(plan_documents(source, new, policy=policy))) == 2 + 5


def test_a_site_that_cannot_be_read_forgets_nothing(box: SiteBox):
    box.put_urlset("/a.xml", 1)
    dated(box, {"/a.xml": "2026-01-01"})
    source, policy = box.url("/i.xml"), quick()
    before = validators(source, {}, policy=policy)

    box.put("/i.xml", b"", status=503)
    broken = validators(source, before, policy=policy)
    dated(box, {"/a.xml": "2026-01-01"})
    after = validators(source, broken, policy=policy)

    assert changed(before, broken) == {source}
    assert changed(broken, after) == set()
