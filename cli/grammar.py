"""What a user types becomes axes, settings and numbers. Text only: nothing of click or numpy here.

Plus joins, comma separates alternatives, colon links (and begins a strategy's parameters), and the first
``=`` ends a name; no character needs quoting in a shell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

from simcore.axes import MAX_VALUES, Axis, check_names, every_value, make_axis
from simcore.declare import Field, allowed, fields
from simcore.errors import ManyErrors, ShipsimError, UsageError, nearest, raise_all, shorten
from simcore.games import Game
from simcore.sources import Source, from_presets, from_settings, from_strategy, from_toml, read_rule

AXIS_HELP = """\
players=2..6                        every whole number, both ends included
hand_size=5..11/2                   with a step; a step that misses the end stops before it
overlook=0..0.5/0.1                 decimal steps are exact
joker=swap,colour,none              alternatives; the first value is the baseline
joker                               all values of a choice or truth value, its default first
players:hand_size=3:7,4:6,5:5       linked: moved together; the last takes all that is left
preset=classic,stacking+no-joker    whole rule sets
strategy=random,keeper+random       strategies, one for all seats or one a seat"""
"""The grammar of ``--vary`` with an example of each form, for ``--help``."""

T = TypeVar("T")

_DASHED = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)[-\u2013]([0-9]{1,9}(?:\.[0-9]{1,9})?)")
"""A range as people write it elsewhere."""

_NUMBER = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?(e-?[0-9]{1,3})?")


class Target(NamedTuple):
    """A metric and a half width or margin for it, in the metric's own unit."""

    metric: str
    value: float


def parse_axis(game: Game, text: str, option: str = "--vary") -> Axis:
    """Read one axis.

    Raises
    ------
    UsageError
        For everything that is wrong in it.
    """
    where = f"{option} {shorten(text)}"
    head, equals, tail = text.partition("=")
    names = head.split(":")
    if not head:
        raise UsageError(f"'{where}' names no rule.", "Write RULE=VALUE,VALUE.", "See 'shipsim sweep --help'.")
    raise_all(check_names(game, names))
    if not equals:
        if len(names) > 1:
            raise UsageError(f"'{where}' gives no values for its linked rules.", f"Write {head}={_example(names)}.")
        return every_value(game, head, where)
    if not tail:
        raise UsageError(f"'{where}' gives no values.", f"Write {head}=VALUE,VALUE.")
    items = tail.split(",")
    if not all(items):
        raise UsageError(f"'{where}' has an empty value: two commas, or one at an end.", "Leave it out.")
    if len(names) == 1:
        return make_axis(game, head, expand(game, head, items, where), where)
    errors: list[ShipsimError] = []
    rows = []
    for item in items:
        row = item.split(":", len(names) - 1)
        if len(row) < len(names) or not all(row):
            parts = sum(map(bool, row))
            errors.append(
                UsageError(
                    f"'{shorten(item)}' in '{where}' gives {parts} of the {len(names)} linked values.",
                    f"Write {head}={_example(names)}.",
                )
            )
        for name, part in zip(names, row, strict=False):
            if name in fields(game.Rules) and ".." in part:
                errors.append(
                    UsageError(
                        f"'{shorten(part)}' in '{where}' is a range, which linked rules do not take.",
                        "Write each value.",
                    )
                )
        rows.append(row)
    raise_all(errors)
    return make_axis(game, names, rows, where)


def _example(names: Sequence[str]) -> str:
    return ",".join(":".join("VALUE" for _ in names) for _ in range(2))


def parse_axes(game: Game, texts: Iterable[str], option: str = "--vary") -> tuple[Axis, ...]:
    """Read all axes.

    Raises
    ------
    UsageError
        For everything that is wrong in any of them.
    """
    errors: list[ShipsimError] = []
    axes = []
    for text in texts:
        try:
            axes.append(parse_axis(game, text, option))
        except ShipsimError as error:
            errors.append(error)
    _raise_flat(errors)
    return tuple(axes)


def expand(game: Game, name: str, items: Iterable[Any], where: str) -> list[Any]:
    """Return the values with each range replaced by its numbers.

    Raises
    ------
    UsageError
        For ranges that are none, or have values that the rule does not allow.
    """
    field = fields(game.Rules).get(name)
    values: list[Any] = []
    errors: list[ShipsimError] = []
    for item in items:
        if field and field.rule.span and isinstance(item, str) and (dashed := _DASHED.fullmatch(item)):
            errors.append(
                UsageError(
                    f"'{shorten(item)}' in '{where}' is not a value of rule '{name}'.",
                    f"Did you mean the range {name}={dashed[1]}..{dashed[2]}{'/0.1' if '.' in item else ''}?",
                    f"Values: {allowed(field)}.",
                )
            )
            continue
        # Presets have no ranges, and the path of a strategy's file may hold two dots.
        if field is None or not isinstance(item, str) or ".." not in item:
            values.append(item)
            continue
        try:
            values += _range(game, field, item, where)
        except ShipsimError as error:
            errors.append(error)
        if len(values) > MAX_VALUES:
            errors.append(_too_many(where, len(values)))
            break
    raise_all(errors)
    return values


