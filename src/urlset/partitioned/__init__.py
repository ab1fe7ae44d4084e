"""Read, check and build sitemaps in parts, in any processes: what adapters for clusters call.

:func:`plan` divides a source into parts, :func:`read` reads one of them, and :func:`check` checks
all of them. :func:`plan_build` begins a build, :func:`build_section` builds the files of one
section, and :func:`publish_build` publishes all of them. Parts, plans and results can be pickled.
"""

from __future__ import annotations

from urlset.partitioned.check import FINDING_COLUMNS, PartitionedCheck, check
from urlset.partitioned.parts import PartSource, ReadPart, plan
from urlset.partitioned.publication import publish_build
from urlset.partitioned.rows import TABLES, TableName, read, read_tables, table_schema
from urlset.partitioned.section_build import (
    SECTION_WORD,
    BuildPlan,
    SectionBuild,
    build_section,
    build_sections,
    label_sections,
    plan_build,
    section_word,
)
from urlset.partitioned.set_tables import Piece, SetContext

__all__ = [
    "FINDING_COLUMNS",
    "SECTION_WORD",
    "TABLES",
    "BuildPlan",
    "PartSource",
    "PartitionedCheck",
    "Piece",
    "ReadPart",
    "SectionBuild",
    "SetContext",
    "TableName",
    "build_section",
    "build_sections",
    "check",
    "label_sections",
    "plan",
    "plan_build",
    "publish_build",
    "read",
    "read_tables",
    "section_word",
    "table_schema",
]
