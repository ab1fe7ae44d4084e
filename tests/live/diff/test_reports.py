"""Markdown and HTML of a comparison: what they show, and hostile URLs in them."""

from __future__ import annotations

import re
from html import unescape

import urlset
from urlset import Entry
from urlset.live.diff.text import MARKER

SITE = "https://example.com"
HOSTILE = [
    f"{SITE}/x/</details><script>alert(1)</script>",
    f"{SITE}/x/`code`|table|@everyone",
    f"{SITE}/x/![image](https://evil.example/a.png)",
    f"{SITE}/x/\x1b[2J\u202egpj.exe",
    f"{SITE}/x/{'a' * 3000}",
]


def hostile_diff() -> urlset.Diff:
    return urlset.diff([Entry(f"{SITE}/")], [Entry(f"{SITE}/"), *map(Entry, HOSTILE)])


def test_markdown_has_counts_sections_moves_and_examples():
    before = [Entry(f"{SITE}/blog/{year}/sour-bread-{n}") for n in range(6) for year in (2025,)]
    after = [Entry(f"{SITE}/articles/sour-bread-{n}") for n in range(6)] + [Entry(f"{SITE}/new/x")]
    with urlset.diff(before, after) as found:
        text = found.to_markdown(max_examples=2)

    lines = text.splitlines()
    assert lines[0] == MARKER
    assert lines[1] == "**Sitemap: 1 added, 0 removed, 0 changed**, 6 moved; 0 unchanged."
    assert "- 6 URLs moved from `/blog/YYYY/` to `/articles/`" in lines
    assert "<summary>Moved: 2 of 6</summary>" in lines
    assert "| `/articles/` | 0 | 6 | 0 | 6 |" in lines


def test_urls_in_markdown_are_code():
    with hostile_diff() as found:
        text = found.to_markdown()

    assert "\x1b" not in text
    assert "\u202e" not in text
    examples = [line for line in text.splitlines() if line.startswith("- ")]
    assert len(examples) == len(HOSTILE)
    for line in examples:
        fence = line[2 : len(line) - len(line[2:].lstrip("`"))]
        assert line.endswith(fence)
        assert fence not in line[2 + len(fence) : -len(fence)].strip(" ")
        assert "|" not in line
        assert len(line) < 300


def test_markdown_fits_a_comment():
    added = [Entry(f"{SITE}/x/{'é' * 180}{n}") for n in range(3000)]
    with urlset.diff([Entry(f"{SITE}/")], added) as found:
        text = found.to_markdown(max_examples=3000)

    assert len(text.encode()) < 65_536
    assert text.endswith("… shortened\n")
    assert text.count("<details>") == text.count("</details>")


def test_html_report_shows_urls_as_text(tmp_path):
    with hostile_diff() as found:
        found.report(tmp_path / "diff.html")
        shown = found._repr_html_()

    text = (tmp_path / "diff.html").read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "<script>alert" not in shown
    assert "\x1b" not in text
    assert "Added URLs" in text
    assert "5 added, 0 removed, 0 changed; 1 unchanged." in text


def test_html_report_names_the_first_url_of_each_change(tmp_path):
    with urlset.diff([Entry(f"{SITE}/a")], [Entry(f"{SITE}/b-1")]) as found:
        found.report(tmp_path / "diff.html")

    text = (tmp_path / "diff.html").read_text(encoding="utf-8")
    such = re.findall(r'<span class="such">(.*?)</span>', text)
    assert [unescape(re.sub("<[^>]*>", "", first)) for first in such] == [
        f"{SITE}/a: removed",
        f"{SITE}/b-1: added",
    ]
