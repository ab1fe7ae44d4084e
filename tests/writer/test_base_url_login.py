"""A login in base_url is refused, as everybody would read it in the sitemaps, and not repeated."""

import pytest

import urlset
from tests.cli.test_commands import command

LOGINS = ["https://user:pw9@example.com/", "https://pw9@example.com", "ftp://user:pw9@example.com/"]


@pytest.mark.parametrize("base_url", LOGINS)
def test_a_login_in_base_url_is_refused_and_not_repeated(base_url, tmp_path):
    for call in (
        lambda: urlset.write(["/a"], tmp_path / "w", base_url=base_url, index="always"),
        lambda: urlset.render(["/a"], base_url=base_url),
        lambda: urlset.build(
            [{"loc": "/a"}], tmp_path / "b", base_url=base_url, ledger=tmp_path / "l.duckdb"
        ),
    ):
        with pytest.raises(ValueError, match="expected base_url without a login") as caught:
            call()
        assert "pw9" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_an_at_sign_in_the_path_is_no_login(tmp_path):
    made = urlset.write(["a"], tmp_path, base_url="https://example.com/@me/", index="always")

    assert made.base_url == "https://example.com/@me/"


@pytest.mark.parametrize("options", [("--base-url", LOGINS[0]), ()])
def test_a_build_shows_no_password(options, capsys, monkeypatch, tmp_path):
    run = command(capsys, monkeypatch, tmp_path)
    (tmp_path / "u.txt").write_text("https://user:pw9@example.com/a\nhttps://other.example/\n")

    ran = run("build", "u.txt", "--output", "maps", *options)

    assert (ran.code, "pw9" in ran.out + ran.err) == (2 if options else 13, False)
