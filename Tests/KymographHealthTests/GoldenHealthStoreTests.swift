// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("E-18 S-6 health stores of every format version can be opened")
struct GoldenHealthStoreTests {
    private static var folder: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Golden")
    }

    @Test(
        "v5-store: objects, series, heartbeats, electrocardiograms and settings read back, and new ones can be saved")
    func fifth() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        let golden = Self.folder.appendingPathComponent("v5-store")
        try FileManager.default.copyItem(atPath: golden.path, toPath: path)
        let text = try String(contentsOf: golden.appendingPathExtension("txt"), encoding: .utf8)
        let wanted = text.split(separator: "\n").map(String.init)
        #expect(wanted.count > 10)
        let health = HKHealthStore(directory: path)
        defer { health.close() }
        #expect(try await Self.lines(health) == wanted)
        #expect(try health.store().verify().isSound)
        try await health.save(mass(70))
        let more = try await Self.lines(health)
        #expect(more.count == wanted.count + 1 && Set(wanted).isSubset(of: more))
        #expect(try health.store().verify().isSound)
    }

    /// Writes the golden store. `Golden/README.md` says when it was made; it is never made again.
    @Test("the recipe of the golden store", .enabled(if: ProcessInfo.processInfo.environment["KYMO_GOLDEN"] != nil))
    func recipe() async throws {
        let path = try #require(ProcessInfo.processInfo.environment["KYMO_GOLDEN"]) + "/v5-store"
        let health = HKHealthStore(directory: path)
        let metadata: [String: Any] = [
            "text": "é", "flag": true, "whole": -5, "huge": UInt.max, "real": 0.1, "date": at(1.5),
            "amount": HKQuantity(unit: .gram(), doubleValue: 2.5), "data": Data([0, 255, 7]),
            HKMetadataKeyWasUserEntered: true,
        ]
        let device = HKDevice(
            name: "Scale", manufacturer: "maker", model: "m", hardwareVersion: "1", firmwareVersion: "2",
            softwareVersion: "3", localIdentifier: "4", udiDeviceIdentifier: "5")
        let systolic = HKQuantityType(.bloodPressureSystolic)
        let diastolic = HKQuantityType(.bloodPressureDiastolic)
        func pressure(_ type: HKQuantityType, _ value: Double) -> HKQuantitySample {
            HKQuantitySample(
                type: type, quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: value), start: at(10),
                end: at(10))
        }
        let gone = mass(1, at: 3)
        try await health.save([
            HKQuantitySample(
                type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: 42), start: at(0),
                end: at(60.123456789), device: device, metadata: metadata),
            HKCategorySample(
                type: HKCategoryType(.sleepAnalysis), value: HKCategoryValueSleepAnalysis.asleepREM.rawValue,
                start: at(100), end: at(200),
                metadata: [HKMetadataKeySyncIdentifier: "s", HKMetadataKeySyncVersion: 2]),
            HKCategorySample(
                type: HKCategoryType(.pregnancy), value: 0, start: at(0), end: .distantFuture),
            HKCorrelation(
                type: HKCorrelationType(.bloodPressure), start: at(10), end: at(10),
                objects: [pressure(systolic, 120), pressure(diastolic, 80)]),
            gone, mass(72.5, at: 4),
        ])
        try await health.delete(gone)
        let series = HKQuantitySeriesSampleBuilder(
            healthStore: health, quantityType: HKQuantityType(.heartRate), startDate: at(0), device: device)
        for second in 0..<9 { try series.insert(beats(Double(60 + second)), at: at(Double(second))) }
        _ = try await series.finishSeries(metadata: ["note": "ride"])
        let beating = HKHeartbeatSeriesBuilder(healthStore: health, device: nil, start: at(0))
        for (since, gap) in [(0.25, false), (1.003, false), (7.125, true)] {
            try await beating.addHeartbeat(at: since, precededByGap: gap)
        }
        _ = try await beating.finishSeries()
        let heart = HealthElectrocardiogramBuilder(
            healthStore: health, device: nil, start: at(0),
            samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: 512))
        try heart.append(
            voltages: (0..<600).map { Double(($0 * 37) % 101 - 50) / 1000 }, unit: .voltUnit(with: .milli))
        _ = try await heart.finish(classification: .sinusRhythm, symptomsStatus: .none)
        try await health.set(HKBiologicalSex.female)
        try await health.setPreferredUnit(.pound(), for: HKQuantityType(.bodyMass))
        try health.store().engine.seal()
        let lines = try await Self.lines(health)
        health.close()
        try (lines.joined(separator: "\n") + "\n").write(toFile: path + ".txt", atomically: true, encoding: .utf8)
    }

    /// Returns everything that the store holds, one line per item.
    private static func lines(_ health: HKHealthStore) async throws -> [String] {
        let types: [HKSampleType] = [
            HKQuantityType(.stepCount), HKQuantityType(.bodyMass), HKQuantityType(.heartRate),
            HKQuantityType(.bloodPressureSystolic), HKQuantityType(.bloodPressureDiastolic),
            HKCategoryType(.sleepAnalysis), HKCategoryType(.pregnancy), HKCorrelationType(.bloodPressure),
            HKSeriesType.heartbeat(), HKObjectType.electrocardiogramType(),
        ]
        var lines = [String]()
        for type in types {
            for sample in try await HKSampleQueryDescriptor(predicates: [.sample(type: type)]).result(for: health) {
                lines.append(try await line(sample, health))
            }
        }
        lines.append("sex \(try health.biologicalSex().biologicalSex.rawValue)")
        let mass = HKQuantityType(.bodyMass)
        lines.append("unit \(try await health.preferredUnits(for: [mass])[mass]?.unitString ?? "")")
        return lines
    }

    private static func line(_ sample: HKSample, _ health: HKHealthStore) async throws -> String {
        var parts = ["\(sample.sampleType)", "\(sample.uuid)"]
        parts += [sample.startDate, sample.endDate].map { "\($0.timeIntervalSince1970)" }
        switch sample {
        case let one as HKQuantitySample where one.count > 1:
            let type = one.quantityType
            let query = HKQuantitySeriesSampleQueryDescriptor(
                predicate: .quantitySample(type: type, predicate: HKQuery.predicateForObject(with: one.uuid)))
            for try await found in query.results(for: health) { parts.append("\(found.quantity)") }
        case let one as HKQuantitySample: parts.append("\(one.quantity)")
        case let one as HKCategorySample: parts.append("\(one.value)")
        case let one as HKCorrelation: parts += one.objects.map { "\($0.uuid)" }.sorted()
        case let one as HKHeartbeatSeriesSample:
            for try await beat in HKHeartbeatSeriesQueryDescriptor(one).results(for: health) {
                parts.append("\(beat.timeIntervalSinceStart)\(beat.precededByGap ? "!" : "")")
            }
        case let one as HKElectrocardiogram:
            parts.append("\(one.classification) \(one.symptomsStatus) \(one.numberOfVoltageMeasurements)")
            var hash: UInt64 = 14_695_981_039_346_656_037
            let measured: [HKElectrocardiogram.VoltageMeasurement] = try await HKElectrocardiogramQueryDescriptor(one)
                .results(for: health).reduce(into: []) { $0.append($1) }
            for found in measured {
                let value = found.quantity(for: .appleWatchSimilarToLeadI)?.value ?? .nan
                hash = (hash ^ value.bitPattern) &* 1_099_511_628_211
            }
            parts.append(String(hash, radix: 16))
        default: break
        }
        parts.append(sample.sourceRevision.source.bundleIdentifier)
        parts.append(sample.device.map { "\($0.name ?? "") \($0.udiDeviceIdentifier ?? "")" } ?? "no device")
        for (key, value) in (sample.header.metadata ?? [:]).sorted(by: { $0.key < $1.key }) {
            let shown =
                switch value {
                case .string(let value), .unsupported(let value): value
                case .boolean(let value): "\(value)"
                case .integer(let value): "\(value)"
                case .unsigned(let value): "\(value)"
                case .real(let value): "\(value)"
                case .date(let value): "\(value.timeIntervalSince1970)"
                case .quantity(let value): "\(value)"
                case .data(let value): "\(Array(value))"
                }
            parts.append("\(key)=\(shown)")
        }
        return parts.joined(separator: " ")
    }
}
