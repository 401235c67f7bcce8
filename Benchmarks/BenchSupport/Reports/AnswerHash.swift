// SPDX-License-Identifier: Apache-2.0

package import Kymograph

/// A checksum over results (FNV-1a, 64 bits).
package struct AnswerHash: Equatable, Sendable {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package mutating func add(_ word: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            state = (state ^ (word >> UInt64(shift) & 0xFF)) &* 0x100_0000_01B3
        }
    }

    package mutating func add(_ x: Double?) { add(x.map(\.bitPattern) ?? 1) }
    package mutating func add(_ x: Int64) { add(UInt64(bitPattern: x)) }

    package var text: String { String(state, radix: 16) }
}

extension AnswerHash {
    /// Creates a checksum over statistics.
    package init(_ answers: some Sequence<Aggregate>) {
        self.init()
        for answer in answers {
            add(answer.start)
            add(Int64(answer.count))
            add(answer.sum)
            add(answer.min)
            add(answer.max)
        }
    }
}
