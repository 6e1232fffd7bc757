"""The public functions of the package: rules, simulate, sweep and trace from Python.

No module of the package may have the name of one of these functions, or importing it would hide the function.
"""

from __future__ import annotations

import numbers
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simcore.axes import make_axis
from simcore.cells import Cell, make_cell
from simcore.cells import plan as plan_cells
from simcore.declare import fields
from simcore.errors import UsageError
from simcore.games import GAMES, Game, load
from simcore.sources import Source, build_rules, from_presets, from_settings
from simcore.sources import rules_from_toml as rules_from_toml
from simcore.strategies import Seat, own_seat, read_entries, to_seats

Strategy = str | Callable[..., Any]
"""A strategy's name, or a user's own function."""

if TYPE_CHECKING:
    from simcore.results import Result, Study
    from simcore.tracing import Trace


def game_of(rules: Any) -> Game:
    """Return the game that a rules object belongs to: every game has a type of its own.

    Raises
    ------
    UsageError
        If it is not a rules object.
    """
    for name, folder in GAMES.items():
        if type(rules).__module__ == f"simcore.games.{folder}.rules" and isinstance(rules, load(name).Rules):
            return load(name)
    raise UsageError(
        f"rules are made by simcore.rules(game, ...) or simcore.rules_from_toml(path), not a {type(rules).__name__}."
    )


def rules(game: str, preset: str | Sequence[str] = (), **values: Any) -> Any:
    """Return the rules of a game: its defaults, changed by presets, changed by `values`.

    Raises
    ------
    UsageError
        For unknown names, values that are not allowed, or rules that cannot be played together.
    """
    known = load(game)
    sources = [from_presets(known, preset, "preset")] if preset else []
    return build_rules(known, *sources, from_settings(known, values.items(), "rule"))


def _entries(game: Game, strategy: Strategy | Sequence[Strategy]) -> tuple[Seat, ...]:
    """Return the strategies of texts and of a user's own functions, each function deciding all parts."""
    given = [strategy] if callable(strategy) else strategy
    if isinstance(given, str) or not any(map(callable, given)):
        return read_entries(game, given)  # type: ignore[arg-type]
    from simcore.owncode import from_function

    return tuple(
        own_seat(game, from_function(entry)) if callable(entry) else read_entries(game, [entry])[0] for entry in given
    )


def to_cell(rules: Any, strategy: Strategy | Sequence[Strategy] | None = None) -> Cell:
    """Return the cell of rules, and of the game's usual strategy or of those given (one, or one a seat)."""
    game = game_of(rules)
    declared = fields(game.Rules)
    # A rules object can be changed with `_replace`, so it is read again.
    checked = build_rules(game, from_settings(game, ((name, getattr(rules, name)) for name in declared), "rule"))
    entries = _entries(game, "/".join(game.PARTS.values()) if strategy is None else strategy)
    return make_cell(game, checked, to_seats(entries, checked.players))


def simulate(
    rules: Any,
    strategy: Strategy | Sequence[Strategy] | None = None,
    games: int = 100_000,
    seed: int = 1,
    jobs: int | str = "auto",
) -> Result:
    """Play one rule set.

    Parameters
    ----------
    rules
        From `simcore.rules`.
    strategy
        As on the command line, one for all seats or a list with one a seat; the game's usual one by default. A
        function of yours is one too: it takes (view, options, random) and returns the number of an option. numba
        compiles it; what its view holds is in ``docs/own-strategies.md``.
    games
        Matches to play.
    seed
        Of the random streams: the same seed gives the same result, whatever `jobs`.
    jobs
        Threads.

    Raises
    ------
    UsageError
        If anything is not allowed.
    """
    return _play([to_cell(rules, strategy)], games, seed, jobs)[0]


def sweep(
    game: str,
    vary: Mapping[str, Iterable[Any]],
    design: str = "grid",
    games: int = 100_000,
    seed: int = 1,
    jobs: int | str = "auto",
    strategy: Strategy | Sequence[Strategy] | None = None,
    preset: str | Sequence[str] = (),
    rules: Mapping[str, Any] | None = None,
) -> Study:
    """Play all combinations of what is varied.

    Parameters
    ----------
    game
        Name of the game.
    vary
        Name of a rule (or ``preset``, ``strategy``) to its values; linked names are joined by a colon, and each
        of their values has as many entries. The first values make the baseline.
    design
        ``grid`` for all combinations, ``each`` for the baseline and one change at a time.
    games, seed, jobs
        As in `simulate`; games of each cell.
    strategy, preset, rules
        What all cells share.

    Raises
    ------
    UsageError
        If anything is not allowed.
    """
    from simcore.results import Study
    from simcore.store import make_manifest

    known = load(game)
    base = [from_presets(known, preset, "preset")] if preset else []
    base += [from_settings(known, rules.items(), "rules")] if rules else []
    base += [Source("strategy", strategy=_entries(known, strategy), firm=True)] if strategy is not None else []
    axes = [make_axis(known, names, values) for names, values in vary.items()]
    plan = plan_cells(known, base, axes, design)
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    results = _play(plan.cells, games, seed, jobs)
    manifest = make_manifest(
        plan.cells,
        seed,
        games,
        design=design,
        axes=[list(axis.names) for axis in axes],
        skipped=[skipped._asdict() for skipped in plan.skipped],
        started=started,
    )
    return Study(results, plan.skipped, manifest)


def _whole(name: str, value: Any, low: int, high: int) -> int:
    """Return a whole number within bounds; numpy's and 1e6 are fine too."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or not low <= value <= high or value != int(value):
        raise UsageError(f"{name} must be a whole number from {low:,} to {high:,}, not {value!r}.")
    return int(value)


def _play(cells: Sequence[Cell], games: int, seed: int, jobs: int | str) -> list[Result]:
    from simcore.owncode import try_out
    from simcore.results import Result
    from simcore.simulation import Simulation, count_jobs

    seed, games = _whole("seed", seed, 0, 2**64 - 1), _whole("games", games, 1, 10**12)
    threads = count_jobs("auto" if jobs == "auto" else _whole("jobs", jobs, 1, 1024))
    try_out(cells, seed)
    finished: dict[str, Result] = {}
    for update in Simulation(cells, seed, games, jobs=threads).run():
        if update.failed:
            raise UsageError(f"cell '{update.cell.id}' failed: {update.failed}.")
        if update.is_over:
            finished[update.cell.id] = Result(update.cell, update.tally, seed)
    return [finished[cell.id] for cell in cells]


def trace(rules: Any, strategy: Strategy | Sequence[Strategy] | None = None, seed: int = 1, game: int = 0) -> Trace:
    """Play one match and tell it, card by card.

    Parameters
    ----------
    rules, strategy
        As in `simulate`.
    seed, game
        Seed, and number of the match, as `simulate` and `sweep` count them: the same match as there.
    """
    from simcore import tracing
    from simcore.owncode import try_out

    cell, drawn = to_cell(rules, strategy), _whole("seed", seed, 0, 2**64 - 1)
    try_out([cell], drawn)
    return tracing.trace(cell, drawn, _whole("game", game, 0, 10**12))
