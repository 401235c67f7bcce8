// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import KymographHealth

/// The days of history that a store keeps: `7d`.
struct KeptDays: ExpressibleByArgument {
    let days: Int

    /// The history to keep, for the options of a store.
    var history: KeptHistory { .days(days) }

    init?(argument: String) {
        guard argument.last == "d", let days = Int(argument.dropLast()), (1...100_000).contains(days) else {
            return nil
        }
        self.days = days
    }
}

extension HealthStore {
    /// Returns the day on which the kept history begins, in UTC; nil if the store keeps everything.
    func historyDay() throws -> String? {
        var report = HistoryReport()
        report.begin = try historyBegin()
        return report.firstDay
    }
}

extension HistoryReport {
    /// The day on which the kept history begins, in UTC; nil if the store keeps everything.
    var firstDay: String? {
        guard let begin, let nanoseconds = StoredTime.nanoseconds(begin) else { return nil }
        return String(Civil.format(nanoseconds, zone: .utc, fractionDigits: 0, style: .spaced).prefix(10))
    }
}
