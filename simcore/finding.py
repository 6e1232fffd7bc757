"""What `trace --find` can look for in each game; nothing heavy is imported, so that help and errors answer at once."""

from __future__ import annotations

from simcore.declare import Metric
from simcore.errors import UsageError, nearest, shorten
from simcore.games import Game

FIND = {"longest": "most", "closest": "smallest", "comeback": "largest"}
"""The words, and which value of its metric a game has that is found by each."""


def findable(game: Game) -> dict[str, Metric]:
    """Return the words that a game knows, each with the metric by which it looks."""
    names = zip(FIND, (game.LONGEST, game.CLOSEST, game.DEFICIT), strict=True)
    metrics = {metric.name: metric for metric in reversed(game.METRICS)}
    return {word: metrics[name] for word, name in names if name is not None}


def meaning(metric: Metric) -> str:
    """Return what a metric counts, and that it leaves out the rounds that it does not."""
    left_out = "" if metric.per in ("matches", "rounds") else "; other rounds count nothing"
    return f"{metric.meaning.split(';')[0]}{left_out}"


def metric_to_find(game: Game, what: str) -> Metric:
    """Return the metric by which the most remarkable game is found.

    Raises
    ------
    UsageError
        If the game measures no such thing; it lists what there is.
    """
    known = findable(game)
    if what in known:
        return known[what]
    raise UsageError(
        f"'{shorten(what)}' is nothing to find in {game.NAME}.{'' if what in FIND else nearest(what, known)}",
        "Values:",
        *(f"  {word}: {FIND[word]} {metric.name} ({meaning(metric)})" for word, metric in known.items()),
    )
