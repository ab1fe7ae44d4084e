"""What waits for the same reason in each run: it is reported once, and then counted."""

import json
from urllib.parse import urlsplit

import pytest

import urlset
from tests.cli.test_commands import command
from tests.live.submit.fake_engines import ENDPOINT, HOST, KEY, Bench, FakeSite, Reply, Web, added
from tests.live.submit.fake_engines import removed as removals
from tests.live.submit.test_indexnow import bench, states
from urlset.cli.submit import _lines
from urlset.http import Policy

__all__ = ["bench"]  # a fixture


def redirect(bench, *paths, to="https://www.new.example", status=301):
    for path in paths:
        bench.site.pages[path] = Reply(status, "", {"location": f"{to}{path}"})


def test_pages_that_are_wrong_in_every_run_are_reported_once(bench):
    redirect(bench, "/x")

    first = bench.submit(added("/x"))
    later = [bench.submit(), bench.submit(added("/x"))]

    assert first.reported_before == ()
    assert "none of the 1 sampled pages" in first.results[0].error
    assert "preflight" in first.results[0].error
    for run in later:
        assert run.reported_before == (run.results[0].error,)
        assert run.results[0].error in run.incomplete
        assert (run.has_failures, run.waiting) == (True, 1)


def test_another_fault_or_another_url_is_reported_again(bench):
    redirect(bench, "/x")
    bench.submit(added("/x"))
    bench.site.pages["/x"] = Reply(404)

    assert bench.submit().reported_before == ()
    assert bench.submit().reported_before

    redirect(bench, "/y")
    assert bench.submit(added("/y")).reported_before == ()


def test_pages_without_an_answer_are_reported_in_every_run(bench):
    bench.site.pages["/x"] = Reply(503)

    for run in (bench.submit(added("/x")), bench.submit()):
        assert (run.reported_before, run.waiting) == ((), 1)


def test_removed_urls_that_are_held_in_every_run_are_reported_once(bench):
    gone = [f"/shop/{n}" for n in range(30)]
    for path in gone:
        bench.site.add_page(path)
    bench.submit([*added("/a"), *removals(*gone)])

    run = bench.submit(added("/b"))

    assert (run.sent, run.waiting, run.has_failures) == (1, 30, True)
    assert run.reported_before == run.faults


def test_a_url_that_is_tried_again_on_request_is_reported_again(bench):
    bench.site.add_page("/x", '<meta name="robots" content="noindex">')
    bench.submit(added("/a", "/x"))

    run = bench.submit(retry_refused=True)

    assert (run.retried, run.reported_before) == (1, ())
    assert "noindex" in run.results[0].error


@pytest.fixture
def moved(bench):
    """A host whose URLs wait, and that then redirects to another one."""
    new = FakeSite(bench.web, "www.new.example", KEY[::-1])
    new.add_page("/x")
    bench.engine.replies = [Reply(503)]
    bench.submit([*added("/a", "/b"), *removals("/old")], max_wait_s=0)
    redirect(bench, "/a", "/b", f"/{KEY}.txt")
    return added("/x", host="www.new.example")


def test_urls_of_a_host_that_has_moved_are_excluded_once(bench, moved):
    keys = {HOST: KEY, "www.new.example": KEY[::-1]}

    run = bench.submit(moved, keys=keys)

    assert (run.sent, run.waiting, run.has_failures) == (1, 0, True)
    assert run.excluded_counts == {"moved": 3}
    assert "redirect to www.new.example for good" in run.excluded[0].reason
    new = "http://www.new.example/x"
    assert states(bench) == {"/a": "refused", "/b": "refused", "/old": "refused", new: "accepted"}
    assert not bench.submit(moved, keys=keys).has_failures


def test_a_redirect_for_now_or_to_several_hosts_excludes_nothing(bench, moved):
    keys = {HOST: KEY, "www.new.example": KEY[::-1]}
    redirect(bench, "/a", to="https://blog.new.example")
    assert bench.submit(moved, keys=keys).waiting == 3

    redirect(bench, "/a", status=302)
    assert bench.submit(moved, keys=keys).waiting == 3


def test_a_key_file_that_redirects_alone_is_no_move(bench, moved):
    keys = {HOST: KEY, "www.new.example": KEY[::-1]}
    files = {host: (key, f"http://{host}/{key}.txt") for host, key in keys.items()}
    assert bench.submit(moved, keys=files, preflight_pages=0).waiting == 3

    robots = "User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /old"
    bench.site.pages["/robots.txt"] = Reply(200, robots, {"content-type": "text/plain"})
    assert bench.submit(moved, keys=keys).waiting == 3


