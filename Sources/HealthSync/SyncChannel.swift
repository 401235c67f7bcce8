// SPDX-License-Identifier: Apache-2.0
// HealthSync: synchronisation of two health stores over any connection.

import Dispatch
import FileSystem
import Synchronization

/// A connection with the program that has the other store: bytes in both directions, in order.
///
/// One thread reads while another one writes.
public protocol SyncChannel: Sendable {
    /// Waits for bytes, and returns at least one and at most `count`; none if the other program has closed its end, and
    /// after `close`.
    func read(_ count: Int) throws -> [UInt8]

    /// Writes all bytes; may wait until the other program reads.
    func write(_ bytes: [UInt8]) throws

    /// Closes this end: reads and writes that wait, and later ones, end. A second call does nothing.
    func close()
}

/// A connection over two descriptors, such as pipes to a command or this program's standard input and output.
public final class DescriptorChannel: SyncChannel {
    private let stream: ByteStream

    /// Takes over two descriptors, which are closed with the channel. From now on, a write to a pipe without a reader
    /// is an error in this program, and no signal.
    ///
    /// - Parameters:
    ///   - input: the descriptor to read from.
    ///   - output: the descriptor to write to; another one than `input`.
    ///   - name: what errors call the connection.
    public init(reading input: Int32, writing output: Int32, name: String) {
        ByteStream.ignoreBrokenPipes()
        stream = ByteStream(reading: input, writing: output, name: name)
    }

    /// Waits for bytes; see ``SyncChannel/read(_:)``.
    public func read(_ count: Int) throws -> [UInt8] { try stream.read(count) }

    /// Writes all bytes; see ``SyncChannel/write(_:)``.
    public func write(_ bytes: [UInt8]) throws { try stream.write(bytes) }

    /// Closes both descriptors.
    public func close() { stream.close() }
}

/// One end of a connection inside this program.
final class MemoryChannel: SyncChannel {
    /// Bytes in one direction.
    private final class Pipe: Sendable {
        private struct State {
            var bytes: [UInt8] = []
            var isClosed = false
        }

        private static let room = 1 << 20
        private let state = Mutex(State())
        private let filled = DispatchSemaphore(value: 0)
        private let emptied = DispatchSemaphore(value: 0)

        func read(_ count: Int) -> [UInt8] {
            while true {
                let found: [UInt8]? = state.withLock { state in
                    if state.bytes.isEmpty { return state.isClosed ? [] : nil }
                    if state.bytes.count <= count {
                        defer { state.bytes = [] }
                        return state.bytes
                    }
                    let found = Array(state.bytes.prefix(count))
                    state.bytes.removeFirst(count)
                    return found
                }
                if let found {
                    emptied.signal()
                    return found
                }
                filled.wait()
            }
        }

        func write(_ bytes: [UInt8]) throws(SyncError) {
            while true {
                let isDone: Bool? = state.withLock { state in
                    if state.isClosed { return nil }
                    if state.bytes.count >= Self.room { return false }
                    state.bytes += bytes
                    return true
                }
                guard let isDone else { throw SyncError(.connection, "the other end of the connection is closed") }
                if isDone {
                    filled.signal()
                    return
                }
                emptied.wait()
            }
        }

        func close() {
            state.withLock { $0.isClosed = true }
            filled.signal()
            emptied.signal()
        }
    }

    private let input: Pipe
    private let output: Pipe

    private init(_ input: Pipe, _ output: Pipe) { (self.input, self.output) = (input, output) }

    /// Returns the two ends of a connection.
    static func pair() -> (MemoryChannel, MemoryChannel) {
        let (one, other) = (Pipe(), Pipe())
        return (MemoryChannel(one, other), MemoryChannel(other, one))
    }

    func read(_ count: Int) throws -> [UInt8] { input.read(count) }

    func write(_ bytes: [UInt8]) throws { try output.write(bytes) }

    func close() {
        output.close()
        input.close()
    }
}
