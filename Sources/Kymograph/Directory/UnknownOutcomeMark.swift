// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Synchronization

/// The mark of a failed sync of the catalog's log, for the next writer. The log may not be on the device although every
/// process can read it; only rewriting the log makes it durable.
///
/// The mark is a file beside the catalog and, if the disk accepts no file, an entry in this process. It need not
/// survive a restart of the system: after a power loss, the readable log is the durable log.
struct UnknownOutcomeMark: Sendable {
    private let path: String
    private let store: [UInt8]
    private let disk: any Disk

    /// Stores with a mark that this process knows of.
    private static let known = Mutex<Set<[UInt8]>>([])

    init(_ layout: StoreLayout, store: [UInt8], disk: any Disk) {
        path = layout.outcomeMark
        self.store = store
        self.disk = disk
    }

    /// Returns true if the log must be rewritten before use.
    func isNoted() throws(DiskError) -> Bool {
        if Self.known.withLock({ $0.contains(store) }) { return true }
        return try disk.exists(path)
    }

    /// Sets the mark; returns false if the file could not be created.
    @discardableResult
    func note() -> Bool {
        Self.known.withLock { _ = $0.insert(store) }
        return (try? disk.create(path)) != nil || (try? disk.exists(path)) == true
    }

    /// Removes the mark, once the log is durable. A mark that stays only slows the next opening.
    func clear() {
        Self.known.withLock { _ = $0.remove(store) }
        try? disk.remove(path)
    }
}
