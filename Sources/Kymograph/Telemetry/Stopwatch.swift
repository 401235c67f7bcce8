// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// A point in time from which a duration is measured.
struct Stopwatch {
    private let began = SystemClock.monotonicNanoseconds()

    var nanoseconds: Int { Int(SystemClock.monotonicNanoseconds() - began) }
    var elapsed: Duration { .nanoseconds(nanoseconds) }
}
