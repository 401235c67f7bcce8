// SPDX-License-Identifier: Apache-2.0

internal import CGuard
internal import Glibc

/// The three standard streams, as a command line tool sees them.
package enum Terminal {
    /// The standard streams by number.
    package enum Stream: Int32, Sendable {
        case input = 0
        case output = 1
        case error = 2
    }

    /// Whether a person sits at the other end.
    package static func isTerminal(_ stream: Stream) -> Bool { isatty(stream.rawValue) == 1 }

    /// The width in columns: of the terminal, else of `COLUMNS`, else 80.
    package static func columns(_ stream: Stream = .output) -> Int {
        let width = Int(cg_terminal_columns(stream.rawValue))
        if width > 0 { return width }
        if let text = Environment.value("COLUMNS"), let width = Int(text), width > 0 { return min(width, 10_000) }
        return 80
    }

    /// Whether output may be coloured: a terminal, `NO_COLOR` unset or empty, `TERM` not `dumb`.
    package static func allowsColor(_ stream: Stream = .output) -> Bool {
        guard isTerminal(stream) else { return false }
        if let refusal = Environment.value("NO_COLOR"), !refusal.isEmpty { return false }
        return Environment.value("TERM") != "dumb"
    }

    /// Whether nobody can read from the stream any more: the other end of the pipe is closed, the terminal gone.
    package static func isHungUp(_ stream: Stream) -> Bool {
        wait(for: 0, on: stream, milliseconds: 0) & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
    }

    /// What the stream is ready for, when it is, or after so long; -1 waits for ever.
    fileprivate static func wait(for events: Int16, on stream: Stream, milliseconds: Int32) -> Int16 {
        var wait = pollfd(fd: stream.rawValue, events: events, revents: 0)
        return unsafe poll(&wait, 1, milliseconds) > 0 ? wait.revents : 0
    }

    /// Makes two failures of a write an error instead of the end of the process: nobody reads the pipe any more, and
    /// the file may not become longer (`ulimit -f`).
    ///
    /// For programs, first thing; never done by the library on its own.
    package static func reportFailedWrites() {
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
    }
}

/// Buffered writing to a standard stream. Not for several threads at once.
///
/// A reader that has gone away (`kymo ... | head`) is not an error: the writer becomes quiet and says `isClosed`.
package final class OutputWriter {
    private let stream: Terminal.Stream
    private var buffer: [UInt8] = []
    private let limit: Int
    /// Nobody reads any more: stop producing.
    package private(set) var isClosed = false

    /// - Parameter capacity: bytes kept before they are written.
    package init(_ stream: Terminal.Stream = .output, capacity: Int = 1 << 16) {
        self.stream = stream
        limit = max(capacity, 1)
        buffer.reserveCapacity(limit + 4096)
    }

    /// Writes a text to standard output, all of it, and a line's end if the text has none.
    package static func write(text: String) throws(DiskError) {
        let writer = OutputWriter()
        try writer.write(text.hasSuffix("\n") ? text : text + "\n")
        try writer.flush()
    }

    /// Looks whether somebody still reads, where nothing is written that would tell.
    package func look() {
        if Terminal.isHungUp(stream) { isClosed = true }
    }

    /// Adds text.
    package func write(_ text: String) throws(DiskError) {
        if isClosed { return }
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= limit { try flush() }
    }

    /// Adds bytes.
    package func write(_ bytes: [UInt8]) throws(DiskError) {
        if isClosed { return }
        buffer.append(contentsOf: bytes)
        if buffer.count >= limit { try flush() }
    }

    /// Writes what is kept. Call it at the end: the buffer does not flush itself.
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
                // The other end made the stream non-blocking; wait until it takes more.
                _ = Terminal.wait(for: Int16(POLLOUT), on: stream, milliseconds: -1)
            } else if errno != EINTR {
                throw DiskError("write", stream == .error ? "standard error" : "standard output", errno)
            }
        }
    }
}
