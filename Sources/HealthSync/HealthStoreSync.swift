// SPDX-License-Identifier: Apache-2.0

public import KymographHealth

/// Synchronises a health store with another one: both have the same samples and objects afterwards.
///
/// ```swift
/// let sync = HealthStoreSync(store)
/// let report = try sync.run(with: other)
/// print(report.received.samples, "samples came,", report.sent.samples, "went")
/// ```
///
/// The two stores may be opened by one program, or by two programs that exchange bytes over a ``SyncChannel``.
/// `Docs/Guide/Sync.md` says what is exchanged, and how conflicts are decided.
public struct HealthStoreSync: Sendable {
    private let store: HealthStore
    private let options: SyncOptions

    /// - Parameters:
    ///   - store: a store that is open for writing, shared or not.
    ///   - options: the directions, and whether later changes follow.
    public init(_ store: HealthStore, options: SyncOptions = SyncOptions()) {
        self.store = store
        self.options = options
    }

    /// Synchronises with a program that runs the same function over the other end of a connection.
    ///
    /// Each page of changes is one durable commit. An interrupted synchronisation loses nothing: the next one continues
    /// after the last page.
    ///
    /// - Parameter channel: the connection; it is closed when the call returns.
    /// - Throws: `connection`, `malformed`, `newerVersion`, `refused`, `other`, `store`, `cancelled`. A page that is
    ///   not consistent is not stored.
    /// - Complexity: O(changes since the last synchronisation); memory of a few pages.
    public func run(over channel: any SyncChannel) throws(SyncError) -> SyncReport {
        var session = SyncSession(store, channel, options)
        return try session.run()
    }

    /// Synchronises with another store of this program.
    ///
    /// - Parameter other: a store that is open for writing, shared or not.
    /// - Throws: as `run(over:)`.
    public func run(with other: HealthStore) throws(SyncError) -> SyncReport {
        let (here, there) = MemoryChannel.pair()
        var mirrored = SyncOptions()
        (mirrored.sends, mirrored.receives, mirrored.follows) = (options.receives, options.sends, options.follows)
        mirrored.allowsPlaintext = options.allowsPlaintext
        (mirrored.types, mirrored.from) = (options.types, options.from)
        mirrored.explains = options.explains
        mirrored.isCancelled = options.isCancelled
        let answering = HealthStoreSync(other, options: mirrored)
        let answer = SyncAnswer()
        SyncThread.detach {
            do throws(SyncError) {
                answer.end(nil, try answering.run(over: there).conflicts)
            } catch {
                answer.end(error)
            }
        }
        do throws(SyncError) {
            var report = try run(over: here)
            if let failure = answer.wait() { throw failure }
            report.conflicts += answer.conflicts
            return report
        } catch {
            here.close()
            let failure = answer.wait()
            // The side with an error of its own names the reason; the other one sees a closed connection.
            if let failure, error.kind == .connection || error.kind == .other { throw failure }
            throw error
        }
    }
}
