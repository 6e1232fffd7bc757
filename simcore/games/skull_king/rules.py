"""Skull King.

A *match* is a list of rounds, ten in the classic game. In each *round* every player is dealt as many cards
as the round says, all announce how many tricks they will take, and the tricks are played. A *trick* is one
card from everybody, in turn to the left. Points are for the exact number of tricks announced.

The deck: three plain suits (parrot green, treasure chest yellow, treasure map purple) and the black pirate
flag, which is trump; escapes; and characters: pirates, mermaids, the Skull King, and the Tigress, who is
declared a pirate or an escape when she is played. Kraken, White Whale and Loot are advanced cards.

Whoever holds the led suit may play a card of another suit only if it is special; specials may always be
played. The first suit card sets the led suit, unless a character, the Kraken or the Whale was led.

Who wins: a mermaid, the first, if the Skull King lies in the trick too; else the Skull King; else the first
pirate; else the first mermaid; else the highest black card; else the highest of the led suit; else the first
card. The Kraken makes the trick nobody's; the White Whale makes the highest number win, whatever its suit;
the later of the two acts and the earlier is then an escape. The winner leads the next trick.
Seats are numbered to the left. Points are counted in halves. The cards' numbers stand in ``cards.py``.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, NamedTuple

from simcore.declare import SHARE, Key, Metric, Rule, Span, Strategy
from simcore.games.skull_king import cards
from simcore.games.skull_king.cards import BLACK, CARDS, ESCAPE, KRAKEN, LOOT, TIGRESS, WHALE

NAME = "skull-king"
TITLE = "Skull King"
ABOUT = "announce exactly how many tricks you will take; pirates, mermaids and the Skull King beat every suit"
ASSUMED = ("Nobody signals, bluffs or reads faces: all players bid and play by the strategies named.",)
MAX_PLAYERS = 8
MAX_ROUNDS = 20
MAX_HAND = 35

CALIBRATED_BINS = 72
CONTEXTS = 4
"""What a `calibrated` bidder knows: 0 nothing (simultaneous); in turn the earlier bids are 1 below, 2 near,
3 above what was to be expected."""

FORMATS: dict[str, tuple[int, ...]] = {
    "classic": tuple(range(1, 11)),
    "even-keeled": (2, 2, 4, 4, 6, 6, 8, 8, 10, 10),
    "skip-to-the-brawl": (6, 7, 8, 9, 10),
    "swift-n-salty": (5, 5, 5, 5, 5),
    "broadside": (10,) * 10,
    "whirlpool": (9, 9, 7, 7, 5, 5, 3, 3, 1, 1),
    "past-bedtime": (1,),
}


class Rules(NamedTuple):
    players: Annotated[int, Rule("seats at the table", "rulebook: 2 to 8", Span(2, 8))] = 4
    rounds: Annotated[
        tuple[int, ...],
        Rule(
            "cards dealt to everybody in each round, or the name of a format, which changes nothing else; a round's "
            "number is its place in the list",
            "rulebook: 1 to 10 cards in ten rounds",
            Span(1, MAX_HAND),
            length=MAX_ROUNDS,
            words=FORMATS,
        ),
    ] = FORMATS["classic"]
    short_deck: Annotated[
        cards.ShortDeck,
        Rule("hands that the deck cannot serve: everybody gets as many as it can, or it is an error", "silent: clip"),
    ] = cards.ShortDeck.CLIP
    zero_uses: Annotated[
        cards.ZeroUses,
        Rule("what a zero bid's points are multiplied by: the round's number, or the cards dealt", "rulebook: round"),
    ] = cards.ZeroUses.ROUND
    bidding: Annotated[
        cards.Bidding,
        Rule(
            "all at once; in turn from the round's leader to the left; or in turn, and the last may not make the bids "
            "add up to the cards dealt to one player",
            "rulebook: all at once",
        ),
    ] = cards.Bidding.SIMULTANEOUS
    scoring: Annotated[
        cards.Scoring,
        Rule(
            "the rulebook's; Rascal's: ten points a card dealt, whole for an exact bid, half for one off; or with a "
            "choice between that and the cannonball, fifteen a card only if exact",
            "rulebook: skull_king; the publisher's alternative: rascal",
        ),
    ] = cards.Scoring.SKULL_KING
    suit_length: Annotated[
        int, Rule("the highest number of a suit", "rulebook: 14; edition of 2013: 13", Span(13, 14))
    ] = 14
    escape_then_character: Annotated[
        cards.SuitRule,
        Rule(
            "an escape (or Loot, or the Tigress as one) led, then a character before any suit card: the next suit card "
            "still sets the suit, or there is none",
            "rulebook: the next suit card sets it",
        ),
    ] = cards.SuitRule.NEXT_SUIT_CARD
    character_led: Annotated[
        cards.SuitRule,
        Rule(
            "a character led: no suit to follow, or the next suit card sets it",
            "rulebook: none; edition of 2013: the next suit card",
        ),
    ] = cards.SuitRule.NO_SUIT
    tied_match: Annotated[
        cards.TiedMatch,
        Rule(
            "equal highest totals: a shared win; more points in the last round; or more exact bids in the match. Still "
            "tied: shared",
            "no source",
        ),
    ] = cards.TiedMatch.SHARED
    points_per_trick: Annotated[
        int, Rule("for each trick of an exact bid above zero", "rulebook: 20", Span(0, 100))
    ] = 20
    penalty_per_miss: Annotated[int, Rule("lost for each trick above or below", "rulebook: 10", Span(0, 100))] = 10
    zero_bid_points: Annotated[
        int, Rule("won or lost with a bid of zero, times what zero_uses says", "rulebook: 10", Span(0, 100))
    ] = 10
    bonus_when: Annotated[
        cards.BonusWhen,
        Rule(
            "bonus for 14s and captures is paid with the exact bid only (under Rascal's scoring whole, half or not, "
            "like the rest), always, or never. Loot always needs both bids exact and is not paid under never",
            "rulebook: exact",
        ),
    ] = cards.BonusWhen.EXACT
    bonus_14: Annotated[
        int, Rule("for each plain 14 in a won trick, whoever played it", "rulebook: 10", Span(0, 100))
    ] = 10
    bonus_black_14: Annotated[int, Rule("for the black 14 in a won trick", "rulebook: 20", Span(0, 100))] = 20
    bonus_mermaid: Annotated[int, Rule("for each mermaid captured", "rulebook: 20", Span(0, 100))] = 20
    mermaid_captor: Annotated[
        cards.MermaidCaptor,
        Rule(
            "who captures mermaids: a winning pirate (or Tigress as one), or any winner; a mermaid that wins is not "
            "captured, and none is where a mermaid takes the Skull King",
            "rulebook names no captor; the publisher: a pirate",
        ),
    ] = cards.MermaidCaptor.PIRATE
    bonus_pirate: Annotated[
        int, Rule("for each pirate (and Tigress as one) that a winning Skull King beats", "rulebook: 30", Span(0, 100))
    ] = 30
    escaped_tigress_counts: Annotated[
        bool, Rule("a Tigress played as an escape counts for bonus_pirate too", "silent: no; edition of 2013: yes")
    ] = False
    bonus_skull_king: Annotated[
        int,
        Rule(
            "for a mermaid that wins a trick with the Skull King in it; no other capture counts in that trick, 14s do",
            "rulebook: 40; edition of 2013: 50",
            Span(0, 100),
        ),
    ] = 40
    bonus_loot: Annotated[int, Rule("to each of two allies", "publisher: 20", Span(0, 100))] = 20
    kraken: Annotated[int, Rule("Kraken cards in the deck", "rulebook: set aside", Span(0, 1))] = 0
    white_whale: Annotated[int, Rule("White Whale cards in the deck", "rulebook: set aside", Span(0, 1))] = 0
    loot: Annotated[int, Rule("Loot cards in the deck", "rulebook: set aside; there are two", Span(0, 2))] = 0
    kraken_leader: Annotated[
        cards.KrakenLeader,
        Rule(
            "who leads after the Kraken: who would have won without it (and without the Whale), or the next after the "
            "Kraken's player in the order of play",
            "publisher; one printing: the next in order",
        ),
    ] = cards.KrakenLeader.WOULD_HAVE_WON
    whale_without_suits: Annotated[
        cards.WhaleWithoutSuits,
        Rule(
            "a Whale's trick without a suit card is nobody's, or goes to the first escape (Loot, Tigress as one, "
            "earlier Kraken) if there is one",
            "publisher: nobody's",
        ),
    ] = cards.WhaleWithoutSuits.VOID
    loot_under_whale: Annotated[cards.LootRule, Rule("does Loot ally in a trick won under the Whale?", "open")] = (
        cards.LootRule.ALLIANCE
    )
    loot_taken_by_escape: Annotated[
        cards.LootRule,
        Rule("does Loot ally when an escape (Loot, Tigress as one, earlier Kraken) wins the trick?", "open"),
    ] = cards.LootRule.ALLIANCE
    pirate_powers: Annotated[
        bool, Rule("the five named pirates have powers when they win a trick", "publisher's advanced rules")
    ] = False
    wager: Annotated[
        int, Rule("the largest stake of Rascal's power; 0, half or whole", "publisher: 20", Span(0, 100, 10))
    ] = 20
    first_leader: Annotated[
        cards.FirstLeader,
        Rule("who leads first: drawn, or the first seat", "rulebook: who looks most like the Skull King"),
    ] = cards.FirstLeader.RANDOM
    lead_rotation: Annotated[
        cards.LeadRotation,
        Rule(
            "who leads a round: left of the last round's first player, or who would lead next after its last trick",
            "rulebook: left",
        ),
    ] = cards.LeadRotation.LEFT
    graybeard: Annotated[
        bool, Rule("a third hand plays its top card; for two players only", "publisher's rules for two")
    ] = False


class Parameters(NamedTuple):
    samples: Annotated[
        int, Rule("deals of the unseen cards that are played out for every bid", span=Span(1, 10_000))
    ] = 100


PRESETS: dict[str, dict[str, Any]] = {
    "classic": {name: value for name, value in Rules()._asdict().items() if name != "players"},
    "advanced": {"kraken": 1, "white_whale": 1, "loot": 2},
    "full": {"kraken": 1, "white_whale": 1, "loot": 2, "pirate_powers": True},
    "rascal": {"scoring": cards.Scoring.RASCAL},
    "cannonball": {"scoring": cards.Scoring.RASCAL_CANNONBALL},
    "bonus-always": {"bonus_when": cards.BonusWhen.ALWAYS},
    "oh-hell": {"bidding": cards.Bidding.DEALER_RESTRICTED},
    **{
        name: {"rounds": sizes, "zero_uses": cards.ZeroUses.CARDS}
        for name, sizes in FORMATS.items()
        if name != "classic"
    },
    "edition-2013": {
        "suit_length": 13,
        "bonus_skull_king": 50,
        "bonus_14": 0,
        "bonus_black_14": 0,
        "bonus_mermaid": 0,
        "escaped_tigress_counts": True,
        "character_led": cards.SuitRule.NEXT_SUIT_CARD,
    },
}
PRESET_NOTES = {
    "classic": "every rule at its default, whatever came before; the number of players stays",
    "advanced": "with Kraken, White Whale and two Loots",
    "full": "advanced, and the five pirates have their powers",
    "rascal": "Rascal's scoring: ten points a card for an exact bid, half of it for one off",
    "cannonball": "Rascal's scoring with the choice of the cannonball",
    "bonus-always": "bonus points count whatever was bid",
    "oh-hell": "bids in turn, and they may not add up",
    "even-keeled": "ten rounds of an even number of cards, each size twice",
    "skip-to-the-brawl": "five rounds, of six to ten cards",
    "swift-n-salty": "five rounds of five cards",
    "broadside": "ten rounds of ten cards",
    "whirlpool": "from nine cards down to one, each odd size twice",
    "past-bedtime": "a single round of a single card",
    "edition-2013": "66 cards, other bonus points, a led character lets the next suit card set the suit",
}

PARTS = {"bid": "count", "play": "contract"}
STRATEGIES = {
    "bid": (
        Strategy("random", "any number of tricks, all alike"),
        Strategy("zero", "always zero"),
        Strategy("count", "adds up a fixed chance for each card and rounds the sum"),
        Strategy(
            "calibrated",
            "adds up chances learned from self-play and bids what promised most; learned for classic and for full",
        ),
        Strategy(
            "rollout",
            "plays out every bid on `samples` deals of the unseen cards, and bids what scored most",
            ("samples",),
        ),
    ),
    "play": (
        Strategy("random", "any legal card"),
        Strategy(
            "contract",
            "needs tricks: the weakest card that wins so far, else its weakest; has enough: the strongest that does "
            "not, else its strongest",
        ),
        Strategy("counter", "as contract, but remembers the cards played, and so knows sure winners and sure losers"),
        Strategy("spoiler", "as contract until its own bid is lost, then against the best opponent whose bid is not"),
    ),
}

COUNTS: dict[str, tuple[str, ...]] = {
    "matches": (),
    "turns": (),
    "seats": (),
    "decided": (),
    "halved": (),
    "bids": ("bid", "cards"),
}
"""Matches; cards played by players; players of all matches; matches with a single highest total; matches of
two rounds or more; bids announced of each height with each number of cards dealt."""

_ROUND_METRICS = (
    ("bid", "tricks announced", 1, False),
    ("tricks", "tricks taken", 1, False),
    ("exact_bid", "final bids that were made exactly", 1, True),
    ("round_points", "points of the round", 2, False),
    ("round_bonus", "bonus points paid in the round, Loot included, wagers not", 2, False),
)

METRICS = (
    Metric("match_win", "matches won; a win shared by k counts 1/k", by=("seat",), scale=SHARE, rate=True),
    Metric("match_tie", "matches with a shared win", rate=True),
    Metric("no_winner", "matches without a winner (there are none in this game)", rate=True),
    Metric("choice_turns", "cards played with at least two distinct legal ways to play", per="turns", rate=True),
    Metric("score", "points at the end", by=("seat",), values=(-2047, 2048), scale=2),
    Metric("margin", "points between the highest total and the second", values=(0, 4095), scale=2),
    Metric("lead_changes", "rounds after which another player than the last sole leader leads alone", values=(0, 19)),
    Metric(
        "decided_at_round",
        "the round from which the winner led alone to the end; per match with a single highest total",
        per="decided",
        values=(1, MAX_ROUNDS),
    ),
    Metric(
        "winner_was_last_at_half",
        "the winner had the lowest total after half of the rounds, rounded down (unless all were equal); not for one "
        "round",
        per="halved",
        scale=SHARE,
        rate=True,
    ),
    Metric(
        "winner_deficit",
        "the winner's largest distance to the leader after any round; the mean of winners who share",
        scale=2 * SHARE,
    ),
    Metric("void_tricks", "tricks that nobody won", values=(0, 63)),
    Metric("alliances", "Loots that allied two players, paid or not", values=(0, 63)),
    Metric("captured_14", "plain 14s in tricks won by a player", values=(0, 63)),
    Metric("captured_black_14", "black 14s in tricks won by a player", values=(0, 63)),
    Metric("captured_mermaid", "mermaids captured, as mermaid_captor says", values=(0, 63)),
    Metric("captured_pirate", "pirates captured by the Skull King", values=(0, 63)),
    Metric("captured_skull_king", "Skull Kings captured by a mermaid", values=(0, 63)),
    *(
        Metric(
            name,
            f"{meaning}; mean over the seats",
            per="seats",
            by=("round",),
            scale=scale,
            rate=rate,
            field=f"{name}_of_round",
        )
        for name, meaning, scale, rate in _ROUND_METRICS
    ),
    *(
        Metric(name, meaning, by=("seat", "round"), scale=scale, rate=rate)
        for name, meaning, scale, rate in _ROUND_METRICS
    ),
    Metric("bid_total_minus_cards", "all announced bids together less the cards dealt to one player", by=("round",)),
    Metric(
        "points_for_bid", "points of a round by announced bid and cards dealt", per="bids", by=("bid", "cards"), scale=2
    ),
)

KEYS = {"seat": Key(MAX_PLAYERS), "round": Key(MAX_ROUNDS), "bid": Key(MAX_HAND + 1, first=0), "cards": Key(MAX_HAND)}

GROUPS = cards.GROUPS
FASTER = {"play_plain": cards.is_plain, "play_plain_rollouts": cards.is_plain_with_rollouts}
LONGEST = "lead_changes"
CLOSEST: str | None = "margin"
DEFICIT: str | None = "winner_deficit"


def deck(rules: Rules) -> list[int]:
    """Return the numbers of the cards in play, ascending."""
    plain = list(range(3 * rules.suit_length))
    black = list(range(BLACK, BLACK + rules.suit_length))
    escapes = list(range(ESCAPE, LOOT))
    advanced = [*range(LOOT, LOOT + rules.loot), *[KRAKEN] * rules.kraken, *[WHALE] * rules.white_whale]
    return plain + black + escapes + advanced + list(range(TIGRESS, CARDS))


def hands(rules: Rules) -> int:
    """Return how many hands are dealt: one a player, and Graybeard's."""
    return rules.players + rules.graybeard


