// SPDX-License-Identifier: Apache-2.0
// Copying past the cache, once per level.

static void NAME(ck_copy_past_cache)(uint64_t *to, const uint64_t *from, size_t n) {
#if CK_X86
    size_t i = 0;
    while (i < n && ((uintptr_t)(to + i) & 63) != 0) {
        to[i] = from[i];
        i++;
    }
    for (; i + 8 <= n; i += 8) {
#if CK_L >= 2
        _mm512_stream_si512((__m512i *)(to + i), _mm512_loadu_si512(from + i));
#elif CK_L == 1
        for (size_t k = 0; k < 8; k += 4)
            _mm256_stream_si256((__m256i *)(to + i + k), _mm256_loadu_si256((const __m256i *)(from + i + k)));
#else
        for (size_t k = 0; k < 8; k += 2)
            _mm_stream_si128((__m128i *)(to + i + k), _mm_loadu_si128((const __m128i *)(from + i + k)));
#endif
    }
    for (; i < n; i++) to[i] = from[i];
#else
    memcpy(to, from, n * 8);
#endif
}
