"""Updates of `urlset sync` as the changes of a submission: as JSON lines, and as objects."""

import json

import pytest

from tests.live.submit.fake_engines import SITE, Bench
from urlset.live.submit.changes import ChangedUrl, changes_of
from urlset.live.sync import PageUpdate

URL = f"{SITE}/tea"


def update(change="changed", **values):
    return PageUpdate(change=change, loc=URL, **values)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (update("added", fingerprint="a"), [ChangedUrl("added", URL, None, "a")]),
        (
            update(fingerprint="b", previous_fingerprint="a"),
            [ChangedUrl("changed", URL, None, "b")],
        ),
        # noindex changed, for instance: the content does not identify the change
        (update(fingerprint="a", previous_fingerprint="a"), [ChangedUrl("changed", URL)]),
        (update("removed", previous_fingerprint="a"), [ChangedUrl("removed", URL)]),
        (update("unknown", reason="http-503"), []),
    ],
)
def test_an_update_is_a_change(given, expected):
    assert list(changes_of([given])) == expected
    assert list(changes_of([json.loads(json.dumps(given.to_dict()))])) == expected


def test_updates_are_announced_once(tmp_path):
    bench = Bench(tmp_path)
    updates = [update("added", fingerprint="a")]

    first = bench.submit(updates, preflight=False)
    bench.clock.advance(hours=1)
    second = bench.submit([each.to_dict() for each in updates], preflight=False)
    bench.clock.advance(hours=1)
    third = bench.submit([update(fingerprint="b", previous_fingerprint="a")], preflight=False)

    assert (first.new, second.new, third.new) == (1, 0, 1)
