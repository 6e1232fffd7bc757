/* My Ship Sails with the default rules and four players, all `adaptive`: the same games as the kernel plays, see
   simcore/games/my_ship_sails/draws.md.

   Here no rank decides anything: the first call wins, and which suit is passed follows from the numbers of cards. So a
   hand is three digits of 3 bits, its clubs, diamonds and hearts; the rest are spades. All four hands are one word,
   16 bits each, the seats ascending. */

#include "common.h"

#define PLAYERS 4
#define HAND 7
#define CARDS (PLAYERS * HAND)
#define MAX_PASSES 200
#define TARGET 3
#define MAX_ROUNDS 200
#define NO_SEAT (-1)

#define LANE(word, seat) ((word) >> (16 * (seat)) & 0xFFFF)

typedef struct {
    unsigned char shortest[4]; /* outside of each target, as bits of suits */
    unsigned char best, highest, is_4300, flush;
} numbers;

static numbers TABLE[512];
static const uint16_t UNIT[4] = {1, 8, 64, 0};
static uint16_t FULL[CARDS];

static void prepare(void) {
    for (int i = 0; i < CARDS; i++) FULL[i] = UNIT[i / HAND];
    for (int hand = 0; hand < 512; hand++) {
        int count[4] = {hand & 7, hand >> 3 & 7, hand >> 6, 0}, threes = 0;
        numbers n = {0};
        count[3] = HAND - count[0] - count[1] - count[2];
        if (count[3] < 0) continue;
        for (int suit = 0; suit < 4; suit++) {
            n.highest = count[suit] > n.highest ? count[suit] : n.highest;
            threes += count[suit] == 3;
        }
        for (int suit = 0; suit < 4; suit++) n.best |= (count[suit] == n.highest) << suit;
        for (int target = 0; target < 4; target++) {
            int fewest = HAND + 1;
            for (int suit = 0; suit < 4; suit++)
                if (suit != target && count[suit] && count[suit] < fewest) fewest = count[suit];
            for (int suit = 0; suit < 4; suit++)
                n.shortest[target] |= (suit != target && count[suit] == fewest) << suit;
        }
        n.is_4300 = n.highest == 4 && threes;
        n.flush = n.highest == HAND;
        TABLE[hand] = n;
    }
}

typedef struct {
    int winner, passes, callers;
} result;

INLINE u64 deal(u64 counter) {
    uint16_t pack[CARDS];
    uint32_t drawn[CARDS];
    memcpy(pack, FULL, sizeof pack);
    u64 hands = 0;
    for (int i = 0; i < CARDS; i++) drawn[i] = i + scaled(mix(counter + (i + 1) * GOLDEN), CARDS - i);
#pragma GCC unroll 28
    for (int i = 0; i < CARDS; i++) {
        hands += (u64)pack[drawn[i]] << (16 * (i / HAND));
        pack[drawn[i]] = pack[i];
    }
    return hands;
}

INLINE int call(u64 key, int holders, int callers) {
    if (callers == 1) return lowest_bit(holders);
    double point = (double)(mix(start(CHANCE, key, 0) + GOLDEN) >> 11) * 0x1p-53 * callers;
    int n = point;
    return nth_bit(holders, n < callers ? n : callers - 1);
}

/* Plays a round; `history` has the hands after each pass. */
INLINE result play_round(u64 key, u64 *history) {
    u64 hands = deal(start(DEAL, key, 0)), stream[PLAYERS], marked = 0;
    uint32_t target[PLAYERS], marked_targets = 0;
    int mark = 0, marked_for = 1, is_drawn = 1;
    for (int seat = 0; seat < PLAYERS; seat++) {
        stream[seat] = start(SEAT + seat, key, 0);
        u64 best = TABLE[LANE(hands, seat)].best;
        target[seat] = nth_bit(best, below(&stream[seat], popcount(best)));
    }
    for (int pass = 0;; pass++) {
        history[pass] = hands;
        const numbers *n[PLAYERS];
        int holders = 0;
        for (int seat = 0; seat < PLAYERS; seat++) {
            n[seat] = &TABLE[LANE(hands, seat)];
            holders |= n[seat]->flush << seat;
        }
        if (holders) {
            int callers = popcount(holders);
            return (result){call(key, holders, callers), pass, callers};
        }
        if (pass == MAX_PASSES) return (result){NO_SEAT, pass, 0};
        /* Where nothing is drawn, everything repeats once hands and targets do (Brent's algorithm). */
        uint32_t targets = target[0] | target[1] << 8 | target[2] << 16 | target[3] << 24;
        int length = pass - mark;
        if (!is_drawn && hands == marked && targets == marked_targets && length > 0) {
            history[MAX_PASSES] = history[mark + (MAX_PASSES - pass) % length];
            return (result){NO_SEAT, MAX_PASSES, 0};
        }
        if (is_drawn || length >= marked_for) {
            mark = pass;
            marked_for = is_drawn ? 1 : 2 * marked_for;
            marked = hands;
            marked_targets = targets;
            is_drawn = 0;
        }
        u64 parcels = 0;
        for (int seat = 0; seat < PLAYERS; seat++) {
            u64 best = n[seat]->best;
            if (UNLIKELY(!(best >> target[seat] & 1))) {
                is_drawn = 1;
                target[seat] = nth_bit(best, below(&stream[seat], popcount(best)));
            }
            u64 suits = n[seat]->shortest[target[seat]];
            int several = (suits & (suits - 1)) != 0;
            is_drawn |= several;
            int suit = nth_bit(suits, below(&stream[seat], popcount(suits)));
            parcels |= (u64)UNIT[suit] << (16 * seat);
        }
        hands = hands - parcels + (parcels << 16 | parcels >> 48);
    }
}

