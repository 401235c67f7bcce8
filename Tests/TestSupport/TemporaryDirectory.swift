// SPDX-License-Identifier: Apache-2.0

package import FileSystem

/// A directory of its own for a test, removed with everything in it when the object goes away.
package final class TemporaryDirectory: Sendable {
    /// Its absolute path.
    package let path: String

    /// Makes one below `TMPDIR`, or `/tmp`.
    package init() throws {
        let parent = Environment.value("TMPDIR") ?? "/tmp"
        let name = try SystemRandom.bytes(8).map { byte in
            String(UInt16(byte) + 256, radix: 16).dropFirst()
        }
        path = parent + "/kymograph-test-" + name.joined()
        try RealDisk().createDirectory(path)
    }

    /// The path of a name in it.
    package func file(_ name: String) -> String { path + "/" + name }

    deinit { Self.removeTree(path, RealDisk()) }

    /// Removes a directory and everything below it; what cannot be removed stays. Follows no symbolic link.
    package static func removeTree(_ path: String, _ disk: any Disk) {
        if (try? disk.kind(of: path)) == .directory {
            for name in (try? disk.list(path)) ?? [] { removeTree(path + "/" + name, disk) }
        }
        try? disk.remove(path)
    }
}
