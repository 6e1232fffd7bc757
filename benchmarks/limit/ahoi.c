/* Mein Schiff Ahoi with the default rules and four players, all `keeper` or all `random`: the same games as the kernel
   plays, see simcore/games/ahoi/draws.md.

   All 56 kinds fit one word. Only Draw 4 + colour and Colour choice have more than two copies; their third ones are
   bits 56 and 57 of the plane of second copies, their fourth ones bits 58 and 59: so two planes in a row are the order
   of candidates. */

#include "common.h"

#define PLAYERS 4
#define FACES 13
#define KINDS 56
#define DECK 112
#define HAND 7
#define MAX_TURNS 5000
#define NO_SEAT (-1)

enum { DRAW_TWO_COLOUR = 52, DRAW_FOUR_COLOUR, COLOUR_CHOICE, JOKER };

#define EACH_COLOUR(face) (1ull << (face) | 1ull << (13 + (face)) | 1ull << (26 + (face)) | 1ull << (39 + (face)))
#define COLOUR(c) (0x1FFFull << (13 * (c)))
#define COLOURED ((1ull << 52) - 1)
#define COLOURLESS (0xFull << 52)
#define REVERSES EACH_COLOUR(10)
#define SKIPS EACH_COLOUR(11)
#define DRAW_TWOS EACH_COLOUR(12)
#define NUMBERS (COLOURED & ~(REVERSES | SKIPS | DRAW_TWOS))
#define SPECIAL (DRAW_TWOS | COLOURLESS)

static const unsigned char COPIES[KINDS] = {
    1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 4, 4, 2};
static u64 MATCHING[KINDS];
static u64 UNIT[64]; /* what a card adds to the counts of colours, a byte each */
static unsigned char FULL[DECK];
/* The kinds whose value has bit b; the copies beyond the second count as their kind. */
static u64 WORTH[6];

static void prepare(void) {
    static const int face_value[FACES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 25, 25, 25};
    static const int value[4] = {20, 40, 40, 50};
    int size = 0;
    memset(WORTH, 0, sizeof WORTH);
    for (int kind = 0; kind < KINDS; kind++) {
        int colour = kind / FACES, face = kind % FACES;
        for (int copy = 0; copy < COPIES[kind]; copy++) FULL[size++] = kind;
        UNIT[kind] = kind < 52 ? 1ull << (8 * colour) : 0;
        MATCHING[kind] = COLOURLESS;
        if (kind < 52) {
            u64 same = EACH_COLOUR(face);
            MATCHING[kind] |= face == 10 || face == 11 ? COLOUR(colour) & ~same : COLOUR(colour) | same;
        }
        for (int b = 0; b < 6; b++)
            if ((kind < 52 ? face_value[face] : value[kind - 52]) >> b & 1) WORTH[b] |= 1ull << kind;
    }
    for (int b = 0; b < 6; b++) WORTH[b] |= (WORTH[b] >> DRAW_FOUR_COLOUR & 3) * (5ull << 56);
}

typedef struct {
    u64 once[PLAYERS], twice[PLAYERS], held[PLAYERS], stream[PLAYERS];
    u64 deal, key;
    uint32_t sizes; /* cards in hand, a byte each */
    int pile_size, next_place, next_kind, lying;
    i64 drawn, reshuffles, swaps, swapper;
    i64 played[4], draw_twos;
    unsigned char pile[DECK];
} game;

INLINE int size_of(const game *g, int seat) { return g->sizes >> (8 * seat) & 255; }

INLINE void look_ahead(game *g) {
    g->next_place = below(&g->deal, g->pile_size);
    g->next_kind = g->pile[g->next_place];
}

/* Whether there are four of a kind, and not two or one. */
INLINE int has_four(int kind) { return kind == DRAW_FOUR_COLOUR || kind == COLOUR_CHOICE; }

INLINE void add_card(u64 *once, u64 *twice, int kind) {
    u64 bit = 1ull << kind;
    if (UNLIKELY(*twice & bit)) {
        u64 third = 1ull << (kind + 3);
        *twice |= *twice & third ? third << 2 : third;
    }
    *twice |= *once & bit;
    *once |= bit;
}

