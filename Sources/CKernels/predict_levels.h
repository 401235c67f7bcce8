// SPDX-License-Identifier: Apache-2.0
// The sums from which the factors of a prediction follow, once per level. Requires FP_CONTRACT OFF.

INLINE double NAME(ck_error)(const double *x, const double *f) {
    return __builtin_fabs(x[0] - ((f[0] * x[-1] + f[1] * x[-2]) + (f[2] * x[-3] + f[3] * x[-4])));
}

/// Loads eight numbers, beginning some places before x[0].
INLINE v8d NAME(ck_before)(const double *x, int places) {
    v8d v;
    memcpy(&v, x - places, sizeof v);
    return v;
}

static double NAME(ck_prediction_errors)(const double *x, size_t n, const double *f, double *errors) {
    v8d lanes = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        v8d near = f[0] * NAME(ck_before)(x + i, 1) + f[1] * NAME(ck_before)(x + i, 2);
        v8d far = f[2] * NAME(ck_before)(x + i, 3) + f[3] * NAME(ck_before)(x + i, 4);
        v8d error = __builtin_elementwise_abs(NAME(ck_before)(x + i, 0) - (near + far));
        memcpy(errors + i, &error, sizeof error);
        lanes += error;
    }
    for (; i < n; i++) {
        errors[i] = NAME(ck_error)(x + i, f);
        lanes[i & 7] += errors[i];
    }
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

/// The sums over the numbers at even or at odd places, with the number furthest before in lane 0 and in row 0.
typedef struct {
    v4d rows[4], targets;
} NAME(ck_products);

INLINE void NAME(ck_add_products)(NAME(ck_products) *p, const double *x, double weight) {
    v4d before;
    memcpy(&before, x - 4, sizeof before);
    v4d weighted = before * weight;
    for (int row = 0; row < 4; row++) p->rows[row] += weighted[row] * before;
    p->targets += weighted * x[0];
}

static void NAME(ck_prediction_sums)(const double *x, const double *errors, size_t n, double scale, double *sums) {
    NAME(ck_products) even = {0}, odd = {0};
    size_t i = 0;
    double weights[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (; i + 8 <= n; i += 8) {
        if (scale != 0) {
            v8d weight = scale / (NAME(ck_before)(errors + i, 0) + scale);
            memcpy(weights, &weight, sizeof weights);
        }
        for (size_t j = 0; j < 8; j += 2) {
            NAME(ck_add_products)(&even, x + i + j, weights[j]);
            NAME(ck_add_products)(&odd, x + i + j + 1, weights[j + 1]);
        }
    }
    for (; i < n; i++) {
        double weight = scale != 0 ? scale / (errors[i] + scale) : 1;
        NAME(ck_add_products)(i % 2 == 0 ? &even : &odd, x + i, weight);
    }
    for (int row = 0; row < 4; row++) {
        v4d sum = even.rows[3 - row] + odd.rows[3 - row];
        for (int lane = 0; lane < 4; lane++) sums[4 * row + lane] = sum[3 - lane];
    }
    v4d targets = even.targets + odd.targets;
    for (int lane = 0; lane < 4; lane++) sums[16 + lane] = targets[3 - lane];
}
