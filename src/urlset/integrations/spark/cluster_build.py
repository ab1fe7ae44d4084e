"""Build sitemaps on a cluster of Spark, a section in each task."""

from __future__ import annotations

import base64
import os
import pickle
from collections.abc import Iterable, Iterator
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.types import StringType, StructField, StructType

from urlset.arrow.batches import as_table, batch_of, text_array
from urlset.arrow.frames import to_arrow
from urlset.builder import Build
from urlset.errors import suggestion
from urlset.integrations.spark.executor import task
from urlset.partitioned import (
    SECTION_WORD,
    BuildPlan,
    SectionBuild,
    build_sections,
    label_sections,
    plan_build,
    publish_build,
)


def build(
    frame: DataFrame,
    target: str | os.PathLike[str],
    *,
    ledger: str | os.PathLike[str],
    section: str,
    base_url: str,
    **options: Any,
) -> Build:
    """Build the sitemaps of the rows of a data frame on the cluster, and publish all at once.

    ::

        build(pages, "s3://bucket/sitemaps", ledger="/mnt/shared/ledger", section="country",
              base_url="https://www.example.com/")

    The columns are those of a table for :func:`urlset.build`: ``loc``, ``lastmod``, …. Each section
    is built in one task, so the largest section bounds the time. The files are the same, byte for
    byte, as of ``urlset.build`` with ``sections="column:NAME"`` and ``index="always"``. Nothing is
    published if a task fails more often than Spark repeats it.

    Args:
        frame: The rows; no URL may be in two sections.
        target: The folder or bucket to publish to, which all executors can read.
        ledger: Folder that the driver and all executors share; see
            :func:`urlset.partitioned.plan_build`.
        section: Column with the name of the section; null for none.
        base_url: The address of the target.
        **options: Further options of :func:`urlset.build`, as for ``plan_build``.

    Returns:
        The result, as of :func:`urlset.build`.

    Raises:
        urlset.UrlsetError: As :func:`urlset.partitioned.publish_build`.
        ValueError: An option is unknown or has an invalid value, or there is no such column.
    """
    if section not in frame.columns:
        raise ValueError(f"no column {section!r}{suggestion(section, frame.columns)}")
    plan = plan_build(target, ledger=ledger, section=section, base_url=base_url, **options)
    rows = frame.withColumn(section, frame[section].cast("string"))
    schema = StructType([*rows.schema.fields, StructField(SECTION_WORD, StringType())])
    labelled = rows.mapInArrow(task(_labelled, plan), schema)
    grouped = labelled.repartition(SECTION_WORD).sortWithinPartitions(SECTION_WORD)
    built = grouped.mapInArrow(task(_build_sections, plan), "built string")
    return publish_build(plan, _collected(built))


def _collected(built: DataFrame) -> Iterator[SectionBuild]:
    """Run the job, and yield its results."""
    for row in built.collect():
        yield pickle.loads(base64.b64decode(row.built))


def _labelled(plan: BuildPlan, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield batches with the words of their sections."""
    for batch in label_sections(plan, batches):
        yield from to_arrow(as_table(batch)).to_batches()


def _build_sections(plan: BuildPlan, batches: Iterable[Any]) -> Iterator[Any]:
    """Build the sections of a task; yield a row for each."""
    for built in build_sections(plan, batches):
        state = base64.b64encode(pickle.dumps(built)).decode()
        yield from to_arrow(as_table(batch_of({"built": text_array([state])}))).to_batches()
