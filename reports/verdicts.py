"""Claims answered: sentences from templates, tables, and the page of a game's claims."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jinja2

from reports import words
from reports.page import _escape_markdown
from reports.sentences import environment
from simcore.answers import NO, OPPOSITE, SOME, TRIFLE, UNDECIDED, YES, Found, Row
from simcore.claims import Claim, Study, commands_of
from simcore.declare import Metric
from simcore.errors import DataError, plural
from simcore.games import Game

ANSWERS = {
    YES: "yes",
    SOME: "yes, but undecided whether it matters",
    TRIFLE: "yes, but too little to matter",
    NO: "no",
    OPPOSITE: "no, the opposite",
    UNDECIDED: "undecided",
}
SHORT = {**ANSWERS, SOME: "some", TRIFLE: "negligible", OPPOSITE: "opposite", "": ""}
HEADS = ("what", "case", "value", "against", "tested", "interval", "answer")


class Answered(NamedTuple):
    """A study that was played: games of each cell, and what its measures found."""

    study: Study
    games: int
    found: tuple[Found, ...]


class Shown(NamedTuple):
    """A row in words.

    Attributes
    ----------
    label, value, base
        What it is about; the metric, and what it is compared with (empty if nothing).
    interval
        That of what is tested, in brackets.
    change
        A difference in words, with its interval; of a plain value the value with its interval.
    tested
        What is tested, as a number with sign if it is a difference.
    answer
        In a word or two.
    """

    label: str
    value: str
    base: str
    interval: str
    change: str
    tested: str
    answer: str


def show(found: Found, row: Row) -> Shown:
    """Return a row in words."""
    metric, noun = found.metric, found.measure.noun
    places = words.decimals(metric, row.low, row.high)
    if (
        found.measure.quantile
        or found.measure.compare == "cards"
        or (not metric.rate and (row.high - row.low) / 2 >= 10)
    ):
        places = 0
    interval = words.interval(metric, row.low, row.high, places).replace("inf", "no end")
    value = words.amount(metric, row.value, places).replace("inf", "never")
    answered = SHORT[row.answer]
    if math.isnan(row.base):
        return Shown(
            row.label,
            value,
            "",
            interval,
            f"{_with_noun(value, noun if math.isfinite(row.value) else '')} {interval}",
            "",
            answered,
        )
    base = words.amount(metric, row.base, places)
    signed = f"{words.scaled(metric, row.estimate):+.{places}f}{' pp' if metric.rate else ''}"
    change = f"{_more_or_less(metric, row.estimate, places, noun)} {interval}"
    return Shown(row.label, value, base, interval, change, signed, answered)


def _more_or_less(metric: Metric, difference: float, places: int, noun: str) -> str:
    """Return a difference in words: ``2.5 points less``, ``0.31 turns more``, ``hardly more``."""
    size = words.plain(abs(words.scaled(metric, difference)), places)
    if float(size) == 0:
        return "no more and no less" if difference == 0 else f"hardly {words.GAINS[difference > 0]}"
    return f"{_with_noun(size, 'points' if metric.rate else noun)} {words.GAINS[difference > 0]}"


def _with_noun(size: str, noun: str) -> str:
    """Return a number and its noun, which is given in the plural."""
    if size in ("1", "-1"):
        noun = noun.removesuffix("es") if noun.endswith("sses") else noun.removesuffix("s")
    return f"{size} {noun}".rstrip()


def answer(found: Found) -> str:
    """Return the answer of all rows together; nothing if nothing is asked."""
    rows = found.rows
    if found.measure.test == "none":
        return ""
    if not rows:
        return ANSWERS[UNDECIDED]
    if found.measure.test == "smallest":
        best = [row.label for row in rows if row.answer == YES]
        rivals = [row.label for row in rows if row.answer == UNDECIDED]
        return best[0] if best else f"{ANSWERS[UNDECIDED]} between {words.listed(rivals)}"
    counted = Counter(row.answer for row in rows)
    texts = [(ANSWERS[name], counted[name]) for name in ANSWERS if counted[name]]
    if len(texts) == 1:
        return texts[0][0]
    (first, number), *others = texts
    tail = "".join(f"; {text} in {count}" for text, count in others)
    return f"{first} in {number} of {len(rows)}{tail}"


def _weight(row: Row) -> float:
    """Return how much a row tells: the distance from none, in units of what does not matter."""
    return abs(row.estimate) / row.rope if row.rope > 0 else abs(row.estimate)


def sentence(found: Found) -> str:
    """Return a measure's answer in a sentence.

    The template of a measure knows its rows in words: `rows`, the `first`, the `last`, that with the `largest`
    distance from none, the `highest` and the `lowest`; and `each(rows)`, a list of all.
    """
    said = words.capital(answer(found))
    if not found.rows:
        return f"{said or 'No number'}: too few games [no interval]."
    ordered = sorted(found.rows, key=lambda row: row.estimate)
    context: dict[str, Any] = {
        "rows": [show(found, row) for row in found.rows],
        "largest": show(found, max(found.rows, key=_weight)),
        "lowest": show(found, ordered[0]),
        "highest": show(found, ordered[-1]),
        "each": lambda rows: "; ".join(f"{row.label}: {row.change}" if row.label else row.change for row in rows),
    }
    context |= {"first": context["rows"][0], "last": context["rows"][-1]}
    filled = jinja2.Environment(undefined=jinja2.StrictUndefined)
    try:
        text = filled.from_string(found.measure.sentence).render(context)
    except jinja2.TemplateError as error:
        raise DataError(f"the template '{found.measure.sentence}' cannot be filled: {error}.") from error
    text = " ".join(text.split())
    return f"{said}: {text}" if said else words.capital(text)


def verdict(answered: Sequence[Answered]) -> str:
    """Return the verdict on a claim: the sentences of all its measures."""
    return " ".join(sentence(found) for study in answered for found in study.found)


def name_of(found: Found) -> str:
    """Return what a measure is about, briefly."""
    measure, metric = found.measure, found.metric
    if measure.compare in ("edge", "cards", "winner"):
        return {"edge": "share of wins", "cards": "cards until ahead", "winner": "another winner"}[measure.compare]
    name = words.title(metric)
    if measure.unit:
        name = f"{name} in {measure.unit}"
    if measure.quantile:
        name = f"{name}, P{100 * measure.quantile:g}"
    key = measure.key if measure.key not in ("each", "pooled") else ""
    return ", ".join(filter(None, [name, words.part("+".join(metric.by), key) if key else ""]))


def table(answered: Answered) -> list[tuple[str, ...]]:
    """Return the rows of a study under HEADS."""
    rows: list[tuple[str, ...]] = []
    for found in answered.found:
        for row in found.rows:
            shown = show(found, row)
            entries = (name_of(found), shown.label, shown.value, shown.base, shown.tested, shown.interval, shown.answer)
            rows.append(entries)
    return rows


def precision(answered: Answered) -> str:
    """Return how precise a study became, in words."""
    missed = [name_of(found) for found in answered.found if not found.is_precise]
    if not missed:
        return "as precise as was asked for"
    return f"less precise than was asked for: {words.listed(list(dict.fromkeys(missed)))}"


def page(
    game: Game, claims: Sequence[Claim], answered: Sequence[Sequence[Answered]], seed: int, most: int | None
) -> str:
    """Return the page of a game's claims in Markdown.

    Parameters
    ----------
    game, claims, answered
        What was asked, and for each claim the studies that were played.
    seed
        Of the random streams.
    most
        Matches of a cell at most, if that was asked for.
    """
    made = environment(escape=False)
    made.filters["md"] = _escape_markdown
    entries = []
    for claim, studies in zip(claims, answered, strict=True):
        told = [
            {
                "rows": table(study),
                "games": plural(study.games, "match", "matches"),
                "cells": len(study.study.played),
                "precision": precision(study),
                "commands": commands_of(study.study, study.games, seed),
            }
            for study in studies
        ]
        entries.append({"claim": claim, "verdict": verdict(studies), "studies": told})
    text = made.get_template("claims.md.j2").render(game=game, entries=entries, heads=HEADS, seed=seed, most=most)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def claims_file(game: Game) -> Path:
    """Return the file that declares a game's claims."""
    return Path(__file__).parent / "claims" / f"{game.NAME}.toml"
