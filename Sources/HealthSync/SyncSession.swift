// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import KymographHealth

/// One synchronisation of a store over a connection. Both sides run the same steps.
struct SyncSession {
    private let store: HealthStore
    private let options: SyncOptions
    private let link: SyncLink
    private let inbox: SyncInbox
    private var report = SyncReport()
    private var lastSettlement = ContinuousClock.now

    init(_ store: HealthStore, _ channel: any SyncChannel, _ options: SyncOptions) {
        self.store = store
        self.options = options
        link = SyncLink(channel)
        inbox = SyncInbox(channel)
    }

    mutating func run() throws(SyncError) -> SyncReport {
        defer { inbox.abandon() }
        do {
            try exchange()
            link.close()
            return report
        } catch {
            let failure = SyncError(error)
            if failure.kind != .other, failure.kind != .connection {
                try? link.send(.error, Array(failure.message.utf8.prefix(4_000)))
                link.close()
            } else {
                link.abandon()
            }
            throw failure
        }
    }

    private mutating func exchange() throws {
        // What the other side hears of must survive a power cut: it then keeps it no longer for this store.
        try store.settle()
        let hello = try greet()
        report.peer = SampleIdentity(hello.store).description
        var peer = try store.meet(
            hello.store, name: options.peerName ?? hello.name, epoch: hello.epoch, isLimited: hello.isLimited)
        try store.advanceHistory()
        try link.send(.resume, Array(peer.received.utf8))
        let position = String(decoding: try frame(.resume).body, as: UTF8.self)
        let selection = options.selection.intersection(hello.selection)
        let feed = try store.syncFeed(for: peer, after: position, selection)
        let follows = options.follows && hello.follows
        let sends = options.sends && hello.receives
        let sender = SyncSender(store, link, sends: sends, follows: follows, position: position)
        sender.start(feed)
        do {
            try receive(&peer, sender, follows: follows)
        } catch {
            let failure = sender.failure
            _ = try? sender.finish()
            throw failure ?? error
        }
        let (left, acknowledged) = try sender.finish()
        report.sent = sender.report
        report.sent.bytes = link.bytes
        if sends { try settle(sender.isSettled ? left : nil, acknowledged, peer) }
        report.pruned = try store.pruneHistory()
    }

    /// Exchanges the first frames, and checks whether the stores can be synchronised.
    private mutating func greet() throws -> SyncHello {
        var own = SyncHello(store: store.identity, name: store.path)
        (own.sends, own.receives, own.follows) = (options.sends, options.receives, options.follows)
        own.isEncrypted = store.isEncrypted
        own.epoch = store.epoch
        own.selection = options.selection
        own.isLimited = try store.isHistoryLimited()
        try link.send(.hello, own.body)
        let hello = try SyncHello(try frame(.hello).body)
        if hello.store == own.store {
            throw SyncError(
                .refused,
                "both are the same store, or one is a copy of the other, such as a restored backup; synchronise with "
                    + "a store that was created by itself")
        }
        if own.isEncrypted, !hello.isEncrypted, !options.allowsPlaintext {
            throw SyncError(
                .refused,
                "this store is encrypted and the other one is not, so its content could be read there; allow this with "
                    + "SyncOptions.allowsPlaintext or --allow-plaintext, or encrypt the other store")
        }
        return hello
    }

    /// Returns the next frame, which must be of a kind.
    private mutating func frame(_ kind: SyncFrame.Kind) throws -> SyncFrame {
        guard let frame = try inbox.next() else {
            throw SyncError(.connection, "the other program ended before its greeting")
        }
        if frame.kind == .error { throw Self.reported(frame) }
        guard frame.kind == kind else {
            throw SyncError(.malformed, "the other program sent a frame \(frame.kind) in place of \(kind)")
        }
        return frame
    }

    private static func reported(_ frame: SyncFrame) -> SyncError {
        SyncError(.other, "the other store: " + String(decoding: frame.body, as: UTF8.self))
    }

