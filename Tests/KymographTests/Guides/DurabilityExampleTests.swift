// SPDX-License-Identifier: Apache-2.0

import Kymograph
import TestSupport
import Testing

/// The example of `Docs/Operations/Durability.md`.
@Suite("E-4 the example of the page on durability")
struct DurabilityExampleTests {
    @Test("samples that were acknowledged are there when the store is opened again")
    func durability() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        let times: [Int64] = [1_000_000_000, 2_000_000_000]
        let values = [61.0, 62.0]
        let laterTimes: [Int64] = [3_000_000_000]
        let laterValues = [63.0]

        // example durability begins
        let store = try TimeSeriesStore.openOrCreate(at: path)
        let pulse = try store.series("pulse", kind: .discrete)
        try store.append(to: pulse.id, starts: times.span, values: values.span)  // acknowledged when it returns

        let relaxed = try store.relaxed(interval: .milliseconds(100))
        let receipt = try relaxed.append(to: pulse.id, starts: laterTimes.span, values: laterValues.span)
        try receipt.wait()  // acknowledged when it returns
        store.close()
        // example durability ends

        let again = try TimeSeriesStore.open(at: path, mode: .readOnly)
        defer { again.close() }
        let whole = try again.snapshot().aggregate(of: pulse.id)
        #expect(whole.count == 3)
        #expect(whole.sum == 186)
        #expect(whole.last == Sample(start: laterTimes[0], value: laterValues[0]))
    }
}
