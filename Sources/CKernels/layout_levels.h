// SPDX-License-Identifier: Apache-2.0
// Widths of the groups of a stream of windows, from the lengths of the values less the centre, once per level.
//
// All group sizes need the same counts: the number of lengths of at least w in some rows of 32. They are counted once
// and summed over the rows.

/// Returns the number of `n` lengths that are at least `least` >= 1; n is rounded up to a multiple of 32.
INLINE unsigned NAME(count_longer)(const uint8_t *lengths, size_t n, unsigned least) {
    unsigned count = 0;
#if CK_L >= 2
    __m256i limit = _mm256_set1_epi8((char)least);
    for (size_t i = 0; i < n; i += 32) {
        __m256i part = _mm256_loadu_si256((const __m256i *)(lengths + i));
        count += (unsigned)__builtin_popcount(_mm256_cmpge_epu8_mask(part, limit));
    }
#elif CK_L == 1
    __m256i limit = _mm256_set1_epi8((char)(least - 1));
    for (size_t i = 0; i < n; i += 32) {
        __m256i part = _mm256_loadu_si256((const __m256i *)(lengths + i));
        count += (unsigned)__builtin_popcount((uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(part, limit)));
    }
#else
    for (size_t i = 0; i < n; i++) count += lengths[i] >= least;
#endif
    return count;
}

/// Returns the greatest of n lengths; n is rounded up to a multiple of 32.
INLINE unsigned NAME(longest)(const uint8_t *lengths, size_t n) {
#if CK_L >= 1
    // Reduces halves of a register, then quarters and so on; the padding is 0.
    __m256i most = _mm256_loadu_si256((const __m256i *)lengths);
    for (size_t i = 32; i < n; i += 32) {
        most = _mm256_max_epu8(most, _mm256_loadu_si256((const __m256i *)(lengths + i)));
    }
    __m128i x = _mm_max_epu8(_mm256_castsi256_si128(most), _mm256_extracti128_si256(most, 1));
    // Takes the minimum of the complements to 255, because there is no instruction for the maximum.
    x = _mm_xor_si128(x, _mm_set1_epi8(-1));
    x = _mm_minpos_epu16(_mm_min_epu8(x, _mm_srli_epi16(x, 8)));
    return 255 - ((unsigned)_mm_cvtsi128_si32(x) & 255);
#else
    uint8_t most = 0;
    for (size_t i = 0; i < n; i++) most = lengths[i] > most ? lengths[i] : most;
    return most;
#endif
}

