// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem

/// Copies the sound attached files of a damaged store into the new store of a repair.
struct AttachedFileSalvage {
    private let salvage: StoreSalvage
    private let old: AttachedFiles
    private let new: AttachedFiles
    private var disk: any Disk { salvage.access.disk }

    init(_ salvage: StoreSalvage, into layout: StoreLayout) {
        self.salvage = salvage
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
        var copier = BackupCopier(disk, nil)
        _ = try copier.copy(
            source, to: new.layout.attachedFile(row.uuid), bytes: row.fileBytes(isEncrypted: salvage.keys != nil))
        return true
    }
}

extension RepairWriter {
    /// Copies the attached files that a layer above may claim.
    func addAttachedFiles() throws(StoreError) -> [[UInt8]: AttachedFileRow] {
        try AttachedFileSalvage(salvage, into: layout).run()
    }
}
