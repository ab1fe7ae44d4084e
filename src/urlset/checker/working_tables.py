"""Declare the temporary tables of a check, next to the views that its rules query."""

from __future__ import annotations

from urlset.store import declare_tables

_TABLES = declare_tables(
    """
    markup_facts    | findings live.audit.judgement partitioned.check | views                                                           | Facts of the markup of documents. | document offset line fact name value other times
    failures        | findings live.audit.judgement partitioned.check | views rules.indexes live.audit.judgement partitioned.set_tables | Documents that could not be read. | document failure parent how loc error
    disallowed      | robots_access                                   | rules.robots                                                    | URLs that robots.txt disallows; of a page of an entry without `url`. | document UINTEGER, entry UINTEGER, nth UINTEGER, url VARCHAR, robots VARCHAR, agent VARCHAR
    robots_suspects | robots_access                                   | robots_access                                                   | URLs of a site that robots.txt may disallow. | number document entry nth is_sure url
    rule_matches    | evaluate                                        | evaluate                                                        | Rows that the SQL of one rule returned; the rule defines the columns. |
    finding_rows    | evaluate live.audit.result                      | evaluate html_report.figures                                    | Findings. Those of the report of an audit have `loc` and `level` only. | document UINTEGER, source VARCHAR, "offset" UBIGINT, line UINTEGER, "column" UINTEGER, loc VARCHAR, nth UINTEGER, code VARCHAR, level VARCHAR, message VARCHAR, parameters VARCHAR[], basis VARCHAR
    shuffled        | partitioned.set_tables                          | partitioned.set_tables                                          | Entries of a part of a divided check, with their bucket. |
    """
)
DISALLOWED = _TABLES["disallowed"]
FINDING_ROWS = _TABLES["finding_rows"]

ACCESS_RULES = frozenset({"R009", "R010"})
"""Codes of the rules that need the table ``disallowed``."""

WORKING_TABLES = tuple(_TABLES.values())
"""All temporary tables of a check, in the order of the data flow."""
