// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kymograph

/// One call with invalid arguments, and its expected result.
struct HostileCall {
    let name: String
    /// The kind of the expected error, or `done`.
    let expected: String
    let body: () throws -> Void

    init(_ name: String, _ expected: String, _ body: @escaping () throws -> Void) {
        (self.name, self.expected, self.body) = (name, expected, body)
    }

    static let numbers: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]

    static func check(_ calls: [HostileCall]) {
        for call in calls {
            let found = result(call.body)
            #expect(found == call.expected, "\(call.name)")
        }
    }

    /// Returns the result of a call: the kind of its error, or `done`.
    static func result(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "done"
        } catch let error as StoreError {
            #expect(!error.message.isEmpty)
            return error.kind.name
        } catch {
            return "\(error)"
        }
    }
}

/// A store with two series of a hundred samples, and identifiers that do not exist in it.
final class HostileBench {
    let bench: TestStore
    let a: SeriesID
    let total: SeriesID
    let stranger = SeriesID(rawValue: 4_711)
    private var closedCount = 0
    var store: TimeSeriesStore { bench.store }

    init() throws {
        bench = try TestStore()
        a = try bench.store.series("a", kind: .discrete).id
        total = try bench.store.series("total", labels: ["k": "v"], kind: .cumulative).id
        let samples = (0..<100).map {
            Sample(start: Int64($0) * second, end: Int64($0 + 1) * second, value: Double($0))
        }
        try bench.store.append(samples, to: a)
        try bench.store.append(samples, to: total)
    }

    /// Returns a closed store.
    func closed() throws -> TimeSeriesStore {
        closedCount += 1
        let closed = try TimeSeriesStore.create(at: bench.directory.file("closed\(closedCount)"))
        // Uses the same series numbers as the other store.
        _ = try closed.series("a", kind: .discrete)
        closed.close()
        return closed
    }
}
