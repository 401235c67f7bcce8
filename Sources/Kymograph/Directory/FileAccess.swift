// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// What a part of the engine needs to read the files of a store.
struct FileAccess: Sendable {
    let disk: any Disk
    /// The keys of the store; nil if it is not encrypted.
    let keys: StoreKeys?
    /// Receives reports of damage.
    var telemetry: Telemetry?

    init(_ options: StoreOptions) {
        disk = options.disk
        keys = options.keys
        telemetry = options.telemetry
    }

    /// The access to plain files of a disk.
    init(_ disk: any Disk) { (self.disk, keys) = (disk, nil) }

    /// The same access without reports of damage.
    var unobserved: FileAccess {
        var access = self
        access.telemetry = nil
        return access
    }
}
