// SPDX-License-Identifier: Apache-2.0

package import Cipher
import Synchronization

/// Looks for a nonce that encrypts two different messages under one key, which would reveal both.
///
/// After `start` every encryption of the process is checked. A repetition ends the process, except inside
/// `repetitions`.
package enum NonceWatch {
    /// The first 16 bytes of a hash of key and nonce.
    private struct Place: Hashable {
        var high: UInt64
        var low: UInt64
    }

    /// The messages by key and nonce.
    private final class Table: Sendable {
        let seen = Mutex<[Place: UInt64]>([:])
        let repeated = Mutex<[EncryptionObserver.Report]>([])

        /// Notes an encryption. Returns true if key and nonce were used for another message.
        func note(_ report: EncryptionObserver.Report) -> Bool {
            var place = Place(high: 1, low: 2)
            for byte in report.key + report.nonce {
                var mix = SplitMix64(state: place.high ^ UInt64(byte))
                place.high = mix.next()
                mix = SplitMix64(state: place.low &+ UInt64(byte) &* 0xFF51_AFD7_ED55_8CCD)
                place.low = mix.next()
            }
            let digest = report.digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let former = seen.withLock { $0.updateValue(digest, forKey: place) }
            return former.map { $0 != digest } ?? false
        }
    }

    private static let all = Table()
    @TaskLocal private static var current: Table?

    private static let isObserving = EncryptionObserver.observe { report in
        if let current {
            if current.note(report) { current.repeated.withLock { $0.append(report) } }
        } else if all.note(report) {
            fatalError("a nonce encrypts two messages under one key: \(report.nonce)")
        }
    }

    /// Begins to check all encryptions of the process. Returns false if the build does not report them.
    @discardableResult
    package static func start() -> Bool { isObserving }

    /// The number of messages so far.
    package static var count: Int { all.seen.withLock { $0.count } }

    /// Runs a body, and returns the encryptions of its thread that repeated a nonce for another message.
    package static func repetitions(_ body: () throws -> Void) rethrows -> [EncryptionObserver.Report] {
        let table = Table()
        try $current.withValue(table) { try body() }
        return table.repeated.withLock { $0 }
    }
}
