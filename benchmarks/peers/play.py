"""Plays relatives of the games with random players; run by ``compare.py`` in the peers' own environment.

    python play.py NAME SECONDS

Prints games, players' turns and seconds of processor time. Needs nothing of shipsim.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable


def rlcard_uno() -> Callable[[], int]:
    """RLCard's Uno for four players, by its game object: no features are made for a learner."""
    import rlcard

    game = rlcard.make("uno", config={"game_num_players": 4}).game

    def play() -> int:
        game.init_game()
        turns = 0
        while not game.is_over():
            game.step(random.choice(game.get_legal_actions()))
            turns += 1
        return turns

    return play


def open_spiel(name: str) -> Callable[[], int]:
    """One of OpenSpiel's games for four players, by its Python interface; dealing are its own chance moves."""
    import pyspiel

    game = pyspiel.load_game(name, {"players": 4})

    def play() -> int:
        state = game.new_initial_state()
        turns = 0
        while not state.is_terminal():
            if state.is_chance_node():
                actions, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(actions, chances)[0])
            else:
                state.apply_action(random.choice(state.legal_actions()))
                turns += 1
        return turns

    return play


def main() -> None:
    """Play for some seconds."""
    name, seconds = sys.argv[1], float(sys.argv[2])
    random.seed(1)
    play = rlcard_uno() if name == "uno" else open_spiel(name)
    play()
    began = time.process_time()
    games = turns = 0
    while time.process_time() - began < seconds:
        turns += play()
        games += 1
    print(games, turns, time.process_time() - began)


if __name__ == "__main__":
    main()
