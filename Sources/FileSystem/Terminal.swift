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
        let width = Int(kymo_terminal_columns(stream.rawValue))
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

    /// Makes writing into a pipe that nobody reads an error instead of the end of the process.
    ///
    /// For programs, first thing; never done by the library on its own.
    package static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
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
                var wait = pollfd(fd: stream.rawValue, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&wait, 1, -1)
            } else if errno != EINTR {
                throw DiskError("write", stream == .error ? "standard error" : "standard output", errno)
            }
        }
    }
}
