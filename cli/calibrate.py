"""`shipsim calibrate`: learns the tables of a strategy from self-play."""

from __future__ import annotations

from pathlib import Path

import click

from cli.options import Command, examples, game_argument, read_seed, seed_option, streams_of
from cli.streams import Streams
from simcore.errors import UsageError, shorten
from simcore.folders import free_name, quoted
from simcore.games import load

GAME = "skull-king"


@click.command(
    "calibrate",
    cls=Command,
    short_help="Learn the tables of a strategy.",
    epilog=examples("shipsim calibrate skull-king", "shipsim calibrate skull-king --rounds 20000 --out quick.npz"),
)
@game_argument
@seed_option
@click.option(
    "--rounds",
    type=click.IntRange(1000, 10**9),
    default=200_000,
    show_default=True,
    metavar="N",
    help="Rounds of the larger steps, for each number of players and of cards.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Where to write.  [default: calibrated.npz]")
@streams_of
def command(streams: Streams, game: str | None, seed: str, rounds: int, out: Path | None) -> int:
    """Learn the tables of Skull King's `calibrated` bid from self-play: minutes of work, the same for the same seed.

    The tables that shipsim bids with lie beside the game's kernel; put the file there to bid with it.
    """
    if game is None:
        only = f"Games: {GAME}, the only one with a strategy that learns."
        raise UsageError("the game is missing.", only, "See 'shipsim calibrate --help'.")
    if (name := load(game).NAME) != GAME:
        raise UsageError(f"{name} has no strategy that learns.", f"Try 'shipsim calibrate {GAME}'.")
    path = out or Path("calibrated.npz")
    _check_new_file(path)
    number = read_seed(seed)

    import numpy as np

    from simcore.games.skull_king.calibrate import calibrate
    from simcore.games.skull_king.calibrated import load as load_shipped
    from simcore.store import replace_file

    def tell(line: str) -> None:
        streams.interruption.check()
        streams.say(line)

    found = calibrate(number, rounds, tell)
    replace_file(path, lambda file: np.savez_compressed(file, allow_pickle=False, **found))
    shipped = load_shipped()
    is_shipped = shipped.keys() == found.keys() and all(np.array_equal(found[key], shipped[key]) for key in found)
    if streams.json:
        streams.put_json([{"file": str(path), "seed": number, "rounds": rounds, "is_shipped": is_shipped}])
    else:
        streams.put(f"{path}: {'the tables in use' if is_shipped else 'other tables than those in use'}, seed {number}")
    return 0


def _check_new_file(path: Path) -> None:
    """Raise UsageError if a file exists, or cannot be made, before minutes are spent on what goes into it."""
    shown = shorten(str(path))
    try:
        if path.exists():
            raise UsageError(
                f"--out: '{shown}' exists already.",
                f"Use --out {quoted(free_name(path))}, or 'rm {quoted(path)}' first.",
            )
        path.touch(exist_ok=False)
        path.unlink()
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise UsageError(f"--out: '{shown}' cannot be written: {why}.", "Use another name or folder.") from error
