// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

extension BenchFiles {
    /// Runs a body with a directory for stores that is removed afterwards.
    package static func withWork<R>(_ parent: String?, _ body: (String) throws -> R) throws -> R {
        let parent = parent ?? Environment.value("TMPDIR") ?? "/tmp"
        let path = "\(parent)/kymo-bench-\(Environment.processIdentifier)"
        try makeDirectory(path)
        defer { removeTree(path) }
        return try body(path)
    }

    /// A line on the standard error, for who waits.
    package static func say(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }
}
