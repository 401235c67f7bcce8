// SPDX-License-Identifier: Apache-2.0

import Bytes
import Dispatch
import FileSystem
import Foundation
import HealthModel
import Synchronization

/// A connection between a session and its mirror in another process: messages with a kind and bytes.
final class MirrorLink: Sendable {
    /// The kind of a message. The raw value is sent.
    enum Kind: UInt8, Sendable {
        /// The state of the primary session, at first and after each change.
        case state = 1
        /// A consequence of a call, for the delegate of the mirror.
        case effect = 2
        /// A call of the mirror, for the primary session.
        case command = 3
        /// Data of the program.
        case data = 4
        /// The error of the primary session.
        case failure = 5
        /// The end of the mirroring.
        case end = 6
    }

    private let socket: LocalSocket
    /// The numbers of bytes that the program sent in the last ``span`` seconds.
    private let sent = Mutex<[(date: Date, count: Int)]>([])
    private let sending = Mutex(())
    private let isEnded = Mutex(false)

    /// The maximum number of bytes of data in ``span`` seconds.
    static let mostBytes = 100_000
    static let span: TimeInterval = 10
    private static let longest = 1 << 20

    init(_ socket: LocalSocket) { self.socket = socket }

    /// Reads messages on a thread of its own, until the other side ends.
    ///
    /// - Parameters:
    ///   - take: handles a message. Messages arrive in order.
    ///   - ended: called once at the end, with an error unless one side ended the mirroring.
    func start(
        _ take: @escaping @Sendable (Kind, [UInt8]) -> Void, ended: @escaping @Sendable (DiskError?) -> Void
    ) {
        Thread.detachNewThread { [self] in
            var failure: DiskError?
            do throws(DiskError) {
                while let (kind, bytes) = try next() { take(kind, bytes) }
            } catch {
                failure = error
            }
            let wasEnded = isEnded.withLock { $0 }
            close()
            ended(wasEnded ? nil : failure)
        }
    }

    /// Returns the next message; nil after the end. Messages of unknown kinds are skipped.
    private func next() throws(DiskError) -> (Kind, [UInt8])? {
        while true {
            let head = try socket.receive(5)
            let count = head[1...].reduce(0) { $0 << 8 | Int($1) }
            guard count <= Self.longest else { return nil }
            let bytes = try socket.receive(count)
            guard let kind = Kind(rawValue: head[0]) else { continue }
            return kind == .end ? nil : (kind, bytes)
        }
    }

    func send(_ kind: Kind, _ bytes: [UInt8]) throws(HKError) {
        var message = [kind.rawValue]
        for shift in [24, 16, 8, 0] { message.append(UInt8(truncatingIfNeeded: bytes.count >> shift)) }
        try sending.withLock { _ throws(HKError) in
            do throws(DiskError) { try socket.send(message + bytes) } catch {
                throw HKError(
                    .errorInvalidArgument, reason: "the connection to the mirror is broken: \(error.message)",
                    place: "HKWorkoutSession", advice: "start the mirroring again")
            }
        }
    }

    /// Sends data of the program, at most ``mostBytes`` in any ``span`` seconds.
    func send(_ data: Data, at now: Date = Date()) throws(HKError) {
        let fits = sent.withLock { sent in
            sent.removeAll { now.timeIntervalSince($0.date) >= Self.span }
            guard sent.reduce(data.count, { $0 + $1.count }) <= Self.mostBytes else { return false }
            sent.append((now, data.count))
            return true
        }
        guard fits else {
            throw HKError(
                .errorDataSizeExceeded, reason: "more than \(Self.mostBytes) bytes in \(Int(Self.span)) s",
                place: "sendToRemoteWorkoutSession", advice: "send less data, or send it later")
        }
        try send(.data, Array(data))
    }

    /// Ends the mirroring on both sides.
    func end() {
        let isFirst = isEnded.withLock { isEnded in
            defer { isEnded = true }
            return !isEnded
        }
        if isFirst { try? send(.end, []) }
        socket.close()
    }

    private func close() {
        isEnded.withLock { $0 = true }
        socket.close()
    }
}

// The contents of messages.
extension SessionState {
    private static let version: UInt8 = 1

