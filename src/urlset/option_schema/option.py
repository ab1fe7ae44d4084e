"""Declaration of one option."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

FileFormat = Literal["xml", "text"]
IndexMode = Literal["auto", "always", "section"]
OnError = Literal["raise", "skip"]
Encoding = Literal["gzip"]
Profile = Literal["google", "bing", "yandex", "baidu"]

StrPath = str | os.PathLike[str]
"""A path, as text or as an object."""

LEDGER = Path(".urlset") / "ledger.duckdb"
"""Default path of the ledger, in the working directory: never in the folder that is served."""

Decides = Literal["rows", "form", "run"]
EVERYWHERE = ("python", "file", "command")
PYTHON = ("python",)
COMMAND = ("command",)
NOT_IN_FILE = ("python", "command")
NOT_IN_PYTHON = ("file", "command")
NOT_ON_COMMAND_LINE = ("python", "file")


@dataclass(frozen=True)
class Option:
    """One option of a command and its function.

    >>> option = Option("hosts", "Allow URLs of this host, too.", type=list[str])
    >>> option.key, option.flags
    ('hosts', ('--hosts',))

    Attributes:
        name: Parameter of the Python function.
        help: What the option does, in a sentence or two.
        type: Type of a value in ``urlset.toml`` and on the command line; in Python, a list may
            also be one value or any iterable, and a path may be text.
        doc: The same for Python, if the help names flags or placeholders; else the help.
        annotation: Type in Python, if it does not follow from ``type`` and ``default``.
        factory: Function that makes the default of the field, if it is None in Python.
        stored: Type of the field of the settings class, if it is not that of Python.
        is_hidden: Whether the ``repr`` of settings omits the value.
        default: Default of the Python parameter. The file has no value for it, and neither has the
            command line, unless the option exists only there.
        group: Heading in the help of the command.
        flags: Names on the command line; the other ones follow from ``name``.
        key: Key in ``urlset.toml``.
        metavar: Placeholder for the value in the help.
        unit: Unit of a number.
        minimum: Smallest value.
        maximum: Greatest value.
        allowed: Where the option exists: ``python``, ``file`` (urlset.toml), ``command``.
        is_path: Whether relative values of the file refer to the folder of the file.
        is_split: Whether commas separate values within a text.
        is_number_text: Whether a number, in the file and in Python, stands for its text.
        is_share: Whether a text such as ``10%`` is a value, too: of Python, of the file and of the
            command line.
        is_url: Whether values are http(s) URLs.
        is_time_limit: Whether 0 in the file and on the command line means no limit.
        is_argument: Whether the command line has it without a flag.
        is_required: Whether an argument must be given.
        is_count: Whether the command line counts how often the flag is given.
        shows_default: Whether the help of the command shows the default.
        in_python: What does the same in Python, if the function has no such parameter: another
            parameter (``auth``), a field of the policy (``Policy.delay_s``), an attribute of the
            result (``.report(path)``) or another function (``urlset.fix``).
        decides: Of an option of ``build``, what it decides. ``rows``: which rows of the sources are
            published, or with which date; a new value lets the build decide about all of them
            again. ``form``: how rows are read or written, whether the ledger has them or not.
            ``run``: nothing about a row.
    """

    name: str
    help: str
    _: KW_ONLY
    type: Any = str
    doc: str = ""
    annotation: str = ""
    stored: str = ""
    factory: str = ""
    is_hidden: bool = False
    default: Any = None
    group: str | None = None
    flags: tuple[str, ...] = ()
    key: str = ""
    metavar: str | None = None
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    allowed: Sequence[str] = EVERYWHERE
    is_path: bool = False
    is_split: bool = False
    is_number_text: bool = False
    is_share: bool = False
    is_url: bool = False
    is_time_limit: bool = False
    is_argument: bool = False
    is_required: bool = False
    is_count: bool = False
    shows_default: bool = False
    in_python: str = ""
    decides: Decides = "rows"
    choices: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        plain = self.name.removesuffix("_s").strip("_").replace("_", "-")
        is_literal = get_origin(self.type) is Literal
        object.__setattr__(self, "key", self.key or plain)
        object.__setattr__(self, "flags", self.flags or (f"--{plain}",))
        object.__setattr__(self, "choices", get_args(self.type) if is_literal else ())

    def is_allowed(self, where: Literal["python", "file", "command"]) -> bool:
        """Return whether the option exists in Python, in urlset.toml or on the command line."""
        return where in self.allowed

    @property
    def description(self) -> str:
        """What the option does, for the documentation of Python."""
        return self.doc or self.help

    @property
    def parameter_type(self) -> str:
        """The type of the parameter in Python."""
        if self.annotation:
            return self.annotation
        word = "Sequence[str]" if self.is_repeatable else _WORDS.get(self.type, "Any")
        if self.is_share:
            word += " | str"
        elif self.is_number_text:
            word = f"int | {word}"
        return f"{word} | None" if self.default is None or self.is_time_limit else word

    @property
    def field_type(self) -> str:
        """The type of the field of a settings class: that of the converted value."""
        kind = self.parameter_type
        if self.is_share:
            kind = kind.replace(" | str", "")
        elif self.is_number_text:
            kind = kind.removeprefix("int | ")
        return self.stored or _STORED.get(kind, kind)

    def converted(self, given: Any) -> Any:
        """Convert an argument of Python to the type of the field: a path, a tuple of texts.

        Raises:
            TypeError: Several texts are expected, and the value is a mapping or bytes.
            ValueError: The text is no share.
        """
        if self.is_share and isinstance(given, str):
            try:
                return self.parse(given)
            except ValueError as error:
                raise ValueError(f"{self.name}: {error}") from error
        if self.is_number_text:
            return None if given is None else str(given)
        if self.field_type.startswith("Path"):
            return None if given is None else Path(given)
        if not self.field_type.startswith("tuple["):
            return given
        several = as_tuple(given, self.name)
        return tuple(os.fspath(each) if isinstance(each, os.PathLike) else each for each in several)

    def value(self, given: Any) -> Any:
        """Convert a value from the file or the command line to the one that Python takes."""
        if self.is_time_limit:
            return given or None
        if self.is_split and isinstance(given, dict):
            return {key: self.value(texts) for key, texts in given.items()}
        if self.is_split:
            parts = [part.strip() for text in given for part in text.split(",")]
            return [part for part in parts if part]
        return given

    def parse(self, text: str) -> Any:
        """Convert one text of the command line to the type of the option.

        Raises:
            ValueError: The text is no number, no choice, no path, or the number is out of range.
        """
        kind = get_args(self.type)[0] if self.is_repeatable else self.type
        if self.choices and text not in self.choices:
            raise ValueError(f"expected {', '.join(self.choices)}, found {text!r}")
        if self.is_url and not _is_url(text):
            raise ValueError(f"{_URL_EXPECTED}, found {text!r}")
        if kind is Path:
            if _ADDRESS.match(text):
                raise ValueError(f"{_PATH_EXPECTED}, found {text!r}")
            return Path(text)
        if kind not in (int, float):
            return text
        is_percent = self.is_share and text.endswith("%")
        try:
            number = kind(text[:-1]) / 100 if is_percent else kind(text)
        except ValueError:
            number = None
        if number is None or not self._is_in_range(number) or not math.isfinite(number):
            raise ValueError(f"expected {self._expected_number(number)}, found {text!r}")
        return number

    def check(self, value: Any) -> None:
        """Raise ``ValueError`` if a value from Python is out of range, or no choice."""
        if value is None:
            return
        if self.choices and value not in self.choices and not self.parameter_type.startswith("str"):
            raise ValueError(f"{self.name}: expected {', '.join(self.choices)}, found {value!r}")
        if self.is_url and not _is_url(value):
            raise ValueError(f"{self.name}: {_URL_EXPECTED}, found {value!r}")
        if self.type is Path and isinstance(value, str | os.PathLike):  # or a baseline
            expect_local(self.name, value)
        has_range = self.minimum is not None or self.maximum is not None
        if has_range and not self._is_in_range(value):
            expected = self._expected_number(value)
            raise ValueError(f"{self.name}: expected {expected}, found {value!r}")

    def _is_in_range(self, number: float) -> bool:
        if self.minimum is not None and not number >= self.minimum:
            return False
        maximum = sys.maxsize if self.maximum is None and self.type is int else self.maximum
        return maximum is None or number <= maximum

    def _expected_number(self, found: float | None) -> str:
        noun = "a whole number" if self.type is int else "a number"
        if self.maximum is not None:
            share = ", or a share such as 10%" if self.is_share else ""
            return f"{noun} from {self.minimum or 0:,} to {self.maximum:,}{share}"
        if found is not None and found > sys.maxsize:
            return f"{noun} of at most {sys.maxsize:,}"
        return noun if self.minimum is None else f"{noun} of at least {self.minimum:,}"

    @property
    def range_text(self) -> str:
        """The range of a number as the help shows it: ``1<=x<=256``."""
        low = "" if self.minimum is None else _plain(self.minimum)
        if self.maximum is None:
            return low and f"x>={low}"
        return f"{low}<=x<={_plain(self.maximum)}" if low else f"x<={_plain(self.maximum)}"

    @property
    def default_text(self) -> str:
        """The default as the help shows it; empty if it does not."""
        if not self.shows_default:
            return ""
        if self.type is bool:
            return (self.flags if self.default else self.opposites)[0].removeprefix("--")
        return _plain(self.default) if isinstance(self.default, float) else str(self.default)

    @property
    def placeholder(self) -> str | None:
        """The name of a value in the help: ``FILE``, ``<text|json>``."""
        if self.metavar is None and self.choices and not self.is_argument:
            return f"<{'|'.join(self.choices)}>"
        return self.metavar

    @property
    def opposites(self) -> tuple[str, ...]:
        """The flag that switches the option off, if there is one: ``--no-follow``."""
        if self.type is not bool or self.is_switch:
            return ()
        return (f"--no-{self.flags[0].removeprefix('--')}",)

    @property
    def is_switch(self) -> bool:
        """Whether the command line has no opposite of the option: it is off by default."""
        return self.type is bool and self.default is False and not self.is_allowed("file")

    @property
    def is_mapping(self) -> bool:
        """Whether the value is a mapping of texts; on the command line, pairs ``TO=FROM``."""
        return dict[str, str] in get_args(self.type)

    @property
    def is_repeatable(self) -> bool:
        """Whether the option takes several values, on the command line by repeating it."""
        return get_origin(self.type) is list


_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # `Path` leaves one slash of s3://bucket
_PATH_EXPECTED = "expected a path on this machine"


def expect_local(name: str, path: StrPath) -> None:
    """Raise ``ValueError`` if a path is a URL, for which a folder such as ``s3:`` would be made."""
    text = os.fsdecode(path)
    if _ADDRESS.match(text):
        raise ValueError(f"{name}: {_PATH_EXPECTED}, found {text!r}")


# Kinds of options that occur often: each sets what is the same in most of them.
switch = partial(Option, type=bool, default=False)
number = partial(Option, type=int, metavar="N", minimum=0)
seconds = partial(Option, type=float, metavar="SECONDS", unit="seconds", minimum=0)
file = partial(Option, type=Path, metavar="FILE")
texts = partial(Option, type=list[str], default=())
text_or_texts = partial(texts, annotation="str | Iterable[str]")
patterns = partial(texts, annotation="Patterns", metavar="RE", allowed=NOT_IN_FILE)
on_by_default = partial(Option, type=bool, default=True)
enabled = partial(on_by_default, allowed=NOT_IN_FILE, shows_default=True)
argument = partial(Option, allowed=COMMAND, is_argument=True, is_required=True)


class Kinds:
    """The kinds above, of options that exist in some places only."""

    def __init__(self, allowed: Sequence[str]):
        self.option = partial(Option, allowed=allowed)
        self.switch = partial(switch, allowed=allowed)
        self.on_by_default = partial(on_by_default, allowed=allowed)
        self.number = partial(number, allowed=allowed)
        self.seconds = partial(seconds, allowed=allowed)
        self.file = partial(file, allowed=allowed)
        self.texts = partial(texts, allowed=allowed)


# A call is one in Python or on the command line; such an option is not in urlset.toml.
python, command, call = Kinds(PYTHON), Kinds(COMMAND), Kinds(NOT_IN_FILE)


def with_same(same: Mapping[str, Any], *options: Option) -> tuple[Option, ...]:
    """Return options with the same values of some fields, such as their group in the help."""
    return tuple(replace(option, **same) for option in options)


_WORDS = {
    str: "str", int: "int", float: "float", bool: "bool", Path: "StrPath", datetime: "datetime",
    FileFormat: "FileFormat", IndexMode: "IndexMode", OnError: "OnError", Encoding: "Encoding",
    Profile: "Profile",
}  # fmt: skip
_STORED = {
    "str | Iterable[str]": "tuple[str, ...]",
    "StrPath | Iterable[StrPath]": "tuple[str, ...]",
    "StrPath": "Path",
    "StrPath | None": "Path | None",
}


def as_tuple(value: Any, name: str) -> tuple[Any, ...]:
    """Convert the one value or the several values of an option to a tuple.

    Raises:
        TypeError: The value is a mapping or bytes, whose items would be something else.

    >>> as_tuple("drop:/a", "filters"), as_tuple(["b", "c"], "why"), as_tuple(None, "hosts")
    (('drop:/a',), ('b', 'c'), ())
    """
    if value is None:
        return ()
    if isinstance(value, (Mapping, bytes, bytearray)):
        raise TypeError(
            f"{name}: expected a text or a list of texts, found {type(value).__name__} "
            f"{str(value)[:80]}"
        )
    if isinstance(value, str) or not isinstance(value, Iterable):
        return (value,)
    return tuple(value)


_URL_EXPECTED = "expected an http(s) URL like https://example.com/"


def _is_url(text: str) -> bool:
    scheme, mark, rest = text.partition("://")
    return bool(mark) and scheme.lower() in ("http", "https") and rest[:1] not in ("", "/")


def _plain(number: float) -> str:
    return str(int(number) if number == int(number) else number)
