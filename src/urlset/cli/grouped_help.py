"""Help that lists the options of a command in groups, each under a heading of its own."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

__all__ = ["GroupedCommand"]


class GroupedCommand(TyperCommand):
    """A command whose help groups options by their ``rich_help_panel``.

    Those without one come first, under ``Options``; the groups follow in the order in which their
    first options are declared.
    """

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the sections of the help."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            is_option = parameter.param_type_name == "option"
            group = getattr(parameter, "rich_help_panel", None) if is_option else "Arguments"
            if record is not None:
                sections.setdefault(group or "Options", []).append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)
