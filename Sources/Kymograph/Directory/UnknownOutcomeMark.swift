// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Synchronization

/// The note that a sync of the catalog's log failed, for the next writer: what the log holds may not be on the device,
/// though everybody can read it, and only writing it again makes it durable.
///
/// The note is a file beside the catalog and, for a disk that takes no file either, a word in this process. It needs to
/// last no longer than the system runs: after a power cut there is nothing in doubt any more.
struct UnknownOutcomeMark: Sendable {
    private let path: String
    private let store: [UInt8]
    private let disk: any Disk

    /// Stores in doubt that this process knows of.
    private static let known = Mutex<Set<[UInt8]>>([])

    init(_ layout: StoreLayout, store: [UInt8], disk: any Disk) {
        path = layout.outcomeMark
        self.store = store
        self.disk = disk
    }

    /// Whether the log must be written again before it is relied on.
    func isNoted() throws(DiskError) -> Bool {
        if Self.known.withLock({ $0.contains(store) }) { return true }
        return try disk.exists(path)
    }

    /// False if the file could not be made.
    @discardableResult
    func note() -> Bool {
        Self.known.withLock { _ = $0.insert(store) }
        return (try? disk.create(path)) != nil || (try? disk.exists(path)) == true
    }

    /// Forgets the note, once the log is durable. A note that stays costs the next opening some time.
    func clear() {
        Self.known.withLock { _ = $0.remove(store) }
        try? disk.remove(path)
    }
}
