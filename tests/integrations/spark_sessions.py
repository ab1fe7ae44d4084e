"""Sessions of Spark for tests: without its user interface, with this Python in the workers."""

import importlib
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pyspark: Any = pytest.importorskip("pyspark", reason="no pyspark")
functions: Any = importlib.import_module("pyspark.sql.functions")
AnalysisException: Any = importlib.import_module("pyspark.errors").AnalysisException

QUIET = """status = error
rootLogger.level = off
"""


_home = os.environ.get("JAVA_HOME")
if not (shutil.which("java") or (_home and Path(_home, "bin", "java").exists())):
    pytest.skip("no Java, which Spark needs", allow_module_level=True)


@contextmanager
def spark_session(folder: Path, master: str = "local[2]", **settings: str) -> Iterator[Any]:
    """Open a session with the format ``sitemap``; settings are named ``sql_x`` for ``sql.x``."""
    from pyspark.sql import SparkSession

    from urlset.integrations.spark import register

    log = folder / "log4j2.properties"
    log.write_text(QUIET)
    (folder / "conf").mkdir(exist_ok=True)
    kept = dict(os.environ)
    os.environ |= {
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_CONF_DIR": str(folder / "conf"),
        "JDK_JAVA_OPTIONS": f"-Dlog4j2.configurationFile={log}",
    }
    builder: Any = SparkSession.builder
    builder = builder.master(master).config("spark.ui.enabled", "false")
    common = {
        "sql.session.timeZone": "UTC",
        "ui.showConsoleProgress": "false",
        "driver.host": "127.0.0.1",
        "driver.bindAddress": "127.0.0.1",
        "sql.warehouse.dir": str(folder / "warehouse"),
    }
    for name, value in (common | {k.replace("_", "."): v for k, v in settings.items()}).items():
        builder = builder.config(f"spark.{name}", value)
    session: Any = builder.getOrCreate()
    try:
        register(session)
        yield session
    finally:
        session.stop()
        gateway = session.sparkContext._gateway
        type(session.sparkContext)._gateway = None
        type(session.sparkContext)._jvm = None
        gateway.shutdown()
        process = gateway.proc
        process.stdin.close()  # the JVM ends with its standard input
        process.wait(60)
        os.environ.clear()
        os.environ.update(kept)
