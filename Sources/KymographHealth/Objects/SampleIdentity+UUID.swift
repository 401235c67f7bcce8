// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HealthModel

extension SampleIdentity {
    /// Creates the identity of an object's UUID.
    package init(_ uuid: UUID) {
        let (high, low) = uuid.halves
        self.init(high: Int64(bitPattern: high), low: Int64(bitPattern: low))
    }

    /// The identity as a UUID.
    package var uuid: UUID { UUID(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low)) }
}
