"""Real sitemaps, checked: how many findings there are of each rule, and in how many files.

The files lie in the folder `shared` beside the checkout, most from sites of their own, so rules
that compare documents are left out, and those of robots.txt. Of every error some findings were
looked at, not each one; what changes here is a false alarm or a better rule. It is written by

    URLSET_GOLDEN=1 pytest tests/checker/test_corpus.py
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path

from urlset.checker import CATALOGUE, LEVELS, check

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "checker" / "corpus-check.txt"
PAGE = ROOT / "docs" / "checking.md"
MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)
SITEMAPS = ("urlset", "sitemapindex", "text")
BESIDE = [code for code in CATALOGUE if code[0] == "R" or int(code[1:]) > 500]
"""What needs the other documents of a site."""
ORIGIN = re.compile(rb"https?://(?!www\.(?:w3|sitemaps|google)\.)[^/<\s\"]+")
OUTER = re.compile(r"^(public|static|docs|web/static|wwwroot|content|src|web|dist)/")


def summary(folder):
    """Count findings and files of every rule: in well-formed sitemaps, and in all files."""
    rows = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    every = {row["file"] for row in rows if row["kind"] != "robots"}
    sound = {row["file"] for row in rows if row["kind"] in SITEMAPS and not row["expat_error"]}
    documents = {name: (folder / name).read_bytes() for name in sorted(every)}  # of no place
    found = list(check(documents, ignore=BESIDE, now=MOMENT, max_excerpts=0))
    parts = (("well-formed sitemaps", sound), ("all files", every))
    return "\n".join(reported(title, found, names) for title, names in parts)


def reported(title, found, names):
    counts: Counter[tuple[str, str]] = Counter()
    files: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    by_level: defaultdict[str, set[str]] = defaultdict(set)
    for finding in found:
        if finding.source in names:
            key = (finding.code, finding.level)
            counts[key] += 1
            files[key].add(finding.source)
            by_level[finding.level].add(finding.source)
    lines = [f"{title}: {len(names)}"]
    lines += [f"with {level}: {len(by_level[level])}" for level in LEVELS]
    lines += [
        f"{code} {CATALOGUE[code].name:<30} {level:<8} {number:>5} in {len(files[code, level]):>3}"
        for (code, level), number in sorted(counts.items())
    ]
    return "\n".join(lines) + "\n"


def test_findings_in_real_sitemaps_are_those_that_are_known(shared):
    now = summary(shared / "corpus")
    if os.environ.get("URLSET_GOLDEN") == "1":
        GOLDEN.write_text(now)
    assert now.splitlines() == GOLDEN.read_text().splitlines()


def as_sites(folder):
    """All files by the URL at which each may lie: on the host that its repository names most."""
    rows = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    hosts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if row["kind"] not in ("robots", "other"):
            data = (folder / row["file"]).read_bytes()
            origins = (origin.decode("latin-1").lower() for origin in ORIGIN.findall(data))
            hosts[row["repo"]].update(origins)
    return {
        f"{hosts[row['repo']].most_common(1)[0][0]}/{OUTER.sub('', row['path'])}": (
            folder / row["file"]
        ).read_bytes()
        for row in rows
        if hosts[row["repo"]]
    }


def test_every_rule_can_be_put_to_real_sites(shared):
    """With robots.txt and indexes; what is found there is not looked at."""
    assert list(check(as_sites(shared / "corpus"), now=MOMENT, max_excerpts=0))


def section():
    return PAGE.read_text().partition("\n## Real sitemaps\n")[2].partition("\n## ")[0]


def test_the_page_has_the_figures_of_the_golden_summary():
    part = GOLDEN.read_text().partition("\n\n")[0]
    expected = re.findall(r"^(\w+) \S+ +error +(\d+) in +(\d+)$", part, re.M)
    shown = re.findall(r"^\| (\w+) \S+ \| (\d+) \| (\d+) \|", section(), re.M)
    assert sorted(shown) == expected
    for number in re.findall(r": (\d+)$", part, re.M):
        assert re.search(rf"\b{number}\b", section())
