/* Skull King with the default rules and four players, all `count/contract`: the same games as the kernel plays, see
   simcore/games/skull_king/draws.md.

   Cards are bits of two words, a higher one being stronger: the low word has the escapes (0..4), the Tigress (9) and
   the plain suits by number (10..51), the high word black (0..13), mermaids (14, 15), pirates (17..21) and the Skull King
   (22). Who needs a trick counts the Tigress with the pirates, at high bit 16. A code is a bit, plus 64 in the high
   word. */

#include "common.h"

#define PLAYERS 4
#define ROUNDS 10
#define DECK 70
#define NO_SEAT (-1)
#define CODES 88

enum { TIGRESS_LOW = 9, TIGRESS_HIGH = 80, SKULL_KING_CODE = 86 };

#define ESCAPES 31ull
#define TIGRESS (1ull << 9)
#define WEAK 1023ull
#define PLAIN (((1ull << 42) - 1) << 10)
#define BLACKS ((1ull << 14) - 1)
#define MERMAIDS (3ull << 14)
#define PIRATES (63ull << 16)
#define SKULL_KING (1ull << 22)
#define CHARACTERS (MERMAIDS | PIRATES | SKULL_KING)
#define FOURTEENS (7ull << 49)
#define BLACK_FOURTEEN (1ull << 13)

typedef struct {
    u64 beats_low, beats_high; /* what beats the card while it is winning */
    u64 suit_low, suit_high;
    u64 bit_low, bit_high;
} card;

static card CARD[CODES];
static u64 EQUALS[CODES]; /* of its word */
static u64 BEATING[512];  /* by the characters that lie there, the characters that would win */
static unsigned char FULL[DECK], UNITS[CODES];

static void prepare(void) {
    int size = 0;
    for (int code = 0; code < CODES; code++) {
        card c = {0};
        *(code < 64 ? &c.bit_low : &c.bit_high) = 1ull << (code & 63);
        int units = 0;
        if (code < 10) {
            c.beats_low = PLAIN;
            c.beats_high = BLACKS | CHARACTERS;
            EQUALS[code] = WEAK;
        } else if (code < 52) {
            int number = (code - 10) / 3 + 1;
            for (int bit = 10 + (code - 10) % 3; bit < 52; bit += 3) c.suit_low |= 1ull << bit;
            c.beats_low = c.suit_low & ~((2ull << code) - 1);
            c.beats_high = BLACKS | CHARACTERS;
            EQUALS[code] = 7ull << (10 + 3 * (number - 1));
            units = number > 10 ? 3 * (number - 10) : 0;
        } else if (code >= 64 && code < 78) {
            c.suit_high = BLACKS;
            c.beats_high = (BLACKS | CHARACTERS) & ~((2ull << (code - 64)) - 1);
            EQUALS[code] = c.bit_high;
            units = code - 64 > 3 ? 2 * (code - 64 - 3) : 0;
        } else if (code >= 78) {
            EQUALS[code] = c.bit_high & MERMAIDS ? MERMAIDS : c.bit_high & PIRATES ? PIRATES : SKULL_KING;
            units = code < 80 ? 14 : code < SKULL_KING_CODE ? 17 : 20;
        }
        UNITS[code] = code == TIGRESS_LOW ? 17 : units;
        CARD[code] = c;
    }
    for (int laid = 0; laid < 512; laid++) {
        u64 high = (u64)laid << 14;
        if (high & SKULL_KING)
            BEATING[laid] = high & MERMAIDS ? 0 : MERMAIDS;
        else if (high & MERMAIDS)
            BEATING[laid] = high & PIRATES ? 0 : PIRATES;
        else
            BEATING[laid] = SKULL_KING;
    }
    /* In ascending order of card numbers. */
    for (int code = 10; code < 52; code++) FULL[size++] = code;
    for (int code = 64; code < 78; code++) FULL[size++] = code;
    for (int code = 0; code < 5; code++) FULL[size++] = code;
    FULL[size++] = TIGRESS_LOW;
    for (int code = 78; code < 87; code++)
        if (code != TIGRESS_HIGH) FULL[size++] = code;
}

typedef struct {
    u64 low[PLAYERS], high[PLAYERS], stream[PLAYERS];
    i64 bid[PLAYERS], tricks[PLAYERS], bonus[PLAYERS];
    i64 total[PLAYERS], half[PLAYERS], deficit[PLAYERS];
    i64 choices, captured[5];
} match;

