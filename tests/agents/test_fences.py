"""An agent reads one folder and public addresses, and sends a limited number of requests."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import urlset
from tests.live_sites import put_sitemap
from tests.site_box import redirect
from urlset.agents import Fences, Toolbox
from urlset.errors import SourceError, UrlsetError

links = pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a right there")


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "sitemap.txt").write_text("https://example.com/a\n")
    (tmp_path / "secret.txt").write_text("https://example.com/secret\n")
    return folder


@pytest.mark.parametrize(
    "source",
    [
        "../secret.txt", "/etc/passwd", "-", "", "file:///etc/passwd", "s3://bucket/sitemap.xml",
        "none.xml", "sitemap.txt\0", "sitemap.txt/../../secret.txt", "env:HOME", "ftp://e.com/",
        "https://user:password@example.com/",
    ],
)  # fmt: skip
def test_other_sources_are_refused(root, source):
    tools = Toolbox(Fences(root))

    if source == "":
        assert tools.read_sitemap(source).counts["urls"] == 1  # the folder itself
        return
    for tool in (tools.read_sitemap, tools.check, tools.audit):
        with pytest.raises(SourceError):
            tool(source)
    with pytest.raises(UrlsetError):
        tools.query(source, "SELECT 1")


@links
def test_links_out_of_the_folder_are_refused(root):
    (root / "link.txt").symlink_to(root.parent / "secret.txt")
    (root / "sub").mkdir()
    (root / "sub" / "deep.txt").symlink_to(root.parent / "secret.txt")
    tools = Toolbox(Fences(root))

    for source in ("link.txt", "sub", "."):
        with pytest.raises(SourceError, match="root folder"):
            tools.read_sitemap(source)


@links
def test_a_root_that_is_a_link_is_its_target(root):
    link = root.parent / "link"
    link.symlink_to(root)

    assert Toolbox(Fences(link)).read_sitemap("sitemap.txt").counts["urls"] == 1


def test_private_addresses_are_refused(root, box):
    put_sitemap(box, ["/a"])
    tools = Toolbox(Fences(root))

    for tool in (tools.read_sitemap, tools.check):
        for url in (box.site, box.url("/sitemap.xml"), "http://169.254.169.254/latest/"):
            try:
                answer = tool(url)
            except UrlsetError:
                continue
            assert answer.counts["urls"] == 0
    tools.audit(box.site)
    with pytest.raises(SourceError, match="audit-1 failed"):
        tools.audit_result("audit-1")
    assert box.paths == []


def test_private_addresses_of_a_local_sitemap_are_not_visited(root, box):
    (root / "local.txt").write_text(f"{box.url('/internal')}\n")
    tools = Toolbox(Fences(root))

    tools.audit("local.txt", base_url=box.site)
    tools.audit_result("audit-1", wait_s=50)

    assert box.paths == []


def test_private_addresses_can_be_allowed(root, box):
    put_sitemap(box, ["/a"])

    answer = Toolbox(Fences(root, allow_private=True)).read_sitemap(box.site)

    assert answer.counts["urls"] == 1


def test_a_policy_for_public_addresses_refuses_a_site_that_is_named(box, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    put_sitemap(box, ["/a"])
    box.play("/to", redirect(box.url("/sitemap.xml"), 301))

    found = urlset.read(box.url("/sitemap.xml"), policy=urlset.Policy(only_public=True))
    with pytest.raises(SourceError, match="only public addresses are requested here"):
        list(found)
    assert box.paths == []
    with pytest.raises(ValueError, match="only_public"):
        urlset.Policy(only_public=True, allow_private=True)


def test_requests_are_limited(root, box):
    put_sitemap(box, ["/a"])
    tools = Toolbox(Fences(root, allow_private=True, max_requests=3))

    for _ in range(3):
        tools.read_sitemap(box.url("/sitemap.xml"))
    with pytest.raises(UrlsetError, match="used up"):
        tools.read_sitemap(box.url("/sitemap.xml"))
    with pytest.raises(UrlsetError, match="used up"):
        tools.audit(box.site)


def test_a_large_set_is_read_until_no_request_is_left(root, box):
    box.put_index("/index.xml", [box.put_urlset(f"/{n}.xml") for n in range(9)])
    tools = Toolbox(Fences(root, allow_private=True, max_requests=4))

    answer = tools.read_sitemap(box.url("/index.xml"))

    assert answer.counts["documents"] in (4, 5)
    assert answer.counts["is_complete"] is False
    assert {"not_read": "no request of this session is left"} in answer.data


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('/etc/passwd')",
        "FROM '/etc/passwd'",
        "SELECT getenv('HOME')",
        "ATTACH '/tmp/x.duckdb'",
        "COPY (SELECT 1) TO '/tmp/x.csv'",
        "SELECT 1; SELECT 2",
        "SELECT 1) TO x; --",
        "INSERT INTO entries VALUES (1)",
        "SELECT * FROM read_parquet('https://example.com/x.parquet')",
        "INSTALL httpfs",
        "SET memory_limit = '1TB'",
        "SELECT * FROM duckdb_settings()",
    ],
)
def test_sql_reads_tables_only(root, sql):
    urlset.read(root / "sitemap.txt").to_parquet(root / "urls.parquet")
    urlset.read(root / "sitemap.txt").to_duckdb(root / "site.duckdb")
    tools = Toolbox(Fences(root))
    tools.read_sitemap("sitemap.txt")
    before = sorted(os.listdir(root))

    for result in ("read-1", "site.duckdb", "urls.parquet"):
        with pytest.raises(UrlsetError):
            tools.query(result, sql)
    assert sorted(os.listdir(root)) == before


def test_parallel_calls_share_the_requests(box, root):
    box.put_index("/sitemap.xml", [f"/{n}.xml" for n in range(8)])
    for number in range(8):
        box.put_urlset(f"/{number}.xml")
    tools = Toolbox(Fences(root, allow_private=True, max_requests=12))
    url = box.url("/sitemap.xml")
    try:
        with ThreadPoolExecutor(4) as pool:
            answers = [pool.submit(tools.read_sitemap, url) for _ in range(4)]
        read = [each.result() for each in answers if each.exception() is None]
        documents = [int(str(answer.counts["documents"])) for answer in read]

        assert sum(documents) <= 12 + len(answers)
        assert tools.sites().counts["requests_left"] == 0
    finally:
        tools.close()


def test_audits_take_their_requests_first_and_return_the_rest(box, root):
    box.put_urlset("/sitemap.xml", 2)
    tools = Toolbox(Fences(root, allow_private=True, max_requests=100))
    try:
        handle = tools.audit(box.url("/sitemap.xml"), max_requests=60).result
        assert handle is not None
        tools.audit_result(handle, wait_s=50)

        left = int(str(tools.sites().counts["requests_left"]))
        assert 80 <= left < 100
    finally:
        tools.close()


def test_negative_numbers_are_refused(root):
    tools = Toolbox(Fences(root, allow_private=True))
    with pytest.raises(ValueError, match="offset: expected 0 or more, found -1"):
        tools.check("a.xml", offset=-1)
    with pytest.raises(ValueError, match="offset: expected 0 or more, found -1"):
        tools.audit_result("audit-1", offset=-1)
    with pytest.raises(ValueError, match="sample: expected 0 or more"):
        tools.audit("https://example.com/", sample=-1)
