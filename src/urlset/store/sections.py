"""Sections of a site: the folders in which its URLs branch, as SQL.

A section is the first folder of the path, such as ``/blog/``; files at the root are in ``/``. A
folder with more than half of all URLs is divided into its folders if these are at most 100, with
five URLs on average; so are its folders, up to five levels. Of a site with most pages in
``/docs/17/`` and ``/docs/16/`` these are sections, and so is ``/docs/``.
"""

from __future__ import annotations

MAX_BRANCHES = 100
"""Folders into which one folder is divided."""

MIN_URLS = 5
"""URLs that these folders have on average."""

MAX_LEVELS = 5
"""Levels of folders that are divided."""


FIRST_FOLDER = "coalesce(nullif(regexp_extract(loc, '^[^:/?#]+://[^/?#]*(/[^/?#]+/)', 1), ''), '/')"
"""SQL expression of the section of one URL: the first folder of the path of ``loc``, or ``/`` for
files at the root. It does not depend on the other URLs. ``watch``, ``diff``, the column ``section``
of pages and the macro ``url_section`` use it."""


def branches_sql(paths: str) -> str:
    """Return a query of one row: the list ``folders`` of divided folders, longest first.

    ``paths`` is SQL that returns the paths of all URLs in the column ``path``.
    """
    return f"""
    WITH path_parts AS (
        SELECT string_split(regexp_extract(path, '^/((?:[^/]+/)*)', 1), '/')[:-2] AS parts,
            count(*) AS n
        FROM ({paths}) GROUP BY parts),
    levels AS (
        SELECT '/' || array_to_string(parts[:depth], '/') || '/' AS folder, depth, sum(n) AS n
        FROM path_parts, range(1, {MAX_LEVELS + 2}) AS depths(depth)
        WHERE depth <= len(parts) GROUP BY ALL),
    divided AS (
        SELECT folder, depth, row_number() OVER (ORDER BY depth) AS nth
        FROM levels JOIN (
            SELECT regexp_replace(folder, '[^/]+/$', '') AS folder, count(*) AS branches
            FROM levels GROUP BY 1) USING (folder)
        WHERE n * 2 > (SELECT sum(n) FROM path_parts) AND depth <= {MAX_LEVELS}
            AND branches <= least({MAX_BRANCHES}, n // {MIN_URLS}))
    SELECT list_append(coalesce(list(folder ORDER BY depth DESC) FILTER (depth = nth), []), '/')
        AS folders
    FROM divided"""


def section_sql(path: str, folders: str) -> str:
    """Return an expression for the section of a path, such as ``/blog/`` or ``/docs/17/``.

    ``path`` is SQL without query and fragment, ``folders`` the list of :func:`branches_sql`.
    """
    # No lambda around it: DuckDB has no subqueries in lambdas, and `folders` may be one.
    return (
        f"coalesce(list_transform(list_filter({folders}, lambda f: starts_with({path}, f))[:1], "
        f"lambda f: f || regexp_extract(substr({path}, length(f) + 1), '^[^/]+/'))[1], '/')"
    )
