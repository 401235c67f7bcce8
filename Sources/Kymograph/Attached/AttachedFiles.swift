// SPDX-License-Identifier: Apache-2.0

import Bytes
package import Catalog
import ChunkFormat
import FileSystem

/// The attached files of a directory: their names, their check, and the removal of files that no row protects.
struct AttachedFiles {
    let layout: StoreLayout
    private let access: FileAccess
    private var disk: any Disk { access.disk }

    init(_ layout: StoreLayout, _ access: FileAccess) { (self.layout, self.access) = (layout, access) }

    /// Returns the names in the directory; none if there is no directory.
    func names() throws(StoreError) -> [String] {
        try onDisk { () throws(DiskError) in
            try disk.kind(of: layout.attached) == .directory ? disk.list(layout.attached) : []
        }
    }

    /// Removes the files, complete or not, that no live row names. Keeps retired files that a held snapshot needs.
    ///
    /// - Parameter oldest: the oldest held commit.
    /// - Requires: the writer lock, and no attached file under construction.
    func removeUnnamed(_ rows: [AttachedFileRow], oldest: Int64) throws(StoreError) {
        let kept = Set(
            rows.filter { row in row.died.map { oldest < $0 } ?? true }.map { StoreLayout.attachedName($0.uuid) })
        for name in try names() where StoreLayout.isAttached(name) && !kept.contains(name) {
            try onDisk { () throws(DiskError) in try disk.remove(layout.attached + "/" + name) }
        }
    }

    /// Reads a whole file and verifies every unit.
    ///
    /// - Throws: `corrupt`, `inputOutput`.
    func check(_ row: AttachedFileRow, at path: String, store: [UInt8]) throws(StoreError) {
        let reader = try AttachedFileReader(row, at: path, store: store, access)
        while try reader.read({ _, _ in }) {}
    }

    /// Returns the row that the length of a file implies; nil if no attached file has this length.
    func row(ofFile uuid: [UInt8]) throws(StoreError) -> AttachedFileRow? {
        let size = try onDisk { () throws(DiskError) in try disk.size(of: layout.attachedFile(uuid)) }
        let form = AttachedLayout(isEncrypted: access.keys != nil)
        return form.content(fileBytes: size).map { AttachedFileRow(uuid: uuid, bytes: $0) }
    }
}

extension AttachedFileRow {
    /// Returns the length of the file.
    func fileBytes(isEncrypted: Bool) -> UInt64 {
        AttachedLayout(isEncrypted: isEncrypted).fileBytes(content: bytes)
    }
}

extension StoreLayout {
    /// The directory of the attached files.
    var attached: String { root + "/attachments" }

    func attachedFile(_ uuid: [UInt8]) -> String { attached + "/" + Self.attachedName(uuid) }

    static func attachedName(_ uuid: [UInt8]) -> String { name(uuid) + ".kfile" }

    /// Returns the identity of an attached file from its name; nil for other files.
    static func uuid(ofAttached name: String) -> [UInt8]? {
        guard name.hasSuffix(".kfile"), let uuid = UUIDBytes(text: String(name.dropLast(6))) else { return nil }
        return uuid.text + ".kfile" == name ? uuid.bytes : nil
    }

    /// Whether a name is that of an attached file, or of one under construction.
    static func isAttached(_ name: String) -> Bool {
        uuid(ofAttached: name.hasSuffix(".new") ? String(name.dropLast(4)) : name) != nil
    }
}

extension TimeSeriesStore {
    /// Deletes the retired attached files that no held snapshot needs, and their rows.
    ///
    /// - Returns: whether files were deleted.
    /// - Throws: `locked`, `readOnly`, `closed`, `diskFull`, `inputOutput`.
    @discardableResult
    package func removeRetiredAttachedFiles() throws(StoreError) -> Bool {
        let due = try removableAttachedFiles()
        if due.isEmpty { return false }
        let (layout, disk) = (context.layout, context.disk)
        try access.withWriter { _ throws(StoreError) in
            try onDisk { () throws(DiskError) in
                for row in due {
                    let path = layout.attachedFile(row.uuid)
                    if try disk.exists(path) { try disk.remove(path) }
                }
                if try disk.exists(layout.attached) { try disk.syncDirectory(layout.attached) }
            }
        }
        do {
            try write { _ in
                var batch = WriteBatch()
                batch.makesRoom = true
                batch.inCommit = { transaction, _ in try transaction.forget(attachedFiles: due.map(\.uuid)) }
                return batch
            }
        } catch {
            throw StoreError(any: error, path: path)
        }
        return true
    }

    /// Returns the retired attached files that no held snapshot needs.
    package func removableAttachedFiles() throws(StoreError) -> [AttachedFileRow] {
        let dead = try readCatalog { try $0.attachedFiles(isDead: true) }
        if dead.isEmpty { return [] }
        let oldest = try context.slots.oldest() ?? .max
        return dead.filter { $0.died ?? .max <= oldest }
    }
}
