// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kymograph
import Testing

/// The examples of `Docs/Guide/Engine.md`, run. A test in TidyTests compares the lines between the marks with the page.
@Suite("E-2, E-4, E-7, E-9, E-10, E-13 the examples of the guide to the engine")
struct EngineExampleTests {
    /// 2026-01-01 at 12:00 UTC.
    private let noon: Int64 = 1_767_268_800_000_000_000

    /// A path at which nothing is.
    private func freshPath() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("engine-\(UUID().uuidString)").path
    }

    @Test("a store shares an amount among buckets, and skips a repeated message")
    func engine() throws {
        let path = freshPath()
        defer { try? FileManager.default.removeItem(atPath: path) }

        // example engine begins
        let store = try TimeSeriesStore.openOrCreate(at: path)
        let pulse = try store.series("pulse", labels: ["subject": "7"], kind: .discrete)
        let steps = try store.series("steps", labels: ["subject": "7"], kind: .cumulative)
        let minute: Int64 = 60_000_000_000  // times are nanoseconds since 1970-01-01 UTC
        try store.append(to: steps.id, [Sample(start: noon, end: noon + 10 * minute, value: 900)])
        try store.append(to: pulse.id, [Sample(start: noon, value: 71), Sample(start: noon + minute, value: 72)])

        let snapshot = store.snapshot()
        let hour = TimeRange(noon, noon + 60 * minute)
        let fiveMinutes = Buckets.fixed(nanoseconds: 5 * minute, anchor: noon)
        for bucket in try snapshot.buckets(of: steps.id, fiveMinutes, over: hour) where !bucket.isEmpty {
            print(bucket.start, bucket.count, bucket.sum ?? 0)  // 450 steps in each of two buckets
        }
        try snapshot.scan(pulse.id, over: hour) { batch in
            for i in 0..<batch.count { print(batch[i].start, batch[i].value) }
            return true  // go on
        }
        // example engine ends
        defer { store.close() }

        let table = try snapshot.buckets(of: steps.id, fiveMinutes, over: hour)
        let filled = table.filter { !$0.isEmpty }
        #expect(table.count == 12)
        #expect(filled.map(\.sum) == [450, 450])
        #expect(filled.map(\.count) == [1, 0])
        #expect(snapshot.count(of: pulse.id) == 2)

        // example engine-identities begins
        let mass = try store.series("mass", kind: .discrete)
        let message = [Sample(start: noon, value: 70.2), Sample(start: noon + minute, value: 70.1)]
        let identities = [SampleIdentity(high: 7, low: 1), SampleIdentity(high: 7, low: 2)]
        let first = try store.append(to: mass.id, message, identities: identities)
        let again = try store.append(to: mass.id, message, identities: identities)  // the message was sent twice
        print(first.added, again.added, again.known)  // 2 0 2
        // example engine-identities ends

        #expect(first.added == 2 && first.known == 0)
        #expect(again.added == 0 && again.known == 2)
        #expect(store.snapshot().count(of: mass.id) == 2)
    }

    @Test("a copy follows the additions and deletions of a series")
    func changes() throws {
        let path = freshPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = try TimeSeriesStore.create(at: path)
        defer { store.close() }
        let mass = try store.series("mass", kind: .discrete)
        let message = [Sample(start: noon, value: 70.2), Sample(start: noon + 60_000_000_000, value: 70.1)]
        let identities = [SampleIdentity(high: 7, low: 1), SampleIdentity(high: 7, low: 2)]
        try store.append(to: mass.id, message, identities: identities)

        var anchor: String?
        var copy: [SampleIdentity: Sample] = [:]
        func follow() throws {
            // example engine-changes begins
            var page: ChangePage
            repeat {
                page = try store.changes(
                    of: [mass.id], since: anchor.flatMap { ChangeAnchor(text: $0) }, limit: 1_000, including: .identity,
                    onDeletions: { deletions in
                        for one in deletions {
                            copy = copy.filter { identity, sample in
                                !(one.samples?.contains(identity) ?? one.range.contains(sample.start))
                            }
                        }
                    }
                ) { batch in
                    for i in 0..<batch.count {
                        if let identity = batch.identity(at: i) { copy[identity] = batch[i] }
                    }
                    return true
                }
                anchor = page.anchor.text  // keep it with the copy
            } while !page.isComplete
            // example engine-changes ends
        }
        try follow()
        #expect(copy == [identities[0]: message[0], identities[1]: message[1]])
        let deletedByTime = try store.delete(from: mass.id, startingIn: TimeRange(noon, noon + 1))
        try follow()
        #expect(deletedByTime.count == 1 && copy == [identities[1]: message[1]])
        let deletedByIdentity = try store.delete([identities[1]], from: mass.id)
        try follow()
        #expect(deletedByIdentity.count == 1 && copy.isEmpty)
    }

    @Test("groups of series with one label add up to all of them")
    func groups() throws {
        let path = freshPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = try TimeSeriesStore.create(at: path)
        defer { store.close() }
        for machine in 1...2 {
            let labels = ["site": "north", "machine": "\(machine)"]
            let series = try store.series("power", labels: labels, kind: .discrete)
            try store.append(to: series.id, [Sample(start: noon, value: Double(machine))])
        }
        let snapshot = store.snapshot()

        // example engine-groups begins
        let power = snapshot.allSeries(named: "power", having: ["site": "north"]).map(\.id)
        let site = try snapshot.aggregate(of: power).sum ?? 0
        for group in try snapshot.groups(of: power, by: ["machine"]) {
            let machine = try snapshot.aggregate(of: group.series).sum ?? 0
            print(group.labels, machine, "of", site)
        }
        // example engine-groups ends

        let groups = try snapshot.groups(of: power, by: ["machine"])
        let sums = try groups.map { try snapshot.aggregate(of: $0.series).sum }
        #expect(site == 3 && power.count == 2)
        #expect(groups.map { $0.labels["machine"] } == ["1", "2"])
        #expect(sums == [1, 2])
    }
}
