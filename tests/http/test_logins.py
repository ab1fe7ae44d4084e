"""Logins of every verb: user and password in the URL of a site, ``--auth-file``, ``auth=``."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import urlset
from tests.http_walks import quick
from tests.live_sites import html
from tests.site_box import Hit, SiteBox, Wire, page, urlset_of
from urlset.cli.app import run
from urlset.http import basic_auth, without_login

PASSWORD = "hunter2secret"
USER = "visitor"
PAGES = ("/a", "/b", "/c")


class LockedSite:
    """Site of which each response requires a login."""

    def __init__(self, box: SiteBox):
        self.refused: list[str] = []
        self._box = box
        self._players = {path: page(html(path, *PAGES), kind="text/html") for path in ("/", *PAGES)}
        rows = "".join(f"<url><loc>{box.url(path)}</loc></url>" for path in PAGES)
        data = urlset_of(box.site, 0).replace(b"</urlset>", f"{rows}</urlset>".encode())
        self._players["/sitemap.xml"] = page(data)
        robots = f"User-agent: *\nAllow: /\nSitemap: {box.url('/sitemap.xml')}\n"
        self._players["/robots.txt"] = page(robots, kind="text/plain")
        box.otherwise = self._play

    @property
    def url(self) -> str:
        return self._box.site.replace("://", f"://{USER}:{PASSWORD}@") + "/"

    async def _play(self, hit: Hit, wire: Wire) -> bool:
        if hit.headers.get("authorization") != basic_auth(USER, PASSWORD):
            self.refused.append(hit.path)
            return await page(b"login", 401)(hit, wire)
        missing = page(b"no", 404)
        return await self._players.get(hit.path.partition("?")[0], missing)(hit, wire)


COMMANDS = {
    "read": "read SITE --output out.jsonl",
    "read-store": "read SITE --output out.duckdb",
    "check": "check SITE --report out.html --format json --fail-level error",
    "crawl": "crawl SITE --store out.duckdb",
    "audit": "audit SITE --store out.duckdb --report out.html --confirm-after 0",
    "audit-crawl": "audit SITE --crawl --store out.duckdb --report out.html --confirm-after 0",
    "diff": "diff before.txt SITE --live --base-url SITE --output out.md --format markdown",
    "watch": "watch SITE --store out.duckdb --report out.html",
    "sync": "sync SITE --store out.duckdb",
}


def start(command: str, site: str, box: SiteBox, *options: str) -> int:
    Path("before.txt").write_text("".join(f"{box.url(p)}\n" for p in ("/a", "/gone-1", "/gone-2")))
    return run([*command.replace("SITE", site).split(), *options])


@pytest.fixture
def locked(box: SiteBox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LockedSite:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("URLSET_AUTH", raising=False)
    return LockedSite(box)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_login_in_the_url_is_used_and_shown_nowhere(
    name: str, locked: LockedSite, box: SiteBox, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    code = start(COMMANDS[name], locked.url, box, "-vv")

    out, err = capfd.readouterr()
    assert (code in (0, 1), locked.refused) == (True, []), err
    assert "visitor" not in out + err
    secrets = (PASSWORD.encode(), basic_auth(USER, PASSWORD).partition(" ")[2].encode())
    texts = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    texts |= {"stdout": out.encode(), "stderr": err.encode()}
    assert len(texts) >= 3
    assert not [name for name, text in texts.items() if any(s in text for s in secrets)]


@pytest.mark.parametrize("way", ["file", "variable"])
@pytest.mark.parametrize("name", COMMANDS)
def test_given_credentials_are_used_for_all_requests(
    name: str, way: str, locked: LockedSite, box: SiteBox, monkeypatch: pytest.MonkeyPatch
):
    options = []
    if way == "file":
        Path("auth").write_text(f"{USER}:{PASSWORD}\n")
        os.chmod("auth", 0o600)
        options = ["--auth-file", "auth"]
    else:
        monkeypatch.setenv("URLSET_AUTH", f"{USER}:{PASSWORD}")

    code = start(COMMANDS[name], box.site, box, *options)

    assert (code in (0, 1), locked.refused) == (True, [])


def test_credentials_do_not_go_to_the_host_that_a_foreign_sitemap_lists(locked, box: SiteBox):
    with SiteBox("127.0.0.2") as other:
        other.otherwise = page(html("x"), kind="text/html")
        rows = "".join(f"<url><loc>{other.url(path)}</loc></url>" for path in PAGES)
        data = urlset_of(box.site, 0).replace(b"</urlset>", f"{rows}</urlset>".encode())
        locked._players["/sitemap.xml"] = page(data)

        urlset.audit(
            box.site, auth=(USER, PASSWORD), crawl=True, confirm_after_s=0.0, policy=quick()
        ).close()

        assert other.hits or box.hits
        assert not [hit.path for hit in other.hits if "authorization" in hit.headers]


def test_an_audit_that_could_judge_nothing_fails(locked, box: SiteBox, tmp_path: Path, capfd):
    rows = "".join(f"<url><loc>{box.url(path)}</loc></url>" for path in PAGES)
    Path("sitemap.xml").write_bytes(
        urlset_of(box.site, 0).replace(b"</urlset>", f"{rows}</urlset>".encode())
    )

    code = run(
        ["audit", "sitemap.xml", "--base-url", f"{box.site}/", "--confirm-after", "0",
         "--no-media", "--format", "json"]
    )  # fmt: skip

    out, err = capfd.readouterr()
    json.loads(out)
    assert code == 1
    assert "Nothing could be judged: http-401 for 3 of 3 URLs" in err


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("http://u:p@e.com", "http://e.com"),
        ("HTTPS://u@e.com:8/x@y?z@", "HTTPS://e.com:8/x@y?z@"),
        ("http://a@b@e.com/#@", "http://e.com/#@"),
        ("http://e.com/@", "http://e.com/@"),
        ("folder/u:p@x", "folder/u:p@x"),
    ],
)
def test_without_login(url: str, plain: str):
    assert without_login(url) == plain


def test_policies_do_not_show_credentials():
    policy = urlset.Policy(site_headers={"https://e.com": {"Authorization": PASSWORD}})

    assert PASSWORD not in repr(policy)


@pytest.mark.parametrize("auth", ["Bearer s3cret", "user:password"])
@pytest.mark.parametrize("verb", [urlset.read, urlset.check, urlset.audit])
def test_a_wrong_token_says_what_to_write(verb, auth):
    with pytest.raises(ValueError, match="found a text with characters that no token") as caught:
        list(verb("https://example.com/", auth=auth))

    assert 'the token without the word Bearer, or a pair ("user", "password")' in str(caught.value)
    assert auth not in str(caught.value)
