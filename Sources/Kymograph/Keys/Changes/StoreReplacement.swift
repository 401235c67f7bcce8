// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// A copy of a store that takes the place of the store.
///
/// The copy is made in a directory beside the store. Then the store gets another name, and the copy gets the name of
/// the store. The writer lock is held from before the copy until after both changes, so that no commit falls between.
/// A writer that takes the lock afterwards opens the copy.
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
                .alreadyExists,
                "this path exists, but the former store would be moved there; rename or remove it first", path: name)
        }
        let draft = draft
        if try Self.isComplete(path, disk) {
            throw StoreError(
                .alreadyExists,
                "an interrupted encryption left a complete copy of the store here, which never got the store's name; "
                    + "remove it", path: draft)
        }
    }

    /// Where the copy is made.
    var draft: String { Self.draft(of: path) }

    private static func draft(of path: String) -> String { plain(path) + ".partial" }

    /// Whether a complete copy of the store of a path exists that has not got the store's name.
    private static func isComplete(_ path: String, _ disk: any Disk) throws(StoreError) -> Bool {
        let draft = StoreLayout(root: draft(of: path))
        return try onDisk { () throws(DiskError) in try disk.exists(draft.catalog) }
    }

    /// Refuses to create a store at a path at which a crash has left none, between the two changes of names.
    ///
    /// - Throws: `notAStore`.
    static func refuseGap(_ path: String, _ disk: any Disk) throws(StoreError) {
        guard try isComplete(path, disk) else { return }
        throw StoreError(
            .notAStore,
            "there is no store here, since an encryption was interrupted: its copy is at \(draft(of: path)), and the "
                + "former store beside it; rename one of them to this name", path: path)
    }

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
        do throws(DiskError) { try disk.rename(path, to: former) } catch { throw unchanged(StoreError(error)) }
        do throws(DiskError) { try disk.rename(draft, to: path) } catch {
            let failure = StoreError(error)
            do throws(DiskError) { try disk.rename(former, to: path) } catch {
                throw StoreError(
                    failure.kind,
                    "the store is now at \(former), and its copy at \(draft); none has the name \(path), since "
                        + "renaming failed: \(failure.message). Rename one of them", path: path)
            }
            throw unchanged(failure)
        }
        do throws(DiskError) {
            for parent in Set([path, former].map { StoreCreation.parent(of: $0) }) { try disk.syncDirectory(parent) }
        } catch {
            throw StoreError(
                StoreError(error).kind,
                "the copy has the name of the store, and the former store is at \(former), but a power loss may undo "
                    + "this: \(StoreError(error).message)", path: path)
        }
    }

    /// Returns the error of a change that was undone.
    private func unchanged(_ error: StoreError) -> StoreError {
        StoreError(
            error.kind,
            "the store keeps its name, since renaming failed: \(error.message). Remove its copy, \(draft)", path: path)
    }
}
