"""Targets that are folders: who may write, what it looks like, and what is left of it."""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from urlset.errors import TargetError
from urlset.publisher import FolderTarget, expired_orphans, journal, open_target, update_orphans
from urlset.publisher.journal import LOCK_NAME, Step, read_journal

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="rights and owners are of other systems")
ROOT = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root may do this"
)


def publish(folder: Path, files: dict[str, bytes], retired: tuple[str, ...] = ()) -> None:
    with open_target(folder, "sitemap") as target:
        for name, data in files.items():
            target.stage(name, data)
        target.swap(list(files), retired)


# ── the contract ──


def test_target_reads_what_is_there_and_what_was_put(tmp_path):
    publish(tmp_path, {"b.xml": b"1", "a.xml": b"2"})
    (tmp_path / ".hidden").touch()
    (tmp_path / "folder").mkdir()

    with open_target(tmp_path, "sitemap") as target:
        target.stage("b.xml", b"3")

        assert target.location == str(tmp_path)
        assert target.names() == ["a.xml", "b.xml"]
        assert (target.read("b.xml"), target.read_staged("b.xml")) == (b"1", b"3")
        assert target.has_staged("b.xml", b"3")
        assert not any(target.has_staged("b.xml", data) for data in (b"1", b"", b"33"))
        assert target.read("c.xml") is None
        assert target.modified("c.xml") is None
        written = target.modified("b.xml")
        assert written is not None
        assert abs(datetime.now(UTC) - written) < timedelta(hours=1)
    assert (tmp_path / "b.xml").read_bytes() == b"1"  # it was not swapped


@pytest.mark.parametrize("size", [0, (1 << 20) - 1, 1 << 20, (2 << 20) + 1])
def test_staged_file_of_any_size_is_compared_as_a_whole(tmp_path, size):
    data = random.Random(size).randbytes(size)
    with open_target(tmp_path, "sitemap") as target:
        target.stage("a.xml", data)

        assert target.has_staged("a.xml", data)
        others = [data + b"1", data[:-1] + b"\0\1", data[:-1] if size else b"\0"]
        assert not any(target.has_staged("a.xml", other) for other in others)


def test_retired_file_that_is_not_there_is_no_error(tmp_path):
    publish(tmp_path, {"a.xml": b"1", "b.xml": b"1"})

    publish(tmp_path, {"a.xml": b"2"}, ("gone.xml", "b.xml"))

    assert os.listdir(tmp_path) == ["a.xml"]


def test_file_url_is_a_folder(tmp_path):
    place = tmp_path / "with space"

    with open_target(place.as_uri(), "sitemap") as target:
        target.stage("a.xml", b"1")
        target.swap(["a.xml"], [])

    assert os.listdir(place) == ["a.xml"]


@pytest.mark.parametrize("output", ["ftp://example.com/", "https://example.com/maps"])
def test_address_of_another_kind_is_refused(output):
    with pytest.raises(TargetError, match="expected a folder or a bucket to publish to"):
        open_target(output, "sitemap")


@pytest.mark.parametrize("name", ["", ".", "..", "a/b.xml", "/etc/x", "..\\b.xml", "a\0b"])
def test_name_that_leads_elsewhere_is_refused(tmp_path, name):
    with open_target(tmp_path / "site", "sitemap") as target:
        for ask in (
            target.read,
            target.read_staged,
            lambda n: target.has_staged(n, b""),
            target.modified,
            lambda n: target.stage(n, b""),
        ):
            with pytest.raises(TargetError, match="expected the name of a file without its folder"):
                ask(name)
        with pytest.raises(TargetError, match="expected the name of a file without its folder"):
            target.swap([], [name])


@pytest.mark.parametrize(
    ("names", "retired", "message"),
    [
        (["b.xml"], [], "expected names of staged files"),
        (["a.xml", "a.xml"], [], "each once"),
        (["a.xml"], ["a.xml"], "either published or retired"),
    ],
)
def test_swap_that_contradicts_itself_is_refused(tmp_path, names, retired, message):
    publish(tmp_path, {"a.xml": b"1"})

    with open_target(tmp_path, "sitemap") as target:
        target.stage("a.xml", b"2")
        with pytest.raises(TargetError, match=message):
            target.swap(names, retired)

    assert (tmp_path / "a.xml").read_bytes() == b"1"


