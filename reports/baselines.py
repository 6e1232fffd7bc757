"""Which cell a report compares another with: one with as many players, if there is one."""

from __future__ import annotations

import io
from typing import Any

import pandas as pd

from reports import words
from reports.load import NAMES, Saved, Unsaved, measure
from simcore import results
from simcore.cells import Cell, named
from simcore.csvs import Csv
from simcore.deciding import differences_from
from simcore.games import load
from simcore.store import Run


def partner(saved: Saved, cell: Cell) -> Cell:
    """Return the cell that has the players of this one and is otherwise as the baseline, or the baseline.

    What is changed together with the players is as in this cell.
    """
    if cell.rules.players == saved.baseline.rules.players:
        return saved.baseline
    kept = {name: value for name, value in cell.varied.items() if _is_players(saved, name)}
    wanted = {**saved.baseline.varied, **kept}
    found = next((other for other in saved.cells.values() if other.varied == wanted), saved.baseline)
    return found if found is not cell and found.rules.players == cell.rules.players else saved.baseline


def told_differences(saved: Saved) -> pd.DataFrame:
    """Return the differences that reports tell, as `load.measure` gives them: each cell less its `partner`.

    What more players change is large and no news, and would hide what a house rule changes at any table. The file, and
    who names the rule sets to compare, keep to the first.
    """
    if isinstance(saved.run, Unsaved) or saved.manifest.get("design") == "compare":
        return saved.differences
    how: dict[str, Any] = {"comparisons": len(saved.cells) - 1, **differences_from(saved.manifest.get("comparison"))}
    rows: list[results.Contrast] = []
    replaced: list[str] = []
    compared = dict(zip(saved.differences["cell"], saved.differences["baseline"], strict=True))
    for name, cell in saved.cells.items():
        base = partner(saved, cell)
        if base.id == compared.get(name, saved.baseline.id):
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
    both = pd.concat([kept, measured], ignore_index=True)
    # In the order of the cells, as in the file of the run.
    order = {name: i for i, name in enumerate(saved.cells)}
    return both.sort_values("cell", key=lambda names: names.map(order), kind="stable", ignore_index=True)


def compares_otherwise(run: Run) -> bool:
    """Return whether the reports of a run compare some cell with another one than the first."""
    nothing = pd.DataFrame()
    cells = {cell.id: cell for cell in run.cells}
    saved = Saved(run, load(run.manifest["game"]), cells, nothing, nothing, nothing, nothing, {})
    is_named = saved.manifest.get("design") == "compare"
    return not is_named and any(partner(saved, cell) is not saved.baseline for cell in run.cells)


def told_csv(saved: Saved) -> bytes:
    """Return the differences of a report as a csv file: the columns of differences.csv, and `negligible`.

    `negligible` is half the width of the region that does not matter, which the verdict compares with.
    """
    *numbers, verdict = results.Difference._fields
    frame = saved.differences.rename(columns={"rope": "negligible"})[[*numbers, "negligible", verdict]]
    made, file = Csv(frame.columns), io.BytesIO()
    made.add(frame.itertuples(index=False))
    made.write(file)
    return file.getvalue()


def against(saved: Saved, differences: pd.DataFrame) -> str:
    """Return in words what differences compare with."""
    if (differences["baseline"] == saved.baseline.id).all():
        return words.labels(saved)[saved.baseline.id]
    short = words.short_values(saved)
    kept = {name: short[name][value] for name, value in saved.baseline.varied.items() if not _is_players(saved, name)}
    return f"{named(kept)} and as many players"


def exceptions(saved: Saved, differences: pd.DataFrame) -> str:
    """Return a sentence about the differences that compare with the first rule set though others do not."""
    is_first = differences["baseline"] == saved.baseline.id
    if is_first.all() or not is_first.any():
        return ""
    return f" What changes the players alone is compared with {words.labels(saved)[saved.baseline.id]}."


def _is_players(saved: Saved, name: str) -> bool:
    return any("players" in group and name in group for group in words.axis_groups(saved))
