"""Browsers that take a picture of a page: how each is asked, and the pixels that come back."""

import shutil
import struct
import subprocess
import zlib
from pathlib import Path
from typing import NamedTuple

NAMES = {
    "chromium": "chromium chromium-browser google-chrome google-chrome-stable",
    "firefox": "firefox-esr firefox",
}
Colour = tuple[int, int, int]


def found(browser: str) -> str | None:
    """The path of a browser, None where there is none on PATH."""
    paths = (shutil.which(name) for name in NAMES[browser].split())
    return next((path for path in paths if path is not None), None)


def photographed(
    browser: str, path: str, url: str, folder: Path, size: tuple[int, int], *, is_dark: bool
) -> bytes:
    """The PNG of what a browser shows of a URL, in a fresh profile, without a window."""
    picture, profile = folder / "picture.png", folder / "profile"
    profile.mkdir()
    options = [f"--screenshot={picture}", f"--window-size={size[0]},{size[1]}"]
    if browser == "chromium":
        scheme = f"--blink-settings=preferredColorScheme={0 if is_dark else 1}"
        options += ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", scheme]
        options += [f"--user-data-dir={profile}", "--no-proxy-server", "--no-first-run"]
    else:
        preferences = {
            "browser.theme.content-theme": 0 if is_dark else 1,
            "browser.theme.toolbar-theme": 0 if is_dark else 1,
            "ui.systemUsesDarkTheme": int(is_dark),
            "layout.css.prefers-color-scheme.content-override": 0 if is_dark else 1,
            "network.proxy.type": 0,
        }
        lines = (f'user_pref("{name}", {value});\n' for name, value in preferences.items())
        (profile / "user.js").write_text("".join(lines))
        options = ["--headless", "--profile", str(profile), "--screenshot", str(picture)]
        options += [f"--window-size={size[0]},{size[1]}"]
    run = subprocess.run([path, *options, url], capture_output=True, check=False, timeout=120)
    assert picture.is_file(), run.stderr.decode(errors="replace")[-2_000:]
    return picture.read_bytes()


class Picture(NamedTuple):
    """Pixels, row after row."""

    width: int
    height: int
    rows: list[list[Colour]]

    def has_ink(self, left: int, right: int, top: int, bottom: int) -> bool:
        """Whether something stands on the ground that the upper left pixel has."""
        ground = self.rows[top][left]
        return any(pixel != ground for row in self.rows[top:bottom] for pixel in row[left:right])


def decoded(png: bytes) -> Picture:
    """The pixels of a PNG of 8 bits and three or four channels, without interlacing."""
    width, height, depth, kind, _, _, interlace = struct.unpack(">IIBBBBB", png[16:29])
    assert (depth, interlace) == (8, 0), (depth, interlace)
    step = {2: 3, 6: 4}[kind]
    data, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += length + 12
    raw, stride = zlib.decompress(data), width * step
    above, rows = bytearray(stride), []
    for number in range(height):
        start = number * (stride + 1)
        line = _plain(raw[start], bytearray(raw[start + 1 : start + 1 + stride]), above, step)
        rows.append(list(zip(line[::step], line[1::step], line[2::step], strict=True)))
        above = line
    return Picture(width, height, rows)


def _plain(filtered: int, line: bytearray, above: bytearray, step: int) -> bytearray:
    """One row without its filter: https://www.w3.org/TR/png-3/#9Filters."""
    for i in range(len(line) if filtered else 0):
        left = line[i - step] if i >= step else 0
        corner = above[i - step] if i >= step else 0
        line[i] = (line[i] + _predicted(filtered, left, above[i], corner)) & 255
    return line


def _predicted(filtered: int, left: int, up: int, corner: int) -> int:
    if filtered == 1:
        return left
    if filtered == 2:
        return up
    if filtered == 3:
        return (left + up) // 2
    estimate = left + up - corner
    return min((left, up, corner), key=lambda value: abs(estimate - value))
