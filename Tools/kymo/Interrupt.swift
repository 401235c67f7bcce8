// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Requests to stop (SIGINT, SIGTERM), recorded so that work can stop at a safe point.
enum Interrupt {
    private static let flag = Atomic<Bool>(false)

    /// Whether a stop was requested.
    static var isRequested: Bool { flag.load(ordering: .relaxed) }

    /// Records the first request; a second one ends the process at once, which a store survives.
    static func catchRequests() {
        // Initialises the flag here, so that a signal handler is never the first to access it.
        guard !isRequested else { return }
        var requests = sigset_t()
        unsafe sigemptyset(&requests)
        for number in [SIGINT, SIGTERM] {
            unsafe sigaddset(&requests, number)
            signal(number) { number in
                Interrupt.flag.store(true, ordering: .relaxed)
                signal(number, SIG_DFL)
            }
        }
        // A parent may have started this process from a thread with blocked signals, as thread pools do.
        unsafe pthread_sigmask(SIG_UNBLOCK, &requests, nil)
    }
}
