"""Declare the temporary tables of a check, next to the views that its rules query."""

from __future__ import annotations

from urlset.store import declare_table

DISALLOWED = declare_table(
    "disallowed",
    "URLs that robots.txt disallows; of a page of an entry without `url`.",
    "document UINTEGER, entry UINTEGER, nth UINTEGER, url VARCHAR, robots VARCHAR, agent VARCHAR",
    writers="robots_access",
    readers="rules.robots",
)
ACCESS_RULES = frozenset({"R009", "R010"})
"""Codes of the rules that need the table ``disallowed``."""

FINDING_ROWS = declare_table(
    "finding_rows",
    "Findings. Those of the report of an audit have `loc` and `level` only.",
    'document UINTEGER, source VARCHAR, "offset" UBIGINT, line UINTEGER, "column" UINTEGER, '
    "loc VARCHAR, nth UINTEGER, code VARCHAR, level VARCHAR, message VARCHAR, parameters "
    "VARCHAR[], basis VARCHAR",
    writers="evaluate live.audit.result",
    readers="evaluate html_report.figures",
)

WORKING_TABLES = (
    declare_table(
        "markup_facts",
        "Facts of the markup of documents.",
        "document offset line fact name value other times",
        writers="findings live.audit.judgement partitioned.check",
        readers="views",
    ),
    declare_table(
        "failures",
        "Documents that could not be read.",
        "document failure parent how loc error",
        writers="findings live.audit.judgement partitioned.check",
        readers="views rules.indexes live.audit.judgement partitioned.set_tables",
    ),
    DISALLOWED,
    declare_table(
        "robots_suspects",
        "URLs of a site that robots.txt may disallow.",
        "number document entry nth is_sure url",
        writers="robots_access",
        readers="robots_access",
    ),
    declare_table(
        "rule_matches",
        "Rows that the SQL of one rule returned; the rule defines the columns.",
        "",
        writers="evaluate",
        readers="evaluate",
    ),
    FINDING_ROWS,
    declare_table(
        "shuffled",
        "Entries of a part of a divided check, with their bucket.",
        "",
        writers="partitioned.set_tables",
        readers="partitioned.set_tables",
    ),
)
"""All temporary tables of a check, in the order of the data flow."""
