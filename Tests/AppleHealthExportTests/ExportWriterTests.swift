// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import CivilTime
import Foundation
import KymographHealth
import TestSupport
import Testing

/// The records of an export by type, and its other elements. Only the heap addresses of devices are left out.
private struct WrittenExport {
    /// The attributes and children of a record, without the heap address.
    struct Record: Hashable {
        var attributes: [String: String]
        var children: [[String: String]]
    }

    var records: [String: [Record]] = [:]
    var elements: [String] = []

    init(_ text: String) {
        guard let root = text.range(of: "<HealthData") else { return }
        elements = PlainParser(text).elements
        var inRecord: Record?
        var depth = 0
        // Brackets in texts are escaped.
        for part in text[root.upperBound...].split(separator: "<").dropFirst() {
            guard let close = part.firstIndex(of: ">") else { continue }
            var tag = part[..<close]
            let (isEnd, isEmpty) = (tag.hasPrefix("/"), tag.hasSuffix("/"))
            tag = isEnd ? tag.dropFirst() : isEmpty ? tag.dropLast() : tag
            let name = tag.prefix { $0 != " " && $0 != "\n" }
            let attributes = isEnd ? [:] : Self.attributes(String(tag.dropFirst(name.count)))
            if isEnd { depth -= 1 }
            if name == "Record", depth == 0 {
                if !isEnd { inRecord = Record(attributes: attributes, children: []) }
                if isEnd || isEmpty, let record = inRecord {
                    records[record.attributes["type"] ?? "", default: []].append(record)
                    inRecord = nil
                }
            } else if inRecord != nil, !isEnd {
                inRecord?.children.append(attributes)
            }
            if !isEnd, !isEmpty { depth += 1 }
        }
    }

    private static func attributes(_ text: String) -> [String: String] {
        var found: [String: String] = [:]
        // Names and values alternate between the quotes.
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        for at in stride(from: 0, to: parts.count - 1, by: 2) {
            let name = parts[at].drop { $0 == " " || $0 == "\n" }.dropLast()
            var value = String(parts[at + 1])
            for (name, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")] {
                value = value.replacing(name, with: character)
            }
            value = value.replacing(#/HKDevice: 0x[0-9a-f]+/#, with: "HKDevice: ")
            // Strings with different bytes may be equal; the escapes make every byte count.
            found[String(name)] = value.utf8.map { $0 < 0x80 ? String(UnicodeScalar($0)) : "\\x\($0)" }.joined()
        }
        return found
    }

    /// Returns the records of a type in the order of a store: by start, then end, then position in the file.
    func sorted(_ type: String) -> [Record] {
        (records[type] ?? []).enumerated().sorted { a, b in
            let (one, other) = (a.element.attributes, b.element.attributes)
            return (one["startDate"] ?? "", one["endDate"] ?? "", a.offset)
                < (other["startDate"] ?? "", other["endDate"] ?? "", b.offset)
        }.map(\.element)
    }
}

extension ImportBench {
    /// Returns the store as the text of an export, with its counts.
    func exported(_ request: ExportRequest = ExportRequest()) throws -> (text: String, counts: ExportCounts) {
        var bytes = [UInt8]()
        let counts = try AppleHealthExporter.write(store, request) { piece in
            bytes += piece
            return true
        }
        return (String(decoding: bytes, as: UTF8.self), counts)
    }
}

@Suite("T-4 X-3 a written export equals the imported one")
struct ExportWriterTests {
    /// Imports a text, exports it, imports the result into another store, and compares stores and texts.
    private func roundTrip(_ text: String, _ note: String) throws {
        let bench = try ImportBench()
        try bench.importText(text)
        let (written, counts) = try bench.exported()
        let (before, after) = (WrittenExport(text), WrittenExport(written))
        #expect(Set(before.records.keys) == Set(after.records.keys), "\(note)")
        for type in before.records.keys {
            let (one, other) = (before.sorted(type), after.records[type] ?? [])
            #expect(one.counts == other.counts, "\(note): \(type)")
            let dates = { (records: [WrittenExport.Record]) in
                records.map { [$0.attributes["startDate"], $0.attributes["endDate"]] }
            }
            #expect(dates(one) == dates(other), "\(note): \(type)")
        }
        #expect(before.elements.counts == after.elements.counts, "\(note)")
        #expect(counts.records == after.records.values.reduce(0) { $0 + $1.count })
        #expect(counts.correlations + counts.elements == after.elements.count)
        let other = try ImportBench()
        let outcome = try other.importText(written)
        #expect(outcome.issues.isEmpty && outcome.complete, "\(note): \(outcome.issues.first?.what ?? "")")
        #expect(try other.records().counts == bench.records().counts, "\(note)")
        #expect(try other.objects().counts == bench.objects().counts, "\(note)")
        #expect(try other.store.characteristics() == bench.store.characteristics(), "\(note)")
        // The written export has nothing new for its own store.
        #expect(try bench.importText(written).committed == false, "\(note)")
        // Records of several sources with the same start are ordered by the first appearance of their sources.
        let lines = try [bench, other].map { one in
            try one.exported(ExportRequest(date: 0)).text.utf8.split(separator: UInt8(ascii: "\n")).map(Array.init)
                .sorted { $0.lexicographicallyPrecedes($1) }
        }
        #expect(lines[0] == lines[1], "\(note)")
    }

