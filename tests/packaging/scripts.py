"""Loads the scripts of the folder ``packaging``, which is not a package."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]


def load(name: str) -> ModuleType:
    """Return the module of a script."""
    spec = spec_from_file_location(f"packaging_scripts_{name}", ROOT / "packaging" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(ROOT / "packaging"))  # scripts import each other
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(ROOT / "packaging"))
    return module
