// SPDX-License-Identifier: Apache-2.0
// Checks of arrays.

#include "levels.h"

#define CK_LEVELS_OF "checks_levels.h"
#include "each_level.h"

bool ck_all_finite(const double *v, size_t n) { CK_DISPATCH3(ck_all_finite, v, n); }

bool ck_is_ascending(const int64_t *a, size_t n) { CK_DISPATCH3(ck_is_ascending, a, n); }
