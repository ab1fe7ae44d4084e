"""Declaration of one option, and the options that build and check share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, get_args, get_origin

FileFormat = Literal["xml", "text"]
IndexMode = Literal["auto", "always", "section"]
OnError = Literal["raise", "skip"]
Encoding = Literal["gzip"]
Profile = Literal["google", "bing", "yandex", "baidu"]

EVERYWHERE = ("python", "file", "command")


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option of a command and its function.

    >>> option = Option(name="hosts", type=list[str], help="Allow URLs of this host, too.")
    >>> option.key, option.flags
    ('hosts', ('--hosts',))

    Attributes:
        name: Parameter of the Python function.
        type: Type of a value in ``urlset.toml`` and on the command line; in Python, a list may
            also be one value or any iterable, and a path may be text.
        help: What the option does, in a sentence or two.
        default: Default of the Python parameter; the command line and the file have no value.
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
        is_number_text: Whether a number in the file stands for its text.
        is_time_limit: Whether 0 in the file and on the command line means no limit.
    """

    name: str
    type: Any = str
    help: str
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
    is_time_limit: bool = False
    choices: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        plain = self.name.removesuffix("_s").strip("_").replace("_", "-")
        literal = self.type if get_origin(self.type) is Literal else None
        for name, value in (
            ("key", self.key or plain),
            ("flags", self.flags or (f"--{plain}",)),
            ("choices", get_args(literal) if literal is not None else ()),
        ):
            object.__setattr__(self, name, value)

    def is_allowed(self, where: Literal["python", "file", "command"]) -> bool:
        """Return whether the option exists in Python, in urlset.toml or on the command line."""
        return where in self.allowed

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

    @property
    def is_switch(self) -> bool:
        """Whether the command line has no opposite of the option: it is off by default."""
        return self.type is bool and not self.is_allowed("file")


PYTHON = ("python",)
NOT_IN_FILE = ("python", "command")
NOT_IN_PYTHON = ("file", "command")
NOT_ON_COMMAND_LINE = ("python", "file")
ENGINE = Option(
    name="engine",
    type=Literal["native", "reference"],
    help="Engine that parses; by default native if it is installed.",
    allowed=NOT_IN_FILE,
)
POLICY = Option(
    name="policy", type=object, help="How requests are sent (urlset.Policy).", allowed=PYTHON
)
AUTH = Option(
    name="auth",
    type=object,
    help="Bearer token, or user and password, for the site.",
    allowed=PYTHON,
)
PROGRESS = Option(
    name="progress",
    type=Callable,
    help="Callback that receives an urlset.ProgressEvent.",
    allowed=PYTHON,
)
NOW = Option(
    name="now", type=datetime, help="Current time; by default the clock's.", allowed=PYTHON
)
