"""Builds in sections: the files of a build of all rows, published together or not at all."""

import os
import pickle
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import urlset
from tests.http_walks import quick
from tests.s3 import s3, s3_server
from tests.site_box import SiteBox
from urlset.arrow.streams import rows_to_stream
from urlset.partitioned import (
    BuildPlan,
    SectionBuild,
    build_section,
    build_sections,
    label_sections,
    plan_build,
    publish_build,
    section_word,
)

__all__ = ["s3", "s3_server"]

pyarrow: Any = pytest.importorskip("pyarrow", reason="no pyarrow")

BASE = "https://example.com/"
NOW = datetime(2026, 11, 1, tzinfo=UTC)
KINDS = ("Blog", "Shop & more", "blog ", "Ünï", "日本", "index", "a_b", None)


class Cluster:
    """A set that is built in sections in this process, and the same set built as a whole."""

    def __init__(self, folder: Path, **options: Any):
        self.folder = folder
        self.now = NOW
        self.options = {"base_url": BASE, "max_urls": 40, **options}

    def plan(self, **more: Any) -> BuildPlan:
        self.now += timedelta(hours=1)
        return plan_build(
            self.folder / "parts",
            ledger=self.folder / "ledgers",
            section="kind",
            now=self.now,
            **self.options,
            **more,
        )

    def staged(self, plan: BuildPlan, rows: list[dict], batch: int = 50):
        """Build the sections from batches in which the rows of a section are together."""
        labelled = pyarrow.Table.from_batches(
            [pyarrow.record_batch(each) for each in label_sections(plan, batches(rows, batch))],
            schema=None if rows else pyarrow.schema([("section_word", "string")]),
        )
        for each in build_sections(plan, labelled.sort_by("section_word").to_batches(batch)):
            yield pickle.loads(pickle.dumps(each))

    def build(self, rows: list[dict], **more: Any) -> urlset.builder.Build:
        plan = pickle.loads(pickle.dumps(self.plan(**more)))
        return publish_build(plan, self.staged(plan, rows))

    def build_whole(self, rows: list[dict], **more: Any) -> urlset.builder.Build:
        options = {"index": "always", **self.options, **more}
        return urlset.build(
            table(rows),
            self.folder / "whole",
            ledger=self.folder / "whole.duckdb",
            sections="column:kind",
            now=self.now,
            **options,
        )

    def files(self, name: str = "parts") -> dict[str, bytes]:
        return contents(self.folder / name)

    def runs(self) -> list[str]:
        return sorted(path.name for path in (self.folder / "ledgers").glob("run-*"))


def contents(folder: Path) -> dict[str, bytes]:
    if not folder.exists():
        return {}
    return {
        path.name: path.read_bytes()
        for path in sorted(folder.iterdir())
        if path.is_file() and not path.name.startswith(".")
    }


COLUMNS: list[tuple[str, Any]] = [("loc", "string"), ("lastmod", "string"), ("kind", "string")]


def table(rows: list[dict]) -> Any:
    cells = [tuple(row.get(name) for name, _ in COLUMNS) for row in rows]
    return pyarrow.table(rows_to_stream(COLUMNS, cells))


def batches(rows: list[dict], size: int) -> list[Any]:
    return list(table(rows).to_batches(size))


word = cache(section_word)  # each call opens a database


def rows_of(draw: random.Random, count: int) -> list[dict]:
    kinds = draw.sample(KINDS, draw.randrange(2, 5))
    words = {word(kind): number for number, kind in enumerate(kinds)}
    rows = []
    for number in range(count):
        kind = draw.choice(kinds)
        path = f"{words[word(kind)]}/{draw.choice('abc') * draw.randrange(1, 9)}{number}"
        date = f"2026-0{draw.randrange(1, 10)}-0{draw.randrange(1, 10)}"
        rows.append({"loc": BASE + path, "lastmod": draw.choice([date, None]), "kind": kind})
    return rows


def changed(draw: random.Random, rows: list[dict]) -> list[dict]:
    kept = [row for row in rows if draw.random() < 0.9]
    if draw.random() < 0.4 and kept:
        gone = word(draw.choice(kept)["kind"])
        kept = [row for row in kept if word(row["kind"]) != gone]
    kept = [row | {"lastmod": "2026-10-10"} if draw.random() < 0.1 else row for row in kept]
    more = [
        row | {"loc": f"{row['loc']}-{draw.randrange(10**6)}"}
        for row in kept
        if draw.random() < 0.2
    ]
    found = kept + more
    draw.shuffle(found)
    return found


COUNTS = ("urls", "added", "changed", "removed", "undated", "duplicates", "excluded_counts")


