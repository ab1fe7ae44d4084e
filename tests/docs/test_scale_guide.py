"""The code of docs/scale.md runs, each block that needs a host if that is installed."""

import importlib.util
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.test_guides import BLOCK

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"


@pytest.mark.filterwarnings("ignore")  # Spark leaves sockets to the garbage collector
def test_code_of_the_guide_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    has_spark = importlib.util.find_spec("pyspark") and shutil.which("java")
    namespace: dict[str, Any] = {"__name__": "scale"}
    text = PAGE.read_text(encoding="utf-8")
    ran = 0
    for found in BLOCK.finditer(text):
        if found["mark"] or ("spark" in found["code"] and not has_spark):
            continue
        lines = text.count("\n", 0, found.start("code"))
        exec(compile("\n" * lines + found["code"], str(PAGE), "exec"), namespace)
        ran += 1
    if "spark" in namespace:
        namespace["spark"].stop()

    assert ran >= 2
