// SPDX-License-Identifier: Apache-2.0
// Streams of mini-blocks, once per level; the layout is in Docs/Format/Columns.md.

#include "lengths_levels.h"
#include "packing_levels.h"

/// Lengths and signs of CK_MINI values, padded with zeros. The length of a negative value is that of its complement.
typedef struct {
#if CK_L >= 2
    __m512i lengths[2];
    uint64_t signs[2];
#elif CK_L == 1
    __m256i lengths[4];
    uint32_t signs[4];
    bool any_sign;
#else
    // By width: the number of longer values, and of values that are longer or negative.
    uint16_t above[64], exceptions[64];
#endif
} NAME(ck_measure);

INLINE NAME(ck_measure) NAME(measure)(const int64_t *y, unsigned most) {
    NAME(ck_measure) m;
#if CK_L >= 2
    (void)most;
    uint8_t lengths[CK_MINI], signs[CK_MINI / 8];
    for (size_t i = 0; i < CK_MINI; i += 8) {
        __m512i x = _mm512_loadu_si512(y + i);
        __m512i zeros = _mm512_lzcnt_epi64(_mm512_xor_si512(x, _mm512_srai_epi64(x, 63)));
        __m512i length = _mm512_sub_epi64(_mm512_set1_epi64(64), zeros);
        _mm_storel_epi64((__m128i *)(lengths + i), _mm512_cvtepi64_epi8(length));
        signs[i / 8] = _mm512_movepi64_mask(x);
    }
    for (size_t half = 0; half < 2; half++) {
        m.lengths[half] = _mm512_loadu_si512(lengths + 64 * half);
        m.signs[half] = ck_load64(signs + 8 * half);
    }
#elif CK_L == 1
    (void)most;
    uint8_t lengths[CK_MINI];
    __m256i all = _mm256_setzero_si256(), signs = all;
    for (size_t i = 0; i < CK_MINI; i += 32) {
        all = _mm256_or_si256(all, NAME(lengths32)(y + i, 0, false, lengths + i));
        for (size_t j = i; j < i + 32; j += 4) {
            signs = _mm256_or_si256(signs, _mm256_loadu_si256((const __m256i *)(y + j)));
        }
    }
    if (NAME(are_long)(all)) {
        for (size_t i = 0; i < CK_MINI; i++) lengths[i] = (uint8_t)(64 - _lzcnt_u64((uint64_t)(y[i] ^ (y[i] >> 63))));
    }
    memcpy(m.lengths, lengths, sizeof m.lengths);
    memset(m.signs, 0, sizeof m.signs);
    m.any_sign = _mm256_movemask_pd(_mm256_castsi256_pd(signs)) != 0;
    for (size_t i = 0; m.any_sign && i < CK_MINI; i += 4) {
        m.signs[i / 32] |= (uint32_t)_mm256_movemask_pd(_mm256_loadu_pd((const double *)(y + i))) << (i % 32);
    }
#else
    // Two histograms of each kind: neighbours often have the same length, and increments of one counter would wait.
    uint16_t counts[2][2][65] = {{{0}}};
    for (size_t i = 0; i < CK_MINI; i += 2) {
        counts[0][(uint64_t)y[i] >> 63][ck_bit_length((uint64_t)(y[i] ^ (y[i] >> 63)))]++;
        counts[1][(uint64_t)y[i + 1] >> 63][ck_bit_length((uint64_t)(y[i + 1] ^ (y[i + 1] >> 63)))]++;
    }
    uint16_t positive = 0, negative = 0, all_negative = 0;
    for (unsigned w = 0; w <= most; w++) all_negative += counts[0][1][w] + counts[1][1][w];
    for (unsigned w = most + 1; w-- > 0;) {
        m.above[w] = positive + negative;
        m.exceptions[w] = positive + all_negative;
        positive += counts[0][0][w] + counts[1][0][w];
        negative += counts[0][1][w] + counts[1][1][w];
    }
#endif
    return m;
}

/// Returns the number of values longer than w bits, and sets the number of values that are longer or negative.
INLINE unsigned NAME(longer)(const NAME(ck_measure) *m, unsigned w, unsigned *exceptions) {
#if CK_L >= 2
    __m512i limit = _mm512_set1_epi8((char)w);
    uint64_t low = _mm512_cmpgt_epi8_mask(m->lengths[0], limit), high = _mm512_cmpgt_epi8_mask(m->lengths[1], limit);
    *exceptions = (unsigned)(__builtin_popcountll(low | m->signs[0]) + __builtin_popcountll(high | m->signs[1]));
    return (unsigned)(__builtin_popcountll(low) + __builtin_popcountll(high));
#elif CK_L == 1
    __m256i limit = _mm256_set1_epi8((char)w);
    unsigned longer = 0, either = 0;
    for (unsigned part = 0; part < 4; part++) {
        uint32_t mask = (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(m->lengths[part], limit));
        longer += (unsigned)__builtin_popcount(mask);
        if (m->any_sign) either += (unsigned)__builtin_popcount(mask | m->signs[part]);
    }
    *exceptions = m->any_sign ? either : longer;
    return longer;
#else
    *exceptions = m->exceptions[w];
    return m->above[w];
#endif
}

