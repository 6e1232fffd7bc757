"""Numbers as users type them: counts, times, precisions."""

from __future__ import annotations

from typing import Any

import pytest

from cli import grammar
from simcore.errors import UsageError
from simcore.games import load

SHIP = load("my-ship-sails")


def refusal(call: Any, *arguments: Any) -> str:
    with pytest.raises(UsageError) as caught:
        call(*arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "number"),
    [("1", 1), ("100000", 100_000), ("10M", 10**7), ("2.5k", 2500), ("2.5K", 2500), ("1e6", 10**6), ("1G", 10**9)],
)
def test_count(text: str, number: int) -> None:
    assert grammar.parse_count(text) == number


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a number."),
        ("M", "'M' is not a number."),
        ("10m", "'10m' is not a number. Did you mean '10M'?"),
        ("1_000", "'1_000' is not a number. Did you mean '1000'?"),
        ("1,000", "'1,000' is not a number. Did you mean '1000'?"),
        ("many", "'many' is not a number."),
        ("nan", "'nan' is not a number."),
        ("٣", "'٣' is not a number."),
        ("0", "'0' is out of bounds."),
        ("-5", "'-5' is out of bounds."),
        ("1e999", "'1e999' is out of bounds."),
        ("0.5", "'0.5' is not a whole number."),
        ("1.5e0", "'1.5e0' is not a whole number."),
    ],
)
def test_count_refused(text: str, message: str) -> None:
    first, second, *_ = refusal(grammar.parse_count, text).splitlines()
    assert first == f"--games: {message}"
    assert second == (
        "  Values: 1 to 1,000,000,000,000,000; k, M and G stand for thousands, millions and thousand millions."
    )


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("10m", 600), ("1.5h", 5400), ("1h30m", 5400), ("2d", 172_800), ("0.5s", 0.5)]
)
def test_duration(text: str, seconds: float) -> None:
    assert grammar.parse_duration(text) == seconds


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a time."),
        ("10", "'10' is not a time. It needs a unit."),
        ("30m1h", "'30m1h' is not a time."),
        ("-1m", "'-1m' is not a time."),
        ("0s", "'0s' is out of bounds."),
        ("367d", "'367d' is out of bounds."),
    ],
)
def test_duration_refused(text: str, message: str) -> None:
    lines = refusal(grammar.parse_duration, text).splitlines()
    assert (lines[0], lines[-1]) == (f"--max-time: {message}", "  Write 90s, 10m, 1.5h, 2d or 1h30m.")


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("0.1pp", ("match_win", 0.001)),
        ("stalemate=0.5pp", ("stalemate", 0.005)),
        ("stalemate=0.005", ("stalemate", 0.005)),
        ("passes=0.25", ("passes", 0.25)),
    ],
)
def test_target(text: str, target: tuple[str, float]) -> None:
    assert grammar.parse_target(SHIP, text) == target


FORM = "Write --precision 0.1pp, METRIC=0.1pp or METRIC=VALUE."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.1", f"--precision: '0.1' has no unit. Did you mean '0.1pp'?\n  {FORM}"),
        ("0.1%", f"--precision: '0.1%' is not a number. Did you mean '0.1pp'?\n  {FORM}"),
        ("", f"--precision: '' is not a number.\n  {FORM}"),
        ("passes=", f"--precision: '' is not a number.\n  {FORM}"),
        (
            "passes=1pp",
            "--precision: 'passes=1pp': passes is a mean, not a share, so percentage points (pp) do not suit it.\n"
            "  Write --precision passes=VALUE.",
        ),
        ("0pp", "--precision: '0pp' is out of bounds.\n  Values: above 0 and below 1, or below 100pp."),
        ("stalemate=1", "--precision: 'stalemate=1' is out of bounds.\n  Values: above 0 and below 1, or below 100pp."),
        ("passes=0", "--precision: 'passes=0' is out of bounds.\n  Values: above 0, up to 1e12."),
        ("passes=1e400", "--precision: 'passes=1e400' is out of bounds.\n  Values: above 0, up to 1e12."),
        (
            "stalmate=1pp",
            "'stalmate' is not a metric of my-ship-sails. Did you mean 'stalemate'?\n"
            f"  Metrics: {', '.join(dict.fromkeys(m.name for m in SHIP.METRICS))}.\n"
            "  See 'shipsim rules my-ship-sails --metrics'.",
        ),
    ],
)
def test_target_refused(text: str, message: str) -> None:
    assert refusal(grammar.parse_target, SHIP, text) == message
