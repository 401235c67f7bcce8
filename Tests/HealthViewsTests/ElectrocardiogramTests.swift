// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthViews

@Suite("T-12 electrocardiograms of a store")
struct ElectrocardiogramTests {
    private static func one(_ uuid: String) throws -> Electrocardiogram {
        Electrocardiogram(
            id: SampleIdentity(try #require(UUID(uuidString: uuid))), start: 0, end: 1, classification: .sinusRhythm,
            heartRate: nil,
            frequency: nil, voltages: 0, source: "ECG")
    }

    @Test("short identities are unique, and prefixes find their electrocardiograms")
    func identities() throws {
        let texts = [
            "72994C15-A1C8-869A-AFA8-9F67678D8C14", "72994C15-B1C8-869A-AFA8-9F67678D8C14",
            "0F3A1B2C-4D5E-8F60-8012-345678000017",
        ]
        let list = ElectrocardiogramList(try texts.map(Self.one))
        #expect(list.digits == 9 && list.all.map { list.short($0) } == ["72994c15a", "72994c15b", "0f3a1b2c4"])
        #expect(list.matching("7").count == 2 && list.matching("72994C15-B").map(\.identity) == [list.all[1].identity])
        #expect(list.matching("").isEmpty && list.matching("-").isEmpty && list.matching("8").isEmpty)
        #expect(list.matching(texts[2]).count == 1)
        #expect(ElectrocardiogramList([list.all[0], list.all[2]]).digits == 6 && ElectrocardiogramList([]).digits == 6)
    }

    @Test("recordings are listed with rhythm and frequency, and have their voltages in millivolts")
    func recordings() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        let microvolts = (0..<640).map { Double($0 * $0 % 991) - 300 }
        for (hour, rhythm) in [HKElectrocardiogram.Classification.atrialFibrillation, .inconclusivePoorReading]
            .enumerated()
        {
            let builder = HealthElectrocardiogramBuilder(
                healthStore: health, device: .local(),
                start: Date(timeIntervalSince1970: 1_705_276_800 + Double(hour) * 3_600),
                samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: 128))
            try builder.append(voltages: microvolts, unit: .voltUnit(with: .micro))
            _ = try await builder.finish(classification: rhythm)
        }
        health.close()
        let store = try HealthStore.open(at: directory.file("store"), mode: .readOnly)
        defer { store.close() }
        let list = try store.electrocardiograms()
        #expect(list.all.map(\.rhythm) == ["atrial fibrillation", "inconclusive, poor reading"])
        #expect(list.all.map(\.start) == [1_705_276_800, 1_705_280_400].map { $0 * 1_000_000_000 })
        #expect(list.all.allSatisfy { $0.frequency == 128 && $0.voltages == 640 && $0.heartRate == nil })
        let voltages = try store.voltages(of: list.all[1])
        #expect(voltages.count == 640)
        for (place, voltage) in voltages.enumerated() {
            #expect(abs(voltage.millivolts - microvolts[place] / 1_000) < 1e-9)
            #expect(abs(voltage.time - Double(place) / 128) < 1e-6)
        }
        let range = TimeRange(1_705_280_000_000_000_000, .max)
        #expect(try store.electrocardiograms(startingIn: range).all == [list.all[1]])
    }
}