def test_removed_pages_that_are_gone_are_no_move(bench):
    FakeSite(bench.web, "www.new.example", KEY[::-1]).add_page("/x")
    bench.engine.replies = [Reply(503)]
    bench.submit(removals("/old", "/older"), max_wait_s=0)
    redirect(bench, f"/{KEY}.txt")
    keys = {HOST: KEY, "www.new.example": KEY[::-1]}

    run = bench.submit(added("/x", host="www.new.example"), keys=keys)

    assert (run.sent, run.waiting, run.excluded) == (1, 2, [])


@pytest.mark.parametrize(
    "to", [f"https://{HOST}:8443", f"https://{HOST}", f"https://{HOST}.", f"https://{HOST}.:8443"]
)
def test_a_redirect_to_another_name_or_port_of_the_host_is_no_move(bench, moved, to):
    redirect(bench, "/a", "/b", f"/{KEY}.txt", to=to)

    run = bench.submit(moved, keys={HOST: KEY, "www.new.example": KEY[::-1]})

    assert (run.sent, run.waiting, run.excluded) == (1, 3, [])


def test_a_host_of_the_input_has_not_moved(bench, moved):
    run = bench.submit([*moved, *added("/b")], keys={HOST: KEY, "www.new.example": KEY[::-1]})

    assert (run.excluded, run.waiting) == ([], 3)


def test_urls_that_wait_for_a_host_without_a_key_are_reported_once(bench, moved):
    run = bench.submit(moved, keys=KEY[::-1])
    (fault,) = run.faults
    assert f"no key for {HOST}: 3 URLs wait since an earlier run" in fault
    assert "If the site has moved" in fault
    assert run.reported_before == ()

    again = bench.submit(added("/y", host="www.new.example"), keys={"www.new.example": KEY[::-1]})

    assert again.reported_before == again.faults == (fault,)


def test_a_host_of_the_input_without_a_key_is_reported_in_every_run(bench):
    bench.engine.replies = [Reply(503)]
    bench.submit(added("/a"), max_wait_s=0)

    for path in ("/b", "/c"):
        run = bench.submit([*added(path), *added(path, host="shop.example.com")], keys=KEY)

        assert [fault.partition(":")[0] for fault in run.faults] == [
            f"no key for {HOST}",
            "no key for shop.example.com",
        ]
        assert run.reported_before == ()


def test_hosts_of_a_store_without_a_key_are_one_line_in_each_run(bench, tmp_path):
    hosts = [HOST, *(f"{name}.example" for name in "abcd")]
    rows = "".join(f"<url><loc>http://{host}/{n}</loc></url>" for host in hosts for n in range(9))
    urlset.read(f"<urlset>{rows}</urlset>".encode()).to_duckdb(tmp_path / "store.duckdb")

    for _ in range(2):
        run = bench.submit(tmp_path / "store.duckdb")

        assert run.faults == (
            "no key for a.example, b.example and 2 more hosts: 36 URLs are not announced; there "
            f"are keys for {HOST}; give a line HOST KEY for each",
        )
        assert (list(_lines(run, is_quiet=True)), run.excluded_counts) == ([], {"no-key": 36})


def test_the_line_of_a_store_says_that_a_key_alone_is_for_one_host(bench, tmp_path):
    rows = "".join(f"<url><loc>http://{host}/</loc></url>" for host in (HOST, "a.example"))
    urlset.read(f"<urlset>{rows}</urlset>".encode()).to_duckdb(tmp_path / "store.duckdb")

    assert bench.submit(tmp_path / "store.duckdb", keys=KEY).faults == (
        f"no key for {HOST}, a.example: 2 URLs are not announced; there are changes of several "
        "hosts, and each needs a key of its own; give a line HOST KEY for each",
    )


def test_a_host_without_a_key_has_examples_and_the_number_of_the_others(bench):
    changes = added(*(f"/{n}" for n in range(9)), host="shop.example.com")

    lines = list(_lines(bench.submit(changes)))

    assert [line.partition(":")[0] for line in lines] == ["  excluded"] * 3 + [
        "  … and 6 more excluded"
    ]


