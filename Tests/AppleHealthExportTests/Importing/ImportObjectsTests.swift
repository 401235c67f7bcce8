// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import KymographHealth
import TestSupport
import Testing

/// A blood pressure of an export: the correlation and its two records, which appear inside and outside the correlation.
struct PressureText {
    var systolic = "120"
    var diastolic = "80"
    var minute = 30
    var offset = "+0100"
    var hour = 10
    var address = "0x28"

    private func dates(_ created: Bool) -> String {
        let date = "2024-01-01 \(hour):\(minute):00 \(offset)"
        return (created ? #"creationDate="\#(date)" "# : "") + #"startDate="\#(date)" endDate="\#(date)""#
    }

    private var origin: String {
        #"sourceName="Cuff" sourceVersion="3.1" device="&lt;&lt;HKDevice: \#(address)&gt;, name:BP-1, "#
            + #"manufacturer:Beurer, model:BM, hardware:2, firmware:7, software:1.0, localIdentifier:ab, "#
            + #"UDIDeviceIdentifier:u9&gt;""#
    }

    private func record(_ part: String, _ value: String) -> String {
        """
        <Record type="HKQuantityTypeIdentifierBloodPressure\(part)" \(origin) unit="mmHg" \(dates(true)) \
        value="\(value)"><MetadataEntry key="HKWasUserEntered" value="1"/></Record>
        """
    }

    var records: [String] { [record("Systolic", systolic), record("Diastolic", diastolic)] }

    var correlation: String {
        """
        <Correlation type="HKCorrelationTypeIdentifierBloodPressure" \(origin) \(dates(true))>
          <MetadataEntry key="HKWasUserEntered" value="1"/>
          <MetadataEntry key="arm" value="left"/>
          \(records.joined(separator: "\n  "))
         </Correlation>
        """
    }
}

extension ImportBench {
    /// Runs a closure with a HealthKit store on the same directory. The bench's store is closed meanwhile.
    func asHealthKit<R: Sendable>(_ body: (HKHealthStore) async throws -> R) async throws -> R {
        close()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let result = try await body(health)
        health.close()
        try reopen()
        return result
    }

    func pressures() async throws -> [HKCorrelation] {
        try await asHealthKit { health in
            try await HKSampleQueryDescriptor(
                predicates: [.correlation(type: HKCorrelationType(.bloodPressure))],
                sortDescriptors: [SortDescriptor(\.startDate)]
            ).result(for: health)
        }
    }
}

@Suite("T-1 S-28 HealthKit queries of an import")
struct ImportObjectsTests {
    private let systolic = HKQuantityType(.bloodPressureSystolic)

