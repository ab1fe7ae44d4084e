"""The bill of materials of the crates in native wheels."""

import json
import zipfile
from pathlib import Path

import pytest

from tests.packaging.scripts import load

sbom = load("sbom")

LOCK = """\
version = 4

[[package]]
name = "memchr"
version = "2.8.3"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "aa"

[[package]]
name = "syn"
version = "2.0.1"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "bb"

[[package]]
name = "syn"
version = "3.0.1"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "cc"
dependencies = [
 "wasi",
]

[[package]]
name = "urlset-binding"
version = "1.2.0"
dependencies = [
 "syn 3.0.1",
 "urlset-core",
]

[[package]]
name = "urlset-core"
version = "1.2.0"
dependencies = [
 "memchr",
 "syn 2.0.1",
]

[[package]]
name = "wasi"
version = "0.11.1+wasi-snapshot-preview1"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "dd"
"""
WASI = "pkg:cargo/wasi@0.11.1%2Bwasi-snapshot-preview1"


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    file = tmp_path / "Cargo.lock"
    file.write_text(LOCK, encoding="utf-8")
    return file


def wheel_of(folder: Path, *members: str, text: str = "") -> Path:
    wheel = folder / "urlset-1.2.0-cp311-abi3-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in members:
            archive.writestr(name, text)
    return wheel


def test_components_are_the_crates_of_the_lock_file_and_no_others(lock):
    components = json.loads(sbom.document(lock))["components"]

    assert [(crate["name"], crate["version"]) for crate in components] == [
        ("memchr", "2.8.3"),
        ("syn", "2.0.1"),
        ("syn", "3.0.1"),
        ("wasi", "0.11.1+wasi-snapshot-preview1"),
    ]
    assert components[-1]["purl"] == WASI
    assert components[-1]["hashes"] == [{"alg": "SHA-256", "content": "dd"}]


def test_dependencies_name_the_version_that_is_used(lock):
    content = json.loads(sbom.document(lock))
    requires = {each["ref"]: each["dependsOn"] for each in content["dependencies"]}

    assert requires == {
        "pkg:pypi/urlset@1.2.0": [
            "pkg:cargo/memchr@2.8.3",
            "pkg:cargo/syn@2.0.1",
            "pkg:cargo/syn@3.0.1",
        ],
        "pkg:cargo/memchr@2.8.3": [],
        "pkg:cargo/syn@2.0.1": [],
        "pkg:cargo/syn@3.0.1": [WASI],
        WASI: [],
    }
    known = {content["metadata"]["component"]["bom-ref"]}
    known |= {crate["bom-ref"] for crate in content["components"]}
    assert known == set(requires)


def test_document_depends_on_the_lock_file_only(lock, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    other = tmp_path / "elsewhere" / "Cargo.lock"
    other.write_text(LOCK, encoding="utf-8")

    assert sbom.document(lock) == sbom.document(other)
    assert "timestamp" not in sbom.document(lock)
    assert "serialNumber" not in sbom.document(lock)


@pytest.mark.parametrize("engine", ["_native.abi3.so", "_native.pyd", "_native.cp315t-win.pyd"])
def test_native_wheel_needs_the_document_of_its_lock_file(engine, lock, tmp_path):
    native = f"urlset/engine/{engine}"
    member = f"urlset-1.2.0.dist-info/{sbom.FILE}"

    assert sbom.problems(wheel_of(tmp_path, native), lock) == [f"{sbom.FILE} is missing"]
    assert sbom.problems(wheel_of(tmp_path, native, member, text="{}"), lock) == [
        f"{member} is not that of Cargo.lock"
    ]
    right = wheel_of(tmp_path, native, member, text=sbom.document(lock))
    assert sbom.problems(right, lock) == []


def test_pure_wheel_lists_no_crates(lock, tmp_path):
    member = f"urlset-1.2.0.dist-info/{sbom.FILE}"
    types = "urlset/engine/_native.pyi"

    assert sbom.problems(wheel_of(tmp_path, types), lock) == []
    assert sbom.problems(wheel_of(tmp_path, types, member), lock) != []


def test_documents_of_other_tools_are_ignored(lock, tmp_path):
    """auditwheel lists the libraries that it copies into a wheel."""
    wheel = wheel_of(tmp_path, "urlset-1.2.0.dist-info/sboms/auditwheel.cdx.json")

    assert sbom.problems(wheel, lock) == []
