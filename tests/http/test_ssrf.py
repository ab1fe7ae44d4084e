"""SSRF protection: addresses that a document may make the client connect to."""

import socket
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.http_walks import RequestList, fetch, quick
from tests.site_box import SiteBox, page, redirect, urlset_of
from urlset.http import Request, Response, drive_in_thread
from urlset.http.ssrf import address_class, is_allowed, literal_address, scope_after
from urlset.reader.site_walk import SiteWalk

BODY = urlset_of("https://example.com", 2)

PUBLIC = """8.8.8.8 1.1.1.1 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.169.0.1
223.255.255.255 2606:4700::1111 2a00:1450:4001::1 2001:200::1 2002:808:808:: 64:ff9b::8.8.8.8
::ffff:8.8.8.8 ::8.8.8.8"""
PRIVATE = """127.0.0.1 127.255.255.254 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1
0.0.0.0 :: ::1 fc00::1 fdff::1 ::ffff:127.0.0.1 ::ffff:10.1.2.3 ::127.0.0.1 2002:7f00:1::
2002:c0a8:101::1 64:ff9b::10.0.0.1 64:ff9b::7f00:1"""
SPECIAL = """169.254.169.254 169.254.0.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 0.1.2.3
192.0.0.8 192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.1 203.0.113.1 fe80::1 fe80::1%eth0 fec0::1
ff02::1 ff0e::1 2001::1 2001:db8::1 3fff::1 5f00::1 100::1 64:ff9b:1::1 ::ffff:169.254.169.254
2002:a9fe:a9fe:: 64:ff9b::169.254.169.254 nonsense"""


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        (address, kind)
        for kind, addresses in (("public", PUBLIC), ("private", PRIVATE), ("special", SPECIAL))
        for address in addresses.split()
    ],
)
def test_class_of_an_address(address: str, kind: str):
    assert address_class(address) == kind


@pytest.mark.parametrize(
    ("scope", "public", "private", "special"),
    [("anywhere", 1, 1, 1), ("private", 1, 1, 0), ("public", 1, 0, 0)],
)
def test_scope(scope, public: bool, private: bool, special: bool):
    assert is_allowed(scope, "8.8.8.8") == bool(public)
    assert is_allowed(scope, "10.0.0.1") == bool(private)
    assert is_allowed(scope, "169.254.169.254") == bool(special)


def test_scope_of_the_urls_in_a_document():
    assert scope_after("anywhere", "127.0.0.1") == "private"
    assert scope_after("private", "127.0.0.1") == "private"
    assert scope_after("anywhere", "8.8.8.8") == "public"
    assert scope_after("private", "8.8.8.8") == "public"
    assert scope_after("public", "8.8.8.8") == "public"
    assert scope_after("public", "10.0.0.1") == "public"  # it must not, but if it did
    assert scope_after("anywhere", None) == "public"


# On loopback alone: 127.0.0.1 plays the public network, 127.0.0.2 the private one, 127.0.0.3 the
# link-local one. The guard judges addresses where the sockets are made, whatever led there.

Names = dict[str, list[str]]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    known: Names = {"public.example": ["127.0.0.1"], "private.example": ["127.0.0.2"]}
    known["metadata.example"] = ["127.0.0.3"]
    classes = {"127.0.0.1": "public", "127.0.0.2": "private", "127.0.0.3": "special"}

    def lookup(host: str, port: int, _family: int) -> object:
        if host not in known:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        addresses = known[host]
        if len(addresses) > 1 and addresses[0] == "in turn":  # a name that changes its address
            addresses = [addresses.pop(1) if len(addresses) > 2 else addresses[1]]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, port)) for a in addresses]

    monkeypatch.setattr("urlset.http.transport.lookup", lookup)
    monkeypatch.setattr("urlset.http.transport.DNS_TTL_S", 0)
    monkeypatch.setattr("urlset.http.ssrf.address_class", lambda a: classes.get(a, "special"))
    return known


@pytest.fixture
def net(names: Names):
    """Servers of the three networks; of each the URL by its name."""
    boxes = [SiteBox(f"127.0.0.{n}") for n in (1, 2, 3)]
    for box in boxes:
        box.__enter__()
        box.put("/a", BODY)
    yield boxes
    for box in boxes:
        box.__exit__()


Net = list[SiteBox]


