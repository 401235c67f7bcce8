// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

/// Returns voltages like those of a watch, in microvolts with three decimals: a slow wave, a spike each second, noise.
func wristVoltages(_ count: Int, seed: UInt64 = 5) -> [Double] {
    var dice = SeededGenerator(seed: seed)
    return (0..<count).map { place in
        let time = Double(place) / 512
        let beat = time.truncatingRemainder(dividingBy: 1)
        let spike = 900 * exp(-pow((beat - 0.5) / 0.012, 2)) - 150 * exp(-pow((beat - 0.54) / 0.02, 2))
        let wave = 120 * exp(-pow((beat - 0.8) / 0.06, 2)) + 40 * sin(time)
        return ((spike + wave + (dice.fraction() - 0.5) * 8) * 1_000).rounded() / 1_000
    }
}

@Suite("T-1 encoding of voltages")
struct VoltageCodecTests {
    private func record(_ values: [Double]) -> ElectrocardiogramRecord {
        ElectrocardiogramRecord(
            .init(
                count: values.count, frequency: 512, classification: .sinusRhythm, symptoms: .none,
                averageHeartRate: 61.5),
            [.init(number: 1, unit: "mcV", values: values)])
    }

    private func isSame(_ values: [Double]) throws -> Bool {
        let body = record(values).body
        let back = try ElectrocardiogramRecord(body)
        #expect(try ElectrocardiogramRecord.head(body) == back.head && back.head.averageHeartRate == 61.5)
        return back.leads[0].values.map(\.bitPattern) == values.map(\.bitPattern)
    }

    @Test("a recording of a watch takes less than two bytes per voltage, one of a converter half a byte")
    func size() throws {
        let wrist = wristVoltages(15_360)
        #expect(record(wrist).body.count < 2 * wrist.count)
        #expect(try isSame(wrist))
        var dice = SeededGenerator(seed: 3)
        // 11-bit values at 200 steps per millivolt, as in the MIT-BIH database.
        var level = 0
        let steps = (0..<10_800).map { _ in
            level += dice.below(9) - 4
            return Double(level) / 200
        }
        #expect(record(steps).body.count < steps.count * 5 / 8)
        #expect(try isSame(steps))
    }

    @Test(
        "any voltages read back to the last bit: decimals of any length, products, negative zeros", arguments: 1...8
    )
    func random(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            let count = [0, 1, 2, 127, 128, 129, 1_000][dice.below(7)]
            let kind = dice.below(6)
            let scale = Steps.power(dice.below(13))
            let values = (0..<count).map { place -> Double in
                switch kind {
                case 0: Double(dice.below(2_000_000) - 1_000_000) / scale
                case 1: dice.chance(0.3) ? -0.0 : Double(dice.below(100) - 50) / scale
                case 2: Double(dice.below(60_000)) * 4.88e-6
                case 3: (dice.fraction() - 0.5) * 1e300
                case 4: Double(Int64(bitPattern: dice.next()) >> 11)
                default: Double(place % 7 == 0 ? 9_007_199_254_740_992 : -9_007_199_254_740_992)
                }
            }
            #expect(try isSame(values), "kind \(kind), \(count) voltages")
        }
    }

    @Test("damaged bytes are an error, never a trap", arguments: 1...6)
    func hostile(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let goods = [
            record(wristVoltages(300)).body, record((0..<300).map { Double($0) * 4.88e-6 }).body,
            record([0, -0.0, 1, -0.0]).body,
        ]
        var read = 0
        for _ in 0..<3_000 {
            var bytes = goods[dice.below(goods.count)]
            for _ in 0...dice.below(3) { bytes[dice.below(min(bytes.count, 80))] = UInt8(dice.below(256)) }
            if dice.chance(0.3) { bytes.removeLast(dice.below(bytes.count)) }
            do throws(HealthStoreError) {
                let back = try ElectrocardiogramRecord(bytes)
                #expect(back.leads.allSatisfy { $0.values.count == back.head.count })
                read += 1
            } catch {
                #expect(error.kind == .corrupt || error.kind == .newerFormat)
            }
        }
        #expect(read > 0)
    }

    /// Decodes a record with given fields before the voltages and returns the number of voltages.
    private func opened(count: Int, leads: UInt64, unit: String, frequency: Double = 512) throws -> Int {
        var plain = ByteWriter(capacity: 64)
        plain.put(1 as UInt8)
        plain.put(varint: UInt64(count))
        plain.put(double: frequency)
        plain.put(zigzag: 1)
        plain.put(zigzag: 1)
        plain.put(double: 60)
        plain.put(varint: leads)
        plain.put(zigzag: 1)
        plain.put(string: unit)
        // No decimals, a step of one, no negative zeros; then frames of one bit per voltage.
        for byte: UInt8 in [1, 0, 1, 0] { plain.put(byte) }
        plain.put(bytes: [UInt8](repeating: 0, count: count / 8 + count / 128 + 2))
        let record = try ElectrocardiogramRecord(ObjectCompressor.plain(plain.bytes))
        return record.leads.reduce(0) { $0 + $1.values.count }
    }

    @Test("a record with too many voltages or leads, a unit other than voltage or an invalid frequency is refused")
    func bounds() throws {
        #expect(try opened(count: 128, leads: 1, unit: "mcV") == 128)
        func refusal(_ count: Int, _ leads: UInt64, _ unit: String = "V", _ frequency: Double = 512) -> String? {
            let error = #expect(throws: HealthStoreError.self) {
                try opened(count: count, leads: leads, unit: unit, frequency: frequency)
            }
            #expect(error?.kind == .corrupt)
            return error.map { "\($0)" }
        }
        #expect(refusal(128, 17)?.contains("17 leads") == true)
        #expect(refusal(128, .max)?.contains("leads") == true)
        #expect(refusal(1 << 20, 17)?.contains("leads") == true)
        #expect(refusal(1 << 21, 9)?.contains("9 leads") == true)
        #expect(refusal((1 << 24) + 1, 1)?.contains("16777217 voltages") == true)
        #expect(refusal(128, 1, "mmHg")?.contains("mmHg") == true)
        #expect(refusal(128, 1, "?")?.contains("'?'") == true)
        for frequency in [0, -1, Double.nan, .infinity] {
            #expect(refusal(128, 1, "V", frequency)?.contains("frequency") == true)
        }
    }
}