/// Returns the least length that at most one value in 32 exceeds.
INLINE unsigned NAME(tail)(const uint8_t *lengths, size_t n, unsigned longest) {
    unsigned low = 0, high = longest;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (NAME(count_longer)(lengths, n, middle + 1) <= n / 32) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/// Counts the lengths of n >= 1 values.
INLINE void NAME(count_lengths)(const uint8_t *lengths, size_t n, ck_counts *counts) {
    const size_t rows = (n + 31) / 32;
    unsigned longest = 0, shortest = 64;
    for (size_t row = 0; row < rows; row++) {
        unsigned most = NAME(longest)(lengths + 32 * row, 32);
        counts->most[0][row] = (uint8_t)most;
        longest = most > longest ? most : longest;
        // Rows of zeros need no counts.
        shortest = most > 0 && most < shortest ? most : shortest;
    }
    for (size_t size = 1, groups = rows; size < CK_SIZES; size++) {
        counts->most[size - 1][groups] = 0;
        groups = (groups + 1) / 2;
        for (size_t g = 0; g < groups; g++) {
            uint8_t a = counts->most[size - 1][2 * g], b = counts->most[size - 1][2 * g + 1];
            counts->most[size][g] = a > b ? a : b;
        }
    }
    counts->tail = NAME(tail)(lengths, n, longest);
    unsigned first = shortest + 1 < counts->tail + 2 ? shortest + 1 : counts->tail + 2;
    if (first > CK_WINDOW_WIDTH) first = CK_WINDOW_WIDTH;
    counts->least = first > CK_TRIES ? first - (CK_TRIES - 1) : 1;
    for (unsigned w = counts->least; w <= longest + 1; w++) {
        uint16_t *column = counts->above[0] + (w - counts->least + 8), sum = 0;
        column[0] = 0;
        for (size_t row = 0; row < rows; row++) {
            sum = (uint16_t)(sum + NAME(count_longer)(lengths + 32 * row, 32, w));
            column[(row + 1) * CK_COLUMNS] = sum;
        }
    }
}

/// Returns the bits of the cheapest width for the n values of some rows, and the width. Codes of w bits hold lengths
/// below w; an escape takes about one bit more than its width or than the tail. Of equal widths, the widest is used.
INLINE uint64_t NAME(width_of)(
    const ck_counts *counts, size_t from, size_t to, size_t n, unsigned most, unsigned *width) {
    const unsigned tail = counts->tail;
    const uint16_t *a = counts->above[from], *b = counts->above[to];
    *width = 0;
    if (most == 0) return 0;
    // Do not widen many values for a few long ones.
    unsigned first = most + 1, long_ones = tail + 2 - counts->least + 8;
    if (most > tail + 1 && (size_t)(b[long_ones] - a[long_ones]) * 8 <= n) first = tail + 2;
    if (first > CK_WINDOW_WIDTH) first = CK_WINDOW_WIDTH;
    const unsigned last = first > CK_TRIES ? first - (CK_TRIES - 1) : 1;
    const size_t column = first - counts->least + 8;
#if CK_L >= 1
    // Eight widths up to `first`; widths below `last` are not tried.
    const __m256i w = _mm256_add_epi32(
        _mm256_set1_epi32((int)first), _mm256_set_epi32(0, -1, -2, -3, -4, -5, -6, -7));
    __m256i escapes = _mm256_cvtepu16_epi32(_mm_sub_epi16(
        _mm_loadu_si128((const __m128i *)(b + column - 7)), _mm_loadu_si128((const __m128i *)(a + column - 7))));
    __m256i each = _mm256_add_epi32(_mm256_max_epi32(w, _mm256_set1_epi32((int)tail)), _mm256_set1_epi32(1));
    __m256i bits = _mm256_add_epi32(
        _mm256_mullo_epi32(w, _mm256_set1_epi32((int)n)), _mm256_mullo_epi32(escapes, each));
    // At most 2^18 bits, with the width stored in the low bits.
    bits = _mm256_sub_epi32(_mm256_slli_epi32(bits, 6), w);
    __m256i untried = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)last), w);
    bits = _mm256_blendv_epi8(bits, _mm256_set1_epi32(INT32_MAX), untried);
    __m128i x = _mm_min_epi32(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
    x = _mm_min_epi32(x, _mm_shuffle_epi32(x, 0x4e));
    x = _mm_min_epi32(x, _mm_shuffle_epi32(x, 0xb1));
    uint64_t best = (uint64_t)_mm_cvtsi128_si32(x);
    *width = (unsigned)(0 - best) & 63;
    return (best + *width) >> 6;
#else
    uint64_t best = UINT64_MAX;
    for (unsigned w = first; w >= last; w--) {
        uint64_t escapes = (uint64_t)(b[column + w - first] - a[column + w - first]);
        uint64_t bits = n * w + escapes * (1 + (w > tail ? w : tail));
        *width = bits < best ? w : *width;
        best = bits < best ? bits : best;
    }
    return best;
#endif
}

/// Chooses the width of each group of 2^group values.
INLINE ck_layout NAME(lay_out)(const ck_counts *counts, size_t n, unsigned group, uint8_t *widths) {
    ck_layout layout = {group, 64, 0, 0};
    const size_t size = (size_t)1 << group, rows = (n + 31) / 32, step = size / 32;
    size_t groups = 0;
    for (size_t i = 0, row = 0; i < n; i += size, row += step) {
        unsigned width, most = counts->most[group - CK_LEAST_GROUP][groups];
        size_t end = rows - row < step ? rows : row + step;
        layout.bits += NAME(width_of)(counts, row, end, n - i < size ? n - i : size, most, &width);
        widths[groups++] = (uint8_t)width;
        layout.least = width < layout.least ? width : layout.least;
        layout.most = width > layout.most ? width : layout.most;
    }
    if (groups == 0) layout.least = 0;
    layout.bits += groups * ck_bit_length(layout.most - layout.least);
    return layout;
}
