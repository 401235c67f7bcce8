// SPDX-License-Identifier: Apache-2.0

internal import CGuard

/// Reads a passphrase from the terminal of the process, without an echo.
package enum Passphrase {
    /// The terminal of the process, whatever standard input and output are.
    package static let terminal = "/dev/tty"

    /// Writes a prompt and reads a line into memory of the caller.
    ///
    /// Ctrl-C ends the process, and Ctrl-Z stops it, with the echo on again. The call prompts again after a stop.
    ///
    /// - Requires: one prompt at a time in the process.
    /// - Parameters:
    ///   - prompt: the text before the line.
    ///   - memory: receives the line without its line feed. It should be locked.
    ///   - path: the terminal.
    /// - Returns: the number of bytes; 0 without a terminal, or if the line is empty.
    /// - Throws: the error of the terminal; `fileTooLarge` for a line of more bytes than `memory` has.
    package static func read(
        _ prompt: String, into memory: UnsafeMutableRawBufferPointer, from path: String = terminal
    ) throws(DiskError) -> Int {
        var count = 0
        let error = unsafe cg_prompt(path, prompt, memory.baseAddress, memory.count, &count)
        if error != 0 { throw DiskError("read", path, error) }
        return count
    }
}
