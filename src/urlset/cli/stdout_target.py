"""Where a build goes: into its target, or (``-o -``) to stdout, as one file."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

from urlset.builder import Build
from urlset.cli.options import MisuseError
from urlset.cli.sink import Sink
from urlset.errors import TargetError

__all__ = ["BuildOutput"]


class BuildOutput:
    """The target of a build; a context manager.

    For stdout it is a temporary folder, with a ledger of its own: such a build publishes nothing,
    and remembers nothing. ``wanted`` are the options of the build; the ledger is set in them.
    Raises :class:`MisuseError` for options that have no meaning there.
    """

    def __init__(self, output: str, wanted: dict[str, Any], *, as_json: bool):
        self.is_stdout = output == "-"
        self.target = output
        self._wanted = wanted
        self._folder: TemporaryDirectory[str] | None = None
        if not self.is_stdout:
            return
        refused = [name for name in ("robots", "cache_control", "encoding") if wanted.get(name)]
        refused += ["json"] if as_json else []
        if refused:
            option = refused[0].replace("_", "-")
            raise MisuseError(
                f"--{option}: expected no such option where the sitemap goes to stdout "
                "(--output -); name a folder, or leave it out"
            )

    def __enter__(self) -> BuildOutput:
        if self.is_stdout:
            self._folder = TemporaryDirectory(prefix="urlset-")
            self.target = str(Path(self._folder.name) / "public")
            self._wanted["ledger"] = Path(self._folder.name) / "ledger.duckdb"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def copy(self, made: Build, sink: Sink) -> None:
        """Write the only file of the build to stdout."""
        if not self.is_stdout:
            return
        names = [file.name for file in (*made.files, *made.indexes)]
        if len(names) != 1:
            raise TargetError(
                f"expected one file for stdout, found {len(names):,} ({', '.join(names[:3])} …); "
                "name a folder with --output"
            )
        with open(Path(self.target) / names[0], "rb") as file:
            sink.copy(file)
