"""Attacks on what people and tools read: terminals, annotations, webhooks, messages."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

import urlset
from urlset.checker.baseline import Baseline
from urlset.cli import main
from urlset.config import load_config
from urlset.errors import ConfigurationError, SourceError
from urlset.live.watch.pipeline import StepSettings
from urlset.live.watch.webhook import message
from urlset.sources.factory import SourceOptions

ROOT = "http://www.sitemaps.org/schemas/sitemap/0.9"
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
LOCS = {
    "escape sequence": "https://e.com/\x1b[2J".replace("\x1b", "\u009b"),
    "C1": "https://e.com/a\u009bb",
    "direction": "https://e.com/\u202egpj.exe",
    "isolate": "https://e.com/\u2066a\u2069",
    "line separator": "https://e.com/\u2028::error::x",
    "line feed": "https://e.com/\n::error::x",
    "carriage return": "https://e.com/&#13;::error::x",
    "encoded line feed": "https://e.com/%0A::error::x",
    "workflow command": "::set-output name=a::b",
    "workflow command with an indentation": "\n  ::add-mask::b\n",
    "old workflow command": "https://e.com/##[set-output name=a]b",
    "command of Azure Pipelines": "https://e.com/##VSO[task.prependpath]/tmp",
    "service message of TeamCity": "https://e.com/##teamcity[buildStop comment='x']",
    "Markdown": "https://e.com/`![x](https://evil.example/)",
    "markup": "https://e.com/&lt;script&gt;alert(1)&lt;/script&gt;",
    "attribute": "https://e.com/&quot;onmouseover=alert(1)&quot;",
    "script": "javascript:alert(1)",
    "formula": "=cmd|' /C calc'!A0",
}


@pytest.fixture(params=list(LOCS.values()), ids=list(LOCS))
def site(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = f'<urlset xmlns="{ROOT}"><url><loc>{request.param}</loc></url></urlset>'
    (tmp_path / "sitemap.xml").write_text(text)
    return "sitemap.xml"


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif", "junit"])
def test_a_url_commands_neither_a_terminal_nor_a_workflow(site, form, capsys):
    main(["check", site, "--format", form, "--extend-select", "U"])
    printed = capsys.readouterr().out

    assert CONTROL.search(printed) is None
    lines = [line for line in map(str.lstrip, printed.splitlines()) if line.startswith("::")]
    assert all(re.match("::(error|warning|notice) file=sitemap", line) for line in lines)
    assert form == "github" or not lines
    assert re.search(r"##(vso|teamcity)?\[", printed, re.IGNORECASE) is None


@pytest.mark.parametrize("form", ["auto", "jsonl"])
def test_read_prints_no_command_of_a_workflow(site, form, capsys):
    main(["read", site, *(("--format", form) if form != "auto" else ())])
    printed = "".join(capsys.readouterr())

    assert re.search(r"##(vso|teamcity)?\[", printed, re.IGNORECASE) is None
    assert re.search(r"^\s*::", printed, re.MULTILINE) is None


def test_a_url_is_no_active_part_of_the_report(site, tmp_path):
    main(["check", site, "--report", "a.html"])
    page = (tmp_path / "a.html").read_text()

    assert "<script>alert" not in page
    assert re.search(r"<[^>]*\bonmouseover=", page) is None
    assert re.search(r"href=[\"']?\s*javascript:", page) is None


@pytest.mark.skipif(os.name == "nt", reason="names of files of POSIX")
@pytest.mark.parametrize(
    "name", ["a\n::error::x\n", "a\r::error::x", "a\x1b[2J", "##vso[a]b", 'a"\\\n']
)
def test_the_name_of_a_file_is_one_line_of_a_diff(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / f"{name}.xml"
    path.write_text(f'<urlset xmlns="{ROOT}"><url><loc> https://e.com/</loc></url></urlset>')

    main(["check", f"./{name}.xml", "--diff"])
    old, new, *_ = capsys.readouterr().out.split("\n")

    assert CONTROL.search(old + new) is None
    assert "##" not in old + new
    assert new[4:] == old[4:]
    assert old.startswith('--- "./')
    escaped = re.sub(r"\\(\d{3})", lambda found: chr(int(found[1], 8)), old[5:-1])
    assert escaped.encode("latin-1") == os.fsencode(f"./{name}.xml")


@pytest.mark.parametrize("form", ["slack", "discord", "ntfy", "json"])
@pytest.mark.parametrize(
    "text", ["a\u202eb", "a\u009b2Jb", "a\x1b[2Jb", "a\u2028b", "a\n• false alarm", "<!channel>"]
)
def test_an_alert_has_no_control_characters(form, text):
    found = SimpleNamespace(
        site="https://e.com/\u202e", snapshot=1, started=datetime(2026, 1, 1, tzinfo=UTC)
    )
    alert = SimpleNamespace(message=text, kind="x", subject=text, observed=1, low=None, high=None)
    _, body = message(form, found, [alert])  # type: ignore[arg-type, list-item]
    shown = body.decode()

    assert CONTROL.search(shown.replace("\n", " ")) is None
    assert shown.count("•") <= (2 if "•" in text else 1)
    assert form != "slack" or "<!channel>" not in shown


@pytest.mark.skipif(os.name == "nt", reason="devices of POSIX")
@pytest.mark.parametrize("name", ["/dev/zero", "/dev/stdin", "pipe", "/dev/full"])
def test_a_baseline_of_a_configuration_is_a_file(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    (tmp_path / "urlset.toml").write_text(f'[check]\nbaseline = "{name}"\n')
    path = load_config(start=tmp_path).check["baseline"]

    with pytest.raises(ConfigurationError, match="expected a baseline at"):
        Baseline.read(path)


@pytest.mark.skipif(os.name == "nt", reason="devices of POSIX")
def test_a_configuration_without_an_end_is_an_error():
    with pytest.raises(ConfigurationError, match="a file of more than 104,857,600 bytes"):
        load_config("/dev/zero")


@pytest.mark.parametrize("settings", [StepSettings, SourceOptions])
def test_settings_do_not_show_their_login(settings):
    assert "hunter2" not in repr(settings(auth=("me", "hunter2")))


def test_a_source_that_is_no_path_says_what_is_expected(capsys):
    with pytest.raises(SourceError, match="found list; read each of them, or the folder"):
        urlset.read(["a.xml", "b.xml"])  # type: ignore[arg-type]
    assert main(["check", ""]) == 2
    printed = "".join(capsys.readouterr())
    assert "expected a path, a URL or '-', found an empty text" in printed
    assert "<bytes>" not in printed


@pytest.mark.parametrize(
    "text",
    ['[build]\noutput = ""', '[build]\nsources = [""]', '[check]\nignore = ["X004", ""]',
     '[check]\nbase-url = ""', '[diff]\nmax-removed = ""'],
)  # fmt: skip
def test_an_empty_value_of_a_configuration_is_an_error(text, tmp_path):
    (tmp_path / "urlset.toml").write_text(text)
    found = load_config(start=tmp_path)

    with pytest.raises(ConfigurationError, match=r"\[\w+\] [\w-]+: expected a value, found an"):
        _ = (found.build, found.check, found.diff_limits)


@pytest.mark.parametrize("value", ["5", "'5'", "0"])
def test_a_limit_of_removed_urls_may_be_a_number(value, tmp_path):
    (tmp_path / "urlset.toml").write_text(f"[diff]\nmax-removed = {value}\n")

    assert load_config(start=tmp_path).diff_limits == {"max_removed": value.strip("'")}


def test_names_of_sections_differ_by_more_than_case(tmp_path):
    with pytest.raises(ValueError, match=r"differ by more than case, found 'aa' and 'AA'"):
        urlset.build(
            [{"loc": "https://example.com/a"}],
            tmp_path / "public",
            sections=["aa=/a", "AA=/b"],
        )
