// SPDX-License-Identifier: Apache-2.0
// Reports of encryptions to a test that looks for repeated nonces. Other builds do not have this code.
#ifndef KC_OBSERVER_H
#define KC_OBSERVER_H

#include "CCipher.h"

#ifdef KC_TESTING
int kc_is_observed(void);

void kc_report(
    const uint8_t *identity, const uint8_t *nonce, size_t nonce_count, const uint8_t *associated,
    size_t associated_count, const kc_piece *pieces, size_t piece_count);
#endif

#endif