static void add_round(const result *r, const u64 *history, i64 *tally, i64 *counts) {
    u64 dealt = history[0], last = history[r->passes], half = history[r->passes / 2];
    tally[T_rounds]++;
    tally[T_turns] += PLAYERS * r->passes;
    tally[T_choice_turns] += PLAYERS * r->passes;
    for (int seat = 0; seat < PLAYERS; seat++) {
        const numbers *first = &TABLE[LANE(dealt, seat)];
        i64 best = TABLE[LANE(last, seat)].highest;
        tally[T_best_suit_count + seat] += best;
        counts[C_best_suit_count + seat * B_best_suit_count + best]++;
        tally[T_off_suit_cards + seat] += HAND - best;
        tally[T_initial_best_count + seat] += first->highest;
        counts[C_initial_best_count + seat * B_initial_best_count + first->highest]++;
        tally[T_deal_4300] += first->is_4300;
    }
    if (r->winner == NO_SEAT) {
        tally[T_stalemate]++;
        return;
    }
    tally[T_ended]++;
    tally[T_round_win + r->winner]++;
    tally[T_passes] += r->passes;
    COUNT_UP(passes, 0, r->passes);
    tally[T_multiple_flush] += r->callers > 1;
    tally[T_dealt_flush] += r->passes == 0;
    tally[T_flush_callers] += r->callers;
    COUNT_UP(flush_callers, 0, r->callers - 1);
    tally[T_flush_holders] += r->callers;
    COUNT_UP(flush_holders, 0, r->callers - 1);
    tally[T_winning_suit + lowest_bit(TABLE[LANE(last, r->winner)].best)]++;
    int most = 0, leaders = 0;
    for (int seat = 0; seat < PLAYERS; seat++) {
        int own = TABLE[LANE(half, seat)].highest;
        leaders = own > most ? 1 << seat : own == most ? leaders | 1 << seat : leaders;
        most = own > most ? own : most;
    }
    int is_alone = (leaders & (leaders - 1)) == 0;
    tally[T_led_rounds] += is_alone;
    tally[T_half_time_leader_won] += leaders == 1 << r->winner;
    tally[T_win_from_4300] += TABLE[LANE(dealt, r->winner)].is_4300;
}

static void play_match(u64 seed, u64 number, i64 *tally, i64 *counts) {
    u64 of_game = game_key(seed, number), history[MAX_PASSES + 1];
    i64 wins[PLAYERS] = {0}, rounds = 0, fastest = -1, best = 0;
    int reached = NO_SEAT;
    while (reached == NO_SEAT && rounds < MAX_ROUNDS) {
        result r = play_round(round_key(of_game, ++rounds), history);
        add_round(&r, history, tally, counts);
        if (r.winner == NO_SEAT) continue;
        if (++wins[r.winner] == TARGET) reached = r.winner;
        fastest = fastest < 0 || r.passes < fastest ? r.passes : fastest;
    }
    tally[T_matches]++;
    COUNT_UP(rounds, 0, rounds - 1);
    if (fastest >= 0) {
        tally[T_won_matches]++;
        tally[T_fastest] += fastest;
        COUNT_UP(fastest, 0, fastest);
    }
    int leaders = 0;
    for (int seat = 0; seat < PLAYERS; seat++) {
        tally[T_points + seat] += wins[seat];
        COUNT_UP(points, seat, wins[seat]);
        leaders = wins[seat] > best ? 1 << seat : wins[seat] == best ? leaders | 1 << seat : leaders;
        best = wins[seat] > best ? wins[seat] : best;
    }
    if (leaders & (leaders - 1))
        tally[T_no_winner]++;
    else
        tally[T_match_win + lowest_bit(leaders)] += SHARE;
}

/* The strategy is `adaptive`, whatever its number. */
void play_many(u64 seed, i64 first, i64 matches, i64 block, i64 strategy, i64 *tally, i64 *counts) {
    (void)strategy;
    prepare();
    for (i64 n = 0; n < matches; n++)
        play_match(seed, first + n, tally + ((first + n) / block - first / block) * T_WIDTH, counts);
}
