// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The identity and the times of a file, to notice that it changed. Follows symbolic links.
package struct FileMark: Hashable, Sendable {
    private let device: UInt64
    private let node: UInt64
    private let size: Int64
    private let modified: Int64
    private let changed: Int64
    /// Whether an account other than the file's owner may write the file, or another account than this process's, or
    /// root, owns it.
    package let isWritableByOthers: Bool

    /// Returns the mark of a file; nil if there is no file at the path, or it is not accessible.
    package init?(_ path: String) {
        var about = stat()
        if unsafe stat(path, &about) != 0 { return nil }
        (device, node, size) = (UInt64(about.st_dev), UInt64(about.st_ino), Int64(about.st_size))
        modified = Self.nanoseconds(about.st_mtim)
        changed = Self.nanoseconds(about.st_ctim)
        let isForeign = about.st_uid != geteuid() && about.st_uid != 0
        isWritableByOthers = about.st_mode & (S_IWGRP | S_IWOTH) != 0 || isForeign
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