def hand_sizes(rules: Rules) -> tuple[int, ...]:
    """Return the cards really dealt to each hand in each round."""
    most = len(deck(rules)) // hands(rules)
    return tuple(min(size, most) for size in rules.rounds)


def check(rules: Rules) -> list[str]:
    """Return the reasons why the rules cannot be played together."""
    reasons, most = [], len(deck(rules)) // hands(rules)
    if rules.graybeard and rules.players != 2:
        reasons.append(f"graybeard plays with players = 2 only, not {rules.players}")
    elif rules.short_deck == cards.ShortDeck.ERROR and hand_sizes(rules) != rules.rounds:
        reasons.append(
            f"rounds has hands of {max(rules.rounds)} cards, but {len(deck(rules))} cards give {hands(rules)} hands "
            f"{most} at most (short_deck = clip deals as many as there are)"
        )
    return reasons


def notes(rules: Rules, strategies: Collection[str] = ("calibrated",)) -> list[str]:
    """Return remarks on rules that can be played but of which a user should know more; `strategies` play them."""
    sizes = hand_sizes(rules)
    found = cards.notes_on_learning(rules, Rules()) if "calibrated" in strategies else []
    if clipped := [str(number) for number, size in enumerate(sizes, 1) if size != rules.rounds[number - 1]]:
        which = f"round{'s' if len(clipped) > 1 else ''} {', '.join(clipped)}"
        found.insert(0, f"the deck is too short for {which}: {max(sizes)} cards are dealt there")
    return found