def named(box: SiteBox, path: str = "/a") -> str:
    name = {"127.0.0.1": "public", "127.0.0.2": "private", "127.0.0.3": "metadata"}[box.host]
    return f"http://{name}.example:{box.port}{path}"


@pytest.mark.parametrize("shape", [named, lambda box: box.url("/a")])
def test_public_document_leads_to_public_places_only(net: Net, shape: Callable[[SiteBox], str]):
    public, private, metadata = (fetch(shape(box), scope="public") for box in net)

    assert public.body == BODY
    for blocked in (private, metadata):
        assert (blocked.error, blocked.status, blocked.attempts) == ("blocked", None, 1)
        assert str(blocked.message).startswith("not fetched: its address is private or special")
    assert [len(box.hits) for box in net] == [1, 0, 0]


def test_private_document_leads_to_private_places_but_not_to_special_ones(net: Net):
    found = [fetch(named(box), scope="private").error for box in net]

    assert found == [None, None, "blocked"]


def test_user_may_name_any_place(net: Net):
    assert [fetch(named(box)).error for box in net] == [None, None, None]


@pytest.mark.parametrize("to", [1, 2])
@pytest.mark.parametrize("shape", [named, lambda box: box.url("/a")])
def test_redirect_from_a_public_place_is_blocked(
    net: Net, to: int, shape: Callable[[SiteBox], str]
):
    net[0].play("/out", redirect(shape(net[to])))

    response = fetch(named(net[0], "/out"))

    assert (response.error, response.url) == ("blocked", shape(net[to]))
    assert not net[to].hits


def test_redirect_through_a_public_place_is_blocked(net: Net):
    # From the private network out and in again: what comes from outside does not lead inside.
    net[1].play("/out", redirect(named(net[0], "/in")))
    net[0].play("/in", redirect(named(net[1])))

    response = fetch(named(net[1], "/out"))

    assert response.error == "blocked"
    assert net[1].paths == ["/out"]


def test_index_at_a_public_place_is_not_followed_inside(net: Net):
    children = [named(net[0]), named(net[1]), named(net[2]), net[1].url("/a")]
    net[0].put_index("/index", children)

    walk = SiteWalk([named(net[0], "/index")])
    records = [visit.record for visit in drive_in_thread(walk, quick())]

    assert {r.source: bool(r.error) for r in records[1:]} == dict(
        zip(children, [False, True, True, True], strict=True)
    )
    assert sum(r.entries for r in records) == 2
    assert not net[1].hits
    assert not net[2].hits


def test_name_that_changes_its_address_is_blocked(net: Net, names: Names):
    # DNS rebinding: public when it is named, private when it is asked again.
    names["evil.example"] = ["in turn", "127.0.0.1", "127.0.0.2"]
    port = net[0].port
    net[0].put("/once", BODY, connection="close")
    site = f"http://evil.example:{port}"

    def asked(*requests: Request) -> list[Response]:
        return list(drive_in_thread(RequestList(*requests), quick(concurrency=1, retries=0)))

    first, second = asked(Request(f"{site}/once", scope="anywhere"), Request(f"{site}/a"))
    assert (first.error, second.error) == (None, "blocked")


def test_public_site_stays_public_even_where_the_user_named_it(net: Net, names: Names):
    names["evil.example"] = ["in turn", "127.0.0.1", "127.0.0.2"]
    site = f"http://evil.example:{net[0].port}"
    net[0].put("/once", BODY, connection="close")
    requests = [Request(site + path, scope="anywhere") for path in ("/once", "/a")]

    walk = RequestList(*requests)
    first, second = drive_in_thread(walk, quick(concurrency=1, per_host=1, retries=0))

    assert (first.error, second.error) == (None, "blocked")


def test_name_with_a_public_and_a_private_address(net: Net, names: Names):
    names["both.example"] = ["127.0.0.2", "127.0.0.1"]
    port = net[0].port

    response = fetch(f"http://both.example:{port}/a", scope="public")

    assert response.error is None
    assert not net[1].hits


def test_protection_can_be_disabled(net: Net):
    policy = quick(allow_private=True)

    assert [fetch(named(box), policy, scope="public").error for box in net] == [None] * 3


def test_real_loopback_is_blocked(box: SiteBox):
    box.put("/a", BODY)

    hosts = "127.0.0.1 localhost [::ffff:127.0.0.1] 127.1 0.0.0.0 2130706433 0x7f000001".split()
    found = {host: fetch(f"http://{host}:{box.port}/a", scope="public").error for host in hosts}

    assert set(found.values()) <= {"blocked", "bad-url"}, found
    assert found["127.0.0.1"] == found["localhost"] == "blocked"
    assert not box.hits


