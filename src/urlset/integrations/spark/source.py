"""Sitemaps as a data source of Spark: ``spark.read.format("sitemap")``.

It is a Python data source (https://spark.apache.org/docs/latest/api/python/tutorial/sql/
python_data_source.html).
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import fields
from datetime import UTC, date, datetime
from typing import Any

from pyspark.sql import SparkSession, types
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from urlset.arrow.frames import to_arrow
from urlset.errors import suggestion
from urlset.http import Policy
from urlset.integrations.spark.executor import reduced, restored
from urlset.integrations.spark.stream import SparkStreamReader
from urlset.partitioned import TABLES, ReadPart, plan, read, table_schema

_FLAGS = {"true": True, "false": False}
_POLICY = {each.name: str(each.type) for each in fields(Policy)}


def register(spark: SparkSession) -> None:
    """Register the format ``sitemap`` with a session.

    ::

        from urlset.integrations.spark import register

        register(spark)
        pages = (
            spark.read.format("sitemap")
            .schema("loc string, lastmod timestamp")
            .load("https://www.example.com/")
        )

    The path is what :func:`urlset.read` accepts: the URL of a site or sitemap, a file, a folder or
    a bucket that all executors can read; several as a list. Options:

    - ``table``: ``entries``, ``documents``, ``sitemaps``, ``problems`` or ``robots``. A document
      that cannot be read does not fail the job: it is a row of ``documents`` with an ``error``.
    - ``parts``, ``part_bytes``, ``base_url``, ``engine``, ``max_bytes``, ``follow``, ``since``,
      ``cache`` and ``read_robots``: as in :func:`urlset.partitioned.plan`.
    - The settings of :class:`urlset.Policy` that are texts, numbers, true or false, such as
      ``user_agent`` and ``delay_s``.

    The columns are those of the schema, in any order, with any type that theirs can be cast to; all
    columns of the table without a schema. Entries also have the column ``host``.

    - ``include``, ``exclude`` and ``hosts`` (separated by commas): as in
      :func:`urlset.partitioned.read`.
    - ``pushdown``: if true, filters of a query on ``lastmod``, ``host`` and ``source`` of entries
      are applied while documents are read. It requires Spark 4.1 and its setting
      ``spark.sql.python.filterPushdown.enabled``. Use such a data frame for one query only: up to
      4.3 Spark returns the rows of the last filter for a query without filters.

    ``spark.readStream.format("sitemap")`` reads the documents that are new or changed since the
    last step (:mod:`urlset.partitioned.changes`). With the option ``max_files`` and Spark 4.2, a
    step has at most so many documents.
    """
    spark.dataSource.register(SparkSource)


class SparkSource(DataSource):
    """Data source ``sitemap``; see :func:`register`.

    Raises:
        ValueError: An option is unknown or has an invalid value.
    """

    def __init__(self, options: dict[str, str]):
        super().__init__(options)
        given = {name.lower(): value for name, value in options.items()}
        self.paths: list[str] = json.loads(given.pop("paths", "[]"))
        if "path" in given:
            self.paths.append(given.pop("path"))
        self.table: Any = given.pop("table", "entries")
        if self.table not in TABLES:
            raise ValueError(f"option table: found {self.table!r}{suggestion(self.table, TABLES)}")
        self.settings: dict[str, Any] = {}
        self.filters: dict[str, Any] = {}
        self.pushdown = False
        self.max_files: int | None = None
        policy: dict[str, Any] = {}
        for name, text in given.items():
            if name not in _OPTIONS:
                known = ["table", *_OPTIONS]
                raise ValueError(f"unknown option {name!r}{suggestion(name, known)}")
            value = _value(name, text, _OPTIONS[name])
            if name in _PLAN:
                self.settings[name] = value
            elif name == "hosts":
                self.filters[name] = [part.strip() for part in value.split(",") if part.strip()]
            elif name in _FILTERS:
                self.filters[name] = value
            elif name == "pushdown":
                self.pushdown = value
            elif name == "max_files":
                self.max_files = value
            else:
                policy[name] = value
        if policy:
            self.settings["policy"] = Policy(**policy)

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "sitemap"

    def schema(self) -> types.StructType:
        """Return all columns of the table."""
        return _columns(self.table)

    def reader(self, schema: types.StructType) -> SparkReader:
        """Return the reader of the columns of a schema."""
        # Spark refuses a reader with `pushFilters` unless its setting allows that.
        return (FilteringSparkReader if self.pushdown else SparkReader)(self, schema)

    def streamReader(self, schema: types.StructType) -> SparkStreamReader:
        """Return the reader of a stream of the columns of a schema."""
        return SparkStreamReader(
            SparkReader(self, schema), self.paths, self.settings, self.max_files
        )


class SparkReader(DataSourceReader):
    """Reader of one query: plans on the driver, reads in the tasks.

    Raises:
        ValueError: The schema has a column that the table does not have, or of another type; or
            no path is given.
    """

    def __init__(self, source: SparkSource, schema: Any):
        if not source.paths:
            raise ValueError('expected a path or URL: load("https://www.example.com/")')
        self.table = source.table
        # Sail passes a schema of pyarrow, with the time zone of its session.
        is_arrow = not isinstance(schema, types.StructType)
        self._arrow_schema = schema if is_arrow else _arrow_schema(schema)
        self.schema: types.StructType = from_arrow_schema(schema) if is_arrow else schema
        self.filters = dict(source.filters)
        self._paths = source.paths
        self._settings = source.settings
        _expect_columns(self.schema, self.table)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[bytes]]:
        """Pickle with a function that says what an executor lacks."""
        return reduced(restored, type(self), vars(self))

    def partitions(self) -> Sequence[InputPartition]:
        """Return one partition for each part of the source."""
        return [InputPartition(part) for part in plan(self._paths, **self._settings)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the batches of a part."""
        part: ReadPart | None = getattr(partition, "value", None)
        if part is None:  # Spark passes None if there are no partitions
            return iter(())
        batches = read(part, table=self.table, columns=self.schema.names, **self.filters)
        return _converted(batches, self._arrow_schema)


