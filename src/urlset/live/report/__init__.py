"""Report on several sites: the state of each, from the stores of audit, crawl, watch and read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from urlset.arguments import checked_arguments
from urlset.errors import StoreError
from urlset.live.report.result import Report
from urlset.live.report.site_state import SiteRule, SiteState, read_state
from urlset.model import ProgressEvent
from urlset.option_schema import as_tuple

__all__ = ["Report", "SiteRule", "SiteState", "report"]


@checked_arguments
def report(
    stores: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    # These are generated from urlset.option_schema by `make docs`.
    progress: Callable[[ProgressEvent], None] | None = None,
) -> Report:
    """Summarize several sites: one line for each store of an audit, a crawl, a sync, watch or read.

    Nothing is requested, and the stores are not changed. A store that cannot be read is in
    ``incomplete``; the others are reported.

    >>> import urlset
    >>> from urlset.store import Store
    >>> with Store.open("shop.duckdb") as store:  # doctest: +SKIP
    ...     store.fill(urlset.read("https://example.com/"))
    >>> urlset.report(["shop.duckdb"]).sites[0].listed  # doctest: +SKIP
    2

    Args:
        stores: Paths of the stores (.duckdb).
        progress: Called with a :class:`urlset.ProgressEvent`: how much was done so far.

    Returns:
        The state of each site, in the order of the stores.

    Raises:
        urlset.StoreError: None of the stores can be read.
        TypeError: A store is not a path.
        ValueError: There is no store.
    """
    paths: dict[str, str] = {}  # a store that is named twice is one site
    for path in as_tuple(stores, "stores"):
        if not isinstance(path, str | os.PathLike):
            raise TypeError(f"stores: expected paths of stores, found {type(path).__name__}")
        paths.setdefault(os.path.realpath(path), os.fspath(path))
    if not paths:
        raise ValueError("stores: expected the path of one store at least, found none")
    sites, errors = [], []
    for number, path in enumerate(paths.values(), start=1):
        if progress is not None:
            progress(ProgressEvent(source=path, documents=number))
        try:
            sites.append(read_state(path))
        except StoreError as error:
            errors.append(str(error))
    if not sites:
        raise StoreError("; ".join(errors))
    return Report(sites, errors)
