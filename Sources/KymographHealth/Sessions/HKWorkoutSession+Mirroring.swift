// SPDX-License-Identifier: Apache-2.0

import FileSystem
public import Foundation
import HealthModel
import Synchronization

// The mirror of a session in another process of the same program on this machine. The connection is a socket in the
// store's directory. In HealthKit the other process runs on the companion iPhone.
extension HKWorkoutSession {
    /// Starts to mirror the session to a process of this program that has set
    /// ``HKHealthStore/workoutSessionMirroringStartHandler``. Has no effect on a session that has a mirror.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` before `prepare`, after `end`, and for a mirrored session;
    ///   `errorHealthDataUnavailable` if no process answers within ten seconds.
    public func startMirroringToCompanionDevice() async throws {
        try await BlockingQueue.result { () throws(HKError) in try self.startMirroring() }
    }

    /// Starts to mirror the session. See ``startMirroringToCompanionDevice()``.
    @preconcurrency public func startMirroringToCompanionDevice(
        completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in try self.startMirroring() }
    }

    /// Ends the mirroring. The session continues.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for a session without a mirror.
    public func stopMirroringToCompanionDevice() async throws {
        try await BlockingQueue.result { () throws(HKError) in try self.stopMirroring() }
    }

    /// Ends the mirroring. See ``stopMirroringToCompanionDevice()``.
    @preconcurrency public func stopMirroringToCompanionDevice(
        completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in try self.stopMirroring() }
    }

    /// Sends data to the other side of a mirrored session: at most 100,000 bytes in any ten seconds.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` without a mirror, `errorDataSizeExceeded`.
    public func sendToRemoteWorkoutSession(data: Data) async throws {
        try await BlockingQueue.result { () throws(HKError) in try self.sendNow(data) }
    }

    /// Sends data to the other side of a mirrored session. See ``sendToRemoteWorkoutSession(data:)``.
    @preconcurrency public func sendToRemoteWorkoutSession(
        data: Data, completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in try self.sendNow(data) }
    }

    private static func refusal(_ reason: String, _ advice: String) -> HKError {
        HKError(.errorInvalidArgument, reason: reason, place: "HKWorkoutSession", advice: advice)
    }

    /// Starts the mirroring on the calling thread, and waits for the other process.
    ///
    /// - Parameter milliseconds: how long it waits.
    func startMirroring(milliseconds: Int32 = 10_000) throws(HKError) {
        guard type == .primary else {
            throw Self.refusal("the session is a mirror", "start the mirroring in the process of the primary session")
        }
        guard state.isActive else {
            throw Self.refusal("the session is \(state)", "start the mirroring after prepare and before the end")
        }
        // A concurrent call waits for the result of the first call.
        try starts.withLock { _ throws(HKError) in if mirror == nil { try connect(milliseconds) } }
    }

    /// Waits for another process, and connects the session with it.
    ///
    /// - Requires: the lock of starts.
    private func connect(_ milliseconds: Int32) throws(HKError) {
        let store = try core.health.store()
        let name = MirrorName.of(core.id)
        let found = Result { () throws(DiskError) in
            let listener = try LocalSocket.listen(in: store.path, name: name)
            defer {
                listener.close()
                try? store.engine.disk.remove(store.path + "/" + name)
            }
            // A commit wakes the processes that wait for a session.
            try? builder.change { _ in }
            return try listener.accept(milliseconds: milliseconds)
        }
        let socket: LocalSocket?
        do throws(DiskError) { socket = try found.get() } catch {
            throw HKError(.errorHealthDataUnavailable, reason: "\(error)", place: "HKWorkoutSession")
        }
        guard let socket else {
            throw HKError(
                .errorHealthDataUnavailable, reason: "no process of this program mirrors the session",
                place: "HKWorkoutSession", advice: "set workoutSessionMirroringStartHandler in another process first")
        }
        let link = MirrorLink(socket)
        // Between two commands, so that the mirror misses no command.
        try core.commands.sync {
            Result { () throws(HKError) in
                try link.send(.state, core.state.message)
                mirror = link
            }
        }.get()
        link.start { [weak self] kind, bytes in
            self?.takeFromMirror(kind, bytes)
        } ended: { [weak self] error in
            self?.noteMirrorGone(error)
        }
    }

    private func stopMirroring() throws(HKError) {
        guard let link = mirror else { throw Self.refusal("the session has no mirror", "start the mirroring first") }
        mirror = nil
        link.end()
    }

    private func sendNow(_ data: Data) throws(HKError) {
        guard let link = mirror else { throw Self.refusal("the session has no mirror", "start the mirroring first") }
        try link.send(data)
    }

    /// Handles a message of the mirror.
    private func takeFromMirror(_ kind: MirrorLink.Kind, _ bytes: [UInt8]) {
        switch kind {
        case .command: if let command = SessionState.Command(message: bytes) { run(command) }
        case .data: tell(data: Data(bytes))
        case .state, .effect, .failure, .end: return
        }
    }

    /// Handles a message of the primary session.
    private func takeFromPrimary(_ kind: MirrorLink.Kind, _ bytes: [UInt8]) {
        switch kind {
        case .state: if let state = try? SessionState(message: bytes) { core.adopt(state) }
        case .effect:
            guard let effect = SessionState.Effect(message: bytes) else { return }
            core.calls.async { [self] in tell(effect) }
        case .data: tell(data: Data(bytes))
        case .failure:
            let error = HKError(
                HKError.Code(rawValue: Int(bytes.first ?? 0)) ?? .unknownError,
                reason: String(decoding: bytes.dropFirst(), as: UTF8.self), place: "HKWorkoutSession")
            core.calls.async { [self] in delegate?.workoutSession(self, didFailWithError: error) }
        case .command, .end: return
        }
    }

    private func tell(data: Data) {
        core.calls.async { [self] in delegate?.workoutSession(self, didReceiveDataFromRemoteWorkoutSession: [data]) }
    }

    private func noteMirrorGone(_ error: DiskError?) {
        mirror = nil
        let reported = error.map {
            HKError(
                .unknownError, reason: "the connection to the mirror broke: \($0.message)", place: "HKWorkoutSession")
        }
        core.calls.async { [self] in
            delegate?.workoutSession(self, didDisconnectFromRemoteDeviceWithError: reported)
        }
    }

    /// Follows the primary session over a link.
    ///
    /// - Parameter begun: passes the session to the program, which sets its delegate. No message is read before it
    ///   returns.
    func follow(_ link: MirrorLink, _ begun: () -> Void) {
        mirror = link
        begun()
        link.start { [self] kind, bytes in
            takeFromPrimary(kind, bytes)
        } ended: { [self] error in
            noteMirrorGone(error)
        }
    }

    /// Sends the effects of a command to the mirror. The end of the session ends the mirroring.
    func mirror(_ effects: [SessionState.Effect], _ state: SessionState, _ error: HKError? = nil) {
        guard let link = mirror else { return }
        if let error { try? link.send(.failure, [UInt8(error.code.rawValue)] + Array(error.reason.utf8)) }
        try? link.send(.state, state.message)
        for effect in effects { try? link.send(.effect, effect.message) }
        if state.state == .ended {
            mirror = nil
            link.end()
        }
    }
}

/// The names of sockets in a store's directory.
enum MirrorName {
    static func of(_ session: Int64) -> String { "mirror-\(session)" }
}
