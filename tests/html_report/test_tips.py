"""Tips of bars: they have the words of the legend, not the names of classes."""

import re

from urlset.html_report.charts import FunnelStep, Segment, StackedRow, bars, funnel, stacked_bars

LABELS = [("fine", "answered 200"), ("not-indexable", "disallowed by robots.txt")]


def tips(chart: str) -> list[str]:
    return [text.replace("\u202f", " ") for text in re.findall("<title>(.*?)</title>", chart)]


def test_a_segment_has_the_label_of_the_legend():
    row = StackedRow("/tea/", [Segment("fine", 3), Segment("not-indexable", 1)], "4")

    drawn = stacked_bars([row], LABELS)

    assert tips(drawn) == ["answered 200: 3 (75.0 %)", "disallowed by robots.txt: 1 (25.0 %)"]
    assert [drawn.count(f"</svg>{label}</li>") for _, label in LABELS] == [1, 1]


def test_a_share_has_no_number():
    row = StackedRow("/tea/", [Segment("part", 0.123456), Segment("plain", 0.876544)], "")

    assert tips(stacked_bars([row], [("part", "changes"), ("plain", "does not")])) == [
        "changes: 12.3 %",
        "does not: 87.7 %",
    ]


def test_other_bars_have_their_own_label():
    assert tips(bars([("2026", 4), ("2025", 1)], "part")) == ["2026: 4 (100 %)", "2025: 1 (25.0 %)"]
    assert tips(funnel([FunnelStep("listed", 4), FunnelStep("fine", 3)])) == [
        "listed: 4 (100 %)",
        "fine: 3 (75.0 %)",
    ]
