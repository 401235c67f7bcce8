// SPDX-License-Identifier: Apache-2.0

internal import CGuard
internal import Glibc

/// The three standard streams, for command line tools.
package enum Terminal {
    /// The standard streams by number.
    package enum Stream: Int32, Sendable {
        case input = 0
        case output = 1
        case error = 2
    }

    package static func isTerminal(_ stream: Stream) -> Bool { isatty(stream.rawValue) == 1 }

    /// Returns the width in columns: of the terminal, else of `COLUMNS`, else 80.
    package static func columns(_ stream: Stream = .output) -> Int {
        let width = Int(cg_terminal_columns(stream.rawValue))
        if width > 0 { return width }
        if let text = Environment.value("COLUMNS"), let width = Int(text), width > 0 { return min(width, 10_000) }
        return 80
    }

    /// Whether output may be coloured: the stream is a terminal, `NO_COLOR` is unset or empty, `TERM` is not `dumb`.
    package static func allowsColor(_ stream: Stream = .output) -> Bool {
        guard isTerminal(stream) else { return false }
        if let refusal = Environment.value("NO_COLOR"), !refusal.isEmpty { return false }
        return Environment.value("TERM") != "dumb"
    }

    /// Whether the stream has no reader any more: the pipe's other end is closed, or the terminal is gone.
    package static func isHungUp(_ stream: Stream) -> Bool {
        wait(for: 0, on: stream, milliseconds: 0) & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
    }

    /// Waits for events on the stream and returns their flags; 0 after a timeout. A timeout of -1 has no limit.
    fileprivate static func wait(for events: Int16, on stream: Stream, milliseconds: Int32) -> Int16 {
        var wait = pollfd(fd: stream.rawValue, events: events, revents: 0)
        return unsafe poll(&wait, 1, milliseconds) > 0 ? wait.revents : 0
    }

    /// Turns two signals into errors of the failing write: a pipe without a reader (SIGPIPE), and a file at its size
    /// limit (`ulimit -f`, SIGXFSZ). By default these signals end the process.
    ///
    /// For programs, at start; the library never calls it.
    package static func reportFailedWrites() {
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
    }
}

/// Buffered output to a standard stream. Not thread-safe.
///
/// A closed pipe (`kymo ... | head`) is not an error: the writer discards further output and sets `isClosed`.
package final class OutputWriter {
    private let stream: Terminal.Stream
    private var buffer: [UInt8] = []
    private let limit: Int
    /// Whether the stream has no reader any more; the caller should stop producing output.
    package private(set) var isClosed = false

    /// - Parameter capacity: number of bytes to buffer before a write.
    package init(_ stream: Terminal.Stream = .output, capacity: Int = 1 << 16) {
        self.stream = stream
        limit = max(capacity, 1)
        buffer.reserveCapacity(limit + 4096)
    }

    /// Writes a text to standard output, followed by a line feed if the text does not end with one.
    package static func write(text: String) throws(DiskError) {
        let writer = OutputWriter()
        try writer.write(text.hasSuffix("\n") ? text : text + "\n")
        try writer.flush()
    }

    /// Updates `isClosed`, for a caller that has nothing to write.
    package func look() {
        if Terminal.isHungUp(stream) { isClosed = true }
    }

    package func write(_ text: String) throws(DiskError) {
        if isClosed { return }
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= limit { try flush() }
    }

    package func write(_ bytes: [UInt8]) throws(DiskError) {
        if isClosed { return }
        buffer.append(contentsOf: bytes)
        if buffer.count >= limit { try flush() }
    }

    /// Writes the buffered bytes.
    ///
    /// - Requires: a call at the end; the buffer is not flushed automatically.
    package func flush() throws(DiskError) {
        var done = 0
        defer { buffer.removeAll(keepingCapacity: true) }
        while done < buffer.count, !isClosed {
            let start = done
            let n = unsafe buffer.withUnsafeBytes { memory in
                guard let base = memory.baseAddress else { return 0 }
                return unsafe Glibc.write(stream.rawValue, base + start, memory.count - start)
            }
            if n >= 0 {
                done += n
            } else if errno == EPIPE {
                isClosed = true
            } else if errno == EAGAIN {
                // The stream was set to non-blocking; wait until it accepts more.
                _ = Terminal.wait(for: Int16(POLLOUT), on: stream, milliseconds: -1)
            } else if errno != EINTR {
                throw DiskError("write", stream == .error ? "standard error" : "standard output", errno)
            }
        }
    }
}
