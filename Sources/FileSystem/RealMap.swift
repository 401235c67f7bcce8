// SPDX-License-Identifier: Apache-2.0

internal import CGuard
internal import Glibc

extension RealDisk {
    /// Installs the SIGBUS handler of guarded mappings now instead of at the first mapping; returns false on failure.
    ///
    /// For a host that later installs its own handler and forwards unknown signals to the older one.
    @discardableResult
    package static func installGuard() -> Bool { cg_guard_install() == 0 }

    /// Whether the SIGBUS handler of guarded mappings is installed. If not, `map` reads instead of mapping.
    package static var guardIsActive: Bool { cg_guard_is_active() == 1 }
}

/// A read-only mapping whose bytes are accessed only by the guarded copy.
@safe final class GuardedMap: MappedFile, @unchecked Sendable {
    let count: Int
    private let path: String
    private let base: UnsafeMutableRawPointer?

    /// Maps the first `length` bytes and closes the descriptor.
    ///
    /// - Requires: the file has at least `length` bytes.
    init(_ descriptor: Descriptor, length: Int) throws(DiskError) {
        let path = descriptor.path
        if length == 0 {
            unsafe base = nil
        } else {
            let memory = try unsafe descriptor.use("map") { (number) throws(DiskError) in
                let memory = unsafe mmap(nil, length, PROT_READ, MAP_SHARED, number, 0)
                guard let memory = unsafe memory, unsafe memory != MAP_FAILED else {
                    throw DiskError("map", path, errno, "\(length) bytes")
                }
                return unsafe memory
            }
            unsafe base = memory
        }
        self.path = path
        count = length
        try descriptor.close()
    }

    deinit {
        if let base = unsafe base { unsafe munmap(base, count) }
    }

    func copy(_ range: Range<Int>, into out: inout [UInt8], at offset: Int) throws(DiskError) {
        let needed = try checkedRoom(range, count, offset, path)
        guard let base = unsafe base, !range.isEmpty else { return makeRoom(needed, in: &out, keeping: offset) }
        makeRoom(needed, in: &out, keeping: offset)
        let error = unsafe out.withUnsafeMutableBytes { memory in
            guard let start = memory.baseAddress else { return EINVAL }
            return unsafe cg_guard_copy(start + offset, base + range.lowerBound, range.count)
        }
        if error != 0 { throw unreadable(range, error, path) }
    }

    func advise(_ access: MappedAccess, _ range: Range<Int>) {
        guard let base = unsafe base else { return }
        let range = range.clamped(to: 0..<count)
        if range.isEmpty { return }
        let advice =
            switch access {
            case .normal: MADV_NORMAL
            case .random: MADV_RANDOM
            case .sequential: MADV_SEQUENTIAL
            case .willNeed: MADV_WILLNEED
            case .unused: MADV_DONTNEED
            }
        // The system accepts advice for whole pages; the mapping starts at a page boundary.
        let start = range.lowerBound / Machine.pageSize() * Machine.pageSize()
        _ = unsafe madvise(base + start, range.upperBound - start, Int32(advice))
    }
}

/// A mapped file without a mapping: each copy is a `pread`.
final class ReadMap: MappedFile {
    let count: Int
    private let descriptor: Descriptor

    init(_ descriptor: Descriptor, length: Int) {
        self.descriptor = descriptor
        count = length
    }

    func copy(_ range: Range<Int>, into out: inout [UInt8], at offset: Int) throws(DiskError) {
        let needed = try checkedRoom(range, count, offset, descriptor.path)
        makeRoom(needed, in: &out, keeping: offset)
        let (done, error) = try descriptor.use("read") { number in
            unsafe out.withUnsafeMutableBytes { memory in
                guard let start = memory.baseAddress else { return (0, EINVAL) }
                return unsafe SystemCall.read(number, start + offset, range.count, at: Int64(range.lowerBound))
            }
        }
        if error != 0 { throw unreadable(range, error, descriptor.path) }
        if done < range.count { throw unreadable(range, EIO, descriptor.path) }
    }

    func advise(_ access: MappedAccess, _ range: Range<Int>) {
        let range = range.clamped(to: 0..<count)
        if range.isEmpty { return }
        let advice =
            switch access {
            case .normal: POSIX_FADV_NORMAL
            case .random: POSIX_FADV_RANDOM
            case .sequential: POSIX_FADV_SEQUENTIAL
            case .willNeed: POSIX_FADV_WILLNEED
            // Nothing is mapped.
            case .unused: POSIX_FADV_NORMAL
            }
        _ = try? descriptor.use("advise") { number in
            _ = posix_fadvise(number, off_t(range.lowerBound), off_t(range.count), Int32(advice))
        }
    }
}

/// Returns the required length of `out`; throws if the range is outside the map.
@inline(__always)
package func checkedRoom(_ range: Range<Int>, _ count: Int, _ offset: Int, _ path: String) throws(DiskError) -> Int {
    guard range.lowerBound >= 0, range.upperBound <= count, offset >= 0, offset < 1 << 62 else {
        throw DiskError("read", path, EINVAL, "bytes \(range) of \(count), to offset \(offset)")
    }
    return offset + range.count + 64
}

/// Returns the error of a range whose bytes could not be read.
package func unreadable(_ range: Range<Int>, _ error: Int32, _ path: String) -> DiskError {
    DiskError("read", path, error, "bytes \(range) are unreadable: the file was truncated or the disk is failing")
}
