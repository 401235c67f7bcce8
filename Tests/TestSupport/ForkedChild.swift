// SPDX-License-Identifier: Apache-2.0

import CDiskVFS

/// A forked child process, with a copy of this process's memory and only the forking thread.
package struct ForkedChild {
    private let number: Int32

    /// Forks, and runs a closure in the child. The child exits with the closure's result (0 to 255).
    package init(_ body: @escaping () -> Int32) {
        let work = Work(body)
        let context = unsafe Unmanaged.passUnretained(work).toOpaque()
        number = unsafe kymo_fork_and_run(
            { unsafe Unmanaged<Work>.fromOpaque($0!).takeUnretainedValue().body() }, context)
        withExtendedLifetime(work) {}
    }

    /// Waits for the child to exit. Returns its exit code, or -1 if a signal ended it.
    package func wait() -> Int32 { kymo_wait_for_child(number) }

    private final class Work {
        let body: () -> Int32
        init(_ body: @escaping () -> Int32) { self.body = body }
    }
}