typedef struct {
    u64 suit_low, suit_high, win_low, win_high, laid_low, laid_high;
    int open, winner;
} trick;

INLINE void deal(match *m, u64 counter, int cards) {
    unsigned char pack[DECK];
    uint32_t drawn[PLAYERS * ROUNDS];
    memcpy(pack, FULL, DECK);
    int dealt = PLAYERS * cards, at = 0;
    for (int i = 0; i < dealt; i++) drawn[i] = i + scaled(mix(counter + (i + 1) * GOLDEN), DECK - i);
    for (int seat = 0; seat < PLAYERS; seat++) {
        u64 low = 0, high = 0;
        int units = 10;
        for (int n = 0; n < cards; n++, at++) {
            int code = pack[drawn[at]];
            pack[drawn[at]] = pack[at];
            low |= CARD[code].bit_low;
            high |= CARD[code].bit_high;
            units += UNITS[code];
        }
        m->low[seat] = low;
        m->high[seat] = high;
        m->bid[seat] = (unsigned)units / 20;
        m->tricks[seat] = m->bonus[seat] = 0;
    }
}

/* Lays a card of a code; `place` counts from 0. */
INLINE void lay(trick *t, int code, int place, const unsigned char *order) {
    const card *c = &CARD[code];
    u64 wins = ((t->win_low & c->bit_low) | (t->win_high & c->bit_high)) != 0, new = opaque(-wins);
    t->laid_low |= c->bit_low;
    t->laid_high |= c->bit_high;
    t->winner = wins ? place : t->winner;
    if (code >= 78) {
        t->open &= place > 0;
        t->win_low = 0;
        t->win_high = BEATING[t->laid_high >> 14];
        if (UNLIKELY(code == SKULL_KING_CODE && !wins)) {
            t->winner = 0;
            while (order[t->winner] != 78 && order[t->winner] != 79) t->winner++;
        }
        return;
    }
    t->suit_low = t->open ? c->suit_low : t->suit_low;
    t->suit_high = t->open ? c->suit_high : t->suit_high;
    t->open &= (t->suit_low | t->suit_high) == 0;
    t->win_low = (c->beats_low & new) | (t->win_low & ~new);
    t->win_high = (c->beats_high & new) | (t->win_high & ~new);
}

/* Whether there are two distinct ways to play: of escapes, mermaids and pirates any is as good as another. */
INLINE int has_choice(u64 low, u64 high) {
    u64 rest_low = low & (low - 1), rest_high = high & (high - 1);
    int several = ((rest_low | rest_high) != 0) | ((low != 0) & (high != 0));
    u64 other_escape = high | (low & ~ESCAPES), other_mermaid = low | (high & ~MERMAIDS);
    u64 other_pirate = low | (high & ~PIRATES);
    int alike = (other_escape == 0) | (other_mermaid == 0) | (other_pirate == 0);
    return (several & !alike) | (int)(low >> TIGRESS_LOW & 1);
}

/* Chooses a card by contract; `leads` is known when this is compiled. */
INLINE int choose(match *m, int seat, const trick *t, const int leads) {
    u64 low = m->low[seat], high = m->high[seat];
    u64 follow_low = low & t->suit_low, follow_high = high & t->suit_high, needed = m->bid[seat] > m->tricks[seat];
    u64 must = -(u64)((follow_low | follow_high) != 0);
    low &= ~must | t->suit_low | WEAK;
    high &= ~must | t->suit_high | CHARACTERS;
    m->choices += has_choice(low, high);
    u64 tigress = low >> TIGRESS_LOW & needed;
    low ^= tigress << TIGRESS_LOW;
    high |= tigress << 16;
    if (!leads) {
        u64 flip = needed - 1, set_low = low & (t->win_low ^ flip), set_high = high & (t->win_high ^ flip);
        int none = (set_low | set_high) == 0;
        low = none ? low : set_low;
        high = none ? high : set_high;
    }
    int weakest = needed != (u64)leads;
    int weak = low ? lowest_bit(low) : 64 + lowest_bit(high | 1ull << 63);
    int strong = high ? 127 - __builtin_clzll(high) : highest_bit(low | 1);
    int code = weakest ? weak : strong;
    u64 group = EQUALS[code] & (code < 64 ? low : high);
    if (group & (group - 1)) code = (code & 64) + nth_bit(group, below(&m->stream[seat], popcount(group)));
    return code == TIGRESS_HIGH && !(t->win_high >> 17 & 1) ? TIGRESS_LOW : code;
}