def _too_many(where: str, count: int) -> UsageError:
    many = f"{count:,}" if count <= 10**9 else "more than 1,000,000,000"
    return UsageError(f"'{where}' has {many} values; at most {MAX_VALUES:,} are allowed.", "Take a larger step.")


def _range(game: Game, field: Field, text: str, where: str) -> list[Any]:
    """Return the values of LOW..HIGH or LOW..HIGH/STEP; a step that misses HIGH stops before it."""
    see = f"See 'shipsim rules {game.NAME} {field.name}'."
    values = f"Values: {allowed(field)}."
    span = field.rule.span
    if span is None:
        raise UsageError(f"'{shorten(text)}' is a range, but the values of rule '{field.name}' are words.", values, see)
    if field.rule.length and not field.rule.per_seat:
        raise UsageError(f"'{shorten(text)}' is a range, but rule '{field.name}' is a list.", values, see)
    low_text, _, rest = text.partition("..")
    high_text, slash, step_text = rest.partition("/")
    texts = [low_text, high_text, *([step_text] if slash else [])]
    if not all(_NUMBER.fullmatch(one) for one in texts):
        raise UsageError(
            f"'{shorten(text)}' in '{where}' is not a range.", "Write LOW..HIGH or LOW..HIGH/STEP, in digits.", values
        )
    low, high, *steps = (Fraction(one) for one in texts)
    step = steps[0] if steps else Fraction(span.step)
    if field.kind is int and any(number.denominator != 1 for number in (low, high, step)):
        raise UsageError(f"'{shorten(text)}' has fractions, but rule '{field.name}' takes whole numbers.", values, see)
    if step <= 0:
        raise UsageError(f"the step of '{shorten(text)}' in '{where}' must be above 0.", "Write LOW..HIGH/STEP.")
    if low > high:
        turned = f"{high_text}..{low_text}{slash}{step_text}"
        raise UsageError(
            f"the range '{shorten(text)}' in '{where}' runs backwards.", f"Write {field.name}={shorten(turned)}."
        )
    if not steps and low.denominator * high.denominator != 1:
        raise UsageError(
            f"'{shorten(text)}' in '{where}' needs a step, since its ends are not whole.",
            f"Write {field.name}={shorten(text)}/0.1, for instance.",
        )
    count = (high - low) // step + 1
    if count > MAX_VALUES:
        raise _too_many(where, count)
    if field.kind is int and step % span.step:
        raise UsageError(f"the step of '{shorten(text)}' must be a multiple of {span.step}.", values, see)
    kind: Any = field.kind
    numbers = [low + step * place for place in range(count)]
    for end in (numbers[0], numbers[-1]):
        # What lies between two allowed numbers is allowed, so the ends tell all, and tell it once.
        read_rule(game, field.name, _decimal(end))
    return [kind(number) for number in numbers]


def _decimal(number: Fraction) -> str:
    return str(number) if number.denominator == 1 else repr(float(number))


def parse_set(text: str, option: str = "--set") -> tuple[str, str]:
    """Split RULE=VALUE.

    Raises
    ------
    UsageError
        If one of the two is missing.
    """
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(
            f"'{option} {shorten(text)}' is not of the form RULE=VALUE.", f"Write {option} {name or 'RULE'}=VALUE."
        )
    if not value:
        raise UsageError(f"'{option} {shorten(text)}' gives no value.", f"Write {option} {shorten(name)}=VALUE.")
    return name, value


def parse_base(
    game: Game,
    presets: Sequence[str] = (),
    files: Sequence[str] = (),
    settings: Sequence[str] = (),
    strategy: str | None = None,
) -> tuple[Source, ...]:
    """Read ``--preset``, ``--rules``, ``--set`` and ``--strategy`` into sources, in their order of precedence.

    Raises
    ------
    UsageError
        For everything that is wrong in any of them.
    """
    errors: list[ShipsimError] = []

    def attempt(read: Callable[[], T]) -> list[T]:
        try:
            return [read()]
        except ShipsimError as error:
            errors.append(error)
            return []

    sources: list[Source] = []
    if presets:
        sources += attempt(lambda: from_presets(game, presets))
    for file in files:
        sources += attempt(lambda file=file: from_toml(file, game)[1])  # type: ignore[misc]
    pairs = [pair for text in settings for pair in attempt(lambda text=text: parse_set(text))]  # type: ignore[misc]
    if pairs:
        sources += attempt(lambda: from_settings(game, pairs))
    if strategy is not None:
        sources += attempt(lambda: from_strategy(game, strategy))
    _raise_flat(errors)
    return tuple(sources)


