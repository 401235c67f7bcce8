// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// An error in the bytes of a column and its offset.
package struct CodecError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Offset in the array given to the decoder; for an error inside a compressed payload, the offset of that payload.
    package let offset: Int
    /// The cause, for example "bits run past the end".
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
