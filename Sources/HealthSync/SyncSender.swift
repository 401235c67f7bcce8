// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HealthCatalog
import KymographHealth
import Synchronization

/// Sends the changes of a store, page by page, in a thread of its own. At most two pages are on their way.
final class SyncSender: Sendable {
    private struct State {
        var report = SyncReport.Changes()
        var failure: SyncError?
        /// The position that the other side has stored.
        var acknowledged = ""
        var sent = 0
        var acknowledgedPages = 0
        /// Whether the other side knows that there are no more changes.
        var isAnnounced = false
        var isOver = false
        /// The changes, once the thread has ended.
        var feed: SyncFeed?
    }

    private static let mostOnTheirWay = 2
    /// How often a sender that follows looks for commits of other processes.
    private static let interval = DispatchTimeInterval.milliseconds(4)

    private let store: HealthStore
    private let link: SyncLink
    private let sends: Bool
    private let follows: Bool
    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - sends: whether there is anything to send.
    ///   - follows: whether later changes are sent, too.
    ///   - position: the position that the other side has stored.
    init(_ store: HealthStore, _ link: SyncLink, sends: Bool, follows: Bool, position: String) {
        self.store = store
        self.link = link
        self.sends = sends
        self.follows = follows
        state.withLock { $0.acknowledged = position }
    }

    var report: SyncReport.Changes { state.withLock { $0.report } }

    /// Whether there was nothing more to send, and everything that was sent is acknowledged.
    var isSettled: Bool { state.withLock { $0.isAnnounced && $0.sent == $0.acknowledgedPages } }

    func start(_ feed: SyncFeed) {
        SyncThread.detach { [self] in
            run(feed)
            ended.signal()
        }
    }

    private func run(_ feed: SyncFeed) {
        var feed = feed
        do {
            while !state.withLock({ $0.isOver }) {
                let mayMake = state.withLock { $0.sent - $0.acknowledgedPages < Self.mostOnTheirWay }
                if sends, mayMake, let page = try store.syncPage(&feed) {
                    note(page)
                    try link.send(.page, PageCodec.encode(page))
                    continue
                }
                if mayMake, !state.withLock({ $0.isAnnounced }) {
                    // Before the other side can know: of two sides that both are done, the later one ends the session.
                    state.withLock { $0.isAnnounced = true }
                    try link.send(.done)
                    if !follows { break }
                }
                _ = wake.wait(timeout: follows ? .now() + Self.interval : .distantFuture)
            }
        } catch {
            let failure = SyncError(error)
            state.withLock { $0.failure = failure }
        }
        state.withLock { $0.feed = feed }
    }

    private func note(_ page: SyncPage) {
        state.withLock { state in
            state.sent += 1
            state.isAnnounced = false
            state.report.samples += page.samples
            state.report.objects += page.objects.count
            state.report.deletions += page.deadObjects.count + page.deadSamples.count
            state.report.attachments += page.attachments.count
            state.report.documents += page.documents.count + page.elements.count
        }
    }

    /// Takes note of the position that the other side has stored.
    func acknowledge(_ position: String) throws(SyncError) {
        let isExpected = state.withLock { state in
            if state.acknowledgedPages >= state.sent { return false }
            state.acknowledgedPages += 1
            state.acknowledged = position
            return true
        }
        guard isExpected else {
            throw SyncError(.malformed, "the other store acknowledges a page that it has not received")
        }
        wake.signal()
    }

    /// Ends the thread and waits for it. Returns the changes that are left, and what is acknowledged.
    func finish() throws(SyncError) -> (feed: SyncFeed?, acknowledged: String) {
        state.withLock { $0.isOver = true }
        wake.signal()
        ended.wait()
        ended.signal()
        let state = state.withLock { $0 }
        if let failure = state.failure { throw failure }
        return (state.feed, state.acknowledged)
    }

    /// The error that ended the thread.
    var failure: SyncError? { state.withLock { $0.failure } }
}
