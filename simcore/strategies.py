"""Strategies as users write them: ``patient:discard=newest``, ``rollout/contract:samples=50``, one a seat.

No numpy here: the command line checks what it is given before anything heavy is imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from simcore.declare import fields, read, show
from simcore.errors import ShipsimError, UsageError, nearest, raise_all, shorten
from simcore.games import Game

if TYPE_CHECKING:
    from simcore.own import Own

OWN = -1
"""The number that stands for a user's own strategy in the kernel, in any part."""


class Chosen(NamedTuple):
    """A strategy chosen for one part: its name, or a user's own function and its name."""

    name: str
    own: Own | None = None

    @property
    def complete(self) -> str:
        """The name, and of a user's own function also what it is known by."""
        return self.own.complete if self.own else self.name


class Seat(NamedTuple):
    """What plays at one seat.

    Attributes
    ----------
    parts
        Part of the game's PARTS to the strategy chosen for it.
    parameters
        Value of every parameter of the game; those that the chosen strategies do not take are at
        their defaults.
    taken
        Names of the parameters that the chosen strategies take, as declared.
    game
        The game.
    """

    parts: dict[str, Chosen]
    parameters: dict[str, Any]
    taken: tuple[str, ...]
    game: Game

    def __str__(self) -> str:
        """Return the strategy with all its parameters, so that no later default can change it."""
        return self._text(lambda chosen: chosen.complete, lambda name, value: True)

    @property
    def short(self) -> str:
        """The strategy without parameters that are at their defaults."""
        declared = fields(self.game.Parameters)
        return self._text(lambda chosen: chosen.name, lambda name, value: value != declared[name].default)

    @property
    def own(self) -> tuple[Own | None, ...]:
        """For each part the user's own function that decides it, or None."""
        return tuple(chosen.own for chosen in self.parts.values())

    def _text(self, word: Any, is_shown: Any) -> str:
        names = list(dict.fromkeys(word(chosen) for chosen in self.parts.values()))
        whole = len(names) == 1 and (any(self.own) or len(_parts_of(self.game, names[0])) == len(self.parts))
        head = names[0] if whole else "/".join(word(chosen) for chosen in self.parts.values())
        declared = fields(self.game.Parameters)
        values = [(name, self.parameters[name]) for name in self.taken]
        shown = [f":{name}={show(declared[name], value)}" for name, value in values if is_shown(name, value)]
        return head + "".join(shown)


def _parts_of(game: Game, name: str) -> list[str]:
    return [part for part, known in game.STRATEGIES.items() if any(s.name == name for s in known)]


def _take_own(game: Game, text: str, saved: bool) -> tuple[str, dict[str, Own]]:
    """Take the users' own strategies out of a text; in their place stays a name that is none of the game's."""
    from simcore import own as files

    if saved:
        return files.take_saved(text)
    owns: dict[str, Own] = {}
    while files.MARK in text:
        before, _, after = text.partition(files.MARK)
        path, lead = f"{before}.py", ""
        first, slash, rest = path.partition("/")
        # All before the mark is path, unless there is no such file, and a bid in front of one that there is.
        known = {s.name for part in [*game.PARTS][:-1] for s in game.STRATEGIES[part]}
        if slash and (first in known or first in owns) and not files.exists(path):
            path, lead = rest, f"{first}/"
        end = min((place for letter in "/:" if (place := after.find(letter)) >= 0), default=len(after))
        name = files.stand_in(len(owns))
        owns[name] = files.read_own(path, after[:end])
        text = f"{lead}{name}{after[end:]}"
    return text, owns


