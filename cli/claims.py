"""`shipsim claims`: what the rulebook says and people ask, answered with numbers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.numbers import duration, plural
from cli.options import (
    PATH,
    Command,
    collect,
    examples,
    game_argument,
    jobs_option,
    read_game,
    read_games,
    read_jobs,
    read_seed,
    seed_option,
    streams_of,
)
from cli.rules import say_assumed
from cli.streams import Streams, Table, width, wrapped
from simcore.errors import DataError, UsageError, shorten

if TYPE_CHECKING:
    from reports.verdicts import Answered
    from simcore.cells import Cell
    from simcore.claims import Claim, Study
    from simcore.games import Game
    from simcore.tally import Tally
    from simcore.workers import Workers

EXPLAINED = """\
Every question is a study with a test, a precision and a limit of games of its own (reports/claims/GAME.toml). All
intervals of a measure hold together with 95 %; an answer is undecided when they do not decide. Each is headed by its
number and question. '--claim 0', for there is none of that number, lists the questions and plays nothing; docs/claims
has the answers.
"""


@click.command(
    "claims",
    cls=Command,
    short_help="The rulebook's claims, answered.",
    epilog=EXPLAINED
    + "\n"
    + examples(
        "shipsim claims ahoi",
        "shipsim claims my-ship-sails --claim 1 --claim 2",
        "shipsim claims skull-king --games 10k --json",
    ),
)
@game_argument
@click.option("--claim", multiple=True, metavar="N", help="Only the one of this number; 0 lists them. Repeat.")
@click.option("--games", metavar="N", help="Matches of a cell at most, for a quick look.")
@seed_option
@jobs_option
@click.option("--page", metavar="FILE", type=PATH, help="Write the page (Markdown).")
@streams_of
def command(
    streams: Streams,
    /,
    game: str | None,
    claim: Sequence[str],
    games: str | None,
    seed: str,
    jobs: str,
    page: str | None,
) -> int:
    """Answer what a game's rulebook says and what people ask, with numbers."""
    known = read_game(game, "claims")
    numbers, most, drawn, asked = collect(
        lambda: [_read_number(known, text) for text in claim],
        lambda: None if games is None else read_games(games),
        lambda: read_seed(seed),
        lambda: read_jobs(jobs),
    )
    from reports.verdicts import claims_file
    from simcore.claims import choose, read_claims

    chosen = choose(read_claims(claims_file(known), known), numbers)
    return _answer(streams, known, chosen, most, drawn, asked, page)


def _read_number(game: Game, text: str) -> int:
    """Read the number of a claim.

    Raises
    ------
    UsageError
        If there is no such claim; it lists those that there are.
    """
    import tomllib

    import reports

    # Only their questions: what they are answered with takes longer to read.
    document = tomllib.loads((Path(reports.__file__).parent / "claims" / f"{game.NAME}.toml").read_text("utf-8"))
    asked = [f"{entry['number']}  {entry['question']}" for entry in document["claim"]]
    is_number = text.isascii() and text.isdigit()
    if is_number and len(text) < 6 and 1 <= int(text) <= len(asked):
        return int(text)
    wrong = f"there is no claim {shorten(text)}." if is_number else f"--claim: '{shorten(text)}' is not a number."
    raise UsageError(wrong, f"Claims: 1 to {len(asked)}.", *asked)


def _answer(
    streams: Streams, game: Game, claims: Sequence[Claim], most: int | None, seed: int, asked: int, page: str | None
) -> int:
    from cli.interrupt import Interrupted
    from cli.playing import compile_game
    from reports import verdicts
    from simcore.simulation import count_jobs
    from simcore.workers import Workers

    workers, began = Workers(count_jobs(asked or "auto")), time.monotonic()
    streams.say(f"{game.NAME}: {plural(len(claims), 'claim')}, seed {seed}.")
    answered: list[list[Answered]] = []
    objects: list[dict[str, Any]] = []
    with streams.interruption.gracefully():
        try:
            studies = [study for claim in claims for study in claim.studies]
            played = [[cell for pair in study.pairs for cell in pair.cells] or study.cells for study in studies]
            compile_game(streams, game.NAME, list(chain.from_iterable(played)))
            for claim in claims:
                answered.append([_play(streams, study, most, seed, workers) for study in claim.studies])
                if streams.json:
                    objects.append(_object(claim, answered[-1], seed))
                else:
                    _show(streams, claim, answered[-1])
        except Interrupted:
            pass
    is_whole = len(answered) == len(claims)
    code = 0 if is_whole else streams.interruption.exit_code
    if streams.json:
        streams.put_json(objects, "done" if is_whole else "interrupted", code, game=game.NAME, seed=seed)
    else:
        say_assumed(streams, game)
    if not is_whole:
        streams.say(f"interrupted; {len(answered)} of {plural(len(claims), 'claim')} are answered.")
        return code
    if page is not None:
        text = verdicts.page(game, claims, answered, seed, most)
        _write(Path(page), text)
        streams.say(f"Written: {page}")
    streams.say(f"answered in {duration(time.monotonic() - began)}.")
    return code


