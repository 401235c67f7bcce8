// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// Where messages about a run go, as its rows go to standard output.
enum StandardError {
    /// Writes lines; hidden characters of paths and names in them are escaped.
    static func write(_ text: String) {
        FileHandle.standardError.write(Data(TerminalText.printable(text, keepingLines: true).utf8))
    }
}
