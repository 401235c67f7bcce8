// SPDX-License-Identifier: Apache-2.0
// Adaptive streams: the length of each number is coded as a walk from the expected length, one choice for each step.
// All arithmetic is in integers, so that encoder and decoder agree on every machine.

#include "include/adaptive.h"
#include "levels.h"
#include "varint.h"

enum {
    CK_WALKS = 14,
    CK_WALK_WIDTH = 64,
    /// The greatest distance from the expected length with a choice of its own.
    CK_WALK_REACH = 25,
    CK_MOST_SEEN = 48,
};

/// The probability of a choice, of 2^16, and how often the choice was made, up to CK_MOST_SEEN.
typedef struct {
    uint32_t probability, seen;
} ck_choice;

/// The probabilities of a stream.
typedef struct {
    ck_choice steps[CK_WALKS * CK_WALK_WIDTH];
    /// The two highest bits below the leading bit, by length: three choices each.
    ck_choice bits[65 * 4];
    /// Averages of the logarithms of the magnitudes, over few and over many numbers, in units of 2^-8.
    int32_t fast, slow;
} ck_model;

/// 2^16 / (seen + 1.6), rounded down.
static const int32_t ck_rates[CK_MOST_SEEN + 1] = {
    40960, 25206, 18204, 14246, 11702, 9929, 8623, 7620, 6826, 6182, 5649, 5201, 4818, 4488, 4201, 3947, 3723,
    3523,  3343,  3181,  3034,  2899, 2776, 2664, 2560, 2463, 2374, 2291, 2214, 2141, 2073, 2010, 1950, 1894,
    1840,  1790,  1742,  1697,  1654, 1614, 1575, 1538, 1503, 1469, 1437, 1406, 1376, 1348, 1321,
};

static void ck_model_begin(ck_model *m, uint8_t start) {
    const ck_choice even = {1 << 15, 0};
    for (size_t i = 0; i < sizeof m->steps / sizeof even; i++) m->steps[i] = even;
    for (size_t i = 0; i < sizeof m->bits / sizeof even; i++) m->bits[i] = even;
    m->fast = (int32_t)start << 6;
    m->slow = m->fast;
}

/// Returns log2(m) in units of 2^-8; of log2(m + 0.7) for small magnitudes.
static inline int32_t ck_logarithm(uint64_t magnitude) {
    static const int16_t small[8] = {-132, 196, 367, 483, 571, 643, 702, 754};
    if (magnitude < 8) return small[magnitude];
    int zeros = __builtin_clzll(magnitude);
    return (63 - zeros) * 256 + (int32_t)((magnitude << zeros) >> 55 & 255);
}

/// Returns the expected length, and sets the first choice of its walk.
static inline int ck_expectation(ck_model *m, ck_choice **walk) {
    int32_t halves = ((m->fast * 154 + m->slow * 102) >> 8) * 2 + 128;
    halves = halves < 0 ? 0 : halves >> 8;
    *walk = m->steps + (halves < 6 ? 8 + halves : halves & 1) * CK_WALK_WIDTH;
    return (int)(halves >> 1);
}

static inline void ck_learn(ck_choice *c, bool is_true) {
    int32_t old = (int32_t)c->probability;
    int64_t moved = old + (((int64_t)((is_true ? 1 << 16 : 0) - old) * ck_rates[c->seen]) >> 16);
    c->probability = (uint32_t)(moved < 64 ? 64 : moved > (1 << 16) - 64 ? (1 << 16) - 64 : moved);
    c->seen += c->seen < CK_MOST_SEEN;
}

static inline void ck_learn_number(ck_model *m, uint64_t magnitude) {
    int32_t logarithm = ck_logarithm(magnitude);
    m->fast += ((logarithm - m->fast) * 43) >> 8;
    m->slow += ((logarithm - m->slow) * 13) >> 9;
}

/// Returns the choice whether a number is longer than the expected length plus `distance`.
static inline ck_choice *ck_up(ck_choice *walk, int distance) {
    return walk + 32 + (distance < CK_WALK_REACH ? distance : CK_WALK_REACH);
}

/// Returns the choice whether a number is shorter than the expected length minus `distance`.
static inline ck_choice *ck_down(ck_choice *walk, int distance) {
    return walk + 31 - (distance < CK_WALK_REACH ? distance : CK_WALK_REACH);
}

// --- Encoding ---

typedef struct {
    /// The next byte of the choices, and the end of their space.
    uint8_t *to, *end;
    uint64_t low;
    uint32_t range;
    /// The last byte, which a carry may still change, and the number of 255s after it.
    uint8_t cache;
    size_t pending;
    bool is_first, is_full;
    /// The bits that have no probability.
    uint8_t *plain;
    uint64_t bits;
    unsigned count;
} ck_range_writer;

