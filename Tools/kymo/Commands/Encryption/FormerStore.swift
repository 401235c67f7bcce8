// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// A store whose place a copy with other keys takes.
struct FormerStore {
    /// The path of the store, without slashes at its end.
    let path: String
    /// The path that the store gets.
    let former: String

    /// - Parameter path: the store, encrypted or not.
    init(_ path: String) throws {
        var plain = path
        while plain.count > 1, plain.hasSuffix("/") { plain.removeLast() }
        let disk = RealDisk()
        let isEncrypted = try disk.exists(plain + "/KEYS") || disk.exists(plain + "/KEYS.2")
        (self.path, former) = (plain, plain + (isEncrypted ? ".former" : ".plaintext"))
    }

    /// Says where both stores are.
    func say() {
        Messages.line(
            "All data in \(path) has new keys. The former store is \(former); remove it when the new one is checked.")
    }
}
