"""Claims: what a rulebook says and people ask, each a few small studies that are declared as data.

A *claim* has a number, a question and studies. A *study* is cells (or strategies against each other) with measures. A
*measure* is a metric, what it is compared with, the test that answers the question, the half width at which the study
may stop, and the template of a sentence. Nothing is played here.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from simcore.axes import Axis, link_axis, shown
from simcore.cells import Cell, plan
from simcore.declare import Metric, fields, show
from simcore.errors import DataError, ShipsimError, UsageError, nearest, raise_all
from simcore.games import Game, load
from simcore.own import refuse_in_files
from simcore.sources import Source, from_document, load_toml
from simcore.strategies import Seat, read_seat, show_seats
from simcore.tournaments import Pair, all_cells, make_pair

COMPARED = ("none", "baseline", "fair", "constant", "best_other", "winner")
"""With nothing; the study's first cell; 1 / players; a number; the best other value of the metric's first key; or who
wins, game by game, with who wins in the first cell."""

CONTESTED = ("edge", "cards")
"""Of strategies: the share of wins less 1 / players; or the cards each plays until the better one is ahead."""

TESTS = ("none", "differs", "more", "less", "within", "smallest")
"""What the question asks: nothing but a number; is there a difference; one upwards; downwards; is it between two
numbers; which is the smallest."""

EACH, POOLED = "each", "pooled"


class Measure(NamedTuple):
    """What is looked at in a study.

    Attributes
    ----------
    metric, by
        A metric, and its keys joined by plus if its name stands twice.
    key
        One key, ``each`` of them, or ``pooled``: all added up.
    compare, test
        One of COMPARED (or of CONTESTED) and one of TESTS.
    half_width
        Of every interval, in the unit shown (rates from 0 to 1), at which the study may stop.
    sentence
        A template; see ``reports.verdicts``.
    constant, span
        What it is compared with, and the two ends of ``within``.
    rope
        Half width of what does not matter; 0: the usual one.
    quantile
        Looked at instead of the mean; 0: the mean.
    times, unit
        A factor to what is shown, and its unit then.
    noun
        What a mean counts, in the plural, for sentences.
    least
        Share of the observations that a value of the key needs, to count as another choice.
    """

    metric: str
    half_width: float
    sentence: str
    by: str = ""
    key: str = ""
    compare: str = "none"
    test: str = "none"
    constant: float = 0.0
    span: tuple[float, float] = (0.0, 0.0)
    rope: float = 0.0
    quantile: float = 0.0
    times: float = 1.0
    unit: str = ""
    noun: str = ""
    least: float = 0.01


class Study(NamedTuple):
    """Cells, or strategies against each other in each of them, and what is looked at.

    Attributes
    ----------
    game, base, axes, design
        As `plan` takes them.
    cells
        The cells of the plan; where strategies meet, those that give the rules.
    pairs
        Of strategies; for each of `cells` as many as there are. Empty if none meet.
    against
        Names of the axes whose first values make the cell to compare with; empty: the first cell.
    max_games
        Matches of a cell at which the study ends anyway.
    measures
        What is looked at.
    """

    game: str
    base: Source
    axes: tuple[Axis, ...]
    design: str
    cells: tuple[Cell, ...]
    pairs: tuple[Pair, ...]
    against: tuple[str, ...]
    max_games: int
    measures: tuple[Measure, ...]

    @property
    def played(self) -> list[Cell]:
        """The cells to be played."""
        return all_cells(self.pairs) if self.pairs else list(self.cells)

    def baseline(self, cell: Cell) -> Cell:
        """Return the cell that another is compared with."""
        first = self.cells[0]
        if not self.against:
            return first
        wanted = {**cell.varied, **{name: first.varied[name] for name in self.against}}
        return next(other for other in self.cells if other.varied == wanted)


class Claim(NamedTuple):
    """A question with its number, the studies that answer it, and what has to be said besides."""

    number: int
    question: str
    note: str
    studies: tuple[Study, ...]


def read_claims(path: str | Path, game: Game) -> list[Claim]:
    """Read the claims of a game, in the order of the file.

    Raises
    ------
    DataError, ManyErrors
        For everything that is wrong in the file; each error names the claim.
    """
    document = load_toml(path)
    where = Path(path).name
    errors: list[ShipsimError] = []
    if document.keys() != {"game", "claim"} or document["game"] != game.NAME or not isinstance(document["claim"], list):
        raise DataError(f'{where}: the file must hold game = "{game.NAME}" and tables [[claim]], and nothing else.')
    claims = []
    for place, table in enumerate(document["claim"], 1):
        try:
            claims.append(_claim(game, table, f"{where}, claim {place}"))
        except ShipsimError as error:
            errors += [DataError(part.message, *part.hints) for part in getattr(error, "errors", (error,))]
    numbers = [claim.number for claim in claims]
    if not errors and numbers != list(range(1, len(numbers) + 1)):
        errors.append(DataError(f"{where}: claims must be numbered 1, 2, 3 ..., not {', '.join(map(str, numbers))}."))
    raise_all(errors)
    return claims


def _table(table: Any, where: str, needed: Mapping[str, Any], optional: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table whose keys and kinds of values were checked."""
    if not isinstance(table, dict):
        raise DataError(f"{where} is not a table.")
    kinds = {**needed, **optional}
    errors: list[ShipsimError] = [
        DataError(f"{where}: unknown key '{key}'.{nearest(key, kinds)}", f"Keys: {', '.join(kinds)}.")
        for key in table
        if key not in kinds
    ]
    errors += [DataError(f"{where}: '{key}' is missing.") for key in needed if key not in table]
    for key, kind in kinds.items():
        if key in table and (not isinstance(table[key], kind) or isinstance(table[key], bool)):
            errors.append(DataError(f"{where}: '{key}' is of the wrong kind."))
    raise_all(errors)
    return table