def _raise_flat(errors: Iterable[ShipsimError]) -> None:
    flat: list[ShipsimError] = []
    for error in errors:
        flat += error.errors if isinstance(error, ManyErrors) else [error]
    raise_all(flat)


def parse_count(text: str, option: str = "--games", low: int = 1, high: int = 10**15) -> int:
    """Read a whole number such as ``250000``, ``2.5k``, ``10M``, ``1G`` or ``1e6``.

    Raises
    ------
    UsageError
        If it is not one, or lies outside `low`..`high`.
    """
    number, unit = (text[:-1], text[-1]) if text[-1:] in ("k", "K", "M", "G") else (text, "")
    values = f"Values: {low:,} to {high:,}; k, M and G stand for thousands, millions and thousand millions."
    if not _NUMBER.fullmatch(number):
        turned = text.replace(",", "").replace("_", "").replace("m", "M").replace("g", "G")
        hint = f" Did you mean '{turned}'?" if turned != text and re.fullmatch(r"[0-9.]+[kMG]?", turned) else ""
        raise UsageError(
            f"{option}: '{shorten(text)}' is not a number.{hint}", values, "Write 100000, 2.5k, 10M or 1e6."
        )
    count = Fraction(number) * {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}[unit]
    if count.denominator != 1:
        raise UsageError(f"{option}: '{shorten(text)}' is not a whole number.", values)
    if not low <= count <= high:
        raise UsageError(f"{option}: '{shorten(text)}' is out of bounds.", values)
    return int(count)


def parse_duration(text: str, option: str = "--max-time") -> float:
    """Read a time such as ``90s``, ``10m``, ``1.5h`` or ``1h30m``, and return its seconds.

    Raises
    ------
    UsageError
        If it is not one, is zero, or is longer than a year.
    """
    form = "Write 90s, 10m, 1.5h, 2d or 1h30m."
    number = r"([0-9]{1,9}(?:\.[0-9]{1,9})?)"
    found = re.fullmatch("".join(f"(?:{number}{unit})?" for unit in "dhms"), text)
    if not text or not found:
        hint = "" if not re.fullmatch(number, text) else " It needs a unit."
        raise UsageError(f"{option}: '{shorten(text)}' is not a time.{hint}", form)
    sizes = (86_400, 3_600, 60, 1)
    seconds = sum(Fraction(part or 0) * size for part, size in zip(found.groups(), sizes, strict=True))
    if not 0 < seconds <= 366 * 86_400:
        raise UsageError(f"{option}: '{shorten(text)}' is out of bounds.", "Values: above 0, up to 366d.", form)
    return float(seconds)


def parse_target(game: Game, text: str, option: str = "--precision") -> Target:
    """Read ``0.1pp`` (of `match_win`), ``METRIC=0.5pp`` or ``METRIC=VALUE``.

    A percentage point, pp, is a hundredth of a share; means take plain numbers in their own unit.

    Raises
    ------
    UsageError
        If there is no such metric, or the value is not above 0 or does not suit it.
    """
    head, equals, tail = text.partition("=")
    name, value = (head, tail) if equals else ("match_win", text)
    metrics = {metric.name: metric for metric in game.METRICS}
    lead = f"{option} " if option.startswith("-") else ""  # else it is the key of a study
    form = f"Write {lead}0.1pp, METRIC=0.1pp or METRIC=VALUE."
    if name not in metrics:
        raise UsageError(
            f"'{shorten(name)}' is not a metric of {game.NAME}.{nearest(name, metrics)}",
            f"Metrics: {', '.join(metrics)}.",
            f"See 'shipsim rules {game.NAME} --metrics'.",
        )
    number = value.removesuffix("pp")
    points = number != value
    if not _NUMBER.fullmatch(number):
        hint = (
            f" Did you mean '{value[:-1]}pp'?" if _NUMBER.fullmatch(value[:-1]) and value.endswith(("%", "p")) else ""
        )
        raise UsageError(f"{option}: '{shorten(value)}' is not a number.{hint}", form)
    if not points and not equals and Fraction(number) <= 0:
        raise UsageError(f"{option}: '{shorten(text)}' must be above 0.", form)
    if not points and not equals:
        raise UsageError(f"{option}: '{shorten(text)}' has no unit. Did you mean '{shorten(text)}pp'?", form)
    if points and not metrics[name].rate:
        raise UsageError(
            f"{option}: '{shorten(text)}': {name} is a mean, not a share, so percentage points (pp) do not suit it.",
            f"Write {lead}{name}=VALUE.",
        )
    half = Fraction(number) / (100 if points else 1)
    if half <= 0 or half > 10**12 or float(half) == 0 or (metrics[name].rate and half >= 1):
        limits = "above 0 and below 1, or below 100pp" if metrics[name].rate else "above 0, up to 1e12"
        raise UsageError(f"{option}: '{shorten(text)}' is out of bounds.", f"Values: {limits}.")
    return Target(name, float(half))
