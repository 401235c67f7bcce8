// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Testing

@Suite("S-23 metadata keeps all bits of a value, and returns numbers as NSNumber")
struct MetadataTests {
    private func roundTrip(_ value: Any) -> Any? {
        let sample = HKCategorySample(
            type: HKCategoryType(.acne), value: 0, start: .distantPast, end: .distantPast, metadata: ["key": value])
        return sample.metadata?["key"]
    }

    @Test("strings, numbers, Booleans, dates, quantities and data read back")
    func kinds() {
        #expect(roundTrip("text") as? String == "text")
        #expect(roundTrip(true) as? Bool == true && roundTrip(false) as? Bool == false)
        #expect(roundTrip(1) as? Int == 1 && roundTrip(1.5) as? Double == 1.5)
        #expect(roundTrip(Int.min) as? Int == .min && roundTrip(UInt.max) as? UInt == .max)
        #expect((roundTrip(-0.0) as? Double)?.sign == .minus)
        #expect(roundTrip(0.1) as? Double == 0.1)
        let date = Date(timeIntervalSinceReferenceDate: 712_345_678.123_456_7)
        #expect(roundTrip(date) as? Date == date)
        let quantity = HKQuantity(unit: .gram(), doubleValue: 3)
        #expect(roundTrip(quantity) as? HKQuantity === quantity)
        #expect(roundTrip(Data([0, 255])) as? Data == Data([0, 255]))
    }

    @Test("a number is readable as every type that can represent it")
    func bridges() {
        #expect(roundTrip(3) as? Double == 3 && roundTrip(3) as? Int64 == 3 && roundTrip(3) as? NSNumber == 3)
        #expect(roundTrip(3) as? Bool == nil && roundTrip(-1) as? UInt == nil && roundTrip(2.5) as? Int == nil)
        #expect(roundTrip(1.0) as? Int == 1 && roundTrip(true) as? Int == 1 && roundTrip(1) as? Bool == true)
        #expect((roundTrip(3) as? NSNumber)?.stringValue == "3")
        // An object takes the metadata of another one unchanged.
        for value: Any in [true, 1, UInt.max, 1.0] {
            #expect(HealthMetadataValue(roundTrip(value) ?? 0) == HealthMetadataValue(value))
        }
    }

    @Test("numbers of other widths become Int, UInt or Double")
    func widths() {
        #expect(roundTrip(Int8(-3)) as? Int == -3 && roundTrip(UInt16(7)) as? Int == 7)
        #expect(roundTrip(UInt64.max) as? UInt == .max && roundTrip(Int64.min) as? Int == .min)
        #expect(roundTrip(Float(0.5)) as? Double == 0.5)
        #expect(roundTrip(NSNumber(value: 5)) as? Int == 5)
        #expect(roundTrip(NSNumber(value: 2.5)) as? Double == 2.5)
        #expect(roundTrip(NSNumber(value: true)) as? Bool == true)
        #expect(HealthMetadataValue(NSNumber(value: true)) == .boolean(true))
        #expect(HealthMetadataValue(NSNumber(value: false)) == .boolean(false))
        #expect(HealthMetadataValue(NSNumber(value: 0)) == .integer(0))
        #expect(HealthMetadataValue(NSNumber(value: 1)) == .integer(1))
        #expect(HealthMetadataValue(NSNumber(value: 3.0)) == .real(3))
        #expect(HealthMetadataValue(NSNumber(value: UInt64(1) << 63)) == .unsigned(1 << 63))
        #expect(HealthMetadataValue(1) == .integer(1) && HealthMetadataValue(true) == .boolean(true))
        #expect(HealthMetadataValue(1.0) == .real(1))
        #expect(roundTrip(NSString(string: "text")) as? String == "text")
    }

    @Test("unsupported values are absent, and an object with one cannot be saved")
    func unsupported() {
        #expect(roundTrip([1, 2]) == nil && roundTrip(UUID()) == nil)
        #expect(HealthMetadataValue([1, 2]) == .unsupported("Array<Int>"))
        #expect(HealthMetadataValue(Int128.max) == .unsupported("Int128"))
    }
}
