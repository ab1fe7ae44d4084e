"""Any sequence of builds, against a model: what is published is right, and moves nothing else."""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.amounts import amount
from urlset import engine as engines
from urlset import parse
from urlset.builder import Build, Filter, build
from urlset.model import Alternate, Image
from urlset.sources import Candidate, CandidateRows

BASE = "https://example.com/"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
EXAMPLES = amount(4, 200)
HOURS = timedelta(hours=3)


class Page(NamedTuple):
    """A page of the model; each number is one URL."""

    number: int
    day: int
    extras: int

    @property
    def loc(self) -> str:
        return f"{BASE}{'ab'[self.number % 2]}/{'x' * (self.number % 5 * 9)}{self.number:02}"

    @property
    def row(self) -> Candidate:
        return Candidate(
            self.loc,
            lastmod_text=f"2026-11-{self.day:02}" if self.day else None,
            images=tuple(Image(f"{BASE}{n}.png") for n in range(self.extras)),
            alternates=(Alternate("de", f"{BASE}de", None),) if self.extras == 2 else (),
        )

    def seen(self, step: Step) -> Any:
        """What of it stands in a file."""
        return (self.day, self.extras) if is_xml(step) else ()


class Step(NamedTuple):
    """One build: which pages there are, and how the files are to be."""

    pages: tuple[Page, ...]
    options: tuple[tuple[str, Any], ...]
    is_ledger_lost: bool

    @property
    def published(self) -> dict[str, Page]:
        is_dropped = "filters" in dict(self.options)
        return {p.loc: p for p in self.pages if not (is_dropped and p.number % 10 == 3)}


OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "max_urls": st.sampled_from([2, 3, 5]),
    "max_bytes": st.sampled_from([1100, 1500]),
    "sections": st.sampled_from([("a=/a/",), ("a=/a/", "b=/b/"), ("b=/b/",)]),
    "gzip": st.just(True),
    "compact": st.just(True),
    "format": st.just("text"),
    "index": st.sampled_from(["always", "section"]),
    "stylesheet": st.just("sitemap.css"),
    "filters": st.just((Filter("drop", "3$"),)),
}


@st.composite
def histories(draw: st.DrawFn) -> list[Step]:
    """Builds one after the other, each a little different from the one before."""
    pages: dict[int, Page] = {}
    options: dict[str, Any] = {"max_urls": 3}
    steps = []
    for _ in range(draw(st.integers(2, 6))):
        for number in draw(st.sets(st.integers(0, 25), max_size=12)):
            # Beware: a date that a source no longer gives outlives a lost ledger, as it should.
            day = draw(st.integers(1, 3)) if number % 3 else 0
            page = Page(number, day, draw(st.sampled_from([0, 0, 0, 1, 2])))
            if draw(st.integers(0, 2)):
                pages[number] = page
            else:
                pages.pop(number, None)
        lost = draw(st.integers(0, 4)) == 0  # who also renames the files then, keeps the old ones
        for name in [] if lost else draw(st.sets(st.sampled_from(sorted(OPTIONS)), max_size=2)):
            if name in options and name != "max_urls":
                del options[name]
            else:
                options[name] = draw(OPTIONS[name])
        steps.append(Step(tuple(pages.values()), tuple(options.items()), lost))
        options.pop("compact", None)
    return steps


class Seen(NamedTuple):
    """What lies in the folder: bytes and inode of each file, what it lists, since when."""

    data: dict[str, bytes]
    inodes: dict[str, int]
    lists: dict[str, list[str]]
    since: dict[str, datetime]


