"""What was simulated, what to check, how to do it again: everything of a report that is no result."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from reports import again, silent, words
from reports.findings import has_other_players
from reports.load import Saved
from simcore import results
from simcore.cells import named
from simcore.deciding import differences_from
from simcore.declare import fields, show
from simcore.errors import plural, shorten
from simcore.shards import read_shard
from simcore.strategies import show_seats

MOST_SKIPPED = 20


class RuleLine(NamedTuple):
    """A rule, its value, and what it means."""

    name: str
    value: str
    meaning: str


class About(NamedTuple):
    """What stands around the results; texts are plain."""

    title: str
    question: str
    varied: list[RuleLine]
    changed: list[RuleLine]
    others: list[RuleLine]
    facts: list[tuple[str, str]]
    not_covered: list[str]
    checks: list[tuple[str, str]]
    skipped: list[str]
    reproduce: list[tuple[str, str]]
    command: str


def describe(saved: Saved) -> About:
    """Return what stands around a run's results."""
    game, base = saved.game, saved.baseline
    declared = fields(game.Rules)
    groups = [":".join(group) for group in words.axis_groups(saved)]
    question = f"What do {words.listed(groups)} change in {game.TITLE}?" if len(groups) > 1 else ""
    question = question or (f"What does {groups[0]} change in {game.TITLE}?" if groups else "")
    default = game.Rules()
    changed: list[RuleLine] = []
    others: list[RuleLine] = []
    for name, field in declared.items():
        if name in base.varied:
            continue
        value = getattr(base.rules, name)
        if all(getattr(cell.rules, name) == value for cell in saved.cells.values()):
            line = RuleLine(name, show(field, value), field.rule.meaning)
            (others if value == getattr(default, name) else changed).append(line)
    return About(
        title=f"{game.TITLE}: {', '.join(groups) if groups else 'one rule set'}",
        question=question or f"How does {game.TITLE} play with these rules?",
        varied=[_varied(saved, name) for name in base.varied],
        changed=changed,
        others=others,
        facts=_facts(saved),
        not_covered=[
            "Error bars cover the chance of the deal, of calls and of the strategies' draws, and nothing else.",
            "Strategies are not people: every statement is about these strategies.",
            "Where a rulebook is silent or contradicts itself, a reading was chosen; most of these readings are rules "
            "that can be varied.",
            *game.ASSUMED,
        ],
        checks=_checks(saved),
        skipped=_skipped(saved),
        reproduce=[
            *again.remarks(saved.manifest),
            *((name, str(value)) for name, value in sorted(dict(saved.manifest.get("versions", {})).items())),
        ],
        command=again.command(saved.manifest),
    )


def _varied(saved: Saved, name: str) -> RuleLine:
    declared = fields(saved.game.Rules)
    short = words.short_values(saved)[name]
    values = [value if value == text else f"{text} is {value}" for value, text in short.items()]
    meaning = declared[name].rule.meaning if name in declared else {"strategy": "who plays", "preset": "rule sets"}
    shown = ", ".join(values[:20]) + (f" and {len(values) - 20} more" if len(values) > 20 else "")
    return RuleLine(name, shown, meaning if isinstance(meaning, str) else meaning.get(name, ""))


def _facts(saved: Saved) -> list[tuple[str, str]]:
    games = saved.played["games"]
    least, most = int(games.min()), int(games.max())
    played = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    strategies = {show_seats(cell.seats, short=True) for cell in saved.cells.values()}
    known = {s.name: s.meaning for part in saved.game.STRATEGIES.values() for s in part}
    names = {chosen.name for cell in saved.cells.values() for seat in cell.seats for chosen in seat.parts.values()}
    found = [
        ("Rule sets", f"{len(saved.cells):,}, the first is the baseline: {named(saved.baseline.varied)}"),
        ("Games of each", played),
        *([("Shard", _shard(saved))] if "shard" in saved.manifest else []),
        ("Seed", str(saved.manifest["seed"])),
        ("Strategies", ", ".join(sorted(strategies)[:10]) + (" and more" if len(strategies) > 10 else "")),
    ]
    return found + [(f"Strategy {name}", known[name]) for name in sorted(names) if name in known]


