"""No representation of an object of the package shows a key, a token, a password or a header."""

import dataclasses
import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pytest

import urlset
from urlset.http import Request, Response, Secrets
from urlset.http.exchange import Hop
from urlset.live.audit.probes import Probe
from urlset.live.audit.settings import AuditSettings
from urlset.live.submit.indexnow import submission
from urlset.live.submit.keys import IndexNowKey, IndexNowKeys
from urlset.live.submit.preflight import requests_for
from urlset.live.submit.settings import SubmitSettings
from urlset.object_store import AwsProfile

SECRET = "s3cr3t-0123456789"
NAME = re.compile(
    r"key|token|passw|secret|auth|header|credential|cookie|endpoint|login|prox|webhook"
)
# Fields with such a name that hold no secret.
SHOWN = {
    "Candidate.header_lastmod": "a date",
    "ExampleResponse.headers": "of the examples of rules, in the documentation",
    "Figure.key": "name of a part of a report",
    "FileResponse.headers": "of published files",
    "FixedDocument.key": "place of a document",
    "Location.key": "place of a document",
    "Name.key": "name of an element of XML",
    "News.keywords": "of an article",
    "Option.key": "name of an option",
    "Probe.key": "key of a page",
    "Request.is_secret": "a flag",
    "StepSettings.webhook_format": "name of a format",
    "_Version.key": "size and time of a file",
}


def classes() -> Iterator[type]:
    for module in pkgutil.walk_packages(urlset.__path__, "urlset."):
        if module.name.endswith("__main__"):
            continue
        try:
            found = importlib.import_module(module.name)
        except ImportError:  # an integration whose host is not installed
            continue
        for value in vars(found).values():
            if isinstance(value, type) and value.__module__ == module.name:
                yield value


def fields() -> Iterator[tuple[type, str]]:
    for each in classes():
        if dataclasses.is_dataclass(each):
            names = [field.name for field in dataclasses.fields(each)]
        elif issubclass(each, tuple) and hasattr(each, "_fields"):
            names = list(each._fields)
        else:
            continue
        yield from ((each, name) for name in names if NAME.search(name))


FIELDS = sorted({f"{each.__name__}.{name}": (each, name) for each, name in fields()}.items())


def is_shown(each: type, name: str) -> bool:
    if dataclasses.is_dataclass(each):
        has_own = not each.__dataclass_params__.repr  # type: ignore[attr-defined]
        (field,) = (field for field in dataclasses.fields(each) if field.name == name)
        return field.repr and not has_own
    values: dict[str, Any] = dict.fromkeys(each._fields, "")  # type: ignore[attr-defined]
    if each is Response:
        values["request"] = Request("")
    return SECRET in repr(each(**{**values, name: SECRET}))


@pytest.mark.parametrize(("title", "field"), FIELDS, ids=[title for title, _ in FIELDS])
def test_a_field_that_may_hold_a_secret_is_not_shown(title: str, field: tuple[type, str]):
    assert is_shown(*field) == (title in SHOWN)


def test_the_exceptions_exist():
    assert set(SHOWN) <= {title for title, _ in FIELDS}


KEY = IndexNowKey(SECRET, f"https://example.com/{SECRET}.txt")
SECRETS = Secrets(headers={"Authorization": SECRET}, query={"apikey": SECRET})
REQUEST = Request(
    f"https://example.com/?a={SECRET}",
    headers=(("Cookie", SECRET),),
    token=SECRET,
    body=SECRET.encode(),
    is_secret=True,
    secrets=SECRETS,
)
OBJECTS = {
    "key": KEY,
    "keys": IndexNowKeys({"example.com": KEY}, KEY),
    "settings of a submission": SubmitSettings(
        keys=IndexNowKeys({}, KEY),
        endpoints=(f"https://engine.example/?key={SECRET}",),
        google_credentials=SECRET,
    ),
    "settings of an audit": AuditSettings(indexnow_key=SECRET, auth=("ann", SECRET)),
    "submission": submission("https://engine.example/", "example.com", KEY, ["https://a/"]),
    "preflight": requests_for(KEY, "https://example.com", ["https://example.com/a"]),
    "key file": requests_for(KEY, "https://example.com", []).key_file,
    "request": REQUEST,
    "response": Response(
        REQUEST, REQUEST.url, 200, {"set-cookie": SECRET}, SECRET.encode(), redirects=(REQUEST.url,)
    ),
    "hop": Hop(
        "https://example.com/",
        "https://example.com",
        "public",
        {"A": SECRET},
        SECRETS,
        f"http://ann:{SECRET}@proxy/",
        1.0,
    ),
    "probe": Probe("indexnow", f"https://example.com/{SECRET}.txt", None, SECRET),
    "row of a probe": Probe("indexnow", f"https://a/{SECRET}.txt", None, SECRET, 200),
    "profile of AWS": AwsProfile({"secret_access_key": SECRET}, f"https://ann:{SECRET}@s3/"),
}


@pytest.mark.parametrize("shown", OBJECTS.values(), ids=OBJECTS)
def test_an_object_with_secrets_does_not_show_them(shown: object):
    assert SECRET not in repr(shown)


def test_a_representation_shows_what_is_not_secret():
    request = Request("https://example.com/a", purpose="home", headers=(("Cookie", SECRET),))

    assert repr(request) == "Request(url='https://example.com/a', purpose='home')"
    assert repr(IndexNowKeys({"example.com": KEY})) == (
        "IndexNowKeys(by_host={'example.com': IndexNowKey()})"
    )
