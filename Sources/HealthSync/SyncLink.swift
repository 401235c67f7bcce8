// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// The outgoing frames of a connection. A thread of its own writes them, so that the thread that reads never waits for
/// the other side to read: two sides that both wait to write would wait forever.
final class SyncLink: Sendable {
    private struct State {
        var frames: [SyncFrame] = []
        var isClosed = false
        var failure: SyncError?
        var bytes: UInt64 = 0
    }

    let channel: any SyncChannel
    private let state = Mutex(State())
    private let filled = DispatchSemaphore(value: 0)
    private let emptied = DispatchGroup()

    init(_ channel: any SyncChannel) {
        self.channel = channel
        emptied.enter()
        SyncThread.detach { [self] in
            write()
            emptied.leave()
        }
    }

    /// The number of bytes written.
    var bytes: UInt64 { state.withLock { $0.bytes } }

    /// Sends a frame after all earlier ones, without waiting.
    ///
    /// - Throws: the error of an earlier frame.
    func send(_ kind: SyncFrame.Kind, _ body: [UInt8] = []) throws(SyncError) {
        guard body.count <= kind.mostBytes else {
            throw SyncError(
                .refused,
                "a change of \(body.count) bytes is too large to be sent; at most \(kind.mostBytes) are possible")
        }
        let failure = state.withLock { state in
            if state.failure == nil { state.frames.append(SyncFrame(kind: kind, body: body)) }
            return state.failure
        }
        if let failure { throw failure }
        filled.signal()
    }

    private func write() {
        var number: UInt64 = 0
        while true {
            filled.wait()
            let next: SyncFrame? = state.withLock { $0.frames.isEmpty ? nil : $0.frames.removeFirst() }
            guard let next else {
                if state.withLock({ $0.isClosed }) { return }
                continue
            }
            let bytes = next.encoded(number: number)
            number += 1
            do {
                try channel.write(bytes)
                state.withLock { $0.bytes += UInt64(bytes.count) }
            } catch {
                let failure = SyncError(.connection, "the connection to the other store failed: \(error)")
                state.withLock { state in
                    state.failure = failure
                    state.frames = []
                }
            }
        }
    }

    /// Waits until all frames are written, or until the connection fails; then closes the connection.
    func close() {
        state.withLock { $0.isClosed = true }
        filled.signal()
        _ = emptied.wait(timeout: .now() + .seconds(3))
        channel.close()
    }

    /// Closes the connection without its frames.
    func abandon() {
        state.withLock { state in
            state.isClosed = true
            state.frames = []
        }
        channel.close()
        filled.signal()
    }
}
