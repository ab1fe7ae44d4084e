"""Extensions of several sources, each with others, are published together."""

import json
from typing import Any

import urlset

BASE = "https://example.com/"
IMAGES = [{"loc": f"{BASE}a.jpg"}]
NEWS = {"name": "N", "language": "en", "publication_date": "2026-01-31", "title": "Tea"}
VIDEO = {
    "thumbnail_loc": f"{BASE}a.jpg", "title": "Tea", "description": "Tea", "player_loc": f"{BASE}v"
}  # fmt: skip
SOURCES: list[list[dict[str, Any]]] = [
    [{"loc": "/0"}],
    [{"loc": "/1", "images": IMAGES}],
    [{"loc": "/2", "videos": [VIDEO], "images": IMAGES}, {"loc": "/3"}],
    [{"loc": "/4", "news": NEWS}, {"loc": "/5", "alternates": [{"hreflang": "de", "href": "/"}]}],
]
SITEMAP = b"""<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:a="https://a.example/">
<url><loc>https://example.com/6</loc><a:b>1</a:b></url></urlset>"""


def facts(entry: urlset.Entry) -> tuple[str, int, int, bool, int, bool]:
    return (
        entry.loc.removeprefix(BASE), len(entry.images), len(entry.videos), entry.news is not None,
        len(entry.alternates), entry.extra is not None,
    )  # fmt: skip


def test_each_row_has_the_extensions_of_its_source(tmp_path, engine):
    sources = [tmp_path / f"{number}.jsonl" for number in range(len(SOURCES))]
    for path, rows in zip(sources, SOURCES, strict=True):
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (tmp_path / "a.xml").write_bytes(SITEMAP)
    sources.append(tmp_path / "a.xml")
    for _ in range(2):  # the second time, the ledger has the rows
        built = urlset.build(
            sources, tmp_path / "out", base_url=BASE, ledger=tmp_path / "a", engine=engine.name
        )

        entries = urlset.read(str(tmp_path / "out" / built.files[0].name))
        assert [facts(entry) for entry in entries] == [
            ("0", 0, 0, False, 0, False),
            ("1", 1, 0, False, 0, False),
            ("2", 1, 1, False, 0, False),
            ("3", 0, 0, False, 0, False),
            ("4", 0, 0, True, 0, False),
            ("5", 0, 0, False, 1, False),
            ("6", 0, 0, False, 0, True),
        ]
    assert (built.added, built.changed, built.removed) == (0, 0, 0)