INLINE void remove_card(u64 *once, u64 *twice, int kind) {
    u64 bit = 1ull << kind, second = *twice & bit;
    if (UNLIKELY(second && has_four(kind)) && *twice & 5ull << (kind + 3)) {
        u64 third = 1ull << (kind + 3);
        *twice ^= *twice & third << 2 ? third << 2 : third;
        return;
    }
    *twice ^= second;
    *once ^= bit ^ second;
}

RARE void reshuffle(game *g) {
    int size = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        int left = COPIES[kind] - (kind == g->lying);
        for (int seat = 0; seat < PLAYERS; seat++) {
            left -= (g->once[seat] >> kind & 1) + (g->twice[seat] >> kind & 1);
            if (has_four(kind)) left -= popcount(g->twice[seat] & 5ull << (kind + 3));
        }
        while (left-- > 0) g->pile[size++] = kind;
    }
    if (size > 0) {
        g->pile_size = size;
        g->deal = start(DEAL, g->key, ++g->reshuffles);
        look_ahead(g);
    }
}

/* Takes a card from the pile, or returns -1 if there is none. */
INLINE int take_card(game *g) {
    if (UNLIKELY(g->pile_size == 0)) {
        reshuffle(g);
        if (g->pile_size == 0) return -1;
    }
    int kind = g->next_kind;
    g->pile[g->next_place] = g->pile[--g->pile_size];
    look_ahead(g);
    g->drawn++;
    return kind;
}

INLINE void keep_card(game *g, int seat, int kind) {
    add_card(&g->once[seat], &g->twice[seat], kind);
    g->held[seat] += UNIT[kind];
    g->sizes += 1u << (8 * seat);
}

INLINE void deal(game *g) {
    memcpy(g->pile, FULL, DECK);
    u64 counter = start(DEAL, g->key, 0);
    int size = DECK;
    for (int seat = 0; seat < PLAYERS; seat++) {
        u64 once = 0, twice = 0, held = 0;
        for (int n = 0; n < HAND; n++) {
            counter += GOLDEN;
            int place = scaled(mix(counter), size--), kind = g->pile[place];
            g->pile[place] = g->pile[size];
            add_card(&once, &twice, kind);
            held += UNIT[kind];
        }
        g->once[seat] = once;
        g->twice[seat] = twice;
        g->held[seat] = held;
    }
    int place, kind;
    do {
        counter += GOLDEN;
        place = scaled(mix(counter), size);
        kind = g->pile[place];
    } while (!(NUMBERS >> kind & 1));
    g->pile[place] = g->pile[--size];
    g->pile_size = size;
    g->deal = counter;
    g->lying = kind;
    g->sizes = 0x01010101u * HAND;
    look_ahead(g);
}

/* The kinds among which a keeper chooses. */
INLINE u64 kept(u64 legal, u64 held) {
    u64 part[4], count[4], best = 0;
    for (int c = 0; c < 4; c++) {
        part[c] = legal & COLOUR(c);
        count[c] = held >> (8 * c) & 255 & -(u64)(part[c] != 0);
    }
    u64 a = count[0] > count[1] ? count[0] : count[1], b = count[2] > count[3] ? count[2] : count[3];
    u64 most = a > b ? a : b;
    for (int c = 0; c < 4; c++) best |= part[c] & -(u64)(count[c] == most);
    u64 numbers = best & NUMBERS;
    best = numbers ? numbers : best;
    return best ? best : legal;
}

