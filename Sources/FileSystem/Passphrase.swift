// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reads a passphrase from the terminal of the process, without an echo.
package enum Passphrase {
    /// Writes a prompt and reads a line into memory of the caller, whatever standard input and output are.
    ///
    /// - Parameters:
    ///   - prompt: the text before the line.
    ///   - memory: receives the line without its line feed. It should be locked.
    /// - Returns: the number of bytes; 0 without a terminal, or if the line is empty.
    /// - Throws: the error of the terminal; `fileTooLarge` for a longer line.
    package static func read(_ prompt: String, into memory: UnsafeMutableRawBufferPointer) throws(DiskError) -> Int {
        let terminal = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        if terminal < 0 { return 0 }
        defer { close(terminal) }
        var before = termios()
        guard unsafe tcgetattr(terminal, &before) == 0 else { throw DiskError("read", path, errno) }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        silent.c_lflag |= tcflag_t(ECHONL | ICANON)
        write(prompt, to: terminal)
        guard unsafe tcsetattr(terminal, TCSAFLUSH, &silent) == 0 else { throw DiskError("read", path, errno) }
        defer { unsafe _ = tcsetattr(terminal, TCSAFLUSH, &before) }
        return try unsafe line(terminal, memory)
    }

    private static let path = "/dev/tty"

    private static func write(_ text: String, to terminal: Int32) {
        let bytes = Array(text.utf8)
        unsafe _ = Glibc.write(terminal, bytes, bytes.count)
    }

    private static func line(
        _ terminal: Int32, _ memory: UnsafeMutableRawBufferPointer
    ) throws(DiskError) -> Int {
        var count = 0
        while true {
            guard count < memory.count, let base = memory.baseAddress else {
                throw DiskError("read", path, DiskError.fileTooLarge, "the passphrase is too long")
            }
            let found = unsafe Glibc.read(terminal, base + count, 1)
            if found < 0, errno == EINTR { continue }
            if found < 0 { throw DiskError("read", path, errno) }
            if found == 0 { return count }
            if unsafe memory[count] == UInt8(ascii: "\n") {
                unsafe memory[count] = 0
                return count
            }
            count += 1
        }
    }
}
