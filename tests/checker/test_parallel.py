"""Two connections find what one finds; when the store becomes a file."""

from __future__ import annotations

import os
import random
from threading import Event
from typing import Any

import pytest

from urlset.checker import check, evaluate, views
from urlset.checker.planner import run_tasks
from urlset.errors import QueryError
from urlset.store import Store, writer

NOBODY: Any = None
"""A connection that is not asked anything."""

PIECES = (
    "a",
    "A",
    "é",
    "a b",
    "?utm_source=x",
    "#top",
    "//",
    "/",
    "%zz",
    "{slug}",
    ";jsessionid=1",
)


def _document(seed: int) -> bytes:
    """Entries with many things to object to."""
    chance = random.Random(seed)
    entries = [
        f"<url><loc>http{chance.choice(('', 's'))}://{chance.choice(('', 'www.'))}example.com/"
        f"{''.join(chance.choices(PIECES, k=2))}</loc><lastmod>{chance.randint(1965, 2035)}-01-01"
        f"</lastmod><priority>0.{chance.randint(0, 9)}</priority></url>\n"
        for _ in range(60)
    ]
    return ("<urlset>" + "".join(entries) + "</urlset>").encode()


@pytest.mark.parametrize("seed", range(3))
def test_two_connections_find_what_one_finds(seed, monkeypatch):
    document = _document(seed)
    by_two = check(document, base_url="https://example.com/s.xml", max_excerpts=0)
    found_by_two = list(by_two)

    monkeypatch.setattr(evaluate, "MAX_PARALLEL_ENTRIES", -1)
    by_one = check(document, base_url="https://example.com/s.xml", max_excerpts=0)

    assert found_by_two == list(by_one)
    assert by_two.by_rule == by_one.by_rule
    assert len(by_two.by_rule) > 10


def test_findings_that_are_not_kept_are_counted(monkeypatch):
    document = _document(4)
    every = check(document)
    counts = (list(every), every.by_rule, every.by_level)[1:]

    monkeypatch.setattr(evaluate, "MAX_ROWS", 2)
    few = check(document)
    kept = list(few)

    assert (few.by_rule, few.by_level) == counts
    assert max(sum(f.code == code for f in kept) for code in few.by_rule) == 2


def test_odd_locs_that_are_many_are_no_table(monkeypatch):
    document = _document(5)
    told = list(check(document))

    monkeypatch.setattr("urlset.checker.views.MAX_UNUSUAL_ROWS", 0)

    assert list(check(document)) == told
    assert "unusual_urls" in views.VIEWS


def test_tasks_wait_for_what_they_need():
    done: list[str] = []
    both = Event()

    def task(name: str):
        def work(asking: object) -> str:
            if name == "b":  # it is done beside the other
                assert both.wait(30)
            if name == "c":
                both.set()
            done.append(name)
            return name.upper()

        return work

    needs = {"a": {"b", "elsewhere"}, "d": {"a", "c"}}
    found = run_tasks([NOBODY, NOBODY], {name: task(name) for name in "abcd"}, needs)

    assert found == {"a": "A", "b": "B", "c": "C", "d": "D"}
    assert list(found) == ["a", "b", "c", "d"]
    assert done.index("b") < done.index("a") < done.index("d")


@pytest.mark.parametrize("connections", [1, 2])
def test_task_that_fails_ends_the_others(connections):
    begun: list[str] = []

    def fail(asking: object) -> None:
        begun.append("fail")
        raise QueryError("no")

    def late(asking: object) -> None:
        begun.append("late")

    with pytest.raises(QueryError):
        run_tasks([NOBODY] * connections, {"fail": fail, "late": late}, {"late": {"fail"}})
    assert begun == ["fail"]


def test_store_without_a_path_is_a_file_when_there_is_much(monkeypatch, tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(f"https://example.com/{number}\n" * 2)
    monkeypatch.setattr(writer, "MAX_ROWS", 4)

    from urlset import read

    with Store.open() as store:
        store.fill(read(tmp_path))
        path = store._database.path
        assert os.path.exists(path)
        assert list(store.query("SELECT count(*), count(DISTINCT document) FROM entries")) == [
            (6, 3)
        ]
    assert not os.path.exists(path)


def test_store_without_a_path_is_in_memory_while_there_is_little():
    from urlset import read

    with Store.open() as store:
        store.fill(read(b"https://example.com/"))
        assert not os.path.exists(store._database.path)
        store.fill(read(b"https://example.com/a https://example.com/b"), root="another")
        (count,) = next(iter(store.query("SELECT count(*) FROM entries")))
    assert count == 2  # the second has the same name as the first: none
