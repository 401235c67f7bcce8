// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A lock for tests that force the level of the kernels. The level is global to the process and tests run in parallel,
/// so a test holds this lock to keep other tests from changing the level during a decoding.
package enum Levels {
    private static let lock = NSLock()

    /// Waits for the lock and holds it.
    package static func hold() { lock.lock() }

    /// Releases the lock.
    ///
    /// - Requires: the thread that called `hold`.
    package static func release() { lock.unlock() }
}