    /// The bytes of a state message.
    var message: [UInt8] {
        var writer = WorkoutWriter()
        writer.put(self)
        return writer.bytes(version: Self.version)
    }

    init(message: [UInt8]) throws(ByteError) {
        var reader = try WorkoutReader(message, version: Self.version)
        self = try reader.sessionState()
    }
}

extension WorkoutWriter {
    mutating func put(_ state: SessionState) {
        put(state.configuration)
        plain.put(varint: UInt64(state.state.rawValue))
        put(optional: state.start)
        put(optional: state.end)
        put(state.current.map { [$0] } ?? [])
        put(optional: state.lastEnd)
    }
}

extension WorkoutReader {
    mutating func sessionState() throws(ByteError) -> SessionState {
        let configuration = try configuration()
        guard let known = Int(exactly: try bytes.varint()).flatMap({ HKWorkoutSessionState(rawValue: $0) }) else {
            throw ByteError(offset: bytes.offset, what: "unknown state of a session")
        }
        let (start, end) = (try optionalDate(), try optionalDate())
        let current = try activities().first
        return SessionState(
            configuration, known, start: start, end: end, current: current, lastEnd: try optionalDate())
    }
}

extension SessionState.Effect {
    /// The bytes of an effect message.
    var message: [UInt8] {
        var writer = WorkoutWriter()
        switch self {
        case .changed(let to, let from, let date):
            writer.plain.put(1 as UInt8)
            writer.plain.put(UInt8(to.rawValue))
            writer.plain.put(UInt8(from.rawValue))
            writer.put(date)
        case .event(let event):
            writer.plain.put(2 as UInt8)
            writer.put([event])
        case .began(let activity):
            writer.plain.put(3 as UInt8)
            writer.put([activity])
        case .ended(let activity):
            writer.plain.put(4 as UInt8)
            writer.put([activity])
        }
        return writer.bytes(version: 1)
    }

    /// Parses an effect; nil for an effect that is unknown to this version.
    init?(message: [UInt8]) {
        guard let effect = try? Self.read(message) else { return nil }
        self = effect
    }

    private static func read(_ message: [UInt8]) throws(ByteError) -> Self? {
        var reader = try WorkoutReader(message, version: 1)
        switch try reader.bytes.u8() {
        case 1:
            guard let to = HKWorkoutSessionState(rawValue: Int(try reader.bytes.u8())),
                let from = HKWorkoutSessionState(rawValue: Int(try reader.bytes.u8()))
            else { return nil }
            return .changed(to: to, from: from, date: try reader.date())
        case 2: return try reader.events().first.map { .event($0) }
        case 3: return try reader.activities().first.map { .began($0) }
        case 4: return try reader.activities().first.map { .ended($0) }
        default: return nil
        }
    }
}

extension SessionState.Command {
    /// The bytes of a command message; nil for a command that a mirror does not send.
    var message: [UInt8]? {
        var writer = WorkoutWriter()
        func put(_ kind: UInt8, _ date: Date) {
            writer.plain.put(kind)
            writer.put(date)
        }
        switch self {
        case .pause(let date): put(1, date)
        case .resume(let date): put(2, date)
        case .stop(let date): put(3, date)
        case .end(let date): put(4, date)
        case .endActivity(let date): put(5, date)
        case .beginActivity(let activity):
            writer.plain.put(6 as UInt8)
            writer.put([activity])
        case .prepare, .start, .fail: return nil
        }
        return writer.bytes(version: 1)
    }

    /// Parses a command; nil for a command that is unknown to this version.
    init?(message: [UInt8]) {
        guard let command = try? Self.read(message) else { return nil }
        self = command
    }

    private static func read(_ message: [UInt8]) throws(ByteError) -> Self? {
        var reader = try WorkoutReader(message, version: 1)
        switch try reader.bytes.u8() {
        case 1: return .pause(try reader.date())
        case 2: return .resume(try reader.date())
        case 3: return .stop(try reader.date())
        case 4: return .end(try reader.date())
        case 5: return .endActivity(try reader.date())
        case 6: return try reader.activities().first.map { .beginActivity($0) }
        default: return nil
        }
    }
}
