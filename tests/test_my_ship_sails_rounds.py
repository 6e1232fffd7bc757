"""The kernel of My Ship Sails: which rounds end, when they do, and that cutting short what repeats changes nothing."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import pytest

from simcore import games
from simcore.games.my_ship_sails import events
from simcore.games.my_ship_sails.rules import PRESETS, Direction, Rules, Trim
from simcore.strategies import read_seats
from tests.naive import my_ship_sails as naive
from tests.ship_odds import targets_of_four
from tests.ship_play import NAME, ONE_ROUND, is_near, log_of, play
from tests.twins import differences, kernel_match


class LoggedRound(NamedTuple):
    """A round as the log tells it: suit counts and targets at the deal; winner, passes and suit, or nothing."""

    number: int
    counts: list[list[int]]
    targets: list[int]
    won: tuple[int, int, int] | None


def logged_rounds(rules: Rules, strategy: str, seed: int = 1) -> list[LoggedRound]:
    rounds = []
    number, counts, targets = 0, [[0]], [0]
    for code, *numbers in log_of(rules, strategy, seed):
        if code == events.ROUND:
            number, counts, targets = numbers[0], [[] for _ in range(rules.players)], [-1] * rules.players
        elif code == events.HAND:
            counts[numbers[0]] = [ranks.bit_count() for ranks in numbers[1:5]]
        elif code == events.TARGET and numbers[2] == 0:
            targets[numbers[0]] = numbers[1]
        elif code == events.ROUND_WON:
            rounds.append(LoggedRound(number, counts, targets, (numbers[0], numbers[1], numbers[2])))
        elif code == events.STALEMATE:
            rounds.append(LoggedRound(number, counts, targets, None))
    return rounds


def steps_left(played: LoggedRound, goes_left: bool) -> int:
    """Return how many seats all cards together are away from the players who keep them; all targets differ."""
    keeper = {suit: seat for seat, suit in enumerate(played.targets)}
    step = 1 if goes_left else -1
    return sum(
        number * ((keeper[suit] - seat) * step % 4)
        for seat, counts in enumerate(played.counts)
        for suit, number in enumerate(counts)
    )


def goes_left(rules: Rules, number: int) -> bool:
    return rules.direction == Direction.LEFT or (rules.direction == Direction.ALTERNATE_ROUNDS and number % 2 == 1)


CONSTANT = [Direction.LEFT, Direction.RIGHT, Direction.ALTERNATE_ROUNDS]
DISCARDS = ["shortest", "random", "newest"]


@pytest.mark.parametrize("direction", CONSTANT)
@pytest.mark.parametrize("discard", DISCARDS)
@pytest.mark.parametrize("first_target", ["best", "second"])
def test_four_targets_end_a_round_when_the_last_card_can_have_arrived(
    direction: Direction, discard: str, first_target: str
) -> None:
    # Each pass takes four cards one seat nearer to who keeps them, until somebody has no other card.
    rules = Rules(direction=direction, max_passes=30, match_target=100, max_rounds=1200)
    latest, distinct = 0, 0
    for played in logged_rounds(rules, f"stubborn:discard={discard}:first_target={first_target}"):
        if len(set(played.targets)) == 4:
            distinct += 1
            assert played.won is not None
            assert played.won[1] <= steps_left(played, goes_left(rules, played.number)) // 4
            latest = max(latest, played.won[1])
            assert first_target == "second" or played.won[1] <= 11
            assert played.targets[played.won[0]] == played.won[2]
        elif first_target == "best" and played.won is not None:
            # Who has a best suit holds some of it and never gives it away: no one else completes it.
            assert played.targets.count(played.won[2]) == 1
            assert played.targets[played.won[0]] == played.won[2]
    assert distinct > 25
    assert latest >= 5


def test_eleven_passes_are_the_most_that_a_hand_can_need() -> None:
    # The best suit stays; the longest of the others come first, each from three, two and one seats away.
    most = 0
    for counts in itertools.product(range(8), repeat=4):
        if sum(counts) == 7:
            others = sorted(counts)[:3]
            most = max(most, sum(n * seats for n, seats in zip(others, (1, 2, 3), strict=True)))
    assert most == 11


def test_what_the_eleven_passes_need_is_needed() -> None:
    def breaks(strategy: str, **changes: Any) -> bool:
        rules = Rules(max_passes=30, match_target=100, max_rounds=1200)._replace(**changes)
        return any(
            played.won is None or played.won[1] > steps_left(played, True) // 4
            for played in logged_rounds(rules, strategy)
            if len(set(played.targets)) == 4
        )

    assert not breaks("stubborn")
    assert breaks("stubborn", direction=Direction.ALTERNATE_PASSES)
    assert breaks("stubborn", overlook=0.5)
    assert breaks("stubborn", pass_count=2)
    # Cards left out of the deal make no difference to it.
    assert not breaks("stubborn", trim=Trim.NONE)


def test_who_wants_what_is_as_likely_as_counted() -> None:
    exact = targets_of_four()
    # H(7), the number of 4 x 4 tables with all margins 7, by Stanley's polynomial.
    assert exact.tables == 381_424
    rules = Rules(max_passes=1, match_target=100, max_rounds=10_000)
    rounds = logged_rounds(rules, "stubborn") + logged_rounds(rules, "stubborn", seed=2)
    assert len(rounds) == 20_000
    unique = [[counts.index(max(counts)) for counts in r.counts if counts.count(max(counts)) == 1] for r in rounds]
    distinct = sum(len(suits) == len(set(suits)) == 4 for suits in unique)
    assert is_near(distinct, len(rounds), exact.distinct)
    alone = sum(all(r.targets.count(target) > 1 for target in r.targets) for r in rounds)
    assert is_near(alone, len(rounds), exact.no_lone_collector)


def test_stubborn_players_who_pass_at_random_end_all_but_the_rounds_that_cannot_end() -> None:
    # A suit that one player alone collects comes to it sooner or later; one that several collect never does.
    rounds, last = 100_000, 400
    played = play(Rules(max_passes=last, **ONE_ROUND), "stubborn:discard=random", rounds)
    assert is_near(played.total["stalemate"], rounds, targets_of_four().no_lone_collector)
    # None of them was about to end.
    assert played.counts["passes"][last // 2 :].sum() == 0
    short = play(Rules(max_passes=last, **ONE_ROUND), "stubborn:discard=shortest", rounds)
    assert not is_near(short.total["stalemate"], rounds, targets_of_four().no_lone_collector)


@pytest.mark.parametrize(
    ("strategy", "changes", "ended", "passes", "multiple"),
    [
        ("stubborn:discard=random", {}, 0.947, 9.0, 0.172),
        ("adaptive", {}, 0.907, 6.20, 0.217),
        ("stubborn:discard=random", {"trim": Trim.NONE}, 0.842, 8.0, 0.085),
    ],
)
def test_figures_of_a_separate_experiment(
    strategy: str, changes: dict[str, Any], ended: float, passes: float, multiple: float
) -> None:
    # Another program of other authors; its last digits are rounded, and of some ten thousand rounds.
    played = play(Rules(max_passes=1000, **ONE_ROUND, **changes), strategy, 60_000)
    finished = played.total["ended"]
    assert finished / 60_000 == pytest.approx(ended, abs=0.004)
    assert played.total["passes"] / finished == pytest.approx(passes, abs=0.06)
    assert played.total["multiple_flush"] / finished == pytest.approx(multiple, abs=0.006)


@pytest.mark.parametrize("strategy", ["adaptive", "stubborn"])
def test_passing_two_makes_more_than_half_of_the_rounds_stalemates(strategy: str) -> None:
    played = play(Rules(**PRESETS["pass-two"])._replace(max_passes=1000, **ONE_ROUND), strategy, 20_000)
    one = play(Rules(max_passes=1000, **ONE_ROUND), strategy, 20_000)
    assert played.total["stalemate"] > 10_000 > 2 * one.total["stalemate"]


def test_hand_of_six_and_one_gives_a_target_card_away_when_passing_two() -> None:
    seat = read_seats(games.load(NAME), "adaptive", 2)[0]
    player = naive.Player(0, seat, {0, 1, 2, 3, 4, 5, 20}, naive.Chance(1, 0, 1, 2))
    assert player.give(2) == [20, 0]


# The bonus


def winners(rules: Rules, strategy: str, matches: int) -> Any:
    return play(rules, strategy, matches, block=1).blocks["match_win"]


def test_a_bonus_of_one_never_changes_who_wins_a_match_that_reaches_its_target() -> None:
    cases: list[dict[str, Any]] = [{}, {"match_target": 1}, {"match_target": 5, "players": 6}]
    for changes in cases:
        rules = Rules(**changes)
        without = play(rules, "adaptive", 5000, block=1).blocks
        reached = (without["round_win"] == rules.match_target).any(axis=1)
        assert reached.all()
        assert (winners(rules._replace(fastest_bonus=1), "adaptive", 5000) == without["match_win"]).all()
        two = winners(rules._replace(fastest_bonus=2), "adaptive", 5000)
        assert (two == without["match_win"]).all() == (rules.match_target == 1)
    # Where the rounds run out it can.
    rules = Rules(max_rounds=3)
    changed = winners(rules._replace(fastest_bonus=1), "adaptive", 5000) != winners(rules, "adaptive", 5000)
    assert changed.any()


# What repeats for ever is cut short

REPEATING = ["adaptive", "stubborn", "watcher", "hesitant:hesitation=1", "adaptive+watcher+stubborn+hesitant"]


def test_cutting_short_is_playing_on_for_adaptive() -> None:
    # `patient` with patience without end decides and draws as `adaptive` does, and is never cut short.
    alternating = {"direction": Direction.ALTERNATE_PASSES, "players": 5}
    cases: list[dict[str, Any]] = [{}, {"players": 6}, {"pass_count": 2}, alternating]
    for changes in cases:
        rules = Rules(max_passes=2000, match_target=2, **changes)
        short, long = (play(rules, s, 600, block=1) for s in ("adaptive", "patient:patience=100000"))
        assert short.total["stalemate"] > 50
        assert short.blocks.tobytes() == long.blocks.tobytes()
        assert all(np.array_equal(short.counts[name], long.counts[name]) for name in short.counts.dtype.names)
        hesitant = play(rules, "hesitant:hesitation=0", 600, block=1)
        assert hesitant.blocks.tobytes() == long.blocks.tobytes()


def play_on(strategy: str, rules: Rules, matches: range) -> int:
    """Play with the kernel and the twin, which has no short cut; return the number of stalemates."""
    seats = read_seats(games.load(NAME), strategy, rules.players)
    stalemates = 0
    for game in matches:
        reference, computed = naive.play_match(rules, seats, 5, game), kernel_match(NAME, rules, seats, 5, game)
        assert differences(reference, computed) == {}, game
        stalemates += reference[0]["stalemate", ()]
    return stalemates


@pytest.mark.parametrize("strategy", REPEATING)
def test_cutting_short_is_playing_on(strategy: str) -> None:
    assert play_on(strategy, Rules(max_passes=150, **ONE_ROUND), range(150)) > 5


@pytest.mark.parametrize("strategy", ["adaptive", "stubborn", "hesitant:hesitation=1", "adaptive+stubborn"])
def test_rounds_are_cut_short_at_all(strategy: str) -> None:
    rules = Rules(max_passes=100_000, max_rounds=25, match_target=100)
    log = log_of(rules, strategy if "+" not in strategy else f"{strategy}+{strategy}")
    assert any(event[0] == events.REPEATS for event in log)


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{}, {"players": 7}, {"pass_count": 2}, {"direction": Direction.ALTERNATE_PASSES}])
@pytest.mark.parametrize("strategy", REPEATING[:4])
def test_cutting_short_is_playing_on_at_length(strategy: str, changes: dict[str, Any]) -> None:
    assert play_on(strategy, Rules(max_passes=1000, **ONE_ROUND, **changes), range(1000, 1400)) > 3
