"""Policy refuses limits that no request could keep."""

import math

import pytest

from urlset import Policy

COUNTS = ("concurrency", "per_host")
TIMEOUTS = ("connect_timeout_s", "read_timeout_s", "total_timeout_s")
LIMITS = (
    "delay_s",
    "max_delay_s",
    "retries",
    "backoff_s",
    "max_backoff_s",
    "max_retry_after_s",
    "max_redirects",
    "max_wire_bytes",
    "max_bytes",
    "max_error_bytes",
    "max_held_bytes",
)


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_at_least_one(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}: expected 1 or more, found 0"):
        Policy(**{name: 0})  # type: ignore[arg-type]
    Policy(**{name: 1})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", TIMEOUTS)
@pytest.mark.parametrize("value", [0, -1, math.nan])
def test_time_limits_are_more_than_zero(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name}: expected more than 0, found {value}"):
        Policy(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", LIMITS)
def test_other_limits_are_not_negative(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}: expected 0 or more, found -1"):
        Policy(**{name: -1})  # type: ignore[arg-type]
    Policy(**{name: 0})  # type: ignore[arg-type]