def _claim(game: Game, table: Any, where: str) -> Claim:
    found = _table(table, where, {"number": int, "question": str, "study": list}, {"note": str})
    studies = tuple(_study(game, study, f"{where}, study {i}") for i, study in enumerate(found["study"], 1))
    if not studies:
        raise DataError(f"{where}: there is no study.")
    return Claim(found["number"], found["question"], found.get("note", ""), studies)


def _study(game: Game, table: Any, where: str) -> Study:
    base_keys = {"preset": (str, list), "strategy": (str, list), "rules": dict}
    more = {"vary": list, "design": str, "against": list, "contest": list}
    found = _table(table, where, {"max_games": int, "measure": list}, {**base_keys, **more})
    base = from_document(game, {key: found[key] for key in base_keys if key in found}, where)
    axes = tuple(
        link_axis(game, _table(columns, f"{where}, vary", {}, _any(columns))) for columns in found.get("vary", [])
    )
    design = found.get("design", "grid")
    planned = plan(game, [base], axes, design)
    if planned.skipped:
        raise DataError(f"{where}: a combination cannot be played: {planned.skipped[0].reason}")
    against = tuple(found.get("against", ()))
    for name in against:
        if name not in planned.cells[0].varied:
            raise DataError(f"{where}: 'against' names '{name}', which is not varied.")
    contest = [_two(game, entry, where) for entry in found.get("contest", ())]
    pairs = tuple(make_pair(game, cell.rules, one, among) for cell in planned.cells for one, among in contest)
    is_contest = bool(pairs)
    measures = tuple(
        _measure(game, entry, f"{where}, measure {i}", is_contest) for i, entry in enumerate(found["measure"], 1)
    )
    if found["max_games"] < 1 or not measures:
        raise DataError(f"{where}: 'max_games' and the number of measures must be 1 or more.")
    return Study(game.NAME, base, axes, design, planned.cells, pairs, against, found["max_games"], measures)


def _any(columns: Any) -> dict[str, Any]:
    return dict.fromkeys(columns, list) if isinstance(columns, dict) else {}


def _two(game: Game, entry: Any, where: str) -> tuple[Seat, Seat]:
    if not isinstance(entry, list) or len(entry) != 2 or not all(isinstance(text, str) for text in entry):
        raise DataError(f"{where}: 'contest' is a list of pairs of strategies.")
    refuse_in_files(entry, where)
    return read_seat(game, entry[0]), read_seat(game, entry[1])


