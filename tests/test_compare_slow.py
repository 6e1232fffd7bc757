"""False alarms of `shipsim compare --until decided`, with the real kernel; minutes."""

from __future__ import annotations

import pytest

from cli.operands import read_cells
from cli.options import read_base
from simcore.deciding import DECIDED, Comparison, Stop
from simcore.games import load
from simcore.results import compare
from simcore.simulation import Simulation
from simcore.tally import Tally

GAME = "my-ship-sails"


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_decisions_about_nothing_are_false_alarms_in_less_than_5_per_cent() -> None:
    """Play the real kernel: matches of one round, passing to the left against to the right, with 1,000 seeds.

    By symmetry every seat wins equally often with both, and hardly a game is the same. Looks at 10,000, 20,000, 40,000
    and 80,000 games; an alarm is an interval of any seat at any look that excludes nought, the sharpest there can be.
    """
    game = load(GAME)
    base = read_base(game, (), (), ("match_target=1",), None)
    cells, _ = read_cells(game, base, ["direction=left", "direction=right"])
    comparison = Comparison(cells, {}, Stop(DECIDED, {"match_win": 0.0}, 80_000))
    alarms, naive = 0, 0
    for seed in range(1000):
        tallies: dict[str, Tally] = {}
        is_alarm = is_naive = False
        for look in comparison.stop.looks() if comparison.stop else ():
            for update in Simulation(cells, seed, look, lambda cell: tallies.get(cell.id), jobs=2).run():  # noqa: B023
                tallies[update.cell.id] = update.tally
            (rows,) = comparison.contrasts(lambda cell: tallies[cell.id])  # noqa: B023
            is_alarm |= any(r.row.low > 0 or r.row.high < 0 for r in rows if r.metric.name == "match_win")
            pair = [(cell, tallies[cell.id]) for cell in cells]
            is_naive |= any(r.low > 0 or r.high < 0 for r in compare(pair[0], pair[1]) if r.metric == "match_win")
        alarms += is_alarm
        naive += is_naive
    print(f"false alarms: sequence {alarms}, naive intervals {naive} of 1,000")
    assert alarms < 50 < naive