OPTIONS = [
    {},
    {"gzip": True, "exclude": "b1"},
    {"format": "text"},
    {"index": "section", "stylesheet": "sitemap.css"},
]


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2, 3))])
def test_files_and_counts_are_those_of_a_whole_build(tmp_path, seed):
    draw = random.Random(seed)
    cluster = Cluster(tmp_path, force=("shrunk", "zero"), **OPTIONS[seed])
    rows = rows_of(draw, 600)
    for _ in range(3):
        found, whole = cluster.build(rows), cluster.build_whole(rows)

        assert cluster.files() == cluster.files("whole")
        for name in COUNTS:
            assert getattr(found, name) == getattr(whole, name), name
        assert found.files == whole.files
        assert found.indexes == whole.indexes
        assert sorted(found.removed_files) == sorted(whole.removed_files)
        assert cluster.runs() == []
        rows = changed(draw, rows)


ROWS = [
    {"loc": f"{BASE}{kind}/{n}", "lastmod": "2026-10-01", "kind": kind}
    for kind in ("a", "b") for n in range(50)
]  # fmt: skip


def test_failed_section_publishes_nothing(tmp_path):
    cluster = Cluster(tmp_path)
    cluster.build(ROWS)
    before = cluster.files()
    plan = cluster.plan()
    changed = [row | {"lastmod": "2026-10-02"} for row in ROWS]

    def sections():
        yield next(cluster.staged(plan, changed))
        raise OSError("the executor is lost")

    with pytest.raises(OSError, match="executor"):
        publish_build(plan, sections())

    assert cluster.files() == before
    assert cluster.runs() == []
    assert cluster.build(changed).changed == 100


def test_gates_hold_for_the_whole_set(tmp_path):
    cluster = Cluster(tmp_path)
    cluster.build(ROWS)
    before = cluster.files()

    with pytest.raises(urlset.GateError, match="at least 50 % of the 100 URLs"):
        cluster.build(ROWS[:40])
    with pytest.raises(urlset.GateError, match="expected URLs to publish"):
        cluster.build([])
    assert cluster.files() == before

    limited = Cluster(tmp_path, max_removed="39%")
    with pytest.raises(urlset.GateError, match=r"at most 39% of the 100 URLs .* found 40"):
        limited.build(ROWS[:60])
    assert cluster.files() == before

    assert cluster.build(ROWS[:60]).removed == 40  # half of a section, and the other whole
    assert cluster.build(ROWS[:50]).removed == 10  # a section is gone
    assert sorted(cluster.files()) == ["sitemap-a-1.xml", "sitemap-a-2.xml", "sitemap.xml"]


def test_hosts_are_checked_in_each_section(tmp_path):
    cluster = Cluster(tmp_path)
    with pytest.raises(urlset.GateError, match="of another host"):
        cluster.build([*ROWS, {"loc": "https://other.org/", "kind": "b"}])
    assert cluster.files() == {}


def test_url_in_two_sections_is_an_error(tmp_path):
    cluster = Cluster(tmp_path)
    twice = {"loc": BASE + "a/7", "kind": "b"}
    with pytest.raises(urlset.SourceError, match=r"found https://example\.com/a/7 in 'a' and 'b'"):
        cluster.build([*ROWS, twice])
    assert cluster.files() == {}
    assert cluster.build([*ROWS, twice | {"kind": "a"}]).duplicates == 1


def test_equal_names_of_two_sections_are_an_error(tmp_path):
    cluster = Cluster(tmp_path, name_pattern="{section}{number}")
    rows = [{"loc": f"{BASE}{kind}/{n}", "kind": kind} for kind in ("a", "a1") for n in range(500)]
    with pytest.raises(urlset.SourceError, match=r"found a11\.xml for the sections 'a' and 'a1'"):
        cluster.build(rows)
    assert cluster.files() == {}


def test_section_twice_is_an_error(tmp_path):
    cluster = Cluster(tmp_path)
    plan = cluster.plan()
    attempts = [build_section(plan, "a", table(ROWS[:50])) for _ in range(2)]
    with pytest.raises(ValueError, match="each section once, found a again"):
        publish_build(plan, attempts)


def test_one_of_two_attempts_is_published(tmp_path):
    cluster = Cluster(tmp_path)
    plan = cluster.plan()
    attempts = [build_section(plan, "a", table(ROWS[:50])) for _ in range(2)]

    assert publish_build(plan, attempts[1:]).urls == 50
    assert cluster.runs() == []


def test_rows_of_another_section_are_an_error(tmp_path):
    cluster = Cluster(tmp_path)
    with pytest.raises(urlset.SourceError, match="rows of the section 'a', found rows of b"):
        build_section(cluster.plan(), "a", table(ROWS))


