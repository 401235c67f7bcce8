// SPDX-License-Identifier: Apache-2.0

internal import CGuard
internal import Glibc

/// A regular file of the operating system, read and written at explicit offsets.
final class RealFile: DiskFile {
    private let descriptor: Descriptor

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    func write(_ bytes: [UInt8], _ range: Range<Int>, at position: UInt64) throws(DiskError) {
        let path = descriptor.path
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else {
            throw DiskError("write", path, EINVAL, "range \(range) of \(bytes.count) bytes")
        }
        let start = try SystemCall.offset(position, range.count, "write", path)
        let (count, error) = try descriptor.use("write") { number in
            unsafe bytes.withUnsafeBytes { memory in
                guard let base = memory.baseAddress else { return (0, Int32(0)) }
                return unsafe SystemCall.write(number, base + range.lowerBound, range.count, at: start)
            }
        }
        if error != 0 {
            throw DiskError("write", path, error, "after \(count) of \(range.count) bytes at offset \(position)")
        }
    }

    func read(
        at position: UInt64, count: Int, into buffer: inout [UInt8], offset: Int
    ) throws(DiskError) -> Int {
        let path = descriptor.path
        let start = try SystemCall.offset(position, count, "read", path)
        guard offset >= 0, !offset.addingReportingOverflow(count).overflow else {
            throw DiskError("read", path, EINVAL, "\(count) bytes at \(offset) of the buffer")
        }
        if count == 0 { return 0 }
        makeRoom(offset + count, in: &buffer, keeping: offset)
        let (done, error) = try descriptor.use("read") { number in
            unsafe buffer.withUnsafeMutableBytes { memory in
                guard let base = memory.baseAddress else { return (0, Int32(0)) }
                return unsafe SystemCall.read(number, base + offset, count, at: start)
            }
        }
        if error != 0 { throw DiskError("read", path, error, "\(count) bytes at offset \(position)") }
        return done
    }

    func size() throws(DiskError) -> UInt64 {
        let path = descriptor.path
        let about = try descriptor.use("size") { (n) throws(DiskError) in try SystemCall.status(n, path) }
        return UInt64(max(about.st_size, 0))
    }

    func beginWriting(_ range: Range<UInt64>) {
        guard range.upperBound <= UInt64(Int64.max) else { return }
        try? descriptor.use("begin writing") { number in
            cg_begin_writing(number, Int64(range.lowerBound), Int64(range.count))
        }
    }

    func sync() throws(DiskError) {
        let path = descriptor.path
        try descriptor.use("sync") { (number) throws(DiskError) in
            // EINTR occurs before any work; every other failure is final, see `DiskFile.sync`.
            while fdatasync(number) != 0 {
                if errno != EINTR { throw DiskError("sync", path, errno) }
            }
        }
    }

    func close() throws(DiskError) {
        try descriptor.close()
    }
}