/// Returns the cheapest width for the values y (less their frame), the longest of which has `most` < 64 bits; of equal
/// widths the widest.
INLINE ck_mini NAME(width)(const int64_t *y, size_t n, unsigned most, int64_t frame) {
    const NAME(ck_measure) m = NAME(measure)(y, most);
    // For each width: the number of longer values, and the varint bytes of their upper bits after the first byte.
    uint16_t above[64 + 7], more[64 + 8];
    memset(above + most, 0, 7 * sizeof *above);
    memset(more + most + 1, 0, 7 * sizeof *more);
    ck_mini best = {frame, 0, 0, SIZE_MAX};
    for (unsigned w = most + 1; w-- > 0;) {
        unsigned exceptions;
        above[w] = (uint16_t)NAME(longer)(&m, w, &exceptions);
        more[w] = above[w + 6] + more[w + 7];
        // An exception costs its position and a varint.
        size_t each = 2 * (size_t)exceptions + more[w], bytes = (n * w + 7) / 8 + each;
        if (bytes < best.bytes) best = (ck_mini){frame, w, exceptions, bytes};
        // Smaller widths do not have fewer exceptions.
        if (each >= best.bytes) break;
    }
    best.bytes += 2 + ck_varint_length(ck_zigzag(frame));
    return best;
}

/// Computes y = v - frame, padded with zeros to CK_MINI.
INLINE void NAME(subtract)(const int64_t *v, size_t n, int64_t frame, int64_t *y) {
    size_t i = 0;
    for (; i < n; i++) y[i] = (int64_t)((uint64_t)v[i] - (uint64_t)frame);
    for (; i < CK_MINI; i++) y[i] = 0;
}

/// Computes the least value of each lane (value i is in lane i mod 8), and returns the greatest of all; n >= 1.
INLINE int64_t NAME(lanes)(const int64_t *v, size_t n, int64_t *least) {
    size_t i = 0;
    int64_t max = v[0];
    for (size_t lane = 0; lane < 8; lane++) least[lane] = v[lane < n ? lane : 0];
#if CK_L > 0
    if (n >= 8) {
        v8i low, high;
        memcpy(&low, v, sizeof low);
        high = low;
        for (i = 8; i + 8 <= n; i += 8) {
            v8i a;
            memcpy(&a, v + i, sizeof a);
            low = a < low ? a : low;
            high = a > high ? a : high;
        }
        memcpy(least, &low, sizeof low);
        max = __builtin_reduce_max(high);
    }
#else
    // SSE2 cannot compare 64-bit integers.
    for (; i + 8 <= n; i += 8) {
        for (size_t lane = 0; lane < 8; lane++) {
            int64_t x = v[i + lane];
            least[lane] = x < least[lane] ? x : least[lane];
            max = x > max ? x : max;
        }
    }
#endif
    for (; i < n; i++) {
        least[i % 8] = v[i] < least[i % 8] ? v[i] : least[i % 8];
        max = v[i] > max ? v[i] : max;
    }
    return max;
}

/// Chooses frame and width of n <= CK_MINI values; leaves value - frame in y, of which it overwrites CK_MINI elements.
static ck_mini NAME(choose)(const int64_t *v, size_t n, bool whole_bytes, int64_t *y) {
    int64_t least[8];
    int64_t max = NAME(lanes)(v, n, least);
    ck_sort8(least);
    int64_t min = least[0];
    unsigned most = ck_bit_length((uint64_t)max - (uint64_t)min);
    // The alternative without a frame stores the numbers themselves.
    ck_mini raw = {0, 64, 0, 3 + 8 * n};
    if (whole_bytes) {
        unsigned width = (most + 7) / 8 * 8;
        NAME(subtract)(v, n, width == 64 ? 0 : min, y);
        if (width == 64) return raw;
        return (ck_mini){min, width, 0, 2 + ck_varint_length(ck_zigzag(min)) + n * (width / 8)};
    }
    NAME(subtract)(v, n, min, y);
    // If the values span more than 63 bits, the upper ones look negative; the arithmetic wraps, so the result is valid.
    ck_mini best = NAME(width)(y, n, most < 63 ? most : 63, min);
    // A frame above some of the lowest values makes these exceptions, too, and may save a bit of all others. The third
    // or fifth least of the lanes' minima saved most on sensor data; for wide values the search does not pay.
    int64_t other = least[best.width <= 4 ? 4 : 2];
    if (n >= 16 && other != min && best.width <= 12 && most < 63) {
        int64_t z[CK_MINI];
        uint64_t below = (uint64_t)other - (uint64_t)min - 1, above = (uint64_t)max - (uint64_t)other;
        NAME(subtract)(v, n, other, z);
        ck_mini second = NAME(width)(z, n, ck_bit_length(below > above ? below : above), other);
        if (second.bytes < best.bytes) {
            best = second;
            memcpy(y, z, sizeof z);
        }
    }
    if (raw.bytes < best.bytes) {
        best = raw;
        memcpy(y, v, n * sizeof *y);
    }
    return best;
}

