// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// The output of messages about a run; its rows go to standard output.
enum StandardError {
    /// Writes lines; hidden characters in paths and names are escaped.
    static func write(_ text: String) {
        FileHandle.standardError.write(Data(TerminalText.printable(text, keepingLines: true).utf8))
    }
}