def _write(path: Path, text: str) -> None:
    """Write the page.

    Raises
    ------
    DataError
        If that is not possible.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise DataError(f"'{shorten(str(path))}' cannot be written: {error.strerror or error}.") from error


def _play(streams: Streams, study: Study, most: int | None, seed: int, workers: Workers) -> Answered:
    """Play a study until it is precise or has all its games.

    Raises
    ------
    Interrupted
        If a signal came before the end.
    """
    from cli.interrupt import Interrupted, run_aside
    from cli.playing import play
    from reports.verdicts import Answered
    from simcore.answers import look
    from simcore.stopping import look_games
    from simcore.winners import other_winners

    tallies: dict[str, Tally] = {}
    winners: dict[str, tuple[int, int]] = {}
    cells = study.played
    are_winners_asked = any(measure.compare == "winner" for measure in study.measures)
    limit = min(study.max_games, most) if most else study.max_games

    def keep(cell: Cell, tally: Tally) -> None:
        tallies[cell.id] = tally

    for games in look_games(limit):
        played = play(streams, cells, seed, games, workers, keep, lambda cell: tallies.get(cell.id))
        if played.failed:
            name, reason = next(iter(played.failed.items()))
            raise DataError(f"cell '{name}' failed: {reason}.")
        if played.cells < len(cells):
            raise Interrupted
        if are_winners_asked:

            def count_winners(games: int = games) -> None:
                first, *others = study.cells
                found = other_winners(first, others, seed, games, workers.jobs)
                winners.update({name: (number, games) for name, number in found.items()})

            run_aside(count_winners, streams.interruption)
        found = look(study, tallies, winners)
        if all(one.is_precise for one in found):
            break
    return Answered(study, games, tuple(found))


def _show(streams: Streams, claim: Claim, answered: Sequence[Answered]) -> None:
    """Write a claim, the verdict on it, and the numbers below."""
    from reports import verdicts

    streams.put(wrapped(f"{claim.number}. {claim.question}", "", "   "))
    streams.put()
    streams.put(wrapped(verdicts.verdict(answered), "   "))
    if claim.note:
        streams.put(wrapped(claim.note, "   "))
    for study in answered:
        streams.put()
        for found in study.found:
            _put_rows(streams, found)
        plays = f"{plural(study.games, 'match', 'matches')} of {plural(len(study.study.played), 'cell')}"
        streams.put(wrapped(f"({plays}; {verdicts.precision(study)})", "   "))
    streams.put()


def _put_rows(streams: Streams, found: Any) -> None:
    """Write a measure's rows as a table that fits."""
    from reports import verdicts

    shown = [verdicts.show(found, row) for row in found.rows]
    name = verdicts.name_of(found)
    columns: list[tuple[str, list[str]]] = [("value", [row.value for row in shown])]
    if any(row.base for row in shown):
        columns += [("against", [row.base for row in shown]), ("tested", [row.tested for row in shown])]
    columns.append(("95 % interval", [row.interval[1:-1].replace(", ", " to ") for row in shown]))
    if any(row.answer for row in shown):
        columns.append(("answer", [row.answer for row in shown]))
    taken = sum(2 + max(map(len, [head, *entries])) for head, entries in columns)
    room = max(12, width() - taken)
    rows = [(shorten(row.label or "all", room), *(entries[i] for _, entries in columns)) for i, row in enumerate(shown)]
    numbers = frozenset(i for i, (head, _) in enumerate(columns, 1) if head != "answer")
    streams.put_table(Table((shorten(name, room), *(head for head, _ in columns)), rows, numbers))


def _object(claim: Claim, answered: Sequence[Answered], seed: int) -> dict[str, Any]:
    """Return a claim and its answer, for --json."""
    from reports import verdicts
    from simcore.claims import commands_of

    studies = []
    for study in answered:
        measures = [
            {
                "metric": found.measure.metric,
                "by": "+".join(found.metric.by),
                "key": found.measure.key,
                "compare": found.measure.compare,
                "test": found.measure.test,
                "half_width": found.half_width,
                "target": found.measure.half_width,
                "precise": found.is_precise,
                "answer": verdicts.answer(found),
                "sentence": verdicts.sentence(found),
                "rows": [row._asdict() for row in found.rows],
            }
            for found in study.found
        ]
        commands = commands_of(study.study, study.games, seed)
        cells = [cell.id for cell in study.study.played]
        studies.append({"games": study.games, "cells": cells, "commands": commands, "measures": measures})
    return {
        "number": claim.number,
        "question": claim.question,
        "verdict": verdicts.verdict(answered),
        "note": claim.note,
        "studies": studies,
    }