def test_damaged_staged_file_publishes_nothing(tmp_path):
    cluster = Cluster(tmp_path)
    plan = cluster.plan()
    found = list(cluster.staged(plan, ROWS))
    staged = tmp_path / "ledgers" / plan.run / found[0].folder / "sitemap-a-1.xml"
    staged.write_bytes(staged.read_bytes()[:-9])

    with pytest.raises(urlset.TargetError, match="found other bytes; nothing was published"):
        publish_build(plan, found)
    assert cluster.files() == {}


def test_second_publication_is_refused(tmp_path):
    cluster = Cluster(tmp_path)

    def sections() -> Iterator[SectionBuild]:
        with pytest.raises(urlset.TargetError, match=r"another process|lock"):
            cluster.build(ROWS)
        yield from ()

    with pytest.raises(urlset.GateError):
        publish_build(cluster.plan(), sections())


def test_options_are_checked_before_anything_is_built(tmp_path):
    cluster = Cluster(tmp_path)
    with pytest.raises(ValueError, match=r"unknown option 'max_url'; did you mean 'max_urls'\?"):
        cluster.plan(max_url=3)
    with pytest.raises(ValueError, match="unknown option 'dry_run'"):
        cluster.plan(dry_run=True)
    with pytest.raises(ValueError, match="max_urls"):
        plan_build(tmp_path, ledger=tmp_path, section="kind", base_url=BASE, max_urls=0)


