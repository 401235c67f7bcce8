// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reads a file or a pipe sequentially in large pieces, for imports of any size. Not thread-safe.
package final class FileReader {
    private let descriptor: Descriptor
    /// The length of the file in bytes; nil for a pipe or a terminal, whose length is unknown.
    package let size: UInt64?
    /// The number of bytes read so far.
    package private(set) var position: UInt64 = 0
    private var atEnd = false
    /// Called every 0.1 s while a pipe or terminal has no data; false ends the reading with an error that
    /// `isCancelled`. Nil waits without a limit.
    package var keepsWaiting: (() -> Bool)?

    /// The name of standard input in errors.
    package static let standardInput = "standard input"

    /// Opens a file, or a named pipe after waiting for its writer. Follows symbolic links.
    package convenience init(_ path: String) throws(DiskError) {
        try self.init(try SystemCall.open(path, O_RDONLY | O_NOCTTY), path)
    }

    /// Returns a reader of standard input, from its current position.
    package static func openStandardInput() throws(DiskError) -> FileReader {
        let number = fcntl(0, F_DUPFD_CLOEXEC, 3)
        if number < 0 { throw DiskError("open", standardInput, errno) }
        return try FileReader(number, standardInput)
    }

    private init(_ number: Int32, _ path: String) throws(DiskError) {
        descriptor = Descriptor(number, path: path)
        let about = try SystemCall.status(number, path)
        if about.st_mode & S_IFMT == S_IFDIR { throw DiskError("open", path, EISDIR) }
        size = about.st_mode & S_IFMT == S_IFREG ? UInt64(max(about.st_size, 0)) : nil
        _ = posix_fadvise(number, 0, 0, Int32(POSIX_FADV_SEQUENTIAL))
    }

    /// Reads into `buffer[offset..<offset + count]` and returns the number of bytes read; 0 only at the end.
    ///
    /// Fewer than `count` bytes are returned only before the end. The buffer grows if it is too short.
    package func read(into buffer: inout [UInt8], offset: Int = 0, count: Int) throws(DiskError) -> Int {
        let path = descriptor.path
        guard offset >= 0, count >= 0, !offset.addingReportingOverflow(count).overflow else {
            throw DiskError("read", path, EINVAL, "\(count) bytes at \(offset) of the buffer")
        }
        if atEnd || count == 0 { return 0 }
        makeRoom(offset + count, in: &buffer, keeping: offset)
        let wait = size == nil ? keepsWaiting : nil
        let (done, error) = try descriptor.use("read") { number in
            unsafe buffer.withUnsafeMutableBytes { memory in
                guard let base = memory.baseAddress else { return (0, Int32(0)) }
                return unsafe Self.fill(number, base + offset, count, wait)
            }
        }
        position += UInt64(done)
        if error != 0 { throw DiskError("read", path, error, "at offset \(position)") }
        if done < count { atEnd = true }
        return done
    }

    private static func fill(
        _ number: Int32, _ start: UnsafeMutableRawPointer, _ count: Int, _ keepsWaiting: (() -> Bool)?
    ) -> (Int, Int32) {
        var done = 0
        while done < count {
            if let keepsWaiting {
                while !hasInput(number, milliseconds: 100) {
                    if !keepsWaiting() { return (done, ECANCELED) }
                }
            }
            let n = unsafe Glibc.read(number, start + done, count - done)
            if n > 0 {
                done += n
            } else if n == 0 {
                break
            } else if errno == EAGAIN {
                _ = hasInput(number, milliseconds: -1)
            } else if errno != EINTR {
                return (done, errno)
            }
        }
        return (done, 0)
    }

    /// Waits for input or the end of the input; returns false after a timeout or a signal.
    private static func hasInput(_ number: Int32, milliseconds: Int32) -> Bool {
        var wait = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&wait, 1, milliseconds) > 0
    }
}
