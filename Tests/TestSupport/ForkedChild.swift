// SPDX-License-Identifier: Apache-2.0

import CDiskVFS

/// A child process that was forked from this one, with a copy of its memory and none of its other threads.
package struct ForkedChild {
    private let number: Int32

    /// Forks, and runs a closure in the child, which ends with the number that it returns (0 to 255).
    package init(_ body: @escaping () -> Int32) {
        let work = Work(body)
        let context = unsafe Unmanaged.passUnretained(work).toOpaque()
        number = unsafe kymo_fork_and_run(
            { unsafe Unmanaged<Work>.fromOpaque($0!).takeUnretainedValue().body() }, context)
        withExtendedLifetime(work) {}
    }

    /// Waits for the child's end; the number that it ended with, or -1 if a signal ended it.
    package func wait() -> Int32 { kymo_wait_for_child(number) }

    private final class Work {
        let body: () -> Int32
        init(_ body: @escaping () -> Int32) { self.body = body }
    }
}
