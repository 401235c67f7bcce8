// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KymographHealth

@Suite("The health store")
struct HealthStoreTests {
    @Test("the default path follows KYMO_STORE, XDG_DATA_HOME and HOME, in this order")
    func defaultPath() {
        #expect(HealthStore.defaultPath([:]) == nil)
        #expect(HealthStore.defaultPath(["HOME": "/home/a"]) == "/home/a/.local/share/kymograph")
        #expect(HealthStore.defaultPath(["HOME": "/home/a", "XDG_DATA_HOME": "/data"]) == "/data/kymograph")
        #expect(
            HealthStore.defaultPath(["HOME": "/home/a", "XDG_DATA_HOME": "data"]) == "/home/a/.local/share/kymograph")
        #expect(
            HealthStore.defaultPath(["HOME": "/home/a", "XDG_DATA_HOME": "", "KYMO_STORE": ""])
                == "/home/a/.local/share/kymograph")
        #expect(HealthStore.defaultPath(["HOME": "/home/a", "KYMO_STORE": "x", "XDG_DATA_HOME": "/data"]) == "x")
    }

    @Test("a missing store, a second writer, a write by a reader and a write after closing are errors")
    func opening() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: HealthStoreError.self) { try HealthStore.open(at: directory.file("none")) }
        let store = try HealthStore.openOrCreate(at: directory.file("store"))
        do {
            _ = try HealthStore.open(at: directory.file("store"))
            Issue.record("a second writer opened the store")
        } catch {
            #expect(error.kind == .engine(.locked))
        }
        let reader = try HealthStore.open(at: directory.file("store"), mode: .readOnly)
        #expect(try reader.types().isEmpty && reader.sources().isEmpty && reader.documents().isEmpty)
        try store.load([TestSample()])
        #expect(try reader.types().isEmpty)
        #expect(try reader.refresh())
        #expect(try reader.types().map(\.samples) == [1])
        #expect(throws: HealthStoreError.self) { _ = try reader.load { _ in } }
        store.close()
        #expect(throws: HealthStoreError.self) { try store.load([TestSample(value: 2)]) }
    }

    @Test("overviews list types and sources with their units, versions, devices and counts")
    func overviews() throws {
        let test = try TestHealthStore()
        try test.store.load([
            TestSample(source: "Watch", version: "9", device: "W1", start: newYear + 5, end: newYear + 9),
            TestSample(source: "Watch", version: "10", device: "W1", start: newYear + 6, end: newYear + 6),
            TestSample(source: "Phone", version: "17.1"),
            TestSample(type: "HKQuantityTypeIdentifierBodyMass", source: "Phone", unit: "kg", start: 0, end: 0),
            TestSample(type: "HKQuantityTypeIdentifierBodyMass", source: "Phone", unit: "lb", start: 1, end: 2),
            TestSample(type: "HKQuantityTypeIdentifierBodyMass", source: "Phone", unit: "lb", start: 2, end: 2),
        ])
        let types = try test.store.types()
        #expect(types.map(\.type.shortName) == ["bodyMass", "stepCount"])
        #expect(types.map(\.unit) == ["kg", "count"])
        #expect(types[0].units == ["lb", "kg"])
        #expect(types.map(\.samples) == [3, 3])
        #expect(types.map(\.first) == [0, newYear])
        #expect(types.map(\.last) == [2, newYear + 9])
        #expect(types[1].sources == ["Watch", "Phone"])
        let sources = try test.store.sources()
        #expect(sources.map(\.name) == ["Phone", "Watch"])
        #expect(sources.map(\.versions) == [["17.1"], ["9", "10"]])
        #expect(sources.map(\.devices) == [[], ["W1"]])
        #expect(sources.map(\.samples) == [4, 2])
        #expect(sources[0].types.map(\.shortName) == ["bodyMass", "stepCount"])
        #expect(try test.store.info().samples == 6)
    }

    @Test("samples are returned by order, limit, range, source and unit, each with its own identity")
    func samples() throws {
        let test = try TestHealthStore()
        let loaded = (0..<4_000).map { place in
            var sample = TestSample(type: "HKQuantityTypeIdentifierBodyMass", source: "Scale", version: "\(place % 3)")
            if place % 2 == 1 { (sample.source, sample.unit) = ("Phone", "lb") } else { sample.unit = "kg" }
            if place % 5 == 0 { sample.device = "D" }
            sample.start = newYear + Int64(place) * second
            sample.end = sample.start
            sample.value = Double(place)
            if place % 7 != 0 { sample.created = newYear + Int64(place) }
            if place % 11 == 0 { sample.note = "n\(place % 4)" }
            return sample
        }
        try test.store.load(loaded)
        let mass = HealthTypes.type(for: .bodyMass)
        let all = try test.store.samples(SampleRequest(mass))
        #expect(all.map(\.value) == (0..<4_000).map { Double($0) })
        #expect(Set(all.map(\.uuid)).count == 4_000)
        #expect(all[44].source == "Scale" && all[44].version == "2" && all[44].device == nil && all[44].unit == "kg")
        #expect(all[44].created == newYear + 44 && all[49].created == nil && all[44].metadata["note"] == "n0")
        let last = try test.store.samples(SampleRequest(mass, limit: 3, order: .backward))
        #expect(last == [all[3_999], all[3_998], all[3_997]])
        let some = try test.store.samples(
            SampleRequest(
                mass, range: TimeRange(newYear + 10 * second, newYear + 14 * second), sources: ["Phone"],
                unit: try HKUnit(parsing: "kg")))
        #expect(some.map(\.start) == [newYear + 11 * second, newYear + 13 * second])
        #expect(some.map(\.unit) == ["kg", "kg"])
        #expect(abs(some[0].value - 11 * 0.45359237) < 1e-12)
        var batches = 0
        try test.store.samples(SampleRequest(mass)) { _ in
            batches += 1
            return false
        }
        #expect(batches == 1)
        #expect(throws: HealthStoreError(.cancelled, "enough")) {
            try test.store.samples(SampleRequest(mass)) { _ throws(HealthStoreError) in
                throw HealthStoreError(.cancelled, "enough")
            }
        }
        #expect(try test.store.samples(SampleRequest(HealthTypes.type(for: .stepCount))).isEmpty)
    }

    @Test("a series of an unknown type still counts by its first kind after reopening")
    func kinds() throws {
        let test = try TestHealthStore()
        // An older build without knowledge of this type would create the series like this.
        try test.store.load([TestSample(type: "HKQuantityTypeIdentifierFutureSteps")])
        try test.reopen()
        #expect(try test.store.load([TestSample(type: "HKQuantityTypeIdentifierFutureSteps", value: 3)]) == 1)
        let type = HealthTypes.type(for: "HKQuantityTypeIdentifierFutureSteps")
        #expect(!type.isKnown)
        #expect(try test.store.statistics(StatisticsRequest(type)).rows.first?.sum == 4)
    }
}
