"""Reading from object stores, file URLs and names without a scheme."""

import sys

import pytest

from tests.cli.test_commands import command
from tests.s3 import KEY, SECRET, ask
from tests.site_box import gz, index_of, urlset_of
from urlset import check, read
from urlset.errors import SourceError, TargetError
from urlset.object_store import aws_profile
from urlset.publisher import open_target


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


@pytest.fixture
def maps(s3: str) -> str:
    """A bucket with an index, two children of which one is packed, and one that is missing."""
    names = {
        "sitemap_index.xml": index_of(
            f"https://example.com/{name}" for name in ("a.xml", "deep/b.xml.gz", "gone.xml")
        ),
        "a.xml": urlset_of("https://example.com", 2),
        "b.xml.gz": gz(urlset_of("https://example.com/b", 1)),
        "page.html": b"<html></html>",
        "notes.txt": b"no sitemap",
    }
    with open_target(s3, "sitemap") as target:
        for name, data in names.items():
            target.stage(name, data)
        target.swap(list(names), [])
    return s3


def test_index_in_a_bucket_is_read_with_its_children(maps: str):
    entries = read(f"{maps}/sitemap_index.xml")

    locs = [entry.loc.removeprefix("https://example.com") for entry in entries]
    assert locs == ["/0", "/1", "/b/0"]
    assert [record.source for record in entries.documents] == [
        f"{maps}/sitemap_index.xml",
        f"{maps}/a.xml",
        f"{maps}/b.xml.gz",
        "https://example.com/gone.xml",
    ]
    assert "expected an object below" in (entries.documents[-1].error or "")


def test_all_sitemaps_below_a_prefix_are_read(maps: str):
    entries = read(f"{maps}/")

    assert len(list(entries)) == 3
    assert len(entries.documents) == 4


@pytest.mark.parametrize(
    ("base_url", "own"),
    [
        (None, ["maps/sitemap_index.xml", "sitemap_index.xml"]),
        ("https://example.com", ["sitemap_index.xml"]),
        ("https://example.com/maps/", ["maps/sitemap_index.xml"]),
    ],
)
def test_index_in_a_bucket_that_lists_itself(maps: str, base_url: str | None, own: list[str]):
    """Of two URLs with the name of the index, ``base_url`` says which is that of the index."""
    with open_target(maps, "other") as target:
        target.stage(
            "sitemap_index.xml",
            index_of(
                f"https://example.com/{name}"
                for name in ("maps/sitemap_index.xml", "sitemap_index.xml")
            ),
        )
        target.swap(["sitemap_index.xml"], [])

    records = read(f"{maps}/sitemap_index.xml", base_url=base_url).documents

    errors = {record.source: record.error for record in records if record.error}
    assert len(errors) == 2
    assert [url for url, error in errors.items() if "lists itself" in error] == [
        f"https://example.com/{name}" for name in own
    ]


def test_bucket_is_checked(maps: str, urlset):
    codes = {finding.code for finding in check(f"{maps}/sitemap_index.xml")}
    ran = urlset("read", f"{maps}/a.xml", "--format", "txt")

    assert "I503" in codes
    assert ran.out.split() == ["https://example.com/0", "https://example.com/1"]


def test_missing_object_is_reported_without_credentials(maps: str):
    with pytest.raises(SourceError, match=r"found nothing at s3://shop/maps/none\.xml") as caught:
        list(read(f"{maps}/none.xml"))

    assert SECRET not in str(caught.value)


def test_object_larger_than_the_limit_is_cut(maps: str):
    entries = read(f"{maps}/a.xml", max_bytes=170)

    assert len(list(entries)) < 2
    assert "cut off" in (entries.documents[0].error or "")


def test_without_obstore_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "obstore.store", None)

    with pytest.raises(SourceError, match=r"pip install 'urlset\[cloud\]'"):
        read("s3://bucket/sitemap.xml")


def test_objects_are_fetched_once_however_often_they_are_used(maps: str, s3_server: str):
    entries = read(f"{maps}/sitemap_index.xml")
    first = list(entries)
    ask(f"{s3_server}/shop/maps/a.xml", "DELETE")

    assert list(entries) == first


# Credentials.


def test_credentials_of_a_profile_are_used(maps: str, tmp_path, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "credentials").write_text(
        "[default]\naws_access_key_id = other\naws_secret_access_key = other\n"
        f"[shop]\naws_access_key_id={KEY}\naws_secret_access_key={SECRET}\n"
    )
    (tmp_path / ".aws" / "config").write_text("[profile shop]\nregion = us-east-1\n")
    monkeypatch.setenv("AWS_PROFILE", "shop")

    assert len(list(read(f"{maps}/a.xml"))) == 2
    with open_target(maps, "sitemap") as target:
        assert "a.xml" in target.names()


