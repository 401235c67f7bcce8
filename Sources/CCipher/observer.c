// SPDX-License-Identifier: Apache-2.0
#include "observer.h"

#ifdef KC_TESTING
#include <stdlib.h>
#include <string.h>

static kc_observer current;
static void *current_context;

int kc_observe(kc_observer observer, void *context) {
    // Set in this order, so that an observer never sees the context of another.
    __atomic_store_n(&current, NULL, __ATOMIC_SEQ_CST);
    __atomic_store_n(&current_context, context, __ATOMIC_SEQ_CST);
    __atomic_store_n(&current, observer, __ATOMIC_SEQ_CST);
    return 1;
}

int kc_is_observed(void) { return __atomic_load_n(&current, __ATOMIC_ACQUIRE) != NULL; }

void kc_report(
    const uint8_t *identity, const uint8_t *nonce, size_t nonce_count, const uint8_t *associated,
    size_t associated_count, const kc_piece *pieces, size_t piece_count) {
    kc_observer observer = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
    if (observer == NULL) return;
    // The digest of the lengths and bytes of all parts. HMAC with a fixed key is the hash that this room has.
    size_t total = 8 + associated_count;
    for (size_t i = 0; i < piece_count; i++) total += pieces[i].count;
    uint8_t *all = malloc(total), digest[KC_DIGEST_BYTES];
    if (all == NULL) abort();
    uint64_t size = associated_count;
    memcpy(all, &size, 8);
    if (associated_count > 0) memcpy(all + 8, associated, associated_count);
    size_t end = 8 + associated_count;
    for (size_t i = 0; i < piece_count; i++) {
        if (pieces[i].count > 0) memcpy(all + end, pieces[i].bytes, pieces[i].count);
        end += pieces[i].count;
    }
    if (kc_hmac((const uint8_t *)"digest", 6, all, total, digest) != KC_OK) abort();
    kc_wipe(all, total);
    free(all);
    observer(__atomic_load_n(&current_context, __ATOMIC_ACQUIRE), identity, nonce, nonce_count, digest);
}
#else
int kc_observe(kc_observer observer, void *context) {
    (void)observer, (void)context;
    return 0;
}
#endif
