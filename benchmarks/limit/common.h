/* The random streams of simcore/rng.py, bit by bit, and what the three games share.

   layout.h, written by __init__.py from the declared metrics, gives the places in a row of the tally (T_name), in the
   distributions (C_name), the bins of each (B_name) and how many values a key may take (K_name); so both sides add up
   into the same arrays. */

#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>
#include <string.h>
#include "layout.h"

#if defined(__BMI2__) || defined(__AVX512BW__)
#include <immintrin.h>
#endif

typedef uint64_t u64;
typedef int64_t i64;

#define DEAL 0
#define CHANCE 1
#define SEAT 2
#define SHARE 360360
#define GOLDEN 0x9E3779B97F4A7C15ull
#define INLINE static inline __attribute__((always_inline))
#define RARE static __attribute__((noinline))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

INLINE u64 mix(u64 word) {
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ull;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBull;
    return word ^ (word >> 31);
}

/* The key of a game before its rounds are told apart. */
INLINE u64 game_key(u64 seed, u64 game) { return mix((mix(seed + GOLDEN) ^ game) + GOLDEN); }
INLINE u64 round_key(u64 key_of_game, u64 round) { return mix((key_of_game ^ round) + GOLDEN); }
INLINE u64 start(u64 purpose, u64 key, u64 number) { return mix((key ^ (purpose | number << 8)) + GOLDEN); }
INLINE u64 scaled(u64 word, u64 n) { return ((word >> 32) * n) >> 32; }

/* Nothing is drawn if n is 1. A mask, since compilers make a jump of a choice, and nobody can foretell it. */
INLINE u64 below(u64 *stream, u64 n) {
    u64 counter = *stream;
    *stream = counter + (GOLDEN & -(u64)(n != 1));
    return scaled(mix(counter + GOLDEN), n);
}

/* Hides from the compiler where a mask comes from, so that it cannot make a jump of it. */
INLINE u64 opaque(u64 mask) {
    __asm__("" : "+r"(mask));
    return mask;
}

INLINE int popcount(u64 word) { return __builtin_popcountll(word); }
INLINE int lowest_bit(u64 word) { return __builtin_ctzll(word); }
INLINE int highest_bit(u64 word) { return 63 - __builtin_clzll(word); }

INLINE u64 nth_bit_alone(u64 word, u64 n) {
#ifdef __BMI2__
    return _pdep_u64(1ull << n, word);
#else
    while (n--) word &= word - 1;
    return word & -word;
#endif
}

INLINE int nth_bit(u64 word, u64 n) { return lowest_bit(nth_bit_alone(word, n)); }

/* Histograms have open end bins. */
#define COUNT_UP(name, key, value)                                                                                    \
    do {                                                                                                              \
        i64 bin_ = (value);                                                                                           \
        bin_ = bin_ < 0 ? 0 : bin_ > B_##name - 1 ? B_##name - 1 : bin_;                                              \
        counts[C_##name + (key) * B_##name + bin_] += 1;                                                              \
    } while (0)

#endif