static inline void ck_put_byte(ck_range_writer *w, uint8_t byte) {
    if (w->to < w->end) {
        *w->to++ = byte;
    } else {
        w->is_full = true;
    }
}

/// Writes the highest byte of `low`, once no carry can change it.
static inline void ck_shift(ck_range_writer *w) {
    if (w->low < 0xff000000 || w->low > 0xffffffff) {
        uint8_t carry = (uint8_t)(w->low >> 32);
        if (!w->is_first) ck_put_byte(w, (uint8_t)(w->cache + carry));
        w->is_first = false;
        for (; w->pending > 0; w->pending--) ck_put_byte(w, (uint8_t)(0xff + carry));
        w->cache = (uint8_t)(w->low >> 24);
    } else {
        w->pending++;
    }
    w->low = (w->low & 0x00ffffff) << 8;
}

static inline bool ck_put_choice(ck_range_writer *w, ck_choice *c, bool is_true) {
    uint32_t bound = (w->range >> 16) * c->probability;
    if (is_true) {
        w->range = bound;
    } else {
        w->low += bound;
        w->range -= bound;
    }
    while (w->range < 1 << 24) {
        w->range <<= 8;
        ck_shift(w);
    }
    ck_learn(c, is_true);
    return is_true;
}

/// Writes at most 32 plain bits. Eight bytes are stored in any case: a branch would be mispredicted often.
static inline void ck_put_plain(ck_range_writer *w, uint64_t number, unsigned width) {
    w->bits |= number << w->count;
    w->count += width;
    ck_store64(w->plain, w->bits);
    w->plain += w->count >> 3;
    w->bits >>= w->count & ~7u;
    w->count &= 7;
}

static inline void ck_put_number(ck_range_writer *w, ck_model *m, int64_t number) {
    uint64_t magnitude = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    int length = (int)ck_bit_length(magnitude);
    ck_choice *walk;
    int expected = ck_expectation(m, &walk);
    int distance = 1;
    if (ck_put_choice(w, ck_up(walk, 0), length > expected)) {
        while (expected + distance < 64 && ck_put_choice(w, ck_up(walk, distance), length > expected + distance)) {
            distance++;
        }
    } else {
        distance = 0;
        while (expected - distance > 0 && ck_put_choice(w, ck_down(walk, distance), length < expected - distance)) {
            distance++;
        }
    }
    if (length >= 2) {
        bool first = magnitude >> (length - 2) & 1;
        ck_put_choice(w, m->bits + length * 4, first);
        if (length >= 3) {
            ck_put_choice(w, m->bits + length * 4 + (first ? 2 : 1), magnitude >> (length - 3) & 1);
            unsigned rest = (unsigned)length - 3;
            uint64_t low = magnitude & ck_low_bits(rest);
            if (rest > 32) {
                ck_put_plain(w, low & 0xffffffff, 32);
                low >>= 32;
                rest -= 32;
            }
            ck_put_plain(w, low, rest);
        }
    }
    if (length > 0) ck_put_plain(w, number < 0, 1);
    ck_learn_number(m, magnitude);
}

/// Returns the choice of a zero, if further zeros change nothing in the model; NULL otherwise.
static inline const ck_choice *ck_settled(ck_model *m) {
    int32_t zero = ck_logarithm(0);
    if (m->fast != zero || m->slow != zero) return NULL;
    ck_choice *walk;
    if (ck_expectation(m, &walk) != 0) return NULL;
    const ck_choice *c = ck_up(walk, 0);
    ck_choice next = *c;
    ck_learn(&next, false);
    return next.probability == c->probability && next.seen == c->seen ? c : NULL;
}

/// Writes further zeros, each of them a false choice with this probability.
static inline void ck_put_zeros(ck_range_writer *w, uint32_t probability, size_t count) {
    for (; count > 0; count--) {
        uint32_t bound = (w->range >> 16) * probability;
        w->low += bound;
        w->range -= bound;
        while (w->range < 1 << 24) {
            w->range <<= 8;
            ck_shift(w);
        }
    }
}

size_t ck_adaptive_bound(size_t n) { return 64 + 24 * n; }