class Model:
    """A folder that is built into, and what must be true of it after each build."""

    def __init__(self, root: Path, engine: str):
        self.root, self.engine = root, engine
        self.out, self.ledger = root / "public", root / "ledger.duckdb"
        self.now = NOON
        self.before = Seen({}, {}, {}, {})
        self.last: Step | None = None
        self.is_styled = False

    def step(self, step: Step) -> None:
        if step.is_ledger_lost:
            self.ledger.unlink(missing_ok=True)
        made = self.build(step)
        if step.is_ledger_lost:
            self.remove_unproven(made)
        seen = self.look()
        for name, since in seen.since.items():  # where no index says it, and no ledger, a file does
            os.utime(self.out / name, (since.timestamp(),) * 2)
        self.assert_published(step, made, seen)
        self.assert_indexed(made, seen)
        self.assert_counted(step, made, seen)
        if self.last is not None and not step.is_ledger_lost:
            self.assert_still(step, seen)
        self.assert_again_changes_nothing(step, seen)
        self.before, self.last = seen, step

    def build(self, step: Step) -> Build:
        self.now += HOURS
        return build(
            CandidateRows([page.row for page in step.pages]),
            self.out,
            base_url=BASE,
            ledger=self.ledger,
            engine=self.engine,
            force=frozenset({"zero", "shrunk"}),
            now=self.now,
            **dict(step.options),
        )

    def remove_unproven(self, made: Build) -> None:
        """Remove the text files that remain, as the notes of the build say.

        A text file has no mark of a build. Without ledger and index, nothing proves that it was
        built, so that a build with other files does not remove it.
        """
        names = {file.name for file in (*made.files, *made.indexes)}
        for path in self.out.iterdir():
            if path.name in self.before.lists and path.name not in names:
                assert ".txt" in path.name
                assert not any(name.startswith("sitemap.xml") for name in self.before.data)
                assert any(f"{path.name} was written by another tool" in n for n in made.notes)
                path.unlink()

    def look(self) -> Seen:
        paths = sorted(path for path in self.out.iterdir())
        data = {path.name: path.read_bytes() for path in paths}
        lists, since = {}, {}
        for name, found in data.items():
            if name.endswith(".css"):
                continue
            document = parse(found)
            assert [str(problem) for problem in document.problems] == [], name
            if document.kind != "index":
                lists[name] = [entry.loc for entry in document.entries]
            is_same = self.before.data.get(name) == found
            since[name] = self.before.since[name] if is_same else self.now
        return Seen(data, {p.name: p.stat().st_ino for p in paths}, lists, since)

    def assert_published(self, step: Step, made: Build, seen: Seen) -> None:
        options = dict(step.options)
        self.is_styled |= "stylesheet" in options
        names = {file.name for file in (*made.files, *made.indexes)}
        assert set(seen.data) == names | ({"sitemap.css"} if self.is_styled else set())
        assert set(seen.lists) == {file.name for file in made.files}
        locs = [loc for listed in seen.lists.values() for loc in listed]
        assert sorted(locs) == sorted(step.published)
        for name, listed in seen.lists.items():
            plain = unpacked(seen.data[name])
            assert len(listed) <= options["max_urls"]
            assert len(plain) <= options.get("max_bytes", 1 << 30)
            for entry in parse(plain).entries if options.get("format") != "text" else ():
                page = step.published[entry.loc]
                assert entry.lastmod_text == page.row.lastmod_text
                assert len(entry.images) == page.extras
                assert len(entry.alternates) == len(page.row.alternates)

    def assert_indexed(self, made: Build, seen: Seen) -> None:
        listed: dict[str, datetime | None] = {}
        for index in made.indexes:
            for sitemap in parse(seen.data[index.name]).sitemaps:
                name = sitemap.loc.removeprefix(BASE)
                assert name not in listed
                listed[name] = sitemap.lastmod
        for name, since in listed.items():
            if since != seen.since[name]:  # it has the bytes, and so the date, of another name
                twins = [n for n, data in self.before.data.items() if data == seen.data[name]]
                assert since in [self.before.since[twin] for twin in twins], name
                seen.since[name] = since
        if made.indexes:
            assert set(listed) == {file.name for file in made.files}

    def assert_counted(self, step: Step, made: Build, seen: Seen) -> None:
        before = {loc for listed in self.before.lists.values() for loc in listed}
        now = set(step.published)
        if not step.is_ledger_lost:
            assert (made.added, made.removed) == (len(now - before), len(before - now))
            if self.last is not None and is_xml(step) == is_xml(self.last):
                twice = now & before
                old, new = self.last.published, step.published
                pairs = [(old[loc].seen(step), new[loc].seen(step)) for loc in twice]
                assert made.changed == sum(a != b for a, b in pairs)
        changed = {name for name, data in seen.data.items() if self.before.data.get(name) != data}
        assert {file.name for file in made.changed_files} == changed - {"sitemap.css"}
        for name in set(seen.data) - changed:
            assert seen.inodes[name] == self.before.inodes[name], f"{name} was written again"

    def assert_still(self, step: Step, seen: Seen) -> None:
        """What lay together lies together, but for compaction, sections, and lower limits."""
        assert self.last is not None
        old, new = dict(self.last.options), dict(step.options)
        keys = ("sections", "max_urls", "max_bytes", "format", "stylesheet")
        if new.get("compact") or any(old.get(key) != new.get(key) for key in keys):
            return
        place = {loc: name for name, listed in seen.lists.items() for loc in listed}
        same = all(old.get(key) == new.get(key) for key in ("name", "gzip", "index"))
        for name, listed in self.before.lists.items():
            alive = [loc for loc in listed if loc in place]
            if "max_bytes" in new:
                continue  # one that grows may push others out
            assert len({place[loc] for loc in alive}) <= 1, f"{name} was torn apart"
            if same and alive and len(self.before.lists) > 1 and len(seen.lists) > 1:
                assert place[alive[0]] == name

    def assert_again_changes_nothing(self, step: Step, seen: Seen) -> None:
        options = tuple((k, v) for k, v in step.options if k != "compact")
        for lost in (False, True):
            if lost:
                self.ledger.unlink()
            again = self.build(step._replace(options=options))
            # Text files have no mark of a build: without ledger and index all URLs are new.
            is_adopted = not lost or is_xml(step) or any(".xml" in name for name in seen.data)
            added = 0 if is_adopted else len(step.published)
            assert (again.changed_files, again.added, again.changed, again.removed) == (
                (), added, 0, 0,
            ), f"again{', without its ledger' if lost else ''}"  # fmt: skip
            after = self.look()
            assert (after.data, after.inodes) == (seen.data, seen.inodes)


def is_xml(step: Step) -> bool:
    return "format" not in dict(step.options)


def unpacked(data: bytes) -> bytes:
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


@contextmanager
def quick() -> Iterator[Path]:
    """A folder in memory, where there is one."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(dir=memory)
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["native", "reference"])
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(history=histories())
@example(
    history=[  # a text file that no ledger and no index names
        Step((Page(number=19, day=1, extras=0),), (("max_urls", 3), ("format", "text")), False),
        Step((), (("max_urls", 3), ("format", "text")), True),
    ]
)
def test_any_sequence_of_builds(name: str, history: list[Step]):
    if name not in engines.available():
        pytest.skip(f"the {name} engine is not built")
    with quick() as root:
        model = Model(root, name)
        for step in history:
            model.step(step)