    @Test(
        "every sample export is written back equal",
        arguments: [
            "v03_tdda_iphone6s_2016.xml", "v08_jdecool_fr_2019.xml", "dogsheep_zip_2019/export.xml",
            "dogsheep_inline_locations_2019.xml",
        ])
    func samples(file: String) throws {
        let text = try String(contentsOfFile: repositoryFile("Docs/Samples/\(file)"), encoding: .utf8)
        try roundTrip(text, file)
    }

    @Test("the large sample export is written back equal, with its correlations")
    func archive() async throws {
        let bench = try ImportBench()
        let outcome = try bench.importFile(repositoryFile("Docs/Samples/sample-export.zip"))
        let (written, counts) = try bench.exported()
        #expect(counts.records == outcome.records && counts.correlations == 7)
        let other = try ImportBench()
        #expect(try other.importText(written).added == outcome.records)
        let (one, two) = (try bench.records(), try other.records())
        #expect(one.counts == two.counts)
        #expect(try other.objects().counts == bench.objects().counts)
        #expect(try bench.importText(written).committed == false)
        let pressures = try await other.pressures()
        #expect(pressures.count == 7 && pressures.allSatisfy { $0.objects.count == 2 })
    }

    /// Returns an export of random records.
    private func random(_ seed: UInt64) -> String {
        var random = SeededGenerator(seed: seed)
        let types = [
            "QuantityTypeIdentifierHeartRate", "QuantityTypeIdentifierBodyMass", "CategoryTypeIdentifierSleepAnalysis",
        ]
        let values = ["1", "61.5", "070.50", "1e2", "-0", "0.1000000000000000055511151231257827", "12345678901234567"]
        let names = ["HKCategoryValueSleepAnalysisAsleep", "HKCategoryValueSleepAnalysisInBed", "Dreaming", "3"]
        let texts = [
            "A", "Ann&apos;s \u{a0}Watch", "&lt;&quot;&amp;&gt;", "Здоровье", "", "x, name:y", "caf\u{e9}",
            "cafe\u{301}",
        ]
        let offset = random.pick(["+0100", "-0930", "+0000"])
        func date(_ minute: Int) -> String {
            func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            return "2024-03-\(two(minute / 1_440 % 20 + 1)) \(two(minute / 60 % 24)):\(two(minute % 60)):07 \(offset)"
        }
        var records = [String]()
        for _ in 0..<random.below(120) + 1 {
            let type = random.pick(types)
            let start = random.below(3_000)
            var text = #"<Record type="HK\#(type)" sourceName="\#(random.pick(texts))""#
            if random.below(2) == 0 { text += #" sourceVersion="\#(random.pick(texts))""# }
            if random.below(2) == 0 {
                text += #" device="&lt;&lt;HKDevice: 0x\#(random.below(99))&gt;, name:\#(random.pick(texts))&gt;""#
            }
            if type.hasPrefix("Q") { text += #" unit="\#(type.hasSuffix("Rate") ? "count/min" : "kg")""# }
            if random.below(3) > 0 { text += #" creationDate="\#(date(start + 3))""# }
            text += #" startDate="\#(date(start))" endDate="\#(date(start + random.below(3)))""#
            if type.hasPrefix("Q") || random.below(4) > 0 {
                text += #" value="\#(random.pick(type.hasPrefix("Q") ? values : names))""#
            }
            text += ">"
            for _ in 0..<random.below(3) {
                text += #"<MetadataEntry key="\#(random.pick(["HKTimeZone", "own", "HKWasUserEntered"]))" "#
                text += #"value="\#(random.pick(texts))"/>"#
            }
            if random.below(5) == 0 {
                text += #"<HeartRateVariabilityMetadataList><InstantaneousBeatsPerMinute bpm="61" time="9:00:01.18"/>"#
                text += "</HeartRateVariabilityMetadataList>"
            }
            records.append(text + "</Record>")
        }
        for minute in 10..<10 + random.below(5) {
            var pressure = PressureText()
            (pressure.minute, pressure.offset) = (minute, offset)
            records += pressure.records + [pressure.correlation]
        }
        let text = exportText(records.joined(separator: "\n "))
        return text.replacing("22:32:54 +0100", with: "22:32:54 \(offset)")
    }

    @Test("random exports are written back equal", arguments: 1...12 as ClosedRange<UInt64>)
    func property(seed: UInt64) throws { try roundTrip(random(seed), "seed \(seed)") }

    @Test("a request selects types and a range of time")
    func part() throws {
        let bench = try ImportBench()
        var other = PressureText()
        other.minute = 50
        let workout = #"""
            <Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="W" \#
            startDate="2024-01-01 10:00:00 +0100" endDate="2024-01-01 10:30:00 +0100"/>
            """#
        let content =
            [stepText, workout] + PressureText().records + [PressureText().correlation] + other.records
            + [other.correlation]
        try bench.importText(exportText(content.joined(separator: "\n")))
        let systolic = "HKQuantityTypeIdentifierBloodPressureSystolic"
        let some = try bench.exported(
            ExportRequest(types: [systolic, "HKCorrelationTypeIdentifierBloodPressure"]))
        #expect(some.counts.records == 2 && some.counts.correlations == 2 && some.counts.elements == 0)
        // The half hour from 10:40.
        let late = TimeRange(1_704_102_000 * 1_000_000_000, 1_704_103_800 * 1_000_000_000)
        let part = try bench.exported(ExportRequest(range: late))
        #expect(part.counts == ExportCounts(records: 2, correlations: 1, elements: 0))
        #expect(try bench.exported().counts == ExportCounts(records: 5, correlations: 2, elements: 1))
        let moved = try bench.exported(ExportRequest(types: [systolic], offset: -34_200))
        #expect(moved.text.contains(#"startDate="2024-01-01 00:00:00 -0930""#))
    }

    @Test("a request for quantity types has no correlations, and an invalid offset is refused")
    func requests() throws {
        let bench = try ImportBench()
        let pressure = PressureText()
        try bench.importText(exportText((pressure.records + [pressure.correlation]).joined(separator: "\n")))
        let systolic = "HKQuantityTypeIdentifierBloodPressureSystolic"
        let one = try bench.exported(ExportRequest(types: [systolic])).counts
        #expect(one == ExportCounts(records: 1, correlations: 0, elements: 0))
        for offset in [Int.min, Int(Int32.min), -64_860, -61, 1, 64_860, 1 << 32, Int.max] {
            var pieces = 0
            #expect(throws: HealthStoreError.self, "\(offset)") {
                try AppleHealthExporter.write(bench.store, ExportRequest(offset: offset)) { _ in
                    pieces += 1
                    return true
                }
            }
            #expect(pieces == 0)
        }
        for (offset, text) in [(-64_800, "-1800"), (64_800, "+1800"), (60, "+0001")] {
            #expect(try bench.exported(ExportRequest(offset: offset)).text.contains(":00 \(text)\""))
        }
    }

    @Test(
        "a range of days selects the summaries of its dates, in any time zone",
        arguments: [("America/Los_Angeles", 7), ("Pacific/Kiritimati", -14), ("UTC", 0)])
    func summaries(zone: String, hours: Int64) throws {
        let bench = try ImportBench()
        let days = ["2022-05-09", "2022-05-10", "2022-05-11"]
        let elements = days.map { #"<ActivitySummary dateComponents="\#($0)" activeEnergyBurned="1"/>"# }
        try bench.importText(exportText(elements.joined(separator: "\n")))
        // May 10 begins at this time in the zone.
        let begin = (1_652_140_800 + hours * 3_600) * 1_000_000_000
        let day = TimeRange(begin, begin + 86_400 * 1_000_000_000)
        let clocks = try #require(CivilZone(identifier: zone))
        let text = try bench.exported(ExportRequest(range: day, summaries: day.dates(clocks))).text
        #expect(days.map { text.contains($0) } == [false, true, false])
        for (range, wanted) in [
            (TimeRange(begin, .max), [false, true, true]), (TimeRange(.min, begin), [true, false, false]),
            (TimeRange(begin, begin), [false, false, false]), (TimeRange.all, [true, true, true]),
        ] {
            let text = try bench.exported(ExportRequest(range: range, summaries: range.dates(clocks))).text
            #expect(days.map { text.contains("dateComponents=\"\($0)\"") } == wanted, "\(range)")
        }
    }

    @Test("a deleted record is missing from its correlation as well")
    func deleted() async throws {
        let bench = try ImportBench()
        let pressure = PressureText()
        try bench.importText(exportText((pressure.records + [pressure.correlation]).joined(separator: "\n")))
        _ = try bench.store.delete(HealthTypes.type(for: .bloodPressureSystolic))
        let (text, counts) = try bench.exported()
        #expect(counts == ExportCounts(records: 1, correlations: 1, elements: 0))
        #expect(!text.contains("Systolic") && text.contains(#"key="arm" value="left""#))
        let other = try ImportBench()
        try other.importText(text)
        #expect(try await other.pressures().map(\.objects.count) == [1])
    }

    @Test("writing stops when the closure returns false")
    func stops() throws {
        let bench = try ImportBench()
        try bench.importFile(repositoryFile("Docs/Samples/sample-export.zip"))
        var pieces = [Int]()
        _ = try AppleHealthExporter.write(bench.store) { piece in
            pieces.append(piece.count)
            return pieces.count < 2
        }
        #expect(pieces.count == 2)
        // The writer does not collect the whole text: each piece has a limited size.
        pieces = []
        _ = try AppleHealthExporter.write(bench.store) { piece in
            pieces.append(piece.count)
            return true
        }
        #expect(pieces.count > 100 && pieces.allSatisfy { $0 < 1 << 17 })
    }
}

@Suite("T-4 saved objects are exported")
struct ExportSavedTests {
    @Test("saved samples read back equal, including fractions of seconds and predefined metadata")
    func saved() async throws {
        let bench = try ImportBench()
        let clock = Date(timeIntervalSinceReferenceDate: 700_000_000.123_456)
        let device = HKDevice(
            name: "Scale \"9\" <&>", manufacturer: nil, model: "M", hardwareVersion: nil, firmwareVersion: "1",
            softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)
        let mass = HKQuantitySample(
            type: HKQuantityType(.bodyMass),
            quantity: HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: 70.1 + 0.2),
            start: clock, end: clock, device: device,
            metadata: [
                HKMetadataKeyWasUserEntered: true, HKMetadataKeyLapLength: HKQuantity(unit: .meter(), doubleValue: 25),
                "note": "line one\nline two\t<end>",
            ])
        let sleep = HKCategorySample(
            type: HKCategoryType(.sleepAnalysis), value: HKCategoryValueSleepAnalysis.asleepREM.rawValue, start: clock,
            end: clock.addingTimeInterval(3_600))
        let systolic = HKQuantitySample(
            type: HKQuantityType(.bloodPressureSystolic),
            quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: 120), start: clock, end: clock)
        let diastolic = HKQuantitySample(
            type: HKQuantityType(.bloodPressureDiastolic),
            quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: 80), start: clock, end: clock)
        let pressure = HKCorrelation(
            type: HKCorrelationType(.bloodPressure), start: clock, end: clock, objects: [systolic, diastolic],
            metadata: [HKMetadataKeyWasUserEntered: true])
        try bench.store.save([mass, sleep, pressure], as: mass.sourceRevision)
        let (text, counts) = try bench.exported()
        #expect(counts == ExportCounts(records: 4, correlations: 1, elements: 0))
        let other = try ImportBench()
        #expect(try other.importText(text).added == 4)
        #expect(try other.records().counts == bench.records().counts)
        let back = try #require(
            try await other.asHealthKit { health in
                try await HKSampleQueryDescriptor(
                    predicates: [.quantitySample(type: HKQuantityType(.bodyMass))], sortDescriptors: []
                ).result(for: health)
            }.first)
        #expect(back.quantity == mass.quantity && back.startDate == clock && back.endDate == clock)
        #expect(back.device == device)
        #expect(back.metadata?[HKMetadataKeyWasUserEntered] as? Bool == true)
        #expect(back.metadata?[HKMetadataKeyLapLength] as? HKQuantity == HKQuantity(unit: .meter(), doubleValue: 25))
        #expect(back.metadata?["note"] as? String == "line one\nline two\t<end>")
        let pressures = try await other.pressures()
        #expect(pressures.count == 1 && pressures[0].objects.count == 2 && pressures[0].startDate == clock)
        // An imported object is exported unchanged.
        #expect(try other.exported().counts == counts)
        #expect(try other.importText(try other.exported().text).committed == false)
    }

    @Test("a series is one record with its sum or average")
    func series() async throws {
        let bench = try ImportBench()
        let clock = Date(timeIntervalSinceReferenceDate: 700_000_000)
        try await bench.asHealthKit { health in
            for (type, unit) in [
                (HKQuantityType(.stepCount), HKUnit.count()), (HKQuantityType(.heartRate), HKUnit(from: "count/min")),
            ] {
                let builder = HKQuantitySeriesSampleBuilder(
                    healthStore: health, quantityType: type, startDate: clock, device: nil)
                for number in 1...5 {
                    try builder.insert(
                        HKQuantity(unit: unit, doubleValue: Double(number)),
                        at: clock.addingTimeInterval(Double(number)))
                }
                _ = try await builder.finishSeries(metadata: ["a": "b"], endDate: nil)
            }
            let single = HKQuantitySample(
                type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: 7),
                start: clock.addingTimeInterval(2), end: clock.addingTimeInterval(3))
            try await health.save(single)
        }
        let (text, counts) = try bench.exported()
        #expect(counts.records == 3)
        let other = try ImportBench()
        try other.importText(text)
        let steps = try other.store.samples(SampleRequest(HealthTypes.type(for: .stepCount)))
        #expect(steps.map(\.value) == [15, 7] && steps[0].metadata["a"] == "b")
        #expect(steps[0].end - steps[0].start == 5_000_000_000)
        let rates = try other.store.samples(SampleRequest(HealthTypes.type(for: .heartRate)))
        // Each rate is weighted with its duration; the last one has no duration.
        #expect(rates.map(\.value) == [2.5])
    }
}
