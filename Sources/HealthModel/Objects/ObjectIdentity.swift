// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Synchronization

/// Generates the UUIDs of objects: a random prefix of the process followed by a counter.
///
/// The sixteen bytes are a UUID of version 8 (RFC 9562, section 5.8). The high half is constant and the low half
/// counts, so that a store compresses the identities of consecutive objects to almost nothing. A forked process chooses
/// a new prefix.
package enum ObjectIdentity {
    /// Returns a new identity. One atomic addition.
    package static func next() -> UUID {
        _ = watchesForks
        let count = state.count.add(1, ordering: .relaxed).oldValue
        return UUID(high: state.prefix.load(ordering: .relaxed), low: Self.variant | count & ~Self.variantMask)
    }

    private static let variant: UInt64 = 0x8000_0000_0000_0000
    private static let variantMask: UInt64 = 0xC000_0000_0000_0000

    private final class State: Sendable {
        let prefix = Atomic(ObjectIdentity.randomPrefix())
        let count = Atomic<UInt64>(0)
    }

    private static let state = State()

    /// The child of a fork has one thread, so no other thread can observe prefix and counter change separately.
    private static let watchesForks: Bool = {
        pthread_atfork(nil, nil) { ObjectIdentity.startAnew() } == 0
    }()

    private static func startAnew() {
        state.prefix.store(randomPrefix(), ordering: .relaxed)
        state.count.store(0, ordering: .relaxed)
    }

    private static func randomPrefix() -> UInt64 { UInt64.random(in: .min ... .max) & ~0xF000 | 0x8000 }
}
