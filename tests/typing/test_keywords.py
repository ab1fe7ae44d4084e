"""Keyword arguments of functions with settings: the fields of the settings, with their types."""

from dataclasses import fields
from typing import Any, ForwardRef

import pytest

from urlset.live.audit import AuditKeywords, AuditSettings
from urlset.live.submit import SubmitKeywords, SubmitSettings
from urlset.live.sync import SyncKeywords, SyncSettings
from urlset.live.watch.step import StepSettings, WatchKeywords


@pytest.mark.parametrize(
    ("keywords", "settings"),
    [
        (AuditKeywords, AuditSettings),
        (SubmitKeywords, SubmitSettings),
        (SyncKeywords, SyncSettings),
        (WatchKeywords, StepSettings),
    ],
    ids=lambda value: value.__name__,
)
def test_keywords_are_the_fields_of_the_settings(keywords: Any, settings: Any):
    written = {
        name: kind.__forward_arg__ if isinstance(kind, ForwardRef) else kind
        for name, kind in keywords.__annotations__.items()
    }

    assert written == {field.name: field.type for field in fields(settings)}
    assert keywords.__optional_keys__ == set(written)
