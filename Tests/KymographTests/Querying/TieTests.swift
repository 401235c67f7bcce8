// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kymograph

@Suite("E-8 time-weighted average of samples with equal start and end")
struct TieTests {
    @Test("The sample committed last applies until the next one, sealed or not, loaded or appended")
    func commits() throws {
        for order in 0..<4 {
            let test = try TestStore()
            let id = try test.store.series("a", kind: .discrete).id
            func append(_ value: Double) throws { try test.store.append([Sample(start: 0, value: value)], to: id) }
            func load(_ value: Double) throws { try test.store.load([Sample(start: 0, value: value)], to: id) }
            // Rows of the tail follow segments in the list of runs.
            try append(1)
            if order % 2 == 0 { try load(2) } else { try append(2) }
            if order < 2 { try load(3) } else { try append(3) }
            try test.store.append([Sample(start: 10 * second, value: 9)], to: id)
            for _ in 0..<2 {
                let answer = try test.store.snapshot().aggregate(of: id, computing: .timeWeightedAverage)
                #expect(answer.timeWeightedAverage == 3, "order \(order)")
                try test.store.seal()
            }
        }
    }
}
