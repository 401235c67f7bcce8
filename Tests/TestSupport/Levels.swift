// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The processor's level is the whole process's, and tests run side by side: a test that forces levels holds this
/// meanwhile, so that no other one changes them in the middle of a decoding.
package enum Levels {
    private static let lock = NSLock()

    /// Waits until no other test forces levels.
    package static func hold() { lock.lock() }

    /// Lets the next one go on. On the thread that called `hold`.
    package static func release() { lock.unlock() }
}
