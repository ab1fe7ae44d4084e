"""Publishes for tests/publisher/test_kill.py, in processes that may be killed at any moment.

``python publisher_killed.py FOLDER`` publishes one state after the other and never ends, telling
each on stdout. ``python publisher_killed.py`` takes jobs, ``FOLDER FROM TO STEP…`` in a line of
stdin: publishes FROM, then TO in a process that kills itself before the STEP-th change it makes to
a file, once for each STEP; and says ``killed``, or ``whole`` where there was no such step.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from urlset import engine, parse
from urlset.publisher import open_target

BASE = "https://example.com/"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
CHANGES = {
    "open", "os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate",
}  # fmt: skip


def state(word: str, children: int) -> dict[str, bytes]:
    """The files of a state, in the order in which they are to be published.

    ``A`` and ``B`` are an index and its children, under the same names; ``C`` has fewer children,
    ``one`` is a single file under the name of the index; ``gz-…`` is the same, packed, under other
    names.
    """
    if word.startswith("gz-"):
        return {
            f"{name}.gz": engine.get().gzip(data.replace(b".xml</loc>", b".xml.gz</loc>"))
            for name, data in state(word[3:], children).items()
        }
    if word == "one":
        return {"sitemap.xml": urlset(f"one/{children}", 50)}
    count = children if word in "AB" else max(2, children // 2)
    names = [f"sitemap-{number}.xml" for number in range(1, count + 1)]
    files = {name: urlset(f"{word}/{name}", 200 if word == "A" else 300) for name in names}
    lines = "".join(f"<sitemap><loc>{BASE}{name}</loc></sitemap>\n" for name in names)
    index = f"<sitemapindex {NS}>\n<!-- {word} -->\n{lines}</sitemapindex>\n"
    return files | {"sitemap.xml": index.encode()}


def urlset(word: str, count: int) -> bytes:
    locs = "".join(f"<url><loc>{BASE}{word}/{number}</loc></url>\n" for number in range(count))
    return f"<urlset {NS}>\n{locs}</urlset>\n".encode()


def listed(data: bytes) -> list[str]:
    """The names of the files that an index lists; none for any other document."""
    return [sitemap.loc.removeprefix(BASE) for sitemap in parse(data).sitemaps]


def quietly(word: str) -> None:
    pass


def publish(folder: Path, files: dict[str, bytes], tell: Callable[[str], None] = quietly) -> None:
    """Publish a state; retired is what the indexes that lie there list, and they themselves."""
    with open_target(folder, "sitemap") as target:
        old: list[str] = []
        for name in ("sitemap.xml", "sitemap.xml.gz"):
            if (data := target.read(name)) is not None:
                old += [name, *listed(data)]
        changed = [name for name, data in files.items() if target.read(name) != data]
        for name in changed:
            target.stage(name, files[name])
            assert target.read_staged(name) == files[name]
        tell("swap")
        target.swap(changed, [name for name in old if name not in files])
    tell("done")


def said(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


@contextmanager
def killed_before(step: int, folder: Path) -> Iterator[None]:
    """Let this process kill itself before its step-th change to anything in a folder."""
    left = step

    def hook(event: str, args: tuple[object, ...]) -> None:
        nonlocal left
        if event in CHANGES and any(str(folder) in str(argument) for argument in args):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    yield


def in_child(folder: Path, files: dict[str, bytes], step: int) -> bool:
    """Publish in a fork that is killed at a step; whether there was such a step."""
    child = os.fork()
    if child == 0:
        with killed_before(step, folder):
            publish(folder, files)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert status in (0, signal.SIGKILL), status
    return status != 0


def job(folder: Path, before: str, after: str, *steps: str) -> str:
    publish(folder, state(before, 3), quietly)
    for step in steps:
        if not in_child(folder, state(after, 3), int(step)):
            return "whole"
    return "killed"


def main() -> None:
    if len(sys.argv) == 1:
        for line in sys.stdin:
            folder, *words = line.split()
            said(job(Path(folder), *words))
        return
    words = "A B one A C B gz-A gz-B gz-one A gz-C B A C".split()
    states = [state(word, 40) for word in words]
    while True:
        for files in states:
            publish(Path(sys.argv[1]), files, said)


if __name__ == "__main__":
    main()