def test_proxy_is_not_asked_for_private_places(box: SiteBox):
    # What a name means there is beyond us; an address, or this machine's name, is not.
    policy = quick(proxies={"http": box.site})
    box.otherwise = redirect("http://10.0.0.1/")

    for url in ("http://127.0.0.1/", "http://[::1]/", "http://localhost/", "http://169.254.1.1/"):
        assert fetch(url, policy, scope="public").error == "blocked"
    assert not box.hits
    assert fetch("http://example.com/", policy).error == "blocked"
    assert box.paths == ["http://example.com/"]


PRIVATE_SPELLINGS = [
    "127.0.0.1", "0x7f000001", "2130706433", "017700000001", "0177.0.0.1", "0x7f.0.0.1", "127.1",
    "127.0.1", "0x7f.1", "127.0.0.1.", "2130706433.", "0", "0x0", "0.0.0.0", "0x0a000001",
    "167772161", "192.168.257", "0xA9FEA9FE", "2852039166", "169.254.43518", "169.254.169.254.",
    "0251.0376.0251.0376", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::7f00:1]",
    "[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]", "[2002:7f00:1::]", "[fe80::1]", "[fd00::1]",
    "[::]", "１２７.０.０.１", "127。0。0。1", "①②⑦.⓪.⓪.①", "0ｘ7f000001",
    "256.256.256.256", "1.2.3.4.5",
    "0x7f.0.0.0.1", "4294967296", "localhost", "LOCALHOST.", "a.localhost", "ip6-localhost",
    "printer", "intranet.", "nas.local", "metadata.google.internal", "router.home.arpa",
]  # fmt: skip


@pytest.mark.parametrize("host", PRIVATE_SPELLINGS)
def test_private_address_in_any_spelling_is_not_handed_to_a_proxy(box: SiteBox, host: str):
    """A proxy takes them all for what they are, as ``inet_aton`` does."""
    box.otherwise = page(b"inside")

    response = fetch(
        f"http://{host}/latest/meta-data",
        quick(proxies={"http": box.site}, retries=0),
        scope="public",
    )

    assert response.error in ("blocked", "bad-url")
    assert box.paths == []


@pytest.mark.parametrize("host", PRIVATE_SPELLINGS[:12])
def test_redirect_behind_a_proxy_leads_to_no_private_address(box: SiteBox, host: str):
    box.play("http://e.com/s.xml", redirect(f"http://{host}/"))
    policy = quick(proxies={"http": box.site}, retries=0)

    response = fetch("http://e.com/s.xml", policy, scope="anywhere")

    assert response.error in ("blocked", "bad-redirect")
    assert box.paths == ["http://e.com/s.xml"]


@pytest.mark.parametrize(
    "host",
    ["8.8.8.8", "0x08080808", "e.com", "e.com.", "1.e.com", "1e100.net", "[2606::1]"],
)
def test_public_place_is_handed_to_a_proxy(box: SiteBox, host: str):
    box.otherwise = page(b"outside")
    policy = quick(proxies={"http": box.site}, retries=0)

    assert fetch(f"http://{host}/", policy, scope="public").body == b"outside"


@pytest.mark.parametrize("host", ["10.0.0.1", "0x0a000001", "intranet", "wiki.internal"])
def test_private_document_leads_to_private_places_behind_a_proxy(box: SiteBox, host: str):
    box.otherwise = page(b"inside")
    policy = quick(proxies={"http": box.site}, retries=0)

    assert fetch(f"http://{host}/", policy, scope="private").body == b"inside"


@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.sampled_from("dox"), min_size=4, max_size=4),
    st.integers(1, 4),
)
def test_literal_address_is_what_the_system_takes_it_for(number: int, bases: list[str], count: int):
    parts = [(number >> 8 * (3 - place)) & 255 for place in range(count - 1)]
    parts.append(number & ((1 << 8 * (5 - count)) - 1))
    forms = {"d": "{}", "o": "0{:o}", "x": "0x{:X}"}
    text = ".".join(forms[base].format(part) for part, base in zip(parts, bases, strict=False))

    assert literal_address(text) == socket.inet_ntoa(socket.inet_aton(text))
    assert literal_address(f"{text}.") == literal_address(text)
