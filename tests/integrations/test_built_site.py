"""The pages of a host of any kind, as an adapter passes them."""

from pathlib import Path

import pytest

import urlset
from urlset.integrations.built_site import BuiltSite, HostPage, PluginOptions, build_site


def pages_of(site: BuiltSite, names: list[str]) -> list[HostPage]:
    """Return pages of a site, and write their files."""
    for name in names:
        Path(site.output, name).write_text(f"<title>Page {name}</title><p>Text of {name}.")
    return [HostPage(name, f"{site.base_url}{name}") for name in names]


@pytest.fixture
def site(tmp_path: Path) -> BuiltSite:
    (tmp_path / "out").mkdir()
    return BuiltSite(
        "mkdocs",
        output=str(tmp_path / "out"),
        base_url="https://example.com/",
        project=str(tmp_path),
        content=str(tmp_path),
    )


def test_messages_name_the_options_of_the_plugin(site: BuiltSite):
    pages_of(site, ["tea.html"])
    pages = [HostPage("tea.html", "https://shop.example.org/tea.html")]

    with pytest.raises(urlset.GateError) as caught:
        build_site(site, pages, PluginOptions.of({}))

    assert "allow the host with allowed_hosts of urlset.build; nothing" in str(caught.value)
    assert str(caught.value).endswith("If this is intended: force: ['hosts']")


def test_pages_without_a_file_are_reported(site: BuiltSite):
    pages = pages_of(site, ["tea.html", "mate.html", "cocoa.html"])
    Path(site.output, "tea.html").unlink()
    Path(site.output, "mate.html").unlink()

    made = build_site(site, pages, PluginOptions.of({}))

    assert made.urls == 1
    assert "2 pages of mkdocs have no HTML file in the output (mate.html, tea.html)" in made.notes