INLINE void take_out(match *m, int seat, int code) {
    m->low[seat] &= ~(code == TIGRESS_HIGH ? TIGRESS : CARD[code].bit_low);
    m->high[seat] &= ~CARD[code].bit_high;
}

/* Plays a trick and returns who leads the next. */
INLINE int play_trick(match *m, int leader, const int is_last) {
    trick t = {0, 0, WEAK | PLAIN, BLACKS | CHARACTERS, 0, 0, 1, -1};
    unsigned char order[PLAYERS];
#pragma GCC unroll 4
    for (int place = 0; place < PLAYERS; place++) {
        int seat = (leader + place) & 3, code;
        if (is_last && !(m->low[seat] & TIGRESS))
{
            u64 is_high = opaque(-(u64)(m->low[seat] == 0));
            code = lowest_bit(m->low[seat] | (m->high[seat] & is_high)) + (64 & is_high);
        }
        else
            code = choose(m, seat, &t, place == 0);
        take_out(m, seat, code);
        order[place] = code;
        lay(&t, code, place, order);
    }
    int taker = (leader + t.winner) & 3, plain = popcount(t.laid_low & FOURTEENS), due = 10 * plain;
    int black = t.laid_high >> 13 & 1;
    u64 met = t.laid_high & CHARACTERS;
    due += 20 * black;
    m->captured[0] += plain;
    m->captured[1] += black;
    m->tricks[taker]++;
    if (met & (met - 1)) {
        int is_mermaid = order[t.winner] == 78 || order[t.winner] == 79;
        if (met & SKULL_KING) {
            int pirates = is_mermaid ? 0 : popcount(met & PIRATES);
            due += is_mermaid ? 40 : 30 * pirates;
            m->captured[4] += is_mermaid;
            m->captured[3] += pirates;
        } else if (!is_mermaid) {
            due += 20 * popcount(met & MERMAIDS);
            m->captured[2] += popcount(met & MERMAIDS);
        }
    }
    m->bonus[taker] += due;
    return taker;
}

typedef struct {
    int sole, since;
    i64 changes;
} lead;

/* Scores a round, in halves of points. */
INLINE void score(match *m, lead *l, int index, i64 *tally) {
    i64 bids = 0, tricks = 0, exact = 0, all_points = 0, all_paid = 0;
    int cards = index + 1;
    for (int seat = 0; seat < PLAYERS; seat++) {
        i64 bid = m->bid[seat], taken = m->tricks[seat], miss = bid > taken ? bid - taken : taken - bid;
        i64 hit = miss == 0, paid = hit ? 2 * m->bonus[seat] : 0;
        i64 stake = 20 * cards, points = bid == 0 ? (hit ? stake : -stake) : hit ? 40 * bid : -20 * miss;
        points += paid;
        m->total[seat] += points;
        bids += bid;
        tricks += taken;
        exact += hit;
        all_points += points;
        all_paid += paid;
        tally[T_bid + seat * K_round + index] += bid;
        tally[T_tricks + seat * K_round + index] += taken;
        tally[T_exact_bid + seat * K_round + index] += hit;
        tally[T_round_points + seat * K_round + index] += points;
        tally[T_round_bonus + seat * K_round + index] += paid;
        tally[T_bids + bid * K_cards + index] += 1;
        tally[T_points_for_bid + bid * K_cards + index] += points;
    }
    tally[T_bid_of_round + index] += bids;
    tally[T_tricks_of_round + index] += tricks;
    tally[T_exact_bid_of_round + index] += exact;
    tally[T_round_points_of_round + index] += all_points;
    tally[T_round_bonus_of_round + index] += all_paid;
    tally[T_bid_total_minus_cards + index] += bids - cards;
    i64 best = m->total[0];
    for (int seat = 1; seat < PLAYERS; seat++) best = m->total[seat] > best ? m->total[seat] : best;
    int leaders = 0;
    for (int seat = 0; seat < PLAYERS; seat++) {
        i64 behind = best - m->total[seat];
        m->deficit[seat] = behind > m->deficit[seat] ? behind : m->deficit[seat];
        leaders |= (behind == 0) << seat;
    }
    int alone = (leaders & (leaders - 1)) == 0, first = alone ? lowest_bit(leaders) : l->sole;
    l->changes += alone && l->sole != NO_SEAT && first != l->sole;
    l->since = !alone ? 0 : first != l->sole || l->since == 0 ? cards : l->since;
    l->sole = first;
}

