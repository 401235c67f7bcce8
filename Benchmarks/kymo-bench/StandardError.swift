// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where messages about a run go, as its rows go to standard output.
enum StandardError {
    static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