def test_orphans_are_due_after_their_grace():
    noon = datetime(2026, 1, 31, 12, tzinfo=UTC)
    hour = timedelta(hours=1)

    known = update_orphans(
        {"index.xml": noon, "back.xml": noon}, ["index.xml", "9.xml"], noon + hour
    )

    assert expired_orphans(known, noon + hour, hour) == ["index.xml"]
    assert expired_orphans(known, noon + 2 * hour, hour) == ["index.xml", "9.xml"]
    assert expired_orphans(known, noon + hour, timedelta()) == ["index.xml", "9.xml"]


# ── one at a time ──


def test_second_publication_into_a_folder_is_refused_and_names_the_first(tmp_path):
    with open_target(tmp_path, "sitemap") as target:
        target.stage("a.xml", b"1")
        with (
            pytest.raises(TargetError, match=f"process {os.getpid()} on .* since 20.*; wait until"),
            open_target(tmp_path, "shop"),
        ):
            pass
        target.swap(["a.xml"], [])

    assert os.listdir(tmp_path) == ["a.xml"]


@POSIX
def test_lock_of_a_killed_process_is_free(tmp_path):
    code = (
        "import os, signal, sys; from urlset.publisher import open_target\n"
        "with open_target(sys.argv[1], 'sitemap') as target:\n"
        "    target.stage('a.xml', b'1'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code, tmp_path], env=environment(), check=False)
    left = set(os.listdir(tmp_path))

    publish(tmp_path, {"b.xml": b"2"})

    assert LOCK_NAME in left
    assert len(left) == 2
    assert os.listdir(tmp_path) == ["b.xml"]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}