def _measure(game: Game, table: Any, where: str, is_contest: bool) -> Measure:
    number = (int, float)
    needed = {"metric": str, "half_width": number, "sentence": str}
    kinds = {str: str, float: number, tuple: list}
    defaults = Measure._field_defaults
    optional = {key: kinds[type(default)] for key, default in defaults.items()}
    found = dict(_table(table, where, needed, optional))
    if "span" in found:
        found["span"] = tuple(found["span"])
    measure = Measure(**found)
    compared = CONTESTED if is_contest else COMPARED
    for key, value, allowed in (("compare", measure.compare, compared), ("test", measure.test, TESTS)):
        if value not in allowed:
            raise DataError(f"{where}: '{value}' is not a value of '{key}'.", f"Values: {', '.join(allowed)}.")
    if measure.half_width <= 0 or (measure.test == "within" and len(measure.span) != 2):
        raise DataError(f"{where}: 'half_width' must be above 0, and 'span' two numbers.")
    if find_metric(game, measure, where).by and not measure.key and not is_contest and measure.compare != "winner":
        raise DataError(f"{where}: '{measure.metric}' has keys: give one, '{EACH}' or '{POOLED}' as 'key'.")
    return measure


def find_metric(game: Game, measure: Measure, where: str = "") -> Metric:
    """Return the metric that a measure is about.

    Raises
    ------
    DataError
        If there is none.
    """
    named = [metric for metric in game.METRICS if metric.name == measure.metric]
    wanted = tuple(measure.by.split("+")) if measure.by else ()
    for metric in named:
        if metric.by == wanted or (not measure.by and len(named) == 1):
            return metric
    metrics = dict.fromkeys(metric.name for metric in game.METRICS)
    raise DataError(
        f"{where}: there is no metric '{measure.metric}' by '{measure.by}'.{nearest(measure.metric, metrics)}"
    )


def commands_of(study: Study, games: int, seed: int) -> list[str]:
    """Return the commands that play a study's games, so that everything else about them can be seen."""
    game = load(study.game)
    words: list[str] = []
    for preset in study.base.presets:
        words += ["--preset", preset]
    for name, value in study.base.rules.items():
        words += ["--set", f"{name}={show(fields(game.Rules)[name], value)}"]
    ending = ["--games", str(games), "--seed", str(seed)]
    if not study.pairs:
        strategy = ["--strategy", show_seats(study.base.strategy, short=True)] if study.base.strategy else []
        varied = _varied(game, study.axes, study.design)
        return [
            shlex.join(["shipsim", "sweep" if varied else "simulate", game.NAME, *words, *strategy, *varied, *ending])
        ]
    found = []
    each = len(study.pairs) // len(study.cells)
    for i, pair in enumerate(study.pairs):
        more = list(words)
        for name, value in study.cells[i // each].varied.items():
            more += ["--preset", value] if name == "preset" else ["--set", f"{name}={value}"]
        found.append(shlex.join(["shipsim", "tournament", game.NAME, pair.one.short, pair.among.short, *more, *ending]))
    return found


def _varied(game: Game, axes: Iterable[Axis], design: str) -> list[str]:
    words: list[str] = []
    for axis in axes:
        values = (":".join(shown(game, n, v) for n, v in zip(axis.names, row, strict=True)) for row in axis.values)
        words += ["--vary", f"{':'.join(axis.names)}={','.join(values)}"]
    return [*words, "--design", design] if words and design != "grid" else words


def choose(claims: Sequence[Claim], numbers: Sequence[int]) -> list[Claim]:
    """Return the claims with these numbers, all if there are none.

    Raises
    ------
    UsageError
        If there is no such claim.
    """
    for number in numbers:
        if not 1 <= number <= len(claims):
            raise UsageError(f"there is no claim {number}.", f"Claims: 1 to {len(claims)}.")
    return [claim for claim in claims if not numbers or claim.number in numbers]