CREDENTIALS = f"[default]\naws_access_key_id={KEY}\naws_secret_access_key={SECRET}%1\n"


def test_environment_wins_over_a_profile(tmp_path):
    files = {
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "c"),
        "AWS_CONFIG_FILE": str(tmp_path / "f"),
    }
    (tmp_path / "c").write_text(CREDENTIALS)
    (tmp_path / "f").write_text("[default]\nregion=eu-west-1\nendpoint_url=https://minio.e.com\n")

    own = {"access_key_id": KEY, "secret_access_key": f"{SECRET}%1", "region": "eu-west-1"}
    assert aws_profile(files) == (own, "https://minio.e.com")
    assert aws_profile({**files, "AWS_ACCESS_KEY_ID": "k"}).options == {"region": "eu-west-1"}
    assert "region" not in aws_profile({**files, "AWS_REGION": "r"}).options
    assert aws_profile({**files, "AWS_ENDPOINT_URL": "https://x"}).endpoint == ""
    assert aws_profile(
        {"HOME": "/nowhere", "AWS_SHARED_CREDENTIALS_FILE": "/no", "AWS_CONFIG_FILE": "/no"}
    ) == ({}, "")


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("[profile other]\nregion=x\n", "found none in"),
        ("[profile shop]\nrole_arn=arn:aws:iam::1:role/x\n", "found role_arn; run `eval"),
        ("[profile shop]\nsso_session=x\n", "found sso_session"),
        ("no section = 1\n", "MissingSectionHeaderError"),
    ],
)
def test_profile_that_cannot_be_used_is_reported(config: str, words: str, tmp_path):
    (tmp_path / "f").write_text(config)
    environment = {
        "AWS_PROFILE": "shop",
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "none"),
        "AWS_CONFIG_FILE": str(tmp_path / "f"),
    }

    with pytest.raises(TargetError) as caught:
        aws_profile(environment)
    assert words in str(caught.value)


def test_endpoint_of_a_profile_in_the_clear_is_refused(tmp_path, monkeypatch):
    (tmp_path / "f").write_text("[default]\nendpoint_url=http://minio.example.com\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "f"))
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)

    with pytest.raises(TargetError, match="expected an endpoint by https"):
        open_target("s3://bucket/maps", "sitemap")


# Files, and names.


def test_file_url_is_read_and_checked(tmp_path, urlset):
    path = tmp_path / "a b.xml"
    path.write_bytes(urlset_of("https://example.com", 2))
    url = f"file://{tmp_path}/a%20b.xml"

    assert len(list(read(url))) == 2
    assert len(list(read(url.replace("file://", "FILE://localhost")))) == 2
    assert [record.error for record in check(url).documents] == [None]
    assert urlset("read", url, "--format", "txt").out.count("\n") == 2
    with pytest.raises(SourceError, match="names the host 'server'"):
        read("file://server/share/a.xml")


@pytest.mark.parametrize("name", ["example.com", "www.example.co.uk/sitemap.xml", "e.org:8080/"])
def test_name_of_a_site_suggests_its_url(name: str, urlset):
    ran = urlset("read", name)

    assert ran.code == 2
    assert f"write https://{name}\n" in ran.err


@pytest.mark.parametrize("command", ["read", "check"])
@pytest.mark.parametrize(
    "name", ["localhost", "localhost:8946", "127.0.0.1:8946", "192.168.0.7/a.xml", "[::1]:80"]
)
def test_name_of_a_machine_suggests_its_url_without_tls(name: str, command: str, urlset):
    ran = urlset(command, name)

    assert f"to read the site, write http://{name}\n" in ran.out + ran.err


@pytest.mark.parametrize(
    "name",
    ["sitemap.xml", "a.xml.gz", "none", "../none", "urls.csv", "a/b.txt", "localhost.xml"],
)
def test_name_of_a_file_suggests_no_site(name: str, urlset):
    assert "://" not in urlset("read", name).err


def test_folder_called_like_a_site_is_a_folder(tmp_path, urlset):
    (tmp_path / "example.com").mkdir()
    (tmp_path / "example.com" / "sitemap.xml").write_bytes(urlset_of("https://example.com", 1))

    assert urlset("read", "example.com", "--format", "txt").out == "https://example.com/0\n"
