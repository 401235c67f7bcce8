// SPDX-License-Identifier: Apache-2.0

import HealthModel

/// The state of a series builder.
enum SeriesPhase {
    /// The builder accepts data.
    case open
    /// The series is being saved.
    case finishing
    /// The sample is saved.
    case finished
    /// The data is discarded.
    case discarded

    /// Whether the builder has data to discard; also true during a save, which may have to be repeated.
    var isDiscardable: Bool { self == .open || self == .finishing }

    /// Returns to `open` after a failed save, unless the builder was discarded meanwhile.
    mutating func reopen() {
        if self == .finishing { self = .open }
    }

    /// Throws unless the builder is open. After `discard`, HealthKit raises an exception.
    func requireOpen(_ builder: any Sendable) throws(HKError) {
        let what: String
        switch self {
        case .open: return
        case .finishing: what = "the series is being finished"
        case .finished: what = "the series is finished"
        case .discarded: what = "the builder was discarded"
        }
        throw HKError(
            .errorInvalidArgument, reason: what, place: "\(type(of: builder))", advice: "create a new builder")
    }
}
