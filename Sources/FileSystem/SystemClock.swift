// SPDX-License-Identifier: Apache-2.0

internal import CGuard
internal import Glibc

package enum SystemClock {
    /// Returns nanoseconds since 1970-01-01 UTC by the machine's clock, which may jump in both directions: not for
    /// ordering.
    package static func wallNanoseconds() -> Int64 { read(CLOCK_REALTIME) }

    /// Returns nanoseconds since an arbitrary moment, never decreasing; common to all processes until the machine
    /// restarts.
    package static func monotonicNanoseconds() -> Int64 { read(CLOCK_MONOTONIC) }

    /// Returns the processor time of this process in nanoseconds, over all threads.
    package static func processorNanoseconds() -> Int64 { read(CLOCK_PROCESS_CPUTIME_ID) }

    /// Blocks the calling thread. A signal may end the pause early.
    package static func sleep(milliseconds: Int) {
        usleep(UInt32(clamping: milliseconds) &* 1_000)
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

/// Random bytes of the operating system, suitable for keys and identities.
package enum SystemRandom {
    /// Returns `count` unpredictable bytes.
    package static func bytes(_ count: Int) throws(DiskError) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: max(count, 0))
        let error = unsafe result.withUnsafeMutableBytes { memory in
            guard let base = memory.baseAddress else { return Int32(0) }
            return unsafe cg_random(base, memory.count)
        }
        if error != 0 { throw DiskError("random", "getrandom", error) }
        return result
    }

    /// Fills memory with unpredictable bytes.
    package static func fill(_ memory: UnsafeMutableRawBufferPointer) throws(DiskError) {
        guard let base = memory.baseAddress else { return }
        let error = unsafe cg_random(base, memory.count)
        if error != 0 { throw DiskError("random", "getrandom", error) }
    }
}
