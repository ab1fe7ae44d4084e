"""Settings and keyword arguments of functions: those of their signatures, with their types."""

import inspect
from dataclasses import fields
from typing import Any, ForwardRef

import pytest

import urlset
from urlset.builder import BuildOptions
from urlset.live.audit import AuditSettings
from urlset.live.crawl import CrawlOptions
from urlset.live.submit import SubmitSettings
from urlset.live.sync import SyncKeywords, SyncSettings
from urlset.live.watch.pipeline import StepSettings

SETTINGS = {
    "audit": AuditSettings, "build": BuildOptions, "crawl": CrawlOptions,
    "submit": SubmitSettings, "sync": SyncSettings, "watch": StepSettings,
}  # fmt: skip
OWN = {
    "baseline",
    "progress",
    "policy",
    "auth",
    "store",
    "source",
    "sources",
    "target",
    "site",
    "updates",
}
"""Parameters that some functions use themselves."""


def parameters(name: str) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(getattr(urlset, name)).parameters)


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_are_the_parameters_of_the_function(name: str):
    settings = {field.name for field in fields(SETTINGS[name])}

    assert settings <= parameters(name).keys()
    assert parameters(name).keys() - settings <= OWN


def test_keywords_are_the_fields_of_the_settings():
    written: dict[str, Any] = {
        name: kind.__forward_arg__ if isinstance(kind, ForwardRef) else kind
        for name, kind in SyncKeywords.__annotations__.items()
    }
    listed = parameters("sync")

    assert written == {field.name: listed[field.name].annotation for field in fields(SyncSettings)}
    assert SyncKeywords.__optional_keys__ == set(written)