RARE void swap_hands(game *g, int seat, int keeps) {
    int partner = 0;
    if (keeps) {
        int fewest = 1 << 20, ties = 0;
        for (int other = 0; other < PLAYERS; other++) {
            if (other == seat) continue;
            int size = size_of(g, other);
            ties = size < fewest ? 1 : ties + (size == fewest);
            fewest = size < fewest ? size : fewest;
        }
        if (fewest >= size_of(g, seat)) return;
        int n = below(&g->stream[seat], ties);
        for (;; partner++)
            if (partner != seat && size_of(g, partner) == fewest && n-- == 0) break;
    } else {
        g->stream[seat] += GOLDEN;
        if (mix(g->stream[seat]) >> 63) return;
        partner = below(&g->stream[seat], PLAYERS - 1);
        partner += partner >= seat;
    }
    u64 t;
    t = g->once[seat], g->once[seat] = g->once[partner], g->once[partner] = t;
    t = g->twice[seat], g->twice[seat] = g->twice[partner], g->twice[partner] = t;
    t = g->held[seat], g->held[seat] = g->held[partner], g->held[partner] = t;
    uint32_t changed = (g->sizes >> (8 * seat) ^ g->sizes >> (8 * partner)) & 255;
    g->sizes ^= changed << (8 * seat) | changed << (8 * partner);
    g->swaps++;
    g->swapper = seat;
}

INLINE int choose_colour(game *g, int seat, int keeps) {
    if (!keeps) return below(&g->stream[seat], 4);
    u64 held = g->held[seat], most = 0, best = 0;
    for (int c = 0; c < 4; c++) most = (held >> (8 * c) & 255) > most ? held >> (8 * c) & 255 : most;
    for (int c = 0; c < 4; c++) best |= (u64)((held >> (8 * c) & 255) == most) << c;
    return nth_bit(best, below(&g->stream[seat], popcount(best)));
}

static uint32_t looks[MAX_TURNS + 80];

/* Counts the changes of the seat that alone held fewest cards; notes in `most` the seats that alone held most. Seats by
   bits: where the last leader was the same seat, its bits are filled up over the looks without a leader. */
INLINE i64 judge(int n, unsigned *most) {
    i64 changes = 0;
    int last = NO_SEAT;
    u64 any_most = 0;
    for (int base = 0; base < n; base += 64) {
        u64 leads[PLAYERS] = {0};
#if defined(__AVX512BW__) && defined(__BMI2__)
        for (int part = 0; part < 64 && base + part < n; part += 16) {
            int rest = n - base - part;
            __m512i v = _mm512_maskz_loadu_epi32(rest >= 16 ? 0xFFFF : (1u << rest) - 1, looks + base + part);
            __m512i a = _mm512_rol_epi32(v, 8), b = _mm512_rol_epi32(v, 16), c = _mm512_rol_epi32(v, 24);
            u64 few = _mm512_cmplt_epu8_mask(v, _mm512_min_epu8(_mm512_min_epu8(a, b), c));
            any_most |= _mm512_cmpgt_epu8_mask(v, _mm512_max_epu8(_mm512_max_epu8(a, b), c));
            for (int seat = 0; seat < PLAYERS; seat++)
                leads[seat] |= _pext_u64(few, 0x1111111111111111ull << seat) << part;
        }
#else
        for (int part = 0; part < 64 && base + part < n; part++)
            for (int seat = 0; seat < PLAYERS; seat++) {
                uint32_t v = looks[base + part] >> (8 * seat) | (u64)looks[base + part] << (32 - 8 * seat);
                unsigned own = v & 255, a = v >> 8 & 255, b = v >> 16 & 255, c = v >> 24;
                leads[seat] |= (u64)(own < a && own < b && own < c) << part;
                any_most |= (u64)(own > a && own > b && own > c) << seat;
            }
#endif
        u64 any = leads[0] | leads[1] | leads[2] | leads[3], gaps = ~any;
        for (int seat = 0; seat < PLAYERS; seat++) {
            u64 after = leads[seat] << 1 | (last == seat);
            u64 filled = gaps & ~(gaps + (after & gaps));
            changes += popcount(leads[seat] & ~(after | filled << 1));
        }
        if (any) {
            changes -= last == NO_SEAT;
            int place = highest_bit(any);
            for (int seat = 0; seat < PLAYERS; seat++)
                if (leads[seat] >> place & 1) last = seat;
        }
    }
    any_most |= any_most >> 32;
    any_most |= any_most >> 16;
    any_most |= any_most >> 8;
    any_most |= any_most >> 4;
    *most = any_most & 15;
    return changes;
}

