// SPDX-License-Identifier: Apache-2.0

package import FileSystem

/// A directory for one test, removed with its content when the object is released.
package final class TemporaryDirectory: Sendable {
    /// Its absolute path.
    package let path: String

    /// Creates a directory below `TMPDIR`, or `/tmp`.
    package init() throws {
        let parent = Environment.value("TMPDIR") ?? "/tmp"
        let name = try SystemRandom.bytes(8).map { byte in
            String(UInt16(byte) + 256, radix: 16).dropFirst()
        }
        path = parent + "/kymograph-test-" + name.joined()
        try RealDisk().createDirectory(path)
    }

    /// Returns the path of a name in the directory.
    package func file(_ name: String) -> String { path + "/" + name }

    deinit { Self.removeTree(path, RealDisk()) }

    /// Removes a directory and everything below it. Ignores errors and follows no symbolic link.
    package static func removeTree(_ path: String, _ disk: any Disk) {
        if (try? disk.kind(of: path)) == .directory {
            for name in (try? disk.list(path)) ?? [] { removeTree(path + "/" + name, disk) }
        }
        try? disk.remove(path)
    }
}
