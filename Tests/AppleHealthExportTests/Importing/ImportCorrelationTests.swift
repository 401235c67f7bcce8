// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import KymographHealth
import TestSupport
import Testing

@Suite("T-1 S-28 correlations and their members, beyond memory limits and after deletions")
struct ImportCorrelationTests {
    /// Returns an export of blood pressures, each with its records.
    private func text(_ minutes: Range<Int>, times: Int = 1) -> String {
        let all = minutes.flatMap { minute in
            var one = PressureText()
            one.minute = minute
            return Array(repeating: one, count: times)
        }
        return exportText(all.flatMap { $0.records + [$0.correlation] }.joined(separator: "\n"))
    }

    @Test("members beyond the memory limit are not stored twice", arguments: [0, 1, 7, 20, 59, 60])
    func limit(_ limit: Int) async throws {
        let bench = try ImportBench()
        let whole = text(10..<40)
        #expect(try bench.importText(whole, capacity: 8, memberLimit: limit).added == 60)
        #expect(try bench.records().counts == PlainParser(whole).records.counts)
        #expect(try bench.objects().count == 30)
        let first = try await bench.pressures()
        #expect(first.allSatisfy { $0.objects.count == 2 } && first.count <= limit / 2)
        if limit == 60 { #expect(first.count == 30) }
        // The next import of the file finds all members in the store.
        let again = try bench.importText(whole)
        #expect(again.added == 0 && again.objectsAdded == 0 && again.committed == (limit < 60))
        #expect(Set(try await bench.pressures().flatMap(\.objects)).count == 60)
        #expect(try bench.objects().count == 30)
        #expect(try bench.importText(whole).committed == false)
        #expect(try bench.store.verify().isSound)
    }

    @Test("the next import restores deleted members of correlations", arguments: [1, 2])
    func returns(times: Int) async throws {
        let bench = try ImportBench()
        let whole = text(10..<30, times: times)
        try bench.importText(whole)
        let before = try bench.exported(ExportRequest(date: 0)).text
        let uuids = Set(try await bench.pressures().map(\.uuid))
        // Half of the systolic records and a quarter of the diastolic ones.
        let clock: Int64 = 1_704_099_600
        for (type, first, last) in [
            (HKQuantityTypeIdentifier.bloodPressureSystolic, 20, 30), (.bloodPressureDiastolic, 18, 23),
        ] {
            let range = TimeRange(
                (clock + Int64(first) * 60) * 1_000_000_000, (clock + Int64(last) * 60) * 1_000_000_000)
            try bench.store.delete(HealthTypes.type(for: type), startingIn: range)
        }
        #expect(try await bench.pressures().filter { $0.objects.count == 2 }.count == 8 * times)
        // The same file from another time zone has other bytes and the same correlations.
        let moved = whole.replacing("2024-01-01 10:", with: "2024-01-01 12:").replacing(":00 +0100", with: ":00 +0300")
        #expect(moved != whole)
        let outcome = try bench.importText(moved)
        #expect(outcome.added == 15 * times && outcome.objectsAdded == 0 && outcome.committed)
        let after = try await bench.pressures()
        #expect(after.count == 20 * times && after.allSatisfy { $0.objects.count == 2 })
        #expect(Set(after.flatMap(\.objects)).count == 40 * times)
        #expect(uuids.intersection(after.map(\.uuid)).count == 8 * times)
        #expect(try bench.exported(ExportRequest(date: 0)).text == before)
        #expect(try bench.importText(whole).committed == false)
        #expect(try bench.store.verify().isSound)
        bench.close()
        try bench.reopen()
        #expect(try bench.exported(ExportRequest(date: 0)).text == before)
    }

    @Test("a compaction erases the text of correlations with deleted members, and the next import restores it")
    func erased() async throws {
        let bench = try ImportBench()
        let whole = text(10..<30)
        try bench.importText(whole)
        let before = try bench.exported(ExportRequest(date: 0)).text
        let clock: Int64 = 1_704_099_600
        let range = TimeRange((clock + 1_200) * 1_000_000_000, (clock + 1_800) * 1_000_000_000)
        try bench.store.delete(HealthTypes.type(for: .bloodPressureSystolic), startingIn: range)
        #expect(try bench.objects().count == 20)
        let deleted = try bench.exported(ExportRequest(date: 0))
        for _ in 0..<2 {
            try bench.store.compact()
            #expect(try bench.objects().count == 10)
            #expect(try bench.exported(ExportRequest(date: 0)).text == deleted.text)
            #expect(try bench.store.verify().isSound)
        }
        let outcome = try bench.importText(whole)
        #expect(outcome.added == 10 && outcome.objectsAdded == 0 && outcome.committed)
        for _ in 0..<2 {
            #expect(try await bench.pressures().map(\.objects.count) == Array(repeating: 2, count: 20))
            #expect(try bench.exported(ExportRequest(date: 0)).text == before)
            #expect(try bench.importText(whole).committed == false)
            try bench.store.compact()
        }
        // The deletion of a correlation deletes its element as well.
        let one = try #require(try await bench.pressures().first)
        try bench.store.delete([one], as: one.sourceRevision)
        try bench.store.compact()
        #expect(try bench.objects().count == 19 && bench.store.verify().isSound)
    }

    @Test("the text of correlations with deleted members is erased when the deletion is old enough")
    func erasedInTime() async throws {
        let bench = try ImportBench()
        try bench.importText(text(10..<30))
        try bench.store.delete(HealthTypes.type(for: .bloodPressureSystolic), startingIn: .all)
        let deleted = try bench.exported(ExportRequest(date: 0)).text
        bench.close()
        var options = StoreOptions()
        options.erasureAge = .zero
        try bench.reopen(options: options)
        #expect(try bench.objects().count == 20)
        bench.close()
        try bench.reopen()
        #expect(try bench.objects().isEmpty && bench.exported(ExportRequest(date: 0)).text == deleted)
        #expect(try bench.store.verify().isSound)
    }

    @Test("a correlation with other member types stays an element, also if its members are stored")
    func others() async throws {
        let bench = try ImportBench()
        let pressure = PressureText()
        let all = (pressure.records + [pressure.correlation]).map {
            $0.replacing("BloodPressureDiastolic", with: "HeartRate")
        }
        let whole = exportText(all.joined(separator: "\n"))
        try bench.importText(whole)
        #expect(try bench.importText(whole).committed == false)
        #expect(try await bench.pressures().isEmpty)
        #expect(try bench.objects() == [all[2]])
    }

    @Test("an export of a snapshot does not include later deletions")
    func state() async throws {
        let bench = try ImportBench()
        try bench.importText(text(10..<13))
        let one = try #require(try await bench.pressures().first)
        let export = try HealthExport(bench.store)
        try bench.store.delete([one], as: one.sourceRevision)
        var elements = 0
        try export.elements(.correlation) { _ in
            elements += 1
            return true
        }
        var reported = 0
        try export.correlations { _ in
            reported += 1
            return true
        }
        #expect(elements == 3 && reported == 0)
        #expect(try bench.exported().counts.correlations == 2)
    }
}