    /// Takes the frames of the other side until both sides have nothing more to send.
    private mutating func receive(_ peer: inout SyncPeerRow, _ sender: SyncSender, follows: Bool) throws {
        var mapping = SyncMapping()
        var isDone = false
        var hasEnded = false
        var looks = 0
        let link = link
        while true {
            if isDone, !follows, !hasEnded, sender.isSettled {
                // The other side may still wait for the last acknowledgement.
                try link.send(.end, SyncRule.encode(report.rules))
                hasEnded = true
            }
            let isCancelled = options.isCancelled
            let next = try inbox.next { () throws(SyncError) in
                if let failure = sender.failure { throw failure }
                guard isCancelled?() ?? false else { return }
                // A side that follows ends in an orderly way, if the other side answers soon.
                if follows, !hasEnded {
                    try link.send(.end, SyncRule.encode(report.rules))
                    hasEnded = true
                }
                looks += 1
                if !follows || looks > Self.mostLooks { throw Self.cancelled }
            }
            guard let frame = next else {
                if hasEnded { return }
                if let failure = sender.failure { throw failure }
                throw SyncError(.connection, "the other program ended before all changes were exchanged")
            }
            report.received.bytes = inbox.bytes
            switch frame.kind {
            case .page:
                isDone = false
                try take(frame, &mapping, &peer)
                try link.send(.acknowledgement, Array(peer.received.utf8))
                report.sent = sender.report
                report.sent.bytes = link.bytes
                if let progress = options.progress, !progress(report) {
                    throw Self.cancelled
                }
            case .acknowledgement:
                let position = String(decoding: frame.body, as: UTF8.self)
                try sender.acknowledge(position)
                if follows { try settleWhileFollowing(position, &peer) }
            case .done: isDone = true
            case .end:
                for (rule, count) in try SyncRule.decode(frame.body) { report.rules[rule, default: 0] += count }
                // A side that follows answers with its end.
                if !hasEnded { try link.send(.end, SyncRule.encode(report.rules)) }
                return
            case .error: throw Self.reported(frame)
            case .hello, .resume:
                throw SyncError(.malformed, "the other program sent a second frame \(frame.kind)")
            }
        }
    }

    private mutating func take(
        _ frame: SyncFrame, _ mapping: inout SyncMapping, _ peer: inout SyncPeerRow
    ) throws {
        guard options.receives else {
            throw SyncError(.malformed, "the other store sent changes, which this side does not take")
        }
        let page = try PageCodec.decode(frame.body)
        let outcome = try store.apply(page, &mapping, from: &peer)
        report.received.samples += outcome.samples
        report.received.objects += outcome.objects
        report.received.deletions += outcome.deletions
        report.received.documents += page.documents.count + page.elements.count
        report.received.attachments += outcome.attachments
        report.passedOver += outcome.passedOver
        report.changedValues += outcome.changedValues
        for (rule, count) in outcome.rules { report.rules[rule, default: 0] += count }
        if options.explains {
            report.conflicts += outcome.conflicts.prefix(max(0, Self.mostConflicts - report.conflicts.count))
        }
    }

    /// Stores what the other side has acknowledged, if that is new, or if it took long to find no more changes for it.
    private func settle(_ feed: SyncFeed?, _ acknowledged: String, _ peer: SyncPeerRow) throws {
        let isLong = feed.map { $0.skipped >= Self.longSearch || $0.commit - $0.begun >= Self.longSearch } ?? false
        guard acknowledged != peer.acknowledged || isLong else { return }
        try store.acknowledge(acknowledged, feed, by: peer)
    }

    /// Stores what the other side has acknowledged, at most once a minute. Deletions and pruned history then need not
    /// wait for the end of the session.
    private mutating func settleWhileFollowing(_ acknowledged: String, _ peer: inout SyncPeerRow) throws {
        let now = ContinuousClock.now
        guard now - lastSettlement >= Self.settlementInterval else { return }
        lastSettlement = now
        try store.acknowledge(acknowledged, nil, by: peer)
        (peer.acknowledged, peer.searched) = (acknowledged, "")
    }

    private static let mostConflicts = 10_000
    private static let longSearch = 1_000
    private static let settlementInterval = Duration.seconds(60)
    /// Tenths of a second that a side which was asked to end waits for the answer of the other side.
    private static let mostLooks = 30

    private static let cancelled = SyncError(
        .cancelled, "the synchronisation was ended; the next one continues here")
}
