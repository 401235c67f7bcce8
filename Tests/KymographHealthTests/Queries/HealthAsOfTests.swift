// SPDX-License-Identifier: Apache-2.0

import Kymograph
import TestSupport
import Testing

@testable import KymographHealth

@Suite("X-4 queries of the health store as of an earlier commit")
struct HealthAsOfTests {
    private static let steps = HealthTypes.type(for: .stepCount)

    private func kind(_ body: () throws -> Void) -> HealthStoreError.Kind? {
        do {
            try body()
            return nil
        } catch { return (error as? HealthStoreError)?.kind }
    }

    @Test("Statistics, samples, curves and overviews as of an earlier commit use the rows of that commit")
    func answers() throws {
        let test = try TestHealthStore()
        let first = (0..<10).map { TestSample(source: "Watch", start: newYear + $0, end: newYear + $0, value: 2) }
        try test.store.load(first)
        let early = test.store.engine.snapshot().sequence
        let more = (0..<5).map { TestSample(source: "Phone", start: newYear + hour + $0, end: newYear + hour + $0) }
        try test.store.load(more + [TestSample(type: "HKQuantityTypeIdentifierBodyMass", unit: "kg")])
        let late = test.store.engine.snapshot().sequence
        try test.store.delete(Self.steps, sources: ["Watch"])
        try test.reopen()
        let store = test.store
        func sums(_ commit: Int64?) throws -> [Double?] {
            let request = StatisticsRequest(Self.steps, merging: .union, asOf: commit)
            return try store.statistics(request).rows.map(\.sum)
        }
        #expect(try sums(nil) == [5] && sums(late) == [25] && sums(early) == [20])
        #expect(try sums(0).compactMap(\.self).isEmpty)
        let samples = try store.samples(SampleRequest(Self.steps, asOf: early))
        #expect(samples.map(\.value) == first.map(\.value) && samples.allSatisfy { $0.source == "Watch" })
        #expect(try store.types(asOf: early).map(\.samples) == [10] && store.types().map(\.samples) == [1, 5])
        #expect(try store.sources(asOf: early).map(\.name) == ["Watch"])
        #expect(try store.sources(asOf: late).map(\.samples) == [6, 10])
        let curve = SampleRequest(Self.steps, asOf: early)
        #expect(try store.downsampled(curve, to: 5).samples.last?.start == newYear + 9)
        #expect(try store.envelope(curve, points: 2).slices.map(\.count) == [5, 5])
        #expect(kind { _ = try sums(late + 9) } == .invalidArgument)
        try store.engine.compact()
        #expect(kind { _ = try sums(early) } == .engine(.notRetained))
        #expect(try sums(nil) == [5] && sums(late + 1) == [5])
    }
}
