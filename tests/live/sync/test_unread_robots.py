"""Pages that moved to a host whose robots.txt cannot be read: no sign that they are gone."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.live.sync.test_sync import Index, page
from tests.live.watch.simulated_site import SITE
from urlset.http import Response

NEW = "https://new.example"
COUNT = 60


class Move:
    """A site of 60 pages whose first 20 move to another host; ``robots`` is its robots.txt."""

    def __init__(self, tmp_path):
        self.index = Index(tmp_path)
        self.index.put({f"/p{n:02}": (str(n), "2026-01-01") for n in range(COUNT)})
        self.index.sync()
        self.robots: dict[str, Any] = {"status": 503, "error": "status", "message": "HTTP 503"}
        self.former: dict[str, Any] = {"status": 301}
        rows = "".join(
            f"<url><loc>{NEW if n < 20 else SITE}/p{n:02}</loc><lastmod>2026-01-01</lastmod></url>"
            for n in range(COUNT)
        )
        site: Any = self.index.site
        site.documents["/sitemap.xml"] = f"<urlset>{rows}</urlset>"
        self._respond, site._respond = site._respond, self.respond

    def respond(self, request):
        """Answer as the two hosts do."""
        path = urlsplit(request.url).path
        if request.url == f"{NEW}/robots.txt":
            return Response(request, request.url, **self.robots)
        if request.url.startswith(NEW):
            headers = {"content-type": "text/html"}
            return Response(request, request.url, 200, headers, page(path).encode())
        is_former = path.startswith("/p") and int(path[2:]) < 20
        if is_former and self.former["status"] != 200:
            headers = {"location": NEW + path} if self.former["status"] == 301 else {}
            return Response(request, request.url, headers=headers, **self.former)
        return self._respond(request)


@pytest.fixture
def move(tmp_path):
    return Move(tmp_path)


@pytest.mark.parametrize(
    "robots",
    [
        {"status": 503, "error": "status", "message": "HTTP 503"},
        {"status": 429, "error": "status", "message": "HTTP 429"},
        {"error": "timeout", "message": "no response"},
        {"error": "dns", "message": "unknown host"},
    ],
)
@pytest.mark.parametrize("share", [None, 1.0])
def test_former_pages_are_kept_until_the_robots_txt_can_be_read(move, robots, share):
    move.robots = robots
    for _ in range(4):
        found = move.index.sync(max_removed_share=share)
        assert (len(found["unknown"]), "removed" in found) == (40, False)
    assert not move.index.last.is_complete
    assert len(move.index.texts) == COUNT

    move.robots = {"status": 404, "error": "status", "message": "HTTP 404"}
    found = move.index.sync(max_removed_share=share)

    assert (len(found["added"]), len(found["removed"])) == (20, 20)
    assert move.index.last.is_complete


def test_former_pages_that_are_gone_are_removed_in_the_second_run(move):
    move.former = {"status": 410, "error": "status", "message": "HTTP 410"}

    runs = [move.index.sync() for _ in range(3)]

    assert [len(found.get("removed", ())) for found in runs] == [0, 20, 0]


def test_an_unknown_page_states_what_could_not_be_read(move):
    reasons = {
        (update.loc.startswith(SITE), update.reason)
        for batch in move.index.run(max_removed_share=1.0)
        for update in batch
    }
    assert reasons == {(True, "robots.txt not read"), (False, "robots")}


def test_a_host_whose_pages_are_all_known_holds_back_no_removal(move):
    """Nothing can have moved there since."""
    move.robots = {"status": 404, "error": "status", "message": "HTTP 404"}
    move.index.sync()
    site = move.index.site
    lines = site.documents["/sitemap.xml"].split("<url>")
    site.documents["/sitemap.xml"] = "<url>".join(lines[:-1]) + "</urlset>"
    move.robots = {"status": 503, "error": "status", "message": "HTTP 503"}

    assert move.index.sync()["removed"] == [f"/p{COUNT - 1}"]


def test_an_unlisted_page_that_is_still_there_has_not_moved(move):
    """One new URL on a host that never answers must not keep pages that were taken off the list."""
    move.robots = {"error": "dns", "message": "unknown host"}
    move.former = {"status": 200}
    site = move.index.site
    lines = [
        line for line in site.documents["/sitemap.xml"].split("<url>") if f"{NEW}/p01" not in line
    ]
    site.documents["/sitemap.xml"] = "<url>".join(lines)

    found = move.index.sync(max_removed_share=1.0)

    assert "/p01" in found["removed"]
