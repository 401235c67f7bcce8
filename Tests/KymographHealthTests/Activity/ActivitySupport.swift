// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import HealthModel
@testable import KymographHealth

/// Returns a sample of a type that activity summaries are computed from.
func activity(
    _ type: HKQuantityTypeIdentifier, _ value: Double, from start: Date, minutes: Double, source: String = "Watch",
    unit: String? = nil
) -> TestSample {
    let isEnergy = type == .activeEnergyBurned
    return TestSample(
        type: type.rawValue, source: source, unit: unit ?? (isEnergy ? "kcal" : "min"), start: nanoseconds(start),
        end: nanoseconds(start.addingTimeInterval(minutes * 60)), value: value)
}

/// Returns an hour with or without a stand.
func stand(_ hour: Date, stood: Bool = true, source: String = "Watch") -> TestSample {
    TestSample(
        type: HKCategoryTypeIdentifier.appleStandHour.rawValue, source: source, unit: nil, start: nanoseconds(hour),
        end: nanoseconds(hour.addingTimeInterval(3_600)), value: stood ? 0 : 1)
}

func nanoseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1e9).rounded()) }

extension HealthStore {
    /// Loads summary elements as an import does.
    func load(summaries: [(date: String, rest: String)]) throws {
        _ = try load { loader in
            for (date, rest) in summaries {
                let xml = Array("<ActivitySummary dateComponents=\"\(date)\" \(rest)/>".utf8)
                let parts = date.split(separator: "-").compactMap { Int($0) }
                var calendar = Calendar(identifier: .gregorian)
                calendar.timeZone = .gmt
                let midnight = calendar.date(from: DateComponents(year: parts[0], month: parts[1], day: parts[2]))
                try loader.add(kind: .activitySummary, start: midnight.map(nanoseconds), end: nil, xml)
            }
        }
    }
}

/// The calendar of Zurich: clocks go forward on 2024-03-31 and back on 2024-10-27.
let zurich: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: "Europe/Zurich") ?? .gmt
    return calendar
}()

/// Returns a day, by default of 2024, in Zurich's calendar.
func day(_ month: Int, _ day: Int, _ year: Int = 2024) -> DateComponents {
    DateComponents(calendar: zurich, year: year, month: month, day: day)
}

/// Returns the time a number of hours after a day's midnight.
func time(_ day: DateComponents, _ hours: Double = 0) -> Date {
    (day.date ?? .distantPast).addingTimeInterval(hours * 3_600)
}

extension HKActivitySummary {
    /// Month and day in Zurich's calendar as one number, such as 331.
    var date: Int {
        let parts = dateComponents(for: zurich)
        return (parts.month ?? 0) * 100 + (parts.day ?? 0)
    }
}