INLINE i64 points_of(const game *g, int seat) {
    i64 points = 0;
    for (int b = 0; b < 6; b++) points += (popcount(g->once[seat] & WORTH[b]) + popcount(g->twice[seat] & WORTH[b])) << b;
    return points;
}

INLINE void play_match(u64 seed, u64 number, i64 *tally, i64 *counts, const int keeps) {
    game g;
    u64 of_game = game_key(seed, number);
    int dealer = scaled(mix(start(DEAL, round_key(of_game, 0), 0) + GOLDEN), PLAYERS);
    g.key = round_key(of_game, 1);
    for (int seat = 0; seat < PLAYERS; seat++) g.stream[seat] = start(SEAT + seat, g.key, 0);
    g.drawn = g.reshuffles = g.swaps = g.draw_twos = 0;
    g.swapper = NO_SEAT;
    memset(g.played, 0, sizeof g.played);
    deal(&g);
    int seat = (dealer + 1) & 3, direction = 1, winner = NO_SEAT;
    i64 turns = 0, choices = 0, reverses = 0, skips = 0;
    u64 fitting = MATCHING[g.lying];
    for (;;) {
        looks[turns++] = g.sizes;
        u64 once = g.once[seat], twice = g.twice[seat], legal = once & fitting;
        int kind;
        if (legal) {
            choices += (legal & (legal - 1)) != 0;
            u64 set = keeps ? kept(legal, g.held[seat]) : legal;
            u64 copies = twice & (set | (set >> DRAW_FOUR_COLOUR & 3) * (5ull << 56));
            int first = popcount(set), chosen = below(&g.stream[seat], first + popcount(copies));
            int is_first = chosen < first;
            kind = nth_bit(is_first ? set : copies, is_first ? chosen : chosen - first);
            kind = kind < 56 ? kind : 53 + (kind & 1);
            remove_card(&once, &twice, kind);
            g.once[seat] = once;
            g.twice[seat] = twice;
            g.held[seat] -= UNIT[kind];
            g.sizes -= 1u << (8 * seat);
        } else {
            kind = take_card(&g);
            int fits = kind >= 0 && fitting >> kind & 1, plays = fits;
            choices += fits;
            if (!keeps) {
                u64 following = g.stream[seat] + GOLDEN;
                plays &= mix(following) >> 63 ^ 1;
                g.stream[seat] = fits ? following : g.stream[seat];
            }
            if (!plays) {
                if (LIKELY(kind >= 0)) keep_card(&g, seat, kind);
                seat = (seat + direction) & 3;
                if (UNLIKELY(turns >= MAX_TURNS)) break;
                continue;
            }
        }
        g.lying = kind;
        if (LIKELY(!(SPECIAL >> kind & 1))) {
            int reverse = REVERSES >> kind & 1, skip = SKIPS >> kind & 1;
            reverses += reverse;
            skips += skip;
            fitting = MATCHING[kind];
            if (size_of(&g, seat) == 0) {
                winner = seat;
                break;
            }
            if (UNLIKELY(turns >= MAX_TURNS)) break;
            direction = reverse ? -direction : direction;
            seat = (seat + direction + (skip ? direction : 0)) & 3;
            continue;
        }
        int draws = 2;
        fitting = MATCHING[kind];
        if (kind >= 52) {
            g.played[kind - 52]++;
            draws = kind == DRAW_FOUR_COLOUR ? 4 : kind == DRAW_TWO_COLOUR ? 2 : 0;
        } else
            g.draw_twos++;
        if (size_of(&g, seat) == 0) {
            winner = seat;
            break;
        }
        if (kind >= 52) {
            if (kind == JOKER) swap_hands(&g, seat, keeps);
            fitting = COLOUR(choose_colour(&g, seat, keeps)) | COLOURLESS;
        }
        if (UNLIKELY(turns >= MAX_TURNS)) break;
        seat = (seat + direction) & 3;
        if (draws) {
            for (int n = 0; n < draws; n++) {
                kind = take_card(&g);
                if (UNLIKELY(kind < 0)) break;
                keep_card(&g, seat, kind);
            }
            seat = (seat + direction) & 3;
        }
    }
    looks[turns] = g.sizes;
    unsigned most;
    i64 changes = judge(turns + 1, &most);

    i64 points[PLAYERS], all = 0, best = 1 << 30, second = 1 << 30, winners = 0;
    for (int s = 0; s < PLAYERS; s++) {
        points[s] = points_of(&g, s);
        all += points[s];
    }
    tally[T_rounds]++;
    tally[T_turns] += turns;
    tally[T_choice_turns] += choices;
    tally[T_cards_drawn] += g.drawn;
    tally[T_reshuffles] += g.reshuffles;
    tally[T_played_reverse] += reverses;
    tally[T_played_skip] += skips;
    tally[T_played_draw_two] += g.draw_twos;
    tally[T_played_draw_two_colour] += g.played[0];
    tally[T_played_draw_four_colour] += g.played[1];
    tally[T_played_colour_choice] += g.played[2];
    tally[T_played_joker] += g.played[3];
    tally[T_swaps] += g.swaps;
    tally[T_lead_changes] += changes;
    tally[T_swap_rounds] += g.swaps > 0;
    tally[T_swapper_won] += g.swaps > 0 && winner == g.swapper && winner != NO_SEAT;
    COUNT_UP(turns, 0, turns);
    COUNT_UP(cards_drawn, 0, g.drawn);
    COUNT_UP(reshuffles, 0, g.reshuffles);
    COUNT_UP(swaps, 0, g.swaps);
    COUNT_UP(lead_changes, 0, changes);
    if (winner == NO_SEAT)
        tally[T_stalemate]++;
    else {
        tally[T_decided]++;
        tally[T_winner_once_held_most] += most >> winner & 1;
        tally[T_loser_hands] += PLAYERS - 1;
        tally[T_loser_points] += all - points[winner];
        tally[T_round_win + winner]++;
        tally[T_round_win_place + ((winner - dealer - 1) & 3)]++;
    }
    int best_seats = 0;
    for (int s = 0; s < PLAYERS; s++) {
        int size = size_of(&g, s), place = (s - dealer - 1) & 3;
        if (winner != NO_SEAT && s != winner) COUNT_UP(loser_points, 0, points[s]);
        tally[T_points + s] += points[s];
        tally[T_points_place + place] += points[s];
        tally[T_cards_left + s] += size;
        tally[T_match_points + s] += points[s];
        COUNT_UP(points, s, points[s]);
        COUNT_UP(cards_left, s, size);
        COUNT_UP(match_points, s, points[s]);
        /* A mark breaks a tie: the round's winner comes before whoever has as few points. */
        i64 own = points[s];
        if (own < best)
            second = best, best = own;
        else
            second = own < second ? own : second;
    }
    for (int s = 0; s < PLAYERS; s++) best_seats |= (points[s] == best) << s;
    if (winner != NO_SEAT && best_seats >> winner & 1) best_seats = 1 << winner;
    winners = popcount(best_seats);
    for (int s = 0; s < PLAYERS; s++)
        if (best_seats >> s & 1) tally[T_match_win + s] += SHARE / winners;
    tally[T_matches]++;
    tally[T_match_tie] += winners > 1;
    tally[T_margin] += second - best;
    COUNT_UP(rounds, 0, 0);
    COUNT_UP(margin, 0, second - best);
}

/* strategy: 0 all `random`, 2 all `keeper`, as the rules number them. */
void play_many(u64 seed, i64 first, i64 matches, i64 block, i64 strategy, i64 *tally, i64 *counts) {
    prepare();
    for (i64 n = 0; n < matches; n++) {
        i64 *row = tally + ((first + n) / block - first / block) * T_WIDTH;
        if (strategy == 2)
            play_match(seed, first + n, row, counts, 1);
        else
            play_match(seed, first + n, row, counts, 0);
    }
}
