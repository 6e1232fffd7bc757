"""How a game declares its rules, strategies and metrics, and how their values are read and shown.

A rule is one annotated line of a game's ``Rules``, a metric one line of its ``METRICS``, a strategy one
line of its ``STRATEGIES``. The command line, the files, the reports and the documentation iterate over
these declarations; no other place names a rule or a metric. Neither numpy nor numba is imported here.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from enum import IntEnum
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

from simcore.errors import UsageError, nearest, shorten

SHARE = 360360
"""A win shared by k players counts SHARE // k: whole for every k up to 13."""


class Span(NamedTuple):
    """The numbers that a rule allows.

    `low` and `high` are included, unless `above` says that values must be larger than `low`. Whole
    numbers may be restricted to the multiples of `step`.
    """

    low: float
    high: float
    step: int = 1
    above: bool = False

    def __contains__(self, value: object) -> bool:
        assert isinstance(value, int | float)
        if not self.low <= value <= self.high or (self.above and value == self.low):
            return False
        return self.step == 1 or value % self.step == 0

    def __str__(self) -> str:
        if self.high == math.inf:
            return f"any number above {self.low:g}" if self.above else f"{self.low:g} or more"
        step = f" in steps of {self.step}" if self.step != 1 else ""
        return f"{self.low:g}..{self.high:g}{step}"


class Rule(NamedTuple):
    """What is to be known about a rule (or a strategy's parameter) besides its name, type and default.

    Attributes
    ----------
    meaning
        One sentence for players.
    source
        Where the default comes from, or which source demands the rule.
    span
        The numbers allowed; choices and truth values need none.
    length
        Above 0: the value is a tuple of at most so many entries.
    per_seat
        The tuple has one entry for each seat, or a single one that stands for all.
    words
        Names for certain values, such as ``{"until_playable": 0}``.
    """

    meaning: str
    source: str = ""
    span: Span | None = None
    length: int = 0
    per_seat: bool = False
    words: Mapping[str, Any] = {}


class Field(NamedTuple):
    """A declared rule or parameter with everything that reading, storing and showing it needs."""

    name: str
    kind: type
    """int, float, bool, or a subclass of IntEnum; of the entries if the value is a tuple."""
    default: Any
    rule: Rule


class Metric(NamedTuple):
    """A quantity that the kernel adds up.

    Attributes
    ----------
    per
        The count it is divided by: estimate = sum(name) / (scale * sum(per)).
    by
        The keys it is split by, for instance ``("seat",)`` or ``("seat", "round")``.
    values
        Lowest and highest value of its distribution, in units of 1 / scale; the end bins are open.
        None: no distribution is kept.
    scale
        What the kernel adds for one unit: SHARE for shared wins, 2 for half points.
    rate
        A share between 0 and 1, as against a mean.
    field
        The field of the tally that holds it, where that is not its name: one name may stand twice, split
        by different keys.
    negligible
        The largest difference that does not matter, in the metric's unit (1 turn, say). 0: the usual one,
        see ``results.negligible``.
    """

    name: str
    meaning: str
    per: str = "matches"
    by: tuple[str, ...] = ()
    values: tuple[int, int] | None = None
    scale: int = 1
    rate: bool = False
    field: str = ""
    negligible: float = 0.0


class Key(NamedTuple):
    """What a metric can be split by: how many values there are at most and how users see them."""

    size: int
    first: int = 1
    labels: tuple[str, ...] = ()

    def label(self, index: int) -> str:
        return self.labels[index] if self.labels else str(self.first + index)


class Strategy(NamedTuple):
    """A strategy: its name, what it does, and the names of the parameters it takes."""

    name: str
    meaning: str
    parameters: tuple[str, ...] = ()


@functools.cache
def fields(declared: type) -> dict[str, Field]:
    """The fields of an annotated NamedTuple (a game's Rules or Parameters), in order."""
    hints = get_type_hints(declared, include_extras=True)
    defaults = declared._field_defaults  # type: ignore[attr-defined]
    found = {}
    for name, hint in hints.items():
        assert get_origin(hint) is Annotated, name
        kind, rule = get_args(hint)
        if get_origin(kind) is tuple:
            kind = get_args(kind)[0]
        found[name] = Field(name, kind, defaults[name], rule)
    return found


def allowed(field: Field) -> str:
    """The allowed values in words, for instance ``2..13`` or ``colour, swap, none``."""
    words = list(field.rule.words)
    if issubclass(field.kind, IntEnum):
        words = [member.name.lower() for member in field.kind]
    elif field.kind is bool:
        words = ["true", "false"]
    elif field.rule.span is not None:
        kind = "numbers " if field.kind is float and field.rule.span.high != math.inf else ""
        words = [kind + str(field.rule.span), *words]
    text = ", ".join(words)
    if field.rule.per_seat:
        return text + "; one for all seats, or one a seat joined by +"
    if field.rule.length:
        return text + f"; up to {field.rule.length} joined by +"
    return text