def test_urls_that_this_run_excludes_are_not_named_as_refused_before(bench):
    bench.submit(
        added(*(f"/{n:04}" for n in reversed(range(1_100))))
    )  # no page is there: they wait
    shop = FakeSite(bench.web, "shop.example.com", KEY[::-1])
    shop.add_page("/x", '<meta name="robots" content="noindex">')
    shop.add_page("/y")
    keys: dict[str, str | tuple[str, str]] = {HOST: KEY, shop.host: KEY[::-1]}
    bench.submit(added("/x", "/y", host=shop.host), keys=keys)
    bench.clock.advance(hours=1)
    keys[HOST] = (KEY, f"http://{HOST}/keys/{KEY}.txt")

    run = bench.submit(added("/x", host=shop.host), keys=keys)

    assert run.excluded_counts == {"key-scope": 1_100}
    named = [line for line in _lines(run) if "refused before" in line]
    assert named == [f"  refused before: http://{shop.host}/x: noindex"]


def test_quiet_prints_once_that_an_announcement_waits(bench):
    bench.submit(added("/a"))

    # A URL is announced every ten minutes at most: no error says so.
    runs = [bench.submit(added("/a", lastmod="2026-03-05")), bench.submit()]

    first, later = (list(_lines(run, is_quiet=True)) for run in runs)
    assert first == [f"{HOST} → {ENDPOINT}: 1 waiting for the next run"]
    assert later == []


class PrivateBench(Bench):
    """Bench whose site and engine have one address of loopback."""

    host: str
    endpoint: str


@pytest.fixture
def private(tmp_path):
    """A site and an engine at one address of loopback, with a page that redirects."""
    web = Web()
    with web.served() as policy:
        host = urlsplit((policy.proxies or {})["http"]).netloc
        found = PrivateBench(tmp_path, Policy(retries=0), web)
        found.site = FakeSite(web, host)

        def answer(sent):
            return (found.engine if sent.method == "POST" else found.site)(sent)

        web.hosts[""] = answer  # of requests without a proxy
        found.host, found.endpoint = host, f"http://{host}/indexnow"
        redirect(found, "/x")
        yield found


@pytest.mark.parametrize("updates", [None, []])
def test_what_waits_for_a_private_host_is_sent_by_a_run_without_changes(private, updates):
    settings = {"keys": KEY, "endpoints": [private.endpoint]}
    assert private.submit(added("/x", host=private.host), **settings).waiting == 1
    private.site.add_page("/x")

    run = private.submit(updates, **settings)

    assert (run.sent, run.incomplete) == (1, ())


def test_the_command_prints_what_waits_once(private, capsys, monkeypatch, tmp_path):
    urlset = command(capsys, monkeypatch, tmp_path)
    monkeypatch.setenv("URLSET_INDEXNOW_KEY", KEY)
    (tmp_path / "changes.jsonl").write_text(json.dumps(added("/x", host=private.host)[0]))
    arguments = ("submit", "--endpoint", private.endpoint, "--store", "log.duckdb", "changes.jsonl")

    first, quiet, later = (urlset(*arguments, *more) for more in (["-q"], ["-q"], []))

    assert (first.code, quiet.code, later.code) == (1, 1, 1)
    assert "1 waiting for the next run" in first.out
    assert "nothing is sent for" in first.err
    assert (quiet.out, quiet.err) == ("", "")
    assert "1 waiting for the next run" in later.out
    assert "what waits has 1 reason that an earlier run reported" in later.err
    assert "nothing is sent for" not in later.err


def test_the_command_lists_refused_urls_once(private, capsys, monkeypatch, tmp_path):
    urlset = command(capsys, monkeypatch, tmp_path)
    monkeypatch.setenv("URLSET_INDEXNOW_KEY", KEY)
    private.site.add_page("/a")
    runs = []
    for paths in (["/a", "/x"], ["/b"], ["/x"]):
        private.site.add_page("/b")
        lines = [json.dumps(change) for change in added(*paths, host=private.host)]
        arguments = ("submit", "--endpoint", private.endpoint, "--store", "log.duckdb", "-")
        runs.append(urlset(*arguments, stdin="\n".join(lines).encode()))

    first, other, again = runs
    assert "excluded: " in first.out
    assert (other.code, "/x" in other.out + other.err) == (0, False)
    assert "1 URL was excluded or refused before; --format json lists them" in other.err
    # A run that has such a change again ends with 1, and says why.
    assert (again.code, "refused before: " in again.out) == (1, True)
