"""The Sphinx extension, in builds of Sphinx."""

from pathlib import Path

import pytest

from tests.integrations.sites import commit, entries, sphinx, write_files

pytest.importorskip("sphinx", reason="Sphinx is not installed: pip install sphinx")

CONF = """
project = "Tea"
extensions = ["urlset.integrations.sphinx"]
html_baseurl = "https://docs.example.com/projen"
"""
PAGES = {
    "index.rst": "Tea\n===\n\n.. toctree::\n\n   oolong\n   green/index\n",
    "oolong.rst": ":lastmod: 2024-02-03\n\nOolong\n======\n\nHalf black.\n",
    "green/index.rst": "Green\n=====\n\nNot black. :index:`leaf`\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_files(tmp_path, {"conf.py": CONF, **PAGES})
    return tmp_path


def test_field_the_base_url_is_joined_with_a_slash(project: Path):
    sphinx(project)

    assert list(entries(project / "out/sitemap.xml")) == [
        "https://docs.example.com/projen/green/index.html",
        "https://docs.example.com/projen/index.html",
        "https://docs.example.com/projen/oolong.html",
    ]


def test_field_genindex_and_search_are_not_listed(project: Path):
    done = sphinx(project)

    assert (project / "out/genindex.html").exists()
    assert (project / "out/search.html").exists()
    assert not any(
        "genindex" in loc or "search" in loc for loc in entries(project / "out/sitemap.xml")
    )
    assert "2 excluded: generated page" in done.stdout


@pytest.mark.parametrize("builder", ["html", "dirhtml"])
def test_pages_of_templates_are_listed(builder: str, project: Path):
    """Python's documentation makes its home page so; others make an error page."""
    pages = {"home": "home.html", "404": "404.html"}
    conf = f"{CONF}html_additional_pages = {pages}\ntemplates_path = ['templates']\n"
    template = "{% extends 'layout.html' %}{% block body %}<h1>TITLE</h1>{% endblock %}"
    write_files(
        project,
        {
            "conf.py": conf,
            "templates/home.html": template.replace("TITLE", "Welcome"),
            "templates/404.html": template.replace("TITLE", "404: page not found"),
        },
    )

    sphinx(project, builder=builder)

    base = "https://docs.example.com/projen/"
    found = list(entries(project / "out/sitemap.xml"))
    assert base + ("home/" if builder == "dirhtml" else "home.html") in found
    assert not any("404" in loc for loc in found)
    assert len(found) == 4


def test_field_no_language_is_put_into_the_urls(project: Path):
    sphinx(project, "-D", "language=de", "-D", "version=2.0")

    assert "https://docs.example.com/projen/index.html" in entries(project / "out/sitemap.xml")


def test_field_the_page_itself_is_among_its_alternates(project: Path):
    languages = {code: f"https://docs.example.com/{code}/" for code in ("en", "de")}
    conf = CONF.replace("/projen", "/en") + f"urlset_languages = {languages}\n"
    write_files(project, {"conf.py": conf})

    sphinx(project)

    found = entries(project / "out/sitemap.xml")["https://docs.example.com/en/oolong.html"]
    assert [(each.hreflang, each.href) for each in found.alternates] == [
        ("en", "https://docs.example.com/en/oolong.html"),
        ("de", "https://docs.example.com/de/oolong.html"),
    ]


def test_urls_of_folders(project: Path):
    write_files(project, {"black tea%.rst": ":orphan:\n\nBlack\n=====\n"})

    sphinx(project, builder="dirhtml")

    assert list(entries(project / "out/sitemap.xml")) == [
        "https://docs.example.com/projen/",
        "https://docs.example.com/projen/black%20tea%25/",
        "https://docs.example.com/projen/green/",
        "https://docs.example.com/projen/oolong/",
    ]


def test_dates_are_those_of_metadata_and_git(project: Path):
    commit(project, "2025-03-04T10:00:00+01:00")
    with (project / "conf.py").open("a") as conf:
        conf.write('html_last_updated_fmt = "%Y-%m-%d"\n')  # the date of the build

    sphinx(project)

    dates = [entry.lastmod_text for entry in entries(project / "out/sitemap.xml").values()]
    assert dates == ["2025-03-04T10:00:00+01:00", "2025-03-04T10:00:00+01:00", "2024-02-03"]


def test_noindex_is_obeyed_and_patterns_exclude(project: Path):
    meta = ".. meta::\n   :robots: noindex\n"
    write_files(project, {"green/index.rst": f"{PAGES['green/index.rst']}\n{meta}"})

    sphinx(project, "-D", "urlset_exclude=oolong*")

    assert list(entries(project / "out/sitemap.xml")) == [
        "https://docs.example.com/projen/index.html"
    ]


def test_a_removed_document_is_not_listed(project: Path):
    sphinx(project)
    (project / "oolong.rst").unlink()

    sphinx(project)

    assert (project / "out/oolong.html").exists()  # Sphinx leaves it
    assert len(entries(project / "out/sitemap.xml")) == 2


def test_warnings_as_errors_fail_the_build(project: Path):
    write_files(project, {"conf.py": CONF.replace("html_baseurl", "ignored")})

    done = sphinx(project, "-W")

    assert done.returncode != 0
    assert "html_baseurl is not set in conf.py" in done.stdout


def test_options_are_checked(project: Path):
    write_files(project, {"conf.py": CONF + 'urlset_lastmod = ["today"]\n'})

    done = sphinx(project)

    assert done.returncode != 0
    assert "urlset_lastmod: expected given, page, git, content, found today" in done.stdout


def test_other_builders_write_no_sitemap(project: Path):
    sphinx(project, builder="text")

    assert not (project / "out/sitemap.xml").exists()


def test_a_second_build_writes_nothing(project: Path):
    sphinx(project)
    before = (project / "out/sitemap.xml").stat()

    done = sphinx(project)

    assert (project / "out/sitemap.xml").stat().st_mtime_ns == before.st_mtime_ns
    assert "0 added, 0 changed, 0 removed" in done.stdout


@pytest.mark.slow
def test_a_date_that_is_none_is_reported(project: Path):
    write_files(project, {"oolong.rst": ":lastmod: 31 January\n\nOolong\n======\n"})

    done = sphinx(project)

    note = "1 page with a date in front matter that is not used, because it is none, or not "
    assert f"{note}plausible, first: '31 January' (oolong.html)" in done.stdout
