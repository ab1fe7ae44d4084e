"""No page and no workflow installs the name urlset before it is registered."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "action.yml", *sorted((ROOT / "docs").glob("*.md"))]
BARE = re.compile(r"pipx?\s+install\s+(?:--?[\w-]+\s+)*[\"']?urlset(?![\w/\[-])")

spec = importlib.util.spec_from_file_location("installation", ROOT / "docs" / "installation.py")
assert spec is not None
assert spec.loader is not None
installation = importlib.util.module_from_spec(spec)
spec.loader.exec_module(installation)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_no_page_installs_a_name_that_is_not_registered(path):
    found = BARE.findall(path.read_text(encoding="utf-8"))

    assert installation.IS_RELEASED or not found


def test_pages_switch_in_one_place(monkeypatch):
    page = "`pip install . django`\n  - run: pipx install .\n    - pip install --quiet urlset\n"
    before = installation.with_installation("watching.md", page)
    monkeypatch.setattr(installation, "IS_RELEASED", True)

    assert before.count('"git+$URLSET_REPOSITORY"') == 3
    for name in ("watching.md", "django.md"):
        after = installation.with_installation(name, before)
        assert after.count("install urlset") == 2
        assert "install --quiet urlset" in after


@pytest.mark.parametrize("name", ["../README.md", "index.md"])
def test_section_of_installation_begins_with_uvx_after_the_release(name, monkeypatch):
    page = (ROOT / "docs" / name).resolve().read_text(encoding="utf-8")
    assert installation.with_installation(name, page) == page, "run `make docs`"
    monkeypatch.setattr(installation, "IS_RELEASED", False)
    before = installation.with_installation(name, page)
    monkeypatch.setattr(installation, "IS_RELEASED", True)
    after = installation.with_installation(name, before)

    assert "uvx urlset " not in before
    assert re.findall(r"pip install [^\s`]+", before)[0] == "pip install ."
    commands = re.findall(r"^(?:uvx|pip) .*?(?=  |$)", after, re.MULTILINE)
    assert commands == ["uvx urlset check https://example.com", "pip install urlset"]
    assert "pip install '.[" not in after
    outside = re.compile(r"<!-- installation -->.*<!-- /installation -->", re.DOTALL)
    assert outside.sub("", before) == outside.sub("", after)
    monkeypatch.setattr(installation, "IS_RELEASED", False)
    assert installation.with_installation(name, after) == before


def test_extras_and_other_packages_stay():
    page = "`pip install 'urlset[cloud]'` pip install ./tea.whl pip install -r requirements.txt"

    assert installation.with_installation("a.md", page) == page


def test_the_action_installs_its_own_checkout():
    action = (ROOT / "action.yml").read_text(encoding="utf-8")

    assert "|| github.action_path }}" in action
