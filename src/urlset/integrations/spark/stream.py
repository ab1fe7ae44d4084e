"""Stream of Spark: ``spark.readStream.format("sitemap")`` reads new and changed documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql import streaming
from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader, InputPartition

from urlset.integrations.spark.executor import reduced, restored
from urlset.partitioned.changes import plan_documents, validators


class SparkStreamReader(DataSourceStreamReader):
    """Reader of a stream: each step reads the documents that are new or changed since the last.

    An offset has a validator for each document (:func:`urlset.partitioned.changes.validators`).
    A step has at most ``max_files`` documents; None for no limit.
    """

    def __init__(
        self,
        reader: DataSourceReader,
        paths: Sequence[str],
        settings: dict[str, Any],
        max_files: int | None,
    ):
        self._reader = reader
        self._paths = list(paths)
        self._settings = settings
        self._max_files = max_files
        self._known: dict[str, str] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle with a function that says what an executor lacks."""
        return reduced(restored, type(self), vars(self))

    def initialOffset(self) -> dict[str, str]:
        """Return the offset before all documents."""
        return {}

    def latestOffset(self, start: Any = None, limit: Any = None) -> dict[str, str]:
        """Return the validators of the documents now, of as many new ones as the limit allows."""
        # Spark 4.0 and 4.1 have neither argument.
        before = self._known if start is None else start
        latest = validators(self._paths, before, **self._settings)
        most = getattr(limit, "max_files", None)
        if most is not None:
            changed = [name for name in latest if before.get(name) != latest[name]]
            for name in changed[most:]:
                latest.pop(name)
                if name in before:
                    latest[name] = before[name]
        self._known = dict(sorted(latest.items()))
        return self._known

    def getDefaultReadLimit(self) -> Any:
        """Return the limit of the option ``max_files``."""
        limits = getattr(streaming, "datasource", None)
        if self._max_files is None or limits is None:
            base: Any = super()  # Spark 4.1 does not have the method, and does not call it
            return base.getDefaultReadLimit()
        return limits.ReadMaxFiles(self._max_files)

    def partitions(self, start: dict[str, str], end: dict[str, str]) -> Sequence[InputPartition]:
        """Return one partition for each part of the documents that differ."""
        self._known = end
        changed = {name for name, validator in end.items() if start.get(name) != validator}
        if not changed:
            return []
        return list(map(InputPartition, plan_documents(self._paths, changed, **self._settings)))

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the batches of a part."""
        return self._reader.read(partition)
