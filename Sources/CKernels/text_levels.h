// SPDX-License-Identifier: Apache-2.0
// Searches in UTF-8 text, once per level: CK_WIDE bytes at a time, each of which has a bit in a mask.

#if CK_L >= 2
#define CK_WIDE 64
typedef __m512i NAME(ck_wide);
INLINE NAME(ck_wide) NAME(ck_load)(const uint8_t *p) { return _mm512_loadu_si512(p); }
INLINE uint64_t NAME(ck_equal)(NAME(ck_wide) x, uint8_t byte) {
    return _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8((char)byte));
}
/// Returns the bytes below 0x20 and above 0x7F.
INLINE uint64_t NAME(ck_unusual)(NAME(ck_wide) x) { return _mm512_cmplt_epi8_mask(x, _mm512_set1_epi8(0x20)); }
#elif CK_L == 1
#define CK_WIDE 32
typedef __m256i NAME(ck_wide);
INLINE NAME(ck_wide) NAME(ck_load)(const uint8_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
INLINE uint64_t NAME(ck_equal)(NAME(ck_wide) x, uint8_t byte) {
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, _mm256_set1_epi8((char)byte)));
}
INLINE uint64_t NAME(ck_unusual)(NAME(ck_wide) x) {
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(_mm256_set1_epi8(0x20), x));
}
#else
#define CK_WIDE 8
typedef uint64_t NAME(ck_wide);
INLINE NAME(ck_wide) NAME(ck_load)(const uint8_t *p) { return ck_load64(p); }
/// Moves the highest bit of each byte to the lowest eight bits.
INLINE uint64_t NAME(ck_gather)(uint64_t marks) {
    return (marks >> 7 & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56;
}
INLINE uint64_t NAME(ck_equal)(NAME(ck_wide) x, uint8_t byte) {
    const uint64_t low = UINT64_C(0x7F7F7F7F7F7F7F7F);
    uint64_t y = x ^ byte * UINT64_C(0x0101010101010101);
    return NAME(ck_gather)(~(((y & low) + low) | y));
}
INLINE uint64_t NAME(ck_unusual)(NAME(ck_wide) x) {
    // The sum has the highest bit for bytes from 0x20 to 0x7F.
    uint64_t usual = (x & UINT64_C(0x7F7F7F7F7F7F7F7F)) + UINT64_C(0x6060606060606060);
    return NAME(ck_gather)(~usual | x);
}
#endif

static size_t NAME(ck_find_irregular)(const uint8_t *text, size_t from, size_t to) {
    size_t at = from;
    while (to - at >= CK_WIDE) {
        NAME(ck_wide) x = NAME(ck_load)(text + at);
        uint64_t marks = NAME(ck_unusual)(x);
        if (marks != 0) marks &= ~(NAME(ck_equal)(x, '\n') | NAME(ck_equal)(x, '\r') | NAME(ck_equal)(x, '\t'));
        size_t next = at + CK_WIDE;
        while (marks != 0) {
            size_t place = at + (size_t)__builtin_ctzll(marks);
            size_t length = text[place] < 0x80 ? 0 : ck_character(text + place, text + to);
            if (length == 0) return place;
            size_t end = place - at + length;
            if (end >= CK_WIDE) {
                next = at + end;
                break;
            }
            marks &= ~ck_low_bits((unsigned)end);
        }
        at = next;
    }
    ck_skip_regular(text, &at, to, to);
    return at;
}

static size_t NAME(ck_count_lines)(const uint8_t *text, size_t from, size_t to) {
    size_t count = 0;
    for (; to - from >= CK_WIDE; from += CK_WIDE) {
        count += (size_t)__builtin_popcountll(NAME(ck_equal)(NAME(ck_load)(text + from), '\n'));
    }
    for (; from < to; from++) count += text[from] == '\n';
    return count;
}

static size_t NAME(ck_find_quote)(const uint8_t *text, size_t from, size_t to, uint8_t quote, bool *special) {
    for (; to - from >= CK_WIDE; from += CK_WIDE) {
        NAME(ck_wide) x = NAME(ck_load)(text + from);
        uint64_t marked = NAME(ck_equal)(x, '&') | NAME(ck_equal)(x, '<'), found = NAME(ck_equal)(x, quote);
        if (found != 0) {
            // The bits below the lowest bit of the quotes.
            *special |= (marked & (found - 1) & ~found) != 0;
            return from + (size_t)__builtin_ctzll(found);
        }
        *special |= marked != 0;
    }
    for (; from < to && text[from] != quote; from++) *special |= text[from] == '&' || text[from] == '<';
    return from;
}

#undef CK_WIDE
