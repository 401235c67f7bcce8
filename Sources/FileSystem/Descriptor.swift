// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// A file descriptor that cannot be closed under a running call, and is closed at the end of its life.
///
/// A number that the system has given to another file while a thread still writes through it would destroy that other
/// file. So a call counts itself in and out (two atomic operations), and the last one out closes.
package final class Descriptor: Sendable {
    private static let closed = 1 << 40
    private let number: Int32
    private let users = Atomic<Int>(0)
    let path: String

    init(_ number: Int32, path: String) {
        self.number = number
        self.path = path
    }

    deinit {
        if users.load(ordering: .acquiring) < Self.closed { _ = Glibc.close(number) }
    }

    /// Runs a call on the descriptor; `EBADF` after `close`.
    @inline(__always)
    package func use<R>(_ operation: String, _ body: (Int32) throws(DiskError) -> R) throws(DiskError) -> R {
        var current = users.load(ordering: .relaxed)
        while true {
            if current >= Self.closed { throw DiskError(operation, path, EBADF, "the file is closed") }
            let (exchanged, original) = users.weakCompareExchange(
                expected: current, desired: current + 1, ordering: .acquiringAndReleasing)
            if exchanged { break }
            current = original
        }
        defer { leave() }
        return try body(number)
    }

    private func leave() {
        // Below the mark nobody has closed; exactly at the mark the last call after `close` has left.
        if users.subtract(1, ordering: .acquiringAndReleasing).newValue == Self.closed { _ = Glibc.close(number) }
    }

    /// Closes now, or when the last running call has ended.
    package func close() throws(DiskError) {
        var current = users.load(ordering: .acquiring)
        while true {
            if current >= Self.closed { return }
            let (exchanged, original) = users.compareExchange(
                expected: current, desired: current + Self.closed, ordering: .acquiringAndReleasing)
            if exchanged { break }
            current = original
        }
        // After EINTR the descriptor is gone too, so this is never retried.
        if current == 0, Glibc.close(number) != 0, errno != EINTR { throw DiskError("close", path, errno) }
    }
}

/// System calls with interruption retried, short transfers completed and errors typed.
enum SystemCall {
    static func open(_ path: String, _ flags: Int32, operation: String = "open") throws(DiskError) -> Int32 {
        guard !path.utf8.contains(0) else { throw DiskError(operation, "?", EINVAL, "a path with a zero byte") }
        while true {
            let number = unsafe Glibc.open(path, flags | O_CLOEXEC, 0o600)
            if number >= 0 { return number }
            if errno != EINTR { throw DiskError(operation, path, errno) }
        }
    }

    static func status(_ descriptor: Int32, _ path: String) throws(DiskError) -> stat {
        var about = stat()
        if unsafe fstat(descriptor, &about) != 0 { throw DiskError("stat", path, errno) }
        return about
    }

    /// Reads until `count` bytes or the end of the file; returns how many, or the error number.
    static func read(
        _ descriptor: Int32, _ start: UnsafeMutableRawPointer, _ count: Int, at position: Int64
    ) -> (count: Int, error: Int32) {
        var done = 0
        while done < count {
            let n = unsafe pread(descriptor, start + done, count - done, off_t(position) + done)
            if n > 0 { done += n } else if n == 0 { break } else if errno != EINTR { return (done, errno) }
        }
        return (done, 0)
    }

    /// Writes all; returns how many bytes were written, and the error number if it was not all.
    static func write(
        _ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int, at position: Int64
    ) -> (count: Int, error: Int32) {
        var done = 0
        while done < count {
            let n = unsafe pwrite(descriptor, start + done, count - done, off_t(position) + done)
            if n > 0 { done += n } else if n == 0 { return (done, EIO) } else if errno != EINTR { return (done, errno) }
        }
        return (done, 0)
    }

    /// The offset as the system wants it, if `count` bytes fit behind it.
    static func offset(
        _ position: UInt64, _ count: Int, _ operation: String, _ path: String
    ) throws(DiskError) -> Int64 {
        let (end, overflow) = position.addingReportingOverflow(UInt64(max(count, 0)))
        guard count >= 0, !overflow, end <= UInt64(Int64.max) else {
            throw DiskError(operation, path, EINVAL, "offset \(position), \(count) bytes")
        }
        return Int64(position)
    }
}

/// Room in a caller's buffer: grows it when needed, in steps, and never makes it shorter.
@inline(__always)
func makeRoom(_ needed: Int, in buffer: inout [UInt8], keeping kept: Int) {
    if buffer.count < needed { growBuffer(needed, &buffer, keeping: kept) }
}

@inline(never)
private func growBuffer(_ needed: Int, _ buffer: inout [UInt8], keeping kept: Int) {
    let size = (needed + needed / 4 + 4095) & ~4095
    if kept == 0 {
        buffer = [UInt8](repeating: 0, count: size)
    } else {
        buffer.append(contentsOf: repeatElement(0, count: size - buffer.count))
    }
}
