// SPDX-License-Identifier: Apache-2.0

internal import CGuard
internal import Glibc

/// A lock of an open file description on one byte.
///
/// Unlike the locks of a process, it survives when other code opens and closes the same file, and it conflicts with
/// other locks of the same process. The kernel releases it when the last copy of the descriptor is closed, including at
/// process exit. A forked child neither holds nor releases it.
final class RealLock: DiskLock {
    private let descriptor: Descriptor
    private let owner = ProcessMark.current

    /// - Throws: an error if there is no memory to record that the descriptor belongs to this process.
    init(_ descriptor: Descriptor) throws(DiskError) {
        self.descriptor = descriptor
        let error = try descriptor.use("lock") { number in cg_hold_in_process(number) }
        if error != 0 { throw DiskError("lock", descriptor.path, error) }
    }

    deinit { release() }

    func release() {
        // Closing alone does not release the lock if a child of `vfork` holds a copy, so unlock explicitly first.
        _ = try? descriptor.use("unlock") { number in
            cg_release_from_process(number)
            if owner == .current { _ = cg_unlock(number, 0, 0) }
        }
        try? descriptor.close()
    }
}

extension RealDisk {
    package func lock(_ path: String, exclusive: Bool, byte: Int64) throws(DiskError) -> (any DiskLock)? {
        guard byte >= 0, byte < Int64.max else { throw DiskError("lock", path, EINVAL, "byte \(byte)") }
        let descriptor = try Self.openRegular(path, writable: exclusive)
        let error = try descriptor.use("lock") { number in cg_lock(number, exclusive ? 1 : 0, byte, 1) }
        if error == EAGAIN { return nil }
        if error != 0 { throw DiskError("lock", path, error, "byte \(byte)") }
        // Another file may have replaced the name between open and lock; then the lock protects nothing.
        let held = try descriptor.use("lock") { (number) throws(DiskError) in try SystemCall.status(number, path) }
        var named = stat()
        if unsafe stat(path, &named) != 0 { throw DiskError("lock", path, errno) }
        guard held.st_dev == named.st_dev, held.st_ino == named.st_ino else {
            throw DiskError("lock", path, ESTALE, "the file was replaced while it was being locked")
        }
        return try RealLock(descriptor)
    }

    package func firstLockedByte(_ path: String, in bytes: Range<Int64>) throws(DiskError) -> Int64? {
        guard bytes.lowerBound >= 0 else { throw DiskError("lock", path, EINVAL, "bytes \(bytes)") }
        if bytes.isEmpty { return nil }  // a length of zero would mean "to the end"
        let descriptor = try Self.openRegular(path, writable: false)
        var found: Int32 = 0
        var start: Int64 = 0
        var length: Int64 = 0
        var low = bytes.upperBound
        // The system returns any conflicting lock, not the lowest: test again below the returned one.
        while low > bytes.lowerBound {
            let upper = low
            let error = try descriptor.use("lock") { number in
                unsafe cg_lock_test(
                    number, bytes.lowerBound, upper - bytes.lowerBound, &found, &start, &length)
            }
            if error != 0 { throw DiskError("lock", path, error, "bytes \(bytes)") }
            if found == 0 { break }
            low = max(bytes.lowerBound, min(start, upper - 1))
        }
        return low < bytes.upperBound ? low : nil
    }
}
