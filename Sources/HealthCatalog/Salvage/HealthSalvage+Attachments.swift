// SPDX-License-Identifier: Apache-2.0

internal import Catalog
internal import SQLiteConnection

extension HealthSalvage {
    /// Copies the attachments whose files are sound and whose objects are kept, with the rows of their files.
    ///
    /// - Ordering: after the saved objects.
    mutating func copyAttachments() throws {
        var claimed: Set<[UInt8]> = []
        if old.hasAny(of: ["attachment"]) {
            try copy("attachment", HealthCatalog.attachmentColumns) { salvage, row in
                let one = try HealthCatalog.attachment(row)
                claimed.insert(one.uuid)
                // The repair of the files reports a damaged file.
                guard let file = salvage.files[one.uuid] else { return }
                guard file.bytes == one.bytes, salvage.isAttachment(one) else {
                    throw CatalogError(.corrupt, "attachment \(one.name) cannot be read", path: salvage.old.path)
                }
                let objects = try HealthCatalog.savedObjects(uuids: [one.object], asOf: .max, salvage.new)
                guard objects.first ?? nil != nil else {
                    salvage.result.losses.append(("attachment \(one.name) is lost with its object", nil, nil))
                    return
                }
                try salvage.new.insert(attachedFile: file)
                try HealthCatalog.insert(one, salvage.new)
                salvage.result.rows["attachment", default: 0] += 1
            }
        }
        let left = files.keys.count { !claimed.contains($0) }
        if left > 0 {
            result.losses.append(("\(left) attached files have lost their attachments and are left out", nil, nil))
        }
    }
}
