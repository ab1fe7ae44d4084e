"""What every test may ask for: an engine (each in turn), and the material beside the checkout.

``URLSET_NATIVE=0`` runs the tests as if the native engine were not built, other processes excepted.
"""

import json
import logging
import os
import signal
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.amounts import IS_SOAK
from tests.s3 import s3, s3_server
from tests.site_box import SiteBox
from urlset.engine import Engine, available, get

# A shell starts jobs in the background without SIGINT (`make test &`), which tests send.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

__all__ = ["s3", "s3_server"]  # fixtures that come from elsewhere

DURATIONS = Path(__file__).with_name("durations.json")
"""Seconds of the slowest tests, by test; ``tests/durations.py`` makes it from a run."""

SOAK = Path(__file__).with_name("soak")

SLOW_S = 0.2
"""Seconds from which a test is marked ``slow``: `make test` runs the others."""

if os.environ.get("URLSET_NATIVE") == "0":
    sys.modules["urlset.engine._native"] = None  # type: ignore[assignment]

# No deadline: a busy machine is not a bug. CI repeats the same examples: red means the change.
# Without `max_examples` of its own, a test tries 50 examples, and 1,000 in `make soak`.
settings.register_profile(
    "urlset",
    deadline=None,
    derandomize=bool(os.environ.get("CI")) and not IS_SOAK,
    print_blob=True,
    max_examples=1_000 if IS_SOAK else 50,
)
settings.load_profile("urlset")


# Of the session, not of the function: Hypothesis runs a function many times and refuses the latter.
@pytest.fixture(scope="session", params=["reference", "native"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine in turn: a test that takes it states the contract of both."""
    name: str = request.param
    if name == "native" and name not in available():
        why = "the native engine is not built: `make setup` builds it where cargo is on PATH"
        if os.environ.get("URLSET_NATIVE") == "1":
            pytest.fail(f"{why}; URLSET_NATIVE=1 requires it")
        pytest.skip(why)
    return get(name)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `shared` beside the checkout: corpora and schemas too big to carry along."""
    folder = Path(__file__).parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("no folder `shared` beside the checkout (corpora and schemas for more tests)")
    return folder


@pytest.fixture
def box() -> Iterator[SiteBox]:
    """A site in a box: a server on loopback, for this test alone."""
    with SiteBox() as site:
        yield site


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests as slow that took long when the durations were recorded."""
    durations = json.loads(DURATIONS.read_text("utf-8"))
    for item in items:
        seconds = durations.get(item.nodeid) or durations.get(item.nodeid.partition("[")[0], 0)
        if seconds >= SLOW_S and item.get_closest_marker("promise") is None:
            item.add_marker(pytest.mark.slow)
        function = getattr(item, "obj", None)
        if SOAK in item.path.parents or getattr(function, "is_hypothesis_test", False):
            item.add_marker(pytest.mark.soak)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """Restore logging after each test: hosts of adapters configure it for the whole process."""
    root = logging.getLogger()
    known = root.manager.loggerDict.values()
    kept = [root, *(each for each in known if isinstance(each, logging.Logger))]
    states = [(each, each.level, [*each.handlers], each.propagate, each.disabled) for each in kept]
    filters = [[*each.filters] for each in kept]
    result = yield
    for (each, level, handlers, propagate, disabled), kept_filters in zip(
        states, filters, strict=True
    ):
        each.setLevel(level)
        each.handlers[:], each.filters[:] = handlers, kept_filters
        each.propagate, each.disabled = propagate, disabled
    return result


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name gzip data by its kind: its bytes hold the time, so that each worker had other names."""
    is_gzip = isinstance(val, bytes) and val.startswith(b"\x1f\x8b")
    return "gzip" if is_gzip else None


def pytest_terminal_summary(terminalreporter):
    """Say why tests were skipped, a line a reason."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"skipped {count}: {reason}")