def show(field: Field, value: Any) -> str:
    """The value as the command line takes it."""
    if isinstance(value, tuple):
        for word, meant in field.rule.words.items():
            if meant == value:
                return word
        return "+".join(_show_one(field, entry) for entry in value)
    return _show_one(field, value)


def _show_one(field: Field, value: Any) -> str:
    for word, meant in field.rule.words.items():
        if meant == value and not isinstance(meant, tuple):
            return word
    if isinstance(value, IntEnum):
        return value.name.lower()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        # Plus would join two values.
        return repr(value).removesuffix(".0").replace("e+", "e")
    return str(value)


def plain(field: Field, value: Any) -> Any:
    """The value as JSON and TOML hold it, and `read` takes it: names for choices, lists for tuples."""
    if isinstance(value, tuple):
        return [plain(field, entry) for entry in value] if len(value) != 1 else plain(field, value[0])
    if isinstance(value, IntEnum):
        return value.name.lower()
    if field.kind is float:
        # A default or a preset may say 0 where `read` makes 0.0, and both must be saved alike.
        value = float(value)
    # A number that only a word stands for need not be one of the numbers allowed.
    return next((word for word, meant in field.rule.words.items() if meant == value), value)


def read(field: Field, given: Any, what: str, see: str) -> Any:
    """Make a field's value from what a user wrote, on the command line, in a file or in Python.

    Parameters
    ----------
    field
        What is to be read.
    given
        Text (where ``+`` joins the entries of a list), number, truth value, choice, or a sequence.
    what, see
        "rule 'joker'" and "shipsim rules ahoi joker", for messages.

    Raises
    ------
    UsageError
        If it is not one of the allowed values.
    """
    words = field.rule.words
    if isinstance(given, str) and given in words:
        return words[given]
    if not field.rule.length:
        if isinstance(given, list | tuple):
            raise _not_allowed(field, given, what, see)
        return _read_one(field, given, what, see)
    if isinstance(given, str):
        given = given.split("+")
    elif not isinstance(given, list | tuple):
        given = [given]
    entries: list[Any] = []
    for entry in given:
        meant = words.get(entry) if isinstance(entry, str) else None
        if isinstance(meant, tuple):
            entries.extend(meant)
        else:
            entries.append(_read_one(field, entry, what, see))
    if not 1 <= len(entries) <= field.rule.length:
        raise UsageError(
            f"{what} takes 1 to {field.rule.length} entries, not {len(entries)}.",
            f"Values: {allowed(field)}.",
            f"See '{see}'.",
        )
    return tuple(entries)


def _not_allowed(field: Field, given: Any, what: str, see: str) -> UsageError:
    names = [member.name.lower() for member in field.kind] if issubclass(field.kind, IntEnum) else []
    shown = given if isinstance(given, str) else show(field, given)
    hint = nearest(str(shown), [*names, *field.rule.words])
    return UsageError(
        f"'{shorten(str(shown))}' is not a value of {what}.{hint}", f"Values: {allowed(field)}.", f"See '{see}'."
    )


def _read_one(field: Field, given: Any, what: str, see: str) -> Any:
    value: Any = None
    if isinstance(given, str) and given in field.rule.words:
        return field.rule.words[given]
    if issubclass(field.kind, IntEnum):
        if isinstance(given, field.kind):
            return given
        if isinstance(given, str):
            names = {member.name.lower(): member for member in field.kind}
            value = names.get(given.lower().replace("-", "_"))
    elif field.kind is bool:
        if isinstance(given, bool):
            value = given
        elif isinstance(given, str):
            value = {"true": True, "false": False}.get(given.lower())
    else:
        value = _number(given, field.kind)
        if value is not None and field.rule.span is not None and value not in field.rule.span:
            value = None
    if value is None:
        raise _not_allowed(field, given, what, see)
    return value


def _number(given: Any, kind: type) -> Any:
    if isinstance(given, str):
        if not given.isascii() or "_" in given:
            return None
        try:
            given = int(given) if kind is int else float(given)
        except ValueError:
            return None
    elif not isinstance(given, bool | int | float):
        # numpy's numbers come from range-like objects of the library's users.
        given = given.item() if hasattr(given, "item") else None
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    if kind is int:
        return int(given) if isinstance(given, int) or given.is_integer() else None
    try:
        number = float(given)
    except OverflowError:
        return None
    # Minus zero would make two cells of what is one.
    return number + 0.0 if math.isfinite(number) else None
