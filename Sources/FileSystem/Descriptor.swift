// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// A file descriptor that is closed only after its last running call, and at the end of its life.
///
/// If a thread still wrote through a number that the system has assigned to another file, it would destroy that file.
/// Each call therefore counts itself in and out (two atomic operations), and the last call closes the descriptor.
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

    /// Runs a call on the descriptor; throws `EBADF` after `close`.
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
        // Below the mark the descriptor is open; exactly at the mark the last call after `close` has ended.
        if users.subtract(1, ordering: .acquiringAndReleasing).newValue == Self.closed { _ = Glibc.close(number) }
    }

    /// Closes the descriptor now, or when the last running call ends.
    package func close() throws(DiskError) {
        var current = users.load(ordering: .acquiring)
        while true {
            if current >= Self.closed { return }
            let (exchanged, original) = users.compareExchange(
                expected: current, desired: current + Self.closed, ordering: .acquiringAndReleasing)
            if exchanged { break }
            current = original
        }
        // EINTR also closes the descriptor, so `close` is never retried.
        if current == 0, Glibc.close(number) != 0, errno != EINTR { throw DiskError("close", path, errno) }
    }
}

/// System calls that retry after interruption, complete short transfers and throw typed errors.
package enum SystemCall {
    static func open(_ path: String, _ flags: Int32, operation: String = "open") throws(DiskError) -> Int32 {
        guard !path.utf8.contains(0) else { throw DiskError(operation, "?", EINVAL, "the path contains a NUL") }
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

    /// Reads until `count` bytes or the end of the file; returns the number of bytes read and the error number.
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

    /// Writes all bytes; returns the number of bytes written and, if fewer than `count`, the error number.
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

    /// Returns the offset as the system's type; throws unless `count` bytes fit after it.
    package static func offset(
        _ position: UInt64, _ count: Int, _ operation: String, _ path: String
    ) throws(DiskError) -> Int64 {
        let (end, overflow) = position.addingReportingOverflow(UInt64(max(count, 0)))
        guard count >= 0, !overflow, end <= UInt64(Int64.max) else {
            throw DiskError(operation, path, EINVAL, "offset \(position), \(count) bytes")
        }
        return Int64(position)
    }
}

/// Grows a caller's buffer to at least `needed` bytes if it is shorter; never shrinks it.
@inline(__always)
package func makeRoom(_ needed: Int, in buffer: inout [UInt8], keeping kept: Int) {
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