    @Test("a record is a sample with its source, device, dates, value and typed metadata")
    func samples() async throws {
        let bench = try ImportBench()
        let watch = #"""
            sourceVersion="10.1" device="&lt;&lt;HKDevice: 0x9&gt;, name:Apple Watch, manufacturer:Apple, \#
            model:Watch, hardware:Watch6,2, software:10.1&gt;" creationDate="2024-01-01 10:00:03 +0100"
            """#
        let energy = recordText(
            "QuantityTypeIdentifierAppleExerciseTime", source: "Ann&apos;s Watch",
            #"\#(watch) unit="min" value="1.50""#,
            hours: 1,
            children: #"""
                <MetadataEntry key="HKTimeZone" value="Europe/Zurich"/>
                <MetadataEntry key="HKWasUserEntered" value="0"/>
                <MetadataEntry key="HKLapLength" value="2500 cm"/>
                <MetadataEntry key="HKWeatherHumidity" value="6100 %"/>
                <MetadataEntry key="HKSWOLFScore" value="41.5"/>
                <MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="2"/>
                <MetadataEntry key="HKDateOfEarliestDataUsedForEstimate" value="2023-12-31 23:00:00 +0100"/>
                <MetadataEntry key="HKReferenceRangeLowerLimit" value="nan"/>
                <MetadataEntry key="own" value="5"/>
                """#)
        let sleep = recordText(
            "CategoryTypeIdentifierSleepAnalysis", #"value="HKCategoryValueSleepAnalysisAsleepREM""#, hours: 2)
        try bench.importText(exportText(energy + sleep))
        let found = try await bench.asHealthKit { health in
            try await HKSampleQueryDescriptor(
                predicates: [.quantitySample(type: HKQuantityType(.appleExerciseTime))], sortDescriptors: []
            ).result(for: health)
        }
        let sample = try #require(found.first)
        #expect(found.count == 1 && sample.quantity == HKQuantity(unit: .minute(), doubleValue: 1.5))
        #expect(sample.quantity.unit.unitString == "min")
        #expect(sample.startDate == Date(timeIntervalSince1970: 1_704_099_600))
        #expect(sample.endDate == Date(timeIntervalSince1970: 1_704_103_200))
        let revision = sample.sourceRevision
        #expect(revision.source.name == "Ann's Watch" && revision.source.bundleIdentifier == "Ann's Watch")
        #expect(revision.version == "10.1" && revision.productType == nil)
        #expect(revision.operatingSystemVersion.majorVersion == 0)
        let device = try #require(sample.device)
        #expect(device.name == "Apple Watch" && device.manufacturer == "Apple" && device.model == "Watch")
        #expect(device.hardwareVersion == "Watch6,2" && device.softwareVersion == "10.1")
        #expect(device.firmwareVersion == nil && device.localIdentifier == nil)
        let metadata = try #require(sample.metadata)
        #expect(metadata.count == 9)
        #expect(metadata["HKTimeZone"] as? String == "Europe/Zurich")
        #expect(metadata["HKWasUserEntered"] as? Bool == false)
        #expect(metadata["HKLapLength"] as? HKQuantity == HKQuantity(unit: .meter(), doubleValue: 25))
        #expect((metadata["HKWeatherHumidity"] as? HKQuantity)?.doubleValue(for: .percent()) == 61)
        #expect(metadata["HKSWOLFScore"] as? Double == 41.5)
        #expect(metadata["HKMetadataKeyHeartRateMotionContext"] as? Int == 2)
        #expect(
            metadata["HKDateOfEarliestDataUsedForEstimate"] as? Date == Date(timeIntervalSince1970: 1_704_060_000))
        #expect(metadata["HKReferenceRangeLowerLimit"] as? String == "nan")
        #expect(metadata["own"] as? String == "5")
        let nights = try await bench.asHealthKit { health in
            try await HKSampleQueryDescriptor(
                predicates: [.categorySample(type: HKCategoryType(.sleepAnalysis))], sortDescriptors: []
            ).result(for: health)
        }
        #expect(nights.map(\.value) == [HKCategoryValueSleepAnalysis.asleepREM.rawValue])
        let sources = try await bench.asHealthKit { health in
            try await HKSourceQueryDescriptor(predicate: .sample(type: HKCategoryType(.sleepAnalysis))).result(
                for: health)
        }
        #expect(sources.map(\.name) == ["A"])
    }

    @Test("later imports do not change the identity of a sample")
    func identities() async throws {
        let bench = try ImportBench()
        let pressure = PressureText()
        let text = exportText((pressure.records + [pressure.correlation, stepText]).joined(separator: "\n"))
        try bench.importText(text)
        let first = try await bench.pressures()
        let ids = Set(try bench.store.samples(SampleRequest(HealthTypes.type(for: .stepCount))).map(\.uuid))
        #expect(try bench.importText(text).committed == false)
        var later = PressureText()
        later.minute = 45
        try bench.importText(exportText((later.records + [later.correlation] + [stepText]).joined(separator: "\n")))
        let second = try await bench.pressures()
        #expect(second.count == 2 && second[0].uuid == first[0].uuid && second[0].objects == first[0].objects)
        #expect(Set(try bench.store.samples(SampleRequest(HealthTypes.type(for: .stepCount))).map(\.uuid)) == ids)
    }

    @Test("a correlation is an object, and its members are the records outside of it")
    func correlation() async throws {
        let bench = try ImportBench()
        let pressure = PressureText()
        let outcome = try bench.importText(
            exportText((pressure.records + [pressure.correlation]).joined(separator: "\n")), capacity: 1)
        #expect(outcome.added == 2 && outcome.objectsAdded == 1)
        let found = try await bench.pressures()
        let one = try #require(found.first)
        #expect(found.count == 1 && one.objects.count == 2)
        #expect(one.startDate == Date(timeIntervalSince1970: 1_704_101_400) && one.endDate == one.startDate)
        #expect(one.sourceRevision.source.name == "Cuff" && one.sourceRevision.version == "3.1")
        let device = try #require(one.device)
        #expect(device.name == "BP-1" && device.firmwareVersion == "7" && device.localIdentifier == "ab")
        #expect(device.udiDeviceIdentifier == "u9")
        #expect(one.metadata?["HKWasUserEntered"] as? Bool == true && one.metadata?["arm"] as? String == "left")
        let members = try await bench.asHealthKit { health in
            try await HKSampleQueryDescriptor(
                predicates: [.quantitySample(type: HKQuantityType(.bloodPressureSystolic))], sortDescriptors: []
            ).result(for: health)
        }
        #expect(members.map(\.uuid) == one.objects(for: systolic).map(\.uuid))
        let alone = try await bench.asHealthKit { health in
            try await HKSampleQueryDescriptor(
                predicates: [
                    .quantitySample(
                        type: HKQuantityType(.bloodPressureSystolic),
                        predicate: HKQuery.predicateForObjectsWithNoCorrelation())
                ], sortDescriptors: []
            ).result(for: health)
        }
        #expect(alone.isEmpty)
        let sources = try await bench.asHealthKit { health in
            try await HKSourceQueryDescriptor(predicate: .correlation(type: HKCorrelationType(.bloodPressure)))
                .result(for: health)
        }
        #expect(sources.map(\.name) == ["Cuff"] && sources == [one.sourceRevision.source])
        #expect(try bench.store.verify().isSound)
    }

    @Test("a second import of correlations adds nothing, also from another time zone")
    func again() async throws {
        let bench = try ImportBench()
        let all = (10..<40).map { minute in
            var one = PressureText()
            one.minute = minute
            return one
        }
        func text(_ some: [PressureText]) -> String {
            exportText(some.flatMap { $0.records + [$0.correlation] }.joined(separator: "\n"))
        }
        try bench.importText(text(Array(all[..<20])))
        let more = try bench.importText(text(all))
        #expect(more.objectsAdded == 10 && more.objectsUnchanged == 20 && more.added == 20)
        let moved = all.map { one in
            var one = one
            (one.hour, one.offset, one.address) = (12, "+0300", "0x77")
            return one
        }
        let again = try bench.importText(text(moved))
        #expect(!again.committed && again.objectsUnchanged == 30 && again.added == 0)
        let found = try await bench.pressures()
        #expect(found.count == 30 && Set(found.map(\.uuid)).count == 30)
        #expect(Set(found.flatMap(\.objects)).count == 60)
    }

    @Test("equal correlations have separate members")
    func twins() async throws {
        let bench = try ImportBench()
        let one = PressureText()
        let text = exportText((one.records + one.records + [one.correlation, one.correlation]).joined(separator: "\n"))
        let outcome = try bench.importText(text)
        #expect(outcome.added == 4 && outcome.objectsAdded == 2)
        #expect(Set(try await bench.pressures().flatMap(\.objects)).count == 4)
        #expect(try bench.importText(text).committed == false)
        // A sample may be in two correlations and is not stored twice.
        let shared = try ImportBench()
        try shared.importText(exportText((one.records + [one.correlation, one.correlation]).joined(separator: "\n")))
        let found = try await shared.pressures()
        #expect(found.count == 2 && Set(found.flatMap(\.objects)).count == 2)
    }

    @Test("members without a record outside of the correlation become samples")
    func members() async throws {
        let bench = try ImportBench()
        let text = exportText(PressureText().correlation)
        #expect(try bench.importText(text).added == 2)
        #expect(try await bench.pressures().map(\.objects.count) == [2])
        #expect(try bench.importText(text).committed == false)
        // A later import of the records finds them in the store.
        let whole = exportText((PressureText().records + [PressureText().correlation]).joined(separator: "\n"))
        #expect(try bench.importText(whole).committed == false)
    }

    @Test("a correlation that an earlier version kept as XML becomes an object with the next import")
    func earlier() async throws {
        let bench = try ImportBench()
        let pressure = PressureText()
        try bench.importText(exportText(pressure.records.joined(separator: "\n")))
        // Stores the element as versions without correlation objects did.
        _ = try bench.store.load { loader in
            try loader.add(kind: .correlation, start: 0, end: 0, Array(pressure.correlation.utf8))
        }
        #expect(try await bench.pressures().isEmpty)
        #expect(try bench.objects() == [pressure.correlation])
        let text = exportText((pressure.records + [pressure.correlation]).joined(separator: "\n"))
        let outcome = try bench.importText(text)
        #expect(outcome.committed && outcome.added == 0 && outcome.objectsAdded == 0)
        #expect(try await bench.pressures().map(\.objects.count) == [2])
        #expect(try bench.objects() == [pressure.correlation])
        #expect(try bench.importText(text).committed == false)
    }

    @Test("a correlation that an object cannot represent completely stays an element")
    func elements() async throws {
        let pressure = PressureText()
        let odd = [
            pressure.correlation.replacing("CorrelationTypeIdentifierBloodPressure", with: "SomethingElse"),
            pressure.correlation.replacing("value=\"80\"", with: "value=\"eighty\""),
            pressure.correlation.replacing("BloodPressureDiastolic", with: "HeartRate"),
            pressure.correlation.replacing("</Correlation>", with: "<Note/></Correlation>"),
            #"""
            <Correlation type="HKCorrelationTypeIdentifierFood" sourceName="F" \#
            startDate="2024-01-01 10:00:00 +0100" endDate="2024-01-01 10:00:00 +0100"/>
            """#,
        ]
        for element in odd {
            let bench = try ImportBench()
            let text = exportText((pressure.records + [element]).joined(separator: "\n"))
            let outcome = try bench.importText(text)
            #expect(outcome.added == 2 && outcome.objectsAdded == 1, "\(element)")
            #expect(try await bench.pressures().isEmpty, "\(element)")
            #expect(try bench.objects() == [element])
            #expect(try bench.importText(text).committed == false, "\(element)")
            #expect(try bench.store.verify().isSound)
        }
    }

    @Test("anchored queries return imported correlations and their deletion, which also deletes the XML")
    func deletion() async throws {
        let bench = try ImportBench()
        let pressure = PressureText()
        let text = exportText((pressure.records + [pressure.correlation]).joined(separator: "\n"))
        try bench.importText(text)
        let one = try #require(try await bench.pressures().first)
        func feed(_ anchor: HKQueryAnchor?) async throws -> ([UUID], [UUID], HKQueryAnchor) {
            try await bench.asHealthKit { health in
                let page = try await HKAnchoredObjectQueryDescriptor(
                    predicates: [.correlation(type: HKCorrelationType(.bloodPressure))], anchor: anchor
                ).result(for: health)
                return (page.addedSamples.map(\.uuid), page.deletedObjects.map(\.uuid), page.newAnchor)
            }
        }
        let first = try await feed(nil)
        #expect(first.0 == [one.uuid] && first.1.isEmpty)
        try bench.store.delete([one], as: one.sourceRevision)
        #expect(try await bench.pressures().isEmpty)
        #expect(try bench.objects().isEmpty)
        let second = try await feed(first.2)
        #expect(second.0.isEmpty && second.1 == [one.uuid])
        // The members stay, and another import restores the correlation.
        let outcome = try bench.importText(text)
        #expect(outcome.added == 0 && outcome.objectsAdded == 1)
        let back = try await bench.pressures()
        #expect(back.count == 1 && back[0].uuid != one.uuid && back[0].objects == one.objects)
        #expect(try bench.store.verify().isSound)
    }

    @Test("a repair keeps imported correlations and their members")
    func repair() async throws {
        let bench = try ImportBench()
        let pressure = PressureText()
        let text = exportText((pressure.records + [pressure.correlation]).joined(separator: "\n"))
        try bench.importText(text)
        let before = try await bench.pressures()
        bench.close()
        let target = bench.directory.file("repaired")
        let report = try HealthStore.repair(from: bench.directory.file("store"), to: target)
        #expect(report.isComplete && report.losses.isEmpty)
        try bench.reopen(at: target)
        #expect(try bench.objects() == [pressure.correlation])
        #expect(try bench.importText(text).committed == false)
        bench.close()
        let health = HKHealthStore(directory: target)
        defer { health.close() }
        let after = try await HKSampleQueryDescriptor(
            predicates: [.correlation(type: HKCorrelationType(.bloodPressure))], sortDescriptors: []
        ).result(for: health)
        #expect(after.map(\.uuid) == before.map(\.uuid) && after.first?.objects == before.first?.objects)
    }
}
