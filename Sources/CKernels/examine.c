// SPDX-License-Identifier: Apache-2.0
// Checks of samples before they are accepted, for each level.

#include "include/examine.h"
#include "levels.h"

#define CK_LEVELS_OF "examine_levels.h"
#include "each_level.h"

unsigned ck_examine_points(const int64_t *starts, const double *values, size_t n, int64_t first, int64_t last) {
    CK_DISPATCH3(ck_examine_points, starts, values, n, first, last);
}

unsigned ck_examine(const int64_t *starts, const int64_t *ends, const double *values, size_t n, int64_t first,
                    int64_t last) {
    CK_DISPATCH3(ck_examine, starts, ends, values, n, first, last);
}
