// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// A column's bytes that cannot be read: where, and what is wrong with them.
package struct CodecError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Offset in the array given to the decoder; inside a compressed payload, the offset of that payload.
    package let offset: Int
    /// For example "bits run past the end".
    package let what: String

    package init(offset: Int, what: String) {
        self.offset = offset
        self.what = what
    }

    init(_ error: ByteError) {
        self.init(offset: error.offset, what: error.what)
    }

    package var description: String { "column at byte \(offset): \(what)" }
}
