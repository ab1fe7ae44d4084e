"""The thread that scans the texts of documents while the next ones are read."""

import threading

import pytest

from urlset import parse
from urlset.checker import check, evaluate, findings, load
from urlset.store import SESSION_MB

ONE = b"<urlset><url><loc>https://example.com/</loc></url></urlset>"


def threads() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name.startswith("urlset-texts")]


@pytest.mark.parametrize("task_bytes", [1, 1 << 20])
def test_documents_arrive_in_order_and_before_the_end(monkeypatch, task_bytes):
    monkeypatch.setattr(load, "TASK_BYTES", task_bytes)
    found: list[int] = []

    with load._BackgroundWorker(lambda number, _: found.append(number)) as worker:
        for number in range(20):
            worker.add(number, parse(ONE))

    assert found == [*range(20)]
    assert threads() == []


@pytest.mark.parametrize("task_bytes", [1, 1 << 20])
def test_error_is_raised_and_the_thread_ends(monkeypatch, task_bytes):
    monkeypatch.setattr(load, "TASK_BYTES", task_bytes)

    def fail(_number: int, _document: object) -> None:
        raise OSError("disk full")

    def use() -> None:
        with load._BackgroundWorker(fail) as worker:
            for number in range(20):
                worker.add(number, parse(ONE))

    with pytest.raises(OSError, match="disk full"):
        use()

    assert threads() == []


def test_error_of_an_earlier_task_at_the_end_leaves_no_thread(monkeypatch):
    def fail(_number: int, _document: object) -> None:
        raise OSError("disk full")

    def use() -> None:
        with load._BackgroundWorker(fail) as worker:
            monkeypatch.setattr(load, "TASK_BYTES", 1)
            for number in range(load.MAX_WAITING):
                worker.add(number, parse(ONE))
            monkeypatch.setattr(load, "TASK_BYTES", 1 << 20)
            worker.add(load.MAX_WAITING, parse(ONE))

    with pytest.raises(OSError, match="disk full"):
        use()
    assert threads() == []


@pytest.mark.parametrize(
    ("most", "memory_mb"), [(1, findings.CHECK_MB), (0, SESSION_MB)], ids=["few", "many"]
)
def test_memory_of_a_check_depends_on_its_entries(monkeypatch, most, memory_mb):
    given = []

    def spy(*arguments, **options):
        given.append(options["memory_mb"])
        return evaluate.evaluate(*arguments, **options)

    monkeypatch.setattr(findings, "evaluate", spy)
    monkeypatch.setattr(findings, "CHECK_ENTRIES", most)

    assert [*check(ONE)]
    assert given == [memory_mb]
    assert findings.CHECK_MB < SESSION_MB