size_t ck_adaptive_encode(const int64_t *v, size_t n, uint8_t *out, size_t at, uint8_t *scratch) {
    out += at;
    // The start is the mean logarithm of the first magnitudes, in quarters.
    size_t few = n < 32 ? n : 32;
    int32_t sum = 0;
    for (size_t i = 0; i < few; i++) sum += ck_logarithm(v[i] < 0 ? 0 - (uint64_t)v[i] : (uint64_t)v[i]);
    int32_t start = few == 0 ? 0 : (sum / (int32_t)few + 32) >> 6;
    start = start < 0 ? 0 : start > 255 ? 255 : start;
    ck_model model;
    ck_model_begin(&model, (uint8_t)start);
    // The choices have the first part of the scratch, and the plain bits the rest: at most 8 bytes for each number, and
    // 8 that are stored beyond them.
    uint8_t *plain = scratch + 16 * n + 24;
    ck_range_writer w = {.to = scratch, .end = plain, .range = UINT32_MAX, .is_first = true, .plain = plain};
    for (size_t i = 0; i < n; i++) {
        ck_put_number(&w, &model, v[i]);
        const ck_choice *zero = v[i] == 0 ? ck_settled(&model) : NULL;
        if (zero == NULL) continue;
        size_t end = i + 1;
        while (end < n && v[end] == 0) end++;
        ck_put_zeros(&w, zero->probability, end - i - 1);
        i = end - 1;
    }
    for (int i = 0; i < 5; i++) ck_shift(&w);
    if (w.is_full) return 0;
    if (w.count > 0) *w.plain++ = (uint8_t)w.bits;
    size_t choices = (size_t)(w.to - scratch), bits = (size_t)(w.plain - plain);
    uint8_t *to = out;
    *to++ = (uint8_t)start;
    to = ck_put_varint(ck_put_varint(to, choices), bits);
    memcpy(to, scratch, choices);
    memcpy(to + choices, plain, bits);
    return (size_t)(to - out) + choices + bits;
}

// --- Decoding ---

typedef struct {
    /// The next byte of the choices, and the end of them.
    const uint8_t *from, *end;
    uint32_t code, range;
    /// The next byte of the plain bits, and the end of them.
    const uint8_t *plain, *plain_end;
    uint64_t bits;
    unsigned count;
    /// Whether more bytes were needed than there are.
    bool is_short;
} ck_range_reader;

static inline uint32_t ck_next_byte(ck_range_reader *r) {
    if (r->from < r->end) return *r->from++;
    r->is_short = true;
    return 0;
}

static inline bool ck_take_choice(ck_range_reader *r, ck_choice *c) {
    uint32_t bound = (r->range >> 16) * c->probability;
    bool is_true = r->code < bound;
    if (is_true) {
        r->range = bound;
    } else {
        r->code -= bound;
        r->range -= bound;
    }
    while (r->range < 1 << 24) {
        r->range <<= 8;
        r->code = r->code << 8 | ck_next_byte(r);
    }
    ck_learn(c, is_true);
    return is_true;
}

/// Returns at most 32 plain bits.
static inline uint64_t ck_take_plain(ck_range_reader *r, unsigned width) {
    for (; r->count < width; r->count += 8) {
        if (r->plain < r->plain_end) {
            r->bits |= (uint64_t)*r->plain++ << r->count;
        } else {
            r->is_short = true;
        }
    }
    uint64_t number = r->bits & ck_low_bits(width);
    r->bits >>= width;
    r->count -= width;
    return number;
}

static inline int64_t ck_take_number(ck_range_reader *r, ck_model *m) {
    ck_choice *walk;
    int expected = ck_expectation(m, &walk);
    int length = expected;
    if (ck_take_choice(r, ck_up(walk, 0))) {
        length++;
        while (length < 64 && ck_take_choice(r, ck_up(walk, length - expected))) length++;
    } else {
        while (length > 0 && ck_take_choice(r, ck_down(walk, expected - length))) length--;
    }
    if (length > 64) length = 64;
    if (length == 0) {
        ck_learn_number(m, 0);
        return 0;
    }
    uint64_t magnitude = 1;
    if (length >= 2) {
        bool first = ck_take_choice(r, m->bits + length * 4);
        magnitude = first ? 3 : 2;
        if (length >= 3) {
            magnitude = magnitude << 1 | ck_take_choice(r, m->bits + length * 4 + (first ? 2 : 1));
            unsigned rest = (unsigned)length - 3;
            if (rest > 32) {
                uint64_t low = ck_take_plain(r, 32);
                magnitude = magnitude << rest | low | ck_take_plain(r, rest - 32) << 32;
            } else if (rest > 0) {
                magnitude = magnitude << rest | ck_take_plain(r, rest);
            }
        }
    }
    ck_learn_number(m, magnitude);
    return (int64_t)(ck_take_plain(r, 1) ? 0 - magnitude : magnitude);
}

bool ck_adaptive_decode(
    const uint8_t *in, size_t at, size_t choices, size_t plain, uint8_t start, size_t n, int64_t *out) {
    in += at;
    ck_model model;
    ck_model_begin(&model, start);
    const uint8_t *middle = in + choices;
    ck_range_reader r = {
        .from = in, .end = middle, .range = UINT32_MAX, .plain = middle, .plain_end = middle + plain};
    for (int i = 0; i < 4; i++) r.code = r.code << 8 | ck_next_byte(&r);
    for (size_t i = 0; i < n && !r.is_short; i++) out[i] = ck_take_number(&r, &model);
    return !r.is_short && r.from == r.end && r.plain == r.plain_end;
}
