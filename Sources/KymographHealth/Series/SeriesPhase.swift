// SPDX-License-Identifier: Apache-2.0

import HealthModel

/// How far the builder of a series is.
enum SeriesPhase {
    /// It takes data.
    case open
    /// It is being saved.
    case finishing
    /// It has given its sample.
    case finished
    /// Its data is gone.
    case discarded

    /// Whether a builder has anything that `discard` lets go: also while it is saved, as it may have to try again.
    var isDiscardable: Bool { self == .open || self == .finishing }

    /// Goes back where the save has failed, unless the builder was discarded meanwhile.
    mutating func reopen() {
        if self == .finishing { self = .open }
    }

    /// Throws where nothing may be asked of the builder any more. After `discard`, HealthKit raises an exception.
    func requireOpen(_ builder: any Sendable) throws(HKError) {
        let what: String
        switch self {
        case .open: return
        case .finishing: what = "the series is being finished"
        case .finished: what = "the series is finished"
        case .discarded: what = "the builder was discarded"
        }
        throw HKError(
            .errorInvalidArgument, reason: what, place: "\(type(of: builder))", advice: "make a new builder")
    }
}