def read_seat(game: Game, text: str, saved: bool = False) -> Seat:
    """Read one seat's strategy.

    Parameters
    ----------
    game
        The game.
    text
        As on the command line; what contains ``.py:`` is the file of a user's own, which is read, not executed.
    saved
        The text comes from a manifest: a user's own is named there by its digest, and no file is looked at.

    Raises
    ------
    UsageError
        If a name, a parameter or a value is not known; all that is wrong is named at once.
    """
    see = f"shipsim strategies {game.NAME}"
    owns: dict[str, Own] = {}
    if ".py:" in text or (saved and "@" in text):
        text, owns = _take_own(game, text, saved)
    head, *settings = text.split(":")
    if len(game.PARTS) > 1 and any("/" in setting for setting in settings):
        pieces = [piece.split(":") for piece in text.split("/")]
        last = ":".join(["/".join(piece[0] for piece in pieces), *(word for piece in pieces for word in piece[1:])])
        raise UsageError(
            f"'{shorten(text)}' has parameters between its parts.", f"They stand behind both: {last}.", f"See '{see}'."
        )
    errors: list[ShipsimError] = []
    names = head.split("/")
    chosen: dict[str, str] = dict(game.PARTS)
    if len(names) == 1 and head in owns:
        names *= len(game.PARTS)
    if len(names) == 1 and _parts_of(game, head):
        chosen.update(dict.fromkeys(_parts_of(game, head), head))
    elif len(names) == len(game.PARTS) and (len(names) > 1 or owns):
        chosen = dict(zip(game.PARTS, names, strict=True))
    else:
        every = {s.name: None for known in game.STRATEGIES.values() for s in known}
        form = "" if len(game.PARTS) == 1 else f" or {'/'.join(game.PARTS)}"
        shown = "/".join(owns[name].short if name in owns else name for name in names)
        raise UsageError(
            f"'{shorten(shown)}' is not a strategy of {game.NAME}.{nearest(head, every)}",
            f"Strategies: {', '.join(every)}{form}.",
            f"See '{see}'.",
        )
    taken: dict[str, None] = {}
    for part, name in chosen.items():
        known = {s.name: s for s in game.STRATEGIES[part]}
        if name in owns:
            continue
        if name in known:
            taken.update(dict.fromkeys(known[name].parameters))
        else:
            errors.append(
                UsageError(
                    f"'{shorten(name)}' is not a {part} strategy of {game.NAME}.{nearest(name, known)}",
                    f"Strategies: {', '.join(known)}.",
                    f"See '{see}'.",
                )
            )
    raise_all(errors)
    declared = fields(game.Parameters)
    parameters = {name: field.default for name, field in declared.items()}
    given: set[str] = set()
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or name not in taken:
            for place, own in owns.items():
                head = head.replace(place, own.short)
            takes = f"Parameters: {', '.join(taken)}." if taken else f"'{head}' takes no parameters."
            wrong = f"'{shorten(setting)}' is not of the form parameter=value" if not equals else ""
            wrong = wrong or f"'{shorten(name)}' is not a parameter of strategy '{head}'.{nearest(name, taken)}"
            errors.append(UsageError(wrong, takes, f"See '{see}'."))
        elif name in given:
            errors.append(UsageError(f"parameter '{name}' is given twice in '{shorten(text)}'.", f"See '{see}'."))
        else:
            given.add(name)
            try:
                parameters[name] = read(declared[name], value, f"parameter '{name}' of strategy '{head}'", see)
            except ShipsimError as error:
                errors.append(error)
    raise_all(errors)
    ordered = tuple(name for name in declared if name in taken)
    parts = {
        part: Chosen(owns[name].short, owns[name]) if name in owns else Chosen(name) for part, name in chosen.items()
    }
    return Seat(parts, parameters, ordered, game)


def own_seat(game: Game, own: Own) -> Seat:
    """Return the seat at which a user's own function decides everything."""
    parameters = {name: field.default for name, field in fields(game.Parameters).items()}
    return Seat({part: Chosen(own.short, own) for part in game.PARTS}, parameters, (), game)


def read_entries(game: Game, given: str | Sequence[str], saved: bool = False) -> tuple[Seat, ...]:
    """Read strategies joined by ``+``, or a list of them: one that stands for all seats, or one a seat.

    `saved` is as in `read_seat`.

    Raises
    ------
    UsageError
        For everything in it that is not known.
    """
    errors: list[ShipsimError] = []
    seats = []
    for text in _split(given) if isinstance(given, str) else given:
        try:
            seats.append(read_seat(game, text, saved))
        except ShipsimError as error:
            errors.append(error)
    raise_all(errors)
    if not seats:
        raise UsageError("the list of strategies is empty.", f"See 'shipsim strategies {game.NAME}'.")
    return tuple(seats)


def _split(text: str) -> list[str]:
    if ".py:" not in text:
        return text.split("+")
    from simcore.own import split_seats

    return split_seats(text)


def to_seats(entries: Sequence[Seat], players: int) -> tuple[Seat, ...]:
    """Return one strategy for each seat from the entries that `read_entries` returned.

    Raises
    ------
    UsageError
        If their number is neither 1 nor `players`.
    """
    if len(entries) not in (1, players):
        text = shorten("+".join(seat.short for seat in entries))
        raise UsageError(
            f"strategy '{text}' names {len(entries)} seats, but there are {players} players.",
            "Give one strategy for all seats, or one a seat joined by +.",
            f"See 'shipsim strategies {entries[0].game.NAME}'.",
        )
    return tuple(entries) if len(entries) == players else tuple(entries) * players


def read_seats(game: Game, text: str, players: int) -> tuple[Seat, ...]:
    """Read the strategies of all seats, joined by ``+``; one stands for all.

    Raises
    ------
    UsageError
        If one of them is not a strategy, or their number is neither 1 nor `players`.
    """
    return to_seats(read_entries(game, text), players)


def show_seats(seats: Sequence[Seat], short: bool = False) -> str:
    """Return the seats' strategies as the command line takes them; equal ones once."""
    texts = [seat.short if short else str(seat) for seat in seats]
    return texts[0] if len(set(texts)) == 1 else "+".join(texts)
