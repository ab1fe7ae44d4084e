"""Tokens and signatures in the query of a URL that the user names: sent, and shown nowhere."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import urlset
from tests.http.test_logins import COMMANDS, PAGES, start
from tests.live_sites import html
from tests.site_box import Hit, SiteBox, Wire, index_of, page, urlset_of
from urlset.cli import main
from urlset.cli.app import run
from urlset.http import document_key, run_policy, with_secret_query, without_secrets
from urlset.partitioned import plan

TOKEN = "t0ken-of-the-user"
SIGNATURE = "5igna7ure"
QUERY = f"?page=2&token={TOKEN}&X-Amz-Signature={SIGNATURE}&X-Amz-Credential=AK%2F1%2Fs3"


class SignedSite:
    """Site whose sitemap needs the query of the URL, as a signed URL of a bucket does."""

    def __init__(self, box: SiteBox):
        self.refused: list[str] = []
        self.url = box.url(f"/sitemap.xml{QUERY}")
        self._players = {path: page(html(path, *PAGES), kind="text/html") for path in ("/", *PAGES)}
        rows = "".join(f"<url><loc>{box.url(path)}</loc></url>" for path in PAGES)
        data = urlset_of(box.site, 0).replace(b"</urlset>", f"{rows}</urlset>".encode())
        self._players[f"/sitemap.xml{QUERY}"] = page(data)
        self._players["/robots.txt"] = page("User-agent: *\nAllow: /\n", kind="text/plain")
        box.otherwise = self._play

    async def _play(self, hit: Hit, wire: Wire) -> bool:
        if hit.path.startswith("/sitemap.xml?") and hit.path not in self._players:
            self.refused.append(hit.path)
        missing = page(b"no", 404)
        return await self._players.get(hit.path, missing)(hit, wire)


@pytest.fixture
def signed(box: SiteBox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SignedSite:
    monkeypatch.chdir(tmp_path)
    return SignedSite(box)


@pytest.mark.promise
@pytest.mark.parametrize("name", [*COMMANDS, "build"])
def test_a_secret_query_is_sent_and_shown_nowhere(
    name: str,
    signed: SignedSite,
    box: SiteBox,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
):
    commands = {**COMMANDS, "build": "build SITE --output out/ --base-url BASE --adopt"}
    command = commands[name].replace("BASE", f"{box.site}/")

    code = start(command, signed.url, box, "-vv")

    out, err = capfd.readouterr()
    assert (code in (0, 1), signed.refused) == (True, []), err
    assert [hit.path for hit in box.hits if hit.path.startswith("/sitemap.xml?")], err
    texts = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    texts |= {"stdout": out.encode(), "stderr": err.encode()}
    assert len(texts) >= 3
    secrets = (TOKEN.encode(), SIGNATURE.encode(), b"AK%2F1")
    assert not [name for name, text in texts.items() if any(s in text for s in secrets)]


def test_results_and_pickles_show_no_secret_and_read_again(signed: SignedSite):
    entries = urlset.read(signed.url)
    again = pickle.loads(pickle.dumps(entries))

    for found in (entries, again):
        assert len(list(found)) == 3
        assert [str(record.source).count("***") for record in found.documents] == [3]
        assert TOKEN not in repr((found, found.documents, found.attempts))
    [part] = plan(signed.url)
    assert TOKEN not in repr(part)
    assert signed.refused == []


def test_errors_show_no_secret(box: SiteBox):
    url = box.url(f"/missing.xml{QUERY}")

    for call in (lambda: list(urlset.read(url)), lambda: urlset.fix(url)):
        with pytest.raises(urlset.SourceError) as caught:
            call()
        assert "token=***" in str(caught.value)
        assert TOKEN not in str(caught.value)


def test_a_redirect_that_repeats_the_secret_is_hidden(signed: SignedSite, box: SiteBox):
    async def play(hit: Hit, wire: Wire) -> bool:
        target = hit.path.replace("/old.xml", "/sitemap.xml")
        return await page(b"", 301, Location=target)(hit, wire)

    box.play(f"/old.xml{QUERY}", play)

    entries = urlset.read(box.url(f"/old.xml{QUERY}"))

    assert len(list(entries)) == 3
    [record] = entries.documents
    assert record.fetched is not None
    assert record.fetched.url.startswith(box.url("/sitemap.xml?page=2&token=***"))
    assert TOKEN not in repr(record)


def test_a_url_that_a_sitemap_lists_keeps_its_text(box: SiteBox):
    child = box.url("/child.xml?token=listed")
    box.put("/index.xml?token=named", index_of([child]))
    box.put("/child.xml?token=listed", urlset_of(box.site, 1))

    entries = urlset.read(box.url("/index.xml?token=named"))

    assert len(list(entries)) == 1
    assert [record.source for record in entries.documents] == [
        box.url("/index.xml?token=***"), child,
    ]  # fmt: skip


def test_urls_that_differ_in_the_secret_only_stay_different():
    policy, first = with_secret_query(urlset.Policy(), "https://e.com/?token=a")
    policy, second = with_secret_query(policy, "https://e.com/?token=b")
    again, third = with_secret_query(policy, "https://e.com/?token=a")

    assert (first, second, third) == (
        "https://e.com/?token=***", "https://e.com/?token=***2", "https://e.com/?token=***",
    )  # fmt: skip
    assert [again.sent_url(url) for url in (first, second)] == [
        "https://e.com/?token=a", "https://e.com/?token=b",
    ]  # fmt: skip
    assert with_secret_query(again, second) == (again, second)
    assert "token=a" not in repr(again)
    assert run_policy(again).sent_url("https://e.com/other") == "https://e.com/other"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://u:p@e.com/a?Token=x#t", "https://e.com/a?Token=***#t"),
        ("https://e.com/a?sv=1&sig=a%2Bb%3D&se=2", "https://e.com/a?sv=1&sig=***&se=2"),
        ("https://e.com/a?x-goog-signature=0&b", "https://e.com/a?x-goog-signature=***&b"),
        ("https://e.com/?access_token=a;api-key=b", "https://e.com/?access_token=***;api-key=***"),
        ("https://e.com/#access_token=a", "https://e.com/#access_token=***"),
        ("https://e.com/token=a?tokens=b&design=c", "https://e.com/token=a?tokens=b&design=c"),
        ("https://e.com/?page=1&key=2", "https://e.com/?page=1&key=2"),
        ("https://e.com/?token=", "https://e.com/?token="),
        ("folder?token=a", "folder?token=a"),
        (
            "https://e.com/?feed_token=a&private-token=b",
            "https://e.com/?feed_token=***&private-token=***",
        ),
        ("https://e.com/?secret_key=a&accessKey=b", "https://e.com/?secret_key=***&accessKey=***"),
        ("https://e.com/?page_token=a", "https://e.com/?page_token=a"),
        ("ftp://u:p@e.com/?token=a", "ftp://e.com/?token=***"),
        ("https:/u:p@e.com/a@b", "https:/e.com/a@b"),
        ("https:///u:p@e.com/", "https:///e.com/"),
        (r"C:\\u:p@e.com", r"C:\\u:p@e.com"),
        ("a:b@c", "a:b@c"),
    ],
)
def test_what_is_shown_of_a_url(url: str, shown: str):
    assert without_secrets(url) == shown
    assert without_secrets(shown) == shown


@pytest.mark.parametrize("start", ["ftp://", "https:/", "https:///"])
@pytest.mark.parametrize(
    "command",
    ["read", "check", "check --format json", "crawl --store a.duckdb", "audit", "diff a.txt",
     "watch --store a.duckdb", "build --base-url https://example.com/ --output out"],
)  # fmt: skip
def test_a_url_with_a_wrong_scheme_is_shown_without_its_secrets(
    command: str, start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("https://example.com/a\n")

    code = run([*command.split(), f"{start}me:hunter2@127.0.0.1:1/a.xml?token=tok3n"])

    printed = "".join(capfd.readouterr())
    assert code == 2
    assert "127.0.0.1" in printed
    assert "hunter2" not in printed
    assert "tok3n" not in printed


def test_another_spelling_of_the_shown_url_is_the_same():
    policy, shown = with_secret_query(urlset.Policy(), "https://e.com/~a?token=b")

    spelled = shown.replace("~", "%7E").replace("e.com", "E.com:443")
    assert document_key(spelled) == document_key(shown)
    assert policy.sent_url(spelled) == "https://e.com/~a?token=b"


@pytest.mark.parametrize("command", ["read", "check", "build"])
@pytest.mark.parametrize("start", ["ftp://", "https:/", "https:\\\\", "htps://", "s3a://"])
def test_a_login_of_a_mistyped_url_is_in_no_error(start, command, capsys):
    to = ("--base-url", "https://example.com/", "--output", "x") if command == "build" else ()
    main([command, f"{start}ann:{TOKEN}@example.com/map.xml", *to])
    printed = "".join(capsys.readouterr())

    assert "expected" in printed
    assert TOKEN not in printed


def test_a_login_before_another_at_sign_is_in_no_error(capsys):
    main(["read", f"https://ann:{TOKEN}\uff20example.com/map.xml"])

    assert TOKEN not in "".join(capsys.readouterr())
