// SPDX-License-Identifier: Apache-2.0
// Doubles as numbers of steps.

#include "levels.h"

#pragma STDC FP_CONTRACT OFF

#define CK_LEVELS_OF "scaled_levels.h"
#include "each_level.h"

size_t ck_to_steps(const double *v, size_t n, double divisor, double offset, int64_t *k, int64_t *c) {
    CK_DISPATCH3(ck_to_steps, v, n, divisor, offset, k, c);
}

void ck_from_steps(const int64_t *k, const int64_t *c, size_t n, double divisor, double offset, double *v) {
    CK_DISPATCH3(ck_from_steps, k, c, n, divisor, offset, v);
}

double ck_common_step(const double *v, size_t n, double noise) {
    double step = 0, doubt = 0;
    for (size_t i = 1; i < n; i++) {
        double a = v[i] - v[i - 1], b = step, a_doubt = noise, b_doubt = doubt;
        if (!(a < 0x1p1000)) return 0;
        if (a <= 4 * noise) continue;
        // Euclid's algorithm. A remainder counts as 0 within the uncertainty of a plus q times that of b.
        while (b > 0) {
            double q = a / b;
            if (!(q < 0x1p40)) return 0;
            q = q + 0x1.8p52 - 0x1.8p52;
            double rest = a > q * b ? a - q * b : q * b - a, rest_doubt = a_doubt + q * b_doubt;
            if (rest <= 4 * rest_doubt) {
                // A distance of many steps determines the step more precisely than a distance of few.
                if (a_doubt < q * b_doubt) {
                    b = a / q;
                    b_doubt = a_doubt / q;
                }
                break;
            }
            a = b;
            a_doubt = b_doubt;
            b = rest;
            b_doubt = rest_doubt;
        }
        step = b > 0 ? b : a;
        doubt = b > 0 ? b_doubt : a_doubt;
        // Any data has steps near the noise, so they are rejected.
        if (step < 256 * doubt) return 0;
    }
    return step;
}
