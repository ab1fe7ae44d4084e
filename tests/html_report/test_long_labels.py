"""Charts cut long labels; the whole label is in a tooltip."""

import pytest

from urlset.html_report.charts import (
    Block,
    Cell,
    Range,
    Segment,
    StackedRow,
    bars,
    diverging_bars,
    icicle,
    matrix,
    ranges,
    stacked_bars,
)

LONG = "https://shop.example.com/products/a-very-long-section/and-its-folder/<b>/"
SHOWN = "https://shop.example.com/products/a-very-long-section/and-its-folder/&lt;b&gt;/"


@pytest.mark.parametrize(
    "draw",
    [
        lambda name: bars([(name, 3)], "error"),
        lambda name: stacked_bars([StackedRow(name, [Segment("fine", 3)], "3")], [("fine", "ok")]),
        lambda name: diverging_bars([(name, 1, 2, "3")]),
        lambda name: ranges([Range(name, 0, 1, "1")], [(0, "0")], most=1),
        lambda name: matrix([name], {(name, name): Cell(1, 2)}),
    ],
    ids=["bars", "stacked", "diverging", "ranges", "matrix"],
)
def test_a_label_that_may_be_cut_has_a_tooltip(draw):
    assert f' title="{SHOWN}"' in draw(LONG)
    assert ' title="/a/"' not in draw("/a/")


def test_a_block_of_an_icicle_names_its_whole_label():
    assert f"<title>{SHOWN}: 1 of 10" in icicle([Block(LONG, 10, 1)])
