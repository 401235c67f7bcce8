// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// The incoming frames of a connection. A thread of its own reads them, so that bytes arrive while a page is stored.
final class SyncInbox: Sendable {
    private struct State {
        var frames: [SyncFrame] = []
        /// The end of the connection, or the error that ended it.
        var end: Result<Void, SyncError>?
        var bytes: UInt64 = 0
    }

    /// The most frames that wait: another side that sends more is not read.
    private static let most = 16
    /// The most pages that wait: the other side may send two that are not acknowledged.
    private static let mostPages = 2
    private let state = Mutex(State())
    private let filled = DispatchSemaphore(value: 0)
    private let room = DispatchSemaphore(value: 0)

    init(_ channel: any SyncChannel) {
        // A semaphore must not end below its first value.
        for _ in 0..<Self.most { room.signal() }
        SyncThread.detach { [self] in read(SyncFrame.Reader(channel)) }
    }

    /// The number of bytes read.
    var bytes: UInt64 { state.withLock { $0.bytes } }

    private func read(_ reader: SyncFrame.Reader) {
        var reader = reader
        var end: Result<Void, SyncError> = .success(())
        do {
            while true {
                room.wait()
                if state.withLock({ $0.end != nil }) { return }
                guard let frame = try reader.next() else { break }
                let isTooMuch = state.withLock { state in
                    if frame.kind == .page, state.frames.count(where: { $0.kind == .page }) >= Self.mostPages {
                        return true
                    }
                    state.frames.append(frame)
                    state.bytes = reader.bytes
                    return false
                }
                if isTooMuch {
                    throw SyncError(.malformed, "the other program sends pages without waiting for an acknowledgement")
                }
                filled.signal()
            }
        } catch {
            end = .failure(SyncError(error))
        }
        let found = end
        state.withLock { if $0.end == nil { $0.end = found } }
        filled.signal()
    }

    /// Waits for the next frame; nil at the end of the connection.
    ///
    /// - Parameter look: called ten times a second while there is no frame; an error ends the wait.
    func next(_ look: () throws(SyncError) -> Void = {}) throws(SyncError) -> SyncFrame? {
        while filled.wait(timeout: .now() + .milliseconds(100)) == .timedOut { try look() }
        let (frame, end) = state.withLock { state in
            state.frames.isEmpty ? (nil, state.end) : (state.frames.removeFirst(), nil)
        }
        if let frame {
            room.signal()
            return frame
        }
        // The end stays for later calls.
        filled.signal()
        if case .failure(let error)? = end { throw error }
        return nil
    }

    /// Reads no more frames.
    ///
    /// - Ordering: after the channel is closed.
    func abandon() {
        state.withLock { if $0.end == nil { $0.end = .success(()) } }
        room.signal()
    }
}
