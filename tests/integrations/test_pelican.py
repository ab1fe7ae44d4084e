"""The Pelican plugin, in builds of Pelican."""

from pathlib import Path

import pytest

from tests.integrations.sites import commit, entries, pelican, write_files

pytest.importorskip("pelican", reason="Pelican is not installed: pip install pelican")
pytest.importorskip("markdown", reason="Markdown is not installed: pip install markdown")

CONF = """
SITENAME = "Tea"
SITEURL = "https://example.com/blog"
AUTHOR = "Ann"
PATH = "content"
TIMEZONE = "Europe/Berlin"
DEFAULT_LANG = "en"
THEME = "simple"
FEED_ALL_ATOM = CATEGORY_FEED_ATOM = TRANSLATION_FEED_ATOM = None
AUTHOR_FEED_ATOM = AUTHOR_FEED_RSS = None
CACHE_CONTENT = False
STATIC_PATHS = []
PLUGINS = ["urlset.integrations.pelican"]
"""
FROST = 'Title: First <b> & "frost"\nDate: 2024-01-01 10:00\nSlug: frost\nLang: en\nTags: a&b\n'
PAGES = {
    "content/frost.md": f"{FROST}Modified: 2024-02-02 11:00\n\nIt came.\n",
    "content/frost-de.md": "Title: Frost\nDate: 2024-01-01\nSlug: frost\nLang: de\n\nEr kam.\n",
    "content/draft.md": "Title: Draft\nDate: 2024-01-01\nStatus: draft\n\nNot yet.\n",
    "content/pages/about.md": "Title: About\n\nUs.\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_files(tmp_path, {"pelicanconf.py": CONF, **PAGES})
    return tmp_path


def test_articles_pages_and_the_home_page_are_listed(project: Path):
    done = pelican(project, "--fatal=warnings")

    assert done.returncode == 0, done.stdout
    assert list(entries(project / "output/sitemap.xml")) == [
        "https://example.com/blog/",
        "https://example.com/blog/frost-de.html",
        "https://example.com/blog/frost.html",
        "https://example.com/blog/pages/about.html",
    ]


def test_template_pages_are_listed(project: Path):
    pages = {"shop.html": "tea/shop.html", "404.html": "404.html", "robots.txt": "robots.txt"}
    conf = f'{CONF}THEME_TEMPLATES_OVERRIDES = ["templates"]\nTEMPLATE_PAGES = {pages}\n'
    write_files(
        project,
        {
            "pelicanconf.py": conf,
            "content/shop.html": "<title>Shop</title><h1>All kinds of tea</h1>",
            "content/404.html": "<title>404</title><h1>404: page not found</h1>",
            "content/robots.txt": "User-agent: *",
        },
    )

    pelican(project)

    found = list(entries(project / "output/sitemap.xml"))
    assert "https://example.com/blog/tea/shop.html" in found
    assert not any("404" in loc or "robots" in loc for loc in found)


def test_generated_lists_are_listed_on_request(project: Path):
    write_files(project, {"pelicanconf.py": CONF + 'URLSET = {"generated": True}\n'})

    pelican(project)

    found = list(entries(project / "output/sitemap.xml"))
    assert "https://example.com/blog/tag/ab.html" in found
    assert not any("draft" in loc for loc in found)


def test_field_alternates_have_hreflang_and_the_page_itself(project: Path):
    pelican(project)

    text = (project / "output/sitemap.xml").read_text()
    assert "ref=" not in text.replace("href=", "")
    for name in ("frost.html", "frost-de.html"):
        alternates = entries(project / "output/sitemap.xml")[f"https://example.com/blog/{name}"]
        assert {each.hreflang: each.href for each in alternates.alternates} == {
            "en": "https://example.com/blog/frost.html",
            "de": "https://example.com/blog/frost-de.html",
        }


def test_field_urls_are_escaped(project: Path):
    conf = CONF + 'ARTICLE_URL = "read?a=1&s={slug}"\nARTICLE_SAVE_AS = "{slug}.html"\n'
    write_files(project, {"pelicanconf.py": conf + 'ARTICLE_LANG_URL = "read?l={lang}&s={slug}"\n'})

    pelican(project)

    found = entries(project / "output/sitemap.xml")  # well-formed
    assert "https://example.com/blog/read?a=1&s=frost" in found


def test_field_dates_are_those_of_articles(project: Path):
    pelican(project)

    dates = [entry.lastmod_text for entry in entries(project / "output/sitemap.xml").values()]
    assert dates == [None, "2024-01-01", "2024-02-02T11:00:00+01:00", None]


def test_dates_of_the_file_system_are_none(project: Path):
    write_files(
        project,
        {
            "pelicanconf.py": CONF + 'DEFAULT_DATE = "fs"\n',
            "content/frost.md": "Title: Frost\n\nIt came.\n",
        },
    )

    pelican(project)

    assert (
        entries(project / "output/sitemap.xml")["https://example.com/blog/frost.html"].lastmod
        is None
    )


def test_dates_from_git(project: Path):
    commit(project, "2025-03-04T10:00:00+01:00")

    pelican(project)

    about = entries(project / "output/sitemap.xml")["https://example.com/blog/pages/about.html"]
    assert about.lastmod_text == "2025-03-04T10:00:00+01:00"


def test_a_preview_writes_no_sitemap(project: Path):
    write_files(project, {"pelicanconf.py": CONF.replace("https://example.com/blog", "")})

    done = pelican(project, "--fatal=warnings")

    assert done.returncode == 0
    assert "SITEURL is not set" in done.stdout
    assert not (project / "output/sitemap.xml").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cache": "../elsewhere"}, "cache: expected a folder"),
        ({"lastmod": ["today"]}, "lastmod: expected given"),
        ({"exclud": []}, "did you mean 'exclude'?"),
    ],
)
def test_fatal_errors_fail_the_build(project: Path, options: dict, message: str):
    write_files(project, {"pelicanconf.py": f"{CONF}URLSET = {options}\n"})

    done = pelican(project, "--fatal=errors")

    assert done.returncode != 0
    assert message in " ".join(done.stdout.split())


def test_a_second_build_writes_the_same_bytes(project: Path):
    pelican(project)
    before = (project / "output/sitemap.xml").read_bytes()

    pelican(project)

    assert (project / "output/sitemap.xml").read_bytes() == before
