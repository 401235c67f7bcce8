// SPDX-License-Identifier: Apache-2.0
// Copying past the cache.

#ifndef CKERNELS_COPIES_H
#define CKERNELS_COPIES_H

#include <stddef.h>
#include <stdint.h>

/// Copies n words of 8 bytes to where nobody will look soon: without reading the destination's lines first, and
/// without driving out what the caches hold. The two do not overlap. Such stores are ordered with no others: call
/// ck_fence_copies before another thread may read them.
void ck_copy_past_cache(uint64_t *to, const uint64_t *from, size_t n);
/// Waits until all that this thread copied past the cache can be seen by others.
void ck_fence_copies(void);

#endif
