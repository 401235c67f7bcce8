// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// A directory of an open store, by its identity. The path leads elsewhere after the store was moved, or replaced by
/// its encrypted copy.
struct OpenedDirectory: Sendable {
    private let path: String
    private let identity: FileIdentity?

    /// Notes which directory a path leads to. An error leaves that unknown.
    init(_ path: String, _ disk: any Disk) {
        self.path = path
        identity = (try? disk.identity(of: path)) ?? nil
    }

    /// Returns the reason why a file in the directory is not as expected: the error itself, or that the path does not
    /// lead to the directory any more. The file is then not damaged.
    func explain(_ error: StoreError, _ disk: any Disk) -> StoreError {
        guard let identity else { return error }
        do throws(DiskError) {
            if try disk.identity(of: path) == identity { return error }
        } catch let failure {
            guard failure.isMissing else { return error }
        }
        return StoreError(
            .inputOutput, "the store's files were removed, moved or replaced while it was open; open the store again",
            path: error.path)
    }
}