class FilteringSparkReader(SparkReader):
    """Reader that applies filters on ``lastmod``, ``host`` and ``source``."""

    def pushFilters(self, filters: list[Any]) -> Iterator[Any]:
        """Take over filters; yield those that Spark must apply."""
        for one in filters:
            if self.table != "entries" or not self._take(one):
                yield one

    def _take(self, one: Any) -> bool:
        """Take over a filter; return whether it is applied exactly."""
        # By name: Spark 4.0 does not have the classes.
        match type(one).__name__, getattr(one, "attribute", ()), getattr(one, "value", None):
            case ("GreaterThan" | "GreaterThanOrEqual") as kind, ("lastmod",), date() as value:
                moment = _instant(value)
                self.filters["since"] = max(moment, self.filters.get("since", moment))
                return kind == "GreaterThanOrEqual"
            case "EqualTo", (("host" | "source") as column,), str() as value:
                return self._take_values(column, [value])
            case "In", (("host" | "source") as column,), tuple() as values:
                return self._take_values(column, values)
            case _:
                return False

    def _take_values(self, column: str, values: Collection[Any]) -> bool:
        name = f"{column}s"
        known = self.filters.get(name)
        chosen = {value for value in values if value is not None}
        self.filters[name] = chosen if known is None else chosen.intersection(known)
        return True


_CASTS = {"bigint": ("int",), "double": ("float",), "timestamp": ("date", "timestamp_ntz")}
"""Types of a schema, beside that of the column."""


def _expect_columns(schema: types.StructType, table: Any) -> None:
    """Raise ``ValueError`` if a table has no column of that name, or none of that type."""
    columns = {field.name: field.dataType.simpleString() for field in _columns(table)}
    if table == "entries":
        columns["host"] = "string"
    for field in schema:
        found = columns.get(field.name)
        if found is None:
            raise ValueError(
                f"the schema has the column {field.name!r}, which the table {table} does not have"
                f"{suggestion(field.name, columns)}"
            )
        wanted, known = field.dataType.simpleString(), (found, *_CASTS.get(found, ()))
        if wanted not in known:
            expected = " or ".join(known)
            raise ValueError(
                f"the schema has the column {field.name!r} as {wanted}, expected {expected}"
            )


def _columns(table: Any) -> types.StructType:
    return types.StructType([_spark_field(field) for field in table_schema(table)])


def _spark_field(field: Any) -> types.StructField:
    return types.StructField(field.name, _spark_type(field.type), field.nullable)


def _spark_type(kind: Any) -> types.DataType:
    tests = type(kind)
    if tests.is_list(kind):
        return types.ArrayType(_spark_type(kind.value_type), kind.value_field.nullable)
    if tests.is_struct(kind):
        return types.StructType([_spark_field(field) for field in kind.fields])
    if tests.is_timestamp(kind):
        return types.TimestampType()
    if tests.is_boolean(kind):
        return types.BooleanType()
    if tests.is_floating(kind):
        return types.DoubleType()
    return types.LongType() if tests.is_integer(kind) else types.StringType()


def _converted(batches: Iterable[Any], schema: Any) -> Iterator[Any]:
    """Yield the batches as ``pyarrow.RecordBatch`` with the types of a schema."""
    for batch in batches:
        yield from to_arrow(batch).cast(schema).to_batches()


def _arrow_schema(schema: types.StructType) -> Any:
    # Spark converts instants in UTC to those of its session. 4.2 and newer need the zone.
    convert: Any = to_arrow_schema
    has_zone = "timezone" in inspect.signature(convert).parameters
    return convert(schema, timezone="UTC") if has_zone else convert(schema)


def _instant(value: date) -> datetime:
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    return datetime(value.year, value.month, value.day, tzinfo=UTC)


_PLAN = {
    **dict.fromkeys(("parts", "part_bytes", "max_bytes"), "int"),
    **dict.fromkeys(("base_url", "engine", "since", "cache"), "str"),
    **dict.fromkeys(("follow", "read_robots"), "bool"),
}
_FILTERS = dict.fromkeys(("include", "exclude", "hosts"), "str")
_SIMPLE = ("int", "float", "bool", "str")
_OPTIONS = {
    **{name: kind for name, text in _POLICY.items() if (kind := text.split(" ")[0]) in _SIMPLE},
    **_PLAN,
    **_FILTERS,
    "pushdown": "bool",
    "max_files": "int",
}


def _value(name: str, text: str, kind: str) -> Any:
    try:
        if kind == "bool":
            return _FLAGS[text.strip().lower()]
        return {"int": int, "float": float, "str": str}[kind](text)
    except (ValueError, KeyError):
        noun = {"int": "a whole number", "float": "a number", "bool": "true or false"}[kind]
        raise ValueError(f"option {name}: expected {noun}, found {text!r}") from None