def test_lock_that_was_removed_while_we_waited_for_it_is_taken_anew(tmp_path, monkeypatch):
    from urlset.publisher import journal

    real, calls = journal._lock, []

    def lock(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 1:
            (tmp_path / LOCK_NAME).unlink()  # its holder, who is done
        real(descriptor)

    monkeypatch.setattr(journal, "_lock", lock)

    with open_target(tmp_path, "sitemap"), pytest.raises(TargetError), FolderTarget(tmp_path, "x"):
        pass

    assert len(calls) == 3
    assert os.listdir(tmp_path) == []


def test_file_system_without_locks_is_served_and_sweeps_with_care(tmp_path, monkeypatch):
    from urlset.publisher import journal

    def lock(descriptor: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(journal, "_lock", lock)
    young = journal.make_staging(tmp_path, "sitemap")

    publish(tmp_path, {"a.xml": b"1"})

    assert sorted(os.listdir(tmp_path)) == [young.name, "a.xml"]


# ── leftovers ──


def test_leftovers_of_this_machine_go_at_once_those_of_others_after_a_day(tmp_path, monkeypatch):
    ours = journal.make_staging(tmp_path, "sitemap")
    other_label = journal.make_staging(tmp_path, "shop")
    with monkeypatch.context() as patch:
        patch.setattr(journal, "_machine", lambda: ("aaaaaa", "bbbbbb"))
        young = journal.make_staging(tmp_path, "sitemap")
        old = journal.make_staging(tmp_path, "sitemap")
        os.utime(old, (1_700_000_000, 1_700_000_000))

    publish(tmp_path, {"a.xml": b"1"})

    assert not any(path.exists() for path in (ours, other_label, old))
    assert sorted(os.listdir(tmp_path)) == [young.name, "a.xml"]


def half_swapped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Leave a swap of two files as if the process had been killed before the second."""
    publish(folder, {"1.xml": b"old 1", "2.xml": b"old 2"})
    applied: list[Step] = []

    class Killed(BaseException):
        pass

    def apply(step):
        if applied:
            raise Killed
        applied.append(step)
        real(step)

    from urlset.publisher import local

    real = journal.apply
    with monkeypatch.context() as patch:
        patch.setattr(local, "apply", apply)
        patch.setattr(local.FolderTarget, "__exit__", lambda self, *_: self._lock.release())
        with pytest.raises(Killed):
            publish(folder, {"1.xml": b"new 1", "2.xml": b"new 2"})
    return next(folder.glob(".sitemap-*.new"))


def test_swap_that_was_killed_is_undone_by_the_next(tmp_path, monkeypatch):
    half_swapped(tmp_path, monkeypatch)
    assert (tmp_path / "1.xml").read_bytes() == b"new 1"

    with open_target(tmp_path, "other") as target:
        assert (target.read("1.xml"), target.read("2.xml")) == (b"old 1", b"old 2")

    assert sorted(os.listdir(tmp_path)) == ["1.xml", "2.xml"]


@pytest.mark.parametrize("name", ["1.xml", "2.xml"])
def test_swap_that_was_killed_is_left_where_somebody_wrote_since(tmp_path, monkeypatch, name):
    half_swapped(tmp_path, monkeypatch)
    (tmp_path / name).write_bytes(b"by hand")
    found = {path.name: path.read_bytes() for path in tmp_path.glob("*.xml")}

    with open_target(tmp_path, "sitemap"):
        pass

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == found


@ROOT
def test_journal_of_another_user_is_not_believed(tmp_path, monkeypatch):
    staging = half_swapped(tmp_path, monkeypatch)
    os.chown(staging, 12_345, -1)

    with open_target(tmp_path, "sitemap") as target:
        assert target.read("1.xml") == b"new 1"


def test_half_of_a_journal_is_none(tmp_path, monkeypatch):
    staging = half_swapped(tmp_path, monkeypatch)
    text = (staging / "swap.json").read_text()

    for end in range(len(text)):
        (staging / "swap.json").write_text(text[:end])
        assert read_journal(staging) == []
    (staging / "swap.json").write_text(text)
    assert len(read_journal(staging)) == len(json.loads(text)["steps"]) == 2


def test_undo_that_fails_says_so_and_leaves_it_to_the_next(tmp_path, monkeypatch):
    publish(tmp_path, {"1.xml": b"old 1", "2.xml": b"old 2"})
    real, calls = os.replace, []

    def replace(*paths):
        calls.append(paths)
        if len(calls) > 1:
            raise OSError(errno.EIO, "Input/output error")
        real(*paths)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        with pytest.raises(
            TargetError, match="the next publication restores the old set"
        ) as caught:
            publish(tmp_path, {"1.xml": b"new 1", "2.xml": b"new 2"})
    publish(tmp_path, {"3.xml": b"3"})

    assert caught.value.errno == errno.EIO
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "1.xml": b"old 1", "2.xml": b"old 2", "3.xml": b"3",
    }  # fmt: skip


# ── rights, links, room ──


@POSIX
@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o002, 0o644), (0o027, 0o640)])
def test_new_file_can_be_read_by_a_web_server_as_far_as_the_umask_lets(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        publish(tmp_path, {"a.xml": b"1"})
    finally:
        os.umask(before)

    assert (tmp_path / "a.xml").stat().st_mode & 0o777 == mode


@POSIX
def test_read_only_file_is_replaced_and_stays_read_only(tmp_path):
    publish(tmp_path, {"a.xml": b"1"})
    (tmp_path / "a.xml").chmod(0o444)

    publish(tmp_path, {"a.xml": b"2"})

    assert (tmp_path / "a.xml").read_bytes() == b"2"
    assert (tmp_path / "a.xml").stat().st_mode & 0o777 == 0o444


@ROOT
def test_owner_of_a_file_is_kept(tmp_path):
    publish(tmp_path, {"a.xml": b"1"})
    os.chown(tmp_path / "a.xml", 12_345, 23_456)

    publish(tmp_path, {"a.xml": b"2"})

    found = (tmp_path / "a.xml").stat()
    assert (found.st_uid, found.st_gid) == (12_345, 23_456)


def test_folder_that_has_the_name_of_a_file_is_refused(tmp_path):
    (tmp_path / "a.xml").mkdir()

    with pytest.raises(TargetError, match="a folder has that name"):
        publish(tmp_path, {"a.xml": b"1"})

    assert os.listdir(tmp_path) == ["a.xml"]


@POSIX
def test_link_stays_a_link_and_what_it_leads_to_is_replaced(tmp_path):
    site, elsewhere = tmp_path / "site", tmp_path / "site" / "elsewhere"
    elsewhere.mkdir(parents=True)
    (elsewhere / "real.xml").write_bytes(b"1")
    (site / "a.xml").symlink_to("elsewhere/real.xml")
    (site / "dangling.xml").symlink_to("elsewhere/new.xml")

    publish(site, {"a.xml": b"2", "dangling.xml": b"3"})

    assert (elsewhere / "real.xml").read_bytes() == b"2"
    assert (elsewhere / "new.xml").read_bytes() == b"3"
    assert (site / "a.xml").is_symlink()
    assert sorted(os.listdir(elsewhere)) == ["new.xml", "real.xml"]


@POSIX
@pytest.mark.parametrize("name", ["real.xml", "new.xml"])
def test_link_that_leads_out_of_the_folder_is_refused(name, tmp_path):
    site, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    site.mkdir()
    elsewhere.mkdir()
    (elsewhere / "real.xml").write_bytes(b"1")
    (site / "a.xml").symlink_to(f"../elsewhere/{name}")

    with pytest.raises(TargetError, match="leads out of its folder"):
        publish(site, {"a.xml": b"2"})

    assert (elsewhere / "real.xml").read_bytes() == b"1"
    assert os.listdir(elsewhere) == ["real.xml"]


@POSIX
def test_journal_that_names_files_of_other_folders_moves_nothing(tmp_path):
    """As it may come with a repository: undoing it would replace any file of this user."""
    site, precious = tmp_path / "site", tmp_path / "precious"
    site.mkdir()
    precious.write_bytes(b"1")
    staging = journal.make_staging(site, "sitemap")
    (staging / "old").mkdir()
    (staging / "old" / "x").write_bytes(b"evil")
    mark = (precious.stat().st_size, precious.stat().st_mtime_ns)
    row = {"final": "../../precious", "staged": "x.put", "backup": "old/x"}
    steps = [row | {"before": None, "after": mark}]
    (staging / "swap.json").write_text(json.dumps({"steps": steps}))

    publish(site, {"a.xml": b"2"})

    assert precious.read_bytes() == b"1"
    assert os.listdir(site) == ["a.xml"]


@pytest.mark.parametrize("staged", ["x.put", None])
def test_journal_that_has_no_old_file_restores_nothing(staged, tmp_path):
    """As it may come with a repository: its backup would become a hook of git, and run."""
    (tmp_path / ".git" / "hooks").mkdir(parents=True)
    staging = journal.make_staging(tmp_path, "sitemap")
    (staging / "old").mkdir()
    backup = staging / "old" / "x"
    backup.write_text("#!/bin/sh\n")
    row = {"final": "../.git/hooks/pre-commit", "staged": staged, "backup": "old/x"}
    before = None if staged else (backup.stat().st_size, 1_700_000_000 * 10**9)
    steps = [row | {"before": before, "after": None}]
    (staging / "swap.json").write_text(json.dumps({"steps": steps}))

    publish(tmp_path, {"a.xml": b"1"})

    assert os.listdir(tmp_path / ".git" / "hooks") == []
    assert sorted(os.listdir(tmp_path)) == [".git", "a.xml"]


@POSIX
def test_retired_link_goes_and_what_it_leads_to_stays(tmp_path):
    (tmp_path / "real").write_bytes(b"1")
    (tmp_path / "a.xml").symlink_to("real")

    publish(tmp_path, {}, ("a.xml",))

    assert os.listdir(tmp_path) == ["real"]


@POSIX
def test_link_to_another_file_system_is_refused(tmp_path):
    other = Path("/dev/shm")
    if not other.is_dir() or other.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second file system at /dev/shm")
    (tmp_path / "a.xml").symlink_to(other / "urlset-none.xml")

    with pytest.raises(TargetError, match="leads out of its folder"):
        publish(tmp_path, {"a.xml": b"1"})

    assert os.listdir(tmp_path) == ["a.xml"]
    assert not (other / "urlset-none.xml").exists()


@POSIX
def test_linked_folder_may_lead_elsewhere_meanwhile(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    (tmp_path / "current").symlink_to("one")

    with open_target(tmp_path / "current", "sitemap") as target:
        target.stage("a.xml", b"1")
        (tmp_path / "current").unlink()
        (tmp_path / "current").symlink_to("two")
        target.swap(["a.xml"], [])

    assert os.listdir(tmp_path / "one") == ["a.xml"]
    assert os.listdir(tmp_path / "two") == []


@ROOT
def test_full_disk_is_reported_and_changes_nothing(tmp_path):
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        publish(tmp_path, {"a.xml": b"1" * 100_000})
        with pytest.raises(TargetError, match="No space left on device; what was") as caught:
            publish(tmp_path, {"b.xml": b"2", "a.xml": b"2" * 200_000})
        assert caught.value.errno == errno.ENOSPC
        assert os.listdir(tmp_path) == ["a.xml"]
        publish(tmp_path, {"a.xml": b"3" * 100_000})
        assert os.listdir(tmp_path) == ["a.xml"]
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
