"""The MkDocs plugin, in builds of MkDocs."""

from pathlib import Path

import pytest

from tests.integrations.sites import commit, entries, mkdocs, write_files

pytest.importorskip("mkdocs", reason="MkDocs is not installed: pip install mkdocs")

CONFIG = "site_name: Tea\nsite_url: https://example.com/docs/\nplugins: [urlset]\n"
PAGES = {
    "docs/index.md": "# Tea\n\nOf many kinds.\n",
    "docs/oolong.md": "---\nupdated: 2024-02-03\n---\n# Oolong\n\nHalf black.\n",
    "docs/green/index.md": "# Green\n\nNot black.\n",
}


def config_with(options: str) -> str:
    """Return a configuration whose plugin has options, as YAML in flow style."""
    return CONFIG.replace("[urlset]", f"[{{urlset: {{{options}}}}}]")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_files(tmp_path, {"mkdocs.yml": CONFIG, **PAGES})
    return tmp_path


def test_urls_are_those_of_mkdocs(project: Path):
    done = mkdocs(project, "--strict")

    assert done.returncode == 0, done.stdout
    assert list(entries(project / "site/sitemap.xml")) == [
        "https://example.com/docs/",
        "https://example.com/docs/green/",
        "https://example.com/docs/oolong/",
    ]


def test_urls_without_directory_urls(project: Path):
    write_files(project, {"mkdocs.yml": CONFIG + "use_directory_urls: false\n"})

    mkdocs(project)

    assert list(entries(project / "site/sitemap.xml")) == [
        "https://example.com/docs/green/index.html",
        "https://example.com/docs/index.html",
        "https://example.com/docs/oolong.html",
    ]


def test_field_no_page_has_the_date_of_the_build(project: Path):
    mkdocs(project)

    dates = {
        loc: entry.lastmod_text for loc, entry in entries(project / "site/sitemap.xml").items()
    }
    assert dates == {
        "https://example.com/docs/": None,
        "https://example.com/docs/green/": None,
        "https://example.com/docs/oolong/": "2024-02-03",
    }


def test_dates_from_git(project: Path):
    commit(project, "2025-03-04T10:00:00+01:00")
    write_files(project, {"docs/green/index.md": "# Green\n\nChanged, and not committed.\n"})

    mkdocs(project)

    dates = {
        loc: entry.lastmod_text for loc, entry in entries(project / "site/sitemap.xml").items()
    }
    assert dates == {
        "https://example.com/docs/": "2025-03-04T10:00:00+01:00",
        "https://example.com/docs/green/": None,
        "https://example.com/docs/oolong/": "2024-02-03",
    }


def test_field_pages_can_be_excluded(project: Path):
    write_files(project, {"mkdocs.yml": config_with('exclude: ["green/*"]')})

    mkdocs(project)

    assert "https://example.com/docs/green/" not in entries(project / "site/sitemap.xml")


def test_a_second_build_writes_the_same_bytes(project: Path):
    mkdocs(project)
    before = (project / "site/sitemap.xml").read_bytes()

    done = mkdocs(project)

    assert (project / "site/sitemap.xml").read_bytes() == before
    assert "0 added, 0 changed, 0 removed" in done.stdout


def test_no_built_in_sitemap_remains(project: Path):
    done = mkdocs(project)

    assert not (project / "site/sitemap.xml.gz").exists()
    assert "sitemap.xml.gz of MkDocs is removed: `gzip: true` writes it" in done.stdout
    assert b"urlset build" in (project / "site/sitemap.xml").read_bytes()


def test_nothing_is_written_without_site_url(project: Path):
    write_files(project, {"mkdocs.yml": "site_name: Tea\nplugins: [urlset]\n"})

    done = mkdocs(project, "--strict")

    assert done.returncode == 1
    assert "site_url is not set in mkdocs.yml" in done.stdout


def test_strict_mode_fails_if_a_gate_fails(project: Path):
    mkdocs(project)
    for name in ("oolong.md", "green/index.md"):
        (project / "docs" / name).unlink()

    lenient, strict = mkdocs(project), mkdocs(project, "--strict")

    assert (lenient.returncode, strict.returncode) == (0, 1)
    assert "expected at least 50 % of the 3 URLs" in strict.stdout
    assert not (project / "site/sitemap.xml").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("cache: ../elsewhere", "cache: expected a folder in "),
        ("cache: /tmp", "cache: expected a folder in "),
        ("cache: site/cache", "cache: expected a folder that is not served"),
        ("cache: link", "cache: expected a folder in "),
    ],
)
def test_the_ledger_cannot_leave_the_project(project: Path, options: str, message: str):
    elsewhere = project.with_name(f"{project.name}-elsewhere")
    elsewhere.mkdir()
    (project / "link").symlink_to(elsewhere)
    write_files(project, {"mkdocs.yml": config_with(options)})

    done = mkdocs(project, "--strict")

    assert done.returncode == 1
    assert message in done.stdout
    assert not list(elsewhere.iterdir())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("lastmod: [today]", "lastmod: expected given, page, git, content, found today"),
        ("exclude: [1]", "exclude: expected a list of texts, found [1]"),
        ("languages: {en: [1]}", "languages: expected a folder or a base URL"),
        ("force: [all]", "force: expected zero, shrunk"),
    ],
)
def test_options_are_checked(project: Path, options: str, message: str):
    write_files(project, {"mkdocs.yml": config_with(options)})

    done = mkdocs(project)

    assert done.returncode == 1
    assert message in done.stdout


