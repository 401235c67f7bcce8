// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import KymographHealth
import TestSupport
import Testing

@Suite("T-1 repeated imports with more and fewer records")
struct ImportTwiceTests {
    /// Returns the text of a record that depends only on a number.
    private func record(_ number: Int) -> String {
        let type = ["StepCount", "HeartRate", "BodyMass"][number % 3]
        let unit = ["count", "count/min", "kg"][number % 3]
        let minute = number % 60
        let hour = number / 60 % 24
        let time = "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute):00 +0100"
        let version = number % 5 == 0 ? "" : " sourceVersion=\"\(number % 4)\""
        let device = number % 2 == 0 ? "" : " device=\"&lt;&lt;HKDevice: 0x\(number)&gt;, name:Watch&gt;\""
        let note = number % 7 == 0 ? "<MetadataEntry key=\"n\" value=\"\(number % 3)\"/>" : ""
        return """
             <Record type="HKQuantityTypeIdentifier\(type)" sourceName="S\(number % 2)"\(version)\(device) \
            unit="\(unit)" creationDate="2024-01-02 \(time)" startDate="2024-01-01 \(time)" \
            endDate="2024-01-01 \(time)" value="\(number % 10)">\(note)</Record>
            """
    }

    private func export(_ numbers: [Int]) -> String { exportText(numbers.map(record).joined(separator: "\n")) }

    @Test("a larger file adds only the new records, in any order", arguments: [1, 2, 3] as [UInt64])
    func larger(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bench = try ImportBench()
        // Numbers repeat, which makes true duplicates.
        var numbers = (0..<300).map { _ in random.below(400) }
        #expect(try bench.importText(export(numbers), capacity: 50).added == 300)
        for _ in 0..<3 {
            let more = (0..<random.below(200) + 1).map { _ in random.below(800) }
            numbers += more
            numbers.shuffle(using: &random)
            let outcome = try bench.importText(export(numbers), capacity: random.pick([40, 1_000]))
            #expect(outcome.added == more.count && outcome.unchanged == numbers.count - more.count, "seed \(seed)")
        }
        // A part of the stored records adds nothing.
        #expect(try bench.importText(export(Array(numbers.prefix(100)))).added == 0)
        #expect(try bench.records().counts == PlainParser(export(numbers)).records.counts, "seed \(seed)")
        #expect(try bench.store.verify().isSound)
    }

    @Test("duplicates inside one file are stored and found again")
    func duplicates() throws {
        let bench = try ImportBench()
        #expect(try bench.importText(export([1, 1, 1, 2])).added == 4)
        #expect(try bench.importText(export([1, 2, 1, 1])).added == 0)
        #expect(try bench.importText(export([1, 1, 1, 1, 2]), capacity: 1).added == 1)
    }

    @Test("the time zone of the export does not make a record different")
    func zones() throws {
        let bench = try ImportBench()
        try bench.importText(export([3]))
        let moved = export([3]).replacing("2024-01-01 00:03:00 +0100", with: "2023-12-31 23:03:00 +0000")
            .replacing("2024-01-02 00:03:00 +0100", with: "2024-01-01 23:03:00 +0000")
        #expect(moved != export([3]))
        #expect(try bench.importText(moved).added == 0)
    }

    @Test("any other difference makes a record different: value, end, creation date, version, metadata")
    func differences() throws {
        let bench = try ImportBench()
        let text = export([7])
        try bench.importText(text)
        let changes = [
            ("value=\"7\"", "value=\"7.0\""), ("value=\"7\"", "value=\"8\""), ("sourceVersion=\"3\"", ""),
            ("sourceVersion=\"3\"", "sourceVersion=\"\""), ("name:Watch", "name:Other"),
            ("endDate=\"2024-01-01 00:07:00", "endDate=\"2024-01-01 00:07:01"),
            ("creationDate=\"2024-01-02 00:07:00", "creationDate=\"2024-01-02 00:07:01"),
            ("key=\"n\" value=\"1\"", "key=\"n\" value=\"2\""), ("<MetadataEntry key=\"n\" value=\"1\"/>", ""),
            ("unit=\"count/min\"", "unit=\"count/s\""), ("sourceName=\"S1\"", "sourceName=\"S2\""),
        ]
        for (old, new) in changes {
            let changed = text.replacing(old, with: new)
            #expect(changed != text, "\(old)")
            #expect(try bench.importText(changed).added == 1, "\(old) -> \(new)")
            #expect(try bench.importText(changed).added == 0, "\(old) -> \(new)")
        }
    }
}