def key_sizes(rules: Rules) -> dict[str, int]:
    """Return how many values each key takes."""
    largest = max(hand_sizes(rules))
    return {"seat": rules.players, "round": len(rules.rounds), "bid": largest + 1, "cards": largest}


TABLES: dict[str, tuple[int, ...]] = {
    "round_count": (),
    "cards": (MAX_ROUNDS,),
    "deck_size": (),
    "deck": (CARDS,),
    "factor_above": (),
    "factor_below": (),
    "calibrated_chances": (MAX_ROUNDS, CARDS),
    "calibrated_bids": (MAX_ROUNDS, CONTEXTS, CALIBRATED_BINS),
}
"""Rounds; cards really dealt in each; the deck; the factor of `count` as a fraction; and for `calibrated`, in each
round, a chance for each card in thousandths, and for each context and bin of the estimate the best bids as bits."""


def fold(rules: Rules) -> dict[str, Any]:
    """Return the kernel's tables."""
    from simcore.games.skull_king import calibrated  # needs numpy, as whoever folds rules does

    # min(1, 5 / players + 1 / 10) as a fraction
    above, below = min((10 * 5 + rules.players, 10 * rules.players), (1, 1), key=lambda f: f[0] / f[1])
    sizes, numbers = hand_sizes(rules), deck(rules)
    chances, bids = calibrated.tables(rules, sizes, MAX_ROUNDS)
    return {
        "round_count": len(sizes),
        "cards": sizes + (0,) * (MAX_ROUNDS - len(sizes)),
        "deck_size": len(numbers),
        "deck": numbers + [0] * (CARDS - len(numbers)),
        "factor_above": above,
        "factor_below": below,
        "calibrated_chances": chances,
        "calibrated_bids": bids,
    }