def test_hostile_titles_and_names(project: Path):
    title = '# "><script>alert(1)</script> ]]> &amp; \x1b[31m\n'
    write_files(project, {"docs/a b%20&c;#?.md": title, "docs/été.md": title})

    mkdocs(project)

    assert list(entries(project / "site/sitemap.xml"))[1:3] == [
        "https://example.com/docs/%C3%A9t%C3%A9/",
        "https://example.com/docs/a%20b%2520%26c%3B%23%3F/",
    ]


def test_pages_that_forbid_their_listing_are_excluded(project: Path):
    theme = {
        "theme/main.html": '{% extends "base.html" %}{% block extrahead %}'
        '{% if page and page.meta.hidden %}<meta name="robots" content="noindex">{% endif %}'
        "{% endblock %}"
    }
    write_files(
        project,
        {
            **theme,
            "mkdocs.yml": CONFIG + "theme: {name: mkdocs, custom_dir: theme}\n",
            "docs/secret.md": "---\nhidden: true\n---\n# Secret\n",
        },
    )

    done = mkdocs(project)

    assert "https://example.com/docs/secret/" not in entries(project / "site/sitemap.xml")
    assert "1 excluded: noindex" in done.stdout


def test_languages_are_alternates(project: Path):
    write_files(
        project,
        {
            "mkdocs.yml": config_with("languages: {en: '', de: de/, x-default: ''}"),
            "docs/de/oolong.md": "# Oolong\n\nHalb schwarz.\n",
        },
    )

    mkdocs(project)

    found = entries(project / "site/sitemap.xml")
    pairs = [
        ("en", "https://example.com/docs/oolong/"),
        ("de", "https://example.com/docs/de/oolong/"),
        ("x-default", "https://example.com/docs/oolong/"),
    ]
    for name in ("oolong/", "de/oolong/"):
        alternates = found[f"https://example.com/docs/{name}"].alternates
        assert [(each.hreflang, each.href) for each in alternates] == pairs
    assert found["https://example.com/docs/green/"].alternates == ()


I18N = """
# What mkdocs-static-i18n 1.3 adds to the files: their language, and the files of all languages.
def on_env(env, config, files):
    pages = {file.dest_uri: file for file in files.documentation_pages()}
    for name, file in pages.items():
        file.locale = "de" if name.startswith("de/") and "green" not in name else "en"
        rest = name.removeprefix("de/")
        file.alternates = {"en": pages[rest], "de": pages.get(f"de/{rest}", pages[rest])}
"""


@pytest.mark.slow
@pytest.mark.parametrize("languages", ["", 'languages: {fr: "", nl: de}'])
def test_translations_of_mkdocs_static_i18n_are_alternates(project: Path, languages: str):
    config = f"{config_with(languages)}hooks: [i18n.py]\n"
    german = {name.replace("docs/", "docs/de/"): text for name, text in PAGES.items()}
    del german["docs/de/oolong.md"]
    write_files(project, {"mkdocs.yml": config, "i18n.py": I18N, **german})

    mkdocs(project)

    base = "https://example.com/docs/"
    found = {
        loc.removeprefix(base): [(a.hreflang, a.href.removeprefix(base)) for a in entry.alternates]
        for loc, entry in entries(project / "site/sitemap.xml").items()
    }
    if languages:  # the option decides
        assert found["green/"] == [("fr", "green/"), ("nl", "de/green/")]
        return
    both = [("en", ""), ("de", "de/")]
    # A page in the default language, as those of the folder de that are not translated, is alone.
    alone: list[tuple[str, str]] = []
    assert found == {
        "": both,
        "de/": both,
        "green/": alone,
        "de/green/": alone,
        "oolong/": alone,
    }


@pytest.mark.slow
def test_a_date_that_is_none_is_reported(project: Path):
    write_files(
        project,
        {
            "docs/oolong.md": "---\nupdated: 31/01/2026\n---\n# Oolong\n",
            "docs/sencha.md": "---\nlastmod: 20260131\ndate: {updated: 2024-02-03}\n---\nTea\n",
            "docs/mate.md": "---\nupdated:\ndate: {created: 2024-02-03}\n---\n# Mate\n",
        },
    )

    done = mkdocs(project, "--strict")

    assert done.returncode == 0, done.stdout
    note = "2 pages with a date in front matter that is not used, because it is none, or not "
    assert f"{note}plausible, first: '31/01/2026' (oolong/index.html)" in done.stdout
    dates = {
        loc.split("/")[-2]: entry.lastmod_text
        for loc, entry in entries(project / "site/sitemap.xml").items()
    }
    assert (dates["oolong"], dates["sencha"], dates["mate"]) == (None, "2024-02-03", "2024-02-03")
