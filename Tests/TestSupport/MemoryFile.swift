// SPDX-License-Identifier: Apache-2.0

package import FileSystem
import Foundation
import Synchronization

/// The bytes of one file in memory, shared by its names and its open files.
final class MemoryContent: Sendable {
    let bytes: Mutex<[UInt8]>

    init(_ bytes: [UInt8]) {
        self.bytes = Mutex(bytes)
    }
}

/// A file whose length can be set. Published files are never truncated; a database's log is.
package protocol ResizableFile: DiskFile {
    /// Truncates the file, or extends it with zeros. Not durable before `sync`.
    func truncate(to size: UInt64) throws(DiskError)
}

/// An open file of a `MemoryDisk`.
final class MemoryFile: ResizableFile {
    private let content: MemoryContent
    private let path: String
    private let writable: Bool
    private let closed = Atomic<Bool>(false)

    init(_ content: MemoryContent, path: String, writable: Bool) {
        self.content = content
        self.path = path
        self.writable = writable
    }

    private func check(_ operation: String) throws(DiskError) {
        if closed.load(ordering: .acquiring) { throw DiskError(operation, path, EBADF, "the file is closed") }
    }

    func write(_ bytes: [UInt8], _ range: Range<Int>, at position: UInt64) throws(DiskError) {
        try check("write")
        if !writable { throw DiskError("write", path, EBADF, "opened for reading") }
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else {
            throw DiskError("write", path, EINVAL, "range \(range) of \(bytes.count) bytes")
        }
        let start = Int(try SystemCall.offset(position, range.count, "write", path))
        if range.isEmpty { return }
        // A disk stores a sparse file cheaply; memory does not.
        guard start + range.count <= 1 << 40 else { throw DiskError("write", path, EFBIG, "offset \(position)") }
        content.bytes.withLock { memory in
            let end = start + range.count
            if end > memory.count { memory.append(contentsOf: repeatElement(0, count: end - memory.count)) }
            memory.replaceSubrange(start..<end, with: bytes[range])
        }
    }

    func read(
        at position: UInt64, count: Int, into buffer: inout [UInt8], offset: Int
    ) throws(DiskError) -> Int {
        try check("read")
        _ = try SystemCall.offset(position, count, "read", path)
        guard offset >= 0, !offset.addingReportingOverflow(count).overflow else {
            throw DiskError("read", path, EINVAL, "\(count) bytes at \(offset) of the buffer")
        }
        if count == 0 { return 0 }
        makeRoom(offset + count, in: &buffer, keeping: offset)
        return content.bytes.withLock { memory in
            let start = Int(clamping: position)
            guard start < memory.count else { return 0 }
            let end = min(memory.count, start + min(count, memory.count - start))
            buffer.replaceSubrange(offset..<offset + (end - start), with: memory[start..<end])
            return end - start
        }
    }

    func size() throws(DiskError) -> UInt64 {
        try check("size")
        return UInt64(content.bytes.withLock { $0.count })
    }

    func truncate(to size: UInt64) throws(DiskError) {
        try check("truncate")
        if !writable { throw DiskError("truncate", path, EBADF, "opened for reading") }
        guard size <= 1 << 40 else { throw DiskError("truncate", path, EFBIG, "\(size) bytes") }
        content.bytes.withLock { memory in
            let count = Int(size)
            if count < memory.count {
                memory.removeLast(memory.count - count)
            } else {
                memory.append(contentsOf: repeatElement(0, count: count - memory.count))
            }
        }
    }

    func sync() throws(DiskError) {
        try check("sync")
    }

    func close() throws(DiskError) {
        closed.store(true, ordering: .releasing)
    }
}

/// A mapped file of a `MemoryDisk`, whose bytes stay in memory.
final class MemoryMap: MappedFile {
    let count: Int
    private let content: MemoryContent
    private let path: String

    init(_ content: MemoryContent, path: String, count: Int) {
        self.content = content
        self.path = path
        self.count = count
    }

    func copy(_ range: Range<Int>, into out: inout [UInt8], at offset: Int) throws(DiskError) {
        let needed = try checkedRoom(range, count, offset, path)
        makeRoom(needed, in: &out, keeping: offset)
        if range.isEmpty { return }
        let isWhole = content.bytes.withLock { memory in
            guard range.upperBound <= memory.count else { return false }
            out.replaceSubrange(offset..<offset + range.count, with: memory[range])
            return true
        }
        if !isWhole { throw unreadable(range, EIO, path) }
    }

    func advise(_ access: MappedAccess, _ range: Range<Int>) {}
}
