// SPDX-License-Identifier: Apache-2.0

/// The sizes of the parts of an attached file, which depend on whether its store is encrypted.
package struct AttachedLayout: Sendable {
    /// The number of content bytes of every unit but the last one, which may have fewer.
    package static let contentBytes = 65_536

    /// Whether the file is encrypted.
    package let isEncrypted: Bool

    package init(isEncrypted: Bool) { self.isEncrypted = isEncrypted }

    /// The size of the header in bytes; a plain file has none.
    package var headerBytes: Int { isEncrypted ? AttachedHeader.size : 0 }
    /// The size of the trailer after the content of a unit, in bytes.
    package var trailerBytes: Int { isEncrypted ? AttachedUnit.encryptedTrailerBytes : AttachedUnit.trailerBytes }
    /// The size of every unit but the last one, in bytes.
    package var unitBytes: Int { Self.contentBytes + trailerBytes }

    /// Returns the number of units of a file with a number of content bytes: an empty file has one unit.
    package static func count(content: Int64) -> Int64 {
        max(1, (max(0, content) + Int64(contentBytes) - 1) / Int64(contentBytes))
    }

    /// Returns the length of the file with a number of content bytes.
    package func fileBytes(content: Int64) -> UInt64 {
        UInt64(Int64(headerBytes) + max(0, content) + Self.count(content: content) * Int64(trailerBytes))
    }

    /// Returns the number of content bytes of a file with a length; nil if no file has this length.
    package func content(fileBytes: UInt64) -> Int64? {
        let unit = UInt64(unitBytes)
        guard fileBytes < 1 << 50, fileBytes >= headerBytes + trailerBytes else { return nil }
        let units = fileBytes - UInt64(headerBytes)
        let content = Int64(units) - Int64((units + unit - 1) / unit) * Int64(trailerBytes)
        return self.fileBytes(content: content) == fileBytes ? content : nil
    }
}
