"""The sites in a box: an audit finds every planted fault, and nothing else.

They are audited with the random faults of two seeds, in `make soak` of a hundred.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from examples.box.answers import access_log
from examples.box.pages import INDEXNOW_KEY, sites
from examples.box.server import Box, RandomFaults

import urlset
from tests.amounts import amount
from tests.certificates import client_context, server_context
from tests.http_walks import quick
from urlset.checker import CATALOGUE
from urlset.http import Response, exchange
from urlset.live.visits import politeness

SEEDS = amount(2, 100)
SITES = sites()

OFF_BY_DEFAULT = (
    "hreflang-html-conflict",
    "sitemap-no-validators",
    "sitemap-ua-dependent",
    "thumbnail-size",
)

# Rules that compare pages: a page that cannot be read leaves their findings about others unknown.
COMPARE = {
    "broken-link",
    "canonical-chain",
    "canonical-to-error",
    "duplicate-content",
    "hreflang-html-conflict",
    "hreflang-html-no-return",
    "hreflang-no-return-link",
    "hreflang-target-bad",
    "lastmod-untruthful",
    "llms-txt-redirect",
    "media-unreachable",
    "not-in-sitemap",
    "orphan-url",
    "redirect-chain",
    "redirect-loop",
    "thumbnail-size",
    "url-canonicalised",
    "url-redirect",
    "url-soft-404",
    "visited-not-listed",
}
# What is left of a finding if the page that it leads to cannot be read.
WEAKER = {
    "canonical-chain": "url-canonicalised",
    "canonical-to-error": "url-canonicalised",
    "redirect-chain": "url-redirect",
    "redirect-loop": "url-redirect",
}
# Rules about the entry of a page in the sitemap, or about its section: it need not be read.
ABOUT_ENTRIES = {
    "hreflang-no-return-link",
    "lastmod-untruthful",
    "media-unreachable",
    "slow-section",
    "thumbnail-size",
}
FAILED = {"url-unknown", "url-server-error", "url-unreachable"}


def audit(box: Box, name: str, folder: Path, **options: Any) -> dict[tuple[str, str], Any]:
    """Audit a site and return its findings by rule and URL."""
    log = folder / "access.log"
    log.write_text(access_log(SITES[name]))
    known: dict[str, Any] = {
        "crawl": True,
        "logs": [str(log)],
        "extend_select": OFF_BY_DEFAULT,
        "confirm_after_s": 0.0,
        "confirm_delay_s": 0.0,
        "indexnow_key": INDEXNOW_KEY,
        "policy": quick(retries=1, read_timeout_s=5.0, total_timeout_s=10.0),
    }
    result = urlset.audit(box.origin(name), **(known | options))
    return {(f.rule, url_of(f, box.origin(name))): f for f in result.findings}


def url_of(finding: Any, origin: str) -> str:
    """Return the URL that a finding is about: of a page, a section or a sitemap."""
    section = dict(finding.parameters).get("section")
    if section is not None:
        return f"{origin}{section}"
    return str(finding.loc or finding.source)


@pytest.fixture
def trust(monkeypatch):
    """Let the client trust a certificate, and no other one."""

    def set_context(certificate: Path) -> None:
        # aiohttp makes its context when it is imported, so SSL_CERT_FILE would come too late.
        monkeypatch.setattr("aiohttp.connector._SSL_CONTEXT_VERIFIED", client_context(certificate))

    return set_context


@pytest.fixture(autouse=True)
def simulated_time(monkeypatch):
    """Take the time of a response from its header X-Seconds; never slow down.

    Without pauses a seed takes a fifth of the time.
    """
    monkeypatch.setattr(politeness, "MAX_DELAY_S", 0.0)
    monkeypatch.setattr(exchange, "KEPT_HEADERS", exchange.KEPT_HEADERS | {"x-seconds"})
    plain = Response.__new__

    def create(cls, *values, **named):
        found = plain(cls, *values, **named)
        seconds = found.headers.get("x-seconds")
        if seconds is None or found.first_byte_s == float(seconds):
            return found
        return found._replace(first_byte_s=float(seconds), seconds=float(seconds))

    monkeypatch.setattr(Response, "__new__", create)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """A certificate that the client of the tests trusts, its file, and one that nobody trusts."""
    folder = tmp_path_factory.mktemp("certificates")
    trusted, file = server_context(folder, "trusted")
    untrusted, _ = server_context(folder, "untrusted")
    return trusted, file, untrusted


@pytest.mark.parametrize("name", SITES)
def test_audit_finds_every_planted_fault_and_nothing_else(name, tmp_path, certificates, trust):
    tls, file, untrusted = certificates
    trust(file)
    with Box(tls=tls, untrusted=untrusted) as box:
        found = set(audit(box, name, tmp_path))
        expected = box.expected(name)

    assert sorted(expected - found) == [], "not found"
    assert sorted(found - expected) == [], "found, but not planted"


def test_every_live_rule_is_planted_twice_and_has_a_decoy():
    planted = Counter(rule for site in SITES.values() for rule, _ in site.expected)
    silent = {rule for site in SITES.values() for rule in site.silent}
    rules = {rule.name for rule in CATALOGUE.values() if rule.is_live}
    # Two audits show it: test_a_sitemap_that_becomes_short_is_noticed, with its decoy.
    rules -= {"url-count-drop"}

    assert len(rules) > 30
    assert {rule for rule in rules if planted[rule] < 2} == set()
    assert rules - silent == set(), "without a decoy"


@pytest.mark.parametrize(
    ("name", "kept", "expected"), [("shop", 2, True), ("office", 1, True), ("shop", 3, False)]
)
def test_a_sitemap_that_becomes_short_is_noticed(name, kept, expected, tmp_path):
    limits = {"store": tmp_path / "site.duckdb", "crawl": False, "max_requests": 1}
    with Box() as box:
        audit(box, name, tmp_path, **limits)
        site = box.sites[name]
        sitemaps = {
            path: replace(sitemap, in_index=number < kept)
            for number, (path, sitemap) in enumerate(site.sitemaps.items())
        }
        box.sites[name] = replace(site, sitemaps=sitemaps)
        found = audit(box, name, tmp_path, **limits)

    assert expected == any(rule == "url-count-drop" for rule, _ in found)


@pytest.mark.parametrize("name", ["shop", "office"])
@pytest.mark.soak
@pytest.mark.parametrize("seed", range(SEEDS))
def test_under_random_faults_no_finding_is_false(seed, name, tmp_path):
    with Box(faults=RandomFaults(seed)) as box:
        policy = quick(retries=1, read_timeout_s=0.3, concurrency=32, per_host=32)
        findings = audit(box, name, tmp_path, policy=policy)
        expected, affected = box.expected(name), box.affected(name)
        listed = {
            box.origin(name) + page.path for page in SITES[name].pages.values() if page.listed
        }

    found = set(findings)
    unaffected = {(rule, url) for rule, url in found if url not in affected}
    # A page that fails at both visits is a bad target of other pages.
    known = expected | {(WEAKER[rule], url) for rule, url in expected if rule in WEAKER}
    # Pages that failed may link to it: the finding says so by its basis.
    unsure = {
        pair for pair in found if pair[0] == "orphan-url" and findings[pair].basis == "unknown"
    }
    false = {pair for pair in unaffected - known - unsure if not names(findings[pair], affected)}
    assert sorted(false) == [], f"seed {seed}: false"
    # A link of the llms.txt is dead if its page failed at both visits.
    readable = FAILED | ABOUT_ENTRIES | {"llms-txt-dead-link"}
    judged = {
        pair
        for pair in found
        if pair[1] in affected
        and pair[0] not in readable
        # An entry of a sitemap names alternates, too: its page need not be read.
        and not names(findings[pair], affected - {pair[1]})
    }
    assert judged == set(), f"seed {seed}: judged unread"
    unknown = {url for rule, url in found if rule in FAILED}
    assert sorted(affected & listed - unknown) == [], f"seed {seed}: neither read nor reported"
    certain = {(rule, url) for rule, url in expected if rule not in COMPARE and url not in affected}
    assert sorted(certain - found) == [], f"seed {seed}: not found"


def names(finding: Any, urls: set[str]) -> bool:
    """Return whether a finding is about one of these URLs as the target of a page."""
    is_about_target = finding.rule in {"hreflang-target-bad", "canonical-to-error"}
    return is_about_target and any(value in urls for _, value in finding.parameters)
