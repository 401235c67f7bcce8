// SPDX-License-Identifier: Apache-2.0

/// A file that a layer above stores beside the segments. `Docs/Format/AttachedFile.md` describes its bytes.
package struct AttachedFileRow: Sendable, Hashable {
    /// The identity of the file, 16 bytes; its name is derived from it.
    package var uuid: [UInt8]
    /// The length of the content in bytes, without the trailers of the units.
    package var bytes: Int64
    /// The commit that added the file.
    package var born: Int64
    /// The commit that retired the file; nil while it is live.
    package var died: Int64?

    package init(uuid: [UInt8], bytes: Int64, born: Int64 = 0, died: Int64? = nil) {
        self.uuid = uuid
        self.bytes = bytes
        self.born = born
        self.died = died
    }

    static let columns = "uuid,bytes,born,died"

    /// Reads and checks a row of the id and `columns`.
    init(_ row: RowReader) throws(CatalogError) {
        let born = try row.int(3, in: 0...Int64.max / 2, "the birth of an attached file")
        self.init(
            uuid: try row.blob(1, count: 16, "the identity of an attached file"),
            bytes: try row.int(2, in: CatalogSchema.attachedBytes, "the length of an attached file"), born: born,
            died: try row.isNull(4) ? nil : row.int(4, in: born...Int64.max / 2, "the death of an attached file"))
    }
}
