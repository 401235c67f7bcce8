// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem

/// Copies the sound attached files of a damaged store into the new store of a repair.
struct AttachedFileSalvage {
    private let salvage: StoreSalvage
    private let old: AttachedFiles
    private let new: AttachedFiles
    /// The access to the new store if its keys differ from those of the old one.
    private let other: FileAccess?
    private var disk: any Disk { salvage.access.disk }

    /// - Parameter other: the access to the new store if its keys differ from those of the old one.
    init(_ salvage: StoreSalvage, into layout: StoreLayout, _ other: FileAccess?) {
        self.salvage = salvage
        self.other = other
        old = AttachedFiles(salvage.layout, salvage.access)
        new = AttachedFiles(layout, salvage.access)
    }

    /// Copies the files, and returns their rows by identity. Damaged and missing files are reported as lost.
    func run() throws(StoreError) -> [[UInt8]: AttachedFileRow] {
        let rows = try salvage.attachedFiles(try old.names(), old)
        if rows.isEmpty { return [:] }
        try onDisk { () throws(DiskError) in try disk.createDirectory(new.layout.attached) }
        var kept: [[UInt8]: AttachedFileRow] = [:]
        for row in rows where try copy(row) { kept[row.uuid] = row }
        try onDisk { () throws(DiskError) in try disk.syncDirectory(new.layout.attached) }
        return kept
    }

    /// Copies one file; returns false if it is damaged.
    private func copy(_ row: AttachedFileRow) throws(StoreError) -> Bool {
        let source = old.layout.attachedFile(row.uuid)
        do throws(StoreError) {
            try old.check(row, at: source, store: salvage.storeID)
        } catch {
            guard error.kind == .corrupt || error.kind == .forged else { throw error }
            salvage.loseFile(source, error)
            return false
        }
        if let other {
            try encrypt(row, source, other)
            return true
        }
        var copier = BackupCopier(disk, nil)
        _ = try copier.copy(
            source, to: new.layout.attachedFile(row.uuid), bytes: row.fileBytes(isEncrypted: salvage.keys != nil))
        return true
    }
}

extension AttachedFileSalvage {
    /// Writes the content of a file with the keys of the new store, under the same identity.
    private func encrypt(_ row: AttachedFileRow, _ source: String, _ other: FileAccess) throws(StoreError) {
        let reader = try AttachedFileReader(row, at: source, store: salvage.storeID, salvage.access)
        let writer = try AttachedFileWriter(new.layout, other, store: salvage.storeID, uuid: row.uuid)
        do throws(StoreError) {
            var failure: StoreError?
            while failure == nil,
                try reader.read({ bytes, content in
                    do throws(StoreError) { try writer.append(bytes, content) } catch { failure = error }
                })
            {}
            if let failure { throw failure }
            _ = try writer.finish()
        } catch {
            writer.abandon()
            throw error
        }
    }
}

extension RepairWriter {
    /// Copies the attached files that a layer above may claim.
    func addAttachedFiles() throws(StoreError) -> [[UInt8]: AttachedFileRow] {
        try AttachedFileSalvage(salvage, into: layout, keepsKeys ? nil : FileAccess(options).unobserved).run()
    }
}
