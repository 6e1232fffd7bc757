"""Which cell a finding compares another with: one with as many players, if there is one."""

from __future__ import annotations

from typing import Any

import pandas as pd

from reports import words
from reports.load import NAMES, Saved, Unsaved, measure
from simcore import results
from simcore.cells import Cell
from simcore.deciding import differences_from


def partner(saved: Saved, cell: Cell) -> Cell:
    """Return the cell that has the players of this one and is otherwise as the baseline, or the baseline.

    What is changed together with the players is as in this cell.
    """
    if cell.rules.players == saved.baseline.rules.players:
        return saved.baseline
    kept = [name for group in words.axis_groups(saved) if "players" in group for name in group]
    wanted = {**saved.baseline.varied, **{name: cell.varied[name] for name in kept}}
    found = next((other for other in saved.cells.values() if other.varied == wanted), saved.baseline)
    return found if found is not cell and found.rules.players == cell.rules.players else saved.baseline


def told_differences(saved: Saved) -> pd.DataFrame:
    """Return the differences that findings tell, as `load.measure` gives them: each cell less its `partner`.

    What more players change is large and no news, and would hide what a house rule changes at any table. The file, and
    who names the rule sets to compare, keep to the first.
    """
    if isinstance(saved.run, Unsaved) or saved.manifest.get("design") == "compare":
        return saved.differences
    how: dict[str, Any] = {"comparisons": len(saved.cells) - 1, **differences_from(saved.manifest.get("comparison"))}
    rows: list[results.Contrast] = []
    replaced: list[str] = []
    for name, cell in saved.cells.items():
        base = partner(saved, cell)
        if base is saved.baseline:
            continue
        tally, base_tally = saved.tally(cell), saved.tally(base)
        if tally is not None and base_tally is not None:
            rows += results.contrast((base, base_tally), (cell, tally), **how)
            replaced.append(name)
    if not rows:
        return saved.differences
    own = pd.DataFrame([found.row for found in rows], columns=results.Difference._fields)
    # The files have ten digits, and cells that were played on since they were written have other rows.
    written = saved.estimates[["cell", *NAMES]]
    own["rope"] = [found.rope for found in rows]
    own = own.merge(written, on=["cell", *NAMES])
    measured = measure(own.drop(columns="rope"), saved, list(own["rope"]))
    kept = saved.differences[~saved.differences["cell"].isin(replaced)]
    return pd.concat([kept, measured], ignore_index=True)
