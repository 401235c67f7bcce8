// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Truncates files as a faulty program or disk would; the engine never does.
enum TruncatedFile {
    static func truncate(_ path: String, to size: UInt64) throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.truncate(atOffset: size)
        try handle.close()
    }
}
