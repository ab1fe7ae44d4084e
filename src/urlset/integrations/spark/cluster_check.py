"""Check a source on a cluster of Spark: the tasks of :class:`urlset.partitioned.PartitionedCheck`.

Rows of Arrow travel through Spark as bytes, so the data frames between the tasks have one schema.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

from pyspark import StorageLevel
from pyspark.sql import SparkSession
from pyspark.sql.functions import col

from urlset.arrow.frames import from_ipc, to_arrow, to_ipc
from urlset.integrations.spark.executor import task
from urlset.partitioned import (
    FINDING_COLUMNS,
    PartitionedCheck,
    PartSource,
    Piece,
    ReadPart,
    SetContext,
    plan,
)
from urlset.partitioned.set_tables import SET_TABLES

_PIECES = "kind string, part bigint, bucket bigint, data binary"
_TYPES = {"string": "string", "uint32": "bigint", "uint64": "bigint"}
_FINDINGS = ", ".join(f"{name} {_TYPES[str(kind)]}" for name, kind in FINDING_COLUMNS)
_RULES = [field.name for field in fields(PartitionedCheck) if field.name != "buckets"]


def check(
    spark: SparkSession, source: PartSource, *, buckets: int | None = None, **options: Any
) -> Any:
    """Return the findings of :func:`urlset.check` of a source as a data frame, from a cluster.

    Each part is read in one task, which also evaluates the rules about single documents. Entries
    are shuffled for rules that compare documents. The driver holds the rows of all documents,
    listed sitemaps and robots.txt: some hundred bytes for each, and the texts of robots.txt.

    The results of the first stage stay cached until ``spark.catalog.clearCache()``, so that no site
    is read twice; on the loss of an executor, Spark reads its parts again. Files that findings of a
    comparison are in are read again for their lines. A site is not: such a finding has the line of
    its entry.

    Args:
        spark: The session.
        source: What to check, as in :func:`urlset.partitioned.plan`; all of it is one set.
        buckets: Number of buckets for shuffled entries, each of which must fit in the memory of a
            task; by default the number of parts.
        options: Arguments of :func:`urlset.partitioned.check`, such as ``select``, and of
            :func:`urlset.partitioned.plan`, such as ``base_url``.

    Returns:
        A data frame with the columns :data:`urlset.partitioned.FINDING_COLUMNS`.

    Raises:
        urlset.SourceError: The source does not exist.
        TypeError: An option is unknown.
        ValueError: An option is invalid.
    """
    rules = {name: options.pop(name) for name in _RULES if name in options}
    parts = plan(source, **options)
    rules["now"] = rules.get("now") or datetime.now(UTC)
    division = PartitionedCheck(buckets=len(parts) if buckets is None else buckets, **rules)

    # Each partition of this range has one row; Spark may put two rows of other data frames in one.
    numbers = spark.range(0, len(parts), 1, max(1, len(parts)))
    tasks = numbers.mapInArrow(task(_planned, [*map(pickle.dumps, parts)]), _PIECES)
    read = tasks.mapInArrow(task(_check_parts, division), _PIECES)
    read = read.persist(StorageLevel.MEMORY_AND_DISK)

    tables = read.where(col("kind").isin(*SET_TABLES)).collect()
    context = division.context(map(_piece_of, tables), len(parts))
    found = spark.createDataFrame([*map(_row_of, division.check_set(context))], _PIECES)
    if division.kinds:
        shuffled = read.where(col("kind").isin(*division.kinds)).groupBy("kind", "bucket")
        state = {name: to_ipc(batch) for name, batch in context.tables.items()}
        run = task(_check_bucket, division, state, context.starts)
        found = found.union(_grouped(shuffled, run))
    placed = _grouped(tasks.union(found).groupBy("part"), task(_findings, division))
    findings = read.where(col("kind") == "findings").union(placed)
    return findings.mapInArrow(task(_decoded), _FINDINGS)


def _grouped(groups: Any, run: Callable[[Any], Any]) -> Any:
    """Apply a task to each group; Spark counts the parameters of the function."""
    return groups.applyInArrow(run, _PIECES)


def _planned(parts: list[bytes], batches: Iterable[Any]) -> Iterator[Any]:
    for batch in batches:
        numbers = batch.column("id").to_pylist()
        columns: dict[str, list[Any]] = {"kind": ["part"] * len(numbers), "part": numbers}
        columns |= {"bucket": [0] * len(numbers), "data": [parts[number] for number in numbers]}
        yield type(batch).from_pydict(columns)


def _check_parts(check: PartitionedCheck, batches: Iterable[Any]) -> Iterator[Any]:
    for batch in batches:
        for row in batch.to_pylist():
            for piece in check.check_part(row["part"], pickle.loads(row["data"])):
                yield _packed(type(batch), [piece], batch.schema)


def _check_bucket(
    check: PartitionedCheck, state: dict[str, bytes], starts: tuple[int, ...], table: Any
) -> Any:
    context = SetContext({name: from_ipc(data) for name, data in state.items()}, starts)
    pieces = [_piece_of(row) for row in table.to_pylist()]
    found = check.check_bucket(pieces[0].kind, pieces[0].bucket, context, pieces)  # type: ignore[arg-type]
    return _packed(type(table), found, table.schema)


def _findings(check: PartitionedCheck, table: Any) -> Any:
    part: ReadPart | None = None
    pieces = []
    for row in table.to_pylist():
        if row["kind"] == "part":
            part = pickle.loads(row["data"])
        else:
            pieces.append(_piece_of(row))
    batches = check.findings(part, pieces) if pieces else ()
    found = [Piece("findings", 0, 0, batch) for batch in batches]
    return _packed(type(table), found, table.schema)


def _decoded(batches: Iterable[Any]) -> Iterator[Any]:
    for batch in batches:
        for row in batch.to_pylist():
            rows = to_arrow(from_ipc(row["data"]))
            kinds = {"uint32": "int64", "uint64": "int64"}
            for name in rows.column_names:
                place, kind = rows.column_names.index(name), str(rows.schema.field(name).type)
                rows = rows.set_column(place, name, rows[name].cast(kinds.get(kind, "string")))
            yield from rows.to_batches()


def _packed(kind: Any, pieces: Iterable[Piece], schema: Any) -> Any:
    rows = [dict(zip(schema.names, _row_of(piece), strict=True)) for piece in pieces]
    return kind.from_pylist(rows, schema=schema)


def _row_of(piece: Piece) -> tuple[str, int, int, bytes]:
    return piece.kind, piece.part, piece.bucket, to_ipc(piece.batch)


def _piece_of(row: Any) -> Piece:
    return Piece(row["kind"], row["part"], row["bucket"], from_ipc(bytes(row["data"])))
