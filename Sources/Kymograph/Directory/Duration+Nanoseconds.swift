// SPDX-License-Identifier: Apache-2.0

import Dispatch

extension Duration {
    /// The whole nanoseconds, at least those of zero and at most what fits.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        if self <= .zero { return 0 }
        let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflows) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooLong || overflows ? .max : sum
    }

    /// As a time to wait.
    var interval: DispatchTimeInterval { .nanoseconds(Int(wholeNanoseconds)) }

    /// As the time between two looks at something: a millisecond at least, an hour at most.
    var pause: DispatchTimeInterval { min(max(self, .milliseconds(1)), .seconds(3_600)).interval }
}
