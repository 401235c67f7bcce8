// SPDX-License-Identifier: Apache-2.0
// Packing and unpacking of up to a mini-block, once per level. Eight values of w bits are w whole bytes, so the same
// pattern repeats every eight values.

#if CK_L >= 2

/// Packs eight values of at most 32 bits: narrows them, then gathers their low bits with pext.
INLINE uint8_t *NAME(pack8)(const uint64_t *v, unsigned width, uint8_t *p) {
    __m512i x = _mm512_loadu_si512(v);
    if (width <= 8) {
        uint64_t mask = ck_low_bits(width) * UINT64_C(0x0101010101010101);
        ck_store64(p, _pext_u64((uint64_t)_mm_cvtsi128_si64(_mm512_cvtepi64_epi8(x)), mask));
    } else if (width <= 16) {
        uint64_t mask = ck_low_bits(width) * UINT64_C(0x0001000100010001);
        __m128i y = _mm512_cvtepi64_epi16(x);
        uint64_t a = _pext_u64((uint64_t)_mm_cvtsi128_si64(y), mask);
        uint64_t b = _pext_u64((uint64_t)_mm_extract_epi64(y, 1), mask);
        unsigned bits = 4 * width;
        ck_store64(p, bits < 64 ? a | b << bits : a);
        ck_store64(p + 8, bits < 64 ? b >> (64 - bits) : b);
    } else {
        uint64_t mask = ck_low_bits(width) * UINT64_C(0x0000000100000001), y[4];
        _mm256_storeu_si256((__m256i *)y, _mm512_cvtepi64_epi32(x));
        unsigned bits = 2 * width;
        uint8_t *q = p;
        uint64_t held = 0;
        unsigned fill = 0;
        for (int i = 0; i < 4; i++) {
            uint64_t a = _pext_u64(y[i], mask);
            held |= a << fill;
            fill += bits;
            if (fill >= 64) {
                ck_store64(q, held);
                q += 8;
                fill -= 64;
                held = fill == 0 ? 0 : a >> (bits - fill);
            }
        }
        ck_store64(q, held);
    }
    return p + width;
}

#elif CK_L == 1

/// Packs two registers of four values less than 2^width, width <= 32: shifts them to their bits and combines four
/// values (up to 16 bits) or two.
INLINE uint8_t *NAME(pack8)(__m256i x, __m256i y, unsigned width, uint8_t *p) {
    const __m256i shift = _mm256_set_epi64x(width <= 16 ? 3 * width : width, width <= 16 ? 2 * width : 0, width, 0);
    x = _mm256_sllv_epi64(x, shift);
    y = _mm256_sllv_epi64(y, shift);
    // The first two of x and of y, then the others of x and of y.
    __m256i pairs = _mm256_or_si256(_mm256_unpacklo_epi64(x, y), _mm256_unpackhi_epi64(x, y));
    __m128i low = _mm256_castsi256_si128(pairs), high = _mm256_extracti128_si256(pairs, 1);
    if (width <= 16) {
        low = _mm_or_si128(low, high);
        uint64_t a = (uint64_t)_mm_cvtsi128_si64(low), b = (uint64_t)_mm_extract_epi64(low, 1);
        unsigned bits = 4 * width;
        ck_store64(p, bits < 64 ? a | b << bits : a);
        if (bits > 32) ck_store64(p + 8, bits < 64 ? b >> (64 - bits) : b);
        return p + width;
    }
    uint64_t a = (uint64_t)_mm_cvtsi128_si64(low), b = (uint64_t)_mm_cvtsi128_si64(high);
    uint64_t c = (uint64_t)_mm_extract_epi64(low, 1), d = (uint64_t)_mm_extract_epi64(high, 1);
    // Pairs have 34 to 64 bits, so two have more than 64; if width is odd, the second two start in the middle of a
    // byte.
    const unsigned pair = 2 * width, back = 64 - pair, half = width % 2 * 4;
    uint64_t first = pair < 64 ? a | b << pair : a, rest = back == 0 ? b : b >> back;
    uint64_t second = pair < 64 ? c | d << pair : c, end = back == 0 ? d : d >> back;
    uint8_t *q = p + width / 2;
    ck_store64(p, first);
    ck_store64(p + 8, rest);
    if (half == 0) {
        ck_store64(q, second);
        ck_store64(q + 8, end);
    } else {
        ck_store64(q, second << 4 | rest >> (2 * pair - 68));
        ck_store64(q + 8, end << 4 | second >> 60);
    }
    return p + width;
}

#endif

/// Writes ceil(n * width / 8) bytes and up to 16 more; returns that number. Bits of v above `width` are ignored.
INLINE size_t NAME(pack)(const uint64_t *v, size_t n, unsigned width, uint8_t *out) {
    uint8_t *p = out;
    size_t i = 0;
    if (width == 0) return 0;
#if CK_L >= 2
    if (width <= 32) {
        for (; i + 8 <= n; i += 8) p = NAME(pack8)(v + i, width, p);
    }
#elif CK_L == 1
    const __m256i low = _mm256_set1_epi64x((long long)ck_low_bits(width));
    for (; width <= 32 && i + 8 <= n; i += 8) {
        __m256i x = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(v + i)), low);
        __m256i y = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(v + i + 4)), low);
        p = NAME(pack8)(x, y, width, p);
    }
#endif
    uint64_t mask = ck_low_bits(width), held = 0;
    unsigned fill = 0;
    for (; i < n; i++) {
        uint64_t x = v[i] & mask;
        held |= x << fill;
        fill += width;
        if (fill >= 64) {
            ck_store64(p, held);
            p += 8;
            fill -= 64;
            held = fill == 0 ? 0 : x >> (width - fill);
        }
    }
    if (fill > 0) ck_store64(p, held);
    return (n * width + 7) / 8;
}

