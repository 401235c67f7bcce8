// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Synchronization

/// Interruption by Ctrl-C, SIGTERM or a closed terminal: removes temporary files, ends child processes, then ends the
/// process by the signal.
package enum Interruption {
    private struct State {
        var paths = Set<String>()
        var children = Set<Int32>()
        var isWatching = false
    }

    private static let state = Mutex(State())
    /// The first received signal; 0 before.
    private static let signal = Atomic<Int32>(0)
    /// The pipe with which a signal handler wakes the clean-up thread.
    private static let wake = Pipe()
    private static let wakeNumber = Atomic<Int32>(-1)

    /// Runs a body; if a signal ends the process meanwhile, the path is removed with everything under it.
    package static func protecting<R>(_ path: String, _ body: () throws -> R) rethrows -> R {
        state.withLock { state in
            watch(&state)
            _ = state.paths.insert(path)
        }
        // After a signal the lock stays held, so that the process can only end by the signal.
        defer { _ = state.withLock { $0.paths.remove(path) } }
        return try body()
    }

    /// Starts a process and waits for its end; a signal ends it with its process group. Processes that it leaves
    /// behind, such as the server of a crashed worker, are ended when it has ended.
    static func run(_ process: Process, wait: () -> Void) throws {
        let number = try state.withLock { state in
            watch(&state)
            try process.run()
            state.children.insert(process.processIdentifier)
            return process.processIdentifier
        }
        wait()
        state.withLock { state in
            // Foundation makes each process the leader of its own group, with the same number.
            kill(-number, SIGKILL)
            state.children.remove(number)
        }
    }

    /// Installs the signal handlers once. Signals that a parent ignores, as `nohup` does, stay ignored.
    private static func watch(_ state: inout State) {
        if state.isWatching { return }
        state.isWatching = true
        wakeNumber.store(wake.fileHandleForWriting.fileDescriptor, ordering: .relaxed)
        var requests = sigset_t()
        unsafe sigemptyset(&requests)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            unsafe sigaddset(&requests, number)
            let before = Foundation.signal(number) { Interruption.remember($0) }
            if unsafe unsafeBitCast(before, to: Int.self) == 1 { _ = Foundation.signal(number, SIG_IGN) }
        }
        // A parent may have started this process from a thread with blocked signals, as thread pools do.
        unsafe pthread_sigmask(SIG_UNBLOCK, &requests, nil)
        let thread = Thread {
            guard (try? wake.fileHandleForReading.read(upToCount: 1))?.isEmpty == false else { return }
            end(by: Interruption.signal.load(ordering: .relaxed))
        }
        thread.stackSize = 1 << 18
        thread.start()
    }

    /// Handles a signal with async-signal-safe calls only. A second request ends the process at once.
    private static func remember(_ number: Int32) {
        let before = errno
        signal.store(number, ordering: .relaxed)
        _ = Foundation.signal(number, SIG_DFL)
        var byte: UInt8 = 1
        _ = unsafe write(wakeNumber.load(ordering: .relaxed), &byte, 1)
        errno = before
    }

    private static func end(by number: Int32) {
        state.withLock { state in
            for child in state.children { kill(-child, SIGTERM) }
            for round in 0..<200 where state.children.contains(where: { kill(-$0, 0) == 0 }) {
                if round == 150 { for child in state.children { kill(-child, SIGKILL) } }
                usleep(10_000)
            }
            // Other threads continue for a moment and may create a file in a removed directory.
            for path in state.paths {
                for _ in 0..<100 {
                    BenchFiles.removeTree(path)
                    if (try? RealDisk().exists(path)) != true { break }
                    usleep(10_000)
                }
            }
            _ = Foundation.signal(number, SIG_DFL)
            kill(getpid(), number)
            while true { pause() }
        }
    }
}
