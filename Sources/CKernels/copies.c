// SPDX-License-Identifier: Apache-2.0
// Copying past the cache, for each level.

#include "levels.h"

#define CK_LEVELS_OF "copies_levels.h"
#include "each_level.h"

void ck_copy_past_cache(uint64_t *to, const uint64_t *from, size_t n) {
    CK_DISPATCH3(ck_copy_past_cache, to, from, n);
}

void ck_fence_copies(void) {
#if CK_X86
    _mm_sfence();
#endif
}
