"""Probability distributions for the estimates: gamma, beta, Poisson and negative binomial.

The incomplete functions follow Press et al., Numerical Recipes, sections 6.2 and 6.4.
"""

from __future__ import annotations

import math
from collections.abc import Callable

_STEPS = 10_000
_PRECISION = 1e-13
_TINY = 1e-300
_NO_MEAN = 1e-9


def gamma_cdf(x: float, shape: float) -> float:
    """Return the probability that a gamma variable of rate 1 is at most ``x``.

    >>> round(gamma_cdf(1.0, 1.0), 6) == round(1 - math.exp(-1), 6)
    True
    """
    if x <= 0:
        return 0.0
    front = math.exp(shape * math.log(x) - x - math.lgamma(shape))
    if x < shape + 1:
        term = total = 1 / shape
        for step in range(1, _STEPS):
            term *= x / (shape + step)
            total += term
            if term < total * _PRECISION:
                break
        return min(1.0, front * total)
    b = x + 1 - shape
    c, d = 1 / _TINY, 1 / b
    fraction = d
    for step in range(1, _STEPS):
        a = -step * (step - shape)
        b += 2
        d = 1 / _not_zero(a * d + b)
        c = _not_zero(b + a / c)
        fraction *= d * c
        if abs(d * c - 1) < _PRECISION:
            break
    return 1 - front * fraction


def beta_cdf(x: float, a: float, b: float) -> float:
    """Return the probability that a beta variable is at most ``x``.

    >>> round(beta_cdf(0.25, 1.0, 1.0), 9)
    0.25
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(x, a, b) / a
    return 1 - front * _beta_fraction(1 - x, b, a) / b


def _beta_fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    fraction = d
    for step in range(1, _STEPS):
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        for term in (even, odd):
            d = 1 / _not_zero(1 + term * d)
            c = _not_zero(1 + term / c)
            fraction *= d * c
        if abs(d * c - 1) < _PRECISION:
            break
    return fraction


def gamma_quantile(share: float, shape: float, rate: float = 1.0) -> float:
    """Return the value below which a gamma variable is with a probability of ``share``.

    >>> round(gamma_quantile(0.5, 1.0), 6) == round(math.log(2), 6)
    True
    """
    high = shape + 1.0
    while gamma_cdf(high, shape) < share:
        high *= 2
    return _bisect(lambda x: gamma_cdf(x, shape) - share, 0.0, high) / rate


def beta_quantile(share: float, a: float, b: float) -> float:
    """Return the value below which a beta variable is with a probability of ``share``.

    >>> round(beta_quantile(0.1, 1.0, 1.0), 6)
    0.1
    """
    return _bisect(lambda x: beta_cdf(x, a, b) - share, 0.0, 1.0)


def count_cdf(count: int, mean: float, variance: float) -> float:
    """Return the probability of at most ``count`` events: negative binomial, or Poisson.

    A variance that is not above the mean is that of a Poisson variable.

    >>> round(count_cdf(0, 1.0, 1.0), 6) == round(math.exp(-1), 6)
    True
    """
    if count < 0:
        return 0.0
    if mean < _NO_MEAN:
        return 1.0
    if variance <= mean * (1 + 1e-6):
        return 1 - gamma_cdf(mean, count + 1.0)
    size = mean * mean / (variance - mean)
    return beta_cdf(size / (size + mean), size, count + 1.0)


def count_quantile(share: float, mean: float, variance: float) -> int:
    """Return the smallest count that at least ``share`` of all counts do not exceed.

    >>> count_quantile(0.5, 10.0, 10.0)
    10
    """
    low, high = -1, 1
    while count_cdf(high, mean, variance) < share:
        low, high = high, high * 2 + 1
    while high - low > 1:
        middle = (low + high) // 2
        if count_cdf(middle, mean, variance) < share:
            low = middle
        else:
            high = middle
    return high


def _bisect(rising: Callable[[float], float], low: float, high: float) -> float:
    """Return the zero of a rising function, by bisection to the precision of a float."""
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _not_zero(value: float) -> float:
    return _TINY if abs(value) < _TINY else value
