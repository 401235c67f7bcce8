// SPDX-License-Identifier: Apache-2.0

internal import CCipher
internal import FileSystem
internal import Synchronization

/// A source of random bytes. Tests substitute it to write golden files.
@safe
package struct RandomSource: Sendable {
    package typealias Fill = @Sendable (UnsafeMutableRawBufferPointer) throws(CipherError) -> Void
    private let fillMemory: Fill
    private let stamp: @Sendable () -> [UInt64]

    /// - Parameters:
    ///   - stamp: numbers that do not repeat, as a protection from random bytes that do.
    ///   - fill: writes random bytes.
    package init(stamp: @escaping @Sendable () -> [UInt64] = Self.systemStamp, _ fill: @escaping Fill) {
        self.stamp = stamp
        unsafe fillMemory = fill
    }

    /// The random numbers of the kernel.
    package static let system = unsafe RandomSource { (memory) throws(CipherError) in
        do throws(DiskError) { try unsafe SystemRandom.fill(memory) } catch {
            throw CipherError(.failed, "the system has no random numbers: \(error.message)", disk: error)
        }
    }

    private static let count = Atomic<UInt64>(0)

    /// Returns the clocks, the process and a count: they do not repeat on one machine.
    package static func systemStamp() -> [UInt64] {
        [
            UInt64(bitPattern: SystemClock.wallNanoseconds()), UInt64(bitPattern: SystemClock.monotonicNanoseconds()),
            UInt64(UInt32(bitPattern: Environment.processIdentifier)), count.add(1, ordering: .relaxed).newValue,
        ]
    }

    /// Returns 32 bytes that are unpredictable, and that differ from all others of this machine even if the random
    /// bytes repeat.
    func salt(key: SecretBytes) throws(CipherError) -> [UInt8] {
        var bytes = try self.bytes(32)
        for number in stamp() {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        return try Derivation.hmac(key, bytes)
    }

    /// Fills memory with random bytes.
    package func fill(_ memory: UnsafeMutableRawBufferPointer) throws(CipherError) { try unsafe fillMemory(memory) }

    /// Returns random bytes that are no secret: salts and nonces.
    package func bytes(_ count: Int) throws(CipherError) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        var failure: CipherError?
        unsafe result.withUnsafeMutableBytes { memory in
            do throws(CipherError) { try unsafe fillMemory(memory) } catch { failure = error }
        }
        if let failure { throw failure }
        return result
    }
}

/// Bytes of a key or a passphrase, in memory that is locked, left out of core dumps, cleared in a forked child, and
/// wiped at the end of the object's life.
///
/// The bytes do not change after the initialiser. They have no description.
@safe
package final class SecretBytes: @unchecked Sendable {
    /// The maximum number of bytes.
    package static let maximum = KC_SECRET_MAXIMUM

    /// The number of bytes.
    package let count: Int
    private let base: UnsafeMutablePointer<UInt8>
    private let room: Int

    /// Creates bytes that a closure writes; they are zeros before. The closure returns the number of bytes to keep.
    ///
    /// - Parameter room: 0 to `maximum`.
    /// - Throws: `invalidArgument`, `failed` without memory, and the errors of the closure.
    package init(
        room: Int, _ write: (UnsafeMutableRawBufferPointer) throws(CipherError) -> Int
    ) throws(CipherError) {
        guard 0...Self.maximum ~= room else { throw CipherError(.invalidArgument, "a secret of \(room) bytes") }
        self.room = max(room, 1)
        guard let memory = unsafe kc_secret_new(self.room) else {
            throw CipherError(.failed, "no memory for a secret of \(room) bytes")
        }
        unsafe base = memory
        do throws(CipherError) {
            count = min(max(try unsafe write(UnsafeMutableRawBufferPointer(start: memory, count: room)), 0), room)
        } catch {
            unsafe kc_secret_free(memory, self.room)
            throw error
        }
    }

    /// Creates `count` bytes that a closure writes.
    package convenience init(
        count: Int, _ write: (UnsafeMutableRawBufferPointer) throws(CipherError) -> Void
    ) throws(CipherError) {
        try unsafe self.init(room: count) { (memory) throws(CipherError) in
            try unsafe write(memory)
            return count
        }
    }

    /// Moves the bytes of an array: the array's bytes are zeros afterwards.
    package convenience init(wiping bytes: inout [UInt8]) throws(CipherError) {
        defer { Self.wipe(&bytes) }
        try unsafe self.init(count: bytes.count) { unsafe $0.copyBytes(from: bytes) }
    }

    /// Creates random bytes.
    package convenience init(random count: Int, from source: RandomSource = .system) throws(CipherError) {
        try unsafe self.init(count: count) { (memory) throws(CipherError) in try unsafe source.fill(memory) }
    }

    deinit { unsafe kc_secret_free(base, room) }

    /// Calls a closure with the bytes.
    ///
    /// - Throws: `forked` in a child of the process that made the bytes, and the errors of the closure.
    @inline(__always)
    package func withBytes<R>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(CipherError) -> R
    ) throws(CipherError) -> R {
        guard unsafe kc_secret_is_here(base) == 1 else { try Self.throwForked() }
        return try unsafe body(UnsafeBufferPointer(start: base, count: count))
    }

    @inline(never)
    private static func throwForked() throws(CipherError) -> Never {
        throw CipherError(.forked, "the process was forked, and the child has no keys; open the store again")
    }

    /// Returns a copy outside of the locked memory. The caller wipes it.
    package func copy() throws(CipherError) -> [UInt8] { try unsafe withBytes { unsafe Array($0) } }

    /// Returns a part of the bytes.
    ///
    /// - Requires: the range lies inside the bytes.
    package func part(_ range: Range<Int>) throws(CipherError) -> SecretBytes {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range outside of a secret")
        return try unsafe withBytes { (bytes) throws(CipherError) in
            try unsafe SecretBytes(count: range.count) { memory in
                unsafe memory.copyMemory(from: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range])))
            }
        }
    }

    /// Whether the bytes equal those of an array, in a time that depends on the counts only.
    package func equals(_ other: [UInt8]) throws(CipherError) -> Bool {
        guard other.count == count else { return false }
        return try unsafe withBytes { bytes in
            guard let start = bytes.baseAddress else { return true }
            return unsafe kc_equal(start, other, count) == 1
        }
    }

    /// Overwrites an array with zeros, also where the compiler sees no later use.
    package static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { memory in
            if let start = memory.baseAddress { unsafe kc_wipe(start, memory.count) }
        }
    }

    /// Whether the system has locked all secrets of this process in memory. If false, the limit (`ulimit -l`) is too
    /// low, and keys may be written to swap.
    package static var areLocked: Bool { kc_secrets_are_locked() == 1 }
}
