// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import HealthModel
import KymographHealth

/// The confirmation of an added sample: `72 count/min of heartRate at 2024-01-31 07:30:00 +0100`.
enum AddedText {
    /// - Parameter sample: a stored sample; its times are rounded to the precision of a date.
    static func text(_ sample: HKSample, _ zone: CivilZone) -> String {
        let start = StoredTime.nanoseconds(sample.startDate) ?? 0
        let end = StoredTime.end(sample.endDate) ?? start
        func date(_ instant: Int64) -> String { TimeText.table(instant, zone) }
        let time = start == end ? "at \(date(start))" : "from \(date(start)) to \(date(end))"
        return TerminalText.printable("added \(amounts(sample)) \(time)")
    }

    private static func amounts(_ sample: HKSample) -> String {
        let name = HealthTypes.type(for: sample.sampleType.identifier).shortName
        switch sample {
        case let sample as HKQuantitySample:
            return "\(ShownUnit(sample.quantity.unit.unitString).text(sample.quantity.value)) of \(name)"
        case let sample as HKCategorySample:
            let type = HKCategoryTypeIdentifier(rawValue: sample.sampleType.identifier)
            return "\(CategoryValueText.short(sample.value, of: type)) of \(name)"
        case let sample as HKCorrelation:
            return ObjectFields.members(sample).map { amounts($0) }.joined(separator: ", ")
        default: return name
        }
    }
}