KILLED = """
import os, signal, sys
from datetime import timedelta
from pathlib import Path
import urlset.partitioned.publication as publication
from tests.partitioned.test_builds import ROWS, Cluster

cluster = Cluster(Path(sys.argv[1]))
cluster.now += timedelta(days=1)
changed = [row | {"lastmod": "2026-10-02"} for row in ROWS]
setattr(publication, sys.argv[2], lambda *_: os.kill(os.getpid(), signal.SIGKILL))
cluster.build(changed)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL")
@pytest.mark.parametrize("step", ["_stage", "_commit", "_move_ledgers", "write_robots"])
def test_killed_publication_is_completed_or_without_effect(tmp_path, step):
    cluster = Cluster(tmp_path, robots=str(tmp_path / "robots.txt"))
    cluster.build(ROWS)
    before = cluster.files()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", KILLED.replace("Path(sys.argv[1]))", "Path(sys.argv[1]), robots="
         "str(Path(sys.argv[1], 'robots.txt')))"), tmp_path, step],
        env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL
    assert (cluster.files() == before) == (step == "_stage")

    cluster.now += timedelta(days=2)
    rows = [row | {"lastmod": "2026-10-02"} for row in ROWS]
    found = cluster.build(rows)

    # Without its ledgers a publication is not known: the URLs count as changed again.
    assert found.changed == (100 if step in ("_stage", "_commit") else 0)
    # The times of the files are those of the clock, which this test does not set.
    assert {file.name for file in found.changed_files} <= {"sitemap.xml"} or step == "_stage"
    assert cluster.runs() == []
    dates = {entry.lastmod for entry in urlset.read(tmp_path / "parts" / "sitemap.xml")}
    assert dates == {datetime(2026, 10, 2, tzinfo=UTC)}


def test_bucket(tmp_path, s3):
    plan = plan_build(s3, ledger=tmp_path / "ledgers", section="kind", base_url=BASE, now=NOW)
    cluster = Cluster(tmp_path)
    found = publish_build(plan, cluster.staged(plan, ROWS))
    assert (found.urls, len(found.changed_files)) == (100, 3)
    assert sum(1 for _ in urlset.read(f"{s3}/sitemap.xml")) == 100

    plan = plan_build(s3, ledger=tmp_path / "ledgers", section="kind", base_url=BASE, now=NOW)
    again = publish_build(plan, cluster.staged(plan, ROWS[1:]))
    assert [file.name for file in again.changed_files] == ["sitemap-a-1.xml"]


def test_sitemaps_of_other_systems_are_listed_once(tmp_path):
    with SiteBox() as box:
        box.put_urlset("/docs/sitemap.xml")
        included = {
            "include_sitemaps": box.url("/docs/sitemap.xml"),
            "allowed_hosts": f"127.0.0.1:{box.port}",
            "policy": quick(),
        }
        cluster = Cluster(tmp_path, **included)

        found, whole = cluster.build(ROWS), cluster.build_whole(ROWS)

        assert cluster.files() == cluster.files("whole")
        assert found.indexes == whole.indexes
        assert sum(b"/docs/sitemap.xml" in text for text in cluster.files().values()) == 1
    with pytest.raises(ValueError, match="include_sitemaps: expected an index of all sections"):
        Cluster(tmp_path, index="section", **included).plan()


def test_ledger_is_readable_as_parquet(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    Cluster(tmp_path).build(ROWS)
    urls = tmp_path / "ledgers" / "current" / "*" / "urls.parquet"
    query = f"SELECT section, count(*), min(lastmod) FROM '{urls}' GROUP BY ALL ORDER BY 1"
    with duckdb.connect() as db:
        found = db.sql(query).fetchall()
    assert found == [("a", 50, "2026-10-01"), ("b", 50, "2026-10-01")]


def test_staged_section_says_what_it_holds(tmp_path):
    found = build_section(Cluster(tmp_path).plan(), "a", table(ROWS[:50]))
    assert isinstance(found, SectionBuild)
    assert list(found.digests) == ["sitemap-a-1.xml", "sitemap-a-2.xml"]
    assert found.build.urls == 50


def test_interrupted_commit_is_completed_by_the_next_build(tmp_path, monkeypatch):
    cluster = Cluster(tmp_path)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("urlset.partitioned.publication._move_ledgers", interrupted)
        with pytest.raises(KeyboardInterrupt):
            cluster.build(ROWS)
    assert len(cluster.runs()) == 1

    again = cluster.build(ROWS)
    assert (again.added, again.changed, again.changed_files) == (0, 0, ())
    assert cluster.runs() == []


@pytest.mark.parametrize("name", ["../../b~00", "section=a", "section=a/../../b~00", "\0"])
def test_names_of_folders_in_the_ledger_are_checked(tmp_path, name):
    cluster = Cluster(tmp_path)
    run = tmp_path / "ledgers" / "run-other"
    run.mkdir(parents=True)
    (run / "published").write_bytes(name.encode() + b"\n\xff")
    with pytest.raises(urlset.StoreError, match="expected names of folders"):
        cluster.build(ROWS)
    assert cluster.files() == {}


def test_ledger_that_is_not_shared_is_an_error(tmp_path):
    cluster = Cluster(tmp_path)
    plan = cluster.plan()
    found = list(cluster.staged(plan, ROWS))
    (tmp_path / "ledgers").rename(tmp_path / "elsewhere")
    with pytest.raises(urlset.StoreError, match="folder that all processes share; nothing was"):
        publish_build(plan, found)
    assert cluster.files() == {}


def test_file_in_the_place_of_the_ledger_is_an_error(tmp_path):
    cluster = Cluster(tmp_path)
    (tmp_path / "ledgers").write_text("a file")
    with pytest.raises(urlset.StoreError, match=r"cannot write the ledger .*nothing was published"):
        cluster.build(ROWS)
    with pytest.raises(urlset.TargetError, match=r"cannot stage files in .*nothing was published"):
        build_section(cluster.plan(), "a", table(ROWS[:50]))


def test_full_disk_in_a_task_is_an_error_that_names_the_folder(tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    cluster = Cluster(tmp_path)
    monkeypatch.setattr("urlset.partitioned.section_build.sync_files", full)
    with pytest.raises(urlset.TargetError, match=r"cannot stage files in .*No space left"):
        cluster.build(ROWS)
    assert cluster.files() == {}
    assert cluster.runs() == []


def test_full_disk_at_the_list_of_published_ledgers_is_an_error_that_says_so(tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    cluster = Cluster(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("urlset.partitioned.publication.sync_files", full)
        with pytest.raises(
            urlset.StoreError, match=r"No space left .*ledger was not updated: build"
        ):
            cluster.build(ROWS)
    published = cluster.files()
    cluster.build(ROWS)
    again = cluster.files()
    # The ledgers do not know when the files were written, so the index has new dates.
    assert published.pop("sitemap.xml").count(b"<loc>") == again.pop("sitemap.xml").count(b"<loc>")
    assert published
    assert again == published


@pytest.mark.parametrize("section", ["Blog", "../a", "a/b", "a\0"])
def test_section_that_is_no_word_is_an_error(tmp_path, section):
    with pytest.raises(ValueError, match="section: expected the result of section_word, "):
        build_section(Cluster(tmp_path).plan(), section, table(ROWS))
    assert list(tmp_path.iterdir()) == []


def test_rows_without_the_column_are_an_error(tmp_path):
    rows = table(ROWS).rename_columns(["loc", "lastmod", "kinds"]).to_batches()
    with pytest.raises(ValueError, match="section: found 'kind'; did you mean 'kinds'"):
        list(label_sections(Cluster(tmp_path).plan(), rows))
