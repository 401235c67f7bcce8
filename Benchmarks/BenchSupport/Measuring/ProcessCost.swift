// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// The cost of a program from its start to its end.
package struct ProcessCost: Codable, Sendable {
    package let status: Int32
    package let wallSeconds: Double
    package let processorSeconds: Double
    package let peakResidentBytes: Int

    /// Runs a program with this process's outputs and returns the cost of child processes.
    ///
    /// - Requires: a small process without other children, because the system reports the maximum over all children,
    ///   and a child's memory includes the memory shared with its parent at its start.
    package static func measure(_ path: String, _ arguments: [String]) throws -> ProcessCost {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        // `waitUntilExit` polls only twenty times a second.
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        let before = SystemClock.monotonicNanoseconds()
        do {
            try Interruption.run(process) { ended.wait() }
        } catch {
            throw BenchError("\(path) failed to start:  \(error)")
        }
        let wall = Double(SystemClock.monotonicNanoseconds() - before) / 1e9
        var usage = rusage()
        _ = unsafe getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return ProcessCost(
            status: process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus,
            wallSeconds: wall, processorSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            peakResidentBytes: Int(usage.ru_maxrss) * 1_024)
    }

    /// Returns the processor time of this process so far, in seconds.
    package static func processorSeconds() -> Double {
        var usage = rusage()
        _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    package func json() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }

    package static func read(_ path: String) throws -> ProcessCost {
        try BenchJSON.read(path, "cost of a process", hint: "the measuring process writes it")
    }
}
