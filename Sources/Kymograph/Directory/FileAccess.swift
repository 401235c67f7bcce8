// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// What a part of the engine needs to read the files of a store.
struct FileAccess: Sendable {
    let disk: any Disk
    /// The keys of the store; nil if it is not encrypted.
    let keys: StoreKeys?
    /// The directory of the segments as it was opened; nil for other files.
    let segments: OpenedDirectory?
    /// Receives reports of damage.
    var telemetry: Telemetry?

    init(_ options: StoreOptions) {
        disk = options.disk
        keys = options.keys
        segments = options.segments
        telemetry = options.telemetry
    }

    /// The access to plain files of a disk.
    init(_ disk: any Disk) { (self.disk, keys, segments) = (disk, nil, nil) }

    /// The same access without reports of damage.
    var unobserved: FileAccess {
        var access = self
        access.telemetry = nil
        return access
    }
}
