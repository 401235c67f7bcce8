// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph

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
        let isEncrypted = try KeysFiles(RealDisk(), plain).read() != nil
        (self.path, former) = (plain, plain + (isEncrypted ? ".former" : ".plaintext"))
    }

    /// Says where both stores are.
    func say() {
        Messages.line(
            "All data in \(path) is encrypted with new keys. The former store is \(former); remove it after a check.")
    }
}
