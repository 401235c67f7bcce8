// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// A copy of a store that takes the place of the store.
///
/// The copy is made in a directory beside the store. Then the store gets another name, and the copy gets the name of
/// the store. The writer lock is held from before the copy until after both changes, so that no commit falls between.
/// A writer that waits for the lock finds the copy when its turn comes.
struct StoreReplacement: Sendable {
    /// The store.
    let path: String
    /// The name that the store gets.
    let former: String
    private let disk: any Disk

    /// - Throws: `invalidArgument` if the name leads into the store, `alreadyExists` if it is taken, `inputOutput`.
    init(_ path: String, former: String, _ disk: any Disk) throws(StoreError) {
        (self.path, self.former, self.disk) = (Self.plain(path), Self.plain(former), disk)
        let name = self.former
        guard !disk.leads(name, into: self.path) else {
            throw StoreError(
                .invalidArgument, "the former store cannot lie inside the store; choose another place", path: name)
        }
        if try onDisk({ () throws(DiskError) in try disk.kind(of: name) }) != nil {
            throw StoreError(
                .alreadyExists, "the former store is to get this name, but it exists; rename or remove it first",
                path: name)
        }
    }

    /// Where the copy is made.
    var draft: String { path + ".partial" }

    /// A path without slashes at its end: a name in its parent directory.
    private static func plain(_ path: String) -> String {
        var plain = path
        while plain.count > 1, plain.hasSuffix("/") { plain.removeLast() }
        return plain
    }

    /// Changes the names, durably. After an error the store has its name, or the error says where both stores are.
    ///
    /// - Requires: the writer lock of the store, and no opening of it in this process.
    func run() throws(StoreError) {
        let (path, former, draft, disk) = (path, former, draft, disk)
        try onDisk { () throws(DiskError) in try disk.rename(path, to: former) }
        do throws(DiskError) { try disk.rename(draft, to: path) } catch {
            let failure = StoreError(error)
            do throws(DiskError) { try disk.rename(former, to: path) } catch {
                throw StoreError(
                    failure.kind,
                    "the store is now at \(former), and its copy at \(draft); none has the name \(path), since "
                        + "renaming failed: \(failure.message). Rename one of them", path: path)
            }
            throw failure
        }
        try onDisk { () throws(DiskError) in
            for parent in Set([path, former].map { StoreCreation.parent(of: $0) }) { try disk.syncDirectory(parent) }
        }
    }
}
