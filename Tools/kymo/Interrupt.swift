// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Ctrl-C and a polite end: remembered, so that work can stop at a good place.
enum Interrupt {
    private static let flag = Atomic<Bool>(false)

    /// Whether the person asked to stop.
    static var isRequested: Bool { flag.load(ordering: .relaxed) }

    /// Remembers the first request from now on; a second one ends the process at once, which a store survives.
    static func catchRequests() {
        // A handler must not be the first to touch the flag.
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
        // A parent may have started this process from a thread that blocks signals, as pools of threads do.
        unsafe pthread_sigmask(SIG_UNBLOCK, &requests, nil)
    }
}
