// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The speed at which one thread reads and copies memory: the reference for kernels.
package struct MemoryBandwidth {
    package let read: BenchResult
    package let copy: BenchResult

    /// Reads and copies arrays of a number of bytes, much larger than any cache unless the run is small.
    package init(bytes: Int, runs: Int) throws {
        // memchr for an absent byte reads the whole array with the widest loads of the processor.
        let source = [UInt8](repeating: 7, count: bytes)
        var target = [UInt8](repeating: 0, count: bytes)
        var watch = Stopwatch()
        for _ in 0..<max(3, runs) {
            let found = watch.measure { source.contains(byte: 9) }
            if found { throw BenchError("memory does not hold the written bytes") }
        }
        read = Self.row("read", watch, bytes, "all bytes of an array, once")
        watch = Stopwatch()
        for _ in 0..<max(3, runs) { watch.measure { target.replaceAll(with: source) } }
        guard target.last == 7, target.first == 7 else { throw BenchError("memory was not copied") }
        copy = Self.row("copy", watch, bytes, "copy an array to another; bytes copied")
    }

    private static func row(_ name: String, _ watch: Stopwatch, _ bytes: Int, _ what: String) -> BenchResult {
        var row = BenchResult(
            id: "memory", set: name, mode: "\(bytes >> 20) MiB", watch: watch, samples: bytes / 8, hash: nil,
            what: what)
        row.bytesPerSecond = Double(bytes) / row.minSeconds
        row.samplesPerSecond = Double(bytes / 8) / row.minSeconds
        return row
    }
}

extension [UInt8] {
    fileprivate func contains(byte: Int32) -> Bool {
        unsafe withUnsafeBytes { memory in
            guard let base = memory.baseAddress else { return false }
            return unsafe memchr(base, byte, memory.count) != nil
        }
    }

    fileprivate mutating func replaceAll(with source: [UInt8]) {
        unsafe withUnsafeMutableBytes { to in
            unsafe source.withUnsafeBytes { from in unsafe to.copyMemory(from: from) }
        }
    }
}