/// Unpacks values one by one: values wider than 57 bits, and wide values at the portable level.
INLINE void NAME(unpack_each)(const uint8_t *in, size_t n, unsigned width, uint64_t add, uint64_t *out) {
    uint64_t mask = ck_low_bits(width);
    if (width <= 57) {
        for (size_t i = 0, bit = 0; i < n; i++, bit += width) {
            out[i] = ((ck_load64(in + bit / 8) >> (bit % 8)) & mask) + add;
        }
        return;
    }
    for (size_t i = 0, bit = 0; i < n; i++, bit += width) {
        uint64_t x = ck_load64(in + bit / 8) >> (bit % 8);
        if (bit % 8 > 0) x |= (uint64_t)in[bit / 8 + 8] << (64 - bit % 8);
        out[i] = (x & mask) + add;
    }
}

#if CK_L == 0

/// Unpacks eight values at a time with a constant width, which makes offsets and shifts constants, too.
INLINE void NAME(unpack_constant)(
    const uint8_t *in, size_t n, const unsigned width, uint64_t add, uint64_t *out) {
    const uint64_t mask = ck_low_bits(width);
    for (size_t i = 0; i < n; i += 8, in += width) {
#pragma clang loop unroll(full)
        for (unsigned j = 0; j < 8; j++) {
            out[i + j] = ((ck_load64(in + j * width / 8) >> (j * width % 8)) & mask) + add;
        }
    }
}

#define CK_WIDTH_CASE(w)                                                                                               \
    case w: NAME(unpack_constant)(in, n, w, add, out); return;
#define CK_WIDTH_CASES(w)                                                                                              \
    CK_WIDTH_CASE(w) CK_WIDTH_CASE(w + 1) CK_WIDTH_CASE(w + 2) CK_WIDTH_CASE(w + 3)                                    \
    CK_WIDTH_CASE(w + 4) CK_WIDTH_CASE(w + 5) CK_WIDTH_CASE(w + 6) CK_WIDTH_CASE(w + 7)

#endif

/// Computes out[i] = value i of `width` bits + add. Reads up to 64 bytes more and writes up to 7 elements more.
INLINE void NAME(unpack)(const uint8_t *in, size_t n, unsigned width, uint64_t add, uint64_t *out) {
    if (width == 0) {
        for (size_t i = 0; i < n; i++) out[i] = add;
        return;
    }
    if (width > 57) {
        NAME(unpack_each)(in, n, width, add, out);
        return;
    }
#if CK_L == 3
    // Find the first byte of each of eight values, gather the bytes from there on, then shift and mask.
    const __m512i lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    __m512i bits = _mm512_mullo_epi64(lanes, _mm512_set1_epi64((long long)width));
    __m512i first = _mm512_mullo_epi64(_mm512_srli_epi64(bits, 3), _mm512_set1_epi64(0x0101010101010101));
    __m512i bytes = _mm512_add_epi8(first, _mm512_set1_epi64(0x0706050403020100));
    __m512i shift = _mm512_and_si512(bits, _mm512_set1_epi64(7));
    __m512i mask = _mm512_set1_epi64((long long)ck_low_bits(width)), more = _mm512_set1_epi64((long long)add);
    for (size_t i = 0; i < n; i += 8, in += width) {
        __m512i x = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(in));
        x = _mm512_and_si512(_mm512_srlv_epi64(x, shift), mask);
        _mm512_storeu_si512(out + i, _mm512_add_epi64(x, more));
    }
#elif CK_L >= 1
    // The same in lanes of 16 bytes, each of which holds two values.
    __m256i bytes[2], shift[2];
    size_t at[4];
    for (unsigned pair = 0; pair < 4; pair++) at[pair] = 2 * pair * width / 8;
    const __m256i by = _mm256_set_epi64x(width, 0, width, 0);
    const __m256i first = _mm256_set_epi64x(0x0808080808080808, 0, 0x0808080808080808, 0);
    for (int half = 0; half < 2; half++) {
        __m256i even = _mm256_set_epi64x(4 * half + 2, 4 * half + 2, 4 * half, 4 * half);
        __m256i bits = _mm256_mul_epu32(even, _mm256_set1_epi64x(width));
        bits = _mm256_add_epi64(_mm256_and_si256(bits, _mm256_set1_epi64x(7)), by);
        shift[half] = _mm256_and_si256(bits, _mm256_set1_epi64x(7));
        bytes[half] = _mm256_shuffle_epi8(_mm256_srli_epi64(bits, 3), first);
        bytes[half] = _mm256_add_epi8(bytes[half], _mm256_set1_epi64x(0x0706050403020100));
    }
    __m256i mask = _mm256_set1_epi64x((long long)ck_low_bits(width)), more = _mm256_set1_epi64x((long long)add);
    for (size_t i = 0; i < n; i += 8, in += width) {
        for (unsigned half = 0; half < 2; half++) {
            __m256i x = _mm256_inserti128_si256(
                _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(in + at[2 * half]))),
                _mm_loadu_si128((const __m128i *)(in + at[2 * half + 1])), 1);
            x = _mm256_srlv_epi64(_mm256_shuffle_epi8(x, bytes[half]), shift[half]);
            _mm256_storeu_si256((__m256i *)(out + i + 4 * half), _mm256_add_epi64(_mm256_and_si256(x, mask), more));
        }
    }
#else
    switch (width) {
        CK_WIDTH_CASES(1)
        CK_WIDTH_CASES(9)
        CK_WIDTH_CASES(17)
    default: NAME(unpack_each)(in, n, width, add, out);
    }
#undef CK_WIDTH_CASE
#undef CK_WIDTH_CASES
#endif
}
