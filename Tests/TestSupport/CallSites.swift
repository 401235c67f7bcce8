// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Records the call sites of calls at which a simulated disk crashed or failed.
///
/// The records are return addresses; `Tools/call-sites` maps them to source locations.
package enum CallSites {
    package enum Event: String, Sendable, CaseIterable { case crashed, failed }

    /// Frames kept per call: more than lie between a disk and its caller, including SQLite's.
    private static let depth = 96

    private struct State {
        var isOn = false
        var found: [Event: Set<[UInt]>] = [:]
    }

    private static let state = Mutex(State())

    /// Starts recording.
    package static func start() { state.withLock { $0.isOn = true } }

    /// Records the current call of this thread.
    package static func note(_ event: Event) {
        guard state.withLock({ $0.isOn }) else { return }
        let addresses = stack()
        state.withLock { _ = $0.found[event, default: []].insert(addresses) }
    }

    /// Returns a number for the way to the current call: equal for equal chains of near callers in this process.
    package static func way() -> Int { stack().prefix(12).hashValue }

    /// Returns the return addresses of this thread's callers, innermost first.
    private static func stack() -> [UInt] {
        guard let backtrace = unsafe backtrace else { return [] }
        var frames = unsafe [UnsafeMutableRawPointer?](repeating: nil, count: depth)
        let count = unsafe Int(backtrace(&frames, Int32(depth)))
        return unsafe frames.prefix(max(count, 0)).map { UInt(bitPattern: $0) }
    }

    private typealias Backtrace = @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32) -> Int32

    /// The C library's `backtrace`, which Swift's import of its headers lacks.
    private static let backtrace: Backtrace? = unsafe dlsym(nil, "backtrace").map {
        unsafe unsafeBitCast($0, to: Backtrace.self)
    }

    /// Returns a line for each distinct path to a call: the event and the addresses in this program, innermost first,
    /// as offsets in its file.
    package static func lines() throws -> [String] {
        let found = state.withLock { $0.found }
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n")
        let bounds = maps.filter { $0.hasSuffix(" " + program) }.flatMap { line in
            line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
        }
        guard let base = bounds.min(), let end = bounds.max() else { return [] }
        return Event.allCases.flatMap { event in
            let stacks = (found[event] ?? []).map { addresses in
                // A return address points behind the call.
                addresses.filter { $0 > base && $0 < end }.map { "0x" + String($0 - 1 - base, radix: 16) }
            }
            return Set(stacks).map { "\(event.rawValue) \($0.joined(separator: " "))" }.sorted()
        }
    }
}
