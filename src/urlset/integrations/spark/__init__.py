"""Sitemaps on Spark: ``spark.read.format("sitemap")``, and checks and builds on a cluster.

They use :mod:`urlset.partitioned`. Executors need ``urlset[spark]``, too.
"""

from __future__ import annotations

from urlset.integrations.spark.cluster_build import build
from urlset.integrations.spark.cluster_check import check
from urlset.integrations.spark.source import (
    FilteringSparkReader,
    SparkReader,
    SparkSource,
    register,
)

__all__ = ["FilteringSparkReader", "SparkReader", "SparkSource", "build", "check", "register"]
