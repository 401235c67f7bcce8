// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bytes

@Suite("E-7 binary search")
struct PartitionTests {
    @Test("the first number of the second part is found, for every length and part", arguments: 0..<40)
    func every(_ count: Int) {
        for part in 0...count {
            var calls = 0
            let found = (0..<count).partitioningIndex { number in
                calls += 1
                return number >= part
            }
            #expect(found == part && calls <= 6, "\(count) \(part)")
        }
    }

    @Test("ranges over all numbers do not overflow")
    func extremes() {
        for wanted in [Int64.min, -1, 0, 1, .max - 1, .max] {
            #expect((Int64.min..<Int64.max).partitioningIndex { $0 >= wanted } == wanted)
        }
        #expect((UInt8.min..<UInt8.max).partitioningIndex { $0 >= 200 } == 200)
    }

    @Test("an error of the predicate ends the search")
    func error() {
        struct Stop: Error {}
        #expect(throws: Stop.self) { try (0..<10).partitioningIndex { _ throws(Stop) in throw Stop() } }
    }
}
