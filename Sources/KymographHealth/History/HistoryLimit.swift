// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import HealthModel

/// The beginning of the history that a store keeps: the start of a day in UTC.
enum HistoryLimit {
    private static let day: Int64 = 86_400_000_000_000
    private static let mostDays = 100_000

    /// Returns the beginning of the history to keep; nil for everything.
    ///
    /// A clock that is fast must not prune everything, so days without samples do not count: the kept days end with the
    /// day of the newest sample, or with the current day if that is earlier.
    /// - Parameters:
    ///   - now: the time of the clock, in nanoseconds since 1970-01-01 UTC.
    ///   - newest: the start of the newest sample; nil in a store without samples.
    /// - Throws: `invalidArgument` for a number of days outside of 1 to 100,000.
    static func begin(
        of kept: KeptHistory, at now: Int64, newest: Int64?
    ) throws(HealthStoreError) -> Int64? {
        guard case .days(let days) = kept else { return nil }
        guard days >= 1, days <= mostDays else {
            throw HealthStoreError(
                .invalidArgument, "cannot keep \(days) days of history; give a number of days from 1 to \(mostDays)")
        }
        let last = max(TimeLimits.earliest, min(now, newest ?? now, TimeLimits.latest))
        let (midnight, isEarly) = last.subtractingReportingOverflow((last % day + day) % day)
        let (begin, isEarlier) = midnight.subtractingReportingOverflow(Int64(days) * day)
        return isEarly || isEarlier ? TimeLimits.earliest : max(begin, TimeLimits.earliest)
    }

    /// Returns whether objects of a type have a time in the history. The list of medications has none.
    static func limits(_ type: String) -> Bool { type != HKDataTypeIdentifierUserAnnotatedMedicationConcept }

    /// Returns the stored beginning in the settings of a store; nil if the store keeps everything.
    static func stored(in settings: [String: String]) -> Int64? {
        settings[HealthCatalog.historyKey].flatMap { Int64($0) }
    }
}

extension SaveBatch {
    /// Throws unless every object of the batch ends in the kept history, or later.
    ///
    /// - Throws: `errorInvalidArgument`.
    func requireKept(from begin: Int64?) throws(HKError) {
        guard let begin else { return }
        for slot in columns.slots {
            if let end = slot.ends.min(), end < begin { throw Self.tooOld(slot.type, end, begin) }
        }
        for one in correlations where one.end < begin { throw Self.tooOld(one.type, one.end, begin) }
        for one in series where one.end < begin && HistoryLimit.limits(one.type) {
            throw Self.tooOld(one.type, one.end, begin)
        }
    }

    private static func tooOld(_ type: String, _ end: Int64, _ begin: Int64) -> HKError {
        HKError(
            .errorInvalidArgument,
            reason: "the end (\(StoredTime.date(end))) is before the history that the store keeps, which begins at "
                + "\(StoredTime.date(begin))", place: type,
            advice: "save samples that end at earliestPermittedSampleDate() or later")
    }
}
