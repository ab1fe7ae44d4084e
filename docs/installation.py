"""How the pages say that urlset is installed: the one place to switch at the first release."""

from __future__ import annotations

import re

IS_RELEASED = False
"""Whether the package index has urlset. Until then, nobody may be told to install that name."""

CHECKOUT = "."
REPOSITORY = '"git+$URLSET_REPOSITORY"'
"""What pip installs until the release: a checkout, or in the CI of another project the address."""

IN_CI = ("watching.md",)
"""Pages whose commands run in the CI of another project."""

_README_CHECKOUT = """\
In a checkout of this repository, with Python 3.11 or newer:

```sh
pip install .       # the library and the command
make demo           # or try it first, in a .venv: read, check, build and audit sample sites
```

If Rust's `cargo` is installed, the native engine is built too. Without it, the reference engine in
Python does the same work more slowly. `pip install '.[cloud,sql,arrow]'` adds buckets, databases
and Arrow files.
"""
_README_RELEASED = """\
With [uv](https://docs.astral.sh/uv/), nothing needs to be installed:

```sh
uvx urlset check https://example.com
```

As a library and a command, with Python 3.11 or newer:

```sh
pip install urlset
```

`pip install 'urlset[cloud,sql,arrow]'` adds buckets, databases and Arrow files. In a checkout of
this repository, `make demo` reads, checks, builds and audits sample sites.
"""
_INDEX_CHECKOUT = """\
In a checkout of the repository:

```sh
pip install .
```
"""
_INDEX_RELEASED = """\
```sh
uvx urlset check https://example.com    # without an installation
pip install urlset                      # the command and the library
```
"""
SECTIONS = {
    "../README.md": (_README_CHECKOUT, _README_RELEASED),
    "index.md": (_INDEX_CHECKOUT, _INDEX_RELEASED),
}
"""What the pages say between their markers before the release, and after it."""

_SECTION = re.compile(r"(?<=<!-- installation -->\n).*?(?=<!-- /installation -->\n)", re.DOTALL)
_SPECS = (r"urlset(?![\w/.\[-])", r"\.(?=[ `\n])", re.escape(REPOSITORY))
_COMMAND = re.compile(rf"(pipx?\s+install\s+(?:--?[\w-]+\s+)*)(?:{'|'.join(_SPECS)})")


def with_installation(name: str, page: str) -> str:
    """Return a page whose section and commands of installation say where urlset is.

    >>> with_installation("django.md", "`pip install urlset django`")
    '`pip install . django`'
    """
    if name in SECTIONS:
        section = SECTIONS[name][IS_RELEASED]
        page = _SECTION.sub(lambda _: section, page)
    before_release = REPOSITORY if name in IN_CI else CHECKOUT
    spec = "urlset" if IS_RELEASED else before_release
    return _COMMAND.sub(lambda found: found[1] + spec, page)
