"""The command ``urlset schema``: list the JSON Schemas of the outputs, or print one."""

from __future__ import annotations

import json

from urlset.cli.console import Sink
from urlset.cli.options import UsageError
from urlset.errors import suggestion


def schema(
    *,
    schema: str | None,
    quiet: bool,  # noqa: ARG001 - as in all commands; nothing else is printed
) -> None:
    """List the JSON Schemas of what the commands write as JSON, or print one.

    A schema of JSON lines describes one line. Exit codes: 0 listed, 2 there is no such schema.

    \b
    Examples:
      urlset schema
      urlset schema check > check.schema.json
    """  # noqa: D301 - the \b keeps the lines of the examples
    from urlset.output_schemas import OUTPUTS, schemas

    names = [output.name for output in OUTPUTS]
    if schema is not None and schema not in names:
        raise UsageError(
            f"NAME: expected a name that `urlset schema` lists, found {schema!r}"
            f"{suggestion(schema, names)}"
        )
    with Sink(None) as sink:
        if schema is not None:
            sink.write(f"{json.dumps(schemas()[schema], indent=2, ensure_ascii=False)}\n")
            return
        for output in OUTPUTS:
            sink.write(f"{output.name:<17} {output.source}\n")
