// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A search for bytes in memory.
package enum ByteSearch {
    /// Returns whether `needle`, which is not empty, occurs in `hay`. Copies neither.
    package static func contains(_ hay: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer) -> Bool {
        guard let start = hay.baseAddress, let first = unsafe needle.first, let wanted = needle.baseAddress else {
            return false
        }
        var at = 0
        while at + needle.count <= hay.count {
            let most = hay.count - needle.count - at + 1
            guard let found = unsafe memchr(start + at, Int32(first), most) else { return false }
            if unsafe memcmp(found, wanted, needle.count) == 0 { return true }
            at = unsafe UnsafeRawPointer(found) - start + 1
        }
        return false
    }
}
