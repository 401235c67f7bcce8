// SPDX-License-Identifier: Apache-2.0

import FileSystem
package import Testing

/// Runs of the tests in which all new stores are encrypted: KYMO_TEST_KEY=1.
package enum TestKey {
    package static let isUsed = Environment.value("KYMO_TEST_KEY") == "1"
    /// The ending of the index of a catalog's log.
    package static let indexSuffix = isUsed ? "-index" : "-shm"
}

extension Trait where Self == ConditionTrait {
    /// Leaves a test out that reads the bytes of a plain store by itself, if all new stores are encrypted.
    package static var ofPlainStores: Self { .disabled(if: TestKey.isUsed, "reads the bytes of a plain store") }
}
