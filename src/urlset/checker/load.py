"""Fills a store with what a check is about, and keeps what a store has no room for."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from types import TracebackType

from urlset.checker.evaluate import FindingKey, Tally
from urlset.checker.failures import Failures
from urlset.checker.markup_facts import MarkupFacts
from urlset.checker.text_cache import TextCache
from urlset.checker.views import BROKEN
from urlset.engine_rules import RULES
from urlset.reader import DocumentRecord, Entries
from urlset.store import Store

__all__ = ["Seen", "load"]

MAX_WAITING = 8
"""Tasks that wait to be done; two for each document."""

_CODES = {rule.name: code for code, rule in RULES.items()}


Seen = Callable[[DocumentRecord], None]
"""Who is told of each document when it has been read."""


def load(
    store: Store,
    texts: TextCache,
    markup: MarkupFacts,
    failures: Failures,
    entries: Entries,
    seen: Seen | None = None,
) -> Tally:
    """Read all documents into a store, and their texts and facts of their markup beside it.

    Gives back what the engine counted but did not tell.
    """
    omitted: Tally = Counter()
    with (
        _Aside() as aside,
        store.writer(None) as filling,
        closing(entries.batches(filling.on_response)) as portions,
    ):
        for record, document, rows in portions:
            number = filling.add(record, document, rows)
            failures.add(number, record, document)
            if seen is not None:
                seen(record)
            if document is None:
                continue
            if document.text:  # what was stored is there without it
                aside.run(partial(texts.add, number, document))
                aside.run(partial(markup.add, number, document))
            is_broken = any(problem.code in BROKEN for problem in document.problems)
            for name, count in document.omitted.items():
                rule = RULES[_CODES[name]]
                if rule.code.startswith("X") or not is_broken:
                    omitted[FindingKey(rule.code, rule.level, record.source)] += count
    return omitted


class _Aside:
    """Does one thing after another beside what else goes on; a context manager.

    Parsing and storing need no Python, and leave it to what looks through the texts.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="urlset-texts")
        self._waiting: deque[Future[None]] = deque()

    def run(self, task: Callable[[], None]) -> None:
        """Have a task done; waits where there are many, for each keeps a document."""
        while len(self._waiting) >= MAX_WAITING:
            self._waiting.popleft().result()
        self._waiting.append(self._thread.submit(task))

    def __enter__(self) -> _Aside:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._thread.shutdown(cancel_futures=kind is not None)
        if kind is None:
            for task in self._waiting:
                task.result()
