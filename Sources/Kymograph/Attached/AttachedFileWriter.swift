// SPDX-License-Identifier: Apache-2.0

import Bytes
package import Catalog
import ChunkFormat
import Cipher
import FileSystem

/// Writes one attached file, unit by unit, with the memory of one unit. One caller at a time.
///
/// The file is not part of the store before a commit inserts its row; `abandon` removes it. The writer keeps this
/// opening the writer of the store: the opening of another process would remove the file as a leftover.
package final class AttachedFileWriter {
    /// The identity of the file, 16 bytes.
    package let uuid: [UInt8]
    /// The number of content bytes so far.
    package private(set) var bytes: Int64 = 0
    private let layout: StoreLayout
    private let disk: any Disk
    /// Keeps this opening the writer; nil in a store under construction.
    private let work: WriterWork?
    private let file: any DiskFile
    private var codec: AttachedUnit
    /// The content of the open unit.
    private var unit = ByteWriter(capacity: AttachedLayout(isEncrypted: true).unitBytes)
    private var number: UInt64 = 0
    private var position: UInt64 = 0
    /// The header of an encrypted file, until it is written.
    private var header: [UInt8]

    private var draft: String { layout.attachedFile(uuid) + ".new" }

    /// - Parameters:
    ///   - uuid: the identity, 16 bytes; nil for a new random one.
    ///   - work: ends with the writer.
    init(
        _ layout: StoreLayout, _ access: FileAccess, store: [UInt8], uuid: [UInt8]?, _ work: WriterWork? = nil
    ) throws(StoreError) {
        let uuid = if let uuid { uuid } else { try Self.randomUUID() }
        let disk = access.disk
        (self.uuid, self.layout, self.disk, self.work) = (uuid, layout, disk, work)
        let draft = layout.attachedFile(uuid) + ".new"
        let (codec, header) = try Self.codec(access.keys?.ring, store, uuid, draft)
        (self.codec, self.header) = (codec, header)
        do throws(StoreError) {
            file = try onDisk { () throws(DiskError) in
                if try !disk.exists(layout.attached) { try disk.createDirectory(layout.attached) }
                // An earlier process may have created the directory and failed before this sync.
                try disk.syncDirectory(layout.root)
                // A failed write of the same attachment may have left a file.
                if try disk.exists(draft) { try disk.remove(draft) }
                return try disk.create(draft)
            }
        } catch {
            // A failed call may have created the file nevertheless; no other writer has its name.
            try? disk.remove(draft)
            throw error
        }
    }

    /// Returns the codec of a new file, and the bytes of the header of an encrypted one.
    private static func codec(
        _ ring: KeyRing?, _ store: [UInt8], _ uuid: [UInt8], _ path: String
    ) throws(StoreError) -> (AttachedUnit, header: [UInt8]) {
        guard let ring else { return (AttachedUnit(store: store, file: uuid), []) }
        return try inFormat(path) { () throws(FormatError) in
            let header = try AttachedHeader(ring)
            var writer = ByteWriter(capacity: AttachedHeader.size)
            header.encode(into: &writer)
            let cipher = try header.cipher(ring, store: store, file: uuid)
            return (AttachedUnit(store: store, file: uuid, cipher: cipher), writer.bytes)
        }
    }

    /// Returns a random UUID of version 4.
    private static func randomUUID() throws(StoreError) -> [UInt8] {
        var uuid = try onDisk { () throws(DiskError) in try SystemRandom.bytes(16) }
        uuid[6] = uuid[6] & 0x0F | 0x40
        uuid[8] = uuid[8] & 0x3F | 0x80
        return uuid
    }

    /// Appends content.
    ///
    /// - Requires: the range lies inside `content`.
    package func append(_ content: [UInt8], _ range: Range<Int>) throws(StoreError) {
        var at = range.lowerBound
        while at < range.upperBound {
            // A full unit is written when more content follows: only then it is known not to be the last one.
            if unit.count == AttachedLayout.contentBytes { try flush(isLast: false) }
            let next = min(range.upperBound, at + AttachedLayout.contentBytes - unit.count)
            unit.put(bytes: content[at..<next])
            bytes += Int64(next - at)
            at = next
        }
    }

    private func flush(isLast: Bool) throws(StoreError) {
        try inFormat(draft) { () throws(FormatError) in
            try codec.close(&unit, from: 0, number: number, isLast: isLast)
        }
        if !header.isEmpty {
            try onDisk { () throws(DiskError) in try file.write(header, at: 0) }
            position = UInt64(header.count)
            header = []
        }
        let end = position + UInt64(unit.count)
        try onDisk { () throws(DiskError) in try file.write(unit.bytes, at: position) }
        file.beginWriting(position..<end)
        position = end
        number += 1
        unit.bytes.removeAll(keepingCapacity: true)
    }

    /// Completes the file durably, under its name.
    ///
    /// - Ordering: before the commit that inserts the row.
    /// - Returns: the row for `CatalogTransaction.insert(attachedFile:)`.
    package func finish() throws(StoreError) -> AttachedFileRow {
        try flush(isLast: true)
        let (layout, disk, file, draft, uuid) = (layout, disk, file, draft, uuid)
        try onDisk { () throws(DiskError) in
            try file.sync()
            try file.close()
            try disk.rename(draft, to: layout.attachedFile(uuid))
            try disk.syncDirectory(layout.attached)
        }
        return AttachedFileRow(uuid: uuid, bytes: bytes)
    }

    /// Removes the file. Must not be called if a commit may have inserted the row.
    package func abandon() {
        try? file.close()
        try? disk.remove(draft)
        try? disk.remove(layout.attachedFile(uuid))
        work?.end()
    }

    /// Allows other processes to become the writer.
    package func release() { work?.end() }
}

extension TimeSeriesStore {
    /// Begins an attached file. This opening is the writer until the file is released or abandoned.
    ///
    /// - Parameter uuid: the identity, 16 bytes; nil for a new random one.
    /// - Requires: no row, not even a retired one, has the identity.
    /// - Throws: `locked`, `readOnly`, `closed`, `diskFull`, `inputOutput`.
    package func createAttachedFile(uuid: [UInt8]? = nil) throws(StoreError) -> AttachedFileWriter {
        let work = try beginWork()
        do throws(StoreError) {
            return try AttachedFileWriter(
                context.layout, context.access, store: context.storeID, uuid: uuid, work)
        } catch {
            work.end()
            throw error
        }
    }
}
