// SPDX-License-Identifier: Apache-2.0

import Dispatch

extension Duration {
    /// The whole nanoseconds, clamped to `0...Int64.max`.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        if self <= .zero { return 0 }
        let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflows) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooLong || overflows ? .max : sum
    }

    var interval: DispatchTimeInterval { .nanoseconds(Int(wholeNanoseconds)) }

    /// The duration as a polling interval: at least a millisecond, at most an hour.
    var pause: DispatchTimeInterval { min(max(self, .milliseconds(1)), .seconds(3_600)).interval }
}
