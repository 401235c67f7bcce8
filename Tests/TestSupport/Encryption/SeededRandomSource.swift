// SPDX-License-Identifier: Apache-2.0

package import Cipher
import Synchronization

extension RandomSource {
    /// Bytes of a seeded generator, for golden files. Its sequence never changes.
    package static func seeded(_ seed: UInt64) -> RandomSource {
        let state = Shared(SeededGenerator(seed: seed))
        return unsafe RandomSource(stamp: { [state.count()] }) { memory in
            for index in memory.indices { unsafe memory[index] = state.byte() }
        }
    }

    /// The same byte always.
    package static let constant = unsafe RandomSource { memory in
        for index in memory.indices { unsafe memory[index] = 7 }
    }

    private final class Shared: Sendable {
        private let generator: Mutex<SeededGenerator>
        private let calls = Atomic<UInt64>(0)

        init(_ generator: SeededGenerator) { self.generator = Mutex(generator) }

        func byte() -> UInt8 { generator.withLock { UInt8(truncatingIfNeeded: $0.next()) } }
        func count() -> UInt64 { calls.add(1, ordering: .relaxed).newValue }
    }
}
