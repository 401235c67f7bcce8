// SPDX-License-Identifier: Apache-2.0

internal import CKernels

/// The loops of scaled reals.
extension Loops {
    /// The whole numbers of steps of each value and what they miss; returns how many are missed.
    static func toSteps(
        _ v: [Double], _ n: Int, _ scale: ScalarEncoder.Scale, into k: inout [Int64], corrections c: inout [Int64]
    ) -> Int {
        check(n <= v.count && n <= k.count && n <= c.count)
        return unsafe ck_to_steps(v, n, scale.divisor, scale.offset, &k, &c)
    }

    static func fromSteps(
        _ k: [Int64], _ c: [Int64], _ n: Int, divisor: Double, offset: Double, into v: inout [Double]
    ) {
        check(n <= k.count && n <= c.count && n <= v.count)
        unsafe ck_from_steps(k, c, n, divisor, offset, &v)
    }

    /// The step that all differences of ascending numbers are multiples of but for noise; 0 where there is none.
    static func commonStep(_ v: [Double], noise: Double) -> Double {
        unsafe ck_common_step(v, v.count, noise)
    }
}