def _shard(saved: Saved) -> str:
    shard, games = saved.manifest["shard"], saved.manifest["games"]
    span = read_shard(shard).span(games)
    return f"{shard}: games {span.start:,} to {span.stop - 1:,} of {games:,}, to be merged"


def _checks(saved: Saved) -> list[tuple[str, str]]:
    names = words.labels(saved)
    found = []
    for metric in ("stalemate", "no_winner"):
        rows = saved.estimates[(saved.estimates["metric"] == metric) & (saved.estimates["by"] == "")]
        if len(rows):
            row: Any = rows.iloc[int(np.argmax(rows["estimate"]))]
            meaning = saved.metrics[metric, ""].meaning.split(" (")[0].split(";")[0]
            text = "none" if row["estimate"] == 0 else f"at most {100 * row['estimate']:.2g} %"
            text += "" if row["estimate"] == 0 else f", with {names[row['cell']]}"
            found.append((meaning[0].upper() + meaning[1:], text))
    status = saved.played["status"].value_counts()
    missing = ", ".join(f"{status[name]} {name}" for name in sorted(status.index) if name != "done")
    found.append(("Rule sets not finished", missing or "none"))
    failed = saved.manifest.get("failed") or {}
    for cell, why in list(failed.items())[:10] if isinstance(failed, dict) else []:
        found.append((f"Failed: {names.get(cell, shorten(str(cell)))}", shorten(str(why), 200)))
    wins = saved.estimates[(saved.estimates["metric"] == "match_win") & (saved.estimates["by"] == "seat")]
    half = (wins["high"] - wins["low"]) / 2
    if half.notna().any():
        widest = words.points(f"{100 * float(half.max()):.2g}")
        found.append(("Precision", f"shares of wins within {widest} or less, per seat"))
    found += _pairing(saved)
    ropes = differences_from(saved.manifest.get("comparison")).get("ropes") or {}
    declared = {metric.name: metric for metric in saved.metrics.values()}
    asked = ", ".join(f"{name} {words.limit(declared[name], rope)}" for name, rope in ropes.items() if name in declared)
    rate, spread = 100 * results.NEGLIGIBLE_RATE, 100 * results.NEGLIGIBLE_SPREAD
    found.append(
        (
            "What would not matter",
            f"{words.points(f'{rate:g}')} of a rate, {spread:g} % of the standard deviation of a mean, unless the "
            "metric says otherwise" + (f"; as asked for: {asked}" if asked else ""),
        )
    )
    return found


def _pairing(saved: Saved) -> list[tuple[str, str]]:
    if not len(saved.differences):
        return []
    # Where not one game differs nothing was left to save.
    alike = silent.find(saved).cells
    compared = saved.differences[~saved.differences["cell"].isin(alike)]
    if not len(compared):
        return [("Pairing", "nothing to measure: not one game differs")]
    ratios = compared["variance_ratio"].dropna()
    if not len(ratios):
        return [("Pairing", "none: the rule sets do not share deals")]
    unpaired = compared["cell"][has_other_players(saved, compared)].nunique()
    quarter, middle, three = (float(ratios.quantile(q)) for q in (0.25, 0.5, 0.75))
    text = (
        f"common deals leave {middle:.2f} of the variance of a difference (middle of all; half of them between "
        f"{quarter:.2f} and {three:.2f}; 1: nothing gained)"
    )
    verbs = "has other players and shares" if unpaired == 1 else "have other players and share"
    text += f"; {plural(unpaired, 'rule set')} {verbs} no deals" if unpaired else ""
    text += f"; without {plural(len(alike), 'rule set')} of which not one game differs" if alike else ""
    return [("Pairing", text)]


def _skipped(saved: Saved) -> list[str]:
    """Return the combinations that cannot be played, and why; what is saved may be anything."""
    found = []
    skipped: Any = saved.manifest.get("skipped") or []
    for entry in skipped if isinstance(skipped, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("varied"), dict):
            varied = {str(name): str(value) for name, value in entry["varied"].items()}
            found.append(f"{named(varied)}: {shorten(str(entry.get('reason', '')), 300)}")
    if len(found) > MOST_SKIPPED:
        found = [*found[:MOST_SKIPPED], f"and {len(found) - MOST_SKIPPED} more"]
    return found
