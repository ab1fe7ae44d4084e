"""A value of the wrong type is refused with what is expected, by every parameter of a function."""

import inspect

import pytest

import urlset
from urlset.cli import main
from urlset.errors import UrlsetError
from urlset.integrations.wsgi import Sitemaps
from urlset.partitioned import plan_build

DOCUMENT = b"<urlset><url><loc>https://example.com/</loc></url></urlset>"
SITE = "https://example.com/"
REFUSED = "http://127.0.0.1:9/"  # nothing listens there
VALUES = [3, True, float("nan"), [3], [None], [b"x"], ("a", 3), {1: 2}, b"x", "", [""], object()]


def _cases(tmp_path):
    """Return the arguments with which each function does little."""
    (tmp_path / "a.xml").write_bytes(DOCUMENT)
    file, store = str(tmp_path / "a.xml"), str(tmp_path / "store.duckdb")
    rows = [{"loc": "https://example.com/"}]
    policy = urlset.Policy(retries=0, total_timeout_s=1)
    return {
        "audit": ([file], {"base_url": REFUSED, "policy": policy, "max_requests": 0}),
        "build": (
            [rows, str(tmp_path / "out")],
            {"base_url": "https://example.com/", "ledger": str(tmp_path / "ledger.duckdb")},
        ),
        "check": ([file], {}),
        "crawl": ([REFUSED], {"policy": policy, "confirm_after_s": 0}),
        "diff": ([file, file], {}),
        "fix": ([DOCUMENT], {}),
        "parse": ([DOCUMENT], {}),
        "read": ([file], {}),
        "render": ([rows], {}),
        "report": ([store], {}),
        "submit": ([[]], {"dry_run": True, "store": store}),
        "sync": ([REFUSED, store], {"policy": policy}),
        "watch": ([REFUSED, store], {"policy": policy}),
        "write": ([rows, str(tmp_path / "written")], {}),
        "Policy": ([], {}),
    }


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name",
    "audit build check crawl diff fix parse read render report submit sync watch write "
    "Policy".split(),
)
def test_a_wrong_value_is_refused_with_what_is_expected(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given, options = _cases(tmp_path)[name]
    function = getattr(urlset, name)
    kinds = (inspect.Parameter.KEYWORD_ONLY,) if given else tuple(inspect._ParameterKind)
    parameters = inspect.signature(function).parameters.values()
    wrong = []
    for parameter in (each.name for each in parameters if each.kind in kinds):
        for value in VALUES:
            try:
                found = function(*given, **{**options, parameter: value})
                if name in ("check", "read"):
                    list(found)
            except UrlsetError:
                pass
            except (TypeError, ValueError) as error:
                if "expected" not in str(error) and "matches no rule" not in str(error):
                    wrong.append(f"{parameter}={value!r}: {error!r}")
            except Exception as error:  # noqa: BLE001 - whatever it is, it is no message for users
                wrong.append(f"{parameter}={value!r}: {error!r}")

    assert wrong == []


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("target", lambda rows, url: urlset.write(rows, url)),
        ("ledger", lambda rows, url: urlset.build(rows, "out", base_url=SITE, ledger=url)),
        ("ledger", lambda _, url: plan_build("out", ledger=url, section="kind", base_url=SITE)),
        ("cache", lambda _, url: urlset.read(REFUSED, cache=url)),
        ("folder", lambda rows, url: Sitemaps(lambda: rows, base_url=SITE, folder=url)),
        ("source", lambda _, url: Sitemaps(url)),
    ],
)
def test_a_url_is_no_path_and_no_folder_of_its_name_is_made(name, call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ValueError, match=f"{name}: expected a path on this machine, found 's3:/"):
        list(call([{"loc": SITE}], "s3://bucket/folder"))

    assert list(tmp_path.iterdir()) == []


def test_a_url_is_no_path_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    assert main(["read", REFUSED, "--cache", "s3://bucket/folder"]) == 2

    assert "expected a path on this machine, found 's3://bucket/folder'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
