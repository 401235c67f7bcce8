// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HealthCatalog
import HealthModel

extension SampleIdentity {
    /// Creates the identity of an object's UUID.
    package init(_ uuid: UUID) {
        let (high, low) = uuid.halves
        self.init(high: Int64(bitPattern: high), low: Int64(bitPattern: low))
    }

    /// Returns the identity of bytes, which is equal for equal bytes: a UUID of version 8 (RFC 9562) made of two
    /// digests.
    static func digested(_ bytes: [UInt8]) -> SampleIdentity {
        var digest = HealthCatalog.TwoDigests()
        digest.add(bytes)
        return SampleIdentity(digest)
    }

    /// Creates the identity of the bytes of a digest; see `digested`.
    init(_ digest: HealthCatalog.TwoDigests) {
        let digests = digest.digests
        let (high, low) = (UInt64(bitPattern: digests.first), UInt64(bitPattern: digests.second))
        let (variant, mask): (UInt64, UInt64) = (0x8000_0000_0000_0000, 0xC000_0000_0000_0000)
        self.init(
            high: Int64(bitPattern: high & ~0xF000 | 0x8000), low: Int64(bitPattern: low & ~mask | variant))
    }

    /// The identity as a UUID.
    package var uuid: UUID { UUID(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low)) }
}