static void play_match(u64 seed, u64 number, i64 *tally, i64 *counts) {
    match m;
    memset(&m, 0, sizeof m);
    lead l = {NO_SEAT, 0, 0};
    u64 of_game = game_key(seed, number);
    int first = scaled(mix(start(DEAL, round_key(of_game, 0), 0) + GOLDEN), PLAYERS);
    for (int index = 0; index < ROUNDS; index++) {
        u64 key = round_key(of_game, index + 1);
        deal(&m, start(DEAL, key, 0), index + 1);
        for (int seat = 0; seat < PLAYERS; seat++) m.stream[seat] = start(SEAT + seat, key, 0);
        int leader = (first + index) & 3;
        for (int n = 0; n < index; n++) leader = play_trick(&m, leader, 0);
        play_trick(&m, leader, 1);
        score(&m, &l, index, tally);
        if (index + 1 == ROUNDS / 2) memcpy(m.half, m.total, sizeof m.half);
    }
    i64 best = -(1 << 30), second = best, low = m.half[0], high = m.half[0], winners = 0;
    for (int seat = 0; seat < PLAYERS; seat++) {
        i64 own = m.total[seat];
        second = own > best ? best : own > second ? own : second;
        best = own > best ? own : best;
        low = m.half[seat] < low ? m.half[seat] : low;
        high = m.half[seat] > high ? m.half[seat] : high;
    }
    for (int seat = 0; seat < PLAYERS; seat++) winners += m.total[seat] == best;
    i64 share = SHARE / winners;
    tally[T_matches]++;
    tally[T_seats] += PLAYERS;
    tally[T_turns] += PLAYERS * ROUNDS * (ROUNDS + 1) / 2;
    tally[T_choice_turns] += m.choices;
    tally[T_match_tie] += winners > 1;
    tally[T_halved]++;
    for (int seat = 0; seat < PLAYERS; seat++) {
        tally[T_score + seat] += m.total[seat];
        COUNT_UP(score, seat, m.total[seat] + 2047);
        if (m.total[seat] == best) {
            tally[T_match_win + seat] += share;
            tally[T_winner_deficit] += share * m.deficit[seat];
            if (m.half[seat] == low && low < high) tally[T_winner_was_last_at_half] += share;
        }
    }
    tally[T_margin] += best - second;
    COUNT_UP(margin, 0, best - second);
    if (best > second) {
        tally[T_decided]++;
        tally[T_decided_at_round] += l.since;
        COUNT_UP(decided_at_round, 0, l.since - 1);
    }
    tally[T_lead_changes] += l.changes;
    COUNT_UP(lead_changes, 0, l.changes);
    COUNT_UP(void_tricks, 0, 0);
    COUNT_UP(alliances, 0, 0);
    tally[T_captured_14] += m.captured[0];
    tally[T_captured_black_14] += m.captured[1];
    tally[T_captured_mermaid] += m.captured[2];
    tally[T_captured_pirate] += m.captured[3];
    tally[T_captured_skull_king] += m.captured[4];
    COUNT_UP(captured_14, 0, m.captured[0]);
    COUNT_UP(captured_black_14, 0, m.captured[1]);
    COUNT_UP(captured_mermaid, 0, m.captured[2]);
    COUNT_UP(captured_pirate, 0, m.captured[3]);
    COUNT_UP(captured_skull_king, 0, m.captured[4]);
}

/* The strategy is `count/contract`, whatever its number. */
void play_many(u64 seed, i64 first, i64 matches, i64 block, i64 strategy, i64 *tally, i64 *counts) {
    (void)strategy;
    prepare();
    for (i64 n = 0; n < matches; n++)
        play_match(seed, first + n, tally + ((first + n) / block - first / block) * T_WIDTH, counts);
}
