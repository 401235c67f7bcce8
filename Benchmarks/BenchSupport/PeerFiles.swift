// SPDX-License-Identifier: Apache-2.0

import Foundation

extension BenchFiles {
    /// Runs a body with a directory for stores that is removed afterwards.
    package static func withWork<R>(_ parent: String?, _ body: (String) throws -> R) throws -> R {
        try withWorkDirectory(in: parent, body)
    }

    /// A line on the standard error, for who waits.
    package static func say(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }
}