static size_t NAME(ck_stream_cost)(const int64_t *v, size_t n, bool whole_bytes) {
    int64_t y[CK_MINI];
    size_t total = 0;
    for (size_t i = 0; i < n; i += CK_MINI) {
        total += NAME(choose)(v + i, n - i < CK_MINI ? n - i : CK_MINI, whole_bytes, y).bytes;
    }
    return total;
}

static size_t NAME(ck_stream_encode)(const int64_t *v, size_t n, bool whole_bytes, uint8_t *out) {
    int64_t y[CK_STREAM_LIMIT + CK_MINI];
    ck_mini minis[CK_STREAM_LIMIT / CK_MINI];
    uint8_t *p = out;
    for (size_t i = 0, m = 0; i < n; i += CK_MINI, m++) {
        minis[m] = NAME(choose)(v + i, n - i < CK_MINI ? n - i : CK_MINI, whole_bytes, y + i);
        *p++ = (uint8_t)minis[m].width;
        *p++ = (uint8_t)minis[m].exceptions;
        p = ck_put_varint(p, ck_zigzag(minis[m].frame));
    }
    for (size_t i = 0, m = 0; i < n; i += CK_MINI, m++) {
        size_t count = n - i < CK_MINI ? n - i : CK_MINI;
        unsigned width = minis[m].width;
        p += NAME(pack)((const uint64_t *)(y + i), count, width, p);
        if (minis[m].exceptions == 0) continue;
        for (size_t j = 0; j < count; j++) {
            int64_t high = y[i + j] >> width;
            if (high == 0) continue;
            *p++ = (uint8_t)j;
            p = ck_put_varint(p, ck_zigzag(high));
        }
    }
    return (size_t)(p - out);
}

static ck_decoded NAME(ck_stream_decode_within)(
    const uint8_t *in, size_t length, size_t n, int64_t *out, uint64_t *reach) {
    unsigned widths[CK_STREAM_LIMIT / CK_MINI], exceptions[CK_STREAM_LIMIT / CK_MINI];
    uint64_t frames[CK_STREAM_LIMIT / CK_MINI];
    uint64_t all_frames = 0, all_bits = 0, all_high = 0;
    size_t at = 0;
    if (n > CK_STREAM_LIMIT) return (ck_decoded){0, CK_TOO_MANY};
    for (size_t i = 0, m = 0; i < n; i += CK_MINI, m++) {
        uint64_t frame;
        size_t count = n - i < CK_MINI ? n - i : CK_MINI;
        if (length - at < 3) return (ck_decoded){at, CK_HEADERS};
        widths[m] = in[at];
        exceptions[m] = in[at + 1];
        if (widths[m] > 64) return (ck_decoded){at, CK_WIDTH};
        if (exceptions[m] > count || (widths[m] == 64 && exceptions[m] > 0)) {
            return (ck_decoded){at + 1, CK_EXCEPTION_COUNT};
        }
        at += 2;
        if (!ck_take_varint(in, length, &at, &frame)) return (ck_decoded){at, CK_FRAME};
        frames[m] = ck_unzigzag(frame);
        all_frames |= ck_magnitude(frames[m]);
        all_bits |= ck_low_bits(widths[m]);
    }
    for (size_t i = 0, m = 0; i < n; i += CK_MINI, m++) {
        size_t count = n - i < CK_MINI ? n - i : CK_MINI, bytes = (count * widths[m] + 7) / 8;
        if (length - at < bytes) return (ck_decoded){at, CK_BITS};
        uint64_t *values = (uint64_t *)(out + i);
        NAME(unpack)(in + at, count, widths[m], frames[m], values);
        at += bytes;
        unsigned next = 0;
        for (unsigned e = 0; e < exceptions[m]; e++) {
            size_t start = at;
            uint64_t zigzag;
            if (length - at < 2) return (ck_decoded){at, CK_EXCEPTIONS};
            unsigned position = in[at++];
            if (position < next || position >= count) return (ck_decoded){start, CK_POSITION};
            if (!ck_take_varint(in, length, &at, &zigzag)) return (ck_decoded){start, CK_VARINT};
            uint64_t high = ck_unzigzag(zigzag), shifted = high << widths[m];
            if (high == 0 || (uint64_t)((int64_t)shifted >> widths[m]) != high) return (ck_decoded){start, CK_HIGH};
            values[position] += shifted;
            all_high |= ck_magnitude(shifted);
            next = position + 1;
        }
    }
    *reach = ck_sum_of_reaches(all_frames, all_bits, all_high);
    return (ck_decoded){at, CK_FINE};
}

static size_t NAME(ck_pack)(const uint64_t *v, size_t n, unsigned width, uint8_t *out) {
    return NAME(pack)(v, n, width, out);
}

static void NAME(ck_unpack)(const uint8_t *in, size_t n, unsigned width, uint64_t *out) {
    NAME(unpack)(in, n, width, 0, out);
}
